//! The API as code: what clients send and receive, and every refusal.
//!
//! Each type is the body of a request or response, or a value in one, and its doc comments are the documentation for
//! clients. Functions respond with these types, the canary sends and parses them, and the documents in `openapi/` are
//! generated from them (feature `openapi`). `domain` decides about requests.

pub mod admin;
pub mod capture;
pub mod dossier;
mod environment;
pub mod evidence;
pub mod headers;
pub mod kit;
pub mod license;
pub mod limits;
#[cfg(feature = "openapi")]
pub mod openapi;
mod refusal;
pub mod resolution;
mod route;
pub mod sender;
pub mod session;
pub mod terms;
pub mod values;
pub mod webhook;

pub use capture::{
    IngestRequest, IngestedManifest, IngestedPhoto, OptionalClaims, RecaptureRisk, Receipt, RenewedImage,
};
pub use environment::Environment;
pub use evidence::{EvidenceBundle, EvidenceFiles, RenewedDays};
pub use license::{
    CaptureResolution, IntegrityEnforcement, InvalidLicense, LicensePolicy, LicenseVerdict, Reason, ValidateRequest,
    ValidateSessionRequest,
};
pub use refusal::{Refusal, RefusalBody};
pub use route::{Address, Route};
pub use sender::Sender;
pub use session::{
    AskedPhoto, AskedState, CapturedPhoto, CreateHostedSession, CreateSession, CreatedSession, CustodyState, Framing,
    Introduction, KitVersionText, LoadedSession, NextPhoto, PhotoStatus, Profile, ProfileText, RequestedStep,
    SessionPhoto, SessionProgress, SessionResults, SessionStatus, SkipRequest,
};
pub use terms::{FingerprintMode, GpsMode, LicenseTerms, NamedTerms, RecaptureGate, StoreAssetPolicy, Term};
pub use values::{Day, LicenseKeyText, NonceText, Reference, Sha256Hex, Time, Url, Uuid};
pub use webhook::{AnnouncedPhoto, SessionCaptured};
