//! Key material is renewed by an operator: a PFX file and its password, a request and its certificate, and a look at both.

use serde_json::{Value, json};
use tests::{
    Service, Storage,
    openssl::{Bench, CLAIM, PASSWORD, icp_brasil_like},
};

use crate::operator::{Operator, Ran, run, text};

/// Runs a command with a password in the environment.
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
    let service = Service::start().await;
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
    assert_eq!(operator.json(&["signer", "show"]).await, before);

    let imported = with_password(&operator, &[&import[..], &["--json"]].concat(), PASSWORD).await.ok();
    assert!(!imported.contains(PASSWORD));
    let imported: Value = serde_json::from_str(&imported).unwrap();
    let expected = json!({
        "environment": "PRODUCTION", "standing": "in_force", "version": 2, "key_arn": imported["key_arn"],
        "subject": "CN=TEST COMPANY:11222333000181,O=ICP-Brasil,C=BR", "cnpj": "11222333000181", "icp_brasil": true,
    });
    assert_eq!(imported, expected);
    let shown = operator.json(&["signer", "show", "--environment", "live"]).await;
    let seal = &shown["environments"][0]["seal"];
    assert_eq!((&seal["key_arn"], &seal["policy"]), (&imported["key_arn"], &json!("AD-RB v2.4")));
    assert_eq!(seal["certificates"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_claim_certificate_is_asked_for_and_installed() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let bench = Bench::open();
    bench.root("claim-root", "ec:P-256");
    let subject = "C=BR,O=Company,CN=Photo";
    let words = ["signer", "request-claim-certificate", "--environment", "sand", "--create-key", "--subject", subject];
    let made = operator.run(&[&words[..], &["--json"]].concat()).await;
    let made: Value = serde_json::from_str(&made.out).unwrap();
    bench.write("claim.csr", text(&made, "request_pem"));
    bench.sign("claim", "claim-root", CLAIM, 365);
    let (file, key_arn) = (path(&bench, "claim.pem"), text(&made, "key_arn"));

    let install = ["signer", "install-claim-certificate", &file, "--environment", "sand"];
    let (code, told) = operator.run(&install).await.refused();
    assert_eq!((code, told.contains("is not of the key")), (4, true), "the key is a new one: {told}");
    let installed = operator.run(&[&install[..], &["--key-arn", &key_arn]].concat()).await.ok();
    assert_eq!(installed, "SANDBOX: version 2 of the signer profile is in force\n");
}

#[tokio::test]
async fn what_is_broken_is_told_to_the_shell_too() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let shown = operator.json(&["signer", "show", "--environment", "sand"]).await;
    let key_arn = text(&shown["environments"][0]["seal"], "key_arn");
    Storage::of(&service).kms.disable_key().key_id(&key_arn).send().await.unwrap();

    let ran = operator.run(&["signer", "doctor", "--environment", "sand"]).await;
    assert_eq!((ran.code, ran.err.as_str()), (1, "lacre-admin: something that signing needs is broken\n"));
    let lines =
        format!("BROKEN   SANDBOX seal key: {key_arn} is disabled\n         to mend: enable it: kms enable-key\n");
    assert!(ran.out.contains(&lines), "{}", ran.out);
    let ran = operator.run(&["signer", "doctor", "--environment", "sand", "--json"]).await;
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &document["healthy"]), (1, &json!(false)));
    assert_eq!(operator.run(&["signer", "doctor", "--environment", "stag"]).await.code, 0);
}
