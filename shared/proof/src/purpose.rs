//! The purpose of a signer's certificate, and the certificate profile that this purpose requires.

use const_oid::{AssociatedOid, ObjectIdentifier};
use der::flagset::FlagSet;
use time::Duration;
use x509_cert::{
    Certificate, Version,
    ext::pkix::{
        AuthorityKeyIdentifier, BasicConstraints, CertificatePolicies, ExtendedKeyUsage, KeyUsage, KeyUsages,
        SubjectAltName, SubjectKeyIdentifier,
    },
};

use crate::{
    certificate::{Scheme, extension},
    expiry::validity,
};

/// The purpose of a signer's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Signing C2PA claims.
    Claim,
    /// Making the seal (the ICP-Brasil signature).
    Seal,
}

/// `anyExtendedKeyUsage` (RFC 5280, 4.2.1.12): the usages of the key, or of an authority's certificates, are not
/// restricted.
pub const ANY_EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");
const CLAIM_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.2.1");
const EMAIL_PROTECTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4");
const DOCUMENT_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.36");

/// The arc of all ICP-Brasil certificate policies. Those of type A1 are below its child 1.
const ICP_BRASIL_POLICIES: &str = "2.16.76.1.2.";

/// The subject attributes that C2PA requires, with their names for people.
const CLAIM_SUBJECT: [(ObjectIdentifier, &str); 3] = [
    (ObjectIdentifier::new_unwrap("2.5.4.6"), "C"),
    (ObjectIdentifier::new_unwrap("2.5.4.10"), "O"),
    (ObjectIdentifier::new_unwrap("2.5.4.3"), "CN"),
];

/// The extended key usages that a claim certificate must not have.
const NOT_OF_CLAIM_SIGNERS: [(ObjectIdentifier, &str); 3] = [
    (ANY_EXTENDED_KEY_USAGE, "anyExtendedKeyUsage"),
    (ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8"), "timeStamping"),
    (ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.9"), "OCSPSigning"),
];

/// The extensions that a claim certificate may mark as critical: those of RFC 5280 that validators process.
const PROCESSED: [ObjectIdentifier; 7] = [
    AuthorityKeyIdentifier::OID,
    BasicConstraints::OID,
    CertificatePolicies::OID,
    ExtendedKeyUsage::OID,
    KeyUsage::OID,
    SubjectAltName::OID,
    SubjectKeyIdentifier::OID,
];

/// Maximum validity of a claim certificate.
const CLAIM_LIFETIME: Duration = Duration::days(366);

impl Purpose {
    /// The signature scheme of the key.
    pub fn scheme(self) -> Scheme {
        match self {
            Self::Claim => Scheme::P256,
            Self::Seal => Scheme::Rsa,
        }
    }

    /// Checks that a leaf is made for this purpose and is not an authority's certificate. Verifiers of a proof check
    /// the same.
    pub fn check_leaf(self, leaf: &Certificate) -> Result<(), String> {
        self.usage_faults(leaf).into_iter().next().map_or(Ok(()), Err)
    }

    /// All faults that [`Self::check_leaf`] looks for.
    pub fn usage_faults(self, leaf: &Certificate) -> Vec<String> {
        let usages = [check_key_usage(leaf, self.key_usage()), self.check_extended_key_usage(leaf), check_signer(leaf)];
        usages.into_iter().filter_map(Result::err).collect()
    }

    fn check_extended_key_usage(self, leaf: &Certificate) -> Result<(), String> {
        match extended_key_usages(leaf)?.iter().any(|usage| self.extended_key_usages().contains(usage)) {
            true => Ok(()),
            false => Err(format!("the extended key usage of {} does not allow this", leaf.tbs_certificate.subject)),
        }
    }

    /// All violations of the rest of the certificate profile. A verifier may tolerate them, an issuer must not make
    /// them.
    pub fn profile_faults(self, leaf: &Certificate) -> Vec<String> {
        match self {
            Self::Claim => claim_profile_faults(leaf),
            Self::Seal => check_seal_profile(leaf).err().into_iter().collect(),
        }
    }

    fn key_usage(self) -> FlagSet<KeyUsages> {
        match self {
            Self::Claim => KeyUsages::DigitalSignature.into(),
            Self::Seal => KeyUsages::DigitalSignature | KeyUsages::NonRepudiation,
        }
    }

    /// The extended key usages of which a leaf needs at least one.
    pub fn extended_key_usages(self) -> &'static [ObjectIdentifier] {
        match self {
            Self::Claim => &[CLAIM_SIGNING],
            Self::Seal => &[EMAIL_PROTECTION, DOCUMENT_SIGNING],
        }
    }
}

/// Checks that a certificate's key usage includes the given usages.
pub fn check_key_usage(certificate: &Certificate, wanted: FlagSet<KeyUsages>) -> Result<(), String> {
    match extension::<KeyUsage>(certificate)?.is_some_and(|(_, usage)| usage.0.contains(wanted)) {
        true => Ok(()),
        false => Err(format!("the key usage of {} does not allow this", certificate.tbs_certificate.subject)),
    }
}

/// Checks that a certificate is not an authority's.
fn check_signer(leaf: &Certificate) -> Result<(), String> {
    match extension::<BasicConstraints>(leaf)?.is_some_and(|(_, constraints)| constraints.ca) {
        true => Err(format!("{} is an authority, not a signer", leaf.tbs_certificate.subject)),
        false => Ok(()),
    }
}

/// What C2PA validators refuse in a claim signer's certificate. The remaining rules are in [`crate::claim_profile`].
fn claim_profile_faults(leaf: &Certificate) -> Vec<String> {
    let fields = &leaf.tbs_certificate;
    let mut faults = Vec::new();
    if fields.version != Version::V3 {
        faults.push("it is not an X.509 version 3 certificate".into());
    }
    let has = |oid| fields.subject.0.iter().flat_map(|part| part.0.iter()).any(|name| name.oid == oid);
    let missing = CLAIM_SUBJECT.iter().filter(|(oid, _)| !has(*oid));
    faults.extend(missing.map(|(_, missing)| format!("its subject {} has no {missing}", fields.subject)));
    let (from, until) = validity(leaf);
    if until - from > CLAIM_LIFETIME {
        faults.push(format!("it is valid for {} days; C2PA allows 366", (until - from).whole_days()));
    }
    if fields.issuer_unique_id.is_some() || fields.subject_unique_id.is_some() {
        faults.push("it has a unique identifier of its issuer or subject".into());
    }
    let extensions = [
        check_critical_key_usage(leaf),
        check_signs_no_certificates(leaf),
        check_second_usage(leaf),
        check_other_usages(leaf),
        check_authority_key(leaf),
        check_critical_extensions(leaf),
    ];
    faults.extend(extensions.into_iter().filter_map(Result::err));
    faults
}

fn check_critical_key_usage(leaf: &Certificate) -> Result<(), String> {
    match extension::<KeyUsage>(leaf)?.is_some_and(|(critical, _)| critical) {
        true => Ok(()),
        false => Err("its key usage is not critical".into()),
    }
}

fn check_signs_no_certificates(leaf: &Certificate) -> Result<(), String> {
    match extension::<KeyUsage>(leaf)?.is_some_and(|(_, usage)| usage.0.contains(KeyUsages::KeyCertSign)) {
        true => Err("its key usage has keyCertSign".into()),
        false => Ok(()),
    }
}

fn check_second_usage(leaf: &Certificate) -> Result<(), String> {
    let usages = extended_key_usages(leaf)?;
    match usages.contains(&EMAIL_PROTECTION) || usages.contains(&DOCUMENT_SIGNING) {
        true => Ok(()),
        false => Err("its extended key usage has neither emailProtection nor documentSigning".into()),
    }
}

/// C2PA 2.4, 14.5.1: a claim signer's certificate must not be one of an OCSP responder or timestamp authority, and its
/// usages must be restricted.
fn check_other_usages(leaf: &Certificate) -> Result<(), String> {
    let usages = extended_key_usages(leaf)?;
    match NOT_OF_CLAIM_SIGNERS.iter().find(|(usage, _)| usages.contains(usage)) {
        Some((_, name)) => Err(format!("its extended key usage has {name}")),
        None => Ok(()),
    }
}

fn check_critical_extensions(leaf: &Certificate) -> Result<(), String> {
    let extensions = leaf.tbs_certificate.extensions.iter().flatten();
    let unknown = extensions.filter(|found| found.critical).find(|found| !PROCESSED.contains(&found.extn_id));
    unknown.map_or(Ok(()), |found| Err(format!("its extension {} is critical and unknown", found.extn_id)))
}

fn check_authority_key(leaf: &Certificate) -> Result<(), String> {
    match extension::<AuthorityKeyIdentifier>(leaf)?.is_some_and(|(_, key)| key.key_identifier.is_some()) {
        true => Ok(()),
        false => Err("it has no authority key identifier".into()),
    }
}

/// Checks that a certificate has the form of ICP-Brasil's. Whether it is one depends on its root.
fn check_seal_profile(leaf: &Certificate) -> Result<(), String> {
    let policies = extension::<CertificatePolicies>(leaf)?.map_or_else(Vec::new, |(_, policies)| policies.0);
    let is_icp_brasil = |policy: &ObjectIdentifier| policy.to_string().starts_with(ICP_BRASIL_POLICIES);
    match policies.iter().any(|policy| is_icp_brasil(&policy.policy_identifier)) {
        true => Ok(()),
        false => Err("it has no certificate policy of ICP-Brasil (2.16.76.1.2)".into()),
    }
}

/// The usages in the extended key usage extension; `None` if the certificate has no such extension.
pub fn usage_limit(certificate: &Certificate) -> Result<Option<Vec<ObjectIdentifier>>, String> {
    Ok(extension::<ExtendedKeyUsage>(certificate)?.map(|(_, usages)| usages.0))
}

fn extended_key_usages(certificate: &Certificate) -> Result<Vec<ObjectIdentifier>, String> {
    Ok(usage_limit(certificate)?.unwrap_or_default())
}
