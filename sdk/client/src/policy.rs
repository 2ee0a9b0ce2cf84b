//! The types of [`lacre_license`] that are exported to Kotlin, Swift and Python. The UniFFI macros need their
//! definitions repeated here.

pub use lacre_license::{
    CaptureResolution, DeviceIntegrity, Environment, IntegrityEnforcement, Permit, Policy, Reason, Risk,
};

/// The environment of a license.
#[uniffi::remote(Enum)]
pub enum Environment {
    /// Production.
    Production,
    /// Staging: tests before production.
    Staging,
    /// Sandbox: development.
    Sandbox,
}

/// How the SDK treats a compromised device.
#[uniffi::remote(Enum)]
pub enum IntegrityEnforcement {
    /// The capture is blocked.
    Block,
    /// The capture proceeds, and the risk is recorded.
    Warn,
    /// The risk is ignored.
    Ignore,
}

/// The resolution to request from the camera.
#[uniffi::remote(Enum)]
pub enum CaptureResolution {
    /// 1280x720.
    Sd,
    /// 1920x1080.
    Hd,
    /// 2560x1440.
    Fhd,
    /// The camera's maximum.
    Max,
}

/// The policy of a valid license.
#[uniffi::remote(Record)]
pub struct Policy {
    /// The environment of the license.
    pub environment: Environment,
    /// How to treat a compromised device.
    pub integrity_enforcement: IntegrityEnforcement,
    /// The resolution to request from the camera.
    pub capture_resolution: CaptureResolution,
    /// Whether a capture requires a trusted timestamp.
    pub tsa_required: bool,
    /// Maximum number of photos of one session; absent if unlimited.
    pub max_captures_per_session: Option<u32>,
    /// Captures of this month when the policy was read. Informative: the device does not count captures.
    pub captures_used: u64,
    /// Maximum captures per calendar month.
    pub volume_limit: u64,
    /// When the agreement ends, in RFC 3339. Informative: the service refuses an expired license.
    pub expires_at: String,
}

/// The result of the platform's own checks of the device: for root or jailbreak, an emulator, hooks, or a modified app.
#[uniffi::remote(Enum)]
pub enum DeviceIntegrity {
    /// No check found anything.
    Intact,
    /// A check found something.
    Compromised,
}

/// A risk of a capture that proceeds nevertheless. The platform has to keep it with the photo.
#[uniffi::remote(Enum)]
pub enum Risk {
    /// The device was compromised when the capture began, or when it ended.
    CompromisedDevice,
}

/// The permission to go on with a capture.
#[uniffi::remote(Record)]
pub struct Permit {
    /// The policy that applies.
    pub policy: Policy,
    /// The risk of the capture so far, if the policy requires recording it.
    pub risk: Option<Risk>,
}

/// Why the service refuses a license.
#[uniffi::remote(Enum)]
pub enum Reason {
    /// The key is unknown, malformed or was replaced.
    InvalidKey,
    /// The license was revoked.
    Revoked,
    /// The agreement has ended.
    Expired,
    /// The captures of the month have reached the volume limit.
    VolumeExceeded,
    /// The client is suspended.
    ClientSuspended,
    /// A reason that this version does not know, or a missing reason.
    Other,
}
