//! The types of [`lacre_license`] that cross to Kotlin, Swift and Python. The macros take the shapes from here.

pub use lacre_license::{
    CaptureResolution, DeviceIntegrity, Environment, IntegrityEnforcement, Permit, Policy, Reason, Risk,
};

/// The environment of a license.
#[uniffi::remote(Enum)]
pub enum Environment {
    /// Live.
    Production,
    /// Tests before production.
    Staging,
    /// Development.
    Sandbox,
}

/// What the SDK does on a compromised device.
#[uniffi::remote(Enum)]
pub enum IntegrityEnforcement {
    /// Blocks the capture.
    Block,
    /// Captures, and records the risk.
    Warn,
    /// Ignores the risk.
    Ignore,
}

/// The resolution to ask the camera for.
#[uniffi::remote(Enum)]
pub enum CaptureResolution {
    /// 1280x720.
    Sd,
    /// 1920x1080.
    Hd,
    /// 2560x1440.
    Fhd,
    /// The camera's own.
    Max,
}

/// What a license allows.
#[uniffi::remote(Record)]
pub struct Policy {
    /// The license's environment.
    pub environment: Environment,
    /// What to do on a compromised device.
    pub integrity_enforcement: IntegrityEnforcement,
    /// The resolution to ask the camera for.
    pub capture_resolution: CaptureResolution,
    /// Whether a proof needs a trusted timestamp.
    pub tsa_required: bool,
    /// The most photos of one session; absent is unlimited.
    pub max_captures_per_session: Option<u32>,
    /// Captures of this month when the policy was read. Informative: the device does not count.
    pub captures_used: u64,
    /// Captures a calendar month.
    pub volume_limit: u64,
    /// The end of the agreement, in RFC 3339. Informative: the service refuses an expired license.
    pub expires_at: String,
}

/// What the platform's own checks say of the device: of root or jailbreak, an emulator, hooks, a changed app.
#[uniffi::remote(Enum)]
pub enum DeviceIntegrity {
    /// No check found anything.
    Intact,
    /// A check found something.
    Compromised,
}

/// What is recorded of a capture that proceeds all the same. The platform keeps it with the photo.
#[uniffi::remote(Enum)]
pub enum Risk {
    /// The device was compromised when the capture began, or when it ended.
    CompromisedDevice,
}

/// How a capture may go on.
#[uniffi::remote(Record)]
pub struct Permit {
    /// Under this policy.
    pub policy: Policy,
    /// What the policy wants recorded of the capture so far.
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
    /// The month's captures are used up.
    VolumeExceeded,
    /// The client is suspended.
    ClientSuspended,
    /// A reason that this version does not know, or none.
    Other,
}
