//! The admin API: what operators send and receive. [`Route`] is the table of its routes, and [`Fault`] the table of its
//! errors.
//!
//! `lacre-admin` prints the same views, and the console reads them. `administration` carries out the requests.

mod account;
mod alert;
mod audit;
mod capture;
mod fault;
mod hosting;
mod license;
pub mod limits;
mod overview;
mod page;
mod probe;
mod route;
mod values;
mod webhook;

pub use account::{ApiKeyRequest, ApiKeyView, Client, ClientStatus, KeyStatus, NewApiKey, NewClient};
pub use alert::{AlertKind, AlertParameters, AlertState, AlertView};
pub use audit::{AuditOutcome, AuditParameters, AuditView, Operation, Via};
pub use capture::{ActView, AskedForView, CaptureParameters, CaptureView, CopyMatch, CopyMatches, GpsResult};
pub use fault::{CarriedOut, Fault, FaultBody, NOTHING_CHANGED, OUTCOME_UNKNOWN, UNREADABLE};
pub use hosting::{
    KitParameters, KitRequest, KitVersionParameters, KitVersionView, KitView, SenderRequest, SenderView,
};
pub use license::{
    HostedLicenseView, LicenseRequest, LicenseStatus, LicenseView, LicenseWithUsage, ListedLicense, NewLicense, Usage,
    UsageParameters,
};
pub use overview::{CapturesView, CertificateEnd, Count, Overview, Signer};
pub use page::{
    AlertPage, ApiKeyPage, AttemptPage, AuditPage, CapturePage, ClientPage, Cursor, HostedLicenses, KitPage,
    LicensePage, LimitText, MonthsText, Page, SearchParameters, UsageByMonth, WebhookSecrets,
};
#[cfg(feature = "openapi")]
pub use probe::ProbeParameters;
pub use probe::{ProbedSigners, SignerCheck, SignerPart};
pub use route::Route;
pub use values::{
    ClientId, Digest, Id, KeyIdText, KeySuffix, LicenseId, MalformedId, MessageIdText, Month, WebhookSecretId,
};
pub use webhook::{
    AttemptParameters, AttemptState, AttemptView, DeliveryResult, NewWebhookSecret, RevocationRequest, RotationRequest,
    WebhookSecretRequest, WebhookSecretState, WebhookSecretView,
};
