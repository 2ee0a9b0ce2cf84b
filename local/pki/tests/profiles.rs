//! Tests that the certificates have the profiles that our verifier and C2PA validators require.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{fs, process::Command};

use const_oid::ObjectIdentifier;
use der::{Decode, EncodePem, pem::LineEnding};
use lacre_pki::{ClaimPki, SealPki, ServerName, ServerPki, TimestampPki};
use p256::pkcs8::EncodePublicKey;
use rsa::{pkcs8::DecodePrivateKey, rand_core::OsRng};
use time::OffsetDateTime;
use x509_cert::{
    Certificate,
    ext::pkix::{AuthorityKeyIdentifier, SubjectKeyIdentifier},
};

/// Runs `openssl`, which must succeed, and returns its standard output.
fn openssl(arguments: &[&str]) -> String {
    let output = Command::new("openssl").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Verifies a chain with `openssl` and returns the text form of the leaf.
fn leaf_text(chain_pem: &str, anchors_pem: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("chain.pem"), chain_pem).unwrap();
    fs::write(path("anchors.pem"), anchors_pem).unwrap();
    let (chain, anchors) = (path("chain.pem"), path("anchors.pem"));
    openssl(&["verify", "-x509_strict", "-CAfile", &anchors, "-untrusted", &chain, &chain]);
    openssl(&["x509", "-in", &chain, "-noout", "-text"])
}

fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn claim_leaves_follow_the_c2pa_profile() {
    let now = OffsetDateTime::now_utc();
    let pki = ClaimPki::generate(now).unwrap();
    let key = p256::SecretKey::random(&mut OsRng).public_key().to_public_key_der().unwrap();
    let chain = pki.issue_leaf(key.as_bytes(), now).unwrap();

    assert_eq!(Certificate::load_pem_chain(chain.as_bytes()).unwrap().len(), 2, "the root is not sent");
    let text = leaf_text(&chain, &pki.anchors_pem().unwrap());
    assert_contains(
        &text,
        &[
            "Version: 3",
            "Signature Algorithm: ecdsa-with-SHA256",
            "Issuer: C = BR, O = Lacre Development, CN = Lacre Development Claim Intermediate",
            "Subject: C = BR, O = Lacre Development, CN = Lacre Development Claim Signer",
            "ASN1 OID: prime256v1",
            "X509v3 Subject Key Identifier: \n",
            "X509v3 Authority Key Identifier: \n",
            "X509v3 Basic Constraints: critical\n                CA:FALSE\n",
            "X509v3 Key Usage: critical\n                Digital Signature, Non Repudiation\n",
            "X509v3 Extended Key Usage: \n                1.3.6.1.4.1.62558.2.1, E-mail Protection\n",
            "X509v3 Certificate Policies: \n                Policy: 1.3.6.1.4.1.62558.1.1\n",
            "Authority Information Access: \n                OCSP - URI:http://ocsp.lacre.example/\n",
            "CA Issuers - URI:http://ca.lacre.example/claim.cer\n",
            "            1.3.6.1.4.1.62558.3: \n",
            "            1.3.6.1.4.1.62558.4: \n                .$00000000-0000-0000-0000-000000000000\n",
        ],
    );
    let leaf = &Certificate::load_pem_chain(chain.as_bytes()).unwrap()[0];
    let mut extensions = leaf.tbs_certificate.extensions.as_ref().unwrap().iter();
    let level = extensions.find(|extension| extension.extn_id.to_string() == "1.3.6.1.4.1.62558.3").unwrap();
    let level = ObjectIdentifier::from_der(level.extn_value.as_bytes()).unwrap();
    assert_eq!(level.to_string(), "1.3.6.1.4.1.62558.3.10");
}

#[test]
fn key_identifiers_are_sha1_hashes() {
    let now = OffsetDateTime::now_utc();
    let pki = ClaimPki::generate(now).unwrap();
    let key = p256::SecretKey::random(&mut OsRng).public_key().to_public_key_der().unwrap();
    let chain = Certificate::load_pem_chain(pki.issue_leaf(key.as_bytes(), now).unwrap().as_bytes()).unwrap();

    let (_, subject) = chain[0].tbs_certificate.get::<SubjectKeyIdentifier>().unwrap().unwrap();
    let (_, issuer) = chain[0].tbs_certificate.get::<AuthorityKeyIdentifier>().unwrap().unwrap();
    for (identifier, certificate) in [(subject.0, &chain[0]), (issuer.key_identifier.unwrap(), &chain[1])] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let key = &certificate.tbs_certificate.subject_public_key_info.subject_public_key;
        fs::write(&file, key.raw_bytes()).unwrap();
        let digest = openssl(&["dgst", "-sha1", "-r", file.to_str().unwrap()]);
        let identifier: String = identifier.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest.split(' ').next().unwrap(), identifier);
    }
}

#[test]
fn claim_leaves_last_at_most_366_days() {
    let now = OffsetDateTime::now_utc();
    let pki = ClaimPki::generate(now).unwrap();
    let key = p256::SecretKey::random(&mut OsRng).public_key().to_public_key_der().unwrap();
    let chain = Certificate::load_pem_chain(pki.issue_leaf(key.as_bytes(), now).unwrap().as_bytes()).unwrap();
    let validity = &chain[0].tbs_certificate.validity;
    let lifetime = validity.not_after.to_unix_duration() - validity.not_before.to_unix_duration();
    assert!(lifetime.as_secs() <= 366 * 86_400, "{lifetime:?}");
}

#[test]
fn issues_no_claim_leaf_without_key() {
    let pki = ClaimPki::generate(OffsetDateTime::now_utc()).unwrap();
    assert!(pki.issue_leaf(b"no key", OffsetDateTime::now_utc()).is_err());
}

#[test]
fn a1_leaves_follow_the_icp_brasil_profile() {
    let now = OffsetDateTime::now_utc();
    let pki = SealPki::generate(now).unwrap();
    let a1 = pki.issue_a1(now).unwrap();

    let chain = Certificate::load_pem_chain(a1.chain_pem.as_bytes()).unwrap();
    assert_eq!(chain.len(), 3, "leaf, authority, root");
    let key = rsa::RsaPrivateKey::from_pkcs8_der(&a1.pkcs8_der).unwrap();
    let spki = spki::SubjectPublicKeyInfoOwned::from_key(key.to_public_key()).unwrap();
    assert_eq!(chain[0].tbs_certificate.subject_public_key_info, spki);

    let text = leaf_text(&a1.chain_pem, &pki.anchors_pem().unwrap());
    assert_contains(
        &text,
        &[
            "Signature Algorithm: sha256WithRSAEncryption",
            "Subject: C = BR, O = ICP-Brasil, OU = Development, CN = LACRE DEVELOPMENT:11222333000181",
            "Public-Key: (2048 bit)",
            "X509v3 Key Usage: critical\n                Digital Signature, Non Repudiation, Key Encipherment\n",
            "TLS Web Client Authentication, E-mail Protection",
            "Policy: 2.16.76.1.2.1.12",
            "othername: 2.16.76.1.3.3",
            "11222333000181",
        ],
    );
}

#[test]
fn timestamp_leaves_only_permit_time_stamping() {
    let now = OffsetDateTime::now_utc();
    let pki = TimestampPki::generate(now).unwrap();
    let issued = pki.issue(now).unwrap();

    let chain = Certificate::load_pem_chain(issued.chain_pem.as_bytes()).unwrap();
    assert_eq!(chain.len(), 2, "leaf, authority");
    let key = rsa::RsaPrivateKey::from_pkcs8_der(&issued.pkcs8_der).unwrap();
    let spki = spki::SubjectPublicKeyInfoOwned::from_key(key.to_public_key()).unwrap();
    assert_eq!(chain[0].tbs_certificate.subject_public_key_info, spki);

    let text = leaf_text(&issued.chain_pem, &pki.anchors_pem().unwrap());
    assert_contains(
        &text,
        &[
            "Signature Algorithm: sha256WithRSAEncryption",
            "Issuer: C = BR, O = ICP-Brasil, OU = Development, CN = AC Carimbo do Tempo Lacre Development",
            "X509v3 Key Usage: critical\n                Digital Signature, Non Repudiation\n",
            "X509v3 Extended Key Usage: critical\n                Time Stamping\n",
            "Policy: 2.16.76.1.2.303.12",
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let leaf = folder.path().join("leaf.pem");
    fs::write(&leaf, &issued.chain_pem).unwrap();
    let five_years = (5 * 365 * 86_400).to_string();
    openssl(&["x509", "-in", leaf.to_str().unwrap(), "-noout", "-checkend", &five_years]);
}

#[test]
fn server_certificates_only_name_local_hosts() {
    let now = OffsetDateTime::now_utc();
    let pki = ServerPki::generate(now).unwrap();
    let pki = ServerPki::from_pem(&pki.key_pem().unwrap(), &pki.certificate_pem().unwrap()).unwrap();
    let authority = pki.certificate_pem().unwrap();
    let leaf = |name: ServerName| {
        let issued = pki.issue(&[name], now).unwrap();
        Certificate::from_der(&issued.certificate_der).unwrap().to_pem(LineEnding::LF).unwrap()
    };
    for (name, shown) in [("192.168.1.5", "IP Address:192.168.1.5"), ("Laptop.local", "DNS:laptop.local")] {
        let text = leaf_text(&leaf(ServerName::parse(name).unwrap()), &authority);
        let expected = ["X509v3 Extended Key Usage: \n                TLS Web Server Authentication", shown];
        assert_contains(&text, &expected);
    }
    let days = pki.issue(&[ServerName::Domain("localhost".to_owned())], now).unwrap();
    let validity = Certificate::from_der(&days.certificate_der).unwrap().tbs_certificate.validity;
    let lifetime = validity.not_after.to_unix_duration() - validity.not_before.to_unix_duration();
    assert!(lifetime.as_secs() <= 825 * 86_400, "iOS: support.apple.com/103769");

    for foreign in ["8.8.8.8", "172.32.0.1", "::1", "lacre.example", "notlocal", "a..local", ".local", "a_b.local", ""]
    {
        assert_eq!(ServerName::parse(foreign), None, "{foreign}");
    }
    // A thief of the CA's key can sign a certificate for any name, but verifiers reject it because of the name
    // constraints.
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("authority.pem"), &authority).unwrap();
    for foreign in [ServerName::Domain("bank.example".to_owned()), ServerName::Address([8, 8, 8, 8].into())] {
        fs::write(path("leaf.pem"), leaf(foreign)).unwrap();
        let arguments = ["verify", "-CAfile", &path("authority.pem"), &path("leaf.pem")];
        let verified = Command::new("openssl").args(arguments).output().unwrap();
        assert!(!verified.status.success());
        assert!(String::from_utf8_lossy(&verified.stderr).contains("permitted subtree violation"));
    }
}
