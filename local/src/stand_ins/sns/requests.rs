//! The operations of the SNS stand-in.

use std::collections::BTreeMap;

use axum::{http::StatusCode, response::Response};

use super::topics::{Message, Topics};
use crate::stand_ins::query::{self, Form};

const NAMESPACE: &str = "http://sns.amazonaws.com/doc/2010-03-31/";
/// Maximum message size, in bytes.
const MAX_MESSAGE: usize = 256 * 1024;

/// Why a call failed: an SNS error code with a message, or an error of the storage.
enum CallError {
    Client(StatusCode, &'static str, &'static str),
    Storage(std::io::Error),
}

/// Executes one call.
pub(super) fn call(topics: &mut Topics, body: &[u8]) -> Response {
    let form = query::form(body);
    let action = form.get("Action").map(String::as_str).unwrap_or_default();
    let result = match action {
        "CreateTopic" => create_topic(topics, &form),
        "ListTopics" => Ok(list_topics(topics)),
        "Publish" => publish(topics, &form),
        _ => Err(CallError::Client(StatusCode::BAD_REQUEST, "InvalidAction", "The action is not served here.")),
    };
    match result {
        Ok(result) => query::answered(NAMESPACE, action, &result),
        Err(CallError::Client(status, code, message)) => query::refused(NAMESPACE, status, code, message),
        Err(CallError::Storage(cause)) => {
            tracing::error!(%cause, "the SNS stand-in cannot store");
            query::refused(NAMESPACE, StatusCode::INTERNAL_SERVER_ERROR, "InternalFailure", "The storage failed.")
        }
    }
}

fn create_topic(topics: &mut Topics, form: &Form) -> Result<String, CallError> {
    let name = form.get("Name").filter(|name| is_name(name));
    let name =
        name.ok_or(CallError::Client(StatusCode::BAD_REQUEST, "InvalidParameter", "Invalid parameter: Topic Name"))?;
    let arn = topics.create(name).map_err(CallError::Storage)?;
    Ok(format!("<TopicArn>{arn}</TopicArn>"))
}

fn list_topics(topics: &Topics) -> String {
    let members = topics.arns().map(|arn| format!("<member><TopicArn>{arn}</TopicArn></member>"));
    format!("<Topics>{}</Topics>", members.collect::<String>())
}

fn publish(topics: &mut Topics, form: &Form) -> Result<String, CallError> {
    let invalid = |message| CallError::Client(StatusCode::BAD_REQUEST, "InvalidParameter", message);
    let topic_arn = form.get("TopicArn").ok_or_else(|| invalid("Invalid parameter: TopicArn"))?;
    if !topics.arns().any(|arn| arn == topic_arn) {
        return Err(CallError::Client(StatusCode::NOT_FOUND, "NotFound", "Topic does not exist"));
    }
    let message = form.get("Message").filter(|message| !message.is_empty() && message.len() <= MAX_MESSAGE);
    let message = message.ok_or_else(|| invalid("Invalid parameter: Message"))?.clone();
    let subject = form.get("Subject").cloned();
    if subject.as_ref().is_some_and(|subject| !is_subject(subject)) {
        return Err(invalid("Invalid parameter: Subject"));
    }
    let message_id = uuid::Uuid::new_v4().to_string();
    tracing::info!(subject, message_id, "published");
    let attributes = attributes(form);
    let kept = Message { message_id: message_id.clone(), topic_arn: topic_arn.clone(), subject, message, attributes };
    topics.keep(kept).map_err(CallError::Storage)?;
    Ok(format!("<MessageId>{message_id}</MessageId>"))
}

/// Reads `MessageAttributes.entry.N.Name` and `….Value.StringValue`.
fn attributes(form: &Form) -> BTreeMap<String, String> {
    let entry = |(field, name): (&String, &String)| {
        let entry = field.strip_prefix("MessageAttributes.entry.")?.strip_suffix(".Name")?;
        let value = form.get(&format!("MessageAttributes.entry.{entry}.Value.StringValue"))?;
        Some((name.clone(), value.clone()))
    };
    form.iter().filter_map(entry).collect()
}

fn is_name(name: &str) -> bool {
    (1..=256).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Whether a subject is valid: 1 to 100 printable ASCII characters.
fn is_subject(subject: &str) -> bool {
    (1..=100).contains(&subject.len()) && subject.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}
