//! Where AWS may fail a request, and the replies that `docs/reference/api.md` then allows.
//!
//! A strike is the injected fault; a fate is its effect: the SDK may have retried successfully, or the call may have
//! taken effect although it failed. A client cannot know which, so every fate of a strike is allowed.

use lacre_api::Refusal::{self, *};

/// A call to AWS by its purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    ReadKeys,
    CountCreation,
    StoreSession,
    ReadSession,
    ReadLicense,
    CountLoad,
    StoreNonce,
    OpenSession,
    ReadIngestLicense,
    SpendNonce,
    ReadUpload,
    Reserve,
    SignSeal,
    SignClaim,
    StoreProof,
    MarkSigned,
    Commit,
}

/// The calls of a creation.
pub(crate) const CREATE: &[Place] = &[Place::ReadKeys, Place::CountCreation, Place::StoreSession];
/// The calls of a load.
pub(crate) const LOAD: &[Place] = &[Place::ReadSession, Place::ReadLicense, Place::CountLoad, Place::StoreNonce];
/// The calls of an ingest.
pub(crate) const INGEST: &[Place] = &[
    Place::OpenSession,
    Place::ReadIngestLicense,
    Place::SpendNonce,
    Place::ReadUpload,
    Place::Reserve,
    Place::SignSeal,
    Place::SignClaim,
    Place::StoreProof,
    Place::MarkSigned,
    Place::Commit,
];

impl Place {
    /// The call's name at the fault proxies, and the replies that a client may get if it fails.
    #[rustfmt::skip]
    pub(crate) fn row(self) -> (&'static str, &'static [Refusal]) {
        match self {
            Self::ReadKeys => ("BatchGetItem accounts", &[UpstreamUnavailable]),
            Self::CountCreation => ("UpdateItem sessions creations", &[UpstreamUnavailable]),
            Self::StoreSession => ("PutItem sessions session", &[UpstreamUnavailable]),
            Self::ReadSession => ("GetItem sessions session", &[UpstreamUnavailable]),
            Self::ReadLicense => ("BatchGetItem accounts", &[UpstreamUnavailable]),
            Self::CountLoad => ("UpdateItem sessions loads", &[UpstreamUnavailable]),
            Self::StoreNonce => ("PutItem sessions nonce", &[UpstreamUnavailable]),
            Self::OpenSession => ("BatchGetItem sessions", &[NonceStoreUnavailable]),
            Self::ReadIngestLicense => ("BatchGetItem accounts", &[NonceStoreUnavailable]),
            Self::SpendNonce => ("UpdateItem sessions nonce", &[NonceStoreUnavailable]),
            Self::ReadUpload => ("GetObject uploads", &[RawStoreUnavailable, RawReadFailed, ImageInvalid]),
            Self::Reserve => ("PutItem frames", &[HashStoreUnavailable]),
            Self::SignSeal => ("Sign seal", &[SignerRejected, SignerUnavailable, SignerResponseInvalid]),
            Self::SignClaim => ("Sign claim", &[SignerUnavailable, SignerResponseInvalid]),
            Self::StoreProof => ("PutObject proofs", &[ProofStoreUnavailable]),
            Self::MarkSigned => ("UpdateItem frames", &[HashStoreUnavailable]),
            Self::Commit => ("TransactWriteItems", &[LedgerWriteFailed]),
        }
    }
}

/// Calls that clean up after a failure or determine its outcome. They affect a response only if the outcome is
/// otherwise unknown.
pub(crate) const AFTERMATH: [&str; 2] = ["DeleteItem frames", "GetItem evidence"];

/// What became of a request's calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fate {
    failed: Option<Failed>,
    /// Whether the clean-up failed too.
    leaves_behind: bool,
}

#[derive(Clone, Copy, Debug)]
struct Failed {
    place: Place,
    reply: Refusal,
    took_effect: bool,
}

impl Fate {
    /// All fates of a request with one failing call and possibly failing clean-up.
    pub(crate) fn all(place: Place, aftermath: bool) -> Vec<Self> {
        let failures = place
            .row()
            .1
            .iter()
            .flat_map(|&reply| [true, false].map(|took_effect| Some(Failed { place, reply, took_effect })));
        let failures: Vec<_> = failures.chain([None]).collect();
        // Counting a creation and reverting it are calls of one name. A load has no clean-up.
        let aftermath = aftermath && INGEST.contains(&place) || place == Place::CountCreation;
        let behind: &[bool] = if aftermath { &[false, true] } else { &[false] };
        behind
            .iter()
            .flat_map(|&leaves_behind| failures.iter().map(move |&failed| Self { failed, leaves_behind }))
            .collect()
    }

    /// Whether a call fails.
    pub(crate) fn fails(&self, place: Place) -> bool {
        self.may_fail(place).is_err()
    }

    /// The refusal if a call fails.
    pub(crate) fn may_fail(&self, place: Place) -> Result<(), Refusal> {
        match self.failed {
            Some(failed) if failed.place == place => Err(failed.reply),
            _ => Ok(()),
        }
    }

    /// Whether a call takes effect, even if it failed.
    pub(crate) fn takes_effect(&self, place: Place) -> bool {
        self.failed.is_none_or(|failed| failed.place != place || failed.took_effect)
    }

    /// Whether the clean-up fails, so that reservations stay and outcomes remain unknown.
    pub(crate) fn leaves_behind(&self) -> bool {
        self.leaves_behind
    }
}
