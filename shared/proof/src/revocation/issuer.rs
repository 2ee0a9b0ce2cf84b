//! The issuer of a certificate, taken from the path to the anchor. Only the issuer may revoke the certificate.

use der::{Any, Decode, Encode, Tag};
use spki::SubjectPublicKeyInfoOwned;
use x509_cert::{
    Certificate,
    ext::pkix::{KeyUsage, KeyUsages},
    name::Name,
};

use crate::{
    certificate::extension,
    trust::{Anchors, Path},
};

/// The issuer of a certificate.
pub struct Issuer {
    /// The issuer's subject.
    pub name: Name,
    /// The issuer's public key.
    pub key: SubjectPublicKeyInfoOwned,
    /// Whether its key usage allows signing CRLs. This is not checked for a root.
    pub signs_lists: bool,
    /// The issuer as a trust anchor, for validating delegated OCSP responders.
    pub(super) anchor: Anchors,
}

impl Issuer {
    /// The issuers of a path's certificates, the leaf's first.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed.
    pub fn of(path: &Path) -> Result<Vec<Self>, String> {
        let authorities = path.authorities.iter().map(|der| Self::of_authority(der));
        authorities.chain([Self::of_anchor(path)]).collect()
    }

    /// The issuer with the given certificate, in DER.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed.
    pub fn of_authority(der: &[u8]) -> Result<Self, String> {
        let certificate = Certificate::from_der(der).map_err(|error| error.to_string())?;
        let usage = extension::<KeyUsage>(&certificate)?;
        Ok(Self {
            name: certificate.tbs_certificate.subject,
            key: certificate.tbs_certificate.subject_public_key_info,
            signs_lists: usage.is_none_or(|(_, usage)| usage.0.contains(KeyUsages::CRLSign)),
            anchor: Anchors::of_authority(der)?,
        })
    }

    fn of_anchor(path: &Path) -> Result<Self, String> {
        let read = || {
            Ok(Self {
                name: sequence(&path.anchor.subject)?,
                key: sequence(&path.anchor.subject_public_key_info)?,
                signs_lists: true,
                anchor: Anchors::of_anchor(path.anchor.clone()),
            })
        };
        read().map_err(|error: der::Error| error.to_string())
    }
}

/// Parses the content of a SEQUENCE: anchors contain it without its header.
fn sequence<T: for<'a> Decode<'a>>(value: &[u8]) -> der::Result<T> {
    T::from_der(&Any::new(Tag::Sequence, value)?.to_der()?)
}
