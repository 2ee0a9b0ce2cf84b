//! Tests `signer request-claim-certificate`, `signer install-claim-certificate`, and the first profile of an
//! environment.

use aws_sdk_kms::types::{KeySpec, KeyUsageType};
use lacre_administration::{Error, signer::SealMaterial};
use lacre_domain::Environment;
use lacre_storage::SignerProfiles;
use lacre_tests::{
    Storage,
    openssl::{Bench, CLAIM, PASSWORD, icp_brasil_like},
};
use time::Duration;

use super::{Desk, import};

const SUBJECT: &str = "C=BR,O=Seguradora São João,CN=Photo Signer";

/// Requests a certificate and stores the request as `claim.csr`; returns the key's ARN.
async fn request(desk: &Desk, bench: &Bench, environment: Environment, key: Option<&str>) -> String {
    let (key_arn, request) = desk.signer.request_claim_certificate(environment, SUBJECT, key).await.unwrap();
    bench.write("claim.csr", request);
    let said = bench.openssl("req -in claim.csr -verify -noout -subject -nameopt utf8,sep_comma_plus", &[]);
    assert!(said.contains("verify OK"), "{said}");
    assert!(said.contains("subject=C=BR,O=Seguradora São João,CN=Photo Signer"), "{said}");
    key_arn
}

/// Creates CAs for claim certificates: `claim-root` and `claim-issuing`.
fn authorities() -> Bench {
    let bench = Bench::open();
    bench.root("claim-root", "ec:P-256");
    bench.authority("claim-issuing", "ec:P-256", "claim-root");
    bench
}

#[tokio::test]
async fn requested_certificates_sign_the_next_claim() {
    let desk = Desk::open().await;
    let bench = authorities();
    assert!(desk.capture("").await.valid);
    let profiles = SignerProfiles::new(desk.service.connection());
    let before = profiles.state(Environment::Sandbox).await.unwrap().profile.unwrap();

    let key = request(&desk, &bench, Environment::Sandbox, None).await;
    assert_eq!(key, before.claim.key_arn);
    bench.sign("claim", "claim-issuing", CLAIM, 365);
    // The root at the end of the chain is ignored.
    let chain = bench.chain(&["claim", "claim-issuing", "claim-root"]);
    desk.signer.install_claim_certificate(Environment::Sandbox, &chain, None).await.unwrap();
    assert_eq!(desk.signer.activate(Environment::Sandbox, None).await.unwrap(), 2);
    let now = profiles.state(Environment::Sandbox).await.unwrap().profile.unwrap();
    assert_eq!(now.claim.chain_pem.matches("BEGIN CERTIFICATE").count(), 2);
    assert_eq!((&now.seal, now.claim.key_arn), (&before.seal, before.claim.key_arn));

    let report = desk.capture(&bench.text("claim-root.pem")).await;
    assert!(report.valid, "{report}");
    assert_eq!(report.claim.unwrap().signer, "CN=Photo Signer,O=Seguradora São João,C=BR");
}

#[tokio::test]
async fn a_first_profile_needs_both_signers() {
    for claim_first in [true, false] {
        let desk = Desk::open().await;
        let bench = authorities();
        desk.forget(Environment::Staging).await;
        let none = desk.signer.request_claim_certificate(Environment::Staging, SUBJECT, None).await;
        assert!(matches!(none, Err(Error::NotFound(_))));

        let key = desk.claim_key().await;
        request(&desk, &bench, Environment::Staging, Some(&key)).await;
        bench.sign("claim", "claim-issuing", CLAIM, 365);
        let chain = bench.chain(&["claim", "claim-issuing"]);
        let pfx = icp_brasil_like().pfx("company", &["issuing", "root"], "");
        let material = SealMaterial::from_pfx(&pfx, PASSWORD, &[]).unwrap();
        let claim = async || desk.signer.install_claim_certificate(Environment::Staging, &chain, Some(&key)).await;
        let seal = async || desk.signer.import_seal(&material, &import(Environment::Staging)).await;
        let refused = async || match desk.signer.activate(Environment::Staging, None).await {
            Err(Error::Refused(text)) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused().await, "the draft is empty: signer import-a1, signer install-claim-certificate");
        if claim_first {
            claim().await.unwrap();
            assert_eq!(refused().await, "a first profile needs both signers: signer import-a1");
            seal().await.unwrap();
        } else {
            seal().await.unwrap();
            assert_eq!(refused().await, "a first profile needs both signers: signer install-claim-certificate");
            claim().await.unwrap();
        }
        assert_eq!(desk.signer.activate(Environment::Staging, None).await.unwrap(), 1);

        let kinds: Vec<_> = desk.signers().await.iter().map(|item| item["sk"].as_s().unwrap().clone()).collect();
        assert_eq!(kinds.iter().filter(|kind| *kind == "draft").count(), 0, "the draft is gone");
        let state = SignerProfiles::new(desk.service.connection()).state(Environment::Staging).await.unwrap();
        assert_eq!(state.profile.unwrap().claim.key_arn, key);
    }
}

#[tokio::test]
async fn replaces_signers_of_incomplete_profiles() {
    let desk = Desk::open().await;
    let bench = authorities();
    desk.forget(Environment::Staging).await;
    let mut keys = Vec::new();
    for _ in 0..2 {
        let key = desk.claim_key().await;
        request(&desk, &bench, Environment::Staging, Some(&key)).await;
        bench.sign("claim", "claim-issuing", CLAIM, 365);
        let chain = bench.chain(&["claim", "claim-issuing"]);
        desk.signer.install_claim_certificate(Environment::Staging, &chain, Some(&key)).await.unwrap();
        keys.push(key);
    }
    let view = desk.signer.overview(Some(Environment::Staging)).await.unwrap().remove(0);
    let draft = view.draft.unwrap();
    assert_eq!((view.version, view.signers.seal, draft.seal), (None, None, None));
    assert_eq!(draft.claim.unwrap().key_arn, keys[1]);
}

#[tokio::test]
async fn refuses_certificates_that_cannot_sign_claims() {
    let desk = Desk::open().await;
    let bench = authorities();
    request(&desk, &bench, Environment::Sandbox, None).await;
    let before = desk.signers().await;
    let install =
        async |chain: &str| match desk.signer.install_claim_certificate(Environment::Sandbox, chain, None).await {
            Err(Error::Invalid(text)) => text,
            other => panic!("{other:?}"),
        };

    let cases = [
        (CLAIM.replace("1.3.6.1.4.1.62558.2.1,", ""), 365, "the extended key usage of CN=Photo Signer"),
        (CLAIM.replace(",emailProtection", ""), 365, "its extended key usage has neither emailProtection nor"),
        (CLAIM.replace("critical,", ""), 365, "its key usage is not critical"),
        (CLAIM.replace("digitalSignature", "keyAgreement"), 365, "the key usage of CN=Photo Signer"),
        (CLAIM.replace("keyid", "none"), 365, "it has no authority key identifier"),
        (format!("{CLAIM}basicConstraints=critical,CA:TRUE\n"), 365, "CN=Photo Signer,O=Seguradora"),
        (CLAIM.to_owned(), 400, "it is valid for 400 days; C2PA allows 366"),
    ];
    for (says, days, refused) in cases {
        bench.sign("claim", "claim-issuing", &says, days);
        let error = install(&bench.chain(&["claim", "claim-issuing"])).await;
        assert!(error.starts_with(refused), "{refused}: {error}");
    }

    bench.sign("claim", "claim-issuing", CLAIM, 365);
    let error = install(&bench.chain(&["claim-issuing", "claim"])).await;
    assert!(error.starts_with("the chain is out of order: CN=claim-issuing"), "{error}");
    assert_eq!(install("no certificate").await, "no certificate");
    let error = install(&bench.text("claim.pem")).await;
    assert!(error.starts_with("the certificate of CN=claim-issuing,"), "{error}");
    desk.clock.advance(Duration::days(366));
    let error = install(&bench.chain(&["claim", "claim-issuing"])).await;
    assert!(error.contains("Photo Signer") && error.contains(" expired on "), "{error}");
    desk.clock.advance(Duration::days(-366));

    for (kind, refused) in [
        ("ec:P-256", "does not match the key arn:aws:kms:"),
        ("ec:P-384", "the certificate's key must be on the curve P-256"),
        ("rsa:2048", "the certificate's key must be on the curve P-256"),
    ] {
        bench.key("other", kind);
        bench.certificate("other", "/C=BR/O=Other/CN=Other", "claim-issuing", CLAIM, 365);
        let error = install(&bench.chain(&["other", "claim-issuing"])).await;
        assert!(error.contains(refused), "{kind}: {error}");
    }
    bench.certificate("other", "/C=BR/CN=Other", "claim-issuing", CLAIM, 365);
    let error = install(&bench.chain(&["other", "claim-issuing"])).await;
    assert!(error.contains("must be on the curve"), "{error}");
    bench.key("other", "ec:P-256");
    bench.certificate("other", "/C=BR/CN=Other", "claim-issuing", CLAIM, 365);
    assert_eq!(install(&bench.chain(&["other", "claim-issuing"])).await, "its subject CN=Other,C=BR has no O");

    assert_eq!(desk.signers().await, before);
    assert_eq!(desk.changes(), [""; 0]);
}

#[tokio::test]
async fn refuses_unusable_claim_keys() {
    let desk = Desk::open().await;
    let kms = Storage::of(&desk.service).kms;
    let made =
        kms.create_key().key_spec(KeySpec::EccNistP384).key_usage(KeyUsageType::SignVerify).send().await.unwrap();
    let p384 = made.key_metadata.unwrap().arn.unwrap();
    let request = async |key: &str| {
        desk.signer.request_claim_certificate(Environment::Sandbox, SUBJECT, Some(key)).await.unwrap_err()
    };
    let error = request(&p384).await;
    assert!(
        error.to_string().ends_with("is ECC_NIST_P384: a claim key must be ECC_NIST_P256, made to sign"),
        "{error}"
    );

    let disabled = desk.claim_key().await;
    kms.disable_key().key_id(&disabled).send().await.unwrap();
    let error = request(&disabled).await;
    assert!(matches!(&error, Error::Refused(text) if text.ends_with("cannot be used: it is Disabled")), "{error}");

    let absent = format!("{}00000000-0000-4000-8000-000000000000", &disabled[..disabled.len() - 36]);
    let error = request(&absent).await;
    assert!(matches!(&error, Error::NotFound(text) if text.contains(&absent)), "{error}");
}

#[tokio::test]
async fn a_subject_needs_a_country() {
    let desk = Desk::open().await;
    let request = async |subject: &str| {
        desk.signer.request_claim_certificate(Environment::Sandbox, subject, None).await.unwrap_err()
    };
    for subject in ["Company", "O=Company,CN=Name", ""] {
        assert!(matches!(request(subject).await, Error::Invalid(_)), "{subject:?}");
    }
    assert_eq!(desk.changes(), [""; 0]);
}

#[tokio::test]
async fn refuses_claim_keys_of_another_stack() {
    let mut desk = Desk::open().await;
    let bench = authorities();
    let (in_force, own) = (desk.profile(Environment::Sandbox).await.claim.key_arn, desk.claim_key().await);
    desk.configure(|config| config.claim_keys.sandbox = Some(own.clone()));
    assert_eq!(request(&desk, &bench, Environment::Sandbox, Some(&own)).await, own);
    assert_eq!(request(&desk, &bench, Environment::Sandbox, None).await, own);
    bench.sign("claim", "claim-issuing", CLAIM, 365);
    let chain = bench.chain(&["claim", "claim-issuing"]);

    let another = Some(in_force.as_str());
    let asked = desk.signer.request_claim_certificate(Environment::Sandbox, SUBJECT, another).await.map(|_| ());
    let installed = desk.signer.install_claim_certificate(Environment::Sandbox, &chain, another).await.map(|_| ());
    let expected =
        format!("{in_force} is not the claim key of SANDBOX in this stack, which may sign with no other: {own}");
    for refused in [asked, installed] {
        assert!(matches!(&refused, Err(Error::Invalid(text)) if *text == expected), "{refused:?}");
    }
    assert_eq!(desk.changes(), [""; 0]);

    desk.signer.install_claim_certificate(Environment::Sandbox, &chain, None).await.unwrap();
    assert_eq!(desk.signer.activate(Environment::Sandbox, None).await.unwrap(), 2);
    assert_eq!(desk.profile(Environment::Sandbox).await.claim.key_arn, own);
    // The keys of the other environments are not configured.
    let staging = desk.profile(Environment::Staging).await.claim.key_arn;
    assert_eq!(request(&desk, &bench, Environment::Staging, None).await, staging);
}
