//! Development certificate hierarchies. Generating their RSA keys takes most of a second, so each process generates
//! them once.

use std::sync::{Arc, Mutex, PoisonError};

use lacre_pki::{A1, ClaimPki, PkiError, SealPki, TimestampPki, Timestamper};
use time::{Duration, OffsetDateTime};

use super::Error;

/// The development hierarchies, used by every signer profile of this process and by its timestamp authority.
pub(crate) struct Hierarchies {
    pub(crate) claim: ClaimPki,
    pub(crate) a1: A1,
    /// The root certificates of both signatures in PEM.
    pub(crate) anchors_pem: String,
    pub(crate) timestamper: Timestamper,
    pub(crate) timestamp_roots_pem: String,
}

impl Hierarchies {
    /// The hierarchies valid at `now`. Those generated within an hour of it are reused, because certificates are valid
    /// from the day before.
    pub(crate) async fn at(now: OffsetDateTime) -> Result<Arc<Self>, Error> {
        let step = Error::at("making certificates");
        let made = tokio::task::spawn_blocking(move || Self::find_or_make(now)).await;
        made.map_err(|error| step(&error))?.map_err(|error| step(&error))
    }

    fn find_or_make(now: OffsetDateTime) -> Result<Arc<Self>, PkiError> {
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
        std::thread::scope(|scope| {
            let timestamps = scope.spawn(|| {
                let pki = TimestampPki::generate(now)?;
                Ok::<_, PkiError>((pki.issue(now)?, pki.anchors_pem()?))
            });
            let (claim, seal) = (ClaimPki::generate(now)?, SealPki::generate(now)?);
            let (a1, anchors_pem) = (seal.issue_a1(now)?, claim.anchors_pem()? + &seal.anchors_pem()?);
            let timestamps = timestamps.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let (timestamper, timestamp_roots_pem) = timestamps?;
            Ok(Self { claim, a1, anchors_pem, timestamper, timestamp_roots_pem })
        })
    }
}
