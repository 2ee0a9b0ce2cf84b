//! The effect of a compromised device on a capture.

use serde::Serialize;

use crate::{machine::Denial, policy::IntegrityEnforcement};

/// The result of the platform's own checks of the device: for root or jailbreak, an emulator, hooks, or a modified app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceIntegrity {
    /// No check found anything.
    Intact,
    /// A check found something.
    Compromised,
}

/// A risk of a capture that proceeds nevertheless. The platform has to keep it with the photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Risk {
    /// The device was compromised when the capture began, or when it ended.
    CompromisedDevice,
}

/// The risk to record for a capture under a policy, if any; an error if the policy blocks the capture.
pub(crate) fn enforce(enforcement: IntegrityEnforcement, integrity: DeviceIntegrity) -> Result<Option<Risk>, Denial> {
    match (integrity, enforcement) {
        (DeviceIntegrity::Intact, _) | (DeviceIntegrity::Compromised, IntegrityEnforcement::Ignore) => Ok(None),
        (DeviceIntegrity::Compromised, IntegrityEnforcement::Warn) => Ok(Some(Risk::CompromisedDevice)),
        (DeviceIntegrity::Compromised, IntegrityEnforcement::Block) => Err(Denial::DeviceCompromised),
    }
}
