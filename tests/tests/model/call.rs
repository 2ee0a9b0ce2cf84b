//! One request, or one act of an operator, with everything decided: what both the service and the model do.

/// Names a session, a load or an ingest of a sequence. What the service calls it, only the client knows.
pub(crate) type Id = usize;

/// The page that a browser is on. The first two are on every license's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Page {
    First,
    Second,
    Stranger,
}

/// What may be uploaded. Photos of different numbers are different photos.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Frame {
    Photo(u8),
    /// A photo of a screen.
    Screen,
    /// Not a photo at all.
    Noise,
}

/// The request to the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `POST /web/sessions` by a client, with the `key`th key that a license had.
    Create { session: Id, client: usize, license: usize, key: usize },
    /// `GET /web/sessions/:token`.
    Load { load: Id, session: Id, page: Page },
    /// A PUT to the address of a load.
    Upload { load: Id, frame: Frame },
    /// `POST /web/ingest`.
    Ingest(Ingest),
    /// `GET /web/session-results/:token`.
    Results { session: Id },
    /// `GET /web/image/:session_id`.
    Image { session: Id },
    /// `POST /validate`.
    Validate { license: usize, key: usize, page: Option<Page> },
    /// Time passes.
    Wait { minutes: i64 },
    /// An operator revokes a license.
    Revoke { license: usize },
    /// An operator suspends a client, or resumes it.
    Suspend { client: usize, suspended: bool },
    /// An operator gives a license another key.
    Rotate { license: usize },
}

/// What an ingest says. Sent again, it says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ingest {
    pub(crate) id: Id,
    pub(crate) session: Id,
    /// The load whose nonce it presents.
    pub(crate) load: Id,
    /// The load whose image key it names.
    pub(crate) image: Id,
    /// The frame whose hash it announces.
    pub(crate) frame: Frame,
    pub(crate) page: Page,
    /// The device's time, in minutes since the start.
    pub(crate) captured_at: i64,
}
