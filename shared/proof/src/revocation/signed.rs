//! The outer structure that CRLs and OCSP responses share: content, signature algorithm and signature.

use der::{Any, Decode, Encode, Sequence, SliceReader, Tag, Tagged, asn1::BitString};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::Certificate;

use crate::{apart::Apart, trust};

/// `CertificateList` (RFC 5280) or `BasicOCSPResponse` (RFC 6960); only the latter has certificates.
#[derive(Sequence)]
pub struct Signed {
    content: Any,
    /// The signature algorithm.
    pub algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
    /// The certificates that came with the signature.
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub certificates: Option<Vec<Apart<Certificate>>>,
}

impl Signed {
    /// Parses the signed content.
    ///
    /// # Errors
    /// The decoder's error.
    pub fn decode<T: for<'a> Decode<'a>>(&self) -> der::Result<T> {
        T::from_der(&self.content.to_der()?)
    }

    /// A reader of the fields of the signed content.
    pub(super) fn fields(&self) -> der::Result<SliceReader<'_>> {
        self.content.tag().assert_eq(Tag::Sequence)?;
        SliceReader::new(self.content.value())
    }

    /// Whether the signature was made with the given key.
    #[must_use]
    pub fn is_by(&self, key: &SubjectPublicKeyInfoOwned) -> bool {
        let (Ok(content), Some(signature)) = (self.content.to_der(), self.signature.as_bytes()) else { return false };
        trust::verifies(key, &self.algorithm, &content, signature)
    }
}
