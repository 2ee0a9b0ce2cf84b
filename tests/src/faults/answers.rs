//! Error and fault responses of AWS, in each service's protocol.

use bytes::Bytes;
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use super::{
    call::{Call, Protocol},
    conflicts::Conflict,
};

pub(super) type Answer = Response<Bytes>;

pub(super) fn refused(call: &Call) -> Answer {
    match call.protocol {
        Protocol::DynamoDb | Protocol::Kms | Protocol::SecretsManager => error(call, 400, "AccessDeniedException"),
        Protocol::S3 => error(call, 403, "AccessDenied"),
        Protocol::Sns => error(call, 403, "AuthorizationError"),
    }
}

pub(super) fn throttled(call: &Call) -> Answer {
    match call.protocol {
        Protocol::DynamoDb => error(call, 400, "ProvisionedThroughputExceededException"),
        Protocol::Kms | Protocol::SecretsManager => error(call, 400, "ThrottlingException"),
        Protocol::S3 => error(call, 503, "SlowDown"),
        Protocol::Sns => error(call, 400, "Throttling"),
    }
}

pub(super) fn failed(call: &Call) -> Answer {
    match call.protocol {
        Protocol::DynamoDb => error(call, 500, "InternalServerError"),
        Protocol::Kms => error(call, 500, "KMSInternalException"),
        Protocol::SecretsManager => error(call, 500, "InternalServiceError"),
        Protocol::S3 => error(call, 500, "InternalError"),
        Protocol::Sns => error(call, 500, "InternalFailure"),
    }
}

/// The response to a write that conflicts with another.
pub(super) fn conflict(call: &Call, conflict: &Conflict) -> Answer {
    let Some(places) = conflict else { return error(call, 400, "TransactionConflictException") };
    let reason = |conflicts: &bool| json!({ "Code": if *conflicts { "TransactionConflict" } else { "None" } });
    let reasons: Vec<Value> = places.iter().map(reason).collect();
    let body = json!({ "__type": typed("TransactionCanceledException"), "message": "cancelled", "CancellationReasons": reasons });
    answer(400, "application/x-amz-json-1.0", body.to_string())
}

/// The response of Secrets Manager.
pub(super) fn secret(call: &Call, value: &str) -> Answer {
    let body = json!({ "ARN": call.input["SecretId"], "Name": "presigner", "SecretString": value });
    answer(200, "application/x-amz-json-1.1", body.to_string())
}

/// The response to an eventually consistent read that does not see the item yet.
pub(super) fn stale(call: &Call) -> Answer {
    let body = match call.operation.as_str() {
        "BatchGetItem" => json!({ "Responses": {}, "UnprocessedKeys": {} }),
        "Query" => json!({ "Items": [], "Count": 0, "ScannedCount": 0 }),
        _ => json!({}),
    };
    answer(200, "application/x-amz-json-1.0", body.to_string())
}

/// Replaces the body with bytes that are not valid in the protocol.
pub(super) fn garbled(genuine: Answer) -> Answer {
    let length = genuine.body().len().max(16);
    genuine.map(|_| Bytes::from(b"\0<garbage".repeat(length)[..length].to_vec()))
}

/// Changes the signature in a response of KMS.
pub(super) fn wrong_signature(genuine: Answer) -> Answer {
    let mut body: Value = serde_json::from_slice(genuine.body()).unwrap();
    let signature = body["Signature"].as_str().unwrap();
    // Changes the middle of the base64 text: the first byte of the DER only marks a SEQUENCE.
    let (head, tail) = signature.split_at(signature.len() / 2);
    let changed = if tail.starts_with('A') { "B" } else { "A" };
    body["Signature"] = format!("{head}{changed}{}", &tail[1..]).into();
    genuine.map(|_| body.to_string().into())
}

/// Removes the items of a batch's last key, and reports it as unprocessed.
pub(super) fn with_a_key_unread(call: &Call, genuine: Answer) -> Answer {
    let mut body: Value = serde_json::from_slice(genuine.body()).unwrap();
    let (table, read) = call.input["RequestItems"].as_object().unwrap().iter().next().unwrap();
    let unread = read["Keys"].as_array().unwrap().last().unwrap().as_object().unwrap();
    let is_unread = |item: &Value| unread.iter().all(|(name, value)| &item[name] == value);
    if let Some(items) = body["Responses"][table].as_array_mut() {
        items.retain(|item| !is_unread(item));
    }
    let mut rest = read.clone();
    rest["Keys"] = json!([unread]);
    body["UnprocessedKeys"] = json!({ table: rest });
    genuine.map(|_| body.to_string().into())
}

/// An error response with this code.
pub(super) fn error(call: &Call, status: u16, code: &str) -> Answer {
    match call.protocol {
        Protocol::S3 => {
            let body = format!("<Error><Code>{code}</Code><Message>injected fault</Message></Error>");
            answer(status, "application/xml", body)
        }
        Protocol::Sns => {
            let error =
                format!("<Error><Type>Sender</Type><Code>{code}</Code><Message>injected fault</Message></Error>");
            answer(status, "text/xml", format!("<ErrorResponse>{error}</ErrorResponse>"))
        }
        Protocol::DynamoDb => {
            let body = json!({ "__type": typed(code), "message": "injected fault" });
            answer(status, "application/x-amz-json-1.0", body.to_string())
        }
        Protocol::Kms | Protocol::SecretsManager => {
            let body = json!({ "__type": code, "message": "injected fault" });
            answer(status, "application/x-amz-json-1.1", body.to_string())
        }
    }
}

fn typed(code: &str) -> String {
    format!("com.amazonaws.dynamodb.v20120810#{code}")
}

fn answer(status: u16, content_type: &str, body: String) -> Answer {
    let builder = Response::builder().status(StatusCode::from_u16(status).unwrap());
    builder.header("content-type", content_type).body(body.into()).unwrap()
}
