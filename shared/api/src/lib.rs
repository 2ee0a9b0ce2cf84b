//! The interface of the service as code: what a client sends and receives, and every refusal.
//!
//! A type here is the body of a request or of a response, or a value in one; a doc comment is its documentation.
//! Functions respond with these types, the canary sends and reads them, and the documents in `openapi/` are generated from
//! them (feature `openapi`). How a request is judged is the task of `domain`.

pub mod admin;
pub mod capture;
mod environment;
pub mod headers;
pub mod license;
pub mod limits;
#[cfg(feature = "openapi")]
pub mod openapi;
mod refusal;
mod route;
pub mod session;
pub mod terms;
pub mod values;
pub mod webhook;

pub use capture::{IngestRequest, IngestedPhoto, OptionalClaims, RecaptureRisk, RenewedImage};
pub use environment::Environment;
pub use license::{
    CaptureResolution, IntegrityEnforcement, InvalidLicense, LicensePolicy, LicenseVerdict, Reason, ValidateRequest,
    ValidateSessionRequest,
};
pub use refusal::{Refusal, RefusalBody};
pub use route::{Address, Route};
pub use session::{
    CapturedPhoto, CreateHostedSession, CreateSession, CreatedSession, CustodyState, Framing, LoadedSession,
    PhotoStatus, Profile, SessionPhoto, SessionProgress, SessionResults, SessionStatus,
};
pub use terms::{GpsMode, LicenseTerms, NamedTerms, RecaptureGate, StoreAssetPolicy, Term};
pub use values::{LicenseKeyText, NonceText, Reference, Sha256Hex, Time, Url, Uuid};
pub use webhook::{AnnouncedPhoto, SessionCaptured};
