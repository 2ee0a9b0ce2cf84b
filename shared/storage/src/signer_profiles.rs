//! The signer profiles in the `Accounts` table: the one in force, all former versions, and the draft of the next one.
//!
//! Invariant: a profile comes into force only in place of the version before it, and its version is stored in the same
//! transaction. Evidence records name the version, so the signer of a capture is always known. A draft ends when it
//! comes into force.

use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, TransactWriteItem};
use lacre_domain::{AuditEntry, ClaimSigner, Environment, SealSigner, SignerDraft, SignerProfile};
use serde::{Deserialize, Serialize};

use crate::{
    Audit, ChangeError, Connection, Error,
    account_keys::{Key, key_item, profile_key, replicas},
    error::incomplete,
    item::{Item, batch_get, batch_get_of, decode, encode, number, take, text},
    transaction::{IS_NEW, check, delete, put},
};

const PROFILE: &str = "signer profile";
const DRAFT: &str = "signer draft";
const SAME_REVISION: Option<&str> = Some("revision = :revision");

/// The signer profile and draft of an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignerState {
    /// The profile in force.
    pub profile: Option<SignerProfile>,
    /// The draft of the next profile.
    pub draft: SignerDraft,
    /// The revision of the draft, which every change increments; 0 if there is none.
    pub draft_revision: u32,
}

/// A draft in its stored form.
#[derive(Serialize, Deserialize)]
struct StoredDraft {
    #[serde(flatten)]
    draft: SignerDraft,
    revision: u32,
}

/// The public part of a profile. It lacks the URLs of timestamp authorities, which may contain passwords.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PublicProfile {
    /// The environment.
    pub environment: Environment,
    /// The signer of the seal (the ICP-Brasil signature).
    pub seal: SealSigner,
    /// The signer of the C2PA claim.
    pub claim: ClaimSigner,
}

/// Reads and writes signer profiles.
#[derive(Clone, Debug)]
pub struct SignerProfiles {
    client: aws_sdk_dynamodb::Client,
    table: String,
    audit: Audit,
}

impl SignerProfiles {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.accounts.read(),
            audit: Audit::of_port(connection),
        }
    }

    /// Reads the profiles in force of all environments that have one, production first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn in_force(&self) -> Result<Vec<SignerProfile>, Error> {
        let found = self.read(&Environment::ALL.map(profile_key)).await?;
        found.into_iter().flatten().map(|item| decode(PROFILE, item)).collect()
    }

    /// Reads the public parts of the profiles in force, of all environments that have one, production first. Requests
    /// only these attributes, so that an IAM policy can exclude a role from the others.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn public_in_force(&self) -> Result<Vec<PublicProfile>, Error> {
        let keys = Environment::ALL.map(profile_key).map(|(pk, sk)| key_item(&pk, &sk));
        let names = [("#environment", "environment"), ("#v", "v")].map(|(name, of)| (name.to_owned(), of.to_owned()));
        let wanted = KeysAndAttributes::builder()
            .set_keys(Some(keys.to_vec()))
            .consistent_read(true)
            .projection_expression("pk, sk, #v, #environment, seal, claim")
            .set_expression_attribute_names(Some(names.into()));
        let wanted = wanted.build().map_err(incomplete)?;
        let mut found = batch_get_of(&self.client, &self.table, wanted).await?;
        let profiles = keys.iter().filter_map(|key| take(&mut found, key));
        profiles.map(|item| decode(PROFILE, item)).collect()
    }

    /// Reads the profile and the draft of an environment.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn state(&self, environment: Environment) -> Result<SignerState, Error> {
        let [profile, draft] = self.read(&[profile_key(environment), draft_key(environment)]).await?;
        let profile = profile.map(|item| decode(PROFILE, item)).transpose()?;
        let stored: Option<StoredDraft> = draft.map(|item| decode(DRAFT, item)).transpose()?;
        let (draft, draft_revision) = stored.map_or_else(Default::default, |stored| (stored.draft, stored.revision));
        Ok(SignerState { profile, draft, draft_revision })
    }

    /// Reads a current or former profile by its version.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn version(&self, environment: Environment, version: u32) -> Result<Option<SignerProfile>, Error> {
        let [found] = self.read(&[version_key(environment, version)]).await?;
        found.map(|item| decode(PROFILE, item)).transpose()
    }

    /// Puts a profile in force in place of the one that was read, and leaves the draft unchanged. Returns `false` if
    /// the profile was changed in the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn put_in_force(
        &self,
        before: &SignerState,
        profile: &SignerProfile,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        self.audit.write(self.writes(before, profile)?, entry).await
    }

    /// Puts the profile that results from the draft in force, and deletes the draft. Returns `false` if profile or
    /// draft were changed in the meantime.
    ///
    /// # Errors
    /// The same as [`SignerProfiles::put_in_force`].
    pub async fn activate(
        &self,
        before: &SignerState,
        profile: &SignerProfile,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let (pk, sk) = draft_key(profile.environment);
        let revision = [(":revision", number(before.draft_revision))];
        let mut writes = self.writes(before, profile)?;
        writes.push(delete(&self.table, key_item(&pk, &sk), SAME_REVISION, &revision)?);
        self.audit.write(writes, entry).await
    }

    /// Stores a draft in place of the one that was read. Returns `false` if it was changed in the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn put_draft(
        &self,
        environment: Environment,
        before: &SignerState,
        draft: &SignerDraft,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let stored = StoredDraft { draft: draft.clone(), revision: before.draft_revision + 1 };
        let (pk, sk) = draft_key(environment);
        let item = encode(DRAFT, &stored, [("pk", text(pk)), ("sk", text(sk))])?;
        let revision = [(":revision", number(before.draft_revision))];
        let put = match before.draft_revision {
            0 => put(&self.table, item, IS_NEW, &[])?,
            _ => put(&self.table, item, SAME_REVISION, &revision)?,
        };
        // A draft that came into force in the meantime was deleted, which looks the same as no draft. So the profile is
        // checked too.
        let (pk, sk) = profile_key(environment);
        let (condition, version) = in_place_of(before.profile.as_ref());
        let same_profile = check(&self.table, key_item(&pk, &sk), condition, &[], version.as_slice())?;
        self.audit.write(vec![put, same_profile], entry).await
    }

    /// The writes of a profile as the one in force and as a stored version.
    fn writes(&self, before: &SignerState, profile: &SignerProfile) -> Result<Vec<TransactWriteItem>, Error> {
        let environment = profile.environment;
        let item = |(pk, sk): Key| encode(PROFILE, profile, [("pk", text(pk)), ("sk", text(sk))]);
        let (condition, version) = in_place_of(before.profile.as_ref());
        let mut writes = vec![put(&self.table, item(version_key(environment, profile.version))?, IS_NEW, &[])?];
        for replica in replicas(&profile_key(environment)) {
            writes.push(put(&self.table, item(replica)?, Some(condition), version.as_slice())?);
        }
        Ok(writes)
    }

    /// Reads items of the table in the order of their keys.
    async fn read<const N: usize>(&self, keys: &[Key; N]) -> Result<[Option<Item>; N], Error> {
        let keys = keys.each_ref().map(|(pk, sk)| key_item(pk, sk));
        let mut items = batch_get(&self.client, &self.table, keys.to_vec()).await?;
        Ok(keys.map(|key| take(&mut items, &key)))
    }
}

/// The condition that the profile in force is unchanged since it was read, with its value.
fn in_place_of(before: Option<&SignerProfile>) -> (&'static str, Option<(&'static str, AttributeValue)>) {
    match before {
        Some(before) => ("version = :before", Some((":before", number(before.version)))),
        None => ("attribute_not_exists(pk)", None),
    }
}

fn draft_key(environment: Environment) -> Key {
    (format!("signer#{}", environment.name()), "draft".into())
}

fn version_key(environment: Environment, version: u32) -> Key {
    (format!("signer#{}", environment.name()), format!("version#{version:06}"))
}
