//! A client of timestamp authorities over HTTP (RFC 3161, 3.4).
//!
//! Authorities are tried in order of preference, each with limits on time and response size. `proof` parses and checks
//! each response, so the result is a valid timestamp, or a failure that names each authority with its fault. A URL may
//! contain a user and a password, so only its [`place`] is logged.

mod address;
mod asking;

use std::sync::Arc;

use lacre_domain::Clock;
use lacre_proof::Anchors;
use reqwest::Url;
use time::OffsetDateTime;
use tokio::time::{Duration, Instant};

pub use address::place;
pub use asking::Asking;

/// The timestamp authorities of an environment.
pub struct Authorities {
    /// The URLs in order of preference.
    addresses: Vec<Url>,
    anchors: Anchors,
    clock: Arc<dyn Clock>,
}

impl Authorities {
    /// The authorities at these URLs (http or https), whose certificates must chain to one of these roots (in PEM). The
    /// clock is used to check that a timestamp's time is the current one.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed, without passwords.
    pub fn new(addresses: &[String], roots_pem: &str, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let addresses = addresses.iter().map(|address| address::parse(address)).collect::<Result<Vec<_>, _>>()?;
        if addresses.is_empty() {
            return Err("no timestamp authority".into());
        }
        let anchors = Anchors::from_pem(roots_pem).map_err(|fault| format!("the authorities' roots: {fault}"))?;
        Ok(Self { addresses, anchors, clock })
    }

    /// Prepares the requests for one capture: all of them end at the deadline, and a single request takes at most
    /// `attempt`.
    #[must_use]
    pub fn until(&self, deadline: Instant, attempt: Duration) -> Asking<'_> {
        Asking::new(self, deadline, attempt)
    }

    fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }
}
