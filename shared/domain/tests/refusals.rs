//! The refusals and the tables of `docs/api.md` say the same.

use std::collections::BTreeSet;

use domain::Refusal::{self, *};

const ALL: &[Refusal] = &[
    CreatePayloadInvalid,
    LicenseKeyMalformed,
    ReferenceIdInvalid,
    ApiKeyInvalid,
    ApiKeyRevoked,
    ApiKeyWrongPrefix,
    LicenseNotOwned,
    LicenseEnvironmentMismatch,
    CreationLimitReached { retry_after: 1 },
    ApiKeyInconsistent,
    LicenseInconsistent,
    UpstreamUnavailable,
    SessionCorrupt,
    OriginNotAllowed,
    OriginAllowlistEmpty,
    LicenseMissing,
    LicenseInvalid,
    AccessNotValidated,
    SessionNotFound,
    SessionUsedOrExpired,
    LoadLimitReached,
    PresignUnavailable,
    PayloadInvalid,
    LivenessStatic,
    LivenessInsufficient,
    LivenessMalformed,
    LivenessTooMany,
    LabelInvalid,
    LocationInvalid,
    ImageInvalid,
    PhotoOrderMismatch,
    LicenseRefused,
    OriginSessionMismatch,
    ClockOutOfSync,
    NonceMissing,
    NonceMalformed,
    NonceReplay,
    ImageNotFound,
    SessionAlreadyUsed,
    Duplicate,
    SessionExpired,
    AssetTooLarge { bytes: 5_000_000, max_asset_bytes: 4_194_304 },
    RecaptureDetected,
    LocationNotValidated,
    SignerUnavailable,
    SignerRejected,
    SignerResponseInvalid,
    ProofStoreUnavailable,
    IngestPresignFailed,
    IngestPresignConfigFailed,
    HashStoreUnavailable,
    RawReadFailed,
    SignedPayloadTooLarge,
    LedgerClientIdUnauthoritative,
    LedgerWriteFailed,
    ResponseSerializationFailed,
    NonceStoreUnavailable,
    RawStoreUnavailable,
    CaptureNotFound,
    AssetNotRetained,
];

/// Status, block reason, text.
type Row = (u16, String, String);

/// The rows of every table of errors. A row may name several block reasons; `(the same)` repeats the text above.
fn documented() -> BTreeSet<Row> {
    let page = include_str!("../../../docs/api.md");
    let mut rows = BTreeSet::new();
    let mut text = String::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", status, reasons, told, ..] = cells.as_slice() else { continue };
        let Ok(status) = status.parse::<u16>() else { continue };
        if *told != "(the same)" {
            text = (*told).to_owned();
        }
        for reason in reasons.split(", ") {
            rows.insert((status, reason.trim_matches('`').to_owned(), text.clone()));
        }
    }
    rows
}

#[test]
fn the_documented_tables_are_the_refusals() {
    let told = |refusal: &Refusal| {
        (refusal.status(), refusal.block_reason().unwrap_or_default().to_owned(), refusal.text("Lacre").into_owned())
    };
    let known: BTreeSet<Row> = ALL.iter().map(told).collect();
    let documented = documented();
    let only = |one: &BTreeSet<Row>, other: &BTreeSet<Row>| one.difference(other).cloned().collect::<Vec<_>>();
    assert_eq!(only(&documented, &known), [], "documented, but never said");
    assert_eq!(only(&known, &documented), [], "said, but not documented");
}
