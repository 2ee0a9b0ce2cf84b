//! API keys: what a client's backend creates sessions with.

use aws::{IssuedApiKey, Listed, PageRequest};
use domain::{
    ApiKey, ApiKeyIssue, ApiKeyRecord, ClientId, ClientStatus, Environment, KeyStatus, Operation, clock::rfc3339,
};
use serde::Serialize;

use crate::{Administration, Error, clients::name_for_people};

/// The length of an id: a prefix of the key's hash.
const ID_CHARS: usize = 16;

/// An API key as operators see it: never the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiKeyView {
    /// The first 16 hexadecimal characters of the key's SHA-256. The first 8 of them are what logs name.
    pub id: String,
    /// The name that operators see.
    pub name: String,
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it is for.
    pub environment: Environment,
    /// Whether it is in force, or was revoked.
    pub status: KeyStatus,
    /// Whether its client is suspended, and the key refused.
    pub client_status: ClientStatus,
    /// When it was issued: RFC 3339, UTC.
    pub issued_at: String,
    /// How the key begins: `svc_api_`.
    pub key_prefix: &'static str,
    /// The last four characters of the key; `null` for one of an earlier version.
    pub key_suffix: Option<String>,
}

/// A key that was issued: the one time at which it is shown.
#[derive(Serialize)]
pub struct NewApiKey {
    /// The key itself.
    pub api_key: String,
    /// The stored part.
    #[serde(flatten)]
    pub view: ApiKeyView,
}

impl Administration {
    /// Issues an API key to a client that is not suspended.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`], [`Error::Refused`]. If it stays unknown whether AWS did it, a key may exist
    /// whose secret is unknown; the list of keys shows it.
    pub async fn issue_api_key(
        &self,
        client_id: &ClientId,
        environment: Environment,
        name: &str,
    ) -> Result<NewApiKey, Error> {
        let entry = self.auditor.entry_for(Operation::IssueApiKey, client_id);
        let issued = async {
            let client = self.client(client_id).await?;
            if client.status == ClientStatus::Suspended {
                return Err(Error::Refused(format!("client {client_id} is suspended; resume it first")));
            }
            let key = ApiKey::from_entropy(aws::entropy());
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
            let entry = entry.clone().about(ApiKeyView::id(&issued)).with_detail(detail);
            match self.register.add_api_key(&issued, &entry).await? {
                true => Ok(NewApiKey { api_key: key.expose().to_owned(), view: ApiKeyView::of(&issued) }),
                false => Err(Error::changed_meanwhile("client")),
            }
        };
        let issued = issued.await;
        self.auditor.keep(&entry, issued).await
    }

    /// The API keys of a client, the oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for a cursor that was not given.
    pub async fn api_keys(&self, client_id: &ClientId, page: &PageRequest) -> Result<Listed<ApiKeyView>, Error> {
        self.client(client_id).await?;
        let found = self.register.api_keys(client_id, page).await?;
        let views = found.entries.iter().map(ApiKeyView::of).collect();
        Ok(found.with(views))
    }

    /// Revokes an API key permanently. Sessions that it created go on.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NotFound`]; [`Error::Refused`] when it is revoked already.
    pub async fn revoke_api_key(&self, client_id: &ClientId, id: &str) -> Result<ApiKeyView, Error> {
        let entry = self.auditor.entry_for(Operation::RevokeApiKey, client_id);
        let revoked = async {
            check_key_id(id)?;
            self.client(client_id).await?;
            let known = self.register.api_key(client_id, id).await?;
            let mut key = known.ok_or_else(|| Error::not_found("API key", &id))?;
            if !self.register.revoke_api_key(&key.hash, &entry.clone().about(id)).await? {
                return Err(Error::Refused(format!("API key {id} is already revoked")));
            }
            key.record.status = KeyStatus::Revoked;
            Ok(ApiKeyView::of(&key))
        };
        let revoked = revoked.await;
        self.auditor.keep(&entry, revoked).await
    }
}

impl ApiKeyView {
    fn of(issued: &IssuedApiKey) -> Self {
        Self {
            id: Self::id(issued),
            name: issued.issue.name.clone(),
            client_id: issued.record.client_id.clone(),
            environment: issued.record.environment,
            status: issued.record.status,
            client_status: issued.record.client_status,
            issued_at: rfc3339(issued.issue.issued_at),
            key_prefix: ApiKey::prefix(),
            key_suffix: issued.issue.key_suffix.clone(),
        }
    }

    fn id(issued: &IssuedApiKey) -> String {
        issued.hash.as_str().chars().take(ID_CHARS).collect()
    }
}

/// A malformed id may be a pasted key, so it is never echoed.
fn check_key_id(id: &str) -> Result<(), Error> {
    match id.len() == ID_CHARS && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        true => Ok(()),
        false => Err(Error::Invalid(format!("an API key's id is {ID_CHARS} hexadecimal characters"))),
    }
}
