//! Certificate chains: up to an anchor that the caller trusts, offline, and fit for what they are used for.

use der::{Any, Decode, Encode, Tag};
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm, TrustAnchor, UnixTime};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use time::OffsetDateTime;
use webpki::{
    EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeIdIter,
    ring::{
        ECDSA_P256_SHA256, ECDSA_P256_SHA384, ECDSA_P384_SHA256, ECDSA_P384_SHA384, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
    },
};
use x509_cert::{Certificate, ext::pkix::KeyUsages, name::Name};

use crate::{
    pem,
    purpose::{Purpose, check_key_usage},
};

/// The certificates that the caller trusts: roots, and perhaps authorities below one.
pub struct Anchors {
    roots: Vec<TrustAnchor<'static>>,
    /// Where a chain ends that leads to none of the roots.
    authorities: Vec<TrustAnchor<'static>>,
}

/// The roots that the caller trusts, apart by what they are trusted for: whoever holds a root may say who signs claims, and
/// not by that also who seals photos, or what time it was.
#[derive(Clone, Copy)]
pub struct Trust<'a> {
    /// For the C2PA claim.
    pub claim: &'a Anchors,
    /// For the ICP-Brasil signature.
    pub seal: &'a Anchors,
    /// For the timestamps.
    pub timestamps: &'a Anchors,
}

/// One list for everything, as in development: each of its roots can then vouch for any part of a proof.
impl<'a> From<&'a Anchors> for Trust<'a> {
    fn from(anchors: &'a Anchors) -> Self {
        Self { claim: anchors, seal: anchors, timestamps: anchors }
    }
}

/// How authorities sign certificates: RSA PKCS#1 v1.5 and ECDSA, with SHA-2.
const ALGORITHMS: [&dyn SignatureVerificationAlgorithm; 7] = [
    ECDSA_P256_SHA256,
    ECDSA_P256_SHA384,
    ECDSA_P384_SHA256,
    ECDSA_P384_SHA384,
    RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512,
];

impl Anchors {
    /// Reads certificates in PEM. A chain ends in a root where it can, also where authorities below that root are among
    /// them: a proof looks the same to all who trust the root.
    ///
    /// # Errors
    /// A text that says what cannot be read; also when there is no certificate.
    pub fn from_pem(pem: &str) -> Result<Self, String> {
        let (mut roots, mut authorities) = (Vec::new(), Vec::new());
        for certificate in pem::certificates(pem)? {
            let der = certificate.to_der().map_err(|error| error.to_string())?;
            let of_its_kind = if is_self_issued(&certificate) { &mut roots } else { &mut authorities };
            of_its_kind.push(anchor(&der)?);
        }
        Ok(Self { roots, authorities })
    }

    /// Reads root certificates in PEM, and nothing below a root.
    ///
    /// # Errors
    /// A text that says what cannot be read, or which certificate is no root; also when there is no certificate.
    pub fn of_roots(pem: &str) -> Result<Self, String> {
        match pem::certificates(pem)?.iter().find(|certificate| !is_self_issued(certificate)) {
            Some(other) => Err(format!("{} is no root", other.tbs_certificate.subject)),
            None => Self::from_pem(pem),
        }
    }

    /// One authority in DER.
    pub(crate) fn of_authority(der: &[u8]) -> Result<Self, String> {
        Ok(Self::of_anchor(anchor(der)?))
    }

    /// One of several anchors.
    pub(crate) fn of_anchor(anchor: TrustAnchor<'static>) -> Self {
        Self { roots: vec![anchor], authorities: Vec::new() }
    }

    /// Checks that a leaf chains up to an anchor over the given intermediates, that all of it is valid at `now`, and
    /// that the leaf is made for its purpose.
    pub(crate) fn check(
        &self,
        purpose: Purpose,
        leaf: &[u8],
        intermediates: &[&[u8]],
        now: OffsetDateTime,
    ) -> Result<Path, String> {
        let path = self.path(leaf, intermediates, now)?;
        purpose.check_leaf(&parse(leaf)?)?;
        Ok(path)
    }

    /// The same without the leaf's purpose.
    pub(crate) fn check_path(&self, leaf: &[u8], intermediates: &[&[u8]], now: OffsetDateTime) -> Result<(), String> {
        self.path(leaf, intermediates, now).map(drop)
    }

    /// The same, and which of the intermediates lead to which anchor.
    pub(crate) fn path(&self, leaf: &[u8], intermediates: &[&[u8]], now: OffsetDateTime) -> Result<Path, String> {
        let now = u64::try_from(now.unix_timestamp()).map_err(|_| "a time before 1970")?;
        let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(now));
        let leaf_der = CertificateDer::from(leaf);
        let intermediates: Vec<_> = intermediates.iter().map(|der| CertificateDer::from(*der)).collect();
        let end_entity = EndEntityCert::try_from(&leaf_der).map_err(|error| format!("the leaf: {error}"))?;
        let up_to =
            |anchors| end_entity.verify_for_usage(&ALGORITHMS, anchors, &intermediates, now, AnyUsage, None, None);
        let path = match (up_to(&self.roots), self.authorities.is_empty()) {
            (Err(_), false) => up_to(&self.authorities),
            (found, _) => found,
        };
        let path = path.map_err(|error| format!("no chain to a trusted root: {error}"))?;
        let authorities = path.intermediate_certificates().map(|authority| authority.der().to_vec());
        let path = Path { authorities: authorities.collect(), anchor: path.anchor().to_owned() };
        for authority in &path.authorities {
            check_key_usage(&parse(authority)?, KeyUsages::KeyCertSign.into())?;
        }
        Ok(path)
    }
}

/// How a certificate leads to an anchor.
pub(crate) struct Path {
    /// The certificates between the two, in DER: the leaf's issuer first.
    pub(crate) authorities: Vec<Vec<u8>>,
    pub(crate) anchor: TrustAnchor<'static>,
}

impl Path {
    /// The anchor's name (RFC 4514); `None` where it has none that can be read.
    pub(crate) fn root(&self) -> Option<String> {
        // An anchor holds the value of the SEQUENCE without its head.
        let name = Any::new(Tag::Sequence, self.anchor.subject.as_ref()).ok()?;
        name.decode_as::<Name>().ok().map(|name| name.to_string())
    }
}

/// Whether a signature over a message is of that key, made in that way.
pub(crate) fn verifies(
    key: &SubjectPublicKeyInfoOwned,
    how: &AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let (Ok(key_kind), Ok(how)) = (key.algorithm.to_der(), how.to_der()) else { return false };
    // The algorithms' identifiers come without the SEQUENCE around them.
    let (key_kind, how) = (key_kind.get(2..), how.get(2..));
    ALGORITHMS
        .iter()
        .filter(|known| key_kind == Some(&known.public_key_alg_id()) && how == Some(&known.signature_alg_id()))
        .any(|known| known.verify_signature(key.subject_public_key.raw_bytes(), message, signature).is_ok())
}

/// Whether it is a root, by its names.
pub(crate) fn is_self_issued(certificate: &Certificate) -> bool {
    certificate.tbs_certificate.issuer == certificate.tbs_certificate.subject
}

fn anchor(der: &[u8]) -> Result<TrustAnchor<'static>, String> {
    let der = CertificateDer::from(der);
    webpki::anchor_from_trusted_cert(&der).map(|anchor| anchor.to_owned()).map_err(|error| error.to_string())
}

/// Leaves the extended key usage to [`Purpose`]: on the authorities of a path it has no meaning in RFC 5280.
struct AnyUsage;

impl ExtendedKeyUsageValidator for AnyUsage {
    fn validate(&self, _usages: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        Ok(())
    }
}

fn parse(der: &[u8]) -> Result<Certificate, String> {
    Certificate::from_der(der).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pki::{ClaimPki, SealPki};
    use spki::EncodePublicKey;

    use super::*;

    /// Chains in DER, leaf first, and a root to trust.
    struct Hierarchy {
        chain: Vec<Vec<u8>>,
        anchors: Anchors,
    }

    fn hierarchy(chain_pem: &str, anchors_pem: &str) -> Hierarchy {
        let chain = pem::certificates(chain_pem).unwrap().iter().map(|found| found.to_der().unwrap()).collect();
        Hierarchy { chain, anchors: Anchors::from_pem(anchors_pem).unwrap() }
    }

    fn claim() -> Hierarchy {
        let now = OffsetDateTime::now_utc();
        let pki = ClaimPki::generate(now).unwrap();
        let key = p256::SecretKey::random(&mut rsa::rand_core::OsRng).public_key().to_public_key_der().unwrap();
        hierarchy(&pki.issue_leaf(key.as_bytes(), now).unwrap(), &pki.anchors_pem().unwrap())
    }

    fn seal() -> Hierarchy {
        let now = OffsetDateTime::now_utc();
        let pki = SealPki::generate(now).unwrap();
        hierarchy(&pki.issue_a1(now).unwrap().chain_pem, &pki.anchors_pem().unwrap())
    }

    impl Hierarchy {
        fn check(&self, purpose: Purpose, leaf: usize, intermediates: &[usize]) -> Result<(), String> {
            let intermediates: Vec<&[u8]> = intermediates.iter().map(|at| self.chain[*at].as_slice()).collect();
            self.anchors.check(purpose, &self.chain[leaf], &intermediates, OffsetDateTime::now_utc()).map(drop)
        }
    }

    #[test]
    fn a_chain_leads_to_the_root_through_its_intermediates() {
        assert_eq!(claim().check(Purpose::Claim, 0, &[1]), Ok(()));
        assert_eq!(seal().check(Purpose::Seal, 0, &[1, 2]), Ok(()));
        assert_eq!(seal().check(Purpose::Seal, 0, &[2, 1]), Ok(()), "a CMS message has them in any order");
        assert!(claim().check(Purpose::Claim, 0, &[]).is_err(), "the intermediate is missing");
    }

    #[test]
    fn a_leaf_is_made_for_its_purpose() {
        let refusal = seal().check(Purpose::Claim, 0, &[1]).unwrap_err();
        assert!(refusal.contains("extended key usage"), "{refusal}");
    }

    #[test]
    fn an_authority_does_not_sign_proofs() {
        assert!(claim().check(Purpose::Claim, 1, &[]).is_err());
        assert!(seal().check(Purpose::Seal, 1, &[2]).is_err());
    }
}
