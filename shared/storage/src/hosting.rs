//! What functions read of a client's hosting: its kits, and the sender of its links. Operators write it through the
//! register.

use lacre_api::kit::KitName;
use lacre_domain::{ClientId, Environment, Kit, KitRecord, KitState, KitVersion, SenderRecord, SessionKit};

use crate::{
    Accounts, Error,
    account_keys::{kit_state_key, kit_version_key, sender_key},
    accounts::find,
};

impl Accounts {
    /// A kit of a client by its name, in its current version if none is named. `None` if there is no such kit or version,
    /// or if the kit is retired.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn find_kit(
        &self,
        client: &ClientId,
        environment: Environment,
        name: &KitName,
        version: Option<u32>,
    ) -> Result<Option<(KitVersion, Kit)>, Error> {
        let key = kit_state_key(client, environment, name);
        let state: Option<KitState> = find("kit", &mut self.read(&[&key]).await?, &key)?;
        let Some(state) = state.filter(|state| !state.retired) else { return Ok(None) };
        let version = version.unwrap_or(state.version);
        let Some(kit) = self.kit_version(client, environment, name, version).await? else { return Ok(None) };
        let version = KitVersion { name: name.clone(), version, sha256: kit.hash() };
        Ok(Some((version, kit)))
    }

    /// The kit of a session of a client.
    ///
    /// # Errors
    /// [`Error::Corrupt`], also if the version does not exist or has another hash; [`Error::Unavailable`].
    pub async fn kit_of(&self, client: &ClientId, environment: Environment, kit: &SessionKit) -> Result<Kit, Error> {
        let corrupt = |cause: &str| Error::Corrupt { what: "kit", cause: cause.into() };
        match kit {
            SessionKit::Profile(profile) => {
                Kit::of_profile(*profile).map_err(|_| corrupt("a profile's kit is invalid"))
            }
            SessionKit::Own(KitVersion { name, version, sha256 }) => {
                let kit = self.kit_version(client, environment, name, *version).await?;
                let kit = kit.ok_or_else(|| corrupt("the version does not exist"))?;
                if kit.hash() == *sha256 { Ok(kit) } else { Err(corrupt("the version has another hash")) }
            }
        }
    }

    async fn kit_version(
        &self,
        client: &ClientId,
        environment: Environment,
        name: &KitName,
        version: u32,
    ) -> Result<Option<Kit>, Error> {
        let key = kit_version_key(client, environment, name, version);
        let record: Option<KitRecord> = find("kit", &mut self.read(&[&key]).await?, &key)?;
        let parse = |record: KitRecord| {
            let fault = |faults: &[_]| Error::Corrupt { what: "kit", cause: format!("{} faults", faults.len()) };
            Kit::parse(record.json.as_bytes()).map_err(|faults| fault(&faults))
        };
        record.map(parse).transpose()
    }

    /// The sender of a client's links in an environment; `None` if operators have set none.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn sender(&self, client: &ClientId, environment: Environment) -> Result<Option<SenderRecord>, Error> {
        let key = sender_key(client, environment);
        find("sender", &mut self.read(&[&key]).await?, &key)
    }
}
