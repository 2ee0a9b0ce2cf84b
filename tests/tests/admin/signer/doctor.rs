//! Tests `signer doctor` and `signer show`: faults are found with their remedy, and nothing is changed.

use std::{path::PathBuf, process::Command};

use axum::{Router, body::Bytes, http::StatusCode, routing::post};
use lacre_administration::{
    Error,
    signer::doctor::{Finding, Status, Trial, is_healthy},
};
use lacre_domain::Environment;
use lacre_storage::{ClaimKeys, SignerProfiles};
use lacre_tests::{
    Fault, Storage,
    openssl::{Bench, CLAIM, CLAIM_LEVEL_1, under_root_called},
};
use time::Duration;
use tokio::net::TcpListener;

use super::Desk;

const SANDBOX: Option<Environment> = Some(Environment::Sandbox);

/// Findings other than OK, as check and status.
fn faults(findings: &[Finding]) -> Vec<(&str, Status)> {
    let faults = findings.iter().filter(|finding| finding.status != Status::Ok);
    faults.map(|finding| (finding.check.as_str(), finding.status)).collect()
}

/// An operator whose configuration contains the stack's claim keys, which are those in force.
async fn desk_of_the_stack() -> Desk {
    let mut desk = Desk::open().await;
    let mut keys = ClaimKeys::default();
    for (key, environment) in
        [&mut keys.production, &mut keys.staging, &mut keys.sandbox].into_iter().zip(Environment::ALL)
    {
        *key = Some(desk.profile(environment).await.claim.key_arn);
    }
    desk.configure(|config| config.claim_keys = keys);
    desk
}

#[track_caller]
fn found<'a>(findings: &'a [Finding], check: &str) -> &'a Finding {
    findings.iter().find(|finding| finding.check == check).unwrap_or_else(|| panic!("no {check} in {findings:?}"))
}

#[tokio::test]
async fn a_sound_profile_has_no_faults() {
    let desk = desk_of_the_stack().await;
    let before = desk.signers().await;
    let findings = desk.signer.examine(SANDBOX, None).await;
    assert_eq!(faults(&findings), []);
    assert!(is_healthy(&findings));
    let checks: Vec<_> = findings.iter().map(|finding| finding.check.as_str()).collect();
    let of_signer = [
        "key",
        "key kind",
        "dates",
        "key usage",
        "certificate profile",
        "chain",
        "certificate of the key",
        "signature",
    ];
    let of = |name: &str| of_signer.iter().map(|check| format!("{name} {check}")).collect::<Vec<_>>();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let seal = [of("seal"), words(&["seal tag", "seal key policy", "seal policy"])].concat();
    let mut claim = [of("claim"), words(&["claim key of the stack"])].concat();
    claim.insert(of_signer.iter().position(|check| *check == "chain").unwrap() + 1, "claim level 1 profile".into());
    let authority = format!("timestamp authority {}", desk.service.variables()["TSA_URL"]);
    let timestamps = words(&["timestamp policy", &authority]);
    assert_eq!(checks, [words(&["clock", "profile"]), seal, claim, timestamps].concat());
    let policy = found(&findings, "seal policy");
    assert_eq!((policy.environment, policy.detail.as_str()), (SANDBOX, "AD-RB v2.4, in force until 2037-10-22"));
    assert_eq!(desk.signers().await, before);
    assert_eq!(desk.changes(), [""; 0]);
}

#[tokio::test]
async fn warns_of_development_certificates_in_production() {
    let desk = desk_of_the_stack().await;
    let findings = desk.signer.examine(None, None).await;
    assert_eq!(faults(&findings), [("seal root", Status::Warning)]);
    assert_eq!(found(&findings, "seal root").environment, Some(Environment::Production));
    assert!(is_healthy(&findings));
}

#[tokio::test]
async fn finds_icp_brasil_certificates_outside_production() {
    let desk = desk_of_the_stack().await;
    let profiles = SignerProfiles::new(desk.service.connection());
    let sound = desk.profile(Environment::Sandbox).await;
    let mut known = sound.clone();
    known.seal.icp_brasil = true;
    let mut named = sound.clone();
    let bench = under_root_called("Autoridade Certificadora Raiz Brasileira v10");
    named.seal.chain_pem = bench.chain(&["company", "issuing", "root"]);
    for (version, mut profile) in [(2, known), (3, named)] {
        profile.version = version;
        let before = profiles.state(Environment::Sandbox).await.unwrap();
        assert!(profiles.put_in_force(&before, &profile, &lacre_tests::operator::entry()).await.unwrap());
        let findings = desk.signer.examine(SANDBOX, None).await;
        assert!(!is_healthy(&findings));
        let root = found(&findings, "seal root");
        assert_eq!(root.status, Status::Broken);
        assert_eq!(root.detail, "an ICP-Brasil chain signs in PRODUCTION only, not in SANDBOX");
        assert_eq!(root.fix.as_deref(), Some("import a test certificate in its place: signer import-a1"));
    }
}

#[tokio::test]
async fn warns_of_deviations_from_level_1() {
    const CHECK: &str = "claim level 1 profile";
    let desk = desk_of_the_stack().await;
    let bench = Bench::open();
    bench.root("claim-root", "ec:P-256");
    bench.authority("claim-issuing", "ec:P-256", "claim-root");
    let subject = "C=BR,O=Company,CN=Photo";
    let (_, request) = desk.signer.request_claim_certificate(Environment::Sandbox, subject, None).await.unwrap();
    bench.write("claim.csr", request);
    let deviations = [
        "subject key identifier (2.5.29.14) is missing",
        "basic constraints (2.5.29.19) is missing",
        "key usage (2.5.29.15) has no nonRepudiation",
        "certificate policies (2.5.29.32) is missing",
        "authority information access (1.3.6.1.5.5.7.1.1) is missing",
        "id-c2pa-al (1.3.6.1.4.1.62558.3) is missing",
        "c2pa-cpl-record (1.3.6.1.4.1.62558.4) is missing",
    ];
    for (says, status, expected) in [(CLAIM, Status::Warning, &deviations[..]), (CLAIM_LEVEL_1, Status::Ok, &["valid"])]
    {
        bench.sign("claim", "claim-issuing", says, 365);
        let chain = bench.chain(&["claim", "claim-issuing", "claim-root"]);
        desk.signer.install_claim_certificate(Environment::Sandbox, &chain, None).await.unwrap();
        desk.signer.activate(Environment::Sandbox, None).await.unwrap();
        let findings = desk.signer.examine(SANDBOX, None).await;
        assert!(is_healthy(&findings));
        let of_level_1: Vec<_> = findings.iter().filter(|finding| finding.check == CHECK).collect();
        let details: Vec<_> = of_level_1.iter().map(|finding| finding.detail.as_str()).collect();
        assert_eq!(details, expected);
        assert!(of_level_1.iter().all(|finding| finding.status == status), "{of_level_1:?}");
        assert_eq!(faults(&findings).iter().filter(|(check, _)| *check != CHECK).count(), 0, "{findings:?}");
    }
}

#[tokio::test]
async fn finds_every_fault_of_claim_certificates() {
    let desk = desk_of_the_stack().await;
    let bench = Bench::open();
    bench.root("claim-root", "ec:P-256");
    let (_, request) =
        desk.signer.request_claim_certificate(Environment::Sandbox, "C=BR,CN=Photo", None).await.unwrap();
    bench.write("claim.csr", request);
    bench.sign("claim", "claim-root", &CLAIM_LEVEL_1.replace("critical,digital", "digital"), 400);
    let profiles = SignerProfiles::new(desk.service.connection());
    let before = profiles.state(Environment::Sandbox).await.unwrap();
    let mut faulty = before.profile.clone().unwrap();
    faulty.claim.chain_pem = bench.text("claim.pem");
    faulty.version += 1;
    assert!(profiles.put_in_force(&before, &faulty, &lacre_tests::operator::entry()).await.unwrap());
    let findings = desk.signer.examine(SANDBOX, None).await;
    let broken = findings.iter().filter(|finding| finding.status == Status::Broken);
    let broken: Vec<_> = broken.map(|finding| (finding.check.as_str(), finding.detail.as_str())).collect();
    let expected = [
        "its subject CN=Photo,C=BR has no O",
        "it is valid for 400 days; C2PA allows 366",
        "its key usage is not critical",
    ];
    assert_eq!(broken, expected.map(|fault| ("claim certificate profile", fault)));
    assert_eq!(found(&findings, "claim level 1 profile").status, Status::Ok, "they are faults, and not warnings too");
}

#[tokio::test]
async fn finds_an_unusable_key() {
    let desk = desk_of_the_stack().await;
    let kms = Storage::of(&desk.service).kms;
    let state = SignerProfiles::new(desk.service.connection()).state(Environment::Sandbox).await.unwrap();
    let profile = state.profile.unwrap();
    kms.disable_key().key_id(&profile.seal.key_arn).send().await.unwrap();
    let findings = desk.signer.examine(SANDBOX, None).await;
    assert!(!is_healthy(&findings));
    assert_eq!(found(&findings, "seal signature").status, Status::Broken);
    assert!(faults(&findings).iter().all(|(check, _)| check.starts_with("seal ")));
    let key = found(&findings, "seal key");
    assert_eq!(key.detail, format!("{} is disabled", profile.seal.key_arn));
    assert_eq!(key.fix.as_deref(), Some("enable it: kms enable-key"));
    kms.enable_key().key_id(&profile.seal.key_arn).send().await.unwrap();

    kms.schedule_key_deletion().key_id(&profile.claim.key_arn).pending_window_in_days(7).send().await.unwrap();
    let findings = desk.signer.examine(SANDBOX, None).await;
    assert_eq!(found(&findings, "claim key").detail, format!("{} is about to be deleted", profile.claim.key_arn));
    assert!(faults(&findings).iter().all(|(check, _)| check.starts_with("claim ")));
}

#[tokio::test]
async fn warns_before_certificates_expire() {
    let desk = desk_of_the_stack().await;
    // Certificates are valid for 365 days from the day before.
    for (days, left, text) in [(335, 28, "28 days left"), (358, 5, "urgent: 5 days left")] {
        desk.clock.advance(Duration::days(days));
        let findings = desk.signer.examine(SANDBOX, None).await;
        assert!(is_healthy(&findings));
        for (signer, subject) in [("seal", "CN=LACRE DEVELOPMENT:"), ("claim", "CN=Lacre Development Claim Signer")] {
            let finding = found(&findings, &format!("{signer} days left"));
            assert_eq!(finding.status, Status::Warning);
            assert!(
                finding.detail.starts_with(&format!("{text} of the certificate of {subject}")),
                "{}",
                finding.detail
            );
        }
        let view = desk.signer.overview(SANDBOX).await.unwrap().remove(0);
        assert_eq!(view.signers.seal.unwrap().certificates[0].days_left, left);
        desk.clock.advance(Duration::days(-days));
    }

    desk.clock.advance(Duration::days(365));
    let findings = desk.signer.examine(SANDBOX, None).await;
    let clock = ("clock", Status::Warning);
    assert_eq!(faults(&findings), [clock, ("seal dates", Status::Broken), ("claim dates", Status::Broken)]);
    let dates = found(&findings, "seal dates");
    assert!(dates.detail.contains("LACRE DEVELOPMENT") && dates.detail.contains(" expired on "), "{}", dates.detail);
    assert_eq!(dates.fix.as_deref(), Some("bring another certificate: signer import-a1"));
}

#[tokio::test]
async fn finds_a_certificate_of_another_key() {
    let desk = desk_of_the_stack().await;
    let profiles = SignerProfiles::new(desk.service.connection());
    let before = profiles.state(Environment::Sandbox).await.unwrap();
    let mut mixed = before.profile.clone().unwrap();
    let staging = profiles.state(Environment::Staging).await.unwrap().profile.unwrap();
    mixed.claim.chain_pem = staging.claim.chain_pem;
    mixed.version += 1;
    assert!(profiles.put_in_force(&before, &mixed, &lacre_tests::operator::entry()).await.unwrap());
    let findings = desk.signer.examine(SANDBOX, None).await;
    let expected = [("claim certificate of the key", Status::Broken), ("claim signature", Status::Broken)];
    assert_eq!(faults(&findings), expected);
}

#[tokio::test]
async fn finds_a_key_of_another_stack() {
    let mut desk = desk_of_the_stack().await;
    let profile = desk.profile(Environment::Sandbox).await;
    let (seal, claim, own) = (profile.seal.key_arn, profile.claim.key_arn, desk.claim_key().await);
    desk.configure(|config| {
        config.stack_name.set("lacre".into());
        config.claim_keys.sandbox = Some(own.clone());
    });
    let findings = desk.signer.examine(SANDBOX, None).await;
    let expected = [("seal tag", Status::Broken), ("claim key of the stack", Status::Broken)];
    assert_eq!(faults(&findings), expected);
    let tag = found(&findings, "seal tag");
    assert_eq!(tag.detail, format!("{seal} is tagged for the stack local: lacre may not sign with it"));
    assert!(tag.fix.as_ref().unwrap().contains("TagKey=lacre-seal,TagValue=lacre;"), "{tag:?}");
    desk.faults.always("ListResourceTags", Fault::Refuse);
    let findings_without_tags = desk.signer.examine(SANDBOX, None).await;
    let fix = found(&findings_without_tags, "seal tag").fix.as_deref();
    assert_eq!(fix, Some("let the operator kms:ListResourceTags"));
    let key = found(&findings, "claim key of the stack");
    assert_eq!(key.detail, format!("the profile has {claim}, and this stack allows {own} only"));
}

#[tokio::test]
async fn warns_if_no_stack_is_named() {
    let mut desk = Desk::open().await;
    desk.configure(|config| config.stack_name.set(String::new()));
    let findings = desk.signer.examine(SANDBOX, None).await;
    let expected = [("seal tag", Status::Warning), ("claim key of the stack", Status::Warning)];
    assert_eq!(faults(&findings), expected);
    for (check, _) in expected {
        assert_eq!(found(&findings, check).detail, "the stack was not named");
    }
}

#[tokio::test]
async fn shows_the_signers_of_old_versions() {
    let desk = Desk::open().await;
    let profiles = SignerProfiles::new(desk.service.connection());
    let before = profiles.state(Environment::Sandbox).await.unwrap();
    let mut next = before.profile.clone().unwrap();
    next.claim = desk.profile(Environment::Staging).await.claim;
    next.version = 2;
    let of = async |version| desk.signer.overview_of_version(Environment::Sandbox, version).await;
    let first = desk.signer.overview(SANDBOX).await.unwrap().remove(0);
    assert!(profiles.put_in_force(&before, &next, &lacre_tests::operator::entry()).await.unwrap());
    assert_eq!(of(1).await.unwrap(), first);
    assert_eq!(of(2).await.unwrap(), desk.signer.overview(SANDBOX).await.unwrap().remove(0));
    assert_ne!(of(2).await.unwrap().signers.claim, first.signers.claim);
    let none = of(3).await.unwrap_err();
    assert!(matches!(&none, Error::NotFound(text) if text.ends_with("SANDBOX has no version 3")), "{none}");
}

#[tokio::test]
async fn finds_a_wrong_clock() {
    let desk = Desk::open().await;
    for (seconds, side) in [(120, "ahead of"), (-120, "behind")] {
        desk.clock.advance(Duration::seconds(seconds));
        let findings = desk.signer.examine(SANDBOX, None).await;
        let clock = found(&findings, "clock");
        assert_eq!(clock.status, Status::Warning);
        assert!(clock.detail.ends_with(&format!("seconds {side} AWS's")), "{}", clock.detail);
        desk.clock.advance(Duration::seconds(-seconds));
    }
}

#[tokio::test]
async fn finds_an_environment_without_profile() {
    let desk = Desk::open().await;
    desk.forget(Environment::Staging).await;
    let wanted = desk.signer.examine(Some(Environment::Staging), None).await;
    let finding = found(&wanted, "profile");
    assert_eq!((finding.status, finding.detail.as_str()), (Status::Broken, "not installed yet"));
    let fix = "bring both signers: signer import-a1, signer install-claim-certificate";
    assert_eq!(finding.fix.as_deref(), Some(fix));
    // An environment that is not used need not be fixed.
    let all = desk.signer.examine(None, None).await;
    let staging = all.iter().find(|finding| finding.environment == Some(Environment::Staging)).unwrap();
    assert_eq!((staging.check.as_str(), staging.status), ("profile", Status::Warning));
}

#[tokio::test]
async fn warns_of_an_environment_without_timestamps() {
    let desk = desk_of_the_stack().await;
    desk.signer.set_timestamps(Environment::Sandbox, None).await.unwrap();
    let findings = desk.signer.examine(SANDBOX, None).await;
    assert_eq!(faults(&findings), [("timestamps", Status::Warning)]);
    let finding = found(&findings, "timestamps");
    assert_eq!(finding.detail, "no authority is named: licenses with tsa_required are refused");
    assert_eq!(finding.environment, SANDBOX);
}

#[tokio::test]
async fn one_answering_authority_is_enough() {
    let desk = desk_of_the_stack().await;
    let profiles = SignerProfiles::new(desk.service.connection());
    let silent = "http://127.0.0.1:1/tsa";
    let own = desk.service.variables()["TSA_URL"].clone();
    for (authorities, status) in
        [(vec![silent.to_owned(), own], Status::Warning), (vec![silent.to_owned()], Status::Broken)]
    {
        let before = profiles.state(Environment::Sandbox).await.unwrap();
        let mut next = before.profile.clone().unwrap();
        next.version += 1;
        next.timestamps.as_mut().unwrap().authorities = authorities;
        assert!(profiles.put_in_force(&before, &next, &lacre_tests::operator::entry()).await.unwrap());
        let findings = desk.signer.examine(SANDBOX, None).await;
        assert_eq!(faults(&findings), [("timestamp authority http://127.0.0.1:1/tsa", status)]);
    }
}

#[tokio::test]
async fn tries_an_authority_before_installing_it() {
    let desk = Desk::open().await;
    let authority = OpensslAuthority::start().await;
    let before = desk.signers().await;
    let trial = authority.trial(&authority.url("granted"));
    let findings = desk.signer.examine(SANDBOX, Some(&trial)).await;
    let check = format!("timestamp authority {}", authority.url("granted"));
    assert_eq!(found(&findings, &check).detail, "returned a timestamp; this was a trial");
    assert_eq!(desk.signers().await, before);

    let untrusting = Trial { roots_pem: desk.service.trust_anchors().to_owned(), ..trial };
    let findings = desk.signer.examine(SANDBOX, Some(&untrusting)).await;
    let finding = found(&findings, &check);
    assert_eq!(finding.status, Status::Broken);
    assert!(finding.detail.contains("is not trusted"), "{}", finding.detail);
}

#[tokio::test]
async fn finds_authorities_that_grant_no_timestamp() {
    let desk = Desk::open().await;
    let authority = OpensslAuthority::start().await;
    let secret = authority.url("denied").replace("http://", "http://user:hidden-password@") + "?token=hidden-token";
    for (url, fault) in [
        (authority.url("refused"), "status 2"),
        (authority.url("another"), "over another message"),
        (authority.url("nonsense"), "cannot be read"),
        (secret, "HTTP status 403"),
        ("http://127.0.0.1:1/".into(), "Connection refused"),
        ("ftp://user:hidden@127.0.0.1:1/".into(), "the URL of a timestamp authority must be http or https, not ftp"),
        ("//user:hidden".into(), "the URL of a timestamp authority"),
    ] {
        let findings = desk.signer.examine(SANDBOX, Some(&authority.trial(&url))).await;
        let finding = findings.iter().find(|finding| finding.check.starts_with("timestamp authority")).unwrap();
        assert_eq!(finding.status, Status::Broken);
        assert!(finding.detail.contains(fault), "{url}: {}", finding.detail);
        assert!(!format!("{finding:?}").contains("hidden"), "{finding:?}");
    }
}

/// An authority whose timestamps `openssl` creates.
struct OpensslAuthority {
    address: String,
    bench: Bench,
}

impl OpensslAuthority {
    async fn start() -> Self {
        let bench = Bench::open();
        bench.root("tsa-root", "rsa:2048");
        bench.key("tsa", "rsa:2048");
        let says = "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n";
        bench.certificate("tsa", "/C=BR/O=Test/CN=Timestamps", "tsa-root", says, 365);
        bench.write("serial", "01");
        let config = |digests: &str| {
            format!(
                "[tsa]\ndefault_tsa=config\n[config]\nserial=serial\nsigner_cert=tsa.pem\nsigner_key=tsa.key\n\
                 signer_digest=sha256\ness_cert_id_alg=sha256\ndefault_policy=1.2.3.4\ndigests={digests}\ncerts=tsa-root.pem\n"
            )
        };
        bench.write("granting.cnf", config("sha256"));
        bench.write("refusing.cnf", config("sha512"));
        bench.write("data", "unrequested data");
        bench.openssl("ts -query -data data -sha256 -cert -out another.tsq", &[]);
        let folder = bench.path("");
        let answer = |config: &'static str, query: Option<&'static str>| {
            let folder = folder.clone();
            post(move |asked: Bytes| async move {
                std::fs::write(folder.join("asked.tsq"), &asked).unwrap();
                reply(&folder, config, query.unwrap_or("asked.tsq"))
            })
        };
        let router = Router::new()
            .route("/granted", answer("granting.cnf", None))
            .route("/refused", answer("refusing.cnf", None))
            .route("/another", answer("granting.cnf", Some("another.tsq")))
            .route("/nonsense", post(async || "nonsense"))
            .route("/denied", post(async || StatusCode::FORBIDDEN));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, bench }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    fn trial(&self, url: &str) -> Trial {
        Trial { authorities: vec![url.to_owned()], roots_pem: self.bench.text("tsa-root.pem") }
    }
}

fn reply(folder: &PathBuf, config: &str, query: &str) -> Vec<u8> {
    let arguments = ["ts", "-reply", "-config", config, "-queryfile", query, "-out", "reply.tsr"];
    let output = Command::new("openssl").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(folder.join("reply.tsr")).unwrap()
}
