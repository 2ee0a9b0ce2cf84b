//! Tests `signer timestamps`: authorities that respond come into force; anything else changes nothing.

use lacre_administration::{
    Error,
    signer::{SealMaterial, SignerAdministration, Standing},
};
use lacre_domain::{Environment, SignaturePolicy, Timestamping};
use lacre_tests::{
    Fault,
    openssl::{Bench, CLAIM, PASSWORD, icp_brasil_like},
};

use super::{Desk, import};

const SANDBOX: Environment = Environment::Sandbox;

/// The service's own authority under another URL, which contains a password.
fn with_password(desk: &Desk) -> Timestamping {
    let url = desk.service.variables()["TSA_URL"].replace("http://", "http://user:hidden-password@");
    Timestamping {
        authorities: vec![url],
        roots_pem: desk.service.trust_anchors().to_owned(),
        policy: SignaturePolicy::ad_rt_v2_4(),
    }
}

async fn refusal(signer: &SignerAdministration, timestamps: Timestamping) -> String {
    match signer.set_timestamps(SANDBOX, Some(timestamps)).await {
        Err(Error::Invalid(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn answering_authorities_come_into_force() {
    let desk = Desk::open().await;
    let (before, timestamps) = (desk.profile(SANDBOX).await, with_password(&desk));
    let standing = desk.signer.set_timestamps(SANDBOX, Some(timestamps.clone())).await.unwrap();
    assert_eq!(standing, Standing::InForce { version: 2 });
    let now = desk.profile(SANDBOX).await;
    assert_eq!((now.seal, now.claim, now.timestamps), (before.seal, before.claim, Some(timestamps)));

    let shown = desk.signer.overview(Some(SANDBOX)).await.unwrap().remove(0);
    assert!(!format!("{shown:?}").contains("hidden"), "{shown:?}");
    let shown = shown.signers.timestamps.unwrap();
    assert_eq!(shown.authorities, [desk.service.variables()["TSA_URL"].as_str()]);
    assert_eq!(shown.policy, "AD-RT v2.4");
    let roots: Vec<_> = shown.roots.iter().map(|root| root.subject.as_str()).collect();
    let development = |name| format!("CN=Lacre Development {name} Root,");
    assert!(roots.iter().zip(["Claim", "Seal", "Timestamp"]).all(|(root, name)| root.starts_with(&development(name))));
    assert_eq!(roots.len(), 3);
    assert!(shown.roots.iter().all(|root| root.days_left == 3648), "{:?}", shown.roots);
}

#[tokio::test]
async fn authorities_can_be_removed() {
    let desk = Desk::open().await;
    let standing = desk.signer.set_timestamps(SANDBOX, None).await.unwrap();
    assert_eq!(standing, Standing::InForce { version: 2 });
    assert_eq!(desk.profile(SANDBOX).await.timestamps, None);
    assert_eq!(desk.signer.overview(Some(SANDBOX)).await.unwrap().remove(0).signers.timestamps, None);
}

#[tokio::test]
async fn unusable_authorities_change_nothing() {
    let desk = Desk::open().await;
    let (before, sound) = (desk.signers().await, with_password(&desk));
    let bench = Bench::open();
    bench.root("stranger", "rsa:2048");
    bench.authority("below", "rsa:2048", "stranger");
    let bundle = sound.roots_pem.clone() + &bench.text("below.pem");
    let with = |authorities: &[&str]| Timestamping {
        authorities: authorities.iter().map(|url| (*url).to_owned()).collect(),
        ..sound.clone()
    };
    let own = sound.authorities[0].as_str();
    let hidden = "http://user:hidden-password@127.0.0.1:1/tsa?token=hidden-token";
    for (timestamps, fault) in [
        (with(&[]), "no timestamp authority"),
        (
            with(&["ftp://user:hidden-password@example.com/"]),
            "the URL of a timestamp authority must be http or https, not ftp",
        ),
        (with(&[own, hidden]), "the timestamp authority http://127.0.0.1:1/tsa: "),
        (Timestamping { roots_pem: "no certificate".into(), ..sound.clone() }, "the authorities' roots: "),
        (Timestamping { roots_pem: bench.text("stranger.pem"), ..sound.clone() }, "is not trusted"),
        (
            Timestamping { roots_pem: bundle, ..sound.clone() },
            "the authorities' roots: CN=below,O=ICP-Brasil,C=BR is not a root",
        ),
        (Timestamping { policy: SignaturePolicy::ad_rb_v2_4(), ..sound.clone() }, "AD-RB v2.4"),
    ] {
        let text = refusal(&desk.signer, timestamps).await;
        assert!(text.contains(fault) && !text.contains("hidden"), "{fault}: {text}");
    }
    assert_eq!(desk.signers().await, before);
    assert_eq!(desk.changes(), [""; 0]);
}

#[tokio::test]
async fn first_profiles_get_the_drafted_authorities() {
    let desk = Desk::open().await;
    let (staging, timestamps) = (Environment::Staging, with_password(&desk));
    desk.forget(staging).await;
    let set = async |timestamps| desk.signer.set_timestamps(staging, timestamps).await.unwrap();
    assert_eq!(set(None).await, Standing::Draft);
    assert_eq!(set(Some(timestamps.clone())).await, Standing::Draft);
    let shown = desk.signer.overview(Some(staging)).await.unwrap().remove(0);
    assert_eq!((shown.version, shown.draft.unwrap().timestamps.is_some()), (None, true));

    let pfx = icp_brasil_like().pfx("company", &["issuing", "root"], "");
    let material = SealMaterial::from_pfx(&pfx, PASSWORD, &[]).unwrap();
    desk.signer.import_seal(&material, &import(staging)).await.unwrap();
    let bench = Bench::open();
    bench.root("claim-root", "ec:P-256");
    let key = desk.claim_key().await;
    let subject = "C=BR,O=Company,CN=Photo";
    let (_, request) = desk.signer.request_claim_certificate(staging, subject, Some(&key)).await.unwrap();
    bench.write("claim.csr", request);
    bench.sign("claim", "claim-root", CLAIM, 365);
    let chain = bench.chain(&["claim", "claim-root"]);
    desk.signer.install_claim_certificate(staging, &chain, Some(&key)).await.unwrap();
    assert_eq!(desk.signer.activate(staging, None).await.unwrap(), 1);
    assert_eq!(desk.profile(staging).await.timestamps, Some(timestamps));
}

#[tokio::test]
async fn a_lost_response_keeps_the_authorities() {
    let desk = Desk::open().await;
    desk.faults.always("TransactWriteItems", Fault::LoseAnswer);
    let standing = desk.signer.set_timestamps(SANDBOX, None).await.unwrap();
    desk.faults.clear();
    assert_eq!(standing, Standing::InForce { version: 2 });
    assert_eq!(desk.profile(SANDBOX).await.timestamps, None);
}
