//! Renewal of the logs' timestamps, before the certificates of their authorities expire (RFC 4998).
//!
//! Once a day the sequencer looks for the timestamp that expires first: that of the last renewal, or of a day since. If
//! it expires within [`LEAD`], one new timestamp renews all of these. It does not if the authorities still have the same
//! certificates: then it would have to renew every day. So the timestamps of a day are followed by those of all later
//! renewals, and a photo's evidence record can be assembled from the log's public files. An operator can ask for a renewal
//! at any time, such as before an authority's certificates are revoked.
//!
//! The list of what a renewal covers is stored before its timestamp is requested. If there is no timestamp, the next run
//! asks again for the same list.
//!
//! Where the authorities have several roots, a day has two timestamps under different ones, and so has a renewal. It covers
//! both timestamps of each day, so two evidence records can be assembled, of which one survives the other's authority.

use std::io::Write;

use futures_util::future::join_all;
use lacre_domain::{Environment, SignerProfile};
use lacre_metrics::{Metric, Unit};
use lacre_proof::{
    Token,
    archive::RenewalTree,
    bundle::{BUNDLE_WAIT, Bundle},
    timestamp::SignedToken,
};
use lacre_storage::{Covered, Renewable, StoredRenewal, within};
use lacre_transparency::Sha256Digest;
use time::{Date, Duration, OffsetDateTime};

use super::{Error, Sequencer};

/// The hour of the day (UTC) whose run renews.
const HOUR: u8 = 3;
/// The time before the first expiry at which timestamps are renewed.
const LEAD: Duration = Duration::days(180);

/// The time that a renewal must gain at least. What the authorities give today is known from the last day's timestamp.
const GAIN: Duration = Duration::days(90);

/// The time after a timestamp in which it may still get its bundle from `revocation`, which runs every hour.
const WAITS: Duration = BUNDLE_WAIT.saturating_add(Duration::hours(2));

/// The maximum number of timestamps that one run renews, for which its time suffices. A later run renews the others.
const MOST: usize = 400;

/// The maximum number of renewals at which an operator can ask for another one: a chain has at most 64 timestamps, and needs
/// room for those that prevent an expiry.
const MOST_ASKED: u32 = 32;

/// Why timestamps are renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// They expire soon, and a renewal gains time.
    Expiry,
    /// An operator asks for it.
    Operator,
}

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
    /// The first expiry among its certificates.
    end: Option<OffsetDateTime>,
}

impl Due {
    /// Whether it was made after the given time.
    fn is_since(&self, at: OffsetDateTime) -> bool {
        SignedToken::parse(&self.token).is_ok_and(|token| token.time() > at)
    }
}

/// The timestamps that a renewal has to cover, those of one day or renewal beside each other.
struct AllDue(Vec<Due>);

impl AllDue {
    /// When the evidence ends: the first time at which both timestamps of a day, or of the last renewal, have expired.
    fn end(&self) -> Option<OffsetDateTime> {
        let of_same = self.0.chunk_by(|one, next| one.what.day() == next.what.day());
        of_same.filter_map(|same| same.iter().filter_map(|due| due.end).max()).min()
    }

    /// The expiries of the first timestamps, or of the second ones.
    fn ends(&self, of_second: bool) -> Vec<OffsetDateTime> {
        self.0.iter().filter(|due| due.what.is_second() == of_second).filter_map(|due| due.end).collect()
    }

    /// Whether the first timestamps, or the second ones, expire soon, and a renewal gains time.
    fn is_due(&self, now: OffsetDateTime) -> bool {
        [false, true].into_iter().any(|of_second| {
            let ends = self.ends(of_second);
            let (first, last) = (ends.iter().copied().min(), ends.last().copied());
            first.is_some_and(|first| first - now <= LEAD) && is_gain(first, last)
        })
    }

    /// Keeps the given number at most, and both or none of those of one day or renewal.
    fn shorten(&mut self, most: usize) {
        let mut kept = most.min(self.0.len());
        while kept > 0 && kept < self.0.len() && self.0[kept - 1].what.day() == self.0[kept].what.day() {
            kept -= 1;
        }
        self.0.truncate(kept);
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
            within(self.budgets.request, self.renew_one(environment, profile, now, Cause::Expiry))
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

    /// Renews the timestamps of an environment, whether they are due or not.
    ///
    /// # Errors
    /// The [`Error`]; [`Error::NothingToRenew`] if there is no timestamp, or all still wait for their bundles.
    pub(crate) async fn renew_now(&self, environment: Environment) -> Result<(), Error> {
        let profiles = self.profiles.in_force().await?;
        let profile = profiles.iter().find(|profile| profile.environment == environment);
        let before = self.history(environment).await?.number;
        within(self.budgets.request, self.renew_one(environment, profile, self.clock.now(), Cause::Operator)).await?;
        match self.history(environment).await?.number > before {
            true => Ok(()),
            false => Err(Error::NothingToRenew),
        }
    }

    /// Renews the timestamps of an environment if there is cause. Returns when the evidence ends.
    async fn renew_one(
        &self,
        environment: Environment,
        profile: Option<&SignerProfile>,
        now: OffsetDateTime,
        cause: Cause,
    ) -> Result<Option<OffsetDateTime>, Error> {
        let History { number, begun, last_day } = self.history(environment).await?;
        if cause == Cause::Operator && number > MOST_ASKED {
            return Err(Error::Timestamp(format!("after {MOST_ASKED} renewals only an expiry is a cause for another")));
        }
        if let Some(covered) = begun {
            return self.stamp_renewal(environment, number, &covered, profile, cause).await;
        }
        let mut due = self.unrenewed(environment, number, last_day).await?;
        let end = due.end();
        if cause == Cause::Expiry && !due.is_due(now) {
            return Ok(end);
        }
        // A renewal fixes the bundles of what it covers, so it covers only what is older than all that waits for one. What
        // an operator renews in several runs does not wait for the renewal before.
        let since = (now - WAITS - Duration::DAY).date();
        let without = self.files.without_bundle(environment, since).await?;
        let is_bound = |due: &Due| cause == Cause::Expiry || due.what.day().is_some();
        let waits = |due: &Due| is_bound(due) && without.contains(&due.what) && due.is_since(now - WAITS);
        due.shorten(due.0.iter().position(waits).unwrap_or(MOST).min(MOST));
        let AllDue(due) = due;
        // The renewal of the last hours alone needs none.
        if due.iter().all(|due| due.what.day().is_none() && due.is_since(now - Duration::DAY)) {
            return Ok(end);
        }
        if profile.is_none_or(|profile| profile.timestamps.is_none()) {
            return Err(unnamed());
        }
        let bundles =
            due.iter().map(|due| Ok((due.what, Bundle::of(&due.token)?.to_der()?))).collect::<Result<Vec<_>, String>>();
        let bundles = bundles.map_err(Error::Timestamp)?;
        let stored = self.files.add_bundles(environment, &bundles).await?;
        let covered = due.iter().zip(stored);
        let covered: Vec<_> = covered
            .map(|(Due { what, token, .. }, bundle)| Covered { what: *what, token: Sha256Digest::of(token), bundle })
            .collect();
        let begun = self.files.begin_renewal(environment, number, &covered).await?;
        self.stamp_renewal(environment, number, &begun, profile, cause).await
    }

    /// Reads the renewals up to the first one without a timestamp.
    async fn history(&self, environment: Environment) -> Result<History, Error> {
        let (mut number, mut last_day) = (1, None);
        loop {
            match self.files.renewal(environment, number).await? {
                Some(StoredRenewal { covered, token: Some(_), .. }) => {
                    number += 1;
                    last_day = last_day.max(covered.iter().filter_map(|line| line.what.day()).max());
                }
                begun => return Ok(History { number, begun: begun.map(|renewal| renewal.covered), last_day }),
            }
        }
    }

    /// The timestamps that the renewal of this number has to cover: those of the renewal before, and of each day since.
    async fn unrenewed(&self, environment: Environment, number: u32, last_day: Option<Date>) -> Result<AllDue, Error> {
        let before = number.checked_sub(1).filter(|before| *before > 0);
        let before = before.into_iter().flat_map(|at| [Renewable::Renewal(at), Renewable::SecondOfRenewal(at)]);
        let days = self.files.timestamps(environment, last_day).await?;
        let tokens = self.files.tokens(environment, &before.chain(days).collect::<Vec<_>>()).await?;
        let due = tokens.into_iter().map(|(what, token)| Due { what, end: first_end(&token), token });
        Ok(AllDue(due.collect()))
    }

    /// Requests the timestamps of a renewal, and stores them if one chain gains by them and the first is not shortened, or
    /// an operator asks for it. Returns when the evidence then ends.
    async fn stamp_renewal(
        &self,
        environment: Environment,
        number: u32,
        covered: &[Covered],
        profile: Option<&SignerProfile>,
        cause: Cause,
    ) -> Result<Option<OffsetDateTime>, Error> {
        let timestamps = profile.and_then(|profile| profile.timestamps.as_ref());
        let timestamps = timestamps.ok_or_else(unnamed)?;
        let hashes: Vec<_> = covered.iter().map(|line| (*line.token.as_bytes(), *line.bundle.as_bytes())).collect();
        let tree = RenewalTree::of(&hashes).ok_or_else(|| Error::Timestamp("a renewal of nothing".into()))?;
        let (token, second) = self.two_timestamps(timestamps, tree.root()).await?;
        let of_covered: Vec<_> = covered.iter().map(|line| line.what).collect();
        let renewed = self.files.tokens(environment, &of_covered).await?;
        let renewed = renewed.into_iter().map(|(what, token)| Due { what, end: first_end(&token), token });
        let renewed = AllDue(renewed.collect());
        let first_of = |of_second| renewed.ends(of_second).into_iter().min();
        // A second one that ends earlier than what it would renew is left out: the first one continues the second ones too.
        let second = second.filter(|second| first_of(true).is_none_or(|first| first_end(second.der()) >= Some(first)));
        let ends = [&token, second.as_ref().unwrap_or(&token)].map(|token| first_end(token.der()));
        // An authority that answers only now and then may have other certificates than the one that was preferred.
        let gains = is_gain(first_of(false), ends[0]) || is_gain(first_of(true), ends[1]);
        let shortens = first_of(false).is_some_and(|first| ends[0] < Some(first));
        if cause == Cause::Expiry && (shortens || !gains) {
            return Ok(renewed.end());
        }
        let second = second.as_ref().map(Token::der);
        self.files.add_tokens(environment, Renewable::Renewal(number), token.der(), second).await?;
        Ok(ends.into_iter().flatten().max())
    }
}

fn unnamed() -> Error {
    Error::Timestamp("the signer profile names no authority".into())
}

/// Whether a renewal of what ends first gains time, if what replaces it ends at the second time.
fn is_gain(first: Option<OffsetDateTime>, last: Option<OffsetDateTime>) -> bool {
    first.zip(last).is_some_and(|(first, last)| last - first >= GAIN)
}

/// The first expiry among the certificates of a token.
fn first_end(token: &[u8]) -> Option<OffsetDateTime> {
    Some(SignedToken::parse(token).ok()?.first_end()?.not_after)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2028-11-30 03:20 UTC);

    /// Timestamps by their folders, with the days until they expire.
    fn due(all: &[(&str, i64)]) -> AllDue {
        let due = all.iter().map(|(folder, days)| Due {
            what: folder.parse().unwrap(),
            token: Vec::new(),
            end: Some(NOW + Duration::days(*days)),
        });
        AllDue(due.collect())
    }

    #[test]
    fn evidence_ends_with_both_timestamps() {
        let end = |all: &[(&str, i64)]| due(all).end().map(|end| (end - NOW).whole_days());
        assert_eq!(end(&[]), None);
        assert_eq!(
            end(&[("dated/2028-11-28/second", 90), ("dated/2028-11-28", 400), ("dated/2028-11-29", 300)]),
            Some(300)
        );
        assert_eq!(end(&[("renewals/1", 100), ("renewals/1/second", 500), ("dated/2028-11-29", 600)]), Some(500));
    }

    #[test]
    fn either_expiry_that_renewal_defers_is_due() {
        for (all, is_due) in [
            (&[("dated/2028-11-27", 180), ("dated/2028-11-28", 270)][..], true),
            (&[("dated/2028-11-27", 181), ("dated/2028-11-28", 800)], false),
            // What the authorities give today is no better.
            (&[("dated/2028-11-27", 180), ("dated/2028-11-28", 269)], false),
            (&[("dated/2028-11-27/second", 180), ("dated/2028-11-27", 900), ("dated/2028-11-28", 900)], false),
            (&[("dated/2028-11-27/second", 180), ("dated/2028-11-27", 900), ("dated/2028-11-28/second", 270)], true),
        ] {
            assert_eq!(due(all).is_due(NOW), is_due, "{all:?}");
        }
    }

    #[test]
    fn days_and_renewals_are_not_divided() {
        let all =
            ["renewals/1", "renewals/1/second", "dated/2028-11-27", "dated/2028-11-28/second", "dated/2028-11-28"];
        for (most, kept) in [(9, 5), (5, 5), (4, 3), (3, 3), (2, 2), (1, 0), (0, 0)] {
            let mut due = due(&all.map(|folder| (folder, 1)));
            due.shorten(most);
            let left: Vec<_> = due.0.iter().map(|due| due.what.to_string()).collect();
            assert_eq!(left, all[..kept], "{most}");
        }
    }
}
