//! `signer request-claim-certificate`: a certificate request (PKCS#10) that is signed by a P-256 key in KMS.

use std::str::FromStr;

use der::{Decode, Encode, EncodePem, asn1::BitString, pem::LineEnding};
use lacre_domain::Environment;
use lacre_storage::SignatureAlgorithm;
use p256::{
    ecdsa::{DerSignature, VerifyingKey, signature::Verifier},
    pkcs8::DecodePublicKey,
};
use sha2::{Digest, Sha256};
use spki::{AlgorithmIdentifierOwned, ObjectIdentifier, SubjectPublicKeyInfoOwned};
use x509_cert::{
    name::RdnSequence,
    request::{CertReq, CertReqInfo, Version},
};

use super::{SignerAdministration, signing_failed};
use crate::Error;

const COUNTRY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.6");
const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const P_256: &str = "ECC_NIST_P256";

impl SignerAdministration {
    /// Makes a certificate request. Returns the key's ARN, and the request in PEM. Without a key ARN the request is for
    /// the stack's own claim key or, if that is not known, for the environment's current key.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the subject is invalid, or the key is not a P-256 key or not the stack's;
    /// [`Error::NotFound`] if the key does not exist.
    pub async fn request_claim_certificate(
        &self,
        environment: Environment,
        subject: &str,
        key_arn: Option<&str>,
    ) -> Result<(String, String), Error> {
        let subject = name(subject)?;
        let key_arn = self.claim_key(environment, key_arn).await?;
        self.check_claim_key(&key_arn).await?;
        let request = self.sign_request(&key_arn, subject).await?;
        Ok((key_arn, request))
    }

    /// The key for an environment's claims. If the stack's own key is known, only that one is accepted, because the
    /// stack's function may sign with no other.
    pub(super) async fn claim_key(&self, environment: Environment, given: Option<&str>) -> Result<String, Error> {
        match (given, self.connection.config().claim_keys.of(environment)) {
            (Some(given), Some(own)) if given != own => Err(Error::Invalid(format!(
                "{given} is not the claim key of {} in this stack, which may sign with no other: {own}",
                environment.name()
            ))),
            (Some(key_arn), _) | (None, Some(key_arn)) => Ok(key_arn.to_owned()),
            (None, None) => self.claim_key_in_force(environment).await,
        }
    }

    async fn claim_key_in_force(&self, environment: Environment) -> Result<String, Error> {
        let state = self.profiles.state(environment).await?;
        let claim = state.profile.map(|profile| profile.claim).or(state.draft.claim);
        claim
            .map(|claim| claim.key_arn)
            .ok_or_else(|| Error::NotFound(format!("{} has no claim key yet: name one by its ARN", environment.name())))
    }

    /// Checks that a key exists, is on the right curve, and can be used.
    pub(super) async fn check_claim_key(&self, key_arn: &str) -> Result<(), Error> {
        let key = self.keys.describe(key_arn).await?;
        let key = key.ok_or_else(|| Error::not_found("key", &key_arn))?;
        if key.spec != P_256 || !key.signs {
            return Err(Error::Invalid(format!(
                "{key_arn} is {}: a claim key must be {P_256}, made to sign",
                key.spec
            )));
        }
        match key.is_enabled() {
            true => Ok(()),
            false => Err(Error::Refused(format!("{key_arn} cannot be used: it is {}", key.state))),
        }
    }

    async fn sign_request(&self, key_arn: &str, subject: RdnSequence) -> Result<String, Error> {
        let spki = self.signing.public_key(key_arn).await.map_err(signing_failed)?;
        let unwritable = |error: der::Error| Error::Invalid(format!("the request cannot be written: {error}"));
        let public_key = SubjectPublicKeyInfoOwned::from_der(&spki).map_err(unwritable)?;
        let info = CertReqInfo { version: Version::V1, subject, public_key, attributes: Default::default() };
        let signed = info.to_der().map_err(unwritable)?;
        let digest = Sha256::digest(&signed).into();
        let signature = self.signing.sign(key_arn, SignatureAlgorithm::EcdsaSha256, digest).await;
        let signature = signature.map_err(signing_failed)?;
        let key = VerifyingKey::from_public_key_der(&spki).ok().zip(DerSignature::from_bytes(&signature).ok());
        if key.is_none_or(|(key, signature)| key.verify(&signed, &signature).is_err()) {
            return Err(Error::Refused(format!("a signature by {key_arn} does not verify under its public key")));
        }
        let algorithm = AlgorithmIdentifierOwned { oid: ECDSA_WITH_SHA256, parameters: None };
        let signature = BitString::from_bytes(&signature).map_err(unwritable)?;
        CertReq { info, algorithm, signature }.to_pem(LineEnding::LF).map_err(unwritable)
    }
}

/// Parses a subject in RFC 4514 notation, or in the order of the certificate. In both cases the country becomes the
/// first attribute.
fn name(subject: &str) -> Result<RdnSequence, Error> {
    let mut name = RdnSequence::from_str(subject).map_err(|_| {
        Error::Invalid(format!("the subject cannot be read: {subject:?}; write C=BR,O=Company,CN=Name"))
    })?;
    let is_country = |part: &x509_cert::name::RelativeDistinguishedName| part.0.iter().any(|part| part.oid == COUNTRY);
    if name.0.last().is_some_and(is_country) {
        name.0.reverse();
    }
    match name.0.first().is_some_and(is_country) {
        true => Ok(name),
        false => Err(Error::Invalid("the subject has no country: write C=BR,O=Company,CN=Name".into())),
    }
}
