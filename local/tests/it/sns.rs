//! Tests the SNS stand-in with the AWS SDK.

use aws_sdk_sns::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    types::MessageAttributeValue,
};
use local::{Storage, stand_ins::Stack};
use serde_json::{Value, json};

use super::stack;

const TOPIC: &str = "arn:aws:sns:sa-east-1:000000000000:alerts";

async fn topic(stack: &Stack) -> Client {
    let client = stack::sns(stack);
    assert_eq!(client.create_topic().name("alerts").send().await.unwrap().topic_arn(), Some(TOPIC));
    client
}

async fn published(stack: &Stack) -> Value {
    reqwest::get(format!("{}/published", stack.sns_url())).await.unwrap().json().await.unwrap()
}

fn code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Option<&str> {
    error.as_service_error().and_then(ProvideErrorMetadata::code)
}

#[tokio::test]
async fn messages_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().to_owned());
    let stack = stack::start(&storage).await;
    let client = topic(&stack).await;
    let alert = MessageAttributeValue::builder().data_type("String").string_value("VOLUME_70").build().unwrap();
    let publish = client.publish().topic_arn(TOPIC).subject("VOLUME_70 in STAGING").message("{\"a\": \"é & ü\"}");
    let sent = publish.message_attributes("alert", alert).send().await.unwrap();
    let message = json!({
        "message_id": sent.message_id(), "topic_arn": TOPIC, "subject": "VOLUME_70 in STAGING",
        "message": "{\"a\": \"é & ü\"}", "attributes": { "alert": "VOLUME_70" },
    });
    assert_eq!(published(&stack).await, json!([message]));
    drop((client, stack));

    let stack = stack::start(&storage).await;
    assert_eq!(published(&stack).await, json!([message]));
    let topics = topic(&stack).await.list_topics().send().await.unwrap();
    assert_eq!(topics.topics().iter().map(|topic| topic.topic_arn().unwrap()).collect::<Vec<_>>(), [TOPIC]);
}

#[tokio::test]
async fn refuses_invalid_requests() {
    let stack = stack::start(&Storage::Memory).await;
    let client = topic(&stack).await;
    let unknown = format!("{TOPIC}-unknown");
    let publish = async |topic: &str, subject: &str, message: &str| {
        client.publish().topic_arn(topic).subject(subject).message(message).send().await.unwrap_err()
    };
    assert_eq!(code(&publish(&unknown, "s", "m").await), Some("NotFound"));
    assert_eq!(code(&publish(TOPIC, "s", "").await), Some("InvalidParameter"));
    assert_eq!(code(&publish(TOPIC, "não", "m").await), Some("InvalidParameter"));
    assert_eq!(code(&publish(TOPIC, &"s".repeat(101), "m").await), Some("InvalidParameter"));
    assert_eq!(code(&client.create_topic().name("a b").send().await.unwrap_err()), Some("InvalidParameter"));
    assert_eq!(code(&client.list_subscriptions().send().await.unwrap_err()), Some("InvalidAction"));
    assert_eq!(published(&stack).await, json!([]));
}
