//! A certificate authority: a key and its certificate, which issues other certificates. All development hierarchies
//! consist of these.

use std::str::FromStr;

use der::{
    EncodePem,
    asn1::{GeneralizedTime, UtcTime},
    pem::LineEnding,
};
use rsa::{
    RsaPrivateKey,
    rand_core::{OsRng, RngCore},
};
use spki::{
    DynSignatureAlgorithmIdentifier, EncodePublicKey, SignatureBitStringEncoding, SubjectPublicKeyInfoOwned,
    SubjectPublicKeyInfoRef,
};
use time::{Duration, OffsetDateTime};
use x509_cert::{
    Certificate,
    builder::{Builder, CertificateBuilder, Profile},
    ext::pkix::{AuthorityKeyIdentifier, BasicConstraints, KeyUsage, KeyUsages, SubjectKeyIdentifier},
    name::Name,
    serial_number::SerialNumber,
    time::{Time, Validity},
};

/// Why a certificate could not be issued.
#[derive(Debug, thiserror::Error)]
pub enum PkiError {
    /// A value cannot be encoded as DER, or a public key cannot be read.
    #[error("encoding: {0}")]
    Encoding(#[from] der::Error),
    /// A key cannot be encoded as DER.
    #[error("key: {0}")]
    Key(#[from] spki::Error),
    /// A private key could not be generated or read.
    #[error("private key: {0}")]
    PrivateKey(String),
    /// The certificate builder failed.
    #[error("certificate: {0}")]
    Certificate(#[from] x509_cert::builder::Error),
}

/// The properties of a certificate that differ between profiles.
pub(crate) struct Shape {
    pub(crate) subject: &'static str,
    pub(crate) key_usage: der::flagset::FlagSet<KeyUsages>,
    pub(crate) lifetime: Duration,
    /// For a CA certificate: the path length constraint, the number of CAs that may follow below it.
    pub(crate) authority_depth: Option<u8>,
}

/// The private key of a CA, with the signature algorithm of the certificates that it signs.
pub(crate) trait AuthorityKey:
    signature::Keypair<VerifyingKey: EncodePublicKey> + DynSignatureAlgorithmIdentifier
{
    type Signature: SignatureBitStringEncoding;

    fn build(builder: CertificateBuilder<'_, Self>) -> Result<Certificate, x509_cert::builder::Error>
    where
        Self: Sized;
}

impl AuthorityKey for p256::ecdsa::SigningKey {
    type Signature = p256::ecdsa::DerSignature;

    fn build(builder: CertificateBuilder<'_, Self>) -> Result<Certificate, x509_cert::builder::Error> {
        builder.build::<Self::Signature>()
    }
}

impl AuthorityKey for RsaKey {
    type Signature = rsa::pkcs1v15::Signature;

    fn build(builder: CertificateBuilder<'_, Self>) -> Result<Certificate, x509_cert::builder::Error> {
        builder.build::<Self::Signature>()
    }
}

/// A CA: its private key and its certificate.
pub(crate) struct Authority<K> {
    key: K,
    certificate: Certificate,
}

impl<K: AuthorityKey> Authority<K> {
    /// Creates a self-signed CA.
    pub(crate) fn root(key: K, shape: &Shape, now: OffsetDateTime) -> Result<Self, PkiError> {
        Self::root_with(key, shape, now, |_| Ok(()))
    }

    /// Creates a self-signed CA. `extend` adds the extensions that its profile has beyond the basic ones.
    pub(crate) fn root_with(
        key: K,
        shape: &Shape,
        now: OffsetDateTime,
        extend: impl FnOnce(&mut CertificateBuilder<'_, K>) -> Result<(), x509_cert::builder::Error>,
    ) -> Result<Self, PkiError> {
        let spki = SubjectPublicKeyInfoOwned::from_key(key.verifying_key())?;
        let certificate = issue(&key, None, shape, &spki, now, extend)?;
        Ok(Self { key, certificate })
    }

    /// Restores a CA from its key and certificate.
    pub(crate) fn of(key: K, certificate: Certificate) -> Self {
        Self { key, certificate }
    }

    pub(crate) fn key(&self) -> &K {
        &self.key
    }

    /// Issues the certificate of a subordinate CA.
    pub(crate) fn subordinate(&self, key: K, shape: &Shape, now: OffsetDateTime) -> Result<Self, PkiError> {
        let spki = SubjectPublicKeyInfoOwned::from_key(key.verifying_key())?;
        let certificate = issue(&self.key, Some(&self.certificate), shape, &spki, now, |_| Ok(()))?;
        Ok(Self { key, certificate })
    }

    /// Issues a certificate for a public key. `extend` adds the extensions that the leaf's profile has beyond the basic
    /// ones.
    pub(crate) fn issue(
        &self,
        spki: &SubjectPublicKeyInfoOwned,
        shape: &Shape,
        now: OffsetDateTime,
        extend: impl FnOnce(&mut CertificateBuilder<'_, K>) -> Result<(), x509_cert::builder::Error>,
    ) -> Result<Certificate, PkiError> {
        issue(&self.key, Some(&self.certificate), shape, spki, now, extend)
    }

    pub(crate) fn certificate(&self) -> &Certificate {
        &self.certificate
    }
}

/// A root CA and an intermediate CA that issues leaf certificates.
pub(crate) struct Hierarchy<K> {
    pub(crate) root: Authority<K>,
    pub(crate) issuing: Authority<K>,
}

impl<K: AuthorityKey> Hierarchy<K> {
    /// Creates both CAs with these subjects, valid for ten years from the day before `now`.
    pub(crate) fn generate(
        key: impl Fn() -> Result<K, PkiError>,
        root: &'static str,
        issuing: &'static str,
        now: OffsetDateTime,
    ) -> Result<Self, PkiError> {
        let authority = |subject, authority_depth| Shape {
            subject,
            key_usage: KeyUsages::KeyCertSign | KeyUsages::CRLSign,
            lifetime: Duration::days(3650),
            authority_depth: Some(authority_depth),
        };
        let root = Authority::root(key()?, &authority(root, 1), now)?;
        let issuing = root.subordinate(key()?, &authority(issuing, 0), now)?;
        Ok(Self { root, issuing })
    }

    /// The root certificate in PEM.
    pub(crate) fn anchors_pem(&self) -> Result<String, PkiError> {
        pem([self.root.certificate()])
    }
}

/// Key type of the hierarchies that imitate ICP-Brasil.
pub(crate) type RsaKey = rsa::pkcs1v15::SigningKey<sha2::Sha256>;

/// Generates a 2048-bit RSA key.
pub(crate) fn rsa_key() -> Result<RsaPrivateKey, PkiError> {
    RsaPrivateKey::new(&mut OsRng, 2048).map_err(|error| PkiError::PrivateKey(error.to_string()))
}

/// Concatenates certificates as PEM.
pub(crate) fn pem<'a>(certificates: impl IntoIterator<Item = &'a Certificate>) -> Result<String, PkiError> {
    let mut text = String::new();
    for certificate in certificates {
        text.push_str(&certificate.to_pem(LineEnding::LF)?);
    }
    Ok(text)
}

fn issue<K: AuthorityKey>(
    signer: &K,
    issuer: Option<&Certificate>,
    shape: &Shape,
    spki: &SubjectPublicKeyInfoOwned,
    now: OffsetDateTime,
    extend: impl FnOnce(&mut CertificateBuilder<'_, K>) -> Result<(), x509_cert::builder::Error>,
) -> Result<Certificate, PkiError> {
    // The validity begins a day early, so that a machine whose clock is behind accepts the certificate too.
    let from = now - Duration::days(1);
    let validity = Validity { not_before: time(from)?, not_after: time(from + shape.lifetime)? };
    let profile = Profile::Manual { issuer: issuer.map(|issuer| issuer.tbs_certificate.subject.clone()) };
    let subject = Name::from_str(shape.subject)?;
    let mut builder = CertificateBuilder::new(profile, serial()?, validity, subject, spki.clone(), signer)?;

    builder.add_extension(&SubjectKeyIdentifier::try_from(borrowed(spki)?)?)?;
    if let Some(issuer) = issuer {
        let key = &issuer.tbs_certificate.subject_public_key_info;
        builder.add_extension(&AuthorityKeyIdentifier::try_from(borrowed(key)?)?)?;
    }
    if let Some(depth) = shape.authority_depth {
        builder.add_extension(&BasicConstraints { ca: true, path_len_constraint: Some(depth) })?;
    }
    builder.add_extension(&KeyUsage(shape.key_usage))?;
    extend(&mut builder)?;
    Ok(K::build(builder)?)
}

fn borrowed(spki: &SubjectPublicKeyInfoOwned) -> Result<SubjectPublicKeyInfoRef<'_>, PkiError> {
    let subject_public_key =
        spki.subject_public_key.as_bytes().ok_or(der::ErrorKind::Failed).map_err(der::Error::from)?;
    let algorithm = spki::AlgorithmIdentifier {
        oid: spki.algorithm.oid,
        parameters: spki.algorithm.parameters.as_ref().map(Into::into),
    };
    Ok(SubjectPublicKeyInfoRef {
        algorithm,
        subject_public_key: der::asn1::BitStringRef::from_bytes(subject_public_key)?,
    })
}

/// A random serial number of 127 bits: positive and at most 20 bytes long (RFC 5280, 4.1.2.2).
fn serial() -> Result<SerialNumber, PkiError> {
    let mut bytes = [0; 16];
    OsRng.fill_bytes(&mut bytes);
    bytes[0] = bytes[0] & 0x7F | 0x40;
    Ok(SerialNumber::new(&bytes)?)
}

/// Encodes a time as `UTCTime` through 2049 and as `GeneralizedTime` after (RFC 5280, 4.1.2.5).
fn time(at: OffsetDateTime) -> Result<Time, PkiError> {
    let seconds = u64::try_from(at.unix_timestamp()).map_err(|_| der::Error::from(der::ErrorKind::DateTime))?;
    let duration = std::time::Duration::from_secs(seconds);
    Ok(match UtcTime::from_unix_duration(duration) {
        Ok(time) => Time::UtcTime(time),
        Err(_) => Time::GeneralTime(GeneralizedTime::from_unix_duration(duration)?),
    })
}
