//! Validation of certificate chains: offline, up to an anchor that the caller trusts, and for a given purpose.

use const_oid::ObjectIdentifier;
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
    pem::{self, certificates_of_file},
    purpose::{ANY_EXTENDED_KEY_USAGE, Purpose, check_key_usage, usage_limit},
};

/// Maximum number of certificates of a signature, the signer's included: more than any chain of a proof has.
pub const MAX_CERTIFICATES: usize = 8;
/// Maximum number of steps from a certificate to a possible issuer, over all paths that the names allow. An ordered
/// chain takes as many steps as it has intermediates, but certificates that all have the same name would allow
/// thousands.
const MAX_PATH_STEPS: usize = 32;

/// The certificates that the caller trusts: roots, and possibly authorities below a root.
pub struct Anchors {
    roots: Vec<TrustAnchor<'static>>,
    /// Authorities below a root at which a chain may also end.
    authorities: Vec<TrustAnchor<'static>>,
}

/// The anchors that the caller trusts for each part of a proof. They are separate, because trust in a root for claim
/// signers does not imply trust in it for seals or timestamps.
#[derive(Clone, Copy)]
pub struct Trust<'a> {
    /// Anchors for the seal (the ICP-Brasil signature).
    pub seal: &'a Anchors,
    /// Anchors for the timestamp over the seal. The policy requires an authority that ICP-Brasil accredited.
    pub seal_timestamps: &'a Anchors,
    /// Anchors for the C2PA claim signature.
    pub claim: &'a Anchors,
    /// Anchors for the timestamp over the claim signature.
    pub claim_timestamps: &'a Anchors,
}

/// Uses one list for everything, as in development: each of its roots can then vouch for any part of a proof.
impl<'a> From<&'a Anchors> for Trust<'a> {
    fn from(anchors: &'a Anchors) -> Self {
        Self { seal: anchors, seal_timestamps: anchors, claim: anchors, claim_timestamps: anchors }
    }
}

/// The signature algorithms of certificates: RSA PKCS#1 v1.5 and ECDSA with SHA-2.
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
    /// Parses certificates in PEM. A chain is followed up to a root if possible, even if authorities below that root
    /// are in the list: the report of a proof is then the same for everyone who trusts the root.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed; also if there is no certificate.
    pub fn from_pem(pem: &str) -> Result<Self, String> {
        Self::of_certificates(&certificates_of_file(pem)?)
    }

    /// Creates anchors from certificates in DER. The list may be empty.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed.
    pub fn of_certificates<'a>(certificates: impl IntoIterator<Item = &'a Vec<u8>>) -> Result<Self, String> {
        let (mut roots, mut authorities) = (Vec::new(), Vec::new());
        for der in certificates {
            let of_its_kind = if is_self_issued(&parse(der)?) { &mut roots } else { &mut authorities };
            of_its_kind.push(anchor(der)?);
        }
        Ok(Self { roots, authorities })
    }

    /// Parses root certificates in PEM; authorities below a root are refused.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed, or which certificate is not a root; also if there is no
    /// certificate.
    pub fn of_roots(pem: &str) -> Result<Self, String> {
        match pem::certificates(pem)?.iter().find(|certificate| !is_self_issued(certificate)) {
            Some(other) => Err(format!("{} is not a root", other.tbs_certificate.subject)),
            None => Self::from_pem(pem),
        }
    }

    /// A single authority as the anchor, given by its certificate in DER.
    pub fn of_authority(der: &[u8]) -> Result<Self, String> {
        Ok(Self::of_anchor(anchor(der)?))
    }

    /// A single anchor.
    pub fn of_anchor(anchor: TrustAnchor<'static>) -> Self {
        Self { roots: vec![anchor], authorities: Vec::new() }
    }

    /// Those roots that, alone, fulfil the condition; `None` if none does.
    pub fn roots_that(&self, fulfil: impl Fn(&Self) -> bool) -> Option<Self> {
        let roots = self.roots.iter().filter(|root| fulfil(&Self::of_anchor((*root).clone())));
        let roots: Vec<_> = roots.cloned().collect();
        (!roots.is_empty()).then_some(Self { roots, authorities: Vec::new() })
    }

    /// Checks that a leaf chains to an anchor through the given intermediates, that all certificates are valid at
    /// `now`, and that leaf and intermediates are made for the purpose.
    pub fn check(
        &self,
        purpose: Purpose,
        leaf: &[u8],
        intermediates: &[&[u8]],
        now: OffsetDateTime,
    ) -> Result<Path, String> {
        let path = self.path(leaf, intermediates, purpose.extended_key_usages(), now)?;
        purpose.check_leaf(&parse(leaf)?)?;
        Ok(path)
    }

    /// Finds the path from a leaf to an anchor, without checking the leaf's purpose. If intermediates restrict the
    /// extended key usage, all of them must allow one common usage of the leaf. The number of certificates and of
    /// possible paths is limited before any signature is verified.
    pub fn path(
        &self,
        leaf: &[u8],
        intermediates: &[&[u8]],
        usages: &[ObjectIdentifier],
        now: OffsetDateTime,
    ) -> Result<Path, String> {
        self.path_by(&ALGORITHMS, leaf, intermediates, usages, now)
    }

    fn path_by(
        &self,
        algorithms: &[&dyn SignatureVerificationAlgorithm],
        leaf: &[u8],
        intermediates: &[&[u8]],
        usages: &[ObjectIdentifier],
        now: OffsetDateTime,
    ) -> Result<Path, String> {
        check_work(leaf, intermediates)?;
        let now = u64::try_from(now.unix_timestamp()).map_err(|_| "a time before 1970")?;
        let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(now));
        let leaf_der = CertificateDer::from(leaf);
        let intermediates: Vec<_> = intermediates.iter().map(|der| CertificateDer::from(*der)).collect();
        let end_entity = EndEntityCert::try_from(&leaf_der).map_err(|error| format!("the leaf: {error}"))?;
        let up_to =
            |anchors| end_entity.verify_for_usage(algorithms, anchors, &intermediates, now, AnyUsage, None, None);
        let path = match (up_to(&self.roots), self.authorities.is_empty()) {
            (Err(_), false) => up_to(&self.authorities),
            (found, _) => found,
        };
        let path = path.map_err(|error| format!("no chain to a trusted root: {error}"))?;
        let authorities = path.intermediate_certificates().map(|authority| authority.der().to_vec());
        let path = Path { authorities: authorities.collect(), anchor: path.anchor().to_owned() };
        // A leaf without any of these usages is refused by another check, where that matters.
        let of_leaf = within_limit(&parse(leaf)?, usages)?.filter(|of_leaf| !of_leaf.is_empty());
        let mut allowed = of_leaf.unwrap_or_else(|| usages.to_vec());
        for authority in &path.authorities {
            let authority = parse(authority)?;
            check_key_usage(&authority, KeyUsages::KeyCertSign.into())?;
            let Some(remaining) = within_limit(&authority, &allowed)? else { continue };
            if remaining.is_empty() {
                let subject = &authority.tbs_certificate.subject;
                return Err(format!("the extended key usage of the intermediate {subject} does not allow this"));
            }
            allowed = remaining;
        }
        Ok(path)
    }
}

/// The path from a certificate to an anchor.
pub struct Path {
    /// The certificates in between, in DER, the leaf's issuer first.
    pub authorities: Vec<Vec<u8>>,
    /// The root at which the path ends.
    pub anchor: TrustAnchor<'static>,
}

impl Path {
    /// The anchor's name (RFC 4514); `None` if it cannot be parsed.
    pub fn root(&self) -> Option<String> {
        // An anchor contains the content of the SEQUENCE without its header.
        let name = Any::new(Tag::Sequence, self.anchor.subject.as_ref()).ok()?;
        name.decode_as::<Name>().ok().map(|name| name.to_string())
    }
}

/// Verifies a signature over a message with a public key and a signature algorithm.
pub fn verifies(
    key: &SubjectPublicKeyInfoOwned,
    how: &AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let (Ok(key_kind), Ok(how)) = (key.algorithm.to_der(), how.to_der()) else { return false };
    // The algorithms' identifiers lack the surrounding SEQUENCE header.
    let (key_kind, how) = (key_kind.get(2..), how.get(2..));
    ALGORITHMS
        .iter()
        .filter(|known| key_kind == Some(&known.public_key_alg_id()) && how == Some(&known.signature_alg_id()))
        .any(|known| known.verify_signature(key.subject_public_key.raw_bytes(), message, signature).is_ok())
}

/// Whether the certificate is a root, judged by its names: issuer and subject are equal.
pub fn is_self_issued(certificate: &Certificate) -> bool {
    certificate.tbs_certificate.issuer == certificate.tbs_certificate.subject
}

fn anchor(der: &[u8]) -> Result<TrustAnchor<'static>, String> {
    let der = CertificateDer::from(der);
    webpki::anchor_from_trusted_cert(&der).map(|anchor| anchor.to_owned()).map_err(|error| error.to_string())
}

/// Those of the given extended key usages that a certificate allows; `None` if it does not restrict them.
fn within_limit(
    certificate: &Certificate,
    wanted: &[ObjectIdentifier],
) -> Result<Option<Vec<ObjectIdentifier>>, String> {
    let limit = usage_limit(certificate)?.filter(|limit| !limit.contains(&ANY_EXTENDED_KEY_USAGE));
    Ok(limit.map(|limit| wanted.iter().filter(|usage| limit.contains(usage)).copied().collect()))
}

/// Refuses more certificates, or more possible paths among them, than a proof needs.
fn check_work(leaf: &[u8], intermediates: &[&[u8]]) -> Result<(), String> {
    let certificates = 1 + intermediates.len();
    if certificates > MAX_CERTIFICATES {
        return Err(format!("{certificates} certificates; the limit is {MAX_CERTIFICATES}"));
    }
    let leaf = parse(leaf)?;
    let others = intermediates.iter().map(|der| parse(der)).collect::<Result<Vec<_>, _>>()?;
    match path_steps(&leaf, &mut others.iter().collect(), MAX_PATH_STEPS) {
        Some(_) => Ok(()),
        None => Err(format!("the certificates allow more than {MAX_PATH_STEPS} steps of path building")),
    }
}

/// The number of steps of all paths from a certificate through the others, judged by names; `None` if it exceeds
/// `most`.
fn path_steps(from: &Certificate, others: &mut Vec<&Certificate>, most: usize) -> Option<usize> {
    let mut steps = 0;
    for at in 0..others.len() {
        let next = others.swap_remove(at);
        if next.tbs_certificate.subject == from.tbs_certificate.issuer {
            steps += 1 + path_steps(next, others, most.checked_sub(steps + 1)?)?;
        }
        // Restores the original order.
        others.push(next);
        let last = others.len() - 1;
        others.swap(at, last);
    }
    Some(steps)
}

/// Accepts every extended key usage: [`Purpose`] and [`Anchors::path`] check it with better error messages.
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
    use std::{str::FromStr, sync::atomic::AtomicUsize, sync::atomic::Ordering::Relaxed};

    use lacre_pki::{ClaimPki, SealPki};
    use p256::ecdsa::{DerSignature, SigningKey};
    use rustls_pki_types::{AlgorithmIdentifier, InvalidSignature};
    use spki::EncodePublicKey;
    use x509_cert::{
        builder::{Builder, CertificateBuilder, Profile},
        ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage},
        serial_number::SerialNumber,
        time::Validity,
    };

    use super::*;

    /// A chain in DER, leaf first, with its trusted root.
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
    fn chains_need_their_intermediates() {
        assert_eq!(claim().check(Purpose::Claim, 0, &[1]), Ok(()));
        assert_eq!(seal().check(Purpose::Seal, 0, &[1, 2]), Ok(()));
        assert_eq!(seal().check(Purpose::Seal, 0, &[2, 1]), Ok(()), "a CMS message has them in any order");
        assert!(claim().check(Purpose::Claim, 0, &[]).is_err(), "the intermediate is missing");
    }

    #[test]
    fn a_leaf_must_allow_its_purpose() {
        let refusal = seal().check(Purpose::Claim, 0, &[1]).unwrap_err();
        assert!(refusal.contains("extended key usage"), "{refusal}");
    }

    #[test]
    fn an_authority_does_not_sign_proofs() {
        assert!(claim().check(Purpose::Claim, 1, &[]).is_err());
        assert!(seal().check(Purpose::Seal, 1, &[2]).is_err());
    }

    const CLAIM_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.2.1");
    const EMAIL_PROTECTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4");
    const DOCUMENT_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.36");
    const SERVER_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");

    /// A certificate in DER for a key, signed by another key. It is an authority's, unless its subject is `leaf`.
    fn certificate(names: [&str; 2], key: &SigningKey, by: &SigningKey, usages: &[ObjectIdentifier]) -> Vec<u8> {
        let [subject, issuer] = names.map(|name| Name::from_str(&format!("CN={name}")).unwrap());
        let serial = SerialNumber::new(&key.verifying_key().to_encoded_point(true).as_bytes()[1..17]).unwrap();
        let validity = Validity::from_now(std::time::Duration::from_secs(3600)).unwrap();
        let spki = SubjectPublicKeyInfoOwned::from_key(*key.verifying_key()).unwrap();
        let profile = Profile::Manual { issuer: Some(issuer) };
        let mut builder = CertificateBuilder::new(profile, serial, validity, subject, spki, by).unwrap();
        let is_leaf = names[0] == "leaf";
        let usage = if is_leaf { KeyUsages::DigitalSignature } else { KeyUsages::KeyCertSign };
        builder.add_extension(&BasicConstraints { ca: !is_leaf, path_len_constraint: None }).unwrap();
        builder.add_extension(&KeyUsage(usage.into())).unwrap();
        if !usages.is_empty() {
            builder.add_extension(&ExtendedKeyUsage(usages.to_vec())).unwrap();
        }
        builder.build::<DerSignature>().unwrap().to_der().unwrap()
    }

    fn key() -> SigningKey {
        SigningKey::random(&mut rsa::rand_core::OsRng)
    }

    /// Counts the signatures that are verified.
    #[derive(Debug)]
    struct Counting(AtomicUsize);

    impl SignatureVerificationAlgorithm for Counting {
        fn verify_signature(&self, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
            self.0.fetch_add(1, Relaxed);
            ECDSA_P256_SHA256.verify_signature(key, message, signature)
        }

        fn public_key_alg_id(&self) -> AlgorithmIdentifier {
            ECDSA_P256_SHA256.public_key_alg_id()
        }

        fn signature_alg_id(&self) -> AlgorithmIdentifier {
            ECDSA_P256_SHA256.signature_alg_id()
        }
    }

    /// The result for a leaf `CN=leaf` issued by `CN=a`, and the number of signatures that were verified for it.
    fn counted(anchor: &[u8], leaf: &[u8], others: &[Vec<u8>]) -> (Result<(), String>, usize) {
        let counting = Counting(AtomicUsize::new(0));
        let others: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
        let anchors = Anchors::of_authority(anchor).unwrap();
        let path = anchors.path_by(&[&counting], leaf, &others, &[], OffsetDateTime::now_utc()).map(drop);
        (path, counting.0.into_inner())
    }

    #[test]
    fn bounds_path_building_before_checking_signatures() {
        let (root, a, leaf) = (key(), key(), key());
        let anchor = certificate(["root", "root"], &root, &root, &[]);
        let of_leaf = certificate(["leaf", "a"], &leaf, &a, &[]);
        let good = certificate(["a", "root"], &a, &root, &[]);
        assert_eq!(counted(&anchor, &of_leaf, std::slice::from_ref(&good)), (Ok(()), 2));

        // Certificates that all have the same name, none of which was issued by a root: each could have issued every
        // other.
        let same_names =
            |count: usize| (0..count).map(|_| certificate(["a", "a"], &key(), &key(), &[])).collect::<Vec<_>>();
        let (refused, checked) = counted(&anchor, &of_leaf, &same_names(MAX_CERTIFICATES - 1));
        assert_eq!(refused.unwrap_err(), "the certificates allow more than 32 steps of path building");
        assert_eq!(checked, 0);
        let (refused, checked) = counted(&anchor, &of_leaf, &same_names(MAX_CERTIFICATES));
        assert_eq!(refused.unwrap_err(), "9 certificates; the limit is 8");
        assert_eq!(checked, 0);

        // Within the limit, no more signatures than steps are verified, even if every path reaches an anchor.
        let of_that_name = certificate(["a", "a"], &root, &root, &[]);
        let (refused, checked) = counted(&of_that_name, &of_leaf, &same_names(3));
        assert!(refused.is_err());
        assert!((1..=MAX_PATH_STEPS).contains(&checked), "{checked}");
        let with_strays = [same_names(2), vec![good]].concat();
        let (found, checked) = counted(&anchor, &of_leaf, &with_strays);
        assert_eq!(found, Ok(()));
        assert!(checked <= MAX_PATH_STEPS, "{checked}");
    }

    #[test]
    fn intermediates_must_allow_the_purpose() {
        let (root, a, leaf) = (key(), key(), key());
        let anchors = Anchors::of_authority(&certificate(["root", "root"], &root, &root, &[])).unwrap();
        let leaf = certificate(["leaf", "a"], &leaf, &a, &[CLAIM_SIGNING]);
        let path = |usages: &[ObjectIdentifier]| {
            let intermediate = certificate(["a", "root"], &a, &root, usages);
            anchors
                .path(&leaf, &[&intermediate], Purpose::Claim.extended_key_usages(), OffsetDateTime::now_utc())
                .map(drop)
        };
        for usages in [&[][..], &[CLAIM_SIGNING], &[SERVER_AUTH, CLAIM_SIGNING], &[ANY_EXTENDED_KEY_USAGE]] {
            assert_eq!(path(usages), Ok(()), "{usages:?}");
        }
        let refused = path(&[SERVER_AUTH]).unwrap_err();
        assert_eq!(refused, "the extended key usage of the intermediate CN=a does not allow this");
    }

    #[test]
    fn intermediates_must_allow_the_leafs_usage() {
        let (root, b, a, leaf) = (key(), key(), key(), key());
        let anchors = Anchors::of_authority(&certificate(["root", "root"], &root, &root, &[])).unwrap();
        let path = |of_leaf: ObjectIdentifier, of_a: &[ObjectIdentifier], of_b: &[ObjectIdentifier]| {
            let leaf = certificate(["leaf", "a"], &leaf, &a, &[of_leaf]);
            let (a, b) = (certificate(["a", "b"], &a, &b, of_a), certificate(["b", "root"], &b, &root, of_b));
            anchors
                .path(&leaf, &[&a, &b], Purpose::Seal.extended_key_usages(), OffsetDateTime::now_utc())
                .map(drop)
                .map_err(|refused| refused.replace("the extended key usage of the intermediate ", ""))
        };
        let [e_mail, documents] = [EMAIL_PROTECTION, DOCUMENT_SIGNING];
        assert_eq!(path(e_mail, &[e_mail], &[documents, e_mail]), Ok(()));
        assert_eq!(path(e_mail, &[], &[e_mail]), Ok(()));
        assert_eq!(path(e_mail, &[documents], &[]), Err("CN=a does not allow this".into()));
        assert_eq!(path(e_mail, &[e_mail, documents], &[documents]), Err("CN=b does not allow this".into()));
    }
}
