//! The secrets that sign webhooks: each belongs to a client and environment, is shown once, and is rotated with an
//! overlap.

use lacre_api::admin::{
    NewWebhookSecret, WebhookSecretState, WebhookSecretView,
    limits::{WEBHOOK_SECRET_OVERLAP, WEBHOOK_SECRET_OVERLAP_MAX, WEBHOOK_SECRETS_MAX},
};
use lacre_domain::{
    AuditEntry, ClientId, Environment, Operation, WebhookSecret, WebhookSecretId, WebhookSecretRecord, clock::rfc3339,
};
use time::{Duration, OffsetDateTime};

use super::Webhooks;
use crate::{
    Error,
    clients::{active_client, existing_client},
    new_id,
};

impl Webhooks {
    /// Issues the first secret of a client in an environment.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the client is suspended or already has a secret in force. If AWS's
    /// response is lost, a secret may exist that nobody has seen; the list shows it.
    pub async fn issue_secret(
        &self,
        client_id: &ClientId,
        environment: Environment,
    ) -> Result<NewWebhookSecret, Error> {
        let entry = self.auditor.entry(Operation::IssueWebhookSecret).for_client(client_id);
        let issued = async {
            active_client(&self.register, client_id).await?;
            let known = self.secrets.records(client_id, environment).await?;
            if is_signed(&known, self.clock.now()) {
                let environment = environment.name();
                return Err(Error::Refused(format!(
                    "client {client_id} has a webhook secret in {environment}; rotate it instead"
                )));
            }
            self.add_secret(client_id, environment, &[], self.clock.now(), &entry).await
        };
        let issued = issued.await;
        self.auditor.keep(&entry, issued).await
    }

    /// Issues another secret. Earlier secrets continue to sign for an overlap, so that the receiver can switch.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] for an overlap of more than seven days; [`Error::Refused`] if no secret
    /// is in force, or five are. If AWS's response is lost, a secret may exist that nobody has seen; the list shows it.
    pub async fn rotate_secret(
        &self,
        client_id: &ClientId,
        environment: Environment,
        overlap: Option<Duration>,
    ) -> Result<NewWebhookSecret, Error> {
        let entry = self.auditor.entry(Operation::RotateWebhookSecret).for_client(client_id);
        let rotated = self.rotate_secret_as(client_id, environment, overlap, &entry).await;
        self.auditor.keep(&entry, rotated).await
    }

    async fn rotate_secret_as(
        &self,
        client_id: &ClientId,
        environment: Environment,
        overlap: Option<Duration>,
        entry: &AuditEntry,
    ) -> Result<NewWebhookSecret, Error> {
        let overlap = overlap.unwrap_or(WEBHOOK_SECRET_OVERLAP);
        if overlap.is_negative() || overlap > WEBHOOK_SECRET_OVERLAP_MAX {
            return Err(Error::Invalid(format!(
                "the overlap is at most {} hours",
                WEBHOOK_SECRET_OVERLAP_MAX.whole_hours()
            )));
        }
        existing_client(&self.register, client_id).await?;
        let now = self.clock.now();
        let records = self.secrets.records(client_id, environment).await?;
        let live: Vec<_> = records.into_iter().filter(|record| record.is_live(now)).collect();
        match live.len() {
            0 => Err(no_secret(client_id, environment)),
            WEBHOOK_SECRETS_MAX.. => {
                Err(Error::Refused(format!("{WEBHOOK_SECRETS_MAX} secrets sign already; revoke one first")))
            }
            _ => {
                let ends_at = now + overlap;
                let longer: Vec<_> = live.into_iter().filter(|record| record.is_live(ends_at)).collect();
                self.add_secret(client_id, environment, &longer, ends_at, entry).await
            }
        }
    }

    /// Ends a secret at once. Messages that were sent before keep their signatures. The last secret in force of an
    /// environment is ended only if the caller confirms that it is the last: afterwards hosted sessions end without a
    /// webhook.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if it has already ended, or is the last one without
    /// a confirmation.
    pub async fn revoke_secret(
        &self,
        client_id: &ClientId,
        id: &WebhookSecretId,
        even_the_last: bool,
    ) -> Result<WebhookSecretView, Error> {
        let entry = self.auditor.entry(Operation::RevokeWebhookSecret).for_client(client_id);
        let revoked = async {
            existing_client(&self.register, client_id).await?;
            let known = self.secret_records(client_id).await?;
            let record = known.iter().find(|record| record.id == *id).cloned();
            let record = record.ok_or_else(|| Error::not_found("webhook secret", id))?;
            let entry = entry.clone().about(id).with_detail(record.environment.name());
            if !even_the_last && is_last(&record, &known, entry.at) {
                let environment = record.environment.name();
                return Err(Error::Refused(format!(
                    "webhook secret {id} is the last one that signs in {environment}, and no webhook is sent without one: \
                     issue another first, or confirm that it is the last"
                )));
            }
            if !record.is_live(entry.at) || !self.secrets.end(&record, &entry).await? {
                return Err(Error::Refused(format!("webhook secret {id} has already ended")));
            }
            Ok(view(&WebhookSecretRecord { ends_at: Some(entry.at), ..record }, entry.at))
        };
        let revoked = revoked.await;
        self.auditor.keep(&entry, revoked).await
    }

    /// Whether a secret is the only one in force in its environment.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn is_last_secret(&self, client_id: &ClientId, id: &WebhookSecretId) -> Result<bool, Error> {
        existing_client(&self.register, client_id).await?;
        let (known, now) = (self.secret_records(client_id).await?, self.clock.now());
        Ok(known.iter().any(|record| record.id == *id && is_last(record, &known, now)))
    }

    /// A client's webhook secrets, by environment and then oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn secrets(&self, client_id: &ClientId) -> Result<Vec<WebhookSecretView>, Error> {
        existing_client(&self.register, client_id).await?;
        let now = self.clock.now();
        let records = self.secret_records(client_id).await?;
        Ok(records.iter().map(|record| view(record, now)).collect())
    }

    async fn secret_records(&self, client: &ClientId) -> Result<Vec<WebhookSecretRecord>, Error> {
        let [live, staging, sandbox] = Environment::ALL.map(|environment| self.secrets.records(client, environment));
        let (live, staging, sandbox) = tokio::try_join!(live, staging, sandbox)?;
        Ok([live, staging, sandbox].concat())
    }

    async fn add_secret(
        &self,
        client_id: &ClientId,
        environment: Environment,
        before: &[WebhookSecretRecord],
        ends_at: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<NewWebhookSecret, Error> {
        let (secret, issued_at) = (WebhookSecret::from_entropy(lacre_storage::entropy()), self.clock.now());
        let client_id = client_id.clone();
        let record = WebhookSecretRecord {
            id: WebhookSecretId::from_u128(new_id(issued_at)),
            client_id,
            environment,
            issued_at,
            ends_at: None,
        };
        let entry = entry.clone().about(&record.id).with_detail(environment.name());
        match self.secrets.add(&record, &secret, before, ends_at, &entry).await? {
            true => Ok(NewWebhookSecret { webhook_secret: secret.expose(), view: view(&record, issued_at) }),
            false => Err(Error::changed_meanwhile("webhook secret")),
        }
    }
}

fn view(record: &WebhookSecretRecord, now: OffsetDateTime) -> WebhookSecretView {
    WebhookSecretView {
        id: record.id.clone(),
        client_id: record.client_id.clone(),
        environment: record.environment,
        state: if record.is_live(now) { WebhookSecretState::Live } else { WebhookSecretState::Ended },
        issued_at: rfc3339(record.issued_at).into(),
        ends_at: record.ends_at.map(rfc3339).map(Into::into),
    }
}

/// Whether webhooks are signed: one of the secrets of a client and environment is in force.
pub(crate) fn is_signed(known: &[WebhookSecretRecord], now: OffsetDateTime) -> bool {
    known.iter().any(|record| record.is_live(now))
}

/// Whether a secret is in force and none of the other known ones in its environment is.
fn is_last(record: &WebhookSecretRecord, known: &[WebhookSecretRecord], now: OffsetDateTime) -> bool {
    let others = known.iter().filter(|other| other.environment == record.environment && other.id != record.id);
    record.is_live(now) && !others.into_iter().any(|other| other.is_live(now))
}

pub(crate) fn no_secret(client: &ClientId, environment: Environment) -> Error {
    Error::Refused(format!("client {client} has no webhook secret in {}; issue one first", environment.name()))
}
