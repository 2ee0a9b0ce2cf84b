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
    /// An integrator's backend creates a hosted session.
    CreateHostedSession,
    /// The hosted page asks whether its session's license may be used.
    ValidateSession,
    /// A second device follows a hosted session.
    SessionStatus,
    /// An integrator's backend reads how its hosted session ended.
    HostedResults,
}

/// The address that serves a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// `{base_url}`.
    Base,
    /// `{license_url}`.
    License,
    /// `{capture_url}`.
    Capture,
}

impl Route {
    /// Every route with a table of errors of its own. The hosted flow's load and ingest have those of the component's.
    pub const ALL: [Self; 10] = [
        Self::CreateSession,
        Self::LoadSession,
        Self::Ingest,
        Self::SessionResults,
        Self::Image,
        Self::Validate,
        Self::CreateHostedSession,
        Self::ValidateSession,
        Self::SessionStatus,
        Self::HostedResults,
    ];

    /// The address that serves it.
    #[must_use]
    pub const fn address(self) -> Address {
        match self {
            Self::CreateSession | Self::LoadSession | Self::Ingest | Self::SessionResults | Self::Image => {
                Address::Base
            }
            Self::Validate => Address::License,
            Self::CreateHostedSession | Self::ValidateSession | Self::SessionStatus | Self::HostedResults => {
                Address::Capture
            }
        }
    }

    /// Method and path, as the contract writes them. An address serves each name once.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreateSession | Self::CreateHostedSession => "POST /web/sessions",
            Self::LoadSession => "GET /web/sessions/:token",
            Self::Ingest => "POST /web/ingest",
            Self::SessionResults | Self::HostedResults => "GET /web/session-results/:token",
            Self::Image => "GET /web/image/:session_id",
            Self::Validate | Self::ValidateSession => "POST /validate",
            Self::SessionStatus => "GET /web/session-status/:token",
        }
    }
}
