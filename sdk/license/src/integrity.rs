//! What a capture on a compromised device comes to.

use serde::Serialize;

use crate::{machine::Denial, policy::IntegrityEnforcement};

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

/// The risk to record of a capture under a policy, if any.
pub(crate) fn enforce(enforcement: IntegrityEnforcement, integrity: DeviceIntegrity) -> Result<Option<Risk>, Denial> {
    match (integrity, enforcement) {
        (DeviceIntegrity::Intact, _) | (DeviceIntegrity::Compromised, IntegrityEnforcement::Ignore) => Ok(None),
        (DeviceIntegrity::Compromised, IntegrityEnforcement::Warn) => Ok(Some(Risk::CompromisedDevice)),
        (DeviceIntegrity::Compromised, IntegrityEnforcement::Block) => Err(Denial::DeviceCompromised),
    }
}
