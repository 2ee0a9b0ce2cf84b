//! The dating of the logs: once a day, a checkpoint gets the cosignatures of witnesses and a timestamp.
//!
//! A checkpoint states no time. A day's first run takes the last checkpoint as the day's; that run and those after it ask for
//! what it still lacks. So to repeat it asks nobody twice, and what failed is tried again.

use std::sync::Arc;

use aws::{DatedCheckpoint, within};
use domain::{Environment, SignerProfile};
use futures_util::future::join_all;
use proof::TimestampSource;
use time::Date;
use tokio::time::Instant;
use transparency::{Checkpoint, Sha256Digest, SignedNote};
use tsa::Authorities;

use super::{
    Error, Sequencer,
    witness::{Witness, WitnessError},
};

impl Sequencer {
    /// Dates the logs that have a checkpoint: the timestamp is by the authorities of the environment's signer profile, if it
    /// names any. A witness that does not cosign is no error.
    ///
    /// # Errors
    /// [`Error`] of one log, when the others are done: the next run does what is missing.
    pub async fn date(&self) -> Result<(), Error> {
        let witnesses = Witness::list(&self.witnesses).map_err(Error::Witnesses)?;
        let profiles = self.profiles.in_force().await?;
        let profile = |environment| profiles.iter().find(|profile| profile.environment == environment);
        let dated = Environment::ALL.map(|environment| {
            within(self.budgets.request, self.date_one(environment, profile(environment), &witnesses))
        });
        join_all(dated).await.into_iter().collect()
    }

    async fn date_one(
        &self,
        environment: Environment,
        profile: Option<&SignerProfile>,
        witnesses: &[Witness],
    ) -> Result<(), Error> {
        let Some(head) = self.recovered(environment).await? else { return Ok(()) };
        let day = self.clock.now().date();
        let dated = match self.files.dated(environment, day).await? {
            Some(dated) => Some(dated),
            None => {
                self.files.date(environment, day, &head.note).await?;
                self.files.dated(environment, day).await?
            }
        };
        let Some(DatedCheckpoint { note, timestamp }) = dated else { return Ok(()) };
        // The cosignatures do not depend on the timestamp, nor it on them.
        let (cosigned, stamped) = tokio::join!(self.cosign(environment, day, &note, witnesses), async {
            match (timestamp, profile) {
                (None, Some(profile)) => self.stamp(environment, day, &note, profile).await,
                _ => Ok(()),
            }
        });
        cosigned.and(stamped)
    }

    async fn cosign(
        &self,
        environment: Environment,
        day: Date,
        note: &SignedNote,
        witnesses: &[Witness],
    ) -> Result<(), Error> {
        let Ok(checkpoint) = note.text.parse::<Checkpoint>() else { return Ok(()) };
        let (reader, size) = (&self.files.of(environment), checkpoint.size);
        let missing = witnesses.iter().filter(|witness| witness.key.cosigned_at(note).is_none());
        let asked: Vec<_> =
            missing.map(|witness| async move { (witness, witness.cosign(reader, note, size).await) }).collect();
        let (mut cosignatures, mut outcome) = (Vec::new(), Ok(()));
        for (witness, answer) in join_all(asked).await {
            match answer {
                Ok(valid) => cosignatures.extend(valid),
                Err(WitnessError::Log(error)) => outcome = Err(error.into()),
                Err(WitnessError::Refused(cause)) => {
                    tracing::warn!(witness = witness.key.name(), cause, "a witness did not cosign the log");
                }
            }
        }
        if !cosignatures.is_empty() {
            self.files.cosign(environment, day, &cosignatures).await?;
        }
        outcome
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
