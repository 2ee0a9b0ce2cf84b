//! The outer structure that CRLs and OCSP responses share: content, signature algorithm and signature.

use der::{Any, Decode, Encode, Sequence, asn1::BitString};
use lacre_proof::trust;
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::Certificate;

/// `CertificateList` (RFC 5280) or `BasicOCSPResponse` (RFC 6960); only the latter has certificates.
#[derive(Sequence)]
pub(super) struct Signed {
    pub(super) content: Any,
    pub(super) algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub(super) certificates: Option<Vec<Certificate>>,
}

impl Signed {
    /// Parses the signed content.
    pub(super) fn decode<T: for<'a> Decode<'a>>(&self) -> der::Result<T> {
        T::from_der(&self.content.to_der()?)
    }

    /// Whether the signature was made with the given key.
    pub(super) fn is_by(&self, key: &SubjectPublicKeyInfoOwned) -> bool {
        let Ok(content) = self.content.to_der() else { return false };
        trust::verifies(key, &self.algorithm, &content, self.signature.raw_bytes())
    }
}
