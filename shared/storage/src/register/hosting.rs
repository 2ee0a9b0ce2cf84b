//! The kits and the sender of a client in the register.
//!
//! Invariant: a version of a kit is put once, on the condition that its item is new, and never changed or deleted. The state
//! of the kit changes in the same transaction, on the condition that it is still the one that the caller read. So of two
//! operators who put a kit concurrently one is refused, and the versions of a kit are those from 1 to the current one,
//! without a gap.

use aws_sdk_dynamodb::types::TransactWriteItem;
use lacre_api::kit::KitName;
use lacre_domain::{AuditEntry, ClientId, Environment, KitRecord, KitState, SenderRecord};
use serde::{Serialize, de::DeserializeOwned};

use super::{IS_NEW, Register, value};
use crate::{
    ChangeError, Error,
    account_keys::{Key, hosting_partition, kit_state_key, kit_version_key, sender_key},
    item::{Item, decode, encode, text},
    paging::{List, Listed, PageError, PageRequest},
    transaction::put,
};

/// The beginning of the sort keys of the states of kits.
const STATES: &str = "kits#";

impl Register {
    /// The kits of a client in an environment, by name.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn kits(
        &self,
        client: &ClientId,
        environment: Environment,
        page: &PageRequest,
    ) -> Result<Listed<(KitName, KitState)>, PageError> {
        let partition = hosting_partition(client, environment);
        let found = List::of_accounts(&self.table, &partition, STATES).page(&self.client, page).await?;
        found.read(|item| {
            let name = item.get("sk").and_then(|sk| sk.as_s().ok()?.strip_prefix(STATES)).unwrap_or_default();
            Ok((name.into(), decode("state of a kit", item)?))
        })
    }

    /// Whether a client has at least this many kits in an environment, retired ones included.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn has_kits(&self, client: &ClientId, environment: Environment, count: usize) -> Result<bool, Error> {
        let partition = hosting_partition(client, environment);
        let (found, more) = List::of_accounts(&self.table, &partition, STATES).count(&self.client, count).await?;
        Ok(found == count || more)
    }

    /// The state of a kit; `None` if there is no such kit.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn kit_state(
        &self,
        client: &ClientId,
        environment: Environment,
        name: &KitName,
    ) -> Result<Option<KitState>, Error> {
        self.read_one("state of a kit", kit_state_key(client, environment, name)).await
    }

    /// A version of a kit; `None` if there is no such version.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn kit_version(
        &self,
        client: &ClientId,
        environment: Environment,
        name: &KitName,
        version: u32,
    ) -> Result<Option<KitRecord>, Error> {
        self.read_one("kit", kit_version_key(client, environment, name, version)).await
    }

    /// Puts a version of a kit, which becomes the current one. Returns `false` if the state is no longer `before`.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn put_kit(
        &self,
        client: &ClientId,
        environment: Environment,
        name: &KitName,
        before: Option<&KitState>,
        record: &KitRecord,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let version = keyed("kit", record, kit_version_key(client, environment, name, record.version))?;
        let state = KitState { version: record.version, retired: false };
        let state = keyed("state of a kit", &state, kit_state_key(client, environment, name))?;
        let state = match before {
            Some(before) => self.replace_state(state, before)?,
            None => put(&self.table, state, IS_NEW, &[])?,
        };
        self.audit.write(vec![put(&self.table, version, IS_NEW, &[])?, state], entry).await
    }

    /// Retires a kit. Returns `false` if its state is no longer `before`.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn retire_kit(
        &self,
        client: &ClientId,
        environment: Environment,
        name: &KitName,
        before: &KitState,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let retired = KitState { retired: true, ..before.clone() };
        let retired = keyed("state of a kit", &retired, kit_state_key(client, environment, name))?;
        self.audit.write(vec![self.replace_state(retired, before)?], entry).await
    }

    /// The sender of a client's hosted sessions in an environment; `None` if none was set.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn sender(&self, client: &ClientId, environment: Environment) -> Result<Option<SenderRecord>, Error> {
        self.read_one("sender", sender_key(client, environment)).await
    }

    /// Sets the sender of a client's hosted sessions in an environment. Of two concurrent calls the last one prevails.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn set_sender(
        &self,
        client: &ClientId,
        environment: Environment,
        record: &SenderRecord,
        entry: &AuditEntry,
    ) -> Result<(), ChangeError> {
        let sender = keyed("sender", record, sender_key(client, environment))?;
        // Only the entry has a condition, and it is reported as an error.
        self.audit.write(vec![put(&self.table, sender, None, &[])?], entry).await.map(|_| ())
    }

    /// The write that replaces the state of a kit, if it is still `before`.
    fn replace_state(&self, state: Item, before: &KitState) -> Result<TransactWriteItem, Error> {
        let values = [(":version", value(&before.version)?), (":retired", value(&before.retired)?)];
        put(&self.table, state, Some("version = :version AND retired = :retired"), &values)
    }

    async fn read_one<T: DeserializeOwned>(&self, what: &'static str, key: Key) -> Result<Option<T>, Error> {
        self.read(vec![key]).await?.pop().map(|item| decode(what, item)).transpose()
    }
}

/// A record with its primary key.
fn keyed<T: Serialize>(what: &'static str, record: &T, (pk, sk): Key) -> Result<Item, Error> {
    encode(what, record, [("pk", text(pk)), ("sk", text(sk))])
}
