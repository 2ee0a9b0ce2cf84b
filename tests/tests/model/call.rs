//! A request or an operator's action with all its details, as the service and the model execute it.

/// Identifies a session, load or ingest of a sequence. Only the client knows the service's own ids.
pub(crate) type Id = usize;

/// The origin of a request. Every license allows the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Page {
    First,
    Second,
    Stranger,
}

/// Content of an upload. Photos with different numbers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Frame {
    Photo(u8),
    /// A photo of a screen.
    Screen,
    /// Not a photo at all.
    Noise,
}

/// A request to the service, or a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `POST /web/sessions` by a client, with the `key`-th key of a license.
    Create { session: Id, client: usize, license: usize, key: usize },
    /// `GET /web/sessions/:token`.
    Load { load: Id, session: Id, page: Page },
    /// A PUT to the upload URL of a load.
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
    /// An operator suspends or resumes a client.
    Suspend { client: usize, suspended: bool },
    /// An operator replaces a license's key.
    Rotate { license: usize },
}

/// The content of an ingest. A repetition has the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ingest {
    pub(crate) id: Id,
    pub(crate) session: Id,
    /// The load whose nonce it uses.
    pub(crate) load: Id,
    /// The load whose image key it names.
    pub(crate) image: Id,
    /// The frame whose hash it states.
    pub(crate) frame: Frame,
    pub(crate) page: Page,
    /// The device's time, in minutes since the start.
    pub(crate) captured_at: i64,
}
