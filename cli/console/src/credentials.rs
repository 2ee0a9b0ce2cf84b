//! Cache of the operator's AWS credentials.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, SharedCredentialsProvider},
};
use lacre_domain::Clock;
use tokio::{sync::Mutex, time::timeout};

use crate::answer::RequestError;

/// Credentials that expire within this time are read again, so that they do not expire during a request.
const MARGIN: Duration = Duration::from_secs(60);
/// Timeout for reading credentials. Some providers sign in over the network.
const READ: Duration = Duration::from_secs(30);

/// A credentials provider with the credentials that it returned last.
pub(crate) struct KeptCredentials {
    provider: SharedCredentialsProvider,
    clock: Arc<dyn Clock>,
    /// The lock is held while credentials are read, so that concurrent requests wait for the same result.
    kept: Mutex<Option<Credentials>>,
}

impl KeptCredentials {
    /// Creates an empty cache; the first request reads the credentials.
    pub(crate) fn new(provider: SharedCredentialsProvider, clock: Arc<dyn Clock>) -> Self {
        Self { provider, clock, kept: Mutex::new(None) }
    }

    /// Returns credentials that do not expire within [`MARGIN`], and reads them if necessary.
    ///
    /// # Errors
    /// [`RequestError::Credentials`] if they cannot be read or have expired.
    pub(crate) async fn current(&self) -> Result<Credentials, RequestError> {
        let mut kept = self.kept.lock().await;
        if let Some(lasting) = kept.as_ref().filter(|kept| self.last_for(kept, MARGIN)) {
            return Ok(lasting.clone());
        }
        self.read(&mut kept).await
    }

    /// Returns credentials other than those that the gateway rejected.
    ///
    /// # Errors
    /// [`RequestError::Credentials`] if they cannot be read or have expired.
    pub(crate) async fn renewed(&self, refused: &Credentials) -> Result<Credentials, RequestError> {
        let mut kept = self.kept.lock().await;
        // A concurrent request with the same rejected credentials may have renewed them already.
        if let Some(other) = kept.as_ref().filter(|kept| *kept != refused && self.last_for(kept, MARGIN)) {
            return Ok(other.clone());
        }
        self.read(&mut kept).await
    }

    async fn read(&self, kept: &mut Option<Credentials>) -> Result<Credentials, RequestError> {
        *kept = None;
        let read = timeout(READ, self.provider.provide_credentials()).await;
        // The cause is dropped: the operator sees it when signing in again.
        let found = read.map_err(|_| RequestError::Credentials)?.map_err(|_| RequestError::Credentials)?;
        if !self.last_for(&found, Duration::ZERO) {
            return Err(RequestError::Credentials);
        }
        *kept = Some(found.clone());
        Ok(found)
    }

    fn last_for(&self, credentials: &Credentials, margin: Duration) -> bool {
        credentials.expiry().is_none_or(|end| end > SystemTime::from(self.clock.now()) + margin)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use aws_credential_types::provider::{error::CredentialsError, future};
    use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
    use time::OffsetDateTime;

    /// Test provider that returns different credentials on each call. They expire `last` seconds after `now`; with
    /// `last` 0 the provider fails.
    #[derive(Debug)]
    struct Numbered {
        given: Arc<AtomicU32>,
        now: Arc<AtomicI64>,
        last: i64,
    }

    impl ProvideCredentials for Numbered {
        fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
        where
            Self: 'a,
        {
            let number = self.given.fetch_add(1, Ordering::SeqCst);
            let end = at(self.now.load(Ordering::SeqCst) + self.last).into();
            let given = Credentials::new(number.to_string(), "secret", None, Some(end), "test");
            future::ProvideCredentials::ready(match self.last {
                0 => Err(CredentialsError::not_loaded("signed out")),
                _ => Ok(given),
            })
        }
    }

    struct Settable(Arc<AtomicI64>);

    impl Clock for Settable {
        fn now(&self) -> OffsetDateTime {
            at(self.0.load(Ordering::SeqCst))
        }
    }

    fn at(second: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(1_800_000_000 + second).unwrap()
    }

    fn kept(last: i64) -> (KeptCredentials, Arc<AtomicU32>, Arc<AtomicI64>) {
        let (given, now) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicI64::new(0)));
        let provider = Numbered { given: Arc::clone(&given), now: Arc::clone(&now), last };
        let clock = Arc::new(Settable(Arc::clone(&now)));
        (KeptCredentials::new(SharedCredentialsProvider::new(provider), clock), given, now)
    }

    #[tokio::test]
    async fn renews_credentials_a_minute_before_expiry() {
        let (kept, given, now) = kept(3600);
        assert_eq!(kept.current().await.unwrap().access_key_id(), "0");
        now.store(3539, Ordering::SeqCst);
        assert_eq!(kept.current().await.unwrap().access_key_id(), "0");
        now.store(3540, Ordering::SeqCst);
        assert_eq!(kept.current().await.unwrap().access_key_id(), "1");
        assert_eq!(given.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn reads_rejected_credentials_once() {
        let (kept, given, _) = kept(3600);
        let refused = kept.current().await.unwrap();
        assert_eq!(kept.renewed(&refused).await.unwrap().access_key_id(), "1");
        assert_eq!(kept.renewed(&refused).await.unwrap().access_key_id(), "1");
        assert_eq!(kept.current().await.unwrap().access_key_id(), "1");
        assert_eq!(given.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn refuses_only_expired_credentials() {
        let (short, ..) = kept(30);
        assert_eq!(short.current().await.unwrap().access_key_id(), "0");
        assert_eq!(short.current().await.unwrap().access_key_id(), "1");
        let (expired, ..) = kept(-1);
        assert_eq!(expired.current().await.unwrap_err(), RequestError::Credentials);
        let (none, given, _) = kept(0);
        assert_eq!(none.current().await.unwrap_err(), RequestError::Credentials);
        assert_eq!(none.current().await.unwrap_err(), RequestError::Credentials);
        assert_eq!(given.load(Ordering::SeqCst), 2, "asked again each time");
    }
}
