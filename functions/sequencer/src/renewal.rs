//! Renewal of the logs' timestamps, before the certificates of their authorities expire (RFC 4998).
//!
//! Once a day the sequencer looks for the timestamp that expires first: that of the last renewal, or of a day since. If
//! it expires within [`LEAD`], one new timestamp renews all of these. It does not if the authorities still have the same
//! certificates: then it would have to renew every day. So the timestamps of a day are followed by those of all later
//! renewals, and a photo's evidence record can be assembled from the log's public files.
//!
//! The list of what a renewal covers is stored before its timestamp is requested. If there is no timestamp, the next run
//! asks again for the same list.

use std::{io::Write, sync::Arc};

use futures_util::future::join_all;
use lacre_domain::{Environment, SignerProfile};
use lacre_metrics::{Metric, Unit};
use lacre_proof::{
    TimestampSource,
    archive::RenewalTree,
    bundle::{BUNDLE_WAIT, Bundle},
    timestamp::SignedToken,
};
use lacre_storage::{Covered, Renewable, StoredRenewal, within};
use lacre_transparency::Sha256Digest;
use lacre_tsa::Authorities;
use time::{Date, Duration, OffsetDateTime};
use tokio::time::Instant;

use super::{Error, Sequencer};

/// The hour of the day (UTC) whose run renews.
const HOUR: u8 = 3;
/// The time before the first expiry at which timestamps are renewed.
const LEAD: Duration = Duration::days(180);

/// The time that a renewal must gain at least. What the authorities give today is known from the last day's timestamp.
const GAIN: Duration = Duration::days(90);

/// The time after a timestamp in which it may still get its bundle from `revocation`, which runs every hour.
const WAITS: Duration = BUNDLE_WAIT.saturating_add(Duration::hours(2));

/// The maximum number of timestamps that one run renews, for which its time suffices. The next night renews the others.
const MOST: usize = 400;

const DAYS_LEFT: Metric = Metric::new("EvidenceDaysLeft", Unit::Count);
const FAILED: Metric = Metric::new("RenewalFailed", Unit::Count);

/// The renewals of a log so far.
struct History {
    /// The number of the first renewal that has no timestamp.
    number: u32,
    /// What that renewal covers, if it was begun.
    begun: Option<Vec<Covered>>,
    /// The last day that a renewal with a timestamp covers.
    last_day: Option<Date>,
}

/// A timestamp that is not renewed yet.
struct Due {
    what: Renewable,
    token: Vec<u8>,
}

impl Due {
    /// Whether it was made after the given time.
    fn is_since(&self, at: OffsetDateTime) -> bool {
        SignedToken::parse(&self.token).is_ok_and(|token| token.time() > at)
    }
}

impl Sequencer {
    /// Renews the timestamps of each log that are due, once a day. Metrics are written to `metrics`: the days until the
    /// first expiry of all logs, and whether a renewal failed.
    ///
    /// # Errors
    /// The [`Error`] of one log, after all others were processed; the run of the next day repeats it.
    pub(crate) async fn renew(
        &self,
        profiles: &[SignerProfile],
        metrics: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        let now = self.clock.now();
        if now.hour() != HOUR {
            return Ok(());
        }
        let renewed = Environment::ALL.map(|environment| {
            let profile = profiles.iter().find(|profile| profile.environment == environment);
            within(self.budgets.request, self.renew_one(environment, profile, now))
        });
        let (mut outcome, mut first) = (Ok(()), None::<OffsetDateTime>);
        for (environment, renewed) in Environment::ALL.into_iter().zip(join_all(renewed).await) {
            match renewed {
                Ok(end) => first = [first, end].into_iter().flatten().min(),
                Err(error) => {
                    tracing::error!(environment = environment.name(), cause = %error, "timestamps were not renewed");
                    outcome = Err(error);
                }
            }
        }
        let mut counted = vec![(FAILED, f64::from(u8::from(outcome.is_err())))];
        #[allow(clippy::cast_precision_loss)]
        counted.extend(first.map(|end| (DAYS_LEFT, (end - now).whole_days() as f64)));
        outcome.and(self.count(&counted, metrics))
    }

    /// Renews the timestamps of an environment if they are due. Returns when the first one expires.
    async fn renew_one(
        &self,
        environment: Environment,
        profile: Option<&SignerProfile>,
        now: OffsetDateTime,
    ) -> Result<Option<OffsetDateTime>, Error> {
        let History { number, begun, last_day } = self.history(environment).await?;
        if let Some(covered) = begun {
            return self.stamp_renewal(environment, number, &covered, profile).await;
        }
        let mut due = self.unrenewed(environment, number, last_day).await?;
        let ends: Vec<_> = due.iter().filter_map(|due| first_end(&due.token)).collect();
        let (Some(first), Some(last)) = (ends.iter().copied().min(), ends.last().copied()) else { return Ok(None) };
        if first - now > LEAD || last - first < GAIN {
            return Ok(Some(first));
        }
        // A renewal fixes the bundles of what it covers, so it does not cover what still waits for one.
        let since = (now - WAITS - Duration::DAY).date();
        let without = self.files.without_bundle(environment, since).await?;
        due.retain(|due| !(without.contains(&due.what) && due.is_since(now - WAITS)));
        let is_continued = number == 1 || due.first().is_some_and(|due| due.what == Renewable::Renewal(number - 1));
        if due.is_empty() || !is_continued {
            return Ok(Some(first));
        }
        let due = &due[..due.len().min(MOST)];
        let bundles =
            due.iter().map(|due| Ok((due.what, Bundle::of(&due.token)?.to_der()?))).collect::<Result<Vec<_>, String>>();
        let bundles = bundles.map_err(Error::Timestamp)?;
        let stored = self.files.add_bundles(environment, &bundles).await?;
        let covered = due.iter().zip(stored);
        let covered: Vec<_> = covered
            .map(|(Due { what, token }, bundle)| Covered { what: *what, token: Sha256Digest::of(token), bundle })
            .collect();
        let begun = self.files.begin_renewal(environment, number, &covered).await?;
        self.stamp_renewal(environment, number, &begun, profile).await
    }

    /// Reads the renewals up to the first one without a timestamp.
    async fn history(&self, environment: Environment) -> Result<History, Error> {
        let (mut number, mut last_day) = (1, None);
        loop {
            match self.files.renewal(environment, number).await? {
                Some(StoredRenewal { covered, token: Some(_) }) => {
                    number += 1;
                    last_day = last_day.max(covered.iter().filter_map(|line| line.what.day()).max());
                }
                begun => return Ok(History { number, begun: begun.map(|renewal| renewal.covered), last_day }),
            }
        }
    }

    /// The timestamps that the renewal of this number has to cover: that of the renewal before, and of each day since.
    async fn unrenewed(
        &self,
        environment: Environment,
        number: u32,
        last_day: Option<Date>,
    ) -> Result<Vec<Due>, Error> {
        let before = (number > 1).then(|| Renewable::Renewal(number - 1));
        let days = self.files.timestamped_days(environment, last_day).await?;
        let all: Vec<_> = before.into_iter().chain(days.into_iter().map(Renewable::Day)).collect();
        let tokens = self.files.tokens(environment, &all).await?;
        Ok(tokens.into_iter().map(|(what, token)| Due { what, token }).collect())
    }

    /// Requests the timestamp of a renewal, and stores it if it expires later than what it renews. Returns when the first
    /// of both expires that no renewal follows.
    async fn stamp_renewal(
        &self,
        environment: Environment,
        number: u32,
        covered: &[Covered],
        profile: Option<&SignerProfile>,
    ) -> Result<Option<OffsetDateTime>, Error> {
        let timestamps = profile.and_then(|profile| profile.timestamps.as_ref());
        let timestamps = timestamps.ok_or_else(|| Error::Timestamp("the signer profile names no authority".into()))?;
        let hashes: Vec<_> = covered.iter().map(|line| (*line.token.as_bytes(), *line.bundle.as_bytes())).collect();
        let tree = RenewalTree::of(&hashes).ok_or_else(|| Error::Timestamp("a renewal of nothing".into()))?;
        let authorities = Authorities::new(&timestamps.authorities, &timestamps.roots_pem, Arc::clone(&self.clock));
        let authorities = authorities.map_err(Error::Timestamp)?;
        let asking = authorities.until(Instant::now() + self.budgets.timestamps, self.budgets.timestamp_attempt);
        let token = asking.timestamp(tree.root()).await.map_err(|failure| Error::Timestamp(failure.to_string()))?;
        let of_covered: Vec<_> = covered.iter().map(|line| line.what).collect();
        let renewed = self.files.tokens(environment, &of_covered).await?;
        let before = renewed.iter().filter_map(|(_, token)| first_end(token)).min();
        let end = first_end(token.der());
        // An authority that answers only now and then may have other certificates than the one that was preferred.
        if before.zip(end).is_some_and(|(before, end)| end - before < GAIN) {
            return Ok(before);
        }
        self.files.finish_renewal(environment, number, token.der()).await?;
        Ok(end)
    }
}

/// The first expiry among the certificates of a token.
fn first_end(token: &[u8]) -> Option<OffsetDateTime> {
    Some(SignedToken::parse(token).ok()?.first_end()?.not_after)
}
