//! The signing keys in KMS, their certificates, and the signer profiles that name both.
//!
//! Every environment has a claim key of its own, which KMS makes. The A1 key comes from outside, as a real one does, and
//! is imported: one certificate seals for all environments, for it names the company.

use std::sync::Arc;

use aes_kw::KekAes256;
use aws::Accounts;
use aws_sdk_kms::{
    Client,
    primitives::Blob,
    types::{AlgorithmSpec, ExpirationModelType, KeySpec, KeyUsageType, OriginType, WrappingKeySpec},
};
use domain::{ClaimSigner, Environment, SealSigner, SignaturePolicy, SignerProfile};
use futures_util::future::try_join_all;
use rsa::{Oaep, RsaPublicKey, pkcs8::DecodePublicKey, rand_core::OsRng};
use sha2::Sha256;
use time::OffsetDateTime;

use super::{Error, certificates::Hierarchies};

const KEY_STEP: &str = "making a signing key";
const IMPORT_STEP: &str = "importing the A1 key";

/// See [`super::signers()`].
pub(super) async fn create(kms: &Client, accounts: &Accounts, now: OffsetDateTime) -> Result<String, Error> {
    // Making RSA keys is most of a first start, here and in KMS: side by side.
    let certificates = tokio::task::spawn_blocking(move || Hierarchies::at(now));
    let (import, made) = tokio::join!(prepare_import(kms), certificates);
    let certificates_step = Error::at("making certificates");
    let hierarchies = made.map_err(|error| certificates_step(&error))?.map_err(|error| certificates_step(&error))?;
    let seal_key = import?.make(kms, &hierarchies.a1.pkcs8_der).await?;
    let seal = SealSigner {
        key_arn: seal_key,
        chain_pem: hierarchies.a1.chain_pem.clone(),
        policy: SignaturePolicy::ad_rb_v2_4(),
        icp_brasil: false,
    };
    let profiles = Environment::ALL.map(|environment| {
        let (hierarchies, seal) = (Arc::clone(&hierarchies), seal.clone());
        async move {
            let claim = create_claim_key(kms, &hierarchies, environment, now).await?;
            let profile = SignerProfile { environment, version: 1, seal, claim };
            accounts.put_signer(&profile).await.map_err(|error| Error::call("storing a signer profile", &error))
        }
    });
    try_join_all(profiles).await?;
    Ok(hierarchies.anchors_pem.clone())
}

async fn create_claim_key(
    kms: &Client,
    hierarchies: &Hierarchies,
    environment: Environment,
    now: OffsetDateTime,
) -> Result<ClaimSigner, Error> {
    let description = format!("Development: C2PA claims, {}", environment.name());
    let key_arn = create_key(kms, KeySpec::EccNistP256, OriginType::AwsKms, description).await?;
    let public = kms.get_public_key().key_id(&key_arn).send().await.map_err(|error| Error::call(KEY_STEP, &error))?;
    let public = public.public_key.ok_or_else(|| Error::at(KEY_STEP)(&"no public key in the answer"))?;
    let chain_pem = hierarchies.claim.issue_leaf(public.as_ref(), now);
    let chain_pem = chain_pem.map_err(|error| Error::call("issuing a claim certificate", &error))?;
    Ok(ClaimSigner { key_arn, chain_pem })
}

async fn create_key(kms: &Client, spec: KeySpec, origin: OriginType, description: String) -> Result<String, Error> {
    let create = kms.create_key().key_spec(spec).key_usage(KeyUsageType::SignVerify).origin(origin);
    let made = create.description(description).send().await.map_err(|error| Error::call(KEY_STEP, &error))?;
    let arn = made.key_metadata.and_then(|metadata| metadata.arn);
    arn.ok_or_else(|| Error::at(KEY_STEP)(&"no ARN in the answer"))
}

/// What an operator who brings a key is given: a key without material, a wrapping key, and a token to show with it.
struct Import {
    key_arn: String,
    wrapping_key: Blob,
    token: Blob,
}

async fn prepare_import(kms: &Client) -> Result<Import, Error> {
    let description = "Development: ICP-Brasil signatures, A1".to_owned();
    let key_arn = create_key(kms, KeySpec::Rsa2048, OriginType::External, description).await?;
    let parameters = kms
        .get_parameters_for_import()
        .key_id(&key_arn)
        .wrapping_algorithm(AlgorithmSpec::RsaAesKeyWrapSha256)
        // As strong as the key that it wraps, and quick to make where KMS is a stand-in.
        .wrapping_key_spec(WrappingKeySpec::Rsa2048)
        .send()
        .await
        .map_err(|error| Error::call(IMPORT_STEP, &error))?;
    let wrapping_key = parameters.public_key.ok_or_else(|| Error::at(IMPORT_STEP)(&"no wrapping key"))?;
    let token = parameters.import_token.ok_or_else(|| Error::at(IMPORT_STEP)(&"no import token"))?;
    Ok(Import { key_arn, wrapping_key, token })
}

impl Import {
    /// Brings the material, and answers with the key's ARN.
    async fn make(self, kms: &Client, pkcs8_der: &[u8]) -> Result<String, Error> {
        kms.import_key_material()
            .key_id(&self.key_arn)
            .import_token(self.token)
            .encrypted_key_material(Blob::new(wrap(self.wrapping_key.as_ref(), pkcs8_der)?))
            .expiration_model(ExpirationModelType::KeyMaterialDoesNotExpire)
            .send()
            .await
            .map_err(|error| Error::call(IMPORT_STEP, &error))?;
        Ok(self.key_arn)
    }
}

/// `RSA_AES_KEY_WRAP_SHA_256`: a fresh AES-256 key under RSA-OAEP, and the material under that key by RFC 5649.
fn wrap(wrapping_key: &[u8], material: &[u8]) -> Result<Vec<u8>, Error> {
    let step = Error::at(IMPORT_STEP);
    let wrapping_key = RsaPublicKey::from_public_key_der(wrapping_key).map_err(|error| step(&error))?;
    let aes = aws::entropy::<32>();
    let mut wrapped = wrapping_key.encrypt(&mut OsRng, Oaep::new::<Sha256>(), &aes).map_err(|error| step(&error))?;
    let material = KekAes256::from(aes).wrap_with_padding_vec(material).map_err(|error| step(&error))?;
    wrapped.extend(material);
    Ok(wrapped)
}
