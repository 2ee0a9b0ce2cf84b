//! The errors of the SDKs.

use lacre_license::{Reason, Refusal};

/// Why a capture may not go on, or why the call is out of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
#[uniffi::export(Display)]
pub enum LicenseError {
    /// `LICENSE_NETWORK_ERROR`: the network failed, and no earlier validation is used in its place.
    #[error("LICENSE_NETWORK_ERROR: the licensing service was not reached")]
    NetworkError,
    /// `LICENSE_VALIDATION_UNAVAILABLE`: the service answered without a verdict.
    #[error("LICENSE_VALIDATION_UNAVAILABLE: the licensing service gave no verdict")]
    ValidationUnavailable,
    /// `LICENSE_POLICY_CHANGED_DURING_CAPTURE`: the capture began under another policy. Another capture may begin.
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
    /// `LICENSE_RESET_REQUIRED`: another key, URL or app is configured.
    #[error("LICENSE_RESET_REQUIRED: call reset before configure with other settings")]
    ResetRequired,
    /// `LICENSE_NO_CAPTURE`: no capture is open.
    #[error("LICENSE_NO_CAPTURE: call beginCapture first")]
    NoCapture,
    /// `LICENSE_BUSY`: another call is not decided yet.
    #[error("LICENSE_BUSY: another call is not decided yet")]
    Busy,
    /// `LICENSE_WEAK_RECORD_KEY`: the record key has fewer than 32 bytes.
    #[error("LICENSE_WEAK_RECORD_KEY: the record key needs 32 bytes")]
    WeakRecordKey,
}

#[uniffi::export]
impl LicenseError {
    /// The error code, as `LICENSE_INVALID`.
    pub fn code(&self) -> String {
        let code = match self {
            Self::NetworkError => Refusal::NetworkError.code(),
            Self::ValidationUnavailable => Refusal::ValidationUnavailable.code(),
            Self::PolicyChangedDuringCapture => Refusal::PolicyChangedDuringCapture.code(),
            Self::Invalid { reason } => Refusal::Invalid(*reason).code(),
            Self::DeviceCompromised => Refusal::DeviceCompromised.code(),
            Self::NotConfigured => Refusal::NotConfigured.code(),
            Self::ResetRequired => Refusal::ResetRequired.code(),
            Self::NoCapture => Refusal::NoCapture.code(),
            Self::Busy => Refusal::Busy.code(),
            Self::WeakRecordKey => "LICENSE_WEAK_RECORD_KEY",
        };
        code.into()
    }
}

impl From<Refusal> for LicenseError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NetworkError => Self::NetworkError,
            Refusal::ValidationUnavailable => Self::ValidationUnavailable,
            Refusal::PolicyChangedDuringCapture => Self::PolicyChangedDuringCapture,
            Refusal::Invalid(reason) => Self::Invalid { reason },
            Refusal::DeviceCompromised => Self::DeviceCompromised,
            Refusal::NotConfigured => Self::NotConfigured,
            Refusal::ResetRequired => Self::ResetRequired,
            Refusal::NoCapture => Self::NoCapture,
            Refusal::Busy => Self::Busy,
        }
    }
}
