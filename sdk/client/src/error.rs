//! The errors of the SDKs.

use lacre_license::{Denial, Reason};

/// Why a capture must not go on, or why a call is not allowed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
#[uniffi::export(Display)]
pub enum LicenseError {
    /// `LICENSE_NETWORK_ERROR`: the network failed, and no earlier validation may be used instead.
    #[error("LICENSE_NETWORK_ERROR: the licensing service was not reached")]
    NetworkError,
    /// `LICENSE_VALIDATION_UNAVAILABLE`: the service responded without a verdict.
    #[error("LICENSE_VALIDATION_UNAVAILABLE: the licensing service gave no verdict")]
    ValidationUnavailable,
    /// `LICENSE_POLICY_CHANGED_DURING_CAPTURE`: the policy changed after the capture began. Another capture may begin.
    #[error("LICENSE_POLICY_CHANGED_DURING_CAPTURE: the policy changed during the capture; repeat it")]
    PolicyChangedDuringCapture,
    /// `LICENSE_INVALID`: the service refused the license.
    #[error("LICENSE_INVALID: {}", .reason.as_str())]
    Invalid {
        /// The service's reason.
        reason: Reason,
    },
    /// `LICENSE_DEVICE_COMPROMISED`: the device is compromised, and the policy's `integrity_enforcement` is `BLOCK`.
    #[error("LICENSE_DEVICE_COMPROMISED: the policy allows no capture on a compromised device")]
    DeviceCompromised,
    /// `LICENSE_NOT_CONFIGURED`: no `configure` succeeded since the start or since the last `reset`.
    #[error("LICENSE_NOT_CONFIGURED: call configure first")]
    NotConfigured,
    /// `LICENSE_RESET_REQUIRED`: another key, URL or app is already configured.
    #[error("LICENSE_RESET_REQUIRED: call reset before configure with other settings")]
    ResetRequired,
    /// `LICENSE_NO_CAPTURE`: no capture is open.
    #[error("LICENSE_NO_CAPTURE: call beginCapture first")]
    NoCapture,
    /// `LICENSE_BUSY`: another call is still waiting for its decision.
    #[error("LICENSE_BUSY: another call is not decided yet")]
    Busy,
    /// `LICENSE_WEAK_RECORD_KEY`: the record key has fewer than 32 bytes.
    #[error("LICENSE_WEAK_RECORD_KEY: the record key needs 32 bytes")]
    WeakRecordKey,
}

#[uniffi::export]
impl LicenseError {
    /// The error code, such as `LICENSE_INVALID`.
    pub fn code(&self) -> String {
        let code = match self {
            Self::NetworkError => Denial::NetworkError.code(),
            Self::ValidationUnavailable => Denial::ValidationUnavailable.code(),
            Self::PolicyChangedDuringCapture => Denial::PolicyChangedDuringCapture.code(),
            Self::Invalid { reason } => Denial::Invalid(*reason).code(),
            Self::DeviceCompromised => Denial::DeviceCompromised.code(),
            Self::NotConfigured => Denial::NotConfigured.code(),
            Self::ResetRequired => Denial::ResetRequired.code(),
            Self::NoCapture => Denial::NoCapture.code(),
            Self::Busy => Denial::Busy.code(),
            Self::WeakRecordKey => "LICENSE_WEAK_RECORD_KEY",
        };
        code.into()
    }
}

impl From<Denial> for LicenseError {
    fn from(refusal: Denial) -> Self {
        match refusal {
            Denial::NetworkError => Self::NetworkError,
            Denial::ValidationUnavailable => Self::ValidationUnavailable,
            Denial::PolicyChangedDuringCapture => Self::PolicyChangedDuringCapture,
            Denial::Invalid(reason) => Self::Invalid { reason },
            Denial::DeviceCompromised => Self::DeviceCompromised,
            Denial::NotConfigured => Self::NotConfigured,
            Denial::ResetRequired => Self::ResetRequired,
            Denial::NoCapture => Self::NoCapture,
            Denial::Busy => Self::Busy,
        }
    }
}
