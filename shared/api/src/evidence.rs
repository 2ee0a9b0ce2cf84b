//! What a client keeps of a capture besides the photo, so that its proof holds for decades: the bodies of
//! `{proofs_url}/evidence`.

use serde::{Deserialize, Serialize};

use crate::{Day, Url};

/// The files that prove a capture for decades, together with its photo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct EvidenceFiles {
    /// The day (UTC) of the checkpoint that the proof is under. Evidence records and bundles are the same for all
    /// captures with this day.
    pub day: Day,
    /// The transparency proof under that checkpoint, with the checkpoint's timestamp (C2SP `tlog-proof`): the text of the
    /// file `photo.tlog-proof`. A renewal does not change it.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = r"^c2sp\.org/tlog-proof@v1\n")))]
    pub transparency_proof: String,
    /// The evidence record of the timestamp and its renewals (RFC 4998, DER) in Base64: the file `photo.ers`. Each renewal
    /// makes another one.
    #[cfg_attr(feature = "openapi", schemars(extend("contentEncoding" = "base64")))]
    pub evidence_record: String,
    /// A second evidence record of the same checkpoint, with timestamps under another root: the file `photo-second.ers` in
    /// Base64. It is absent if neither the day nor a renewal has a second timestamp. Each of both records proves the capture
    /// alone.
    #[cfg_attr(feature = "openapi", schemars(extend("contentEncoding" = "base64")))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_evidence_record: Option<String>,
    /// The evidence bundles of the timestamps in the records, those of a record oldest first. That of the last timestamp
    /// usually follows within two days.
    pub bundles: Vec<EvidenceBundle>,
}

/// An evidence bundle: what is needed to judge a timestamp later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct EvidenceBundle {
    /// The name of the file.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = r"^[a-z]+-[0-9-]+(-second)?\.p7b$")))]
    pub name: String,
    /// The SHA-256 of the file, in hexadecimal. The file never changes.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub sha256: String,
    /// The URL of the file (CMS, DER), valid for 5 minutes.
    pub url: Url,
}

/// The days whose evidence was renewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct RenewedDays {
    /// The days, in order: each is the `day` of some captures. At most one for each day since the log began.
    pub days: Vec<Day>,
}
