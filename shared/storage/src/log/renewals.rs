//! The renewals of a log's timestamps. Below `ENVIRONMENT/renewals/NUMBER/`, from 1 on, are the list of what a renewal
//! covers, its timestamp, and the evidence bundle of that timestamp. The bundle of a day's timestamp is beside it. In the
//! folder `second` of a day or renewal is a second timestamp of the same, under another root. All are public, and are
//! written once.

use std::{fmt, str::FromStr};

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{Environment, Sha256Digest};
use time::{Date, format_description::BorrowedFormatItem, macros::format_description};

use super::{
    LogFiles,
    files::{CONCURRENT, FOREVER, TEXT, TIMESTAMP, corrupt, dated, public},
};
use crate::{Error, object_versions::OnlyIf};

const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const BUNDLE: &str = "bundle.p7b";
const COVERED: &str = "covered";
const SECOND: &str = "second";

/// A timestamp that can be renewed. In text it is the folder of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewable {
    /// The timestamp of a day's checkpoint: `dated/2026-11-30`.
    Day(Date),
    /// The second timestamp of a day's checkpoint: `dated/2026-11-30/second`.
    SecondOfDay(Date),
    /// The timestamp of a renewal: `renewals/1`.
    Renewal(u32),
    /// The second timestamp of a renewal: `renewals/1/second`.
    SecondOfRenewal(u32),
}

/// A line of the list of what a renewal covers: a timestamp, and the SHA-256 of its token and of its bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The timestamp.
    pub what: Renewable,
    /// The SHA-256 of the token (DER).
    pub token: Sha256Digest,
    /// The SHA-256 of the evidence bundle.
    pub bundle: Sha256Digest,
}

/// A renewal as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRenewal {
    /// What it covers, in the order of its tree's leaves.
    pub covered: Vec<Covered>,
    /// The timestamp token (DER) over the tree's root; `None` until there is one.
    pub token: Option<Vec<u8>>,
    /// The second timestamp token (DER) over the tree's root, if there is one.
    pub second: Option<Vec<u8>>,
}

impl LogFiles {
    /// The timestamps of checkpoints of the days after the given one, by day.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn timestamps(&self, environment: Environment, after: Option<Date>) -> Result<Vec<Renewable>, Error> {
        let folder = public(environment, "dated/");
        let after = after.map(|day| dated(environment, day, "~"));
        let keys = self.0.keys(&folder, after.as_deref()).await?;
        Ok(keys.iter().filter_map(|key| Renewable::of_key(environment, key, TIMESTAMP)).collect())
    }

    /// The timestamps that have no evidence bundle, in order: of days after the given one, and of renewals.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn without_bundle(&self, environment: Environment, after: Date) -> Result<Vec<Renewable>, Error> {
        let after = dated(environment, after, "~");
        let (days, renewals) = (public(environment, "dated/"), public(environment, "renewals/"));
        let (days, renewals) = tokio::try_join!(self.0.keys(&days, Some(&after)), self.0.keys(&renewals, None))?;
        let of = |file: &str| {
            let files = days.iter().chain(&renewals).filter_map(|key| Renewable::of_key(environment, key, file));
            files.collect::<Vec<_>>()
        };
        let there = of(BUNDLE);
        Ok(of(TIMESTAMP).into_iter().filter(|what| !there.contains(what)).collect())
    }

    /// The token of a timestamp (DER); `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn token(&self, environment: Environment, of: Renewable) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&of.key(environment, TIMESTAMP), None).await
    }

    /// The tokens of timestamps, in the same order. A missing one is left out.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn tokens(&self, environment: Environment, of: &[Renewable]) -> Result<Vec<(Renewable, Vec<u8>)>, Error> {
        let reads: Vec<_> =
            of.iter().map(|what| async { Ok((*what, self.token(environment, *what).await?)) }).collect();
        let read: Vec<_> = stream::iter(reads).buffered(CONCURRENT).try_collect::<Vec<_>>().await?;
        Ok(read.into_iter().filter_map(|(what, token)| Some((what, token?))).collect())
    }

    /// The evidence bundle of a timestamp; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bundle(&self, environment: Environment, of: Renewable) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&of.bundle_key(environment), None).await
    }

    /// The SHA-256 of the evidence bundle of a timestamp; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bundle_sha256(&self, environment: Environment, of: Renewable) -> Result<Option<Sha256Digest>, Error> {
        self.0.sha256(&of.bundle_key(environment), None).await
    }

    /// Stores the evidence bundles of timestamps, and returns the SHA-256 of each in the same order. A bundle that is there
    /// already stays, and its SHA-256 is returned.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn add_bundles(
        &self,
        environment: Environment,
        bundles: &[(Renewable, Vec<u8>)],
    ) -> Result<Vec<Sha256Digest>, Error> {
        let writes: Vec<_> = bundles.iter().map(|(of, bundle)| self.add_bundle(environment, *of, bundle)).collect();
        stream::iter(writes).buffered(CONCURRENT).try_collect().await
    }

    async fn add_bundle(&self, environment: Environment, of: Renewable, bundle: &[u8]) -> Result<Sha256Digest, Error> {
        let key = of.bundle_key(environment);
        if self.0.put_once(&key, bundle, "application/pkcs7-mime").await? {
            return Ok(Sha256Digest::of(bundle));
        }
        // A bundle can have megabytes, so it is not read.
        self.0.sha256(&key, None).await?.ok_or_else(|| corrupt(format!("{key} is missing")))
    }

    /// A renewal of an environment's timestamps, by its number from 1 on; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if its list cannot be parsed; [`Error::Unavailable`].
    pub async fn renewal(&self, environment: Environment, number: u32) -> Result<Option<StoredRenewal>, Error> {
        let key = Renewable::Renewal(number).key(environment, COVERED);
        let Some(list) = self.0.read(&key, None).await? else { return Ok(None) };
        let list =
            std::str::from_utf8(&list).ok().and_then(|list| list.lines().map(|line| line.parse().ok()).collect());
        let covered = list.ok_or_else(|| corrupt(format!("{key} cannot be read")))?;
        let [token, second] = [Renewable::Renewal(number), Renewable::SecondOfRenewal(number)];
        let (token, second) = tokio::try_join!(self.token(environment, token), self.token(environment, second))?;
        Ok(Some(StoredRenewal { covered, token, second }))
    }

    /// Stores what the renewal of this number covers, unless another run stored it first. Returns what is stored.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if what is stored cannot be parsed; [`Error::Unavailable`].
    pub async fn begin_renewal(
        &self,
        environment: Environment,
        number: u32,
        covered: &[Covered],
    ) -> Result<Vec<Covered>, Error> {
        let list: String = covered.iter().map(|covered| format!("{covered}\n")).collect();
        let key = Renewable::Renewal(number).key(environment, COVERED);
        if self.0.put_once(&key, list.as_bytes(), TEXT).await? {
            return Ok(covered.to_vec());
        }
        let stored = self.renewal(environment, number).await?;
        stored.map(|renewal| renewal.covered).ok_or_else(|| corrupt(format!("{key} is missing")))
    }

    /// Adds a token (DER), and a second one with it, unless there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn add_tokens(
        &self,
        environment: Environment,
        of: Renewable,
        token: &[u8],
        second: Option<&[u8]>,
    ) -> Result<(), Error> {
        let put = async |of: Renewable, token: &[u8]| {
            let key = of.key(environment, TIMESTAMP);
            self.0.put_if(&OnlyIf::Absent, &key, token, "application/timestamp-token", Some(FOREVER)).await
        };
        // Beside a token that another run added, a second one could be under the same root.
        if put(of, token).await?
            && let Some(second) = second
        {
            put(of.second(), second).await?;
        }
        Ok(())
    }
}

impl Renewable {
    /// The day, if it is a timestamp of a day's checkpoint.
    #[must_use]
    pub const fn day(self) -> Option<Date> {
        match self {
            Self::Day(day) | Self::SecondOfDay(day) => Some(day),
            Self::Renewal(_) | Self::SecondOfRenewal(_) => None,
        }
    }

    /// The second timestamp of the same.
    #[must_use]
    pub const fn second(self) -> Self {
        match self {
            Self::Day(day) | Self::SecondOfDay(day) => Self::SecondOfDay(day),
            Self::Renewal(number) | Self::SecondOfRenewal(number) => Self::SecondOfRenewal(number),
        }
    }

    /// Whether it is the second timestamp of the same.
    #[must_use]
    pub const fn is_second(self) -> bool {
        matches!(self, Self::SecondOfDay(_) | Self::SecondOfRenewal(_))
    }

    pub(crate) fn bundle_key(self, environment: Environment) -> String {
        self.key(environment, BUNDLE)
    }

    fn key(self, environment: Environment, file: &str) -> String {
        public(environment, &format!("{self}/{file}"))
    }

    /// The timestamp among whose files is the one with this key, if the file has this name.
    fn of_key(environment: Environment, key: &str, file: &str) -> Option<Self> {
        key.strip_prefix(&public(environment, ""))?.strip_suffix(file)?.strip_suffix('/')?.parse().ok()
    }
}

impl fmt::Display for Renewable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "dated/{day}"),
            Self::SecondOfDay(day) => write!(f, "dated/{day}/{SECOND}"),
            Self::Renewal(number) => write!(f, "renewals/{number}"),
            Self::SecondOfRenewal(number) => write!(f, "renewals/{number}/{SECOND}"),
        }
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, token, bundle } = self;
        write!(f, "{what} {} {}", token.hex(), bundle.hex())
    }
}

/// A malformed line of the list of what a renewal covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line that is not a folder and two SHA-256")]
pub struct MalformedLine;

impl FromStr for Renewable {
    type Err = MalformedLine;

    fn from_str(text: &str) -> Result<Self, MalformedLine> {
        let day = |day| Date::parse(day, DAY).ok();
        let what = match *text.split('/').collect::<Vec<_>>() {
            ["dated", of] => day(of).map(Self::Day),
            ["dated", of, SECOND] => day(of).map(Self::SecondOfDay),
            ["renewals", number] => number.parse().ok().map(Self::Renewal),
            ["renewals", number, SECOND] => number.parse().ok().map(Self::SecondOfRenewal),
            _ => None,
        };
        what.filter(|what| what.to_string() == text).ok_or(MalformedLine)
    }
}

impl FromStr for Covered {
    type Err = MalformedLine;

    fn from_str(line: &str) -> Result<Self, MalformedLine> {
        let mut words = line.split(' ');
        let what = words.next().ok_or(MalformedLine)?.parse()?;
        let mut digest = || words.next().and_then(Sha256Digest::parse).ok_or(MalformedLine);
        let (token, bundle) = (digest()?, digest()?);
        match words.next() {
            None => Ok(Self { what, token, bundle }),
            Some(_) => Err(MalformedLine),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_is_read_as_written() {
        let hash = "ab".repeat(32);
        for what in ["dated/2026-11-30", "dated/2026-11-30/second", "renewals/1", "renewals/12", "renewals/1/second"] {
            let line = format!("{what} {hash} {}", "cd".repeat(32));
            assert_eq!(line.parse::<Covered>().unwrap().to_string(), line);
        }
        let wrong = [
            "",
            "dated/2026-11-30",
            "dated/2026-13-30 {} {}",
            "renewals/01 {} {}",
            "renewals/1 {} {} {}",
            "other/1 {} {}",
        ];
        for line in wrong {
            assert_eq!(line.replace("{}", &hash).parse::<Covered>(), Err(MalformedLine), "{line}");
        }
    }
}
