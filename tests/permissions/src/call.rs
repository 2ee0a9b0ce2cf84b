//! A request to AWS as IAM evaluates it: principal, actions, resources and conditions.

use std::collections::BTreeMap;

use http::{HeaderMap, Method, request::Parts};
use serde::Serialize;
use serde_json::Value;

use crate::{
    items,
    need::{Conditions, KeyNames, Need, logical},
    objects,
};

/// A permission that a request needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Call {
    /// The program, from `app/NAME` in its `User-Agent`. For a presigned URL, the access key id that signed it.
    pub(crate) caller: String,
    /// The IAM action, such as `dynamodb:PutItem`.
    pub(crate) action: String,
    /// The resource: `table/accounts`, `stream/evidence`, `bucket/proofs/id.jpg`, `key/claim/PRODUCTION`,
    /// `key/webhooks`, `topic/alerts` or `secret/presigner`.
    pub(crate) resource: String,
    /// The request's condition keys with their values.
    pub(crate) conditions: Conditions,
}

impl Call {
    /// The permissions that a request needs; empty for callers without an application name (tests and operators).
    pub(crate) fn read(head: &Parts, body: &[u8], keys: &mut KeyNames) -> Vec<Self> {
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let target = text("x-amz-target").and_then(|target| target.split_once('.'));
        let input = target.and_then(|_| serde_json::from_slice(body).ok()).unwrap_or(Value::Null);
        let needs = match target {
            Some(("TrentService", operation)) => vec![key(operation, &input, keys)],
            Some(("secretsmanager", operation)) => vec![secret(operation, &input)],
            Some(("DynamoDBStreams_20120810", operation)) => items::needs_of_stream(operation, &input),
            Some((_, operation)) => {
                items::remember_keys(operation, &input, keys);
                items::needs(operation, &input)
            }
            None if text("content-type") == Some("application/x-www-form-urlencoded") => of_form(body),
            None => objects::needs(head),
        };
        let Some(caller) = program(&head.headers) else { return Vec::new() };
        needs.into_iter().map(|need| Self::by(&caller, need)).collect()
    }

    /// The permissions that a presigned URL needs, for requests that S3 has accepted.
    pub(crate) fn of_presigned(head: &Parts) -> Vec<Self> {
        let Some(caller) = signer_of_url(head) else { return Vec::new() };
        objects::needs(head).into_iter().map(|need| Self::by(&caller, need)).collect()
    }

    fn by(caller: &str, (action, resource, conditions): Need) -> Self {
        Self { caller: caller.to_owned(), action, resource, conditions }
    }
}

/// The application name in the SDK's user agent.
fn program(headers: &HeaderMap) -> Option<String> {
    let agents = ["x-amz-user-agent", "user-agent"].into_iter().filter_map(|name| headers.get(name)?.to_str().ok());
    agents.flat_map(|agent| agent.split(' ')).find_map(|word| word.strip_prefix("app/")).map(str::to_owned)
}

/// The access key id of a presigned URL.
fn signer_of_url(head: &Parts) -> Option<String> {
    let query = head.uri.query().filter(|_| head.method != Method::OPTIONS)?;
    let credential = query.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Credential="))?;
    credential.split("%2F").next().map(str::to_owned)
}

fn key(operation: &str, input: &Value, keys: &KeyNames) -> Need {
    let arn = input["KeyId"].as_str().unwrap_or_default();
    // The webhooks key is addressed by its alias.
    let of_alias = arn.rsplit_once(":alias/").map(|(_, alias)| logical(alias));
    let resource = format!("key/{}", keys.get(arn).map(String::as_str).or(of_alias).unwrap_or("unknown"));
    let fields = [("kms:SigningAlgorithm", "SigningAlgorithm"), ("kms:MessageType", "MessageType")];
    let given = fields.into_iter().map(|(key, field)| (key, &input[field]));
    let purpose = ("kms:EncryptionContext:purpose", &input["EncryptionContext"]["purpose"]);
    let conditions = given.chain([purpose]).filter_map(|(key, value)| Some((key, [value.as_str()?.to_owned()].into())));
    (format!("kms:{operation}"), resource, conditions.collect())
}

fn secret(operation: &str, input: &Value) -> Need {
    let name = input["SecretId"].as_str().and_then(|arn| arn.rsplit(':').next()).unwrap_or_default();
    (format!("secretsmanager:{operation}"), format!("secret/{name}"), BTreeMap::new())
}

/// The permissions of form-encoded requests to SNS and STS.
fn of_form(form: &[u8]) -> Vec<Need> {
    let fields: BTreeMap<_, _> = url::form_urlencoded::parse(form).collect();
    // `GetCallerIdentity` needs no permission.
    let action = fields.get("Action").filter(|action| *action != "GetCallerIdentity");
    action.map(|action| topic(action, fields.get("TopicArn").map_or("", |arn| arn))).into_iter().collect()
}

fn topic(action: &str, arn: &str) -> Need {
    let name = logical(arn.rsplit(':').next().unwrap_or_default());
    (format!("sns:{action}"), format!("topic/{name}"), BTreeMap::new())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use http::Request;
    use serde_json::json;

    use super::*;

    fn read(request: http::request::Builder, body: &Value, keys: &mut KeyNames) -> Value {
        let (head, ()) = request.body(()).unwrap().into_parts();
        json!(Call::read(&head, body.to_string().as_bytes(), keys))
    }

    fn post_by_ingest() -> http::request::Builder {
        Request::post("/").header("x-amz-user-agent", "aws-sdk-rust/1.3 ua/2.1 api/dynamodb/1.1 os/linux app/ingest")
    }

    fn by_ingest(target: &str) -> http::request::Builder {
        post_by_ingest().header("x-amz-target", target)
    }

    #[test]
    fn splits_transactions_into_calls_without_ids() {
        let id = "4f0a1b2c";
        let body = json!({ "TransactItems": [
            { "Put": {
                "TableName": "lacre-evidence", "ConditionExpression": "attribute_not_exists(capture_id)",
                "Item": { "capture_id": { "S": id }, "photo": { "N": "1" } },
            } },
            { "Update": {
                "TableName": format!("lacre-accounts-{id}"),
                "Key": { "pk": { "S": format!("volume#{id}#03") }, "sk": { "S": "volume#2026-11" } },
                "UpdateExpression": "ADD captures :one SET #v = :v, photos.first = if_not_exists(photos.first, :one)",
                "ExpressionAttributeNames": { "#v": "v" },
            } },
        ] });
        let calls = read(by_ingest("DynamoDB_20120810.TransactWriteItems"), &body, &mut KeyNames::new());
        let wanted = json!([
            { "caller": "ingest", "action": "dynamodb:PutItem", "resource": "table/evidence", "conditions": {
                "dynamodb:Attributes": ["capture_id", "photo"], "dynamodb:LeadingKeys": [""],
                "dynamodb:EnclosingOperation": ["TransactWriteItems"],
            } },
            { "caller": "ingest", "action": "dynamodb:UpdateItem", "resource": "table/accounts", "conditions": {
                "dynamodb:Attributes": ["captures", "photos", "pk", "sk", "v"], "dynamodb:LeadingKeys": ["volume#"],
                "dynamodb:EnclosingOperation": ["TransactWriteItems"],
            } },
        ]);
        assert_eq!(calls, wanted);
    }

    #[test]
    fn reads_sns_and_sts_forms() {
        let ask = |form: &str| {
            let request = post_by_ingest().header("content-type", "application/x-www-form-urlencoded");
            let (head, ()) = request.body(()).unwrap().into_parts();
            json!(Call::read(&head, form.as_bytes(), &mut KeyNames::new()))
        };
        let wanted = json!([{
            "caller": "ingest", "action": "sns:Publish", "resource": "topic/alerts", "conditions": {},
        }]);
        assert_eq!(ask("Action=Publish&TopicArn=arn%3Aaws%3Asns%3Asa-east-1%3A000000000000%3Alacre-alerts"), wanted);
        assert_eq!(ask("Action=GetCallerIdentity&Version=2011-06-15"), json!([]));
    }

    #[test]
    fn names_streams_by_their_table() {
        let arn = "arn:aws:dynamodb:sa-east-1:000000000000:table/lacre-evidence-4f0a/stream/2026-11-21T00:00:00.000";
        let ask = |operation: &str, body: Value| {
            let target = format!("DynamoDBStreams_20120810.{operation}");
            read(by_ingest(&target), &body, &mut KeyNames::new())
        };
        let call = |operation: &str| {
            let action = format!("dynamodb:{operation}");
            json!({ "caller": "ingest", "action": action, "resource": "stream/evidence", "conditions": {} })
        };
        let of_stream = json!({ "StreamArn": arn });
        assert_eq!(ask("DescribeStream", of_stream.clone()), json!([call("DescribeStream")]));
        let both = json!([call("GetShardIterator"), call("GetRecords")]);
        assert_eq!(ask("GetShardIterator", of_stream), both);
        assert_eq!(ask("GetRecords", json!({ "ShardIterator": "opaque" })), json!([]));
    }

    #[test]
    fn names_keys_after_their_first_profile() {
        let mut keys = KeyNames::new();
        let profile = |environment| {
            json!({ "Item": {
                "pk": { "S": format!("signer#{environment}") },
                "claim": { "M": { "key_arn": { "S": "arn:1" } } }, "seal": { "M": { "key_arn": { "S": "arn:2" } } },
            } })
        };
        for environment in ["PRODUCTION", "SANDBOX"] {
            let put = Request::post("/").header("x-amz-target", "DynamoDB_20120810.PutItem");
            assert_eq!(read(put, &profile(environment), &mut keys), json!([]), "the caller is unknown");
        }
        let body = json!({ "KeyId": "arn:2", "SigningAlgorithm": "ECDSA_SHA_256", "MessageType": "DIGEST" });
        let wanted = json!([{ "caller": "ingest", "action": "kms:Sign", "resource": "key/seal/PRODUCTION", "conditions": {
            "kms:MessageType": ["DIGEST"], "kms:SigningAlgorithm": ["ECDSA_SHA_256"],
        } }]);
        assert_eq!(read(by_ingest("TrentService.Sign"), &body, &mut keys), wanted);
    }

    #[test]
    fn presigned_urls_belong_to_their_signer() {
        let url = "/lacre-proofs/4f0a1b2c/manifest.c2pa?X-Amz-Credential=local-presigner%2F20261121%2Fsa-east-1";
        let used = |method| {
            let (head, ()) = Request::builder().method(method).uri(url).body(()).unwrap().into_parts();
            json!(Call::of_presigned(&head))
        };
        let wanted = json!([{
            "caller": "local-presigner", "action": "s3:GetObject", "resource": "bucket/proofs/id/manifest.c2pa", "conditions": {},
        }]);
        assert_eq!(used(Method::GET), wanted);
        assert_eq!(used(Method::OPTIONS), json!([]), "a preflight needs no permission");
    }
}
