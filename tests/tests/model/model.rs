//! A small model of `docs/reference/api.md`: the service's state and its replies. It has no I/O, and shares only the
//! names of refusals with the service's code.
//!
//! Each function makes the checks of a route in their documented order (`docs/reference/api.md#order-of-checks`). Where
//! AWS may fail, it consults the request's [`Fate`]; the default fate has no failures.

use std::collections::BTreeMap;

use lacre_api::Refusal;
use time::{Duration, OffsetDateTime};

use crate::{
    call::{Call, Frame, Id, Ingest, Page},
    fate::{Fate, Place},
};

/// The client that owns each license.
pub(crate) const OWNERS: [usize; 3] = [0, 0, 1];
/// Whether each license retains its photos.
pub(crate) const RETAINS: [bool; 3] = [false, true, true];
/// Monthly volume of each license. The sandbox counts captures but has no limit.
pub(crate) const VOLUME_LIMIT: u64 = 2;

/// Validity of a session, in minutes.
const VALIDITY: i64 = 30;
const RETENTION: i64 = 24 * 60;
const RESERVATION: i64 = 10;
const CLOCK_TOLERANCE: i64 = 2;

const LOADS_PER_SESSION: usize = 20;
const CREATIONS_PER_HOUR: usize = 100;

/// A reply without the values that only the service can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The reply to time and operators' actions.
    Done,
    Created,
    Loaded,
    Uploaded,
    Captured {
        retained: bool,
    },
    Results {
        status: &'static str,
        photo: Option<Photo>,
        /// Whether the capture is withheld, so that its URLs are not renewed.
        withheld: bool,
    },
    Renewed,
    Valid {
        captures_used: u64,
    },
    Invalid {
        reason: &'static str,
    },
    Refused(Refusal),
}

/// A captured photo: its ingest, and whether it is retained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Photo {
    pub(crate) ingest: Id,
    pub(crate) retained: bool,
}

/// The state of the service. Times are in minutes since the start.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Model {
    start: OffsetDateTime,
    sandbox: bool,
    pub(crate) now: i64,
    suspended: [bool; 2],
    licenses: [License; 3],
    /// Successful creations by client and hour.
    creations: BTreeMap<(usize, i64), usize>,
    sessions: BTreeMap<Id, Session>,
    /// Nonces and image keys, by load.
    loads: BTreeMap<Id, Load>,
    /// Registered frames with the end of their reservation; `None` is permanent.
    taken: BTreeMap<Registered, Option<i64>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct License {
    revoked: bool,
    /// Index of the key in force.
    last_key: usize,
    captures: BTreeMap<(i32, u8), u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Session {
    license: usize,
    created: i64,
    loads: usize,
    photo: Option<Photo>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Load {
    session: Id,
    page: Page,
    at: i64,
    spent: bool,
    uploaded: Option<Frame>,
}

/// A frame in its registry, which is per environment, and in the sandbox per client.
type Registered = (Option<usize>, Frame);

impl Model {
    pub(crate) fn new(sandbox: bool, start: OffsetDateTime) -> Self {
        Self {
            start,
            sandbox,
            now: 0,
            suspended: [false; 2],
            licenses: Default::default(),
            creations: BTreeMap::new(),
            sessions: BTreeMap::new(),
            loads: BTreeMap::new(),
            taken: BTreeMap::new(),
        }
    }

    /// Executes a call; returns the reply.
    pub(crate) fn step(&mut self, call: &Call, fate: &Fate) -> Reply {
        let outcome = match *call {
            Call::Create { session, client, license, key } => self.create(session, client, license, key, fate),
            Call::Load { load, session, page } => self.load(load, session, page, fate),
            Call::Upload { load, frame } => {
                self.loads.entry(load).and_modify(|load| load.uploaded = Some(frame));
                Ok(Reply::Uploaded)
            }
            Call::Ingest(ingest) => self.ingest(&ingest, fate),
            Call::Results { session } => self.results(session),
            Call::Image { session } => self.image(session),
            Call::Validate { license, key, page } => Ok(self.validate(license, key, page)),
            Call::Wait { minutes } => {
                self.now += minutes;
                Ok(Reply::Done)
            }
            Call::Revoke { license } => {
                self.licenses[license].revoked = true;
                Ok(Reply::Done)
            }
            Call::Suspend { client, suspended } => {
                self.suspended[client] = suspended;
                Ok(Reply::Done)
            }
            Call::Rotate { license } => {
                self.licenses[license].last_key += 1;
                Ok(Reply::Done)
            }
        };
        outcome.unwrap_or_else(Reply::Refused)
    }

    fn create(&mut self, id: Id, client: usize, license: usize, key: usize, fate: &Fate) -> Result<Reply, Refusal> {
        fate.may_fail(Place::ReadKeys)?;
        check(!self.suspended[client], Refusal::ApiKeyRevoked)?;
        let License { revoked, last_key, .. } = self.licenses[license];
        check(OWNERS[license] == client && key == last_key && !revoked, Refusal::LicenseNotOwned)?;
        let time = self.time();
        let created = self.creations.entry((client, time.unix_timestamp().div_euclid(3600))).or_default();
        let counted = *created < CREATIONS_PER_HOUR;
        let fails = fate.fails(Place::CountCreation) || fate.fails(Place::StoreSession);
        // Only successful creations count, but reverting a count can fail too.
        *created += usize::from(counted && (!fails || fate.leaves_behind()));
        fate.may_fail(Place::CountCreation)?;
        let retry_after = 3600 - 60 * u32::from(time.minute());
        check(counted, Refusal::CreationLimitReached { retry_after })?;
        fate.may_fail(Place::StoreSession)?;
        self.sessions.insert(id, Session { license, created: self.now, loads: 0, photo: None });
        Ok(Reply::Created)
    }

    fn load(&mut self, id: Id, session: Id, page: Page, fate: &Fate) -> Result<Reply, Refusal> {
        fate.may_fail(Place::ReadSession)?;
        let found = self.kept(session).ok_or(Refusal::SessionNotFound)?;
        let loadable = found.photo.is_none() && self.now < found.created + VALIDITY;
        check(loadable, Refusal::SessionUsedOrExpired)?;
        let license = found.license;
        fate.may_fail(Place::ReadLicense)?;
        check(self.in_force(license), Refusal::LicenseInvalid)?;
        check(page != Page::Stranger, Refusal::OriginNotAllowed)?;
        let loads = &mut self.session(session).loads;
        let counted = *loads < LOADS_PER_SESSION;
        *loads += usize::from(counted && fate.takes_effect(Place::CountLoad));
        fate.may_fail(Place::CountLoad)?;
        check(counted, Refusal::LoadLimitReached)?;
        fate.may_fail(Place::StoreNonce)?;
        self.loads.insert(id, Load { session, page, at: self.now, spent: false, uploaded: None });
        Ok(Reply::Loaded)
    }

    fn ingest(&mut self, ingest: &Ingest, fate: &Fate) -> Result<Reply, Refusal> {
        fate.may_fail(Place::OpenSession)?;
        let session = self.kept(ingest.session).ok_or(Refusal::SessionNotFound)?;
        check(session.photo.is_none(), Refusal::SessionAlreadyUsed)?;
        check(self.now < session.created + VALIDITY, Refusal::SessionExpired)?;
        let license = session.license;
        fate.may_fail(Place::ReadIngestLicense)?;
        check(self.in_force(license), Refusal::LicenseRefused)?;
        check(ingest.page != Page::Stranger, Refusal::OriginNotAllowed)?;
        let load = self.loads.get(&ingest.load).ok_or(Refusal::NonceReplay)?;
        check(load.session == ingest.session && !load.spent, Refusal::NonceReplay)?;
        check(load.page == ingest.page, Refusal::OriginSessionMismatch)?;
        let in_sync = load.at - CLOCK_TOLERANCE..=self.now + CLOCK_TOLERANCE;
        check(in_sync.contains(&ingest.captured_at), Refusal::ClockOutOfSync)?;
        check(ingest.load == ingest.image, Refusal::ImageNotFound)?;
        let uploaded = load.uploaded;
        self.spend(ingest.load, fate)?;
        let read = fate.may_fail(Place::ReadUpload);
        if read.is_err() && read != Err(Refusal::ImageInvalid) {
            return read.map(|()| Reply::Done);
        }
        let uploaded = uploaded.ok_or(Refusal::ImageNotFound)?;

        let frame = self.registered(license, ingest.frame);
        let free = !self.is_taken(frame);
        let gates = match uploaded {
            _ if uploaded != ingest.frame || read.is_err() => Err(Refusal::ImageInvalid),
            Frame::Noise => Err(Refusal::ImageInvalid),
            Frame::Screen => Err(Refusal::RecaptureDetected),
            Frame::Photo(_) => Ok(()),
        };
        // The frame is reserved while the gates are checked; if they refuse it, it is released.
        if free && fate.takes_effect(Place::Reserve) && (gates.is_err() || fate.fails(Place::Reserve)) {
            self.give_back(frame, Some(self.now + RESERVATION), fate);
        }
        gates?;
        fate.may_fail(Place::Reserve)?;
        check(free, Refusal::Duplicate)?;
        self.prove(frame, fate)?;
        self.commit(license, ingest, fate)
    }

    /// A nonce works once, whatever the outcome of its ingest.
    fn spend(&mut self, load: Id, fate: &Fate) -> Result<(), Refusal> {
        let spent = fate.takes_effect(Place::SpendNonce);
        self.loads.entry(load).and_modify(|load| load.spent = spent);
        fate.may_fail(Place::SpendNonce)
    }

    /// Signs a frame and stores the proof. A frame that may have been signed stays reserved for a while; after the
    /// proof is stored, permanently.
    fn prove(&mut self, frame: Registered, fate: &Fate) -> Result<(), Refusal> {
        self.taken.insert(frame, Some(self.now + RESERVATION));
        match fate.may_fail(Place::SignSeal) {
            Err(Refusal::SignerRejected) => {
                self.give_back(frame, Some(self.now + RESERVATION), fate);
                return Err(Refusal::SignerRejected);
            }
            signed => signed?,
        }
        fate.may_fail(Place::SignClaim)?;
        let stored = fate.may_fail(Place::StoreProof).and(fate.may_fail(Place::MarkSigned));
        if stored.is_err() {
            let marked = fate.takes_effect(Place::MarkSigned);
            self.give_back(frame, if marked { None } else { Some(self.now + RESERVATION) }, fate);
        }
        stored?;
        self.taken.insert(frame, None);
        Ok(())
    }

    /// Evidence, conclusion and count are written atomically. If the response is lost, the evidence is read; if that
    /// fails too, the outcome is unknown.
    fn commit(&mut self, license: usize, ingest: &Ingest, fate: &Fate) -> Result<Reply, Refusal> {
        let photo = Photo { ingest: ingest.id, retained: RETAINS[license] };
        let written = fate.takes_effect(Place::Commit);
        if written {
            self.session(ingest.session).photo = Some(photo);
            *self.licenses[license].captures.entry(self.month()).or_default() += 1;
        }
        if !written || fate.leaves_behind() {
            fate.may_fail(Place::Commit)?;
        }
        Ok(Reply::Captured { retained: photo.retained })
    }

    fn results(&self, session: Id) -> Result<Reply, Refusal> {
        let found = self.kept(session).ok_or(Refusal::SessionNotFound)?;
        let status = match found.photo {
            Some(_) => "captured",
            None if self.now < found.created + VALIDITY => "pending",
            None => "expired",
        };
        Ok(Reply::Results { status, photo: found.photo, withheld: self.is_suspended(session) })
    }

    /// Captures stay, even after their sessions' records are removed.
    fn image(&self, session: Id) -> Result<Reply, Refusal> {
        let photo = self.photo(session).ok_or(Refusal::CaptureNotFound)?;
        check(photo.retained, Refusal::AssetNotRetained)?;
        check(!self.is_suspended(session), Refusal::AssetWithheld)?;
        Ok(Reply::Renewed)
    }

    /// Whether the client of a session is suspended.
    fn is_suspended(&self, session: Id) -> bool {
        self.sessions.get(&session).is_some_and(|found| self.suspended[OWNERS[found.license]])
    }

    fn validate(&self, license: usize, key: usize, page: Option<Page>) -> Reply {
        let License { revoked, last_key, .. } = self.licenses[license];
        let captures_used = self.captures_used(license);
        let reason = if key != last_key {
            "INVALID_KEY"
        } else if revoked {
            "REVOKED"
        } else if self.suspended[OWNERS[license]] {
            "CLIENT_SUSPENDED"
        } else if page == Some(Page::Stranger) {
            "ORIGIN_NOT_ALLOWED"
        } else if !self.sandbox && captures_used >= VOLUME_LIMIT {
            "VOLUME_EXCEEDED"
        } else {
            return Reply::Valid { captures_used };
        };
        Reply::Invalid { reason }
    }
}

/// Queries of other modules.
impl Model {
    /// The model's time, which the service's clock follows.
    pub(crate) fn time(&self) -> OffsetDateTime {
        self.start + Duration::minutes(self.now)
    }

    /// The captured photo of a session, if any.
    pub(crate) fn photo(&self, session: Id) -> Option<Photo> {
        self.sessions.get(&session).and_then(|session| session.photo)
    }

    /// Captures of this month under a license.
    pub(crate) fn captures_used(&self, license: usize) -> u64 {
        self.licenses[license].captures.get(&self.month()).copied().unwrap_or_default()
    }

    /// The frame registry of a session.
    pub(crate) fn registry(&self, session: Id) -> Option<usize> {
        self.sandbox.then_some(OWNERS[self.sessions[&session].license])
    }

    /// The model with the nonce of a load used.
    pub(crate) fn with_spent(mut self, load: Id) -> Self {
        self.loads.entry(load).and_modify(|load| load.spent = true);
        self
    }
}

impl Model {
    fn month(&self) -> (i32, u8) {
        (self.time().year(), u8::from(self.time().month()))
    }

    /// A session, unless its record was removed.
    fn kept(&self, session: Id) -> Option<&Session> {
        self.sessions.get(&session).filter(|session| self.now < session.created + VALIDITY + RETENTION)
    }

    fn session(&mut self, session: Id) -> &mut Session {
        self.sessions.get_mut(&session).unwrap()
    }

    fn in_force(&self, license: usize) -> bool {
        !self.licenses[license].revoked && !self.suspended[OWNERS[license]]
    }

    fn registered(&self, license: usize, frame: Frame) -> Registered {
        (self.sandbox.then_some(OWNERS[license]), frame)
    }

    fn is_taken(&self, frame: Registered) -> bool {
        self.taken.get(&frame).is_some_and(|until| until.is_none_or(|until| self.now < until))
    }

    /// Releases a frame, or leaves it reserved if that fails.
    fn give_back(&mut self, frame: Registered, until: Option<i64>, fate: &Fate) {
        if fate.leaves_behind() {
            self.taken.insert(frame, until);
        } else {
            self.taken.remove(&frame);
        }
    }
}

fn check(holds: bool, refusal: Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal) }
}
