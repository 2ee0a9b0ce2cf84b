//! Evidence bundles: the validation material of a timestamp token, and of what the token covers, in one file.
//!
//! The file is a CMS `SignedData` without a signer (`.p7b`), which OpenSSL and others read. Its certificates and
//! revocation lists are in the fields for them, and OCSP responses beside the lists (RFC 5940). Its content is the
//! SHA-256 of the token. A list or response has its own signature, so a bundle needs none. The same parts always make
//! the same bytes.

use cms::{content_info::ContentInfo, signed_data::EncapsulatedContentInfo};
use const_oid::ObjectIdentifier;
use der::{
    Any, Decode, Encode, Reader, Sequence, SliceReader, Tag, TagNumber, Tagged,
    asn1::{AnyRef, OctetString, OctetStringRef, SetOfVec},
};
use sha2::{Digest, Sha256};
use time::Duration;

use crate::{oid, timestamp::SignedToken};

/// Maximum size of a bundle in bytes. Revocation lists of large authorities have some megabytes.
pub const MAX_BUNDLE: usize = 32 * 1024 * 1024;

/// The time after a timestamp for which its bundle waits for what the authorities publish.
pub const BUNDLE_WAIT: Duration = Duration::hours(48);

/// The maximum number of certificates, and of lists and responses, in a bundle.
const MAX_PARTS: usize = 1024;

/// `id-ri-ocsp-response` (RFC 5940).
const OCSP_RESPONSE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.16.2");

/// The parts of a bundle, each in DER and in the order of their bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The SHA-256 of the token that the bundle accompanies.
    pub token_sha256: [u8; 32],
    /// Certificates of the chains.
    pub certificates: Vec<Vec<u8>>,
    /// Certificate revocation lists.
    pub lists: Vec<Vec<u8>>,
    /// OCSP responses (`OCSPResponse`).
    pub answers: Vec<Vec<u8>>,
}

/// A bundle with the SHA-256 of its file, by which a renewal covers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFile {
    /// The bundle.
    pub bundle: Bundle,
    /// The SHA-256 of the file.
    pub sha256: [u8; 32],
}

impl BundleFile {
    /// Parses a bundle in DER.
    ///
    /// # Errors
    /// A text, if the bytes are not a bundle.
    pub fn parse(der: &[u8]) -> Result<Self, String> {
        Ok(Self { bundle: Bundle::parse(der)?, sha256: Sha256::digest(der).into() })
    }
}

/// `SignedData` without a signer. `cms` writes OCSP responses in another form than RFC 5652 has.
#[derive(Sequence)]
struct Message {
    version: u8,
    digest_algorithms: SetOfVec<Any>,
    content: EncapsulatedContentInfo,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    certificates: Option<SetOfVec<Any>>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    revocations: Option<SetOfVec<Any>>,
    signers: SetOfVec<Any>,
}

/// The tags of the fields `certificates` and `crls`.
const CERTIFICATES: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber::N0 };
const REVOCATIONS: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber::N1 };
/// The tag of `other` in a `RevocationInfoChoice`; a revocation list is a SEQUENCE.
const OTHER: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber::N1 };

impl Bundle {
    /// The bundle of a timestamp token (DER), with its certificates and no statements about them.
    ///
    /// # Errors
    /// A text, if the token cannot be parsed.
    pub fn of(token: &[u8]) -> Result<Self, String> {
        let parsed = SignedToken::parse(token).map_err(|fault| fault.to_string())?;
        let (leaf, others) = parsed.certificates();
        let certificates = std::iter::once(leaf.to_vec()).chain(others.iter().cloned()).collect();
        Ok(Self { token_sha256: Sha256::digest(token).into(), certificates, ..Self::default() })
    }

    /// Parses a bundle in DER.
    ///
    /// # Errors
    /// A text, if the bytes are not a bundle.
    pub fn parse(der: &[u8]) -> Result<Self, String> {
        if der.len() > MAX_BUNDLE {
            return Err(format!("an evidence bundle of more than {MAX_BUNDLE} bytes"));
        }
        Self::read(der).map_err(|error| format!("not an evidence bundle: {error}"))
    }

    fn read(der: &[u8]) -> der::Result<Self> {
        let file = ContentInfo::from_der(der)?;
        if file.content_type != oid::SIGNED_DATA || file.content.tag() != Tag::Sequence {
            return Err(refused());
        }
        // The sets are read one element after the other: decoding them as sets would sort them by insertion.
        let mut message = SliceReader::new(file.content.value())?;
        let (_version, _digests) = (u8::decode(&mut message)?, AnyRef::decode(&mut message)?);
        let content = EncapsulatedContentInfo::decode(&mut message)?;
        let token_sha256 = content.econtent.filter(|_| content.econtent_type == oid::DATA).ok_or_else(refused)?;
        let token_sha256: OctetStringRef<'_> = token_sha256.decode_as()?;
        let token_sha256 = token_sha256.as_bytes().try_into().map_err(|_| refused())?;
        let mut bundle = Self { token_sha256, ..Self::default() };
        let mut field = AnyRef::decode(&mut message)?;
        if field.tag() == CERTIFICATES {
            for certificate in parts_of(field)? {
                bundle.certificates.push(certificate.to_der()?);
            }
            field = AnyRef::decode(&mut message)?;
        }
        if field.tag() == REVOCATIONS {
            for revocation in parts_of(field)? {
                match revocation.tag() {
                    Tag::Sequence => bundle.lists.push(revocation.to_der()?),
                    OTHER => bundle.answers.push(answer_of(revocation.value())?),
                    _ => return Err(refused()),
                }
            }
            field = AnyRef::decode(&mut message)?;
        }
        // The signers, of which there are none.
        match field.tag() == Tag::Set && field.value().is_empty() && message.is_finished() {
            true => Ok(bundle),
            false => Err(refused()),
        }
    }

    /// The bundle in DER.
    ///
    /// # Errors
    /// A text, if a part is not in DER.
    pub fn to_der(&self) -> Result<Vec<u8>, String> {
        self.write().map_err(|error| format!("a part of the evidence bundle is not in DER: {error}"))
    }

    fn write(&self) -> der::Result<Vec<u8>> {
        let der = |part: &Vec<u8>| Any::from_der(part);
        let other = |answer: &Vec<u8>| Any::new(OTHER, [OCSP_RESPONSE.to_der()?, answer.clone()].concat());
        let certificates = self.certificates.iter().map(der).collect::<der::Result<Vec<_>>>()?;
        let revocations = self.lists.iter().map(der).chain(self.answers.iter().map(other));
        let revocations = revocations.collect::<der::Result<Vec<_>>>()?;
        let set = |parts: Vec<Any>| (!parts.is_empty()).then(|| SetOfVec::try_from(parts)).transpose();
        let message = Message {
            version: if self.answers.is_empty() { 1 } else { 5 },
            digest_algorithms: SetOfVec::new(),
            content: EncapsulatedContentInfo {
                econtent_type: oid::DATA,
                econtent: Some(Any::encode_from(&OctetString::new(self.token_sha256)?)?),
            },
            certificates: set(certificates)?,
            revocations: set(revocations)?,
            signers: SetOfVec::new(),
        };
        ContentInfo { content_type: oid::SIGNED_DATA, content: Any::encode_from(&message)? }.to_der()
    }
}

fn refused() -> der::Error {
    der::ErrorKind::Failed.into()
}

/// The elements of a field.
fn parts_of(field: AnyRef<'_>) -> der::Result<Vec<AnyRef<'_>>> {
    let mut reader = SliceReader::new(field.value())?;
    let mut parts = Vec::new();
    while !reader.is_finished() {
        if parts.len() == MAX_PARTS {
            return Err(refused());
        }
        parts.push(AnyRef::decode(&mut reader)?);
    }
    Ok(parts)
}

/// The OCSP response in the content of `other`: an object identifier and the response.
fn answer_of(content: &[u8]) -> der::Result<Vec<u8>> {
    let mut reader = SliceReader::new(content)?;
    let (format, answer) = (ObjectIdentifier::decode(&mut reader)?, Any::decode(&mut reader)?);
    match format == OCSP_RESPONSE && reader.is_finished() {
        true => answer.to_der(),
        false => Err(refused()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Three parts in DER, in the order of their bytes.
    fn parts(first: u8) -> Vec<Vec<u8>> {
        (0..3).map(|number| vec![0x30, 3, 2, 1, first + number]).collect()
    }

    #[test]
    fn a_bundle_is_read_as_written() {
        let [certificates, lists, answers] = [1, 4, 7].map(parts);
        for (lists, answers) in [(lists.clone(), answers.clone()), (lists, vec![]), (vec![], answers), (vec![], vec![])]
        {
            let bundle = Bundle { token_sha256: [9; 32], certificates: certificates.clone(), lists, answers };
            let der = bundle.to_der().unwrap();
            assert_eq!(Bundle::parse(&der).unwrap(), bundle);
            let turned = |parts: &Vec<Vec<u8>>| parts.iter().rev().cloned().collect();
            let Bundle { token_sha256, certificates, lists, answers } = &bundle;
            let (certificates, lists, answers) = (turned(certificates), turned(lists), turned(answers));
            let same = Bundle { token_sha256: *token_sha256, certificates, lists, answers };
            assert_eq!(same.to_der().unwrap(), der);
        }
    }

    #[test]
    fn refuses_what_is_no_bundle() {
        let bundle = Bundle { answers: parts(1), ..Bundle::default() }.to_der().unwrap();
        let at = bundle.windows(10).position(|bytes| bytes == OCSP_RESPONSE.to_der().unwrap()).unwrap();
        let mut other = bundle.clone();
        other[at + 9] ^= 1;
        let cut = &bundle[..bundle.len() - 1];
        let certificates = Bundle { certificates: parts(1), ..Bundle::default() }.to_der().unwrap();
        let field = certificates.iter().rposition(|byte| *byte == 0xA0).unwrap();
        let mut twice = certificates.clone();
        twice.splice(field..field, certificates[field..certificates.len() - 2].to_vec());
        let grown = certificates.len() as u8 - field as u8 - 2;
        for length in [1, 14, 16] {
            twice[length] += grown;
        }
        let many =
            (0..=MAX_PARTS as u16).map(|number| [&[0x30, 4, 2, 2][..], &(0x4000 + number).to_be_bytes()].concat());
        let many = Bundle { lists: many.collect(), ..Bundle::default() }.to_der().unwrap();
        for wrong in [b"", &b"no bundle"[..], cut, &other, &many, &twice] {
            assert!(Bundle::parse(wrong).unwrap_err().starts_with("not an evidence bundle"));
        }
        assert!(Bundle { lists: vec![vec![1]], ..Bundle::default() }.to_der().is_err());
    }
}
