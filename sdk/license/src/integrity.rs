//! What a capture on a compromised device comes to.

use serde::Serialize;

use crate::{machine::Refusal, policy::IntegrityEnforcement};

/// What the platform's own checks say of the device: of root or jailbreak, an emulator, hooks, a changed app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceIntegrity {
    /// No check found anything.
    Intact,
    /// A check found something.
    Compromised,
}

/// What is recorded of a capture that proceeds all the same. The platform keeps it with the photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Risk {
    /// The device was compromised when the capture began, or when it ended.
    CompromisedDevice,
}

impl IntegrityEnforcement {
    /// The risk to record, if any.
    pub(crate) fn enforce(self, integrity: DeviceIntegrity) -> Result<Option<Risk>, Refusal> {
        match (integrity, self) {
            (DeviceIntegrity::Intact, _) | (DeviceIntegrity::Compromised, Self::Ignore) => Ok(None),
            (DeviceIntegrity::Compromised, Self::Warn) => Ok(Some(Risk::CompromisedDevice)),
            (DeviceIntegrity::Compromised, Self::Block) => Err(Refusal::DeviceCompromised),
        }
    }
}
