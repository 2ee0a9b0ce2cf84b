//! Capture kits: what the customers of a client are asked to photograph.

use std::sync::Arc;

use lacre_api::{
    admin::{
        KitVersionView, KitView,
        limits::{KIT_VERSION_MAX, KITS_MAX},
    },
    kit::{KitFault, KitName},
};
use lacre_domain::{
    ClientId, Clock, Environment, Kit, KitRecord, KitState, Operation, Sha256Digest, WantedKit, clock::rfc3339,
};
use lacre_storage::{Connection, Listed, PageRequest, Register};
use serde_json::value::RawValue;

use crate::{Error, caller::Auditor, clients::existing_client};

/// Faults of a document that an error lists.
const FAULTS: usize = 100;

/// The operations on capture kits.
pub struct Kits {
    register: Register,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

/// A version of a kit, with the kit as canonical JSON.
pub type StoredKit = KitVersionView<Box<RawValue>>;

impl Kits {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self { register: Register::new(connection), auditor, clock }
    }

    /// Puts a kit: its first version, or its next one, which becomes the current version. A retired kit can be used again.
    ///
    /// # Errors
    /// [`Error::Invalid`] with all faults of the kit, [`Error::NotFound`]; [`Error::Refused`] if the kit equals its current
    /// version, if the client has [`KITS_MAX`] kits, or if another operator changed the kit in the meantime.
    pub async fn put(&self, client_id: &ClientId, environment: Environment, json: &[u8]) -> Result<StoredKit, Error> {
        let kit = Kit::parse(json).map_err(|faults| invalid("kit", &faults))?;
        let name = &kit.content().name;
        let entry = self.auditor.entry(Operation::PutKit).for_client(client_id).about(environment.name());
        let put = async {
            existing_client(&self.register, client_id).await?;
            let before = self.register.kit_state(client_id, environment, name).await?;
            match &before {
                Some(state) => self.check_changed(client_id, environment, &kit, state).await?,
                None => self.check_count(client_id, environment).await?,
            }
            let version = before.as_ref().map_or(1, |state| state.version + 1);
            let record = KitRecord { version, json: kit.canonical_json().to_owned(), put_at: self.clock.now() };
            let entry = entry.clone().with_detail(format!("{}@{version} {}", name.as_str(), kit.hash().hex()));
            let put = self.register.put_kit(client_id, environment, name, before.as_ref(), &record, &entry);
            match put.await? {
                true => stored(listed(client_id, environment, name, &KitState { version, retired: false }), record),
                false => Err(Error::changed_meanwhile("kit")),
            }
        };
        let put = put.await;
        self.auditor.keep(&entry, put).await
    }

    /// Refuses a kit that equals the current version, unless it is retired.
    async fn check_changed(
        &self,
        client_id: &ClientId,
        environment: Environment,
        kit: &Kit,
        state: &KitState,
    ) -> Result<(), Error> {
        let (name, version) = (&kit.content().name, state.version);
        let current = self.version(client_id, environment, name, version).await?;
        match !state.retired && current.json == kit.canonical_json() {
            true => Err(Error::Refused(format!(
                "the kit equals the current version, {}@{version}; there is nothing to put",
                name.as_str()
            ))),
            false => Ok(()),
        }
    }

    /// Refuses one kit too many. Kits that are put concurrently may exceed the limit by a few, which does no harm.
    async fn check_count(&self, client_id: &ClientId, environment: Environment) -> Result<(), Error> {
        match self.register.has_kits(client_id, environment, KITS_MAX).await? {
            true => Err(Error::Refused(format!(
                "client {client_id} has {KITS_MAX} kits in {}, and no more are possible; put a version of one of them instead",
                environment.name()
            ))),
            false => Ok(()),
        }
    }

    /// The kits of a client in an environment by name, without their steps.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for an invalid cursor.
    pub async fn list(
        &self,
        client_id: &ClientId,
        environment: Environment,
        page: &PageRequest,
    ) -> Result<Listed<KitView>, Error> {
        existing_client(&self.register, client_id).await?;
        let found = self.register.kits(client_id, environment, page).await?;
        let views = found.entries.iter().map(|(name, state)| listed(client_id, environment, name, state)).collect();
        Ok(found.with(views))
    }

    /// A version of a kit; the current one without a `version`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the name is not one of a kit, [`Error::NotFound`].
    pub async fn read(
        &self,
        client_id: &ClientId,
        environment: Environment,
        name: &str,
        version: Option<u32>,
    ) -> Result<StoredKit, Error> {
        let (name, state) = self.existing_kit(client_id, environment, name).await?;
        let record = self.version(client_id, environment, &name, version.unwrap_or(state.version)).await?;
        stored(listed(client_id, environment, &name, &state), record)
    }

    /// Retires a kit: new sessions cannot use it, until another version is put. Open sessions keep it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the name is not one of a kit, [`Error::NotFound`]; [`Error::Refused`] if the kit is retired
    /// already, or if another operator changed it in the meantime.
    pub async fn retire(&self, client_id: &ClientId, environment: Environment, name: &str) -> Result<KitView, Error> {
        let entry = self.auditor.entry(Operation::RetireKit).for_client(client_id).about(environment.name());
        let retired = async {
            let (name, state) = self.existing_kit(client_id, environment, name).await?;
            if state.retired {
                return Err(Error::Refused(format!("kit {} is already retired", name.as_str())));
            }
            let entry = entry.clone().with_detail(format!("{}@{}", name.as_str(), state.version));
            match self.register.retire_kit(client_id, environment, &name, &state, &entry).await? {
                true => Ok(listed(client_id, environment, &name, &KitState { retired: true, ..state })),
                false => Err(Error::changed_meanwhile("kit")),
            }
        };
        let retired = retired.await;
        self.auditor.keep(&entry, retired).await
    }

    async fn existing_kit(
        &self,
        client_id: &ClientId,
        environment: Environment,
        name: &str,
    ) -> Result<(KitName, KitState), Error> {
        let Some(WantedKit::Own { name, version: None }) = WantedKit::parse(name) else {
            let form =
                "a kit's name is a lower-case letter, followed by at most 31 lower-case letters, digits and hyphens";
            return Err(Error::Invalid(form.into()));
        };
        existing_client(&self.register, client_id).await?;
        let state = self.register.kit_state(client_id, environment, &name).await?;
        let state = state.ok_or_else(|| {
            Error::NotFound(format!("client {client_id} has no kit {} in {}", name.as_str(), environment.name()))
        })?;
        Ok((name, state))
    }

    async fn version(
        &self,
        client_id: &ClientId,
        environment: Environment,
        name: &KitName,
        version: u32,
    ) -> Result<KitRecord, Error> {
        let found = self.register.kit_version(client_id, environment, name, version).await?;
        found.ok_or_else(|| Error::NotFound(format!("kit {} has no version {version}", name.as_str())))
    }
}

/// Reads a version as it is written.
///
/// # Errors
/// [`Error::Invalid`] unless it is a number from 1 to [`KIT_VERSION_MAX`].
pub fn kit_version(text: &str) -> Result<u32, Error> {
    let version = text.parse().ok().filter(|version| (1..=KIT_VERSION_MAX).contains(version));
    version.ok_or_else(|| Error::Invalid(format!("version must be between 1 and {KIT_VERSION_MAX}")))
}

/// The error for a document with faults, which lists them: `path rule: message`, one a line.
pub(crate) fn invalid(what: &str, faults: &[KitFault]) -> Error {
    let line = |KitFault { path, rule, message }: &KitFault| {
        // A path has names of the document in it, which a terminal could take for commands.
        let path = if path.is_empty() { format!("(the {what})") } else { path.escape_debug().to_string() };
        format!("\n{path} {rule}: {message}")
    };
    let lines: String = faults.iter().take(FAULTS).map(line).collect();
    let more = faults.len().saturating_sub(FAULTS);
    let more = if more == 0 { String::new() } else { format!("\nand {more} more") };
    Error::Invalid(format!("the {what} is invalid:{lines}{more}"))
}

fn listed(client_id: &ClientId, environment: Environment, name: &KitName, state: &KitState) -> KitView {
    KitView {
        client_id: client_id.clone(),
        environment,
        name: name.clone(),
        current_version: state.version,
        retired: state.retired,
    }
}

fn stored(view: KitView, KitRecord { version, json, put_at }: KitRecord) -> Result<StoredKit, Error> {
    let sha256 = Sha256Digest::of(json.as_bytes()).hex().into();
    Ok(KitVersionView { view, version, sha256, put_at: rfc3339(put_at).into(), kit: document("kit", json)? })
}

/// A stored document as JSON.
pub(crate) fn document(what: &'static str, json: String) -> Result<Box<RawValue>, Error> {
    let corrupt = |error: serde_json::Error| lacre_storage::Error::Corrupt { what, cause: error.to_string() };
    Ok(RawValue::from_string(json).map_err(corrupt)?)
}
