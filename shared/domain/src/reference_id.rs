//! The integrator's own id for what is photographed, such as a claim number.

use lacre_api::Refusal;
use serde::{Deserialize, Serialize};

use crate::limits;

/// The integrator's reference: 1 to 512 bytes of ASCII letters, digits, space and `. _ : / @ # + -`, without a space at
/// either end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReferenceId(String);

impl ReferenceId {
    /// Reads a reference.
    ///
    /// # Errors
    /// [`Refusal::ReferenceIdInvalid`].
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b" ._:/@#+-".contains(&b);
        let fits = (1..=limits::REFERENCE_ID_BYTES).contains(&text.len())
            && text.bytes().all(allowed)
            && !text.starts_with(' ')
            && !text.ends_with(' ');
        if fits { Ok(Self(text.to_owned())) } else { Err(Refusal::ReferenceIdInvalid) }
    }

    /// The text that replaces an erased reference.
    #[must_use]
    pub fn erased() -> Self {
        Self("erased".to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_long_references_and_other_characters() {
        for good in ["a", "Sinistro 2026/11 #42 a+b@c:d_e.f-g", &"x".repeat(512)] {
            assert!(ReferenceId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", " a", "a ", "é", "a\nb", "a\"b", "a=b", &"x".repeat(513)] {
            assert_eq!(ReferenceId::parse(bad), Err(Refusal::ReferenceIdInvalid), "{bad}");
        }
    }
}
