//! The CA of web server certificates on the local network. Its name constraints limit it to names and addresses of
//! local networks, which protects a phone that trusts it.

use std::net::IpAddr;

use der::{DecodePem, Encode, EncodePem, asn1::Ia5String, asn1::OctetString, pem::LineEnding};
use p256::{
    ecdsa::SigningKey,
    pkcs8::{DecodePrivateKey, EncodePrivateKey},
};
use rsa::rand_core::OsRng;
use spki::SubjectPublicKeyInfoOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::{
    Certificate,
    ext::pkix::{
        BasicConstraints, ExtendedKeyUsage, KeyUsages, NameConstraints, SubjectAltName,
        constraints::name::GeneralSubtree, name::GeneralName,
    },
};

use crate::{
    PkiError,
    authority::{Authority, Shape},
    claim::NotCritical,
};

/// `id-kp-serverAuth`.
const SERVER_AUTH: const_oid::ObjectIdentifier = const_oid::ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
/// DNS suffixes of local networks, which include their subdomains.
const DOMAINS: [&str; 5] = ["localhost", "local", "lan", "internal", "home.arpa"];
/// Private, link-local, shared and loopback IPv4 networks, as address and mask.
const NETWORKS: [([u8; 4], [u8; 4]); 6] = [
    ([10, 0, 0, 0], [255, 0, 0, 0]),
    ([172, 16, 0, 0], [255, 240, 0, 0]),
    ([192, 168, 0, 0], [255, 255, 0, 0]),
    ([169, 254, 0, 0], [255, 255, 0, 0]),
    ([100, 64, 0, 0], [255, 192, 0, 0]),
    ([127, 0, 0, 0], [255, 0, 0, 0]),
];

/// A CA with a P-256 key that may have no subordinate CA.
pub struct ServerPki(Authority<SigningKey>);

/// A server certificate with its private key.
pub struct ServerIdentity {
    /// The certificate in DER.
    pub certificate_der: Vec<u8>,
    /// The P-256 private key as DER PKCS#8.
    pub pkcs8_der: Vec<u8>,
}

/// A server's name in a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerName {
    /// A domain name.
    Domain(String),
    /// An IPv4 address.
    Address(std::net::Ipv4Addr),
}

impl std::fmt::Display for ServerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Domain(domain) => f.write_str(domain),
            Self::Address(address) => address.fmt(f),
        }
    }
}

impl ServerName {
    /// Parses a name or an IPv4 address of a local network. Returns `None` for any other, which the CA may not certify.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => {
                NETWORKS.iter().any(|network| contains(*network, address)).then_some(Self::Address(address))
            }
            Ok(IpAddr::V6(_)) => None,
            Err(_) => {
                let domain = text.to_ascii_lowercase();
                is_local(&domain).then_some(Self::Domain(domain))
            }
        }
    }

    fn general_name(&self) -> Result<GeneralName, PkiError> {
        Ok(match self {
            Self::Domain(domain) => GeneralName::DnsName(Ia5String::new(domain)?),
            Self::Address(address) => GeneralName::IpAddress(OctetString::new(address.octets())?),
        })
    }
}

impl ServerPki {
    /// Creates a CA, valid for ten years from the day before `now`.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn generate(now: OffsetDateTime) -> Result<Self, PkiError> {
        let shape = Shape {
            subject: "CN=Lacre Development HTTPS,O=Lacre Development,C=BR",
            key_usage: KeyUsages::KeyCertSign | KeyUsages::CRLSign,
            lifetime: Duration::days(3650),
            authority_depth: Some(0),
        };
        let (key, constraints) = (SigningKey::random(&mut OsRng), constraints()?);
        Authority::root_with(key, &shape, now, |builder| builder.add_extension(&constraints)).map(Self)
    }

    /// Restores the CA of an earlier run from its key and certificate in PEM.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn from_pem(key: &str, certificate: &str) -> Result<Self, PkiError> {
        let key = SigningKey::from_pkcs8_pem(key).map_err(|error| PkiError::PrivateKey(error.to_string()))?;
        Ok(Self(Authority::of(key, Certificate::from_pem(certificate)?)))
    }

    /// The private key as PEM PKCS#8.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn key_pem(&self) -> Result<String, PkiError> {
        let pem = self.0.key().to_pkcs8_pem(LineEnding::LF).map_err(|error| PkiError::PrivateKey(error.to_string()))?;
        Ok(pem.as_str().to_owned())
    }

    /// The certificate in PEM.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn certificate_pem(&self) -> Result<String, PkiError> {
        Ok(self.0.certificate().to_pem(LineEnding::LF)?)
    }

    /// The certificate in DER.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn certificate_der(&self) -> Result<Vec<u8>, PkiError> {
        Ok(self.0.certificate().to_der()?)
    }

    /// Generates a key and issues its server certificate, valid for 397 days from the day before `now`. iOS accepts at
    /// most 825 days from a CA that the user installed.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn issue(&self, names: &[ServerName], now: OffsetDateTime) -> Result<ServerIdentity, PkiError> {
        let shape = Shape {
            subject: "CN=Lacre Development Server,O=Lacre Development,C=BR",
            key_usage: KeyUsages::DigitalSignature.into(),
            lifetime: Duration::days(397),
            authority_depth: None,
        };
        let key = p256::SecretKey::random(&mut OsRng);
        let spki = SubjectPublicKeyInfoOwned::from_key(key.public_key())?;
        let names = SubjectAltName(names.iter().map(ServerName::general_name).collect::<Result<_, _>>()?);
        let certificate = self.0.issue(&spki, &shape, now, |builder| {
            builder.add_extension(&BasicConstraints { ca: false, path_len_constraint: None })?;
            builder.add_extension(&NotCritical::<ExtendedKeyUsage, _>::of(vec![SERVER_AUTH]))?;
            builder.add_extension(&names)
        })?;
        let pkcs8 = key.to_pkcs8_der().map_err(|error| PkiError::PrivateKey(error.to_string()))?;
        Ok(ServerIdentity { certificate_der: certificate.to_der()?, pkcs8_der: pkcs8.as_bytes().to_vec() })
    }
}

/// The name constraints of the CA. Someone who steals its key from this machine cannot impersonate internet sites to
/// phones that trust it.
fn constraints() -> Result<NameConstraints, PkiError> {
    let domains = DOMAINS.iter().map(|domain| Ok(GeneralName::DnsName(Ia5String::new(domain)?)));
    let networks = NETWORKS
        .iter()
        .map(|(address, mask)| Ok(GeneralName::IpAddress(OctetString::new([address.as_slice(), mask].concat())?)));
    let subtree = |base: Result<_, der::Error>| Ok(GeneralSubtree { base: base?, minimum: 0, maximum: None });
    let permitted = domains.chain(networks).map(subtree).collect::<Result<_, der::Error>>()?;
    Ok(NameConstraints { permitted_subtrees: Some(permitted), excluded_subtrees: None })
}

fn is_local(domain: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_below = |own: &str| domain.strip_suffix(own).is_some_and(|host| host.is_empty() || host.ends_with('.'));
    domain.split('.').all(is_label) && DOMAINS.into_iter().any(is_below)
}

fn contains((network, mask): ([u8; 4], [u8; 4]), address: std::net::Ipv4Addr) -> bool {
    address.to_bits() & u32::from_be_bytes(mask) == u32::from_be_bytes(network)
}
