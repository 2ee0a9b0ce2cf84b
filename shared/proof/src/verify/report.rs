//! The findings of a check, for people and for programs.

use std::fmt;

use domain::{Environment, FrameHash};
use serde::Serialize;

use crate::assertions::{Browser, Capture};

/// The findings of a check. What could not be read is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Whether every check was made and holds.
    pub valid: bool,
    /// The environment whose keys signed. Only `PRODUCTION` is a proof towards third parties.
    pub environment: Option<Environment>,
    /// Each check with its outcome, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The SHA-256 of the frame as it was computed from the file.
    pub frame_hash: Option<FrameHash>,
    /// The ICP-Brasil signature.
    pub seal: Option<Seal>,
    /// The C2PA claim signature.
    pub claim: Option<Claim>,
    /// What the service vouches for.
    pub capture: Option<Capture>,
    /// What the browser claims.
    pub browser: Option<Browser>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked.
    pub name: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The ICP-Brasil signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seal {
    /// The subject of the signer's certificate (RFC 4514).
    pub signer: String,
    /// When it was made, by the signer's word (RFC 3339).
    pub signing_time: String,
    /// The identifier of the signature policy.
    pub policy: String,
    /// The policy's name, when it is a published one with its own hash.
    pub policy_name: Option<&'static str>,
}

/// The C2PA claim signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// The subject of the signer's certificate (RFC 4514).
    pub signer: String,
}

/// How many checks a valid proof passes: the form, and what is behind it.
const ALL_CHECKS: usize = 9;

impl Report {
    pub(super) fn note(&mut self, name: &'static str, outcome: Result<(), String>) {
        self.checks.push(Check::of(name, outcome));
        self.valid = self.checks.len() == ALL_CHECKS && self.checks.iter().all(|check| check.holds);
    }
}

impl Check {
    pub(crate) fn of(name: &'static str, outcome: Result<(), String>) -> Self {
        let fault = outcome.err();
        Self { name, holds: fault.is_none(), fault }
    }
}

/// The report in lines. Text from the file has its control characters escaped, so that it cannot play with a terminal.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.valid { "VALID" } else { "NOT VALID" };
        let environment = self.environment.map_or("UNKNOWN", Environment::name);
        writeln!(f, "{verdict}, environment {environment}")?;
        if self.environment.is_some_and(|environment| environment != Environment::Production) {
            writeln!(f, "Not a production proof: it shows how the service works, not that a photo is authentic.")?;
        }
        for check in &self.checks {
            match &check.fault {
                None => writeln!(f, "  ok    {}", check.name)?,
                Some(fault) => writeln!(f, "  FAIL  {}: {}", check.name, fault.escape_debug())?,
            }
        }
        let Some((seal, claim)) = self.seal.as_ref().zip(self.claim.as_ref()) else { return Ok(()) };
        if let Some(hash) = &self.frame_hash {
            writeln!(f, "frame    SHA-256 {}", hash.hex())?;
        }
        let policy = seal.policy_name.unwrap_or("unknown policy");
        writeln!(f, "seal     {}", seal.signer.escape_debug())?;
        writeln!(f, "         {policy} ({}), signing time {}", seal.policy, seal.signing_time)?;
        writeln!(f, "claim    {}", claim.signer.escape_debug())?;
        if let Some(capture) = &self.capture {
            writeln!(f, "capture  {}", capture.capture_id.as_str().escape_debug())?;
            writeln!(f, "         ingested at {}", capture.ingested_at.escape_debug())?;
            writeln!(f, "         recapture risk {:?}, position {:?}", capture.recapture_risk, capture.gps_result)?;
        }
        if let Some(browser) = &self.browser {
            write!(f, "browser  captured at {} ms", browser.captured_at_ms)?;
            writeln!(f, ", position {}, {} within {} m", browser.gps_lat, browser.gps_lon, browser.gps_accuracy)?;
            if let Some(label) = &browser.photo_label {
                writeln!(f, "         label \"{}\"", label.escape_debug())?;
            }
        }
        Ok(())
    }
}
