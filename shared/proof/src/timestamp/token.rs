//! The parts of a timestamp token: a CMS message (RFC 5652) with one signer around a `TSTInfo`.

use cms::{
    content_info::{CmsVersion, ContentInfo},
    signed_data::{EncapsulatedContentInfo, SignerIdentifier, SignerInfo},
};
use const_oid::ObjectIdentifier;
use der::{
    Any, Decode, Encode,
    asn1::{Int, OctetString, OctetStringRef, SetOfVec},
};
use spki::AlgorithmIdentifierOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::{Certificate, attr::Attributes, ext::pkix::SubjectKeyIdentifier};

use super::{
    TokenFault,
    algorithm::Digest,
    certificate,
    fault::{CLOCK_TOLERANCE, MAX_ACCURACY},
    signing_certificate,
    tst_info::TstInfo,
};
use crate::{
    Expiry,
    apart::Apart,
    attribute,
    cades::issuer_and_serial,
    certificate::extension,
    der_bounds, ecdsa, oid,
    signed_data::SignedData,
    times::TIMESTAMP,
    trust::{Anchors, MAX_CERTIFICATES, Path},
};

/// A token that is parsed, but not checked yet.
pub struct SignedToken {
    info: TstInfo,
    /// The signed content: `TSTInfo` in DER, as an octet string.
    content: Any,
    leaf: Certificate,
    leaf_der: Vec<u8>,
    /// All certificates except the signer's, in DER, in any order.
    intermediates: Vec<Vec<u8>>,
    signer: SignerInfo,
    attributes: Attributes,
    digest: Digest,
}

impl SignedToken {
    /// Parses a token in DER of at most [`super::MAX_TOKEN`] bytes.
    pub fn parse(der: &[u8]) -> Result<Self, TokenFault> {
        if der.len() > super::MAX_TOKEN {
            return Err(TokenFault::Length(der.len()));
        }
        der_bounds::check(der).map_err(TokenFault::unreadable)?;
        Self::of(&ContentInfo::from_der(der).map_err(TokenFault::unreadable)?)
    }

    /// Checks a token that is embedded in a proof, at a later time.
    pub fn check_embedded(
        &self,
        der: &[u8],
        message_sha256: &[u8; 32],
        anchors: &Anchors,
        at: OffsetDateTime,
    ) -> Result<Path, TokenFault> {
        let path = self.check(message_sha256, anchors, at)?;
        if self.time() - at > CLOCK_TOLERANCE {
            return Err(TokenFault::Later { time: self.time(), at });
        }
        if self.in_one_form(&path)? == der { Ok(path) } else { Err(TokenFault::Form) }
    }

    pub(super) fn of(token: &ContentInfo) -> Result<Self, TokenFault> {
        let unreadable = |what: &str| TokenFault::Unreadable(what.into());
        if token.content_type != oid::SIGNED_DATA {
            return Err(unreadable("it is not a SignedData"));
        }
        let message: SignedData = token.content.decode_as().map_err(TokenFault::unreadable)?;
        let content = &message.encap_content_info;
        if content.econtent_type != oid::TST_INFO {
            return Err(unreadable("the signed content is not a TSTInfo"));
        }
        let content = content.econtent.clone().ok_or_else(|| unreadable("the signed content is detached"))?;
        let octets: OctetStringRef<'_> = content.decode_as().map_err(TokenFault::unreadable)?;
        let info = TstInfo::from_der(octets.as_bytes()).map_err(TokenFault::unreadable)?;

        let [signer] = message.signer_infos.0.as_slice() else {
            return Err(unreadable("it must have exactly one signer"));
        };
        let (leaf, others) = split_certificates(signer, message.certificates()).map_err(|fault| unreadable(&fault))?;
        let digest = Digest::of(&signer.digest_alg).ok_or_else(|| unreadable("its hash function is not supported"))?;
        Ok(Self {
            info,
            leaf_der: leaf.to_der().map_err(TokenFault::unreadable)?,
            leaf: leaf.clone(),
            intermediates: others
                .into_iter()
                .map(Encode::to_der)
                .collect::<Result<_, _>>()
                .map_err(TokenFault::unreadable)?,
            attributes: signer.signed_attrs.clone().ok_or_else(|| unreadable("it has no signed attributes"))?,
            signer: signer.clone(),
            digest,
            content,
        })
    }

    /// The time at which the message existed, according to the authority.
    pub fn time(&self) -> OffsetDateTime {
        self.info.time
    }

    /// The signer's certificate, and the others in any order.
    pub fn certificates(&self) -> (&[u8], &[Vec<u8>]) {
        (&self.leaf_der, &self.intermediates)
    }

    /// The SHA-256 that the token covers; `None` if it covers a hash of another kind.
    pub fn message_sha256(&self) -> Option<[u8; 32]> {
        let imprint = &self.info.message_imprint;
        let is_sha_256 = Digest::of(&imprint.hash_algorithm) == Some(Digest::Sha256);
        imprint.hashed_message.as_bytes().try_into().ok().filter(|_| is_sha_256)
    }

    /// The first expiry among its certificates, except roots.
    pub fn first_end(&self) -> Option<Expiry> {
        let others: Vec<_> = self.intermediates.iter().filter_map(|der| Certificate::from_der(der).ok()).collect();
        Expiry::first_of(std::iter::once(&self.leaf).chain(&others))
    }

    /// The OID of the policy under which the authority works.
    pub fn policy(&self) -> ObjectIdentifier {
        self.info.policy
    }

    /// The serial number that the authority gave the token.
    pub fn serial_number(&self) -> &[u8] {
        self.info.serial_number.as_bytes()
    }

    /// The accuracy, if the authority states one.
    pub fn accuracy(&self) -> Option<Duration> {
        self.info.accuracy()
    }

    /// Checks everything about a token over the message with the given SHA-256, except the nonce. Its chain must lead
    /// to an anchor both at the token's own time and at the given one.
    pub(super) fn check(
        &self,
        message_sha256: &[u8; 32],
        anchors: &Anchors,
        at: OffsetDateTime,
    ) -> Result<Path, TokenFault> {
        self.check_imprint(message_sha256)?;
        self.check_signature()?;
        signing_certificate::check(&self.attributes, &self.leaf, &self.leaf_der)
            .map_err(TokenFault::SigningCertificate)?;
        certificate::check(&self.leaf).map_err(TokenFault::Certificate)?;
        self.check_accuracy()?;
        let intermediates: Vec<&[u8]> = self.intermediates.iter().map(Vec::as_slice).collect();
        let path = |at| anchors.path(&self.leaf_der, &intermediates, &[certificate::TIME_STAMPING], at);
        path(self.time()).and_then(|_| path(at)).map_err(TokenFault::Untrusted)
    }

    fn check_imprint(&self, message_sha256: &[u8; 32]) -> Result<(), TokenFault> {
        if self.message_sha256().as_ref() == Some(message_sha256) { Ok(()) } else { Err(TokenFault::Imprint) }
    }

    /// Verifies the signature over the attributes, one of which is the digest of the content (RFC 5652, 5.4).
    fn check_signature(&self) -> Result<(), TokenFault> {
        let check = || {
            if attribute::single::<ObjectIdentifier>(&self.attributes, oid::CONTENT_TYPE)? != oid::TST_INFO {
                return Err("it is over another kind of content".to_owned());
            }
            let message_digest: OctetString = attribute::single(&self.attributes, oid::MESSAGE_DIGEST)?;
            if message_digest.as_bytes() != self.digest.hash(self.content.value()) {
                return Err("it is over another content".to_owned());
            }
            let name = self.digest.signature_name(&self.signer.signature_algorithm);
            name.ok_or("its algorithm is not supported")?;
            let signed = self.attributes.to_der().map_err(|error| error.to_string())?;
            match self.digest.verifies(&self.leaf_der, &signed, self.signer.signature.as_bytes()) {
                true => Ok(()),
                false => Err("it does not verify under its certificate".to_owned()),
            }
        };
        check().map_err(TokenFault::Signature)
    }

    fn check_accuracy(&self) -> Result<(), TokenFault> {
        match self.accuracy().filter(|accuracy| *accuracy > MAX_ACCURACY) {
            Some(accuracy) => Err(TokenFault::Accuracy(accuracy)),
            None => Ok(()),
        }
    }

    pub(super) fn check_nonce(&self, nonce: &Int) -> Result<(), TokenFault> {
        if self.info.nonce.as_ref() == Some(nonce) { Ok(()) } else { Err(TokenFault::Nonce) }
    }

    pub(super) fn check_clock(&self, now: OffsetDateTime) -> Result<(), TokenFault> {
        let time = self.time();
        if TIMESTAMP.contains(&(time - now)) { Ok(()) } else { Err(TokenFault::Clock { time, now }) }
    }

    /// The token with all unsigned parts in canonical form: only the certificates between the authority and the anchor,
    /// no revocation lists, no unsigned attributes, and a single encoding where several are possible. So nothing can be
    /// hidden in a token, and every changed byte is detected.
    pub(super) fn in_one_form(&self, path: &Path) -> Result<Vec<u8>, TokenFault> {
        self.write(path).map_err(TokenFault::unreadable)
    }

    /// The canonical one of the two equivalent signatures on an elliptic curve.
    fn one_signature(&self) -> Vec<u8> {
        let signature = self.signer.signature.as_bytes();
        let key = &self.leaf.tbs_certificate.subject_public_key_info.algorithm;
        let curve = key.parameters.as_ref().and_then(|curve| curve.decode_as().ok());
        curve.and_then(|curve| ecdsa::with_smaller_s(curve, signature)).unwrap_or_else(|| signature.to_vec())
    }

    fn write(&self, path: &Path) -> der::Result<Vec<u8>> {
        let authorities = path.authorities.iter().map(|der| Certificate::from_der(der));
        let certificates = std::iter::once(Ok(self.leaf.clone())).chain(authorities);
        let certificates: Vec<_> = certificates.map(|found| found.map(Apart)).collect::<Result<_, _>>()?;
        let named = &self.signer.signature_algorithm;
        let signer = SignerInfo {
            version: CmsVersion::V1,
            sid: SignerIdentifier::IssuerAndSerialNumber(issuer_and_serial(&self.leaf)),
            digest_alg: AlgorithmIdentifierOwned { oid: self.signer.digest_alg.oid, parameters: None },
            signed_attrs: Some(self.attributes.clone()),
            signature_algorithm: self.digest.signature_name(named).unwrap_or_else(|| named.clone()),
            signature: OctetString::new(self.one_signature())?,
            unsigned_attrs: None,
        };
        let message = SignedData {
            version: CmsVersion::V3,
            digest_algorithms: SetOfVec::try_from(vec![signer.digest_alg.clone()])?,
            encap_content_info: EncapsulatedContentInfo {
                econtent_type: oid::TST_INFO,
                econtent: Some(self.content.clone()),
            },
            certificates: Some(SetOfVec::try_from(certificates)?),
            crls: None,
            signer_infos: SetOfVec::try_from(vec![signer])?.into(),
        };
        ContentInfo { content_type: oid::SIGNED_DATA, content: Any::encode_from(&message)? }.to_der()
    }
}

/// Finds the signer's certificate among those of the message.
fn split_certificates<'a>(
    signer: &SignerInfo,
    certificates: impl ExactSizeIterator<Item = &'a Certificate>,
) -> Result<(&'a Certificate, Vec<&'a Certificate>), String> {
    if certificates.len() > MAX_CERTIFICATES {
        return Err("it has too many certificates".into());
    }
    let mut leaf = None;
    let mut others = Vec::new();
    for certificate in certificates {
        if leaf.is_none() && is_of(&signer.sid, certificate)? {
            leaf = Some(certificate);
        } else {
            others.push(certificate);
        }
    }
    Ok((leaf.ok_or("the signer's certificate is not in it")?, others))
}

fn is_of(signer: &SignerIdentifier, certificate: &Certificate) -> Result<bool, String> {
    match signer {
        SignerIdentifier::IssuerAndSerialNumber(wanted) => Ok(issuer_and_serial(certificate) == *wanted),
        SignerIdentifier::SubjectKeyIdentifier(wanted) => {
            Ok(extension::<SubjectKeyIdentifier>(certificate)?.is_some_and(|(_, found)| found == *wanted))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens come from strangers, too: what takes long to decode is refused before.
    #[test]
    fn tokens_are_bounded_before_they_are_parsed() {
        let long = vec![0x30; super::super::MAX_TOKEN + 1];
        assert!(matches!(SignedToken::parse(&long), Err(TokenFault::Length(length)) if length == long.len()));
        // A SET of 100 integers.
        let set = [&[0x31, 0x82, 1, 44][..], &[2, 1, 7].repeat(100)].concat();
        let fault = SignedToken::parse(&set).err().map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.contains("too many elements"), "{fault}");
    }
}
