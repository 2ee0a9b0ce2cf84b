//! The part of C2PA's certificate profile for claim signing leaves (assurance level 1) that validators do not enforce.
//!
//! A violation of what validators enforce is a *fault*, for which a certificate is refused
//! ([`Purpose::profile_faults`](crate::Purpose)). A violation of the rules in this module is a *deviation*: only the
//! C2PA conformance program requires them, and a certificate of an authority outside that program can sign
//! nevertheless.

use const_oid::{AssociatedOid, ObjectIdentifier};
use der::Decode;
use sha1::{Digest, Sha1};
use uuid::Uuid;
use x509_cert::{
    Certificate,
    ext::pkix::{
        AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, BasicConstraints, CertificatePolicies,
        CrlDistributionPoints, ExtendedKeyUsage, KeyUsage, KeyUsages, SubjectKeyIdentifier,
        name::{DistributionPointName, GeneralName},
    },
};

use crate::certificate::extension;

/// The signature algorithms that a certificate may be signed with.
const SIGNATURE_ALGORITHMS: [ObjectIdentifier; 8] = [
    // ECDSA with SHA-256, SHA-384 and SHA-512.
    ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2"),
    ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3"),
    ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.4"),
    // RSA PKCS#1 v1.5 with SHA-256, SHA-384 and SHA-512.
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.12"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.13"),
    // RSASSA-PSS.
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10"),
    // Ed25519.
    ObjectIdentifier::new_unwrap("1.3.101.112"),
];

/// `id-ad-ocsp`.
pub(crate) const OCSP: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1");
/// `id-ad-caIssuers`.
const CA_ISSUERS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.2");

/// Maximum length of a serial number in bytes.
const MAX_SERIAL_NUMBER: usize = 20;

/// `c2pa-certificate-policy`.
const C2PA_POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.1.1");
/// `c2pa-assuranceLevel-1`.
const LEVEL_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.3.10");

/// An extension, with its name for people and its identifier.
struct Named(&'static str, ObjectIdentifier);

const SUBJECT_KEY: Named = Named("subject key identifier", SubjectKeyIdentifier::OID);
const AUTHORITY_KEY: Named = Named("authority key identifier", AuthorityKeyIdentifier::OID);
const KEY_USAGE: Named = Named("key usage", KeyUsage::OID);
const CONSTRAINTS: Named = Named("basic constraints", BasicConstraints::OID);
const EXTENDED_KEY_USAGE: Named = Named("extended key usage", ExtendedKeyUsage::OID);
const POLICIES: Named = Named("certificate policies", CertificatePolicies::OID);
const ACCESS: Named = Named("authority information access", AuthorityInfoAccessSyntax::OID);
const REVOCATION_LISTS: Named = Named("CRL distribution points", CrlDistributionPoints::OID);
const ASSURANCE_LEVEL: Named = Named("id-c2pa-al", ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.3"));
const CPL_RECORD: Named = Named("c2pa-cpl-record", ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.4"));

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.0, self.1)
    }
}

/// All deviations of a claim signer's certificate from the profile; each text names the extension. If the issuer's
/// certificate is given, its key must match the authority key identifier.
pub(crate) fn level_1_deviations(leaf: &Certificate, issuer: Option<&Certificate>) -> Vec<String> {
    let mut examination = Examination { leaf, deviations: Vec::new() };
    examination.fields();
    examination.keys(issuer);
    examination.usages();
    examination.authority();
    examination.c2pa();
    examination.deviations
}

/// Whether an extension is required.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    /// The extension may be absent, or its absence is reported by another check.
    Optional,
}

struct Examination<'a> {
    leaf: &'a Certificate,
    deviations: Vec<String>,
}

impl<'a> Examination<'a> {
    fn fields(&mut self) {
        let serial_number = self.leaf.tbs_certificate.serial_number.as_bytes();
        let is_positive = serial_number.first().is_some_and(|first| first & 0x80 == 0)
            && serial_number.iter().any(|octet| *octet != 0);
        self.require(is_positive, || "the serial number is not positive".into());
        self.require(serial_number.len() <= MAX_SERIAL_NUMBER, || {
            format!("the serial number is longer than {MAX_SERIAL_NUMBER} octets")
        });
        let algorithm = self.leaf.signature_algorithm.oid;
        self.require(SIGNATURE_ALGORITHMS.contains(&algorithm), || {
            format!("the signature algorithm {algorithm} is not RSA or ECDSA with SHA-2, RSASSA-PSS or Ed25519")
        });
    }

    fn keys(&mut self, issuer: Option<&Certificate>) {
        if let Some(SubjectKeyIdentifier(identifier)) = self.extension(&SUBJECT_KEY, Presence::Required, false) {
            let is_of_key = identifier.as_bytes() == key_identifier(self.leaf);
            self.require(is_of_key, || format!("{SUBJECT_KEY} is not the SHA-1 hash of the key"));
        }
        // A missing extension, or one without a key identifier, is a fault and reported elsewhere.
        let authority: Option<AuthorityKeyIdentifier> = self.extension(&AUTHORITY_KEY, Presence::Optional, false);
        let identifier = authority.and_then(|authority| authority.key_identifier);
        if let Some((identifier, issuer)) = identifier.zip(issuer) {
            let is_of_key = identifier.as_bytes() == key_identifier(issuer);
            self.require(is_of_key, || format!("{AUTHORITY_KEY} is not the SHA-1 hash of the issuer's key"));
        }
    }

    fn usages(&mut self) {
        if let Some(constraints) = self.extension::<BasicConstraints>(&CONSTRAINTS, Presence::Required, true) {
            self.require(!constraints.ca, || format!("{CONSTRAINTS} has cA=TRUE"));
        }
        // A missing or non-critical extension is a fault and reported elsewhere.
        if let Ok(Some((_, KeyUsage(usages)))) = extension(self.leaf) {
            let has = usages.contains(KeyUsages::NonRepudiation);
            self.require(has, || format!("{KEY_USAGE} has no nonRepudiation"));
            let others = usages - (KeyUsages::DigitalSignature | KeyUsages::NonRepudiation);
            self.require(others.is_empty(), || {
                format!("{KEY_USAGE} has more than digitalSignature and nonRepudiation")
            });
        }
        // A missing usage in it is a fault and reported elsewhere.
        self.extension::<ExtendedKeyUsage>(&EXTENDED_KEY_USAGE, Presence::Optional, false);
    }

    fn authority(&mut self) {
        if let Some(CertificatePolicies(policies)) = self.extension(&POLICIES, Presence::Required, false) {
            let has = policies.iter().any(|policy| policy.policy_identifier == C2PA_POLICY);
            self.require(has, || format!("{POLICIES} has no {C2PA_POLICY}"));
        }
        if let Some(AuthorityInfoAccessSyntax(access)) = self.extension(&ACCESS, Presence::Required, false) {
            let has = access.iter().any(|each| each.access_method == OCSP);
            self.require(has, || format!("{ACCESS} has no id-ad-ocsp"));
            for (method, name) in [(OCSP, "id-ad-ocsp"), (CA_ISSUERS, "id-ad-caIssuers")] {
                let mut of_method = access.iter().filter(|each| each.access_method == method);
                let are_http = of_method.all(|each| is_http(&each.access_location));
                self.require(are_http, || format!("{ACCESS} has an {name} that is not an HTTP URI"));
            }
        }
        if let Some(CrlDistributionPoints(points)) = self.extension(&REVOCATION_LISTS, Presence::Optional, false) {
            let mut names = points.iter().filter_map(|point| match &point.distribution_point {
                Some(DistributionPointName::FullName(names)) => Some(names),
                _ => None,
            });
            let has = names.any(|names| names.iter().any(is_http));
            self.require(has, || format!("{REVOCATION_LISTS} has no HTTP URI"));
        }
    }

    fn c2pa(&mut self) {
        if let Some(level) = self.extension::<ObjectIdentifier>(&ASSURANCE_LEVEL, Presence::Required, false) {
            self.require(level == LEVEL_1, || format!("{ASSURANCE_LEVEL} is {level}, and not {LEVEL_1}"));
        }
        if let Some(record) = self.extension::<String>(&CPL_RECORD, Presence::Required, false) {
            let is_uuid = record.len() == 36 && Uuid::try_parse(&record).is_ok();
            self.require(is_uuid, || format!("{CPL_RECORD} is not a UUID of 36 characters"));
        }
    }

    /// The value of an extension. Adds a deviation if it is missing, cannot be parsed, or has the wrong criticality.
    fn extension<T: Decode<'a>>(&mut self, named: &Named, presence: Presence, is_critical: bool) -> Option<T> {
        let leaf: &'a Certificate = self.leaf;
        let extensions = leaf.tbs_certificate.extensions.as_deref().unwrap_or_default();
        let Some(extension) = extensions.iter().find(|extension| extension.extn_id == named.1) else {
            self.require(presence == Presence::Optional, || format!("{named} is missing"));
            return None;
        };
        self.require(extension.critical == is_critical, || match is_critical {
            true => format!("{named} is not critical"),
            false => format!("{named} is critical"),
        });
        match T::from_der(extension.extn_value.as_bytes()) {
            Ok(value) => Some(value),
            Err(error) => {
                self.deviations.push(format!("{named} cannot be read: {error}"));
                None
            }
        }
    }

    fn require(&mut self, holds: bool, deviation: impl FnOnce() -> String) {
        if !holds {
            self.deviations.push(deviation());
        }
    }
}

/// The key identifier by method 1 of RFC 5280, 4.2.1.2: SHA-1 over the bits of the certificate's public key.
fn key_identifier(certificate: &Certificate) -> [u8; 20] {
    Sha1::digest(certificate.tbs_certificate.subject_public_key_info.subject_public_key.raw_bytes()).into()
}

/// The URL in a name, if it is an HTTP one.
pub(crate) fn http_address(name: &GeneralName) -> Option<String> {
    const SCHEME: &str = "http://";
    let GeneralName::UniformResourceIdentifier(uri) = name else { return None };
    let is_http = uri.as_str().get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME));
    (is_http && uri.as_str().len() > SCHEME.len()).then(|| uri.to_string())
}

fn is_http(name: &GeneralName) -> bool {
    http_address(name).is_some()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use der::{
        Encode,
        asn1::{Ia5String, OctetString},
    };
    use lacre_pki::ClaimPki;
    use spki::EncodePublicKey;
    use time::OffsetDateTime;
    use x509_cert::{
        ext::{
            Extension,
            pkix::{AccessDescription, certpolicy::PolicyInformation, crl::dp::DistributionPoint},
        },
        serial_number::SerialNumber,
    };

    use super::*;

    /// A leaf that conforms to the profile, and its issuer.
    fn certificates() -> [Certificate; 2] {
        let now = OffsetDateTime::now_utc();
        let key = p256::SecretKey::random(&mut rsa::rand_core::OsRng).public_key().to_public_key_der().unwrap();
        let chain = ClaimPki::generate(now).unwrap().issue_leaf(key.as_bytes(), now).unwrap();
        crate::pem::certificates(&chain).unwrap().try_into().unwrap()
    }

    fn extensions(leaf: &mut Certificate) -> &mut Vec<Extension> {
        leaf.tbs_certificate.extensions.as_mut().unwrap()
    }

    fn found<'a>(leaf: &'a mut Certificate, named: &Named) -> &'a mut Extension {
        extensions(leaf).iter_mut().find(|extension| extension.extn_id == named.1).unwrap()
    }

    fn der(value: &impl Encode) -> OctetString {
        OctetString::new(value.to_der().unwrap()).unwrap()
    }

    /// Changes a conforming leaf, and expects exactly these deviations.
    #[track_caller]
    fn expect(change: impl FnOnce(&mut Certificate), deviations: &[&str]) {
        let [mut leaf, issuer] = certificates();
        change(&mut leaf);
        assert_eq!(level_1_deviations(&leaf, Some(&issuer)), deviations);
    }

    /// Replaces the value of one extension of a conforming leaf, and expects exactly these deviations.
    #[track_caller]
    fn expect_of_value(named: &Named, value: &impl Encode, deviations: &[&str]) {
        expect(|leaf| found(leaf, named).extn_value = der(value), deviations);
    }

    fn uri(uri: &str) -> GeneralName {
        GeneralName::UniformResourceIdentifier(Ia5String::new(uri).unwrap())
    }

    fn access(entries: &[(ObjectIdentifier, &str)]) -> AuthorityInfoAccessSyntax {
        let entry = |(method, address): &(ObjectIdentifier, &str)| AccessDescription {
            access_method: *method,
            access_location: uri(address),
        };
        AuthorityInfoAccessSyntax(entries.iter().map(entry).collect())
    }

    fn revocation_lists(point: Option<DistributionPointName>) -> OctetString {
        let point = DistributionPoint { distribution_point: point, reasons: None, crl_issuer: None };
        der(&CrlDistributionPoints(vec![point]))
    }

    #[test]
    fn a_development_certificate_has_the_profile() {
        expect(|_| (), &[]);
        // The leaf conforms without the issuer's certificate, too.
        assert_eq!(level_1_deviations(&certificates()[0], None), [""; 0]);
    }

    #[test]
    fn missing_required_extensions_are_named() {
        for (named, missing) in [
            (SUBJECT_KEY, "subject key identifier (2.5.29.14) is missing"),
            (CONSTRAINTS, "basic constraints (2.5.29.19) is missing"),
            (POLICIES, "certificate policies (2.5.29.32) is missing"),
            (ACCESS, "authority information access (1.3.6.1.5.5.7.1.1) is missing"),
            (ASSURANCE_LEVEL, "id-c2pa-al (1.3.6.1.4.1.62558.3) is missing"),
            (CPL_RECORD, "c2pa-cpl-record (1.3.6.1.4.1.62558.4) is missing"),
        ] {
            expect(|leaf| extensions(leaf).retain(|extension| extension.extn_id != named.1), &[missing]);
        }
        // These are faults instead: see `Purpose::profile_faults`.
        for named in [AUTHORITY_KEY, KEY_USAGE, EXTENDED_KEY_USAGE] {
            expect(|leaf| extensions(leaf).retain(|extension| extension.extn_id != named.1), &[]);
        }
    }

    #[test]
    fn wrong_extension_criticality_is_named() {
        for (named, wrong) in [
            (SUBJECT_KEY, "subject key identifier (2.5.29.14) is critical"),
            (AUTHORITY_KEY, "authority key identifier (2.5.29.35) is critical"),
            (CONSTRAINTS, "basic constraints (2.5.29.19) is not critical"),
            (EXTENDED_KEY_USAGE, "extended key usage (2.5.29.37) is critical"),
            (POLICIES, "certificate policies (2.5.29.32) is critical"),
            (ACCESS, "authority information access (1.3.6.1.5.5.7.1.1) is critical"),
            (ASSURANCE_LEVEL, "id-c2pa-al (1.3.6.1.4.1.62558.3) is critical"),
            (CPL_RECORD, "c2pa-cpl-record (1.3.6.1.4.1.62558.4) is critical"),
        ] {
            let mark = |leaf: &mut Certificate| {
                let extension = found(leaf, &named);
                extension.critical = !extension.critical;
            };
            expect(mark, &[wrong]);
        }
    }

    #[test]
    fn an_unreadable_extension_is_named() {
        for named in [SUBJECT_KEY, AUTHORITY_KEY, CONSTRAINTS, EXTENDED_KEY_USAGE, POLICIES, ACCESS, CPL_RECORD] {
            let [mut leaf, issuer] = certificates();
            found(&mut leaf, &named).extn_value = OctetString::new([0x05, 0x00]).unwrap();
            let deviations = level_1_deviations(&leaf, Some(&issuer));
            assert_eq!(deviations.len(), 1);
            assert!(deviations[0].starts_with(&format!("{named} cannot be read: ")), "{deviations:?}");
        }
    }

    #[test]
    fn serial_numbers_are_positive_and_bounded() {
        let serial_number = |octets: &[u8]| {
            let mut der = vec![0x02, u8::try_from(octets.len()).unwrap()];
            der.extend(octets);
            SerialNumber::from_der(&der).unwrap()
        };
        let long = [&[0x00, 0x80][..], &[0; 19]].concat();
        for (octets, deviation) in [
            (&[0x80][..], Some("the serial number is not positive")),
            (&[0x00], Some("the serial number is not positive")),
            (&long, Some("the serial number is longer than 20 octets")),
            (&[0x7F; 20], None),
            (&[0x01], None),
        ] {
            let change = |leaf: &mut Certificate| leaf.tbs_certificate.serial_number = serial_number(octets);
            expect(change, deviation.as_slice());
        }
    }

    #[test]
    fn an_unsuitable_signature_algorithm_is_named() {
        let of = |algorithm| move |leaf: &mut Certificate| leaf.signature_algorithm.oid = algorithm;
        let deviation =
            "the signature algorithm 1.2.840.10045.4.3.1 is not RSA or ECDSA with SHA-2, RSASSA-PSS or Ed25519";
        expect(of(ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.1")), &[deviation]);
        for algorithm in SIGNATURE_ALGORITHMS {
            expect(of(algorithm), &[]);
        }
    }

    #[test]
    fn a_wrong_key_identifier_is_named() {
        let other = OctetString::new([1; 20]).unwrap();
        let subject = SubjectKeyIdentifier(other.clone());
        let deviation = "subject key identifier (2.5.29.14) is not the SHA-1 hash of the key";
        expect_of_value(&SUBJECT_KEY, &subject, &[deviation]);
        let authority = AuthorityKeyIdentifier { key_identifier: Some(other), ..Default::default() };
        let deviation = "authority key identifier (2.5.29.35) is not the SHA-1 hash of the issuer's key";
        expect_of_value(&AUTHORITY_KEY, &authority, &[deviation]);
    }

    #[test]
    fn an_authority_is_named() {
        let authority = BasicConstraints { ca: true, path_len_constraint: None };
        expect_of_value(&CONSTRAINTS, &authority, &["basic constraints (2.5.29.19) has cA=TRUE"]);
    }

    #[test]
    fn wrong_key_usages_are_named() {
        let usages = KeyUsage(KeyUsages::DigitalSignature.into());
        expect_of_value(&KEY_USAGE, &usages, &["key usage (2.5.29.15) has no nonRepudiation"]);
        let usages = KeyUsage(KeyUsages::DigitalSignature | KeyUsages::NonRepudiation | KeyUsages::KeyEncipherment);
        let deviation = "key usage (2.5.29.15) has more than digitalSignature and nonRepudiation";
        expect_of_value(&KEY_USAGE, &usages, &[deviation]);
    }

    #[test]
    fn a_missing_c2pa_policy_is_named() {
        let policy = |policy_identifier| PolicyInformation { policy_identifier, policy_qualifiers: None };
        let another = policy(ObjectIdentifier::new_unwrap("1.3.6.1.4.1.32473.1"));
        let deviation = "certificate policies (2.5.29.32) has no 1.3.6.1.4.1.62558.1.1";
        expect_of_value(&POLICIES, &CertificatePolicies(vec![another.clone()]), &[deviation]);
        expect_of_value(&POLICIES, &CertificatePolicies(vec![another, policy(C2PA_POLICY)]), &[]);
    }

    #[test]
    fn authority_information_access_names_ocsp_by_http() {
        let name = "authority information access (1.3.6.1.5.5.7.1.1)";
        let (ocsp, issuers) = ((OCSP, "http://example.com/ocsp"), (CA_ISSUERS, "HTTP://example.com/ca"));
        expect_of_value(&ACCESS, &access(&[ocsp]), &[]);
        expect_of_value(&ACCESS, &access(&[issuers, ocsp]), &[]);
        let deviation = format!("{name} has no id-ad-ocsp");
        expect_of_value(&ACCESS, &access(&[issuers]), &[&deviation]);
        let deviation = format!("{name} has an id-ad-ocsp that is not an HTTP URI");
        for address in ["ldap://example.com/", "https://example.com/", "http://", ""] {
            expect_of_value(&ACCESS, &access(&[(OCSP, address)]), &[&deviation]);
        }
        let deviation = format!("{name} has an id-ad-caIssuers that is not an HTTP URI");
        expect_of_value(&ACCESS, &access(&[ocsp, (CA_ISSUERS, "ldap://example.com/")]), &[&deviation]);
        let of_name = AccessDescription {
            access_method: OCSP,
            access_location: GeneralName::DnsName(Ia5String::new("http://example.com").unwrap()),
        };
        let deviation = format!("{name} has an id-ad-ocsp that is not an HTTP URI");
        expect_of_value(&ACCESS, &AuthorityInfoAccessSyntax(vec![of_name]), &[&deviation]);
    }

    #[test]
    fn crl_distribution_points_name_an_http_uri() {
        let with = |critical, extn_value| {
            move |leaf: &mut Certificate| {
                extensions(leaf).push(Extension { extn_id: REVOCATION_LISTS.1, critical, extn_value });
            }
        };
        let at = |address| revocation_lists(Some(DistributionPointName::FullName(vec![uri(address)])));
        expect(with(false, at("http://example.com/crl")), &[]);
        let deviation = "CRL distribution points (2.5.29.31) has no HTTP URI";
        expect(with(false, at("ldap://example.com/crl")), &[deviation]);
        expect(with(false, revocation_lists(None)), &[deviation]);
        let critical = "CRL distribution points (2.5.29.31) is critical";
        expect(with(true, at("http://example.com/crl")), &[critical]);
    }

    #[test]
    fn another_assurance_level_is_named() {
        let level_2 = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.3.20");
        let deviation = "id-c2pa-al (1.3.6.1.4.1.62558.3) is 1.3.6.1.4.1.62558.3.20, and not 1.3.6.1.4.1.62558.3.10";
        expect_of_value(&ASSURANCE_LEVEL, &level_2, &[deviation]);
        let unreadable = "id-c2pa-al (1.3.6.1.4.1.62558.3) cannot be read: ";
        let [mut leaf, _] = certificates();
        found(&mut leaf, &ASSURANCE_LEVEL).extn_value = der(&"1.3.6.1.4.1.62558.3.10".to_owned());
        assert!(level_1_deviations(&leaf, None)[0].starts_with(unreadable));
    }

    #[test]
    fn a_cpl_record_is_a_uuid() {
        let deviation = "c2pa-cpl-record (1.3.6.1.4.1.62558.4) is not a UUID of 36 characters";
        for record in ["0b0b1d7d9a3c4f0f8a3e5d2c1b0a9f8e", "not-a-uuid-but-of-thirty-six-letters", ""] {
            expect_of_value(&CPL_RECORD, &record.to_owned(), &[deviation]);
        }
        expect_of_value(&CPL_RECORD, &"0b0b1d7d-9a3c-4f0f-8a3e-5d2c1b0a9f8e".to_owned(), &[]);
    }

    #[test]
    fn all_deviations_are_named_at_once() {
        let deviations = [
            "subject key identifier (2.5.29.14) is missing",
            "basic constraints (2.5.29.19) is missing",
            "certificate policies (2.5.29.32) is missing",
            "authority information access (1.3.6.1.5.5.7.1.1) is missing",
            "id-c2pa-al (1.3.6.1.4.1.62558.3) is missing",
            "c2pa-cpl-record (1.3.6.1.4.1.62558.4) is missing",
        ];
        let kept = [KEY_USAGE.1, AUTHORITY_KEY.1, EXTENDED_KEY_USAGE.1];
        expect(|leaf| extensions(leaf).retain(|extension| kept.contains(&extension.extn_id)), &deviations);
        let without_extensions = |leaf: &mut Certificate| leaf.tbs_certificate.extensions = None;
        expect(without_extensions, &deviations);
        // An extended key usage of another kind is a fault, without an additional deviation.
        expect_of_value(&EXTENDED_KEY_USAGE, &ExtendedKeyUsage(vec![C2PA_POLICY]), &[]);
    }
}
