//! Counts the metrics of AWS services on which alarms depend.

use local::CloudWatch;

use super::{
    Fault,
    call::{Call, Protocol},
};

/// Counts a call that arrived, and its fault.
pub(super) fn arrived(watch: &CloudWatch, call: &Call, fault: Option<Fault>) {
    match (call.protocol, fault) {
        (Protocol::DynamoDb, Some(Fault::Throttle)) => {
            let table = call.name.split(' ').nth(1).unwrap_or_default();
            let table = format!("{}{}Table", table[..1].to_uppercase(), &table[1..]);
            let reads = ["GetItem", "BatchGetItem", "Query", "Scan"].contains(&call.operation.as_str());
            let metric = if reads { "ReadThrottleEvents" } else { "WriteThrottleEvents" };
            watch.count("AWS/DynamoDB", metric, &[("TableName", &table)], 1.0);
        }
        (Protocol::Kms, None) if call.operation == "Sign" => {
            let kind = if call.name == "Sign seal" { "Rsa" } else { "Ecc" };
            let resource = format!("CryptographicOperations{kind}");
            let dimensions = [("Service", "KMS"), ("Type", "API"), ("Resource", &*resource), ("Class", "None")];
            watch.count("AWS/Usage", "CallCount", &dimensions, 1.0);
            // Rules that count signatures by the functions' roles, as CloudTrail reports them.
            let rule = match call.name.as_str() {
                "Sign seal" => "SealsSigned",
                "Sign checkpoint" => "CheckpointsSigned",
                _ => "ClaimsSigned",
            };
            watch.count("AWS/Events", "TriggeredRules", &[("RuleName", rule)], 1.0);
        }
        _ => {}
    }
}

/// Delivers a publication to a subscriber as SNS does, and counts failed deliveries.
pub(super) async fn notify(watch: &CloudWatch, subscriber: &str, call: &Call) {
    let message = call.input["Message"].as_str().unwrap_or_default().to_owned();
    let taken = reqwest::Client::new().post(subscriber).body(message).send().await;
    if !taken.is_ok_and(|response| response.status().is_success()) {
        watch.count("AWS/SNS", "NumberOfNotificationsFailed", &[("TopicName", "AlertsTopic")], 1.0);
    }
}
