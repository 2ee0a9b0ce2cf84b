//! Writes the evidence bundle of each timestamp of the logs: its certificates, and what the authorities say of these and of
//! the signers' certificates.
//!
//! An OCSP response or revocation list shows that a certificate was not revoked at a moment only if it was published then
//! or later. So a bundle waits until each is of a time after the timestamp, and [`BUNDLE_WAIT`] at most. A list that its authority
//! need not replace within that time, as those of roots, is not missed.

use der::Decode;
use lacre_proof::{
    bundle::{BUNDLE_WAIT, Bundle, MAX_BUNDLE},
    certificate::Chain,
    timestamp::SignedToken,
};
use lacre_storage::{LogFiles, PublicProfile, Renewable};
use time::{Duration, OffsetDateTime};
use x509_cert::Certificate;

use crate::statements::{Lists, Statement, Subject};

/// The time for which a timestamp without a bundle is looked for. A bundle that is missing then is written when the
/// timestamp is renewed, with certificates only.
const LOOKS_BACK: Duration = Duration::days(8);

/// Maximum size of all statements of a bundle together, in bytes. The certificates have some kilobytes.
const MAX_STATEMENTS: usize = MAX_BUNDLE - 1024 * 1024;

/// What a run found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Whether a bundle was written although a statement is missing.
    pub(crate) is_late: bool,
    /// Whether an authority says that a certificate is revoked.
    pub(crate) is_revoked: bool,
}

/// Why a bundle was not written. The next hour tries again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The log's files could not be read or written.
    #[error(transparent)]
    Storage(#[from] lacre_storage::Error),
    /// A stored timestamp or certificate cannot be parsed.
    #[error("{0}")]
    Unreadable(String),
    /// The servers of revocation lists took too long.
    #[error("the servers of revocation lists took too long")]
    TimedOut,
}

impl From<String> for Error {
    fn from(cause: String) -> Self {
        Self::Unreadable(cause)
    }
}

/// Writes the bundles of an environment's timestamps that are complete, or have waited long enough. What fails for one is
/// logged and late, and does not stop the others.
///
/// # Errors
/// [`Error`], if it cannot be found which timestamps have no bundle.
pub(crate) async fn write(
    files: &LogFiles,
    profile: &PublicProfile,
    lists: &mut Lists,
    outcome: &mut Outcome,
    now: OffsetDateTime,
) -> Result<(), Error> {
    for what in files.without_bundle(profile.environment, (now - LOOKS_BACK).date()).await? {
        if let Err(error) = write_one(files, profile, what, lists, outcome, now).await {
            outcome.is_late = true;
            let environment = profile.environment.name();
            tracing::error!(environment, timestamp = %what, cause = %error, "an evidence bundle was not written");
        }
    }
    Ok(())
}

async fn write_one(
    files: &LogFiles,
    profile: &PublicProfile,
    what: Renewable,
    lists: &mut Lists,
    outcome: &mut Outcome,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let environment = profile.environment;
    let Some(token) = files.token(environment, what).await? else { return Ok(()) };
    let at = SignedToken::parse(&token).map_err(|fault| fault.to_string())?.time();
    let mut draft = Draft { bundle: Bundle::of(&token)?, ..Draft::default() };
    for subject in Subject::of(&certificates(&draft.bundle, profile)?) {
        let said = subject.ask(at, lists).await;
        draft.add(&subject, said, at + BUNDLE_WAIT);
        outcome.is_revoked |= draft.is_revoked;
    }
    if draft.waits && now < at + BUNDLE_WAIT {
        return Ok(());
    }
    files.add_bundles(environment, &[(what, draft.bundle.to_der()?)]).await?;
    if !draft.missing.is_empty() {
        outcome.is_late = true;
        let (environment, cause) = (environment.name(), draft.missing.join("; "));
        tracing::error!(environment, timestamp = %what, cause, "an evidence bundle is incomplete");
    }
    Ok(())
}

/// The certificates of a timestamp, of the seal and of the claim.
fn certificates(bundle: &Bundle, profile: &PublicProfile) -> Result<Vec<Certificate>, Error> {
    let of_token = bundle.certificates.iter().map(|der| Certificate::from_der(der));
    let mut certificates = of_token.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    for chain in [&profile.seal.chain_pem, &profile.claim.chain_pem] {
        certificates.extend_from_slice(Chain::from_pem(chain)?.certificates());
    }
    Ok(certificates)
}

/// A bundle to which statements are added.
#[derive(Default)]
struct Draft {
    bundle: Bundle,
    /// The size of its statements in bytes.
    size: usize,
    /// Whether a later run may learn more.
    waits: bool,
    /// The certificates about which something should have been published, each with the cause why it is not there.
    missing: Vec<String>,
    is_revoked: bool,
}

impl Draft {
    /// Adds what the authority says of a certificate. If none of it is of the timestamp's time or a later one, the bundle
    /// waits; and something is missing, unless the authority need not publish anything `until` the end of the wait.
    fn add(&mut self, subject: &Subject, said: Vec<Result<Statement, String>>, until: OffsetDateTime) {
        if said.is_empty() {
            return;
        }
        let (mut is_complete, mut stays) = (false, false);
        let mut cause = "nothing was published after the timestamp".to_owned();
        for statement in said {
            let next = statement.as_ref().ok().and_then(|statement| statement.next_update);
            match statement.and_then(|statement| self.take(statement)) {
                Ok(is_later) => {
                    is_complete |= is_later;
                    stays |= next.is_some_and(|next| next > until);
                }
                Err(fault) => cause = fault,
            }
        }
        self.waits |= !is_complete;
        if !is_complete && !stays {
            self.missing.push(format!("{}: {cause}", subject.name()));
        }
    }

    /// Adds a statement, unless it is there. Returns whether it is of the timestamp's time or a later one.
    fn take(&mut self, Statement { der, is_list, is_revoked, is_later, .. }: Statement) -> Result<bool, String> {
        let statements = if is_list { &mut self.bundle.lists } else { &mut self.bundle.answers };
        if !statements.contains(&der) {
            if self.size + der.len() > MAX_STATEMENTS {
                return Err(format!("there is no room for a list of {} bytes", der.len()));
            }
            self.size += der.len();
            statements.push(der);
        }
        self.is_revoked |= is_revoked;
        Ok(is_later)
    }
}
