//! Clients in the register, and the copies of their status.

use std::collections::BTreeSet;

use lacre_domain::{AuditEntry, AuditOutcome, Client, ClientId, ClientStatus, LicenseIssue};

use super::{Register, names::folded, value};
use crate::{
    ChangeError, Error,
    account_keys::{Key, api_key_key, client_item_key, key_item, license_key_key, replicas},
    item::{decode, holds},
    paging::{Listed, PageError, PageRequest},
    transaction::{self, update},
};

/// The partition that lists all clients.
const CLIENTS: &str = "clients";
/// The number of copies per transaction, besides the check of their client. DynamoDB allows 100 items.
const COPIES: usize = 50;

impl Register {
    /// Adds a new client.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_client(&self, client: &Client, entry: &AuditEntry) -> Result<bool, ChangeError> {
        let listed = (CLIENTS.to_owned(), format!("{}#{}", folded(&client.name), client.id));
        let mut items = self.put("client", client, &client_item_key(&client.id))?;
        items.push(self.list(listed)?);
        self.audit.write(items, entry).await
    }

    /// Reads a client; `None` if it does not exist.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn client(&self, id: &ClientId) -> Result<Option<Client>, Error> {
        let found = self.read(vec![client_item_key(id)]).await?.pop();
        found.map(|item| decode("client", item)).transpose()
    }

    /// The clients whose names begin with a text, ignoring case and accents, ordered by name.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn clients(&self, beginning: &str, page: &PageRequest) -> Result<Listed<Client>, PageError> {
        let ids = self.page(CLIENTS, &folded(beginning), page).await?;
        let keys = ids.entries.iter().filter_map(|id| Some(client_item_key(&ClientId::parse(id).ok()?))).collect();
        let clients = self.read_in_order(keys).await?.into_iter().map(|item| decode("client", item));
        let clients = clients.collect::<Result<_, _>>()?;
        Ok(ids.with(clients))
    }

    /// Reads clients by their ids; those that do not exist are omitted.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn clients_of(&self, ids: &[ClientId]) -> Result<Vec<Client>, Error> {
        let keys: BTreeSet<Key> = ids.iter().map(client_item_key).collect();
        let found = self.read(keys.into_iter().collect()).await?;
        found.into_iter().map(|item| decode("client", item)).collect()
    }

    /// Sets a client's status in its own record and in every copy. Returns `false` if the client does not exist, or if
    /// another operator set the other status in the meantime; that operator's call then prevails.
    ///
    /// # Errors
    /// [`ChangeError`]. After [`Error::Unavailable`], the client's own status may be set and some copies may not be;
    /// repeating the call repairs that. After [`Error::Corrupt`], all other copies were set: a license is corrupt, so
    /// its key could not be found.
    pub async fn set_client_status(
        &self,
        id: &ClientId,
        status: ClientStatus,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let (names, values) = ([("#status", "status")], [(":status", value(&status)?)]);
        let (set, is_there) = ("SET #status = :status", "attribute_exists(pk)");
        let set = replicas(&client_item_key(id))
            .into_iter()
            .map(|(pk, sk)| update(&self.table, key_item(&pk, &sk), set, is_there, &names, &values));
        match self.audit.write(set.collect::<Result<_, _>>()?, entry).await {
            Ok(set) => Ok(set && self.copy_client_status(id, status).await?),
            // The first call may have been interrupted before it wrote the copies.
            Err(repeated @ ChangeError::Repeated { outcome: AuditOutcome::Done, .. }) => {
                self.copy_client_status(id, status).await?;
                Err(repeated)
            }
            Err(error) => Err(error),
        }
    }

    async fn copy_client_status(&self, id: &ClientId, status: ClientStatus) -> Result<bool, Error> {
        let (keys, unreadable) = self.keys_of(id).await?;
        for keys in keys.chunks(COPIES) {
            let mut items = vec![self.client_is(id, status)?];
            for (pk, sk) in keys {
                let (set, values) = ("SET client_status = :status", [(":status", value(&status)?)]);
                items.push(update(&self.table, key_item(pk, sk), set, "attribute_exists(pk)", &[], &values)?);
            }
            if !transaction::write(&self.client, items).await? {
                return Ok(false);
            }
        }
        unreadable.map_or(Ok(true), Err)
    }

    /// The keys of the records of a client's API keys and license keys, with their replicas. Also returns the error of
    /// the first license that is corrupt and whose key is therefore unknown; the other records are still found.
    async fn keys_of(&self, id: &ClientId) -> Result<(Vec<Key>, Option<Error>), Error> {
        let (api_keys, licenses) = tokio::try_join!(self.api_key_hashes(id), self.license_items(id))?;
        let mut unreadable = None;
        let mut keys: Vec<Key> = api_keys.iter().map(api_key_key).collect();
        for license in licenses {
            match decode::<LicenseIssue>("license", license) {
                Ok(issue) => keys.extend(replicas(&license_key_key(&issue.key))),
                Err(error) => unreadable = unreadable.or(Some(error)),
            }
        }
        let there = self.read(keys.clone()).await?;
        keys.retain(|(pk, sk)| there.iter().any(|item| holds(item, &key_item(pk, sk))));
        Ok((keys, unreadable))
    }
}
