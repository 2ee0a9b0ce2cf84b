//! Starts consoles with credentials that a test chooses.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, SharedCredentialsProvider, error::CredentialsError, future},
};
use lacre_console::{Console, Settings};
use lacre_domain::Clock;
use lacre_storage::{Config, Connection};
use time::{OffsetDateTime, macros::datetime};
use tokio::net::TcpListener;

pub(crate) const REGION: &str = "sa-east-1";
/// The current time of the consoles under test.
pub(crate) const NOW: OffsetDateTime = datetime!(2026-11-20 12:00:00 UTC);

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> OffsetDateTime {
        NOW
    }
}

/// Credentials provider that returns these credentials in order, then repeats the last. `None` means signed
/// out.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    credentials: Vec<Option<Credentials>>,
    reads: Arc<AtomicUsize>,
}

impl Sequence {
    pub(crate) fn new<const N: usize>(credentials: [Option<Credentials>; N]) -> Self {
        Self { credentials: credentials.into(), reads: Arc::default() }
    }

    /// How often credentials were read.
    pub(crate) fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }
}

impl ProvideCredentials for Sequence {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let number = self.reads.fetch_add(1, Ordering::SeqCst).min(self.credentials.len() - 1);
        let given = self.credentials[number].clone();
        future::ProvideCredentials::ready(given.ok_or_else(|| CredentialsError::not_loaded("signed out")))
    }
}

/// Temporary credentials of a role without a known expiry.
pub(crate) fn role(number: u8) -> Option<Credentials> {
    let token = Some(format!("session-token-{number}"));
    Some(Credentials::new(format!("ROLE{number}"), format!("role-secret-{number}"), token, None, "test"))
}

/// Long-term credentials of an IAM user.
pub(crate) fn user() -> Option<Credentials> {
    Some(Credentials::new("USER", "user-secret", None, None, "test"))
}

/// Settings of a console whose AWS endpoint does not answer.
pub(crate) fn settings(admin_url: &str, credentials: Sequence) -> Settings {
    let variables = [
        ("AWS_REGION", REGION),
        ("AWS_ACCESS_KEY_ID", "USER"),
        ("AWS_SECRET_ACCESS_KEY", "connection-secret"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("ACCOUNTS_TABLE", "accounts"),
    ];
    let config = Config::from_lookup(|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    });
    Settings {
        admin_url: admin_url.to_owned(),
        region: REGION.to_owned(),
        stack_name: "lacre-test".to_owned(),
        verify_url: None,
        credentials: SharedCredentialsProvider::new(credentials),
        ca_bundle: None,
        connection: Connection::new(config.unwrap()).unwrap(),
        clock: Arc::new(Stopped),
    }
}

/// Starts a console for an admin API.
pub(crate) async fn start(admin_url: &str, credentials: Sequence) -> Console {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    Console::start(listener, settings(admin_url, credentials)).unwrap()
}

/// Starts a console whose operator has an IAM user's credentials.
pub(crate) async fn start_as_user(admin_url: &str) -> Console {
    start(admin_url, Sequence::new([user()])).await
}
