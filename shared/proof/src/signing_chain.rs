//! The certificate chain that an operator supplies: put in order, and checked for its purpose.

use der::{Decode, Encode};
use lacre_domain::Environment;
use time::OffsetDateTime;
use x509_cert::{
    Certificate,
    ext::pkix::{AuthorityKeyIdentifier, SubjectKeyIdentifier},
};

use crate::{
    Check, Expiry,
    certificate::{Chain, cnpj, extension},
    claim_profile,
    expiry::validity,
    pem,
    purpose::Purpose,
    trust::{Anchors, is_self_issued},
};

/// A certificate chain for one purpose, leaf first, each certificate issued by the next one. [`Self::checks`]
/// determines whether it can sign.
#[derive(Clone, Debug)]
pub struct SigningChain {
    purpose: Purpose,
    chain: Chain,
}

impl SigningChain {
    /// Parses a chain in PEM that is in order.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed, or which certificate is out of order.
    pub fn parse(purpose: Purpose, chain_pem: &str) -> Result<Self, String> {
        Ok(Self { purpose, chain: Chain::from_pem(chain_pem)? })
    }

    /// Finds the certificate of a public key (`SubjectPublicKeyInfo` in DER) among certificates in DER, and appends its
    /// issuer, that issuer's issuer, and so on, up to a root. Certificates that do not belong to this chain are
    /// dropped.
    ///
    /// # Errors
    /// A text that names a missing issuer, or describes what cannot be parsed.
    pub fn for_key(purpose: Purpose, public_key: &[u8], certificates: &[Vec<u8>]) -> Result<Self, String> {
        let read = |der: &Vec<u8>| Certificate::from_der(der).map_err(|error| format!("a certificate: {error}"));
        let mut others = certificates.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let is_of_key = |certificate: &Certificate| {
            let key = certificate.tbs_certificate.subject_public_key_info.to_der();
            key.is_ok_and(|key| key == public_key)
        };
        let leaf = others.iter().position(is_of_key).ok_or("no certificate matches the private key")?;
        let mut ordered = vec![others.swap_remove(leaf)];
        while let Some(last) = ordered.last().filter(|last| !is_self_issued(last)) {
            let issuer = others.iter().position(|other| may_have_issued(other, last));
            let missing = || {
                let fields = &last.tbs_certificate;
                format!("the certificate of {}, which issued {}, is missing", fields.issuer, fields.subject)
            };
            let issuer = issuer.ok_or_else(missing)?;
            ordered.push(others.swap_remove(issuer));
        }
        Ok(Self { purpose, chain: Chain::of(ordered)? })
    }

    /// The certificates in DER, leaf first.
    #[must_use]
    pub fn to_der(&self) -> &[Vec<u8>] {
        self.chain.der()
    }

    /// Checks that the chain contains the leaf's issuer, even if that is a root: without its certificate the leaf's
    /// signature cannot be verified.
    ///
    /// # Errors
    /// A text that names the missing issuer.
    pub fn check_issuer(&self) -> Result<(), String> {
        match self.chain.certificates() {
            [leaf] if !is_self_issued(leaf) => Err(format!(
                "the certificate of {}, which issued {}, is missing: append it, root included",
                leaf.tbs_certificate.issuer, leaf.tbs_certificate.subject
            )),
            _ => Ok(()),
        }
    }

    /// Removes the root from the chain, unless the chain is only a leaf.
    ///
    /// # Errors
    /// A text, if the chain cannot be encoded.
    pub fn without_root(self) -> Result<Self, String> {
        let (last, rest) = self.chain.certificates().split_last().ok_or("no certificate")?;
        if rest.is_empty() || !is_self_issued(last) {
            return Ok(self);
        }
        Ok(Self { purpose: self.purpose, chain: Chain::of(rest.to_vec())? })
    }

    /// The chain in PEM, leaf first.
    ///
    /// # Errors
    /// A text, if the chain cannot be encoded.
    pub fn to_pem(&self) -> Result<String, String> {
        pem::to_pem(self.chain.certificates())
    }

    /// The subject of the leaf (RFC 4514).
    #[must_use]
    pub fn subject(&self) -> String {
        self.chain.leaf().tbs_certificate.subject.to_string()
    }

    /// The 14 characters of the company's CNPJ, if the leaf is an ICP-Brasil certificate that contains one.
    #[must_use]
    pub fn cnpj(&self) -> Option<String> {
        cnpj(self.chain.leaf())
    }

    /// The leaf's public key: `SubjectPublicKeyInfo` in DER.
    ///
    /// # Errors
    /// A text, if the key cannot be encoded.
    pub fn public_key(&self) -> Result<Vec<u8>, String> {
        self.chain.leaf().tbs_certificate.subject_public_key_info.to_der().map_err(|error| error.to_string())
    }

    /// Whether a signature over a message was made with the leaf's key.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.purpose.scheme().verifies(self.chain.leaf_der(), message, signature)
    }

    /// The expiries of all certificates, leaf first.
    #[must_use]
    pub fn expiries(&self) -> Vec<Expiry> {
        self.chain.certificates().iter().map(Expiry::of).collect()
    }

    /// Whether the last certificate of the chain is one of the given ones, in PEM.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed.
    pub fn ends_in_one_of(&self, roots_pem: &str) -> Result<bool, String> {
        let roots = pem::certificates(roots_pem)?;
        Ok(self.chain.certificates().last().is_some_and(|last| roots.contains(last)))
    }

    /// Refuses an ICP-Brasil chain outside production. A chain counts as ICP-Brasil's if its profile states so
    /// (`icp_brasil`), or if its last certificate has the name of an ICP-Brasil root.
    ///
    /// # Errors
    /// A text that names the environment.
    pub fn check_environment(&self, environment: Environment, icp_brasil: bool) -> Result<(), String> {
        self.chain.check_environment(environment, icp_brasil)
    }

    /// All deviations of a claim certificate from C2PA's profile for claim signing leaves (assurance level 1), beyond
    /// the faults for which [`Self::checks`] refuses it. A certificate with deviations can sign nevertheless. Empty for
    /// a seal's certificate.
    #[must_use]
    pub fn level_1_deviations(&self) -> Vec<String> {
        match self.purpose {
            Purpose::Claim => claim_profile::level_1_deviations(self.chain.leaf(), self.chain.certificates().get(1)),
            Purpose::Seal => Vec::new(),
        }
    }

    /// Everything that a chain must fulfil to sign proofs at the given time. Each fault of the leaf's usages and
    /// profile is a check of its own.
    #[must_use]
    pub fn checks(&self, now: OffsetDateTime) -> Vec<Check> {
        let leaf = self.chain.leaf();
        let mut checks = vec![Check::of("key kind", self.check_key()), Check::of("dates", self.check_dates(now))];
        checks.extend(each("key usage", self.purpose.usage_faults(leaf)));
        checks.extend(each("certificate profile", self.purpose.profile_faults(leaf)));
        checks.push(Check::of("chain", self.check_chain()));
        checks
    }

    /// Returns the first fault of [`Self::checks`].
    ///
    /// # Errors
    /// A text that describes the fault.
    pub fn check(&self, now: OffsetDateTime) -> Result<(), String> {
        self.checks(now).into_iter().find_map(|check| check.fault).map_or(Ok(()), Err)
    }

    fn check_key(&self) -> Result<(), String> {
        let fits = self.purpose.scheme().fits(&self.chain.leaf().tbs_certificate.subject_public_key_info);
        match (fits, self.purpose) {
            (true, _) => Ok(()),
            (false, Purpose::Seal) => Err("the certificate's key must be RSA".into()),
            (false, Purpose::Claim) => Err("the certificate's key must be on the curve P-256".into()),
        }
    }

    fn check_dates(&self, now: OffsetDateTime) -> Result<(), String> {
        for certificate in self.chain.certificates() {
            let (from, until) = validity(certificate);
            let subject = &certificate.tbs_certificate.subject;
            if now < from {
                return Err(format!("the certificate of {subject} is not valid before {}", from.date()));
            }
            if now > until {
                return Err(format!("the certificate of {subject} expired on {}", until.date()));
            }
        }
        Ok(())
    }

    /// Verifies every signature of the chain, and that the issuers are allowed to issue. Expiry is a separate check, so
    /// this is evaluated as of the day on which the most recent certificate became valid.
    fn check_chain(&self) -> Result<(), String> {
        let certificates = self.chain.certificates();
        let top = certificates.last().ok_or("no certificate")?;
        if self.purpose == Purpose::Seal && !is_self_issued(top) {
            return Err(format!(
                "the chain ends before its root: who issued {} is missing",
                top.tbs_certificate.subject
            ));
        }
        let der: Vec<&[u8]> = self.chain.der().iter().map(Vec::as_slice).collect();
        let [leaf, intermediates @ .., top] = der.as_slice() else {
            // If a root issued the claim certificate directly, the root is not part of the chain.
            let signed_itself = || format!("{} is signed by itself", self.subject());
            return if is_self_issued(self.chain.leaf()) { Err(signed_itself()) } else { Ok(()) };
        };
        let since = certificates.iter().map(|certificate| validity(certificate).0).max();
        let since = since.unwrap_or(OffsetDateTime::UNIX_EPOCH);
        Anchors::of_authority(top)?.path(leaf, intermediates, self.purpose.extended_key_usages(), since).map(drop)
    }
}

/// One failed check for each fault, or one successful check if there is none.
fn each(name: &'static str, faults: Vec<String>) -> Vec<Check> {
    match faults.is_empty() {
        true => vec![Check::of(name, Ok(()))],
        false => faults.into_iter().map(|fault| Check::of(name, Err(fault))).collect(),
    }
}

/// Whether a certificate can be the issuer of another one: by name and, if both state it, by key identifier.
fn may_have_issued(issuer: &Certificate, issued: &Certificate) -> bool {
    let key = extension::<SubjectKeyIdentifier>(issuer).ok().flatten().map(|(_, key)| key.0);
    let named = extension::<AuthorityKeyIdentifier>(issued).ok().flatten().and_then(|(_, key)| key.key_identifier);
    issued.tbs_certificate.issuer == issuer.tbs_certificate.subject
        && key.zip(named).is_none_or(|(key, named)| key == named)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use c2pa::{
        crypto::cose::{CertificateTrustPolicy, check_end_entity_certificate_profile},
        status_tracker::StatusTracker,
    };
    use const_oid::{AssociatedOid, ObjectIdentifier};
    use der::asn1::{BitString, OctetString};
    use lacre_pki::{ClaimPki, SealPki};
    use spki::EncodePublicKey;
    use x509_cert::{
        Version,
        ext::pkix::{ExtendedKeyUsage, KeyUsage, KeyUsages},
        name::Name,
    };

    use super::*;

    fn claim() -> Vec<Certificate> {
        let now = OffsetDateTime::now_utc();
        let key = p256::SecretKey::random(&mut rsa::rand_core::OsRng).public_key().to_public_key_der().unwrap();
        pem::certificates(ClaimPki::generate(now).unwrap().issue_leaf(key.as_bytes(), now).unwrap()).unwrap()
    }

    fn of(purpose: Purpose, certificates: Vec<Certificate>) -> SigningChain {
        SigningChain { purpose, chain: Chain::of(certificates).unwrap() }
    }

    #[test]
    fn each_certificate_fault_has_a_check() {
        let faults = |certificates| {
            let checks = of(Purpose::Claim, certificates).checks(OffsetDateTime::now_utc());
            let leaf = checks.into_iter().filter(|check| ["key usage", "certificate profile"].contains(&check.name));
            leaf.map(|check| check.fault.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(faults(claim()), ["", ""], "a check of each name, and both hold");

        let mut certificates = claim();
        let of_issuer = certificates[1].tbs_certificate.validity;
        let fields = &mut certificates[0].tbs_certificate;
        fields.version = Version::V2;
        fields.subject = "CN=Photo".parse::<Name>().unwrap();
        fields.validity.not_after = of_issuer.not_after;
        fields.extensions = None;
        let expected = [
            "the key usage of CN=Photo does not allow this",
            "the extended key usage of CN=Photo does not allow this",
            "it is not an X.509 version 3 certificate",
            "its subject CN=Photo has no C",
            "its subject CN=Photo has no O",
            "it is valid for 3650 days; C2PA allows 366",
            "its key usage is not critical",
            "its extended key usage has neither emailProtection nor documentSigning",
            "it has no authority key identifier",
        ];
        assert_eq!(faults(certificates), expected);
    }

    /// Compares with the C2PA library, which refuses to sign with an unsuitable certificate.
    #[test]
    fn refuses_certificates_that_c2pa_refuses() {
        let mut trusted = CertificateTrustPolicy::default();
        trusted.add_valid_ekus(b"1.3.6.1.4.1.62558.2.1");
        let refused_by_library = |leaf: &Certificate| {
            let (der, mut log) = (leaf.to_der().unwrap(), StatusTracker::default());
            check_end_entity_certificate_profile(&der, &trusted, &mut log, None).is_err()
        };
        let change_extension = |leaf: &mut Certificate, oid: ObjectIdentifier, value: &dyn Fn() -> Vec<u8>| {
            let extensions = leaf.tbs_certificate.extensions.as_mut().unwrap();
            let found = extensions.iter_mut().find(|extension| extension.extn_id == oid).unwrap();
            found.extn_value = OctetString::new(value()).unwrap();
        };
        let with_usages = |leaf: &mut Certificate, more: &[&str]| {
            let all = ["1.3.6.1.4.1.62558.2.1", "1.3.6.1.5.5.7.3.4"].iter().chain(more);
            let usages = ExtendedKeyUsage(all.map(|oid| oid.parse().unwrap()).collect());
            change_extension(leaf, ExtendedKeyUsage::OID, &|| usages.to_der().unwrap());
        };
        type Change<'a> = &'a dyn Fn(&mut Certificate);
        let changes: [(Change<'_>, &[&str]); 10] = [
            (&|_| (), &[]),
            (&|leaf| with_usages(leaf, &["1.3.6.1.5.5.7.3.36"]), &[]),
            (&|leaf| with_usages(leaf, &["2.5.29.37.0"]), &["its extended key usage has anyExtendedKeyUsage"]),
            (&|leaf| with_usages(leaf, &["1.3.6.1.5.5.7.3.8"]), &["its extended key usage has timeStamping"]),
            (&|leaf| with_usages(leaf, &["1.3.6.1.5.5.7.3.9"]), &["its extended key usage has OCSPSigning"]),
            (
                &|leaf| {
                    let usages = KeyUsages::DigitalSignature | KeyUsages::NonRepudiation | KeyUsages::KeyCertSign;
                    change_extension(leaf, KeyUsage::OID, &|| KeyUsage(usages).to_der().unwrap());
                },
                &["its key usage has keyCertSign"],
            ),
            (
                &|leaf| leaf.tbs_certificate.issuer_unique_id = Some(BitString::from_bytes(&[1]).unwrap()),
                &["it has a unique identifier of its issuer or subject"],
            ),
            (
                &|leaf| leaf.tbs_certificate.subject_unique_id = Some(BitString::from_bytes(&[1]).unwrap()),
                &["it has a unique identifier of its issuer or subject"],
            ),
            (
                &|leaf| {
                    let of_lacre = leaf.tbs_certificate.extensions.iter_mut().flatten();
                    let level = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62558.3");
                    of_lacre.filter(|found| found.extn_id == level).for_each(|found| found.critical = true);
                },
                &["its extension 1.3.6.1.4.1.62558.3 is critical and unknown"],
            ),
            (&|leaf| leaf.tbs_certificate.version = Version::V2, &["it is not an X.509 version 3 certificate"]),
        ];
        for (at, (change, expected)) in changes.into_iter().enumerate() {
            let mut certificates = claim();
            change(&mut certificates[0]);
            assert_eq!(refused_by_library(&certificates[0]), !expected.is_empty(), "{at}");
            assert_eq!(Purpose::Claim.profile_faults(&certificates[0]), expected, "{at}");
        }
    }

    #[test]
    fn level_1_concerns_claim_certificates_only() {
        assert_eq!(of(Purpose::Claim, claim()).level_1_deviations(), [""; 0]);
        let mut certificates = claim();
        certificates[0].tbs_certificate.extensions.as_mut().unwrap().remove(0);
        assert_eq!(of(Purpose::Claim, certificates.clone()).level_1_deviations().len(), 1);
        assert_eq!(of(Purpose::Seal, certificates).level_1_deviations(), [""; 0]);

        // The issuer's key is known only if the chain contains its certificate.
        let [mut certificates, others] = [claim(), claim()];
        let another_key = others[1].tbs_certificate.subject_public_key_info.clone();
        certificates[1].tbs_certificate.subject_public_key_info = another_key;
        assert_eq!(of(Purpose::Claim, certificates.clone()).level_1_deviations().len(), 1);
        certificates.truncate(1);
        assert_eq!(of(Purpose::Claim, certificates).level_1_deviations(), [""; 0]);
    }

    #[test]
    fn icp_brasil_signs_in_production_only() {
        let now = OffsetDateTime::now_utc();
        let chain = pem::certificates(&SealPki::generate(now).unwrap().issue_a1(now).unwrap().chain_pem).unwrap();
        let is_called = |at: usize, name: &str| {
            let mut chain = chain.clone();
            chain[at].tbs_certificate.subject = name.parse().unwrap();
            let chain = chain.split_off(at);
            of(Purpose::Seal, chain).check_environment(Environment::Sandbox, false).is_err()
        };
        let development = of(Purpose::Seal, chain.clone());
        assert_eq!(development.check_environment(Environment::Sandbox, false), Ok(()));
        assert_eq!(development.check_environment(Environment::Production, true), Ok(()));
        let refused = development.check_environment(Environment::Staging, true).unwrap_err();
        assert_eq!(refused, "an ICP-Brasil chain signs in PRODUCTION only, not in STAGING");
        assert!(is_called(2, "CN=Autoridade Certificadora Raiz Brasileira v10,OU=ITI,O=ICP-Brasil,C=BR"));
        assert!(!is_called(2, "CN=Raiz,OU=Autoridade Certificadora Raiz Brasileira v10,O=ICP-Brasil,C=BR"));
        assert!(!is_called(2, "CN=Not Autoridade Certificadora Raiz Brasileira v10,O=ICP-Brasil,C=BR"));
        assert!(!is_called(0, "CN=Autoridade Certificadora Raiz Brasileira v10,O=ICP-Brasil,C=BR"), "not at the end");
    }
}
