//! A request to AWS as IAM sees it: principal, actions, resources and conditions.

use std::collections::BTreeMap;

use http::{HeaderMap, Method, request::Parts};
use serde::Serialize;
use serde_json::Value;

use crate::{
    items,
    need::{Conditions, KeyNames, Need, logical},
};

/// A permission that a request needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Call {
    /// The program, by the `app/NAME` of its `User-Agent`; for a presigned URL the access key that signed it.
    pub(crate) caller: String,
    /// As IAM names it: `dynamodb:PutItem`.
    pub(crate) action: String,
    /// `table/accounts`, `bucket/proofs/id.jpg`, `key/claim/PRODUCTION`, `key/webhooks`, `topic/alerts`,
    /// `secret/presigner`.
    pub(crate) resource: String,
    /// The condition keys of the request, with their values.
    pub(crate) conditions: Conditions,
}

impl Call {
    /// The permissions that a request needs. None for callers without an application name: tests and operators.
    pub(crate) fn read(head: &Parts, body: &[u8], keys: &mut KeyNames) -> Vec<Self> {
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let target = text("x-amz-target").and_then(|target| target.split_once('.'));
        let input = target.and_then(|_| serde_json::from_slice(body).ok()).unwrap_or(Value::Null);
        let needs = match target {
            Some(("TrentService", operation)) => vec![key(operation, &input, keys)],
            Some(("secretsmanager", operation)) => vec![secret(operation, &input)],
            Some((_, operation)) => {
                items::remember_keys(operation, &input, keys);
                items::needs(operation, &input)
            }
            None if text("content-type") == Some("application/x-www-form-urlencoded") => topic(body),
            None => vec![object(head)],
        };
        let Some(caller) = program(&head.headers) else { return Vec::new() };
        needs.into_iter().map(|need| Self::by(&caller, need)).collect()
    }

    /// The permission behind a presigned URL that S3 has accepted.
    pub(crate) fn of_presigned(head: &Parts) -> Option<Self> {
        let caller = signer_of_url(head)?;
        Some(Self::by(&caller, object(head)))
    }

    fn by(caller: &str, (action, resource, conditions): Need) -> Self {
        Self { caller: caller.to_owned(), action, resource, conditions }
    }
}

/// The application name of the SDK.
fn program(headers: &HeaderMap) -> Option<String> {
    let agents = ["x-amz-user-agent", "user-agent"].into_iter().filter_map(|name| headers.get(name)?.to_str().ok());
    agents.flat_map(|agent| agent.split(' ')).find_map(|word| word.strip_prefix("app/")).map(str::to_owned)
}

/// The access key of a presigned URL.
fn signer_of_url(head: &Parts) -> Option<String> {
    let query = head.uri.query().filter(|_| head.method != Method::OPTIONS)?;
    let credential = query.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Credential="))?;
    credential.split("%2F").next().map(str::to_owned)
}

fn key(operation: &str, input: &Value, keys: &KeyNames) -> Need {
    let arn = input["KeyId"].as_str().unwrap_or_default();
    // The key of webhooks is named by its alias.
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

fn topic(form: &[u8]) -> Vec<Need> {
    let fields: BTreeMap<_, _> = url::form_urlencoded::parse(form).collect();
    let arn = fields.get("TopicArn").map_or("", |arn| arn);
    let name = logical(arn.rsplit(':').next().unwrap_or_default());
    let action = fields.get("Action").map(|action| format!("sns:{action}"));
    action.map(|action| (action, format!("topic/{name}"), BTreeMap::new())).into_iter().collect()
}

/// Buckets are addressed by path.
fn object(head: &Parts) -> Need {
    let path = head.uri.path().trim_start_matches('/');
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    let action = match (&head.method, key) {
        (&Method::GET, "") => "ListBucket",
        (&Method::GET | &Method::HEAD, _) => "GetObject",
        (&Method::PUT, _) => "PutObject",
        (&Method::DELETE, _) => "DeleteObject",
        (method, _) => method.as_str(),
    };
    let key: Vec<String> = key.split('/').map(without_id).collect();
    let resource = format!("bucket/{}/{}", logical(bucket), key.join("/"));
    (format!("s3:{action}"), resource.trim_end_matches('/').to_owned(), BTreeMap::new())
}

/// `id.jpg` for `4f0a….jpg`.
fn without_id(part: &str) -> String {
    let (stem, extension) = part.find('.').map_or((part, ""), |dot| part.split_at(dot));
    let is_id = stem.bytes().any(|byte| byte.is_ascii_digit());
    format!("{}{extension}", if is_id { "id" } else { stem })
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

    fn by_ingest(target: &str) -> http::request::Builder {
        let agent = "aws-sdk-rust/1.3 ua/2.1 api/dynamodb/1.1 os/linux app/ingest";
        Request::post("/").header("x-amz-target", target).header("x-amz-user-agent", agent)
    }

    #[test]
    fn each_part_of_a_transaction_is_a_call_without_identifiers() {
        let id = "4f0a1b2c";
        let body = json!({ "TransactItems": [
            { "Put": {
                "TableName": "lacre-evidence", "ConditionExpression": "attribute_not_exists(capture_id)",
                "Item": { "capture_id": { "S": id }, "photo": { "N": "1" } },
            } },
            { "Update": {
                "TableName": format!("lacre-accounts-{id}"),
                "Key": { "pk": { "S": format!("license#{id}") }, "sk": { "S": "volume#2026-11#3" } },
                "UpdateExpression": "ADD captures :one SET #v = :v, photos.first = if_not_exists(photos.first, :one)",
                "ExpressionAttributeNames": { "#v": "v" },
            } },
        ] });
        let calls = read(by_ingest("DynamoDB_20120810.TransactWriteItems"), &body, &mut KeyNames::new());
        let wanted = json!([
            { "caller": "ingest", "action": "dynamodb:PutItem", "resource": "table/evidence", "conditions": {
                "dynamodb:Attributes": ["capture_id", "photo"], "dynamodb:LeadingKeys": [""],
            } },
            { "caller": "ingest", "action": "dynamodb:UpdateItem", "resource": "table/accounts", "conditions": {
                "dynamodb:Attributes": ["captures", "photos", "pk", "sk", "v"], "dynamodb:LeadingKeys": ["license#"],
            } },
        ]);
        assert_eq!(calls, wanted);
    }

    #[test]
    fn a_key_has_the_purpose_of_the_first_profile() {
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
    fn a_presigned_url_belongs_to_its_signer() {
        let url = "/lacre-proofs/4f0a1b2c/manifest.c2pa?X-Amz-Credential=local-presigner%2F20261121%2Fsa-east-1";
        let used = |method| {
            let (head, ()) = Request::builder().method(method).uri(url).body(()).unwrap().into_parts();
            json!(Call::of_presigned(&head))
        };
        let wanted = json!({
            "caller": "local-presigner", "action": "s3:GetObject", "resource": "bucket/proofs/id/manifest.c2pa", "conditions": {},
        });
        assert_eq!(used(Method::GET), wanted);
        assert_eq!(used(Method::OPTIONS), Value::Null, "a preflight needs no permission");
    }
}
