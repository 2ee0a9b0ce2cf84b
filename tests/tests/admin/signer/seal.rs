//! Tests `signer import-a1`.

use lacre_administration::{
    Error,
    signer::{ImportedSeal, SealImport, SealMaterial, doctor::Status},
};
use lacre_domain::Environment;
use lacre_storage::{ClaimKeys, SignerProfiles, WrappingKey};
use lacre_tests::{
    Fault, Storage,
    openssl::{A1, Bench, PASSWORD, icp_brasil_like, under_root_called},
};
use p12_keystore::{Certificate, KeyStore, KeyStoreEntry, PrivateKey, PrivateKeyChain};
use time::Duration;

use super::{Desk, import};

#[tokio::test]
async fn new_certificates_seal_the_next_capture() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    let root = bench.text("root.pem");
    // A warm function has already parsed the profile that is replaced.
    assert!(desk.capture("").await.valid);
    let before = SignerProfiles::new(desk.service.connection()).state(Environment::Sandbox).await.unwrap();

    // Certificates in a PFX file have no order, and two generations of PFX encryption exist.
    for (version, encryption, certificates, wrapping) in
        [(2, "", ["root", "issuing"], WrappingKey::Rsa2048), (3, "-legacy", ["issuing", "root"], WrappingKey::Rsa4096)]
    {
        let pfx = bench.pfx("company", &certificates, encryption);
        let material = SealMaterial::from_pfx(&pfx, PASSWORD, &[]).unwrap();
        let other_roots = Some(desk.service.trust_anchors().to_owned());
        let import = SealImport { wrapping, icp_brasil_roots_pem: other_roots, ..import(Environment::Sandbox) };
        let imported = desk.signer.import_seal(&material, &import).await.unwrap();
        let expected = ImportedSeal {
            environment: Environment::Sandbox,
            key_arn: imported.key_arn.clone(),
            subject: "CN=TEST COMPANY:11222333000181,O=ICP-Brasil,C=BR".into(),
            cnpj: Some("11222333000181".into()),
            icp_brasil: false,
        };
        assert_eq!(imported, expected);
        assert_eq!(desk.signer.activate(Environment::Sandbox, None).await.unwrap(), version);

        let tags = Storage::of(&desk.service).kms.list_resource_tags().key_id(&imported.key_arn).send().await.unwrap();
        let tags: Vec<_> = tags.tags().iter().map(|tag| (tag.tag_key(), tag.tag_value())).collect();
        assert_eq!(tags, [("lacre-seal", "a-stack")], "the function's role knows the key by it");

        let report = desk.capture(&root).await;
        assert!(report.valid, "{report}");
        assert_eq!(report.seal.unwrap().signer, imported.subject);
    }

    let profiles = SignerProfiles::new(desk.service.connection());
    assert_eq!(profiles.version(Environment::Sandbox, 1).await.unwrap(), before.profile);
    let third = profiles.version(Environment::Sandbox, 3).await.unwrap();
    assert_eq!(third, profiles.state(Environment::Sandbox).await.unwrap().profile);
    assert_eq!(third.unwrap().claim, before.profile.unwrap().claim);
}

#[tokio::test]
async fn copies_the_claim_keys_policy() {
    const POLICY: &str = r#"{"Statement":[{"Effect":"Deny","Principal":"*","Action":"kms:Sign","Resource":"*"}]}"#;
    let mut desk = Desk::open().await;
    let claim = desk.profile(Environment::Sandbox).await.claim.key_arn;
    let kms = Storage::of(&desk.service).kms;
    kms.put_key_policy().key_id(&claim).policy(POLICY).send().await.unwrap();
    desk.configure(|config| config.claim_keys = ClaimKeys { sandbox: Some(claim), ..ClaimKeys::default() });
    let bench = icp_brasil_like();
    let material = SealMaterial::from_pfx(&bench.pfx("company", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();

    let policy_of_seal = async || {
        let findings = desk.signer.examine(Some(Environment::Sandbox), None).await;
        findings.into_iter().find(|finding| finding.check == "seal key policy").unwrap().status
    };
    assert_eq!(policy_of_seal().await, Status::Warning, "the seal in force was imported before");
    let imported = desk.signer.import_seal(&material, &import(Environment::Sandbox)).await.unwrap();
    let policy = kms.get_key_policy().key_id(&imported.key_arn).send().await.unwrap().policy.unwrap();
    assert_eq!(policy, POLICY);
    desk.signer.activate(Environment::Sandbox, None).await.unwrap();
    assert_eq!(policy_of_seal().await, Status::Ok);
}

#[tokio::test]
async fn deletes_a_seal_key_without_policy() {
    let mut desk = Desk::open().await;
    let claim = desk.profile(Environment::Sandbox).await.claim.key_arn;
    desk.configure(|config| config.claim_keys = ClaimKeys { sandbox: Some(claim), ..ClaimKeys::default() });
    desk.faults.always("PutKeyPolicy", Fault::Refuse);
    let bench = icp_brasil_like();
    let material = SealMaterial::from_pfx(&bench.pfx("company", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();
    desk.changes();
    let error = desk.signer.import_seal(&material, &import(Environment::Sandbox)).await.unwrap_err();
    assert!(error.to_string().contains("PutKeyPolicy"), "{error}");
    assert!(desk.changes().contains(&"ScheduleKeyDeletion".to_owned()));
    let state = SignerProfiles::new(desk.service.connection()).state(Environment::Sandbox).await.unwrap();
    assert_eq!(state.draft.seal, None);
}

#[tokio::test]
async fn explains_why_a_pfx_is_unusable() {
    let bench = icp_brasil_like();
    let whole = bench.pfx("company", &["issuing", "root"], "");
    let refusal = |pfx: &[u8], password: &str| refusal(SealMaterial::from_pfx(pfx, password, &[]));

    assert_eq!(refusal(&whole, "another password"), "the password is not the file's");
    assert_eq!(refusal(&whole, ""), "the password is not the file's");
    let legacy = bench.pfx("company", &["issuing", "root"], "-legacy");
    assert_eq!(refusal(&legacy, "another password"), "the password is not the file's");
    let unauthenticated = bench.pfx("company", &["issuing", "root"], "-nomac");
    for password in ["another", "a third", ""] {
        let refused = refusal(&unauthenticated, password);
        assert!(refused.contains("password"), "what fails first depends on the decrypted bytes: {refused}");
    }
    assert!(refusal(b"no file", PASSWORD).starts_with("the file cannot be read as PFX (PKCS#12)"));

    bench.openssl("pkcs12 -export -nokeys -in company.pem -out no-key.pfx", &["-passout", &format!("pass:{PASSWORD}")]);
    assert!(refusal(&bench.read("no-key.pfx"), PASSWORD).starts_with("the file holds 0 private keys"));
    bench.key("another", "rsa:2048");
    let two = store(&bench, &[("company", "company"), ("another", "company")]);
    assert!(refusal(&two, PASSWORD).starts_with("the file holds 2 private keys"));
    let mismatch = store(&bench, &[("another", "company")]);
    assert!(refusal(&mismatch, PASSWORD).starts_with("no certificate matches the private key"));
}

#[tokio::test]
async fn refuses_keys_that_kms_cannot_import() {
    let bench = icp_brasil_like();
    for (name, kind, refused) in [
        ("p384", "ec:P-384", "the private key is an elliptic curve key (P-384): it must be RSA"),
        ("p256", "ec:P-256", "the private key is an elliptic curve key (P-256): it must be RSA"),
        ("small", "rsa:1024", "the private key has 1024 bits; KMS imports RSA keys of 2048, 3072 or 4096 bits"),
    ] {
        bench.key(name, kind);
        bench.certificate(name, "/C=BR/O=ICP-Brasil/CN=COMPANY:11222333000181", "issuing", A1, 365);
        let pfx = bench.pfx(name, &["issuing", "root"], "");
        assert_eq!(refusal(SealMaterial::from_pfx(&pfx, PASSWORD, &[])), refused);
    }
}

#[tokio::test]
async fn requires_whole_chains_in_any_order() {
    let bench = icp_brasil_like();
    let alone = bench.pfx("company", &[], "");
    let with = |chain: &str| SealMaterial::from_pfx(&alone, PASSWORD, &[chain]);

    let missing = refusal(SealMaterial::from_pfx(&alone, PASSWORD, &[]));
    assert!(missing.starts_with("the certificate of CN=issuing,O=ICP-Brasil,C=BR, which issued CN=TEST"), "{missing}");
    let missing = refusal(with(&bench.chain(&["issuing"])));
    assert!(missing.starts_with("the certificate of CN=root,O=ICP-Brasil,C=BR, which issued CN=issuing"), "{missing}");
    assert_eq!(refusal(with("no certificate")), "additional certificates: no certificate");

    for chain in [&["issuing", "root"][..], &["root", "issuing"], &["company", "issuing", "root"]] {
        with(&bench.chain(chain)).unwrap();
    }
}

#[tokio::test]
async fn takes_missing_roots_from_icp_brasil() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    let pfx = bench.pfx("company", &["issuing"], "");
    let missing = refusal(SealMaterial::from_pfx(&pfx, PASSWORD, &[]));
    assert!(missing.starts_with("the certificate of CN=root,O=ICP-Brasil,C=BR, which issued CN=issuing"), "{missing}");

    bench.root("older-root", "rsa:2048");
    let roots = format!("ICP-Brasil's:\n{}", bench.chain(&["older-root", "root"]));
    let material = SealMaterial::from_pfx(&pfx, PASSWORD, &[&roots]).unwrap();
    let import = SealImport { icp_brasil_roots_pem: Some(roots), ..import(Environment::Production) };
    assert!(desk.signer.import_seal(&material, &import).await.unwrap().icp_brasil);
    let view = desk.signer.overview(Some(Environment::Production)).await.unwrap().remove(0);
    let subjects: Vec<_> =
        view.draft.unwrap().seal.unwrap().certificates.into_iter().map(|each| each.subject).collect();
    let below = ["CN=TEST COMPANY:11222333000181", "CN=issuing", "CN=root"];
    assert_eq!(subjects, below.map(|name| format!("{name},O=ICP-Brasil,C=BR")));
}

#[tokio::test]
async fn refuses_certificates_that_cannot_seal() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    let before = desk.signers().await;
    let cases = [
        ("key usage", A1.replace("nonRepudiation,", ""), "the key usage of CN=COMPANY"),
        ("purpose", A1.replace(",emailProtection", ""), "the extended key usage of CN=COMPANY"),
        (
            "policy",
            A1.replace("certificatePolicies=2.16.76.1.2.1.12", "certificatePolicies=2.16.77.1.2.1.12"),
            "it has no certificate policy of ICP-Brasil",
        ),
        ("authority", A1.replace("CA:FALSE", "CA:TRUE"), "CN=COMPANY:11222333000181,O=ICP-Brasil,C=BR is an authority"),
    ];
    for (what, says, refused) in cases {
        bench.key("bad", "rsa:2048");
        bench.certificate("bad", "/C=BR/O=ICP-Brasil/CN=COMPANY:11222333000181", "issuing", &says, 365);
        let material = SealMaterial::from_pfx(&bench.pfx("bad", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();
        let error = invalid(desk.signer.import_seal(&material, &import(Environment::Sandbox)).await);
        assert!(error.starts_with(refused), "{what}: {error}");
    }

    let pfx = bench.pfx("company", &["issuing", "root"], "");
    let material = SealMaterial::from_pfx(&pfx, PASSWORD, &[]).unwrap();
    for (days, refused) in [(-2, "is not valid before"), (400, "expired on")] {
        desk.clock.advance(Duration::days(days));
        let error = invalid(desk.signer.import_seal(&material, &import(Environment::Sandbox)).await);
        assert!(error.starts_with("the certificate of CN=") && error.contains(refused), "{error}");
        desk.clock.advance(Duration::days(-days));
    }
    assert_eq!(desk.signers().await, before);
    assert_eq!(desk.changes(), [""; 0], "no key was made");
}

#[tokio::test]
async fn refuses_chains_with_a_wrong_signature() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    // A CA with the same name, without key identifiers that would distinguish the two.
    let nameless = A1.replace("keyid", "none");
    bench.certificate("company", "/C=BR/O=ICP-Brasil/CN=COMPANY:11222333000181", "issuing", &nameless, 365);
    let company = bench.text("company.pem");
    bench.authority("issuing", "rsa:2048", "root");
    assert_eq!(bench.text("company.pem"), company);
    let material = SealMaterial::from_pfx(&bench.pfx("company", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();
    let error = invalid(desk.signer.import_seal(&material, &import(Environment::Sandbox)).await);
    assert!(error.starts_with("no chain to a trusted root: "), "{error}");
    assert_eq!(desk.changes(), [""; 0], "no key was made");
}

#[tokio::test]
async fn production_seals_with_icp_brasil_by_default() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    let material = SealMaterial::from_pfx(&bench.pfx("company", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();
    let production = || import(Environment::Production);
    let other_roots = Some(desk.service.trust_anchors().to_owned());
    for roots in [None, other_roots.clone()] {
        let import = SealImport { icp_brasil_roots_pem: roots, ..production() };
        let error = invalid(desk.signer.import_seal(&material, &import).await);
        assert!(error.starts_with("production signs with a certificate of ICP-Brasil"), "{error}");
    }
    assert_eq!(desk.changes(), [""; 0]);

    let import = SealImport { icp_brasil_roots_pem: other_roots, allow_development: true, ..production() };
    let imported = desk.signer.import_seal(&material, &import).await.unwrap();
    assert!(!imported.icp_brasil);
    let import = SealImport { icp_brasil_roots_pem: Some(bench.text("root.pem")), ..production() };
    let imported = desk.signer.import_seal(&material, &import).await.unwrap();
    assert!(imported.icp_brasil);
}

#[tokio::test]
async fn only_production_seals_with_icp_brasil() {
    let desk = Desk::open().await;
    let before = desk.signers().await;
    let known = icp_brasil_like();
    let roots = known.text("root.pem");
    // A root that is not provided is recognized by its name.
    let named = under_root_called("Autoridade Certificadora Raiz Brasileira v10");
    for (bench, roots) in [(&known, Some(roots)), (&named, None), (&named, Some(desk.service.trust_anchors().into()))] {
        let material = SealMaterial::from_pfx(&bench.pfx("company", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();
        for environment in [Environment::Staging, Environment::Sandbox] {
            for allow_development in [false, true] {
                let icp_brasil_roots_pem = roots.clone();
                let import = SealImport { icp_brasil_roots_pem, allow_development, ..import(environment) };
                let error = invalid(desk.signer.import_seal(&material, &import).await);
                let expected = format!(
                    "an ICP-Brasil chain signs in PRODUCTION only, not in {}: import it with --environment \
                     live, or bring a test certificate",
                    environment.name()
                );
                assert_eq!(error, expected);
            }
        }
    }
    assert_eq!(desk.signers().await, before);
    assert_eq!(desk.changes(), [""; 0], "no key was made");

    // For production the name alone is not sufficient.
    let material = SealMaterial::from_pfx(&named.pfx("company", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();
    let error = invalid(desk.signer.import_seal(&material, &import(Environment::Production)).await);
    assert!(error.starts_with("production signs with a certificate of ICP-Brasil"), "{error}");
    let import = SealImport { icp_brasil_roots_pem: Some(named.text("root.pem")), ..import(Environment::Production) };
    assert!(desk.signer.import_seal(&material, &import).await.unwrap().icp_brasil);
}

/// Creates a PFX file of keys with certificates that may not match them.
fn store(bench: &Bench, entries: &[(&str, &str)]) -> Vec<u8> {
    let mut store = KeyStore::new();
    for (key, certificate) in entries {
        bench.openssl(&format!("pkcs8 -topk8 -nocrypt -in {key}.key -outform DER -out {key}.p8"), &[]);
        bench.openssl(&format!("x509 -in {certificate}.pem -outform DER -out {certificate}.der"), &[]);
        let private_key = PrivateKey::from_der(&bench.read(&format!("{key}.p8"))).unwrap();
        let certificate = Certificate::from_der(&bench.read(&format!("{certificate}.der"))).unwrap();
        let chain = PrivateKeyChain::new(*key, private_key, [certificate]);
        store.add_entry(key, KeyStoreEntry::PrivateKeyChain(chain));
    }
    store.writer(PASSWORD).write().unwrap()
}

#[track_caller]
fn refusal(read: Result<SealMaterial, Error>) -> String {
    match read {
        Err(Error::Invalid(text)) => text,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was read"),
    }
}

#[track_caller]
fn invalid(imported: Result<ImportedSeal, Error>) -> String {
    match imported {
        Err(Error::Invalid(text)) => text,
        other => panic!("{other:?}"),
    }
}
