//! `signer timestamps`: sets the timestamp authorities of an environment.

use std::sync::Arc;

use lacre_domain::{Environment, Operation, Timestamping};
use lacre_proof::{Anchors, PolicyStanding};
use lacre_tsa::Authorities;

use super::{SignerAdministration, Standing, authority};
use crate::Error;

impl SignerAdministration {
    /// Sets an environment's timestamp authorities in order of preference, or removes them. Each must first return a
    /// timestamp to a real request.
    ///
    /// # Errors
    /// [`Error::Invalid`] if URLs, roots or policy cannot be used, or an authority returns no valid timestamp;
    /// [`Error::Refused`] if the profile was changed in the meantime.
    pub async fn set_timestamps(
        &self,
        environment: Environment,
        timestamps: Option<Timestamping>,
    ) -> Result<Standing, Error> {
        // The audit entry names the authorities without user and password.
        let places = timestamps.iter().flat_map(|timestamps| &timestamps.authorities).map(|url| lacre_tsa::place(url));
        let places = places.collect::<Vec<_>>().join(" ");
        let entry = self.auditor.entry(Operation::SetTimestamps).about(environment.name());
        let entry = entry.with_detail(if places.is_empty() { "none".to_owned() } else { places });
        let set = async {
            if let Some(timestamps) = &timestamps {
                self.check_timestamps(timestamps).await?;
            }
            self.install_timestamps(environment, timestamps, &entry).await
        };
        let set = set.await;
        self.auditor.keep(&entry, set).await
    }

    async fn check_timestamps(&self, timestamps: &Timestamping) -> Result<(), Error> {
        let Timestamping { authorities, roots_pem, policy } = timestamps;
        PolicyStanding::of_timestamped(policy).map_err(Error::Invalid)?;
        // The anchors must be roots: if a chain ended at an authority below a root, tokens would lack certificates that
        // those who trust the root need.
        Anchors::of_roots(roots_pem).map_err(|fault| Error::Invalid(format!("the authorities' roots: {fault}")))?;
        Authorities::new(authorities, roots_pem, Arc::clone(&self.clock)).map_err(Error::Invalid)?;
        for url in authorities {
            let asked = authority::ask(url, roots_pem, &self.clock).await;
            asked.map_err(|fault| Error::Invalid(format!("the timestamp authority {fault}")))?;
        }
        Ok(())
    }
}
