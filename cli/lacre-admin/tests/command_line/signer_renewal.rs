//! Tests the renewal of key material: import of a PFX file, certificate request and certificate, and the display of
//! both.

use lacre_storage::OperatorKeys;
use lacre_tests::{
    Service, Storage,
    openssl::{Bench, CLAIM, PASSWORD, icp_brasil_like},
};
use serde_json::{Value, json};

use crate::operator::{Operator, Ran, run, text};

/// Runs a command with the PFX password in the environment.
async fn with_password(operator: &Operator, arguments: &[&str], password: &str) -> Ran {
    let mut command = operator.command(arguments);
    command.env("LACRE_PFX_PASSWORD", password);
    run(command).await
}

fn path(bench: &Bench, file: &str) -> String {
    bench.path(file).to_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_a1_certificate_is_imported() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let bench = icp_brasil_like();
    bench.pfx("company", &["issuing", "root"], "-legacy");
    let (pfx, roots) = (path(&bench, "company.pfx"), path(&bench, "root.pem"));
    let import = ["signer", "import-a1", &pfx, "--environment", "live", "--icp-brasil-roots", &roots];

    let before = operator.json(&["signer", "show"]).await;
    let wrong = with_password(&operator, &import, "another password").await;
    assert_eq!(wrong.refused(), (4, "the password is not the file's".to_owned()));
    let no_policy = operator.run(&[&import[..], &["--policy", "AD-RT v2.4"]].concat()).await;
    assert_eq!(no_policy.code, 2);
    let elsewhere = ["signer", "import-a1", &pfx, "--environment", "sand", "--icp-brasil-roots", &roots];
    let (code, refusal) = with_password(&operator, &elsewhere, PASSWORD).await.refused();
    assert_eq!((code, refusal.contains("signs in PRODUCTION only, not in SANDBOX")), (4, true), "{refusal}");
    assert_eq!(operator.json(&["signer", "show"]).await, before);

    let imported = with_password(&operator, &[&import[..], &["--json"]].concat(), PASSWORD).await.ok();
    assert!(!imported.contains(PASSWORD));
    let imported: Value = serde_json::from_str(&imported).unwrap();
    let expected = json!({
        "environment": "PRODUCTION", "key_arn": imported["key_arn"],
        "subject": "CN=TEST COMPANY:11222333000181,O=ICP-Brasil,C=BR", "cnpj": "11222333000181", "icp_brasil": true,
    });
    assert_eq!(imported, expected);
    let shown = operator.json(&["signer", "show", "--environment", "live"]).await;
    assert_eq!(shown["environments"][0]["version"], 1);
    let seal = &shown["environments"][0]["draft"]["seal"];
    assert_eq!((&seal["key_arn"], &seal["policy"]), (&imported["key_arn"], &json!("AD-RB v2.4")));
    assert_eq!(seal["certificates"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn imports_a1_without_password_or_root() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let bench = icp_brasil_like();
    let command =
        "pkcs12 -export -inkey company.key -in company.pem -certfile issuing.pem -out open.pfx -passout pass:";
    bench.openssl(command, &[]);
    // PEM as found in practice: a comment in Latin-1, trailing spaces and carriage returns.
    bench.write("roots.pem", [b"# AC Ra\xEDz\n", bench.text("root.pem").replace('\n', " \r\n").as_bytes()].concat());
    let (pfx, roots) = (path(&bench, "open.pfx"), path(&bench, "roots.pem"));
    let import = ["signer", "import-a1", &pfx, "--environment", "live"];
    let (code, output) = with_password(&operator, &import, "").await.refused();
    assert_eq!((code, output.contains("which issued CN=issuing,O=ICP-Brasil,C=BR, is missing")), (4, true), "{output}");
    let import = [&import[..], &["--icp-brasil-roots", &roots, "--json"]].concat();
    let imported = with_password(&operator, &import, "").await.ok();
    let imported: Value = serde_json::from_str(&imported).unwrap();
    assert_eq!(imported["icp_brasil"], true);
}

#[tokio::test]
async fn requests_and_installs_a_claim_certificate() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let bench = Bench::open();
    bench.root("claim-root", "ec:P-256");
    let subject = "C=BR,O=Company,CN=Photo";
    let own = OperatorKeys::new(service.connection()).create_claim_key("the stack's").await.unwrap();
    let in_stack = async |arguments: &[&str]| {
        let mut command = operator.command(arguments);
        command.env("SANDBOX_CLAIM_KEY_ARN", &own);
        run(command).await
    };
    let words = ["signer", "request-claim-certificate", "--environment", "sand", "--subject", subject];
    let made = in_stack(&[&words[..], &["--json"]].concat()).await;
    let made: Value = serde_json::from_str(&made.out).unwrap();
    assert_eq!(made["key_arn"], own.as_str());
    bench.write("claim.csr", text(&made, "request_pem"));
    bench.sign("claim", "claim-root", CLAIM, 365);
    bench.write("claim-chain.pem", bench.chain(&["claim", "claim-root"]));
    let file = path(&bench, "claim-chain.pem");

    let install = ["signer", "install-claim-certificate", &file, "--environment", "sand"];
    let (code, output) = operator.run(&install).await.refused();
    assert_eq!((code, output.contains("does not match the key")), (4, true), "the key is a new one: {output}");
    let shown = operator.json(&["signer", "show", "--environment", "sand"]).await;
    let in_force = text(&shown["environments"][0]["claim"], "key_arn");
    let (code, output) = in_stack(&[&install[..], &["--key-arn", &in_force]].concat()).await.refused();
    assert_eq!((code, output.contains("is not the claim key of SANDBOX in this stack")), (4, true), "{output}");
    let installed = in_stack(&install).await.ok();
    assert_eq!(installed, "SANDBOX: kept in the draft: signer probe, signer activate\n");
    let probed = operator.run(&["signer", "probe", "--environment", "sand"]).await.ok();
    let checks = ["profile", "dates", "seal", "claim", "timestamps"];
    assert_eq!(probed, checks.map(|check| format!("ok       SANDBOX version 2 {check}\n")).concat());
    let activated = operator.run(&["signer", "activate", "--environment", "sand"]).await.ok();
    assert_eq!(activated, "SANDBOX: version 2 of the signer profile is in force\n");

    let old = ["signer", "show", "--environment", "sand", "--version", "1"];
    assert_eq!(operator.json(&old).await, shown);
    assert_eq!(operator.run(&["signer", "show", "--version", "1"]).await.code, 2, "of which environment?");
}

#[tokio::test]
async fn installs_test_certificates() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let subject = "C=BR,O=Company,CN=Test";
    let request = ["signer", "request-claim-certificate", "--environment", "sand", "--subject", subject];
    std::fs::write(file("claim.csr"), operator.run(&request).await.out).unwrap();

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-certificates");
    let mut make = std::process::Command::new(script);
    make.args([file("claim.csr"), file("made")]).env("LACRE_PFX_PASSWORD", PASSWORD);
    run(make).await.ok();
    let (pfx, chain) = (file("made/seal.pfx"), file("made/claim-chain.pem"));
    let import = ["signer", "import-a1", &pfx, "--environment", "sand"];
    with_password(&operator, &import, PASSWORD).await.ok();
    operator.run(&["signer", "install-claim-certificate", &chain, "--environment", "sand"]).await.ok();
    let waiting = operator.run(&["signer", "doctor", "--environment", "sand"]).await.ok();
    assert!(waiting.contains("WARNING  SANDBOX draft: version 2 is a draft\n"), "{waiting}");
    operator.run(&["signer", "activate", "--environment", "sand"]).await.ok();
    let examined = operator.run(&["signer", "doctor", "--environment", "sand"]).await.ok();
    assert!(examined.contains("ok       SANDBOX claim level 1 profile: valid\n"), "{examined}");

    let roots = std::fs::read_to_string(file("made/roots.pem")).unwrap() + service.trust_anchors();
    let (_, answer) = service.capture("LICENSE_KEY_ALWAYS", &lacre_tests::frame::fresh()).await;
    let (report, _) = lacre_tests::verifiers::ours(&answer.photo(), &roots);
    assert!(report.valid, "{report}");
    let (seal, claim) = (report.seal.unwrap().root.unwrap(), report.claim.unwrap().root.unwrap());
    assert!(seal.contains("Lacre Test seal Root") && claim.contains("Lacre Test claim Root"), "{seal} {claim}");
}

#[tokio::test]
async fn probes_activates_and_reverts_a_rotation() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let bench = icp_brasil_like();
    bench.pfx("company", &["issuing", "root"], "");
    let pfx = path(&bench, "company.pfx");
    let signer = |words: &[&'static str]| [&["signer"], words, &["--environment", "sand"]].concat();
    let (code, refusal) = operator.run(&signer(&["probe"])).await.refused();
    assert_eq!((code, refusal.as_str()), (3, "SANDBOX has no draft with both signers"));
    let (code, _) = operator.run(&signer(&["activate"])).await.refused();
    assert_eq!(code, 3);
    let (code, refusal) = operator.run(&signer(&["activate", "--unprobed"])).await.refused();
    assert_eq!((code, refusal.contains("the draft is empty")), (5, true), "{refusal}");
    let (code, refusal) = operator.run(&signer(&["revert"])).await.refused();
    assert_eq!((code, refusal.as_str()), (3, "SANDBOX has no earlier version of the signer profile"));

    let import = ["signer", "import-a1", &pfx, "--environment", "sand", "--json"];
    let imported: Value = serde_json::from_str(&with_password(&operator, &import, PASSWORD).await.ok()).unwrap();
    let (key, kms) = (text(&imported, "key_arn"), Storage::of(&service).kms);
    kms.disable_key().key_id(&key).send().await.unwrap();
    let before = operator.json(&["signer", "show"]).await;
    for command in ["probe", "activate"] {
        let ran = operator.run(&signer(&[command])).await;
        assert_eq!(ran.code, 1, "{command}");
        let said = ran.out + &ran.err;
        assert!(said.contains("BROKEN   SANDBOX version 2 "), "{said}");
        assert!(said.ends_with("lacre-admin: the function cannot sign with it\n"), "{said}");
    }
    assert_eq!(operator.json(&["signer", "show"]).await, before);

    // The permission takes effect while the command waits for it.
    let wait = signer(&["activate", "--wait", "60"]);
    let (activated, _) = tokio::join!(operator.run(&wait), async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        kms.enable_key().key_id(&key).send().await.unwrap();
    });
    assert_eq!(activated.ok(), "SANDBOX: version 2 of the signer profile is in force\n");
    let probed = operator.json(&signer(&["probe", "--version", "1"])).await;
    assert_eq!(
        (&probed["works"], &probed["version"], &probed["draft_revision"]),
        (&json!(true), &json!(1), &Value::Null)
    );
    let reverted = operator.json(&signer(&["revert"])).await;
    assert_eq!(reverted["installed"], json!({ "standing": "in_force", "version": 3 }));
    let audit = operator.json(&["audit"]).await;
    let done: Vec<_> = audit["audit"].as_array().unwrap().iter().map(|entry| text(entry, "operation")).collect();
    assert_eq!(done[..3], ["signer.revert", "signer.activate", "signer.import_a1"]);

    with_password(&operator, &import, PASSWORD).await.ok();
    assert_eq!(operator.run(&signer(&["discard"])).await.ok(), "SANDBOX: the draft is empty\n");
    assert_eq!(operator.run(&signer(&["discard"])).await.refused().0, 5);
}

#[tokio::test]
async fn broken_profiles_set_the_exit_status() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let shown = operator.json(&["signer", "show", "--environment", "sand"]).await;
    let key_arn = text(&shown["environments"][0]["seal"], "key_arn");
    Storage::of(&service).kms.disable_key().key_id(&key_arn).send().await.unwrap();

    let ran = operator.run(&["signer", "doctor", "--environment", "sand"]).await;
    assert_eq!((ran.code, ran.err.as_str()), (1, "lacre-admin: something that signing needs is broken\n"));
    let lines = format!("BROKEN   SANDBOX seal key: {key_arn} is disabled\n         fix: enable it: kms enable-key\n");
    assert!(ran.out.contains(&lines), "{}", ran.out);
    let ran = operator.run(&["signer", "doctor", "--environment", "sand", "--json"]).await;
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &document["healthy"]), (1, &json!(false)));
    assert_eq!(operator.run(&["signer", "doctor", "--environment", "stag"]).await.code, 0);
}
