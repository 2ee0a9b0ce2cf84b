//! API keys, with which a client's backend creates sessions.

use std::sync::Arc;

use lacre_api::admin::{ApiKeyView, NewApiKey};
use lacre_domain::{
    ApiKey, ApiKeyIssue, ApiKeyRecord, ClientId, Clock, Environment, KeyId, KeyStatus, Operation, clock::rfc3339,
};
use lacre_storage::{Connection, IssuedApiKey, Listed, PageRequest, Register};

use crate::{
    Error,
    caller::Auditor,
    clients::{active_client, existing_client, name_for_people},
};

/// The operations on API keys.
pub struct ApiKeys {
    register: Register,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl ApiKeys {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self { register: Register::new(connection), auditor, clock }
    }

    /// Issues an API key to a client that is not suspended.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`], [`Error::Refused`]. If the outcome at AWS is unknown, a key may exist
    /// that nobody has seen; the list of keys shows it.
    pub async fn issue(&self, client_id: &ClientId, environment: Environment, name: &str) -> Result<NewApiKey, Error> {
        let entry = self.auditor.entry(Operation::IssueApiKey).for_client(client_id);
        let issued = async {
            let client = active_client(&self.register, client_id).await?;
            let key = ApiKey::from_entropy(lacre_storage::entropy());
            let (name, key_suffix) = (name_for_people(name)?, Some(key.suffix().to_owned()));
            let issued = IssuedApiKey {
                hash: key.hash(),
                record: ApiKeyRecord {
                    client_id: client_id.clone(),
                    environment,
                    status: KeyStatus::Active,
                    client_status: client.status,
                },
                issue: ApiKeyIssue { name, key_suffix, issued_at: self.clock.now() },
            };
            let detail = format!("{} in {}", issued.issue.name, environment.name());
            let entry = entry.clone().about(issued.hash.id()).with_detail(detail);
            match self.register.add_api_key(&issued, &entry).await? {
                true => Ok(NewApiKey { api_key: key.expose().to_owned(), view: view(&issued) }),
                false => Err(Error::changed_meanwhile("client")),
            }
        };
        let issued = issued.await;
        self.auditor.keep(&entry, issued).await
    }

    /// The API keys of a client, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for an invalid cursor.
    pub async fn list(&self, client_id: &ClientId, page: &PageRequest) -> Result<Listed<ApiKeyView>, Error> {
        existing_client(&self.register, client_id).await?;
        let found = self.register.api_keys(client_id, page).await?;
        let views = found.entries.iter().map(view).collect();
        Ok(found.with(views))
    }

    /// Revokes an API key permanently. Sessions that it created continue.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if it is already revoked.
    pub async fn revoke(&self, client_id: &ClientId, id: &KeyId) -> Result<ApiKeyView, Error> {
        let entry = self.auditor.entry(Operation::RevokeApiKey).for_client(client_id);
        let revoked = async {
            existing_client(&self.register, client_id).await?;
            let known = self.register.api_key(client_id, id).await?;
            let mut key = known.ok_or_else(|| Error::not_found("API key", id))?;
            if !self.register.revoke_api_key(&key.hash, &entry.clone().about(id)).await? {
                return Err(Error::Refused(format!("API key {id} is already revoked")));
            }
            key.record.status = KeyStatus::Revoked;
            Ok(view(&key))
        };
        let revoked = revoked.await;
        self.auditor.keep(&entry, revoked).await
    }
}

fn view(issued: &IssuedApiKey) -> ApiKeyView {
    ApiKeyView {
        id: issued.hash.id().as_str().into(),
        name: issued.issue.name.clone(),
        client_id: issued.record.client_id.clone(),
        environment: issued.record.environment,
        status: issued.record.status,
        client_status: issued.record.client_status,
        issued_at: rfc3339(issued.issue.issued_at).into(),
        key_prefix: ApiKey::prefix().to_owned(),
        key_suffix: issued.issue.key_suffix.clone().map(Into::into),
    }
}
