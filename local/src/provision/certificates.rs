//! The development hierarchies. Making their RSA keys takes most of a second, so one process makes them once.

use std::sync::{Arc, Mutex, PoisonError};

use pki::{A1, ClaimPki, PkiError, SealPki};
use time::{Duration, OffsetDateTime};

/// Certificates for development, good for every profile that this process makes.
pub(super) struct Hierarchies {
    pub(super) claim: ClaimPki,
    pub(super) a1: A1,
    /// Both roots in PEM.
    pub(super) anchors_pem: String,
}

impl Hierarchies {
    /// The hierarchies as of `now`. Those that were made within an hour of it are used again: certificates are valid from
    /// the day before.
    pub(super) fn at(now: OffsetDateTime) -> Result<Arc<Self>, PkiError> {
        static MADE: Mutex<Option<(OffsetDateTime, Arc<Hierarchies>)>> = Mutex::new(None);
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, hierarchies)) = &*made
            && (now - *at).abs() < Duration::hours(1)
        {
            return Ok(Arc::clone(hierarchies));
        }
        let hierarchies = Arc::new(Self::make(now)?);
        *made = Some((now, Arc::clone(&hierarchies)));
        Ok(hierarchies)
    }

    fn make(now: OffsetDateTime) -> Result<Self, PkiError> {
        let (claim, seal) = (ClaimPki::generate(now)?, SealPki::generate(now)?);
        let anchors_pem = claim.anchors_pem()? + &seal.anchors_pem()?;
        Ok(Self { claim, a1: seal.issue_a1(now)?, anchors_pem })
    }
}
