//! The hierarchy behind the C2PA claim signature, in the certificate profile of the C2PA specification.

use const_oid::ObjectIdentifier;
use der::Decode;
use p256::ecdsa::SigningKey;
use rsa::rand_core::OsRng;
use spki::SubjectPublicKeyInfoOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::ext::pkix::{ExtendedKeyUsage, KeyUsages};

use crate::{
    PkiError,
    authority::{Authority, Shape, pem},
};

/// `c2pa-kp-claimSigning`.
const CLAIM_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.2.1");
/// `id-kp-emailProtection`, which validators of earlier C2PA versions look for.
const EMAIL_PROTECTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4");

/// A root and an intermediate authority on P-256.
pub struct ClaimPki {
    root: Authority<SigningKey>,
    intermediate: Authority<SigningKey>,
}

impl ClaimPki {
    /// A new hierarchy, valid for ten years from the day before `now`.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn generate(now: OffsetDateTime) -> Result<Self, PkiError> {
        let authority = |subject, authority_depth| Shape {
            subject,
            key_usage: KeyUsages::KeyCertSign | KeyUsages::CRLSign,
            lifetime: Duration::days(3650),
            authority_depth: Some(authority_depth),
        };
        let root = authority("CN=Lacre Development Claim Root,O=Lacre Development,C=BR", 1);
        let root = Authority::root(SigningKey::random(&mut OsRng), &root, now)?;
        let intermediate = authority("CN=Lacre Development Claim Intermediate,O=Lacre Development,C=BR", 0);
        let intermediate = root.subordinate(SigningKey::random(&mut OsRng), &intermediate, now)?;
        Ok(Self { root, intermediate })
    }

    /// A leaf for a P-256 key that is given as `SubjectPublicKeyInfo` in DER, valid for 365 days from the day before `now`.
    /// Answers the chain in PEM, leaf first, without the root.
    ///
    /// # Errors
    /// [`PkiError`] when the key cannot be read.
    pub fn issue_leaf(&self, spki_der: &[u8], now: OffsetDateTime) -> Result<String, PkiError> {
        let leaf = Shape {
            subject: "CN=Lacre Development Claim Signer,O=Lacre Development,C=BR",
            key_usage: KeyUsages::DigitalSignature | KeyUsages::NonRepudiation,
            lifetime: Duration::days(365),
            authority_depth: None,
        };
        let spki = SubjectPublicKeyInfoOwned::from_der(spki_der)?;
        let leaf = self.intermediate.issue(&spki, &leaf, now, |builder| {
            builder.add_extension(&ExtendedKeyUsage(vec![CLAIM_SIGNING, EMAIL_PROTECTION]))
        })?;
        pem([&leaf, self.intermediate.certificate()])
    }

    /// The root in PEM.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn anchors_pem(&self) -> Result<String, PkiError> {
        pem([self.root.certificate()])
    }
}
