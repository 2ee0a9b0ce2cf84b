//! The rules of a capture: keys, licenses, sessions, captures, kits, senders, browsers, origins, liveness, location.
//!
//! All functions map values to decisions. This crate does no I/O, does not depend on AWS or HTTP, and neither reads a
//! clock nor generates randomness: time and entropy are arguments. Types that requests are parsed into (`ApiKey`,
//! `Origin`, `Label`, …) cannot hold an invalid value. Secrets have no `Display`, and `Debug` redacts them.

pub mod account;
pub mod address;
pub mod alert;
pub mod audit;
pub mod browser;
pub mod capture;
pub mod claims;
pub mod clock;
pub mod custody;
mod document;
mod exact;
pub mod fingerprint;
pub mod frame;
pub mod hosted;
pub mod hosting;
pub mod keys;
pub mod kit;
pub mod label;
pub mod license;
pub mod limits;
pub mod liveness;
pub mod nonce;
pub mod origin;
pub mod personal;
pub mod position;
pub mod reference_id;
pub mod refused;
pub mod sender;
pub mod session;
pub mod sha256;
pub mod signer;
pub mod terms;
mod text;
pub mod token;
pub mod user_agent;
pub mod verdict;
pub mod web_url;
pub mod webhook;
pub mod webhook_secret;

pub use account::{ApiKeyIssue, ApiKeyRecord};
pub use alert::Alert;
pub use audit::{AuditEntry, Operator, RequestId};
pub use capture::{CaptureId, EvidenceRecord, RecaptureScores, WaitingLeaf};
pub use claims::{BrowserClaims, StreamSettings};
pub use clock::Clock;
pub use custody::{Custody, CustodyAct, CustodyFault, Erasure, Reason, Renewal};
pub use exact::ExactTime;
pub use fingerprint::Fingerprint;
pub use frame::FrameHash;
pub use hosted::{HostedFlow, HostedLicense};
pub use hosting::{KitRecord, KitState, SenderRecord};
pub use keys::{ApiKey, KeyHash, KeyId, LicenseKey};
pub use kit::{AskedFor, Kit, KitVersion, SessionKit, WantedKit};
pub use label::Label;
pub use lacre_api::admin::{
    AlertKind, AttemptState, AuditOutcome, Client, ClientId, ClientStatus, DeliveryResult, GpsResult, KeyStatus,
    LicenseId, LicenseStatus, MalformedId, Operation, Via, WebhookSecretId,
};
pub use lacre_api::terms::{Kind, Moment, Term};
pub use lacre_api::{
    CaptureResolution, CustodyState, Environment, FingerprintMode, GpsMode, IntegrityEnforcement, NamedTerms, Profile,
    RecaptureGate, RecaptureRisk, SessionStatus, StoreAssetPolicy,
};
pub use license::{License, LicenseFault, LicenseIssue, LicenseKeyRecord};
pub use liveness::ExtraFrames;
pub use nonce::{IssuedNonce, Nonce};
pub use origin::{Origin, OriginPattern};
pub use personal::{Commitments, LogSalt, PersonalData, PersonalItem, Salt};
pub use position::Position;
pub use reference_id::ReferenceId;
pub use refused::RefusedPhoto;
pub use sender::Sender;
pub use session::{ExpectedPhoto, LoggedCapture, PhotoCapture, Session, SessionStep};
pub use sha256::Sha256Digest;
pub use signer::{ClaimSigner, SealSigner, SignError, SignaturePolicy, SignerDraft, SignerProfile, Timestamping};
pub use terms::{LicenseTerms, TermsFault};
pub use token::{SessionId, SessionToken};
pub use user_agent::UserAgent;
pub use web_url::{WebUrl, is_local_name};
pub use webhook::{Attempt, MessageId, Outcome};
pub use webhook_secret::{WebhookSecret, WebhookSecretRecord};
