//! The secrets that sign webhooks, in the `Accounts` table: encrypted, in a separate partition for each client and
//! environment.

use lacre_domain::{AuditEntry, ClientId, Environment, WebhookSecret, WebhookSecretRecord, clock::epoch_millis};
use time::OffsetDateTime;

use crate::{
    Audit, ChangeError, Connection, Error,
    account_keys::{Key, key_item, webhook_secret_key, webhook_secrets_partition},
    envelope::{Encrypted, Envelopes, Purpose},
    item::{Item, decode, encode, number, query, text, value},
    transaction::{IS_NEW, put, update},
};

/// Reads and writes webhook secrets.
#[derive(Clone, Debug)]
pub struct WebhookSecrets {
    client: aws_sdk_dynamodb::Client,
    table: String,
    envelopes: Envelopes,
    audit: Audit,
}

impl WebhookSecrets {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.accounts.read(),
            envelopes: Envelopes::new(connection, &connection.config.webhooks_key_arn),
            audit: Audit::of_port(connection),
        }
    }

    /// The records of a client's secrets in an environment, oldest first, without the secrets themselves.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn records(
        &self,
        client: &ClientId,
        environment: Environment,
    ) -> Result<Vec<WebhookSecretRecord>, Error> {
        let items = self.items(client, environment).await?;
        let records: Result<Vec<WebhookSecretRecord>, _> =
            items.into_iter().map(|item| decode("webhook secret", item)).collect();
        let mut records = records?;
        records.sort_by_key(|record| epoch_millis(record.issued_at));
        Ok(records)
    }

    /// Stores a new secret, and sets the end of earlier ones to `ends_at` if they would sign longer. Returns `false` if
    /// another request changed one of them in the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add(
        &self,
        record: &WebhookSecretRecord,
        secret: &WebhookSecret,
        before: &[WebhookSecretRecord],
        ends_at: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let encrypted =
            self.envelopes.data_key(Purpose::WebhookSecret, record.id.as_str()).await?.encrypt(secret.as_bytes())?;
        let (pk, sk) = key_of(record);
        let mut item = encode("webhook secret", record, [("pk", text(pk)), ("sk", text(sk))])?;
        item.extend(value("webhook secret", &encrypted)?);
        let mut items = vec![put(&self.table, item, IS_NEW, &[])?];
        for record in before {
            items.push(self.ending(record, ends_at)?);
        }
        self.audit.write(items, entry).await
    }

    /// Ends a secret at the entry's time, unless it ends earlier. Returns `false` if it does, or if it does not exist.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn end(&self, record: &WebhookSecretRecord, entry: &AuditEntry) -> Result<bool, ChangeError> {
        self.audit.write(vec![self.ending(record, entry.at)?], entry).await
    }

    /// The secrets that sign for a client in an environment at `now`, newest first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn live(
        &self,
        client: &ClientId,
        environment: Environment,
        now: OffsetDateTime,
    ) -> Result<Vec<WebhookSecret>, Error> {
        let mut live = Vec::new();
        for item in self.items(client, environment).await? {
            let record: WebhookSecretRecord = decode("webhook secret", item.clone())?;
            if record.is_live(now) {
                live.push((record, decode::<Encrypted>("webhook secret", item)?));
            }
        }
        live.sort_by_key(|(record, _)| std::cmp::Reverse(epoch_millis(record.issued_at)));
        let mut secrets = Vec::with_capacity(live.len());
        for (record, encrypted) in live {
            let bytes = self.envelopes.decrypt(Purpose::WebhookSecret, record.id.as_str(), &encrypted).await?;
            let bytes = <[u8; 32]>::try_from(bytes.as_slice());
            let corrupt = |_| Error::Corrupt { what: "webhook secret", cause: "not of 32 bytes".into() };
            secrets.push(WebhookSecret::from_entropy(bytes.map_err(corrupt)?));
        }
        Ok(secrets)
    }

    async fn items(&self, client: &ClientId, environment: Environment) -> Result<Vec<Item>, Error> {
        query(&self.client, &self.table, &webhook_secrets_partition(client, environment), "").await
    }

    fn ending(
        &self,
        record: &WebhookSecretRecord,
        at: OffsetDateTime,
    ) -> Result<aws_sdk_dynamodb::types::TransactWriteItem, Error> {
        let (pk, sk) = key_of(record);
        let condition = "attribute_exists(pk) AND (attribute_not_exists(ends_at) OR ends_at > :at)";
        let at = [(":at", number(epoch_millis(at)))];
        update(&self.table, key_item(&pk, &sk), "SET ends_at = :at", condition, &[], &at)
    }
}

fn key_of(record: &WebhookSecretRecord) -> Key {
    webhook_secret_key(&record.client_id, record.environment, &record.id)
}
