//! The certificate hierarchy of a timestamp authority, with the profile of those that ICP-Brasil accredits.

use const_oid::ObjectIdentifier;
use rsa::pkcs8::EncodePrivateKey;
use spki::SubjectPublicKeyInfoOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::ext::pkix::{CertificatePolicies, ExtendedKeyUsage, KeyUsages, certpolicy::PolicyInformation};

use crate::{
    PkiError,
    authority::{Hierarchy, RsaKey, Shape, pem, rsa_key},
};

/// `id-kp-timeStamping` (RFC 3161, 2.3).
const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");
/// Certificate policy of timestamp certificates (type T3) of one of ICP-Brasil's CAs.
const T3_POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.76.1.2.303.12");

/// A root and a CA with RSA-2048 keys.
pub struct TimestampPki(Hierarchy<RsaKey>);

/// A timestamp certificate with its private key.
pub struct Timestamper {
    /// The leaf and its issuing CA in PEM, without the root.
    pub chain_pem: String,
    /// The RSA-2048 private key as DER PKCS#8.
    pub pkcs8_der: Vec<u8>,
}

impl TimestampPki {
    /// Creates a hierarchy, valid for ten years from the day before `now`.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn generate(now: OffsetDateTime) -> Result<Self, PkiError> {
        let root = "CN=Lacre Development Timestamp Root,OU=Development,O=ICP-Brasil,C=BR";
        let issuing = "CN=AC Carimbo do Tempo Lacre Development,OU=Development,O=ICP-Brasil,C=BR";
        Hierarchy::generate(|| Ok(RsaKey::new(rsa_key()?)), root, issuing, now).map(Self)
    }

    /// Generates a key and issues its timestamp certificate, valid for six years from the day before `now`: timestamps
    /// are verified for years after they are made.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn issue(&self, now: OffsetDateTime) -> Result<Timestamper, PkiError> {
        let leaf = Shape {
            subject: "CN=Servidor de Carimbo do Tempo Lacre Development,OU=Development,O=ICP-Brasil,C=BR",
            key_usage: KeyUsages::DigitalSignature | KeyUsages::NonRepudiation,
            lifetime: Duration::days(2190),
            authority_depth: None,
        };
        let key = rsa_key()?;
        let spki = SubjectPublicKeyInfoOwned::from_key(key.to_public_key())?;
        let policies =
            CertificatePolicies(vec![PolicyInformation { policy_identifier: T3_POLICY, policy_qualifiers: None }]);
        let leaf = self.0.issuing.issue(&spki, &leaf, now, |builder| {
            // The builder marks this extension critical, as RFC 3161, 2.3 requires.
            builder.add_extension(&ExtendedKeyUsage(vec![TIME_STAMPING]))?;
            builder.add_extension(&policies)
        })?;
        let pkcs8 = key.to_pkcs8_der().map_err(|error| PkiError::PrivateKey(error.to_string()))?;
        Ok(Timestamper { chain_pem: pem([&leaf, self.0.issuing.certificate()])?, pkcs8_der: pkcs8.as_bytes().to_vec() })
    }

    /// The root certificate in PEM.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn anchors_pem(&self) -> Result<String, PkiError> {
        self.0.anchors_pem()
    }
}
