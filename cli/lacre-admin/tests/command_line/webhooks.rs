//! Tests `lacre-admin webhook-secret …` and `lacre-admin webhook …`.

use lacre_domain::Environment;
use lacre_tests::Service;
use serde_json::json;

use crate::operator::{Operator, text};

#[tokio::test]
async fn issues_rotates_lists_and_revokes_secrets() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let of_client = ["--client", &client, "--environment", "sand"];
    let issue = [&["webhook-secret", "issue"], &of_client[..]].concat();
    let shown = operator.run(&issue).await.ok();
    assert!(shown.contains("whsec_"), "{shown}");
    assert_eq!(operator.run(&issue).await.refused().0, 5, "there is one");
    let rotate = [&["webhook-secret", "rotate"], &of_client[..]].concat();
    assert_eq!(operator.run(&[&rotate[..], &["--overlap-hours", "169"]].concat()).await.refused().0, 4);
    let rotated = operator.json(&[&rotate[..], &["--overlap-hours", "0"]].concat()).await;
    assert!(text(&rotated, "webhook_secret").starts_with("whsec_"));

    let list = operator.run(&["webhook-secret", "list", "--client", &client]).await.ok();
    assert!(!list.contains("whsec_"), "{list}");
    let rows: Vec<Vec<&str>> = list.lines().skip(1).map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(
        rows.iter().map(|row| (row[1], row[2])).collect::<Vec<_>>(),
        [("SANDBOX", "ended"), ("SANDBOX", "live")]
    );
    let id = text(&rotated, "id");
    let revoke = ["webhook-secret", "revoke", "--client", &client, &id];
    let (code, asked) = operator.run(&revoke).await.refused();
    assert!(code == 2 && asked.starts_with("the revocation of the last secret is permanent"), "{asked}");
    assert_eq!(operator.json(&[&revoke[..], &["--yes"]].concat()).await["state"], "ended");
    assert_eq!(operator.run(&revoke).await.refused(), (5, format!("webhook secret {id} has already ended")));
}

#[tokio::test]
async fn lists_attempts_and_redelivers_a_message() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let attempt = service.post_webhook(Environment::Sandbox, "https://hooks.example.com/path?secret=1").await;
    let (client, message) = (attempt.client_id.to_string(), attempt.message_id.to_string());
    let list = operator.run(&["webhook", "list", "--client", &client]).await.ok();
    let row: Vec<&str> = list.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[1], row[2], row[4]), (message.as_str(), "1", "SANDBOX", "pending"));
    let all = operator.json(&["webhook", "list", "--client", &client]).await;
    assert_eq!(all["webhooks"][0]["receiver"], "https://hooks.example.com", "without its path");
    let failed = operator.json(&["webhook", "list", "--client", &client, "--state", "failed"]).await;
    assert_eq!(failed, json!({ "webhooks": [] }));
    assert_eq!(operator.run(&["webhook", "list", "--client", &client, "--state", "lost"]).await.code, 2);
    let again = ["webhook", "redeliver", "--client", &client, &message];
    let waiting = format!("attempt 1 at message {message} has not ended yet");
    assert_eq!(operator.run(&again).await.refused(), (5, waiting));
}
