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
        /// The API that finds the proof of a copy, and serves evidence. The principal is `api-key/` and the id of the client's key.
        ResolutionApi = "resolution_api",
    }

    /// How an operation ended. Only `done` means that something was changed.
    AuditOutcome {
        /// The operation was carried out. An operation of several steps was started.
        Done = "done",
        /// The operation was refused. Nothing was changed.
        Refused = "refused",
        /// A call to AWS failed. Nothing was changed.
        Failed = "failed",
    }

    /// The operations that change something, and lookups of copies and of evidence. Other reading is not recorded.
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
        /// A license is selected for hosted sessions.
        HostLicense = "license.host",
        /// A license's monthly count of captures is corrected.
        RecountLicense = "license.recount",
        /// The first webhook secret is issued.
        IssueWebhookSecret = "webhook_secret.issue",
        /// Another webhook secret is issued.
        RotateWebhookSecret = "webhook_secret.rotate",
        /// A webhook secret ends.
        RevokeWebhookSecret = "webhook_secret.revoke",
        /// Another attempt at a webhook is requested.
        RedeliverWebhook = "webhook.redeliver",
        /// A version of a kit is put.
        PutKit = "kit.put",
        /// A kit is retired.
        RetireKit = "kit.retire",
        /// The sender of hosted sessions is set.
        SetSender = "sender.set",
        /// An alert is acknowledged.
        AcknowledgeAlert = "alert.acknowledge",
        /// An ICP-Brasil A1 certificate and its key are imported for the seal.
        ImportSeal = "signer.import_a1",
        /// A claim certificate is installed.
        InstallClaimCertificate = "signer.install_claim_certificate",
        /// Timestamp authorities are set.
        SetTimestamps = "signer.timestamps",
        /// The draft of a signer profile comes into force.
        ActivateSigner = "signer.activate",
        /// An earlier version of a signer profile comes into force again.
        RevertSigner = "signer.revert",
        /// The draft of a signer profile is discarded.
        DiscardSigner = "signer.discard",
        /// A capture is withheld.
        WithholdCapture = "evidence.withhold",
        /// The withholding of a capture ends.
        ReleaseCapture = "evidence.release",
        /// A capture is erased.
        EraseCapture = "evidence.erase",
        /// What is recorded of the refused photos of a reference is erased.
        EraseRefused = "evidence.erase_refused",
        /// A copy of a photo is looked up.
        FindCopy = "evidence.find",
        /// A client gets the files that prove a capture for decades.
        GetEvidence = "evidence.get",
        /// Made a dossier.
        MakeDossier = "dossier.make",
        /// The index of fingerprints is compared with the captures and repaired.
        RepairIndex = "evidence.index",
        /// Evidence is restored.
        RestoreEvidence = "evidence.restore",
        /// Stored objects that no record refers to are removed.
        ReconcileObjects = "evidence.reconcile",
        /// Captures that are missing in the transparency log get their leaves.
        RestoreLog = "log.restore",
    }
}

/// The filter of a list of audit entries: those of a month, or those about a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AuditParameters {
    /// Only entries about this client, of all months. It cannot be combined with `month`.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<ClientId>"))]
    pub client: Option<String>,
    /// Only entries of this month. The default is the current one.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<super::Month>"))]
    pub month: Option<String>,
    /// Maximum number of entries on the page.
    pub limit: Option<LimitText>,
    /// The `next` of the previous page of the same list.
    pub cursor: Option<Cursor>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "AuditEntry", deny_unknown_fields))]
pub struct AuditView {
    /// The id of the request: its `idempotency-key`, if it sent one.
    pub id: Id,
    /// When the operation was carried out, by the service's clock.
    pub at: Time,
    /// The operation.
    pub operation: Operation,
    /// How the operation ended.
    pub outcome: AuditOutcome,
    /// The ARN of the operator's IAM principal; for a lookup `api-key/` and the id of the client's API key.
    pub principal: String,
    /// How the operator reached the service.
    pub via: Via,
    /// Where the request came from: an IP address, or the name of a machine.
    pub source: String,
    /// The client that the operation concerns.
    pub client_id: Option<ClientId>,
    /// The id of the license, key, message, capture or environment that the operation concerns.
    pub subject: Option<String>,
    /// The values that were set, or the reason for the refusal.
    pub detail: Option<String>,
}
