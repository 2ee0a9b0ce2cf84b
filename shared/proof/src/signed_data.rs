//! The CMS message around a signature.

use cms::{
    content_info::CmsVersion,
    signed_data::{EncapsulatedContentInfo, SignerInfos},
};
use der::{Any, Sequence, asn1::SetOfVec};
use spki::AlgorithmIdentifierOwned;
use x509_cert::Certificate;

use crate::apart::Apart;

/// `SignedData` (RFC 5652, 5.1) with X.509 certificates only. Its revocation lists stay encoded: proofs have none.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SignedData {
    /// The version of the syntax.
    pub version: CmsVersion,
    /// The hash functions of the signers.
    pub digest_algorithms: SetOfVec<AlgorithmIdentifierOwned>,
    /// The signed content; detached if it is empty.
    pub encap_content_info: EncapsulatedContentInfo,
    /// Certificates of the signers and their authorities.
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    pub certificates: Option<SetOfVec<Apart<Certificate>>>,
    /// Revocation lists and OCSP responses.
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    pub crls: Option<SetOfVec<Any>>,
    /// The signatures.
    pub signer_infos: SignerInfos,
}

impl SignedData {
    /// The certificates in the order of their bytes.
    pub fn certificates(&self) -> impl ExactSizeIterator<Item = &Certificate> {
        self.certificates.as_ref().map_or(&[][..], SetOfVec::as_slice).iter().map(|Apart(certificate)| certificate)
    }
}
