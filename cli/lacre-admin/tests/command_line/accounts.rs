//! Tests the commands for clients and API keys.

use lacre_tests::Service;
use serde_json::json;

use crate::operator::{Operator, UNKNOWN, printed, text};

#[tokio::test]
async fn creates_lists_suspends_and_resumes_clients() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let created = operator.run(&["client", "create", "  Seguradora São João "]).await.ok();
    let id = printed(&created, "id");
    assert_eq!(created, format!("id      {id}\nname    Seguradora São João\nstatus  active\n"));

    let listed = operator.run(&["client", "list"]).await.ok();
    assert_eq!(listed.lines().next(), Some(format!("{:36}  STATUS     NAME", "ID").as_str()));
    assert!(listed.contains(&format!("{id}  active     Seguradora São João\n")), "{listed}");
    let clients = operator.json(&["client", "list"]).await;
    let client = json!({ "id": id, "name": "Seguradora São João", "status": "active" });
    assert!(clients["clients"].as_array().unwrap().contains(&client), "{clients}");

    for (action, status) in [("suspend", "suspended"), ("suspend", "suspended"), ("resume", "active")] {
        assert_eq!(operator.json(&["client", action, id]).await["status"], status);
    }
    let output = operator.run(&["client", "suspend", id]).await.ok();
    assert_eq!(printed(&output, "status"), "suspended");
}

#[tokio::test]
async fn refuses_an_unknown_client() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let invalid = (4, "a name has 1 to 100 characters and no line breaks".to_owned());
    assert_eq!(operator.run(&["client", "create", "two\nlines"]).await.refused(), invalid);
    let unknown = (3, format!("client {UNKNOWN} does not exist"));
    let commands: [&[&str]; 6] = [
        &["client", "suspend", UNKNOWN],
        &["client", "resume", UNKNOWN],
        &["api-key", "list", "--client", UNKNOWN],
        &["api-key", "issue", "--client", UNKNOWN, "--environment", "sand", "--name", "x"],
        &["license", "list", "--client", UNKNOWN],
        &["alert", "list", "--client", UNKNOWN, "--json"],
    ];
    for command in commands {
        assert_eq!(operator.run(command).await.refused(), unknown, "{command:?}");
    }
    // The argument may be a key, so the message does not repeat it.
    let no_id = operator.run(&["license", "list", "--client", "lk_secret"]).await.refused();
    assert_eq!(no_id, (4, "the id of a client must be a UUID".to_owned()));
}

#[tokio::test]
async fn issues_lists_and_revokes_api_keys() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let of_client = ["--client", client.as_str()];
    let issue = [&["api-key", "issue", "--environment", "sand", "--name", "first backend"], &of_client[..]].concat();

    let output = operator.run(&issue).await.ok();
    let mut lines = output.lines();
    assert_eq!(lines.next(), Some("The key. It is shown this once, so keep it now:"));
    let key = operator.shown(lines.next().unwrap());
    let id = printed(&output, "id").to_owned();
    assert_eq!((printed(&output, "name"), printed(&output, "environment")), ("first backend", "SANDBOX"));
    let second = operator.json(&issue).await;
    operator.shown(&text(&second, "api_key"));

    // The API key is accepted (403 instead of 401); the error concerns the license.
    let order = json!({ "reference_id": "r", "license_key": service.variable("LICENSE_KEY") });
    assert_eq!(service.create_with(&key, order.clone()).await.status, 403);
    let listed = operator.run(&[&["api-key", "list"], &of_client[..]].concat()).await.ok();
    let headings: Vec<&str> = listed.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(headings, ["ID", "ENVIRONMENT", "STATUS", "ISSUED", "KEY", "NAME"]);
    assert!(listed.contains(&format!("{id}  SANDBOX      active  ")), "{listed}");
    let keys = operator.json(&[&["api-key", "list"], &of_client[..]].concat()).await;
    let ids: Vec<String> = keys["api_keys"].as_array().unwrap().iter().map(|key| text(key, "id")).collect();
    assert_eq!(ids, [id.clone(), text(&second, "id")]);

    let revoke = [&["api-key", "revoke", id.as_str()], &of_client[..]].concat();
    assert_eq!(printed(&operator.run(&revoke).await.ok(), "status"), "revoked");
    assert_eq!(service.create_with(&key, order).await.status, 401);
    assert_eq!(operator.run(&revoke).await.refused(), (5, format!("API key {id} is already revoked")));
    let unknown = operator.run(&[&["api-key", "revoke", "0123456789abcdef"], &of_client[..]].concat()).await;
    assert_eq!(unknown.refused(), (3, "API key 0123456789abcdef does not exist".into()));
}

#[tokio::test]
async fn issues_nothing_to_a_suspended_client() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    operator.run(&["client", "suspend", &client]).await.ok();
    let refused = (5, format!("client {client} is suspended; resume it first"));
    let key = ["api-key", "issue", "--client", &client, "--environment", "sand", "--name", "x"];
    assert_eq!(operator.run(&key).await.refused(), refused);
    let license = ["license", "issue", "--client", &client, "--environment", "sand", "--expires-at", "2099-12-31"];
    assert_eq!(operator.run(&license).await.refused(), refused);
}

#[tokio::test]
async fn audits_operations_and_acknowledges_alerts() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Audited").await;
    let entries = operator.json(&["audit", "--client", &client]).await;
    let entry = &entries["audit"][0];
    assert_eq!(
        (&entry["operation"], &entry["outcome"], &entry["via"]),
        (&json!("client.create"), &json!("done"), &json!("command_line"))
    );
    // The principal, which STS returns for the operator's credentials.
    assert!(text(entry, "principal").starts_with("arn:aws:"), "{entry}");
    assert!(!text(entry, "source").is_empty());
    let (code, _) = operator.run(&["client", "suspend", UNKNOWN]).await.refused();
    let listed = operator.run(&["audit", "--limit", "1"]).await.ok();
    assert_eq!((code, listed.contains("client.suspend")), (3, true), "{listed}");

    // The local service revoked a license on its first start, which raised an alert.
    let open = operator.json(&["alert", "list", "--open"]).await;
    let alert = &open["alerts"][0];
    let acknowledge = ["alert", "acknowledge", &text(alert, "license_id"), &text(alert, "month"), "REVOKED"];
    assert_eq!(printed(&operator.run(&acknowledge).await.ok(), "acknowledged_by"), text(entry, "principal"));
    assert_eq!(operator.run(&acknowledge).await.refused(), (5, "the alert is acknowledged already".to_owned()));
    assert_eq!(operator.json(&["alert", "list", "--open"]).await["alerts"], json!([]));
}
