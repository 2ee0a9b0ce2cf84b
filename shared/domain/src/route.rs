//! The routes of the contract.

/// A route: what a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// An integrator's backend creates a session.
    CreateSession,
    /// The component loads its session.
    LoadSession,
    /// The component sends what it captured.
    Ingest,
    /// An integrator's backend reads how its session ended.
    SessionResults,
    /// An integrator's backend renews the URL of a photo.
    Image,
    /// An SDK asks whether its license may be used.
    Validate,
}

impl Route {
    /// Every route.
    pub const ALL: [Self; 6] =
        [Self::CreateSession, Self::LoadSession, Self::Ingest, Self::SessionResults, Self::Image, Self::Validate];

    /// Method and path, as the contract writes them.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreateSession => "POST /web/sessions",
            Self::LoadSession => "GET /web/sessions/:token",
            Self::Ingest => "POST /web/ingest",
            Self::SessionResults => "GET /web/session-results/:token",
            Self::Image => "GET /web/image/:session_id",
            Self::Validate => "POST /validate",
        }
    }
}
