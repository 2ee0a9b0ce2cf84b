//! Where AWS may fail a request, and which replies `docs/reference/api.md` allows there.
//!
//! A strike is what the test does; a fate is what came of it: the SDK may have tried again and got through, the call may
//! have taken effect although it failed. A client cannot know, so every fate of a strike is allowed.

use lacre_api::Refusal::{self, *};

/// A call to AWS, by what it is for.
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
    /// The call's name at the doors, and the replies that a client may get when it fails.
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

/// The calls that clean up behind a failure, or find out how one ended. No answer depends on them but where nothing else
/// can know.
pub(crate) const AFTERMATH: [&str; 2] = ["DeleteItem frames", "GetItem evidence"];

/// What became of a request's calls to AWS.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fate {
    failed: Option<Failed>,
    /// The calls of the aftermath failed too.
    leaves_behind: bool,
}

#[derive(Clone, Copy, Debug)]
struct Failed {
    place: Place,
    reply: Refusal,
    took_effect: bool,
}

impl Fate {
    /// Every outcome of a request of which one call fails, and perhaps what follows.
    pub(crate) fn all(place: Place, aftermath: bool) -> Vec<Self> {
        let failures = place
            .row()
            .1
            .iter()
            .flat_map(|&reply| [true, false].map(|took_effect| Some(Failed { place, reply, took_effect })));
        let failures: Vec<_> = failures.chain([None]).collect();
        // The count of a creation and its taking back are calls of one name; a load has no aftermath.
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

    /// The reply when a call fails.
    pub(crate) fn may_fail(&self, place: Place) -> Result<(), Refusal> {
        match self.failed {
            Some(failed) if failed.place == place => Err(failed.reply),
            _ => Ok(()),
        }
    }

    /// Whether a call takes effect, failed or not.
    pub(crate) fn takes_effect(&self, place: Place) -> bool {
        self.failed.is_none_or(|failed| failed.place != place || failed.took_effect)
    }

    /// Whether what is to be cleaned up stays, and what is to be found out stays unknown.
    pub(crate) fn leaves_behind(&self) -> bool {
        self.leaves_behind
    }
}
