//! Production, staging and sandbox.

use serde::{Deserialize, Serialize};

/// The environment of a key, a license, a session and a proof. Environments are strictly separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Environment {
    /// `svc_live_`: limited volume, maximum integrity.
    Production,
    /// `svc_stag_`: limited volume, integrity active.
    Staging,
    /// `svc_sand_`: unlimited volume, relaxed integrity, no billing.
    Sandbox,
}

impl Environment {
    /// All environments.
    pub const ALL: [Self; 3] = [Self::Production, Self::Staging, Self::Sandbox];

    /// The part of a license key that names the environment: `live`, `stag` or `sand`.
    #[must_use]
    pub const fn key_infix(self) -> &'static str {
        match self {
            Self::Production => "live",
            Self::Staging => "stag",
            Self::Sandbox => "sand",
        }
    }

    /// The name in the API: `PRODUCTION`, `STAGING` or `SANDBOX`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Production => "PRODUCTION",
            Self::Staging => "STAGING",
            Self::Sandbox => "SANDBOX",
        }
    }

    /// The name in URL paths and in the names of transparency logs: `production`, `staging` or `sandbox`.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Staging => "staging",
            Self::Sandbox => "sandbox",
        }
    }

    /// Parses a name in the API, or the part of a license key, in either case: `PRODUCTION` or `live`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_called = |environment: &Self| {
            text.eq_ignore_ascii_case(environment.name()) || text.eq_ignore_ascii_case(environment.key_infix())
        };
        Self::ALL.into_iter().find(is_called)
    }
}
