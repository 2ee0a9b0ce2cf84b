//! The dating of the logs: once a day, a checkpoint gets the cosignatures of witnesses and a timestamp.
//!
//! A checkpoint states no time. A day's first run takes the last checkpoint as the day's; that run and those after it ask for
//! what it still lacks. So to repeat it asks nobody twice, and what failed is tried again.

use std::{io::Write, sync::Arc};

use futures_util::future::join_all;
use lacre_domain::{Environment, SignerProfile};
use lacre_proof::TimestampSource;
use lacre_storage::{DatedCheckpoint, within};
use lacre_transparency::{Checkpoint, Sha256Digest, SignedNote};
use lacre_tsa::Authorities;
use time::Date;
use tokio::time::Instant;

use super::{Error, Sequencer, UNDATED, witness::Witness};

impl Sequencer {
    /// Begins the logs that have no checkpoint yet, and dates those that have leaves: the timestamp is by the authorities of the environment's signer profile, if it
    /// names any. A witness that does not cosign is no error. Metrics are written to `metrics`: whether something is missing, and
    /// where leaves wait since the log was contradicted.
    ///
    /// # Errors
    /// [`Error`] of one log, when the others are done: the next run does what is missing.
    pub async fn date(&self, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let (witnesses, malformed) = Witness::list(&self.witnesses);
        let (profiles, unread) = match self.profiles.in_force().await {
            Ok(profiles) => (profiles, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let profile = |environment| profiles.iter().find(|profile| profile.environment == environment);
        let dated = Environment::ALL.map(|environment| {
            within(self.budgets.request, self.date_one(environment, profile(environment), &witnesses))
        });
        let faults = Environment::ALL.into_iter().zip(join_all(dated).await);
        let faults = faults.flat_map(|(environment, faults)| faults.into_iter().map(move |fault| (environment, fault)));
        let mut outcome = malformed.into_iter().map(Error::Witnesses).chain(unread.map(Error::from)).try_for_each(Err);
        let mut is_undated = outcome.is_err();
        for (environment, fault) in faults {
            is_undated = true;
            if fault.contradicts() {
                self.count_contradiction(environment, &fault, metrics)?;
            } else {
                tracing::warn!(environment = environment.name(), cause = %fault, "the log's day lacks something");
            }
            if !matches!(fault, Error::Uncosigned(..) | Error::Witness(..)) {
                outcome = Err(fault);
            }
        }
        for environment in Environment::ALL {
            match self.files.marked(environment).await {
                Ok(None) => {}
                Ok(Some(cause)) => self.count_contradiction(environment, &Error::Marked(cause), metrics)?,
                Err(error) => outcome = Err(error.into()),
            }
        }
        self.count(&[(UNDATED, f64::from(u8::from(is_undated)))], metrics)?;
        outcome
    }

    /// What the day's checkpoint of an environment lacks.
    async fn date_one(
        &self,
        environment: Environment,
        profile: Option<&SignerProfile>,
        witnesses: &[Witness],
    ) -> Vec<Error> {
        let day = self.clock.now().date();
        let DatedCheckpoint { note, timestamp } = match self.of_day(environment, day).await {
            Ok(Some(dated)) => dated,
            Ok(None) => return Vec::new(),
            Err(error) => return vec![error],
        };
        // The cosignatures do not depend on the timestamp, nor it on them.
        let (mut faults, stamped) = tokio::join!(self.cosign(environment, day, &note, witnesses), async {
            match (timestamp, profile) {
                (None, Some(profile)) => self.stamp(environment, day, &note, profile).await,
                _ => Ok(()),
            }
        });
        faults.extend(stamped.err());
        faults
    }

    /// The checkpoint of a day: the last one, where the day has none. `None` before the log's first leaf.
    async fn of_day(&self, environment: Environment, day: Date) -> Result<Option<DatedCheckpoint>, Error> {
        let head = self.begun(environment).await?;
        if head.size == 0 {
            return Ok(None);
        }
        match self.files.dated(environment, day).await? {
            Some(dated) => Ok(Some(dated)),
            None => {
                self.files.date(environment, day, &head.note).await?;
                Ok(self.files.dated(environment, day).await?)
            }
        }
    }

    async fn cosign(
        &self,
        environment: Environment,
        day: Date,
        note: &SignedNote,
        witnesses: &[Witness],
    ) -> Vec<Error> {
        let Ok(checkpoint) = note.text.parse::<Checkpoint>() else { return Vec::new() };
        let (reader, size) = (&self.files.of(environment), checkpoint.size);
        let missing = witnesses.iter().filter(|witness| witness.key.cosigned_at(note).is_none());
        let asked: Vec<_> = missing.map(|witness| witness.cosign(reader, note, size)).collect();
        let (mut cosignatures, mut faults) = (Vec::new(), Vec::new());
        for answer in join_all(asked).await {
            match answer {
                Ok(cosignature) => cosignatures.push(cosignature),
                Err(fault) => faults.push(fault),
            }
        }
        if !cosignatures.is_empty() {
            faults.extend(self.files.cosign(environment, day, &cosignatures).await.err().map(Error::from));
        }
        faults
    }

    /// The token is over the checkpoint's text, as its signatures are.
    async fn stamp(
        &self,
        environment: Environment,
        day: Date,
        note: &SignedNote,
        profile: &SignerProfile,
    ) -> Result<(), Error> {
        let Some(timestamps) = &profile.timestamps else { return Ok(()) };
        let authorities = Authorities::new(&timestamps.authorities, &timestamps.roots_pem, Arc::clone(&self.clock));
        let authorities = authorities.map_err(Error::Timestamp)?;
        let asking = authorities.until(Instant::now() + self.budgets.timestamps, self.budgets.timestamp_attempt);
        let digest = Sha256Digest::of(note.text.as_bytes());
        let token =
            asking.timestamp(*digest.as_bytes()).await.map_err(|failure| Error::Timestamp(failure.to_string()))?;
        Ok(self.files.add_timestamp(environment, day, token.der()).await?)
    }
}
