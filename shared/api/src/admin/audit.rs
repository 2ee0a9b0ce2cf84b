//! The audit log.

use serde::{Deserialize, Serialize};

use super::{ClientId, Cursor, Id, LimitText};
use crate::{Time, values::words};

words! {
    /// How an operator reaches the service.
    Via {
        /// The admin API.
        Api = "api",
        /// `lacre-admin`.
        CommandLine = "command_line",
    }

    /// How an operation ended. Only what is done changed something.
    AuditOutcome {
        /// It was carried out; one of several steps was begun.
        Done = "done",
        /// It was refused. Nothing was changed.
        Refused = "refused",
        /// AWS failed. Nothing was changed.
        Failed = "failed",
    }

    /// What operators do. Reading is not among it.
    Operation {
        /// A client is created.
        CreateClient = "client.create",
        /// A client is suspended.
        SuspendClient = "client.suspend",
        /// A client is resumed.
        ResumeClient = "client.resume",
        /// An API key is issued.
        IssueApiKey = "api_key.issue",
        /// An API key is revoked.
        RevokeApiKey = "api_key.revoke",
        /// A license is issued.
        IssueLicense = "license.issue",
        /// Terms of a license are changed.
        ConfigureLicense = "license.configure",
        /// A license gets a new key.
        RotateLicenseKey = "license.rotate",
        /// A license is revoked.
        RevokeLicense = "license.revoke",
        /// A license becomes the one of hosted sessions.
        HostLicense = "license.host",
        /// A count of captures is replaced.
        RecountLicense = "license.recount",
        /// The first webhook secret is issued.
        IssueWebhookSecret = "webhook_secret.issue",
        /// Another webhook secret is issued.
        RotateWebhookSecret = "webhook_secret.rotate",
        /// A webhook secret ends.
        RevokeWebhookSecret = "webhook_secret.revoke",
        /// Another attempt at a webhook is asked for.
        RedeliverWebhook = "webhook.redeliver",
        /// An alert is acknowledged.
        AcknowledgeAlert = "alert.acknowledge",
        /// A seal key is imported.
        ImportSeal = "signer.import_a1",
        /// A claim certificate is installed.
        InstallClaimCertificate = "signer.install_claim_certificate",
        /// Timestamp authorities are set.
        SetTimestamps = "signer.timestamps",
        /// A draft of a signer profile comes into force.
        ActivateSigner = "signer.activate",
        /// An earlier version of a signer profile comes into force again.
        RevertSigner = "signer.revert",
        /// A draft of a signer profile is emptied.
        DiscardSigner = "signer.discard",
        /// A capture is withheld.
        WithholdCapture = "evidence.withhold",
        /// A capture is released.
        ReleaseCapture = "evidence.release",
        /// A capture is erased.
        EraseCapture = "evidence.erase",
        /// Evidence is restored.
        RestoreEvidence = "evidence.restore",
        /// Objects that no record names are removed.
        ReconcileObjects = "evidence.reconcile",
        /// Captures get the leaves that the transparency log lacks.
        RestoreLog = "log.restore",
    }
}

/// Which entries are listed: those of a month, or those about a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AuditParameters {
    /// Only entries about this client, in all months. No month may stand beside it.
    pub client: Option<ClientId>,
    /// Only entries of this month. The default is the current one.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<super::Month>"))]
    pub month: Option<String>,
    /// Most entries of the page.
    pub limit: Option<LimitText>,
    /// The `next` of the page before, of the same list.
    pub cursor: Option<Cursor>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "AuditEntry", deny_unknown_fields))]
pub struct AuditView {
    /// The request: its `idempotency-key`, where it named one.
    pub id: Id,
    /// The service's time.
    pub at: Time,
    /// What was done.
    pub operation: Operation,
    /// How it ended.
    pub outcome: AuditOutcome,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
    /// How the operator reached the service.
    pub via: Via,
    /// From where: an IP address, or the name of a machine.
    pub source: String,
    /// The client that it concerns.
    pub client_id: Option<ClientId>,
    /// The id of the license, key, message, capture or environment that it concerns.
    pub subject: Option<String>,
    /// The values that were set, or why it was refused.
    pub detail: Option<String>,
}
