//! The service's access to AWS: DynamoDB tables and their items, S3 objects, KMS keys, secrets, and the SDK clients.
//!
//! A type that gives access to one table, bucket or service is called a *port*. Its methods take and return values of
//! `domain`; no AWS type is part of its interface. Every write is safe to repeat, both after a failure and after a
//! success whose response was lost: it carries the id of its attempt, and an attempt that finds its own id continues.

mod account_keys;
mod accounts;
mod alerts;
mod audit;
mod budgets;
mod calls;
mod captures;
mod config;
mod connection;
mod dossiers;
mod envelope;
mod error;
mod evidence;
mod export;
mod frames;
mod hosting;
mod item;
mod key_import;
mod log;
mod object_versions;
mod objects;
mod operator_keys;
mod outbox;
mod paging;
mod personal;
mod presign;
mod presigned_url;
mod principal;
mod prints;
mod protection;
mod refusals;
mod register;
mod search;
mod secret;
mod server_time;
mod sessions;
mod signer_profiles;
mod signing_keys;
mod staples;
mod streams;
mod tally;
mod topic;
mod trace;
mod transaction;
mod upload_issuer;
mod volume;
mod webhook_secrets;

pub use accounts::{Accounts, CreateKeys, LicenseAndSigner, LicenseUnusable, LicenseUse};
pub use alerts::Alerts;
pub use audit::{Audit, ChangeError, read_audit_entry};
pub use budgets::{DeadlineExceeded, TimeBudgets, until_deadline, within};
pub use calls::{RequestIds, for_request, request_ids};
pub use captures::{Captures, Commit, CommitOutcome, Commits};
pub use config::{Buckets, ClaimKeys, Config, ConfigError, PresignerConfig, Reads, Setting, StaticCredentials, Tables};
pub use connection::{Connection, http_client};
pub use dossiers::{DossierObjects, NotStored};
pub use envelope::{DataKey, Encrypted};
pub use error::{Error, ReadObjectError, SetupError};
pub use evidence::{Evidence, FoundRecord, Named, Next, Page, read_record};
pub use export::{Export, Exported, Inventory};
pub use frames::{Frames, Reservation};
pub use item::FORMAT as ITEM_FORMAT;
pub use key_import::WrappingKey;
pub use log::{
    Covered, DatedCheckpoint, EnvironmentLog, LogFiles, LogHead, LogLeaf, LogSigner, LogState, MalformedLine,
    Renewable, StoredRenewal, read_waiting_leaf,
};
pub use object_versions::ObjectVersions;
pub use objects::{ProofObjects, Uploads};
pub use operator_keys::{KeyDescription, OperatorKeys, RsaSize, SEAL_TAG};
pub use outbox::{AttemptKey, Outbox, OutboxItem};
pub use paging::{Listed, PageError, PageRequest};
pub use personal::{Holding, Personal, Renewals, read_personal_item};
pub use presign::{BundlePresigner, ProofPresigner, UPLOAD_CONTENT_TYPE};
pub use principal::caller;
pub use prints::{Candidates, Print, PrintEntry, Prints, PrintsSecret};
pub use protection::{BucketSettings, Protection};
pub use refusals::{Case, Refusals};
pub use register::{IssuedApiKey, IssuedLicense, Register};
pub use search::{CaptureSearch, HeldCapture};
pub use server_time::server_time;
pub use sessions::{Counted, OpenedSession, Sessions};
pub use signer_profiles::{PublicProfile, SignerProfiles, SignerState};
pub use signing_keys::{SignatureAlgorithm, SigningKeys, test_message};
pub use staples::Staples;
pub use streams::{Streamed, Streams};
pub use tally::{CapturesOf, Seen, Tally};
pub use topic::Topic;
pub use trace::Trace;
pub use upload_issuer::{IssueError, IssuedUpload, UploadIssuer};
pub use volume::{Volume, VolumeShards};
pub use webhook_secrets::WebhookSecrets;

/// Random bytes from the operating system.
#[must_use]
pub fn entropy<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // The system's random generator does not fail once it is initialized. Without it no secret can be generated, so the
    // process must not continue.
    #[allow(clippy::expect_used)]
    getrandom::fill(&mut bytes).expect("the system's random generator works");
    bytes
}

/// The id of one attempt at an operation: 128 random bits in hexadecimal.
#[must_use]
pub fn attempt_id() -> String {
    hex::encode(entropy::<16>())
}
