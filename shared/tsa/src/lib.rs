//! Asking timestamp authorities over HTTP (RFC 3161, 3.4).
//!
//! They are asked in order of preference, each for a bounded time and a bounded answer, and what they answer is opened and
//! checked by `proof`: what comes out is sound, or it is a failure that names each authority and its fault. An address may
//! carry a user and a password, so only its [`place`] is logged.

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
    /// In order of preference.
    addresses: Vec<Url>,
    anchors: Anchors,
    clock: Arc<dyn Clock>,
}

impl Authorities {
    /// The authorities at these addresses (http or https), whose certificates must lead to one of these roots (in PEM). The
    /// clock says whether a timestamp's time is now.
    ///
    /// # Errors
    /// A text that says what cannot be read, without the addresses' passwords.
    pub fn new(addresses: &[String], roots_pem: &str, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let addresses = addresses.iter().map(|address| address::parse(address)).collect::<Result<Vec<_>, _>>()?;
        if addresses.is_empty() {
            return Err("no timestamp authority".into());
        }
        let anchors = Anchors::from_pem(roots_pem).map_err(|fault| format!("the authorities' roots: {fault}"))?;
        Ok(Self { addresses, anchors, clock })
    }

    /// Asks for the timestamps of one capture: until the deadline for all of them together, and no authority longer than
    /// `attempt` for one.
    #[must_use]
    pub fn until(&self, deadline: Instant, attempt: Duration) -> Asking<'_> {
        Asking::new(self, deadline, attempt)
    }

    fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }
}
