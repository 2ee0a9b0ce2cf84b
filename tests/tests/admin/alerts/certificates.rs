//! Tests the metric of the days until certificates expire.

use super::*;

#[tokio::test]
async fn reports_days_left_of_certificates() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let before = service.clock.millis();
    let lines = async || {
        let text = watch.tick().await.unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let emitted = lines().await;
    let mut environments = Vec::new();
    for mut line in emitted.clone() {
        let at = line["_aws"]["Timestamp"].take().as_i64().unwrap();
        assert!((before..=service.clock.millis()).contains(&at));
        environments.push(line["Environment"].as_str().unwrap().to_owned());
        let metric = json!({
            "_aws": {
                "Timestamp": null,
                "CloudWatchMetrics": [{
                    "Namespace": "Lacre",
                    "Dimensions": [["Stack", "Environment"]],
                    "Metrics": [{ "Name": "CertificateDaysLeft", "Unit": "Count" }],
                }],
            },
            "Stack": "local", "Environment": line["Environment"], "CertificateDaysLeft": line["CertificateDaysLeft"],
        });
        assert_eq!(line, metric);
    }
    environments.sort();
    assert_eq!(environments, ["PRODUCTION", "SANDBOX", "STAGING"]);

    let days =
        |emitted: &[Value]| emitted.iter().map(|line| line["CertificateDaysLeft"].as_i64().unwrap()).min().unwrap();
    let left = days(&emitted);
    assert!(left > 0);
    service.clock.advance(time::Duration::days(left + 3));
    assert_eq!(days(&lines().await), -3);
}

#[tokio::test]
async fn failed_publications_do_not_suppress_metrics() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    watch.doors.always("Query", Fault::Refuse);
    let mut metrics = Vec::new();
    let failure = watch.function.handle_schedule(&mut metrics).await.unwrap_err().to_string();
    assert!(failure.starts_with("the outbox cannot be read"), "{failure}");
    assert_eq!(String::from_utf8(metrics).unwrap().lines().count(), 3);
}
