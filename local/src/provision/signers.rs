//! Creates signing keys in KMS, their certificates, and signer profiles, by the same operations that an operator uses.
//!
//! Every environment has its own keys. KMS generates the claim key. The A1 key is generated outside and imported, like
//! a real one. All environments use the same A1 certificate, because it identifies the company.

use std::sync::Arc;

use futures_util::future::try_join_all;
use lacre_administration::signer::{SealImport, SealMaterial, SignerAdministration};
use lacre_domain::{Clock, Environment, SignaturePolicy, Timestamping};
use lacre_storage::{Connection, OperatorKeys, SignerProfiles, SigningKeys, WrappingKey};

use crate::seed;

use super::{Error, certificates::Hierarchies};

/// Name of the stack in the keys' tags.
const STACK: &str = "local";

/// See [`super::signers()`].
pub(super) async fn create(
    connection: &Connection,
    clock: &Arc<dyn Clock>,
    timestamps: &Timestamping,
) -> Result<String, Error> {
    let hierarchies = Hierarchies::at(clock.now()).await?;
    let step = Error::at("reading the A1 key");
    let a1 = &hierarchies.a1;
    let material = SealMaterial::new(a1.pkcs8_der.clone().into(), &a1.chain_pem).map_err(|error| step(&error))?;
    let administration = SignerAdministration::new(connection, Arc::clone(clock), seed::caller());
    let environments = Environment::ALL.map(|environment| {
        let (administration, material, hierarchies) = (&administration, &material, &hierarchies);
        let timestamps = timestamps.clone();
        async move {
            // The authority comes first, so that the first version of the profile already contains it.
            name_authority(administration, environment, timestamps).await?;
            install_seal(administration, material, environment).await?;
            install_claim(connection, administration, hierarchies, environment, clock).await?;
            let activated = administration.activate(environment, None).await;
            activated.map_err(|error| Error::at("activating the signers")(&error))
        }
    });
    try_join_all(environments).await?;
    Ok(hierarchies.anchors_pem.clone() + &timestamps.roots_pem)
}

/// See [`super::authority_moved()`].
pub(super) async fn authority_moved(
    connection: &Connection,
    clock: &Arc<dyn Clock>,
    from: &str,
    to: &str,
) -> Result<(), Error> {
    let step = Error::at("updating the timestamp authority's URL");
    let administration = SignerAdministration::new(connection, Arc::clone(clock), seed::caller());
    for profile in SignerProfiles::new(connection).in_force().await.map_err(|error| step(&error))? {
        let Some(mut timestamps) = profile.timestamps else { continue };
        let old = timestamps.authorities.iter_mut().find(|url| *url == from);
        let Some(old) = old else { continue };
        to.clone_into(old);
        let set = administration.set_timestamps(profile.environment, Some(timestamps)).await;
        set.map_err(|error| step(&error))?;
    }
    Ok(())
}

async fn name_authority(
    administration: &SignerAdministration,
    environment: Environment,
    timestamps: Timestamping,
) -> Result<(), Error> {
    let named = administration.set_timestamps(environment, Some(timestamps)).await;
    named.map(|_| ()).map_err(|error| Error::at("naming the timestamp authority")(&error))
}

async fn install_seal(
    administration: &SignerAdministration,
    material: &SealMaterial,
    environment: Environment,
) -> Result<(), Error> {
    let import = SealImport {
        environment,
        stack: STACK.to_owned(),
        policy: SignaturePolicy::ad_rb_v2_4(),
        icp_brasil_roots_pem: None,
        allow_development: true,
        wrapping: WrappingKey::Rsa2048,
    };
    let imported = administration.import_seal(material, &import).await;
    imported.map(|_| ()).map_err(|error| Error::at("importing the A1 key")(&error))
}

async fn install_claim(
    connection: &Connection,
    administration: &SignerAdministration,
    hierarchies: &Hierarchies,
    environment: Environment,
    clock: &Arc<dyn Clock>,
) -> Result<(), Error> {
    let step = Error::at("making a claim key");
    let description = format!("Development: C2PA claims, {}", environment.name());
    let key_arn = OperatorKeys::new(connection).create_claim_key(&description).await.map_err(|error| step(&error))?;
    let public_key = SigningKeys::new(connection).public_key(&key_arn).await.map_err(|error| step(&error))?;
    let chain = hierarchies.claim.issue_leaf(&public_key, clock.now());
    let chain = chain.map_err(|error| Error::at("issuing a claim certificate")(&error))?;
    let installed = administration.install_claim_certificate(environment, &chain, Some(&key_arn)).await;
    installed.map_err(|error| Error::at("installing a claim certificate")(&error))
}
