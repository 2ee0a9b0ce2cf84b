//! The extra frames: hashes of further camera frames, which the client sends as a sign that the camera was live.

use lacre_api::Refusal;
use serde::{Deserialize, Serialize};

use crate::{FrameHash, limits};

/// 2 to 8 hashes of frames that were captured after the main frame. All differ from each other and from the main frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExtraFrames(Vec<FrameHash>);

impl ExtraFrames {
    /// Parses the hashes. `main` is the hash of the main frame; `None` if that hash was malformed, which another check
    /// reports.
    ///
    /// # Errors
    /// In this order: [`Refusal::LivenessInsufficient`], [`Refusal::LivenessTooMany`], [`Refusal::LivenessMalformed`],
    /// [`Refusal::LivenessStatic`].
    pub fn parse(hashes: &[String], main: Option<FrameHash>) -> Result<Self, Refusal> {
        if hashes.len() < limits::EXTRA_FRAMES_MIN {
            return Err(Refusal::LivenessInsufficient);
        }
        if hashes.len() > limits::EXTRA_FRAMES_MAX {
            return Err(Refusal::LivenessTooMany);
        }
        let extra = hashes
            .iter()
            .map(|text| FrameHash::parse(text))
            .collect::<Option<Vec<_>>>()
            .ok_or(Refusal::LivenessMalformed)?;
        let repeats = |(i, hash): (usize, &FrameHash)| Some(*hash) == main || extra[..i].contains(hash);
        if extra.iter().enumerate().any(repeats) {
            return Err(Refusal::LivenessStatic);
        }
        Ok(Self(extra))
    }

    /// The hashes, in the order in which they were sent.
    #[must_use]
    pub fn hashes(&self) -> &[FrameHash] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(n: u8) -> Vec<String> {
        (1..=n).map(|i| FrameHash::of(&[i]).hex()).collect()
    }

    #[test]
    fn each_rule_of_the_extra_frames() {
        let main = FrameHash::of(b"main");
        let parse = |list: &[String]| ExtraFrames::parse(list, Some(main)).map(|frames| frames.hashes().len());

        assert_eq!(parse(&hashes(1)), Err(Refusal::LivenessInsufficient));
        assert_eq!(parse(&hashes(2)), Ok(2));
        assert_eq!(parse(&hashes(8)), Ok(8));
        assert_eq!(parse(&hashes(9)), Err(Refusal::LivenessTooMany));

        let mut malformed = hashes(3);
        malformed[2].pop();
        assert_eq!(parse(&malformed), Err(Refusal::LivenessMalformed));

        let mut repeated = hashes(3);
        repeated[2] = repeated[0].to_uppercase();
        assert_eq!(parse(&repeated), Err(Refusal::LivenessStatic));

        let mut same_as_main = hashes(2);
        same_as_main[1] = main.hex().to_uppercase();
        assert_eq!(parse(&same_as_main), Err(Refusal::LivenessStatic));
    }

    #[test]
    fn does_not_judge_the_main_hash() {
        assert!(ExtraFrames::parse(&hashes(2), None).is_ok());
    }
}
