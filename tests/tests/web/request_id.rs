//! Tests request ids: the response, the log line of a refusal and the AWS calls of a request carry the gateway's id.

use lacre_tests::{Answer, Fault, Faults, Service, frame, journal};
use reqwest::Method;
use serde_json::{Value, json};

/// The id of a response with this status; all AWS calls since the last check must have it, and the log line of a
/// refusal. Nothing is logged of a success: its line of metrics carries the id.
#[track_caller]
fn followed(answer: &Answer, status: u16, faults: &Faults) -> String {
    assert_eq!(answer.status, status, "{}", answer.body);
    let id = answer.header("x-request-id").unwrap();
    assert_eq!(answer.header("apigw-requestid"), Some(id));
    let agents = faults.take_agents();
    assert!(!agents.is_empty());
    for agent in agents {
        let sent: Vec<_> = agent.split(' ').filter_map(|word| word.strip_prefix("md/request#")).collect();
        assert_eq!(sent, [id], "{agent}");
    }
    let lines = journal::lines();
    let lines = lines.lines().filter(|line| line.contains(id)).map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.filter(|line: &Value| line["target"] != "local::gateway").collect();
    let logged: Vec<_> = lines.iter().map(|line| (&line["span"]["request_id"], &line["fields"]["status"])).collect();
    let refused = (&json!(id), &json!(status));
    assert_eq!(logged, if status == 200 { vec![] } else { vec![refused] }, "{lines:?}");
    id.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_logs_and_calls_share_ids() {
    let (service, faults) = Service::start_behind_faults().await;
    let body = json!({ "reference_id": "r", "license_key": service.variable("LICENSE_KEY") });
    let create = async |api_key: &str| {
        let request = service.request(Method::POST, "/web/sessions").header("x-api-key", api_key).json(&body);
        // The client's own headers have no effect.
        service.send(request.header("x-request-id", "forged").header("apigw-requestid", "forged")).await
    };
    let key = service.variable("API_KEY");
    let created = followed(&create(key).await, 200, &faults);
    let refused = followed(&create(service.variable("API_KEY_REVOKED")).await, 401, &faults);
    faults.always("BatchGetItem accounts", Fault::Refuse);
    let failed = followed(&create(key).await, 503, &faults);
    faults.clear();
    assert!(created != refused && refused != failed && failed != created);
    assert!(!journal::lines().contains("forged"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_capture_call_has_its_id() {
    let (service, faults) = Service::start_behind_faults().await;
    let loaded = service.open("LICENSE_KEY_ALWAYS").await;
    let photo = frame::fresh();
    assert_eq!(service.upload(&loaded, &photo).await, 200);
    faults.take_calls();
    faults.take_agents();
    let answer = service.ingest(&service.submission(&loaded, &photo)).await;
    // Also the calls after the response.
    faults.arrival_of("DeleteObject uploads jpg").await;
    let calls = faults.take_calls();
    for call in ["Sign", "PutObject", "TransactWriteItems", "GetObject", "DeleteObject"] {
        assert!(calls.iter().any(|made| made.starts_with(call)), "{calls:?}");
    }
    followed(&answer, 200, &faults);
}
