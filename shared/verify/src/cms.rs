//! Parses the CAdES signature: exactly the structure that `sign` writes.

use cms::{
    content_info::{CmsVersion, ContentInfo},
    signed_data::{SignerIdentifier, SignerInfo},
};
use const_oid::ObjectIdentifier;
use der::{
    Any, Decode, Encode,
    asn1::{Null, OctetString},
};
use lacre_domain::clock::rfc3339_millis;
use lacre_proof::{
    attribute,
    cades::{DOSSIER_INDEX, FRAME, SignaturePolicyId, SigningCertificateV2, issuer_and_serial, issuer_serial, sha_256},
    certificate::Scheme,
    der_bounds, oid,
    policy::{self, Policy},
    sealed::SealedStatements,
    signed_data::SignedData,
    trust::{MAX_CERTIFICATES, Path},
};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use x509_cert::{Certificate, attr::Attributes, time::Time};

use super::{
    certificates::Certificates,
    moment::Moment,
    report::{Holder, Report, SealReport},
};

/// Number of signed attributes that every signature has.
const ATTRIBUTES: usize = 6;

/// The content of a signature, and what the signature covers besides it.
pub(super) trait Covered: Sized {
    /// The value of the attribute `mimeType`.
    const MIME_TYPE: &str;
    /// Number of signed attributes that other signatures do not have.
    const OWN_ATTRIBUTES: usize;

    /// Reads these attributes.
    fn read(attributes: &Attributes) -> Result<Self, String>;
}

/// A frame, with the statements about it.
impl Covered for SealedStatements {
    const MIME_TYPE: &str = FRAME;
    const OWN_ATTRIBUTES: usize = 1;

    fn read(attributes: &Attributes) -> Result<Self, String> {
        let sealed: Self = attribute::single(attributes, oid::SEALED_STATEMENTS)?;
        match sealed.has_known_version() {
            true => Ok(sealed),
            false => Err("the sealed statements have another version".into()),
        }
    }
}

/// The index of a dossier.
pub(super) struct DossierIndex;

impl Covered for DossierIndex {
    const MIME_TYPE: &str = DOSSIER_INDEX;
    const OWN_ATTRIBUTES: usize = 0;

    fn read(_: &Attributes) -> Result<Self, String> {
        Ok(Self)
    }
}

/// The parts of a CAdES signature.
pub(super) struct CadesSignature<C = SealedStatements> {
    pub(super) leaf: Certificate,
    pub(super) leaf_der: Vec<u8>,
    /// All certificates except the signer's, in DER.
    pub(super) intermediates: Vec<Vec<u8>>,
    /// The signing time that the signer states.
    pub(super) signing_time: OffsetDateTime,
    /// The SHA-256 of the content.
    pub(super) message_digest: Vec<u8>,
    pub(super) policy: Policy,
    /// What the signature covers besides its content.
    pub(super) sealed: C,
    /// The timestamp token over the signature value, in DER.
    pub(super) token: Option<Vec<u8>>,
    /// The signed attributes in DER, which the signature covers.
    signed: Vec<u8>,
    signature: Vec<u8>,
}

impl<C: Covered> CadesSignature<C> {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        der_bounds::check(bytes)?;
        let signed_data = read(bytes).map_err(encoding)?;
        if write(&signed_data).map_err(encoding)? != bytes {
            return Err("the CMS message is not in DER".into());
        }
        if signed_data.version != CmsVersion::V1
            || signed_data.encap_content_info.econtent_type != oid::DATA
            || signed_data.encap_content_info.econtent.is_some()
            || signed_data.crls.is_some()
            || signed_data.digest_algorithms.as_slice() != [sha_256()]
        {
            return Err("the CMS message is not a detached SHA-256 signature".into());
        }
        let [signer] = signed_data.signer_infos.0.as_slice() else {
            return Err("the CMS message must have exactly one signer".into());
        };
        Self::of_signer(signer, signed_data.certificates())
    }

    fn of_signer<'a>(
        signer: &SignerInfo,
        certificates: impl ExactSizeIterator<Item = &'a Certificate>,
    ) -> Result<Self, String> {
        let null = Any::from(Null);
        if signer.version != CmsVersion::V1
            || signer.digest_alg != sha_256()
            || signer.signature_algorithm.oid != oid::SHA_256_WITH_RSA
            || signer.signature_algorithm.parameters.as_ref() != Some(&null)
        {
            return Err("the SignerInfo does not have the algorithms of a Lacre proof".into());
        }
        let (leaf, others) = split_certificates(signer, certificates)?;
        let leaf_der = leaf.to_der().map_err(encoding)?;
        let attributes = signer.signed_attrs.as_ref().ok_or("no signed attributes")?;
        if attributes.len() != ATTRIBUTES + C::OWN_ATTRIBUTES {
            return Err("the signed attributes do not have the form of a Lacre proof".into());
        }
        if attribute::single::<ObjectIdentifier>(attributes, oid::CONTENT_TYPE)? != oid::DATA {
            return Err("the contentType attribute is not id-data".into());
        }
        if attribute::single::<String>(attributes, oid::MIME_TYPE)? != C::MIME_TYPE {
            return Err(format!("the mimeType attribute is not {}", C::MIME_TYPE));
        }
        let sealed = C::read(attributes)?;
        check_signing_certificate(&attribute::single(attributes, oid::SIGNING_CERTIFICATE_V2)?, leaf, &leaf_der)?;
        Ok(Self {
            signing_time: signing_time(attribute::single(attributes, oid::SIGNING_TIME)?)?,
            message_digest: attribute::single::<OctetString>(attributes, oid::MESSAGE_DIGEST)?.into_bytes(),
            policy: policy(attribute::single(attributes, oid::SIGNATURE_POLICY)?)?,
            sealed,
            signed: attributes.to_der().map_err(encoding)?,
            signature: signer.signature.as_bytes().to_vec(),
            token: signer.unsigned_attrs.as_ref().map(token).transpose()?,
            intermediates: others.into_iter().map(Encode::to_der).collect::<Result<_, _>>().map_err(encoding)?,
            leaf: leaf.clone(),
            leaf_der,
        })
    }

    /// Verifies the signature itself.
    pub(super) fn check(&self) -> Result<(), String> {
        match Scheme::Rsa.verifies(&self.leaf_der, &self.signed, &self.signature) {
            true => Ok(()),
            false => Err("the signature over these attributes does not verify under its certificate".into()),
        }
    }

    /// Checks that the policy is a published one, by identifier, hash and URL, and that there is a timestamp if and only if
    /// the policy requires it.
    pub(super) fn check_policy(&self) -> Result<(), String> {
        let known = policy::known(&self.policy)?;
        match (known.timestamp, self.token.is_some()) {
            (true, false) => Err(format!("{} requires a timestamp, which is missing", known.name)),
            (false, true) => Err(format!("{} does not allow a timestamp, and one is embedded", known.name)),
            _ => Ok(()),
        }
    }

    /// The facts of the signature for the report.
    pub(super) fn facts(
        &self,
        certificates: &Certificates,
        (moment, path): (&Moment, Option<&Path>),
        report: &Report,
    ) -> Option<SealReport> {
        let leaf = certificates.leaf()?;
        Some(SealReport {
            holder: Holder::of(leaf),
            signer: self.leaf.tbs_certificate.subject.to_string(),
            signing_time: rfc3339_millis(self.signing_time).unwrap_or_default(),
            policy: self.policy.oid.to_string(),
            policy_name: policy::known(&self.policy).ok().map(|known| known.name),
            judged_at: rfc3339_millis(moment.judged_at()).unwrap_or_default(),
            chain: certificates.facts(),
            root: path.and_then(Path::root),
            timestamp_found: moment.found(false),
            timestamp: moment.facts("seal timestamp", report),
        })
    }

    /// The SHA-256 of the signature value, which a timestamp covers.
    pub(super) fn signature_sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.signature).into()
    }
}

fn read(bytes: &[u8]) -> der::Result<SignedData> {
    let content_info = ContentInfo::from_der(bytes)?;
    match content_info.content_type {
        oid::SIGNED_DATA => content_info.content.decode_as(),
        oid => Err(der::ErrorKind::OidUnknown { oid }.into()),
    }
}

fn write(signed_data: &SignedData) -> der::Result<Vec<u8>> {
    ContentInfo { content_type: oid::SIGNED_DATA, content: Any::encode_from(signed_data)? }.to_der()
}

/// Finds the signer's certificate among those of the message.
fn split_certificates<'a>(
    signer: &SignerInfo,
    certificates: impl ExactSizeIterator<Item = &'a Certificate>,
) -> Result<(&'a Certificate, Vec<&'a Certificate>), String> {
    if certificates.len() > MAX_CERTIFICATES {
        return Err("too many certificates".into());
    }
    let SignerIdentifier::IssuerAndSerialNumber(wanted) = &signer.sid else {
        return Err("the signer is not named by issuer and serial number".into());
    };
    let mut leaf = None;
    let mut others = Vec::new();
    for certificate in certificates {
        if leaf.is_none() && issuer_and_serial(certificate) == *wanted {
            leaf = Some(certificate);
        } else {
            others.push(certificate);
        }
    }
    Ok((leaf.ok_or("the signer's certificate is missing")?, others))
}

/// The timestamp token in the unsigned attributes, which must contain nothing else.
fn token(attributes: &Attributes) -> Result<Vec<u8>, String> {
    if attributes.len() != 1 {
        return Err("the unsigned attributes must contain exactly one, the timestamp token".into());
    }
    attribute::single::<Any>(attributes, oid::TIME_STAMP_TOKEN)?.to_der().map_err(encoding)
}

/// Checks that the signature names the certificate that it is verified with (CAdES).
fn check_signing_certificate(named: &SigningCertificateV2, leaf: &Certificate, leaf_der: &[u8]) -> Result<(), String> {
    let [named] = named.certs.as_slice() else {
        return Err("signingCertificateV2 must name exactly one certificate".into());
    };
    let same =
        named.cert_hash.as_bytes() == &Sha256::digest(leaf_der)[..] && named.issuer_serial == issuer_serial(leaf);
    if same { Ok(()) } else { Err("signingCertificateV2 names another certificate".into()) }
}

fn policy(id: SignaturePolicyId) -> Result<Policy, String> {
    if id.hash.algorithm != sha_256() {
        return Err("the policy's hash is not SHA-256".into());
    }
    let hash = id.hash.value.as_bytes().try_into().map_err(|_| "the policy's hash is not SHA-256")?;
    match id.qualifiers.as_slice() {
        [qualifier] if qualifier.id == oid::POLICY_URI => {
            Ok(Policy { oid: id.id, uri: qualifier.uri.to_string(), hash })
        }
        _ => Err("the policy must have exactly one address".into()),
    }
}

fn signing_time(time: Time) -> Result<OffsetDateTime, String> {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).map_err(|error| error.to_string())?;
    OffsetDateTime::from_unix_timestamp(seconds).map_err(|error| error.to_string())
}

fn encoding(error: der::Error) -> String {
    format!("the CMS message cannot be read: {error}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use der::asn1::SetOfVec;
    use lacre_domain::FrameHash;
    use lacre_proof::Timestamps;
    use lacre_proof_fixtures::{Sandbox, facts};
    use x509_cert::attr::Attribute;

    use super::*;

    /// The CMS message of a signature that `sign` made.
    fn message() -> SignedData {
        let sandbox = Sandbox::shared();
        let (signers, hash, facts) = (sandbox.signers(), FrameHash::of(b"frame"), facts());
        let signing = signers.sign_frame(&hash, &facts, &sandbox.rsa, Timestamps::None);
        let signature = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(signing).unwrap();
        read(signature.der()).unwrap()
    }

    fn signer(message: &SignedData) -> SignerInfo {
        message.signer_infos.0.get(0).unwrap().clone()
    }

    fn parsed(message: SignedData) -> Result<(), String> {
        CadesSignature::<SealedStatements>::parse(&write(&message).unwrap()).map(drop)
    }

    #[test]
    fn refuses_any_other_message_form() {
        let original = message();
        assert_eq!(parsed(original.clone()), Ok(()));

        let mut with_content = original.clone();
        let content = Any::encode_from(&OctetString::new(*b"frame").unwrap()).unwrap();
        with_content.encap_content_info.econtent = Some(content);
        let with_signers = |signers: Vec<SignerInfo>| {
            let mut changed = original.clone();
            changed.signer_infos = SetOfVec::try_from(signers).unwrap().into();
            changed
        };
        let with_signer = |change: &dyn Fn(&mut SignerInfo)| {
            let mut signer = signer(&original);
            change(&mut signer);
            with_signers(vec![signer])
        };
        let any_attribute = signer(&original).signed_attrs.unwrap().get(0).unwrap().clone();
        let unsigned = SetOfVec::try_from(vec![any_attribute]).unwrap();
        let other_signature = {
            let mut other = signer(&original);
            other.signature = OctetString::new([2; 256]).unwrap();
            other
        };
        let without_certificates = SignedData { certificates: None, ..original.clone() };

        for changed in [
            with_content,
            with_signers(vec![]),
            with_signers(vec![signer(&original), other_signature]),
            with_signer(&|signer| signer.unsigned_attrs = Some(unsigned.clone())),
            with_signer(&|signer| signer.signed_attrs = None),
            with_signer(&|signer| signer.version = CmsVersion::V3),
            with_signer(&|signer| signer.signature_algorithm.parameters = None),
            with_signer(&|signer| signer.digest_alg.parameters = Some(Any::from(Null))),
            without_certificates,
        ] {
            assert!(parsed(changed.clone()).is_err(), "{changed:?}");
        }
    }

    #[test]
    fn each_signed_attribute_has_one_value() {
        let original = message();
        let attributes = signer(&original).signed_attrs.unwrap().into_vec();
        let with = |attributes: Vec<Attribute>| {
            let mut signer = signer(&original);
            signer.signed_attrs = Some(SetOfVec::try_from(attributes).unwrap());
            let mut changed = original.clone();
            changed.signer_infos = SetOfVec::try_from(vec![signer]).unwrap().into();
            changed
        };
        for at in 0..attributes.len() {
            let mut missing = attributes.clone();
            let removed = missing.remove(at);
            assert!(parsed(with(missing.clone())).is_err(), "{} is missing", removed.oid);
            let mut two_values = removed.clone();
            two_values.values.insert(Any::from(Null)).unwrap();
            missing.push(two_values);
            assert!(parsed(with(missing)).is_err(), "{} has two values", removed.oid);
        }
    }
}
