//! Permissions of S3 requests. Buckets use path-style addressing.

use http::{Method, request::Parts};

use crate::need::{Conditions, Need, logical};

/// Bucket settings: the query parameter, and the name in the IAM action.
const SETTINGS: [(&str, &str); 4] = [
    ("cors", "BucketCORS"),
    ("object-lock", "BucketObjectLockConfiguration"),
    ("policy", "BucketPolicy"),
    ("versioning", "BucketVersioning"),
];

/// The actions of a request. Bypassing retention is a separate action.
pub(crate) fn needs(head: &Parts) -> Vec<Need> {
    let path = head.uri.path().trim_start_matches('/');
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    let key: Vec<String> = key.split('/').map(without_id).collect();
    let resource = format!("bucket/{}/{}", logical(bucket), key.join("/"));
    let resource = resource.trim_end_matches('/');
    let need = |action: &str, conditions| (format!("s3:{action}"), resource.to_owned(), conditions);
    if key.concat().is_empty() {
        return vec![need(&of_bucket(head), Conditions::new())];
    }
    let action = of_object(head);
    let bypass = (action == "DeleteObjectVersion" && header(head, "x-amz-bypass-governance-retention") == Some("true"))
        .then(|| need("BypassGovernanceRetention", Conditions::new()));
    [need(action, conditions(head))].into_iter().chain(bypass).collect()
}

fn of_bucket(head: &Parts) -> String {
    if let Some((_, setting)) = SETTINGS.into_iter().find(|(name, _)| has_parameter(head, name)) {
        let verb = match (&head.method, setting) {
            (&Method::GET, _) => "Get",
            (&Method::DELETE, "BucketPolicy") => "Delete",
            _ => "Put",
        };
        return format!("{verb}{setting}");
    }
    let action = match (&head.method, has_parameter(head, "versions")) {
        (&Method::GET, true) => "ListBucketVersions",
        (&Method::GET | &Method::HEAD, _) => "ListBucket",
        (&Method::PUT, _) => "CreateBucket",
        (&Method::DELETE, _) => "DeleteBucket",
        (method, _) => method.as_str(),
    };
    action.to_owned()
}

fn of_object(head: &Parts) -> &str {
    match (&head.method, has_parameter(head, "versionId")) {
        (&Method::GET | &Method::HEAD, false) => "GetObject",
        (&Method::GET | &Method::HEAD, true) => "GetObjectVersion",
        (&Method::PUT, _) => "PutObject",
        (&Method::DELETE, false) => "DeleteObject",
        (&Method::DELETE, true) => "DeleteObjectVersion",
        (method, _) => method.as_str(),
    }
}

/// The condition keys of a request. A bucket policy may require that a write does not overwrite.
fn conditions(head: &Parts) -> Conditions {
    let absent = header(head, "if-none-match").filter(|_| head.method == Method::PUT);
    absent.map(|value| ("s3:if-none-match", [value.to_owned()].into())).into_iter().collect()
}

fn header<'a>(head: &'a Parts, name: &str) -> Option<&'a str> {
    head.headers.get(name).and_then(|value| value.to_str().ok())
}

fn has_parameter(head: &Parts, wanted: &str) -> bool {
    let query = head.uri.query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == wanted)
}

/// Removes identifiers from a key: `id.jpg` for `4f0a….jpg`.
fn without_id(part: &str) -> String {
    let (stem, extension) = part.find('.').map_or((part, ""), |dot| part.split_at(dot));
    let is_id = stem.bytes().any(|byte| byte.is_ascii_digit());
    format!("{}{extension}", if is_id { "id" } else { stem })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use http::Request;

    use super::*;

    /// The needed permissions without conditions, as `ACTION RESOURCE`.
    fn read(method: Method, uri: &str, headers: &[(&str, &str)]) -> Vec<String> {
        let request = Request::builder().method(method).uri(uri);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let (head, ()) = request.body(()).unwrap().into_parts();
        needs(&head).into_iter().map(|(action, resource, _)| format!("{action} {resource}")).collect()
    }

    #[test]
    fn versions_have_their_own_actions() {
        let (plain, version) =
            ("/lacre-proofs/4f0a/manifest.c2pa?x-id=GetObject", "/lacre-proofs/4f0a.jpg?versionId=1f");
        assert_eq!(read(Method::GET, plain, &[]), ["s3:GetObject bucket/proofs/id/manifest.c2pa"]);
        assert_eq!(read(Method::HEAD, version, &[]), ["s3:GetObjectVersion bucket/proofs/id.jpg"]);
        assert_eq!(read(Method::DELETE, plain, &[]), ["s3:DeleteObject bucket/proofs/id/manifest.c2pa"]);
        assert_eq!(read(Method::DELETE, version, &[]), ["s3:DeleteObjectVersion bucket/proofs/id.jpg"]);
    }

    #[test]
    fn bypassing_retention_needs_its_own_permission() {
        let delete = |bypass: &str| {
            let headers = [("x-amz-bypass-governance-retention", bypass)];
            read(Method::DELETE, "/lacre-proofs/4f0a.jpg?versionId=1f", &headers)
        };
        assert_eq!(delete("false"), ["s3:DeleteObjectVersion bucket/proofs/id.jpg"]);
        let wanted =
            ["s3:DeleteObjectVersion bucket/proofs/id.jpg", "s3:BypassGovernanceRetention bucket/proofs/id.jpg"];
        assert_eq!(delete("true"), wanted);
    }

    #[test]
    fn reads_bucket_level_actions() {
        for (method, parameters, action) in [
            (Method::GET, "?list-type=2&prefix=records%2F", "ListBucket"),
            (Method::HEAD, "", "ListBucket"),
            (Method::GET, "/?versions&prefix=versioning", "ListBucketVersions"),
            (Method::GET, "?versioning", "GetBucketVersioning"),
            (Method::PUT, "?object-lock=", "PutBucketObjectLockConfiguration"),
            (Method::DELETE, "?policy", "DeleteBucketPolicy"),
            (Method::DELETE, "?cors", "PutBucketCORS"),
            (Method::PUT, "", "CreateBucket"),
        ] {
            let found = read(method, &format!("/lacre-export{parameters}"), &[]);
            assert_eq!(found, [format!("s3:{action} bucket/export")]);
        }
    }

    #[test]
    fn writes_state_whether_they_may_replace() {
        let put = |headers: &[(&str, &str)]| {
            let request = Request::put("/lacre-export/records/4f0a.json");
            let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            let (head, ()) = request.body(()).unwrap().into_parts();
            needs(&head)
        };
        let need = |conditions| ("s3:PutObject".to_owned(), "bucket/export/records/id.json".to_owned(), conditions);
        assert_eq!(put(&[]), [need(Conditions::new())]);
        let absent = Conditions::from([("s3:if-none-match", BTreeSet::from(["*".to_owned()]))]);
        assert_eq!(put(&[("if-none-match", "*")]), [need(absent)]);
    }
}
