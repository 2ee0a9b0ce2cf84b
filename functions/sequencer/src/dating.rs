//! Daily dating of the logs: a checkpoint gets the cosignatures of witnesses and a timestamp.
//!
//! A checkpoint itself contains no time. The first run of a day selects the last checkpoint as the day's. That run and
//! later ones request what this checkpoint still lacks. Repeating a run therefore requests nothing twice, and retries
//! what failed.

use std::{io::Write, sync::Arc};

use futures_util::future::join_all;
use lacre_domain::{Environment, SignerProfile, Timestamping};
use lacre_proof::Token;
use lacre_storage::{DatedCheckpoint, Renewable, within};
use lacre_transparency::{Checkpoint, Sha256Digest, SignedNote};
use lacre_tsa::Authorities;
use time::Date;
use tokio::time::Instant;

use super::{Error, Sequencer, UNDATED, witness::Witness};

impl Sequencer {
    /// Creates the first checkpoint of logs that have none, and dates the logs that have leaves. The timestamps come
    /// from the authorities of each environment's signer profile, if it names any. A witness that does not cosign is
    /// not an error. Then renews the timestamps that expire soon. Metrics are written to `metrics`: whether something is
    /// missing, and whether leaves wait because the log was contradicted.
    ///
    /// # Errors
    /// The [`Error`] of one log, after all others were processed; the next run does what is missing.
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
                tracing::warn!(environment = environment.name(), cause = %fault, "the day's checkpoint is incomplete");
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
        outcome.and(self.renew(&profiles, metrics).await)
    }

    /// Requests what the day's checkpoint of an environment lacks.
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
        // Cosignatures and the timestamp are independent, so they are requested concurrently.
        let (mut faults, stamped) = tokio::join!(self.cosign(environment, day, &note, witnesses), async {
            match (timestamp, profile) {
                (None, Some(profile)) => self.stamp(environment, day, &note, profile).await,
                _ => Ok(()),
            }
        });
        faults.extend(stamped.err());
        faults
    }

    /// The checkpoint selected for a day. If there is none, selects the last one; `None` before the log's first leaf.
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

    /// Requests a timestamp of the checkpoint's text, which is also what its signatures cover, and a second one under
    /// another root if an authority gives one.
    async fn stamp(
        &self,
        environment: Environment,
        day: Date,
        note: &SignedNote,
        profile: &SignerProfile,
    ) -> Result<(), Error> {
        let Some(timestamps) = &profile.timestamps else { return Ok(()) };
        let digest = Sha256Digest::of(note.text.as_bytes());
        let (token, second) = self.two_timestamps(timestamps, *digest.as_bytes()).await?;
        let second = second.as_ref().map(Token::der);
        Ok(self.files.add_tokens(environment, Renewable::Day(day), token.der(), second).await?)
    }

    /// Requests a token, and a second one under another root if the authorities have one.
    pub(crate) async fn two_timestamps(
        &self,
        timestamps: &Timestamping,
        message_sha256: [u8; 32],
    ) -> Result<(Token, Option<Token>), Error> {
        let authorities = Authorities::new(&timestamps.authorities, &timestamps.roots_pem, Arc::clone(&self.clock));
        let authorities = authorities.map_err(Error::Timestamp)?;
        let asking = authorities.until(Instant::now() + self.budgets.timestamps, self.budgets.timestamp_attempt);
        asking.two_timestamps(message_sha256).await.map_err(|failure| Error::Timestamp(failure.to_string()))
    }
}
