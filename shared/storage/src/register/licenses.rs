//! Licenses in the register, and the records of their keys.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::TransactWriteItem;
use lacre_domain::{
    Alert, AuditEntry, Client, ClientId, ClientStatus, Environment, HostedLicense, KeyHash, KeyStatus, License,
    LicenseId, LicenseIssue, LicenseKey, LicenseKeyRecord, clock::epoch_millis,
};

use super::{IS_NEW, Register, names::folded, value};
use crate::{
    ChangeError, Error,
    account_keys::{Key, hosted_license_key, key_item, license_item_key, license_key_key, replicas},
    alerts,
    item::{self, Item, decode, encode, number, text},
    paging::{Listed, PageError, PageRequest},
    transaction::{check, put, update},
};

/// The partition that lists all licenses by the names of their clients.
const LICENSES: &str = "licenses";
/// The partition that lists all licenses by the hashes of their keys.
const LICENSE_KEYS: &str = "license_keys";

/// The complete record of a license.
#[derive(Clone, Debug, PartialEq)]
pub struct IssuedLicense {
    /// The part that requests read.
    pub license: License,
    /// The part for operators.
    pub issue: LicenseIssue,
}

impl Register {
    /// Adds a license with its first key. Returns `false` if its client does not have the given status.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_license(
        &self,
        issued: &IssuedLicense,
        client: &Client,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let License { id, client_id, .. } = &issued.license;
        let key_record = key_record(&issued.license, client.status);
        let mut items = vec![
            self.client_is(client_id, client.status)?,
            self.list((format!("client#{client_id}"), format!("license#{id}")))?,
            self.list((LICENSES.into(), format!("{}#{client_id}#{id}", folded(&client.name))))?,
            self.list(listed_key(&issued.issue.key, id))?,
        ];
        items.extend(self.put_replicas(&license_record(issued)?, &license_item_key(id), IS_NEW, &[])?);
        items.extend(self.put("license key", &key_record, &license_key_key(&issued.issue.key))?);
        self.audit.write(items, entry).await
    }

    /// Reads a license; `None` if it does not exist.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn license(&self, id: &LicenseId) -> Result<Option<IssuedLicense>, Error> {
        self.read(vec![license_item_key(id)]).await?.pop().map(issued_license).transpose()
    }

    /// The licenses of a client, oldest first.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn licenses(&self, client: &ClientId, page: &PageRequest) -> Result<Listed<IssuedLicense>, PageError> {
        self.license_page(&format!("client#{client}"), "license#", page).await
    }

    /// The licenses of clients whose names begin with a text, ignoring case and accents, ordered by name and then by
    /// age.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn licenses_by_name(
        &self,
        beginning: &str,
        page: &PageRequest,
    ) -> Result<Listed<IssuedLicense>, PageError> {
        self.license_page(LICENSES, &folded(beginning), page).await
    }

    /// The licenses with a current or former key whose hash has the given prefix.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn licenses_by_key(
        &self,
        beginning: &str,
        page: &PageRequest,
    ) -> Result<Listed<IssuedLicense>, PageError> {
        self.license_page(LICENSE_KEYS, beginning, page).await
    }

    async fn license_page(
        &self,
        partition: &str,
        prefix: &str,
        page: &PageRequest,
    ) -> Result<Listed<IssuedLicense>, PageError> {
        let mut ids = self.page(partition, prefix, page).await?;
        // A license with several keys appears several times.
        let mut seen = HashSet::new();
        ids.entries.retain(|id| seen.insert(id.clone()));
        let keys = license_keys(&ids.entries);
        let licenses = self.read_in_order(keys).await?.into_iter().map(issued_license).collect::<Result<_, _>>()?;
        Ok(ids.with(licenses))
    }

    /// Replaces `before` with a changed license, updates what its key's record copies, and raises an alert if one is
    /// given. `None` if the license was changed in the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn change_license(
        &self,
        before: &IssuedLicense,
        license: License,
        alert: Option<&Alert>,
        entry: &AuditEntry,
    ) -> Result<Option<IssuedLicense>, ChangeError> {
        let after = IssuedLicense {
            license,
            issue: LicenseIssue { revision: before.issue.revision + 1, ..before.issue.clone() },
        };
        // Updates single attributes, because the client's status in the same record is written by another operation.
        let copies = "SET license_status = :license_status, expires_at = :expires_at, max_captures_per_session = :most";
        let copied = [
            (":license_status", value(&after.license.status)?),
            (":expires_at", number(epoch_millis(after.license.terms.expires_at.0))),
            (":most", value(&after.license.terms.max_captures_per_session)?),
        ];
        let mut items = self.replace(before, &after)?;
        for (pk, sk) in replicas(&license_key_key(&after.issue.key)) {
            items.push(update(&self.table, key_item(&pk, &sk), copies, "attribute_exists(pk)", &[], &copied)?);
        }
        if let Some(alert) = alert {
            items.extend(alerts::raising(&self.table, alert)?);
        }
        Ok(self.audit.write(items, entry).await?.then_some(after))
    }

    /// Gives a license a new key and revokes the old one. `None` if the license or the client's status was changed in
    /// the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn rotate_license_key(
        &self,
        before: &IssuedLicense,
        key: &LicenseKey,
        client: ClientStatus,
        entry: &AuditEntry,
    ) -> Result<Option<IssuedLicense>, ChangeError> {
        let (revision, key_suffix) = (before.issue.revision + 1, Some(key.suffix().to_owned()));
        let issue = LicenseIssue { key: key.hash(), key_suffix, revision, ..before.issue.clone() };
        let after = IssuedLicense { license: before.license.clone(), issue };
        let mut items = vec![
            self.client_is(&after.license.client_id, client)?,
            self.list(listed_key(&after.issue.key, &after.license.id))?,
        ];
        items.extend(self.replace(before, &after)?);
        for key in replicas(&license_key_key(&before.issue.key)) {
            items.push(self.revoke_key(key)?);
        }
        let key_record = key_record(&after.license, client);
        items.extend(self.put("license key", &key_record, &license_key_key(&after.issue.key))?);
        Ok(self.audit.write(items, entry).await?.then_some(after))
    }

    /// Selects the license for a client's hosted sessions in an environment, replacing the previous one. Returns
    /// `false` if the license was changed in the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn name_hosted_license(&self, issued: &IssuedLicense, entry: &AuditEntry) -> Result<bool, ChangeError> {
        let License { id, client_id, environment, .. } = &issued.license;
        let ((pk, sk), (license_pk, license_sk)) = (hosted_license_key(client_id, *environment), license_item_key(id));
        let key = [("pk", text(pk)), ("sk", text(sk))];
        let unchanged = [(":revision", number(issued.issue.revision))];
        let items = vec![
            check(&self.table, key_item(&license_pk, &license_sk), "revision = :revision", &[], &unchanged)?,
            put(&self.table, encode("hosted license", &HostedLicense { license_id: id.clone() }, key)?, None, &[])?,
        ];
        self.audit.write(items, entry).await
    }

    /// The selected hosted license of each environment, for a client.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn hosted_licenses(&self, client: &ClientId) -> Result<Vec<(Environment, LicenseId)>, Error> {
        let keys = Environment::ALL.map(|environment| hosted_license_key(client, environment));
        let items = self.read(keys.to_vec()).await?;
        let mut named = Vec::new();
        for (environment, (pk, sk)) in Environment::ALL.into_iter().zip(&keys) {
            if let Some(item) = items.iter().find(|item| item::holds(item, &key_item(pk, sk))) {
                named.push((environment, decode::<HostedLicense>("hosted license", item.clone())?.license_id));
            }
        }
        Ok(named)
    }

    pub(super) async fn license_items(&self, client: &ClientId) -> Result<Vec<Item>, Error> {
        let ids = self.listed(&format!("client#{client}"), "license#").await?;
        self.read(license_keys(&ids)).await
    }

    fn replace(&self, before: &IssuedLicense, after: &IssuedLicense) -> Result<Vec<TransactWriteItem>, Error> {
        let (unchanged, revision) = ("revision = :revision", [(":revision", number(before.issue.revision))]);
        self.put_replicas(&license_record(after)?, &license_item_key(&after.license.id), Some(unchanged), &revision)
    }
}

/// The keys of licenses by their ids, as lists contain them.
fn license_keys(ids: &[String]) -> Vec<Key> {
    ids.iter().filter_map(|id| Some(license_item_key(&LicenseId::parse(id).ok()?))).collect()
}

/// The list entry that finds a license by the hash of its key. It remains when the key is rotated.
fn listed_key(key: &KeyHash, license: &LicenseId) -> Key {
    (LICENSE_KEYS.into(), format!("{}#{license}", key.as_str()))
}

fn license_record(issued: &IssuedLicense) -> Result<Item, Error> {
    let mut item = encode("license", &issued.license, [])?;
    item.extend(item::value("license", &issued.issue)?);
    Ok(item)
}

fn issued_license(item: Item) -> Result<IssuedLicense, Error> {
    Ok(IssuedLicense { license: decode("license", item.clone())?, issue: decode("license", item)? })
}

/// The record of a license's current key, with copies of the license and its client.
fn key_record(license: &License, client_status: ClientStatus) -> LicenseKeyRecord {
    LicenseKeyRecord {
        license_id: license.id.clone(),
        client_id: license.client_id.clone(),
        environment: license.environment,
        status: KeyStatus::Active,
        license_status: license.status,
        client_status,
        expires_at: license.terms.expires_at.0,
        max_captures_per_session: license.terms.max_captures_per_session,
    }
}
