//! The signature algorithms of timestamp authorities: RSA PKCS#1 v1.5 with SHA-256, SHA-384 or SHA-512, and ECDSA on
//! P-256 or P-384 with SHA-256 or SHA-384.

use const_oid::ObjectIdentifier;
use der::{Any, asn1::Null};
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use spki::AlgorithmIdentifierOwned;
use webpki::{
    EndEntityCert,
    ring::{
        ECDSA_P256_SHA256, ECDSA_P256_SHA384, ECDSA_P384_SHA256, ECDSA_P384_SHA384, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
    },
};

use crate::oid;

const SHA_384: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
const SHA_512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3");
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const SHA_384_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.12");
const SHA_512_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.13");
const ECDSA_WITH_SHA_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const ECDSA_WITH_SHA_384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");

/// The hash functions that tokens may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digest {
    Sha256,
    Sha384,
    Sha512,
}

impl Digest {
    /// The hash function of an algorithm identifier. Its parameters are absent or, as older software writes them, NULL.
    pub(super) fn of(algorithm: &AlgorithmIdentifierOwned) -> Option<Self> {
        if !has_no_parameters(algorithm) {
            return None;
        }
        match algorithm.oid {
            oid::SHA_256 => Some(Self::Sha256),
            SHA_384 => Some(Self::Sha384),
            SHA_512 => Some(Self::Sha512),
            _ => None,
        }
    }

    pub(super) fn hash(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha384 => Sha384::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }

    /// The canonical algorithm identifier of a signature over this hash. CMS allows two for RSA, of which the older one
    /// is used (RFC 5754, 3.2). `None` if `named` is not a signature algorithm for this hash.
    pub(super) fn signature_name(self, named: &AlgorithmIdentifierOwned) -> Option<AlgorithmIdentifierOwned> {
        let (with_rsa, with_ecdsa) = match self {
            Self::Sha256 => (oid::SHA_256_WITH_RSA, Some(ECDSA_WITH_SHA_256)),
            Self::Sha384 => (SHA_384_WITH_RSA, Some(ECDSA_WITH_SHA_384)),
            Self::Sha512 => (SHA_512_WITH_RSA, None),
        };
        if named.oid == RSA || named.oid == with_rsa {
            let name = AlgorithmIdentifierOwned { oid: RSA, parameters: Some(Any::from(Null)) };
            return has_no_parameters(named).then_some(name);
        }
        (Some(named.oid) == with_ecdsa && named.parameters.is_none()).then(|| named.clone())
    }

    /// Verifies a signature over a message with the key of a certificate in DER.
    pub(super) fn verifies(self, certificate: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let certificate = CertificateDer::from(certificate);
        let Ok(certificate) = EndEntityCert::try_from(&certificate) else { return false };
        // Each algorithm refuses keys of another type.
        self.algorithms().iter().any(|algorithm| certificate.verify_signature(*algorithm, message, signature).is_ok())
    }

    fn algorithms(self) -> Vec<&'static dyn SignatureVerificationAlgorithm> {
        match self {
            Self::Sha256 => vec![RSA_PKCS1_2048_8192_SHA256, ECDSA_P256_SHA256, ECDSA_P384_SHA256],
            Self::Sha384 => vec![RSA_PKCS1_2048_8192_SHA384, ECDSA_P256_SHA384, ECDSA_P384_SHA384],
            Self::Sha512 => vec![RSA_PKCS1_2048_8192_SHA512],
        }
    }
}

fn has_no_parameters(algorithm: &AlgorithmIdentifierOwned) -> bool {
    algorithm.parameters.as_ref().is_none_or(|parameters| *parameters == Any::from(Null))
}
