//! API Gateway's IAM authorizer for a single access key: it verifies the Signature Version 4 of each request.
//!
//! Permissions are not evaluated; on AWS, IAM policies decide them.

use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign},
    sign::v4,
};
use axum::http::request::Parts;
use serde_json::{Value, json};
use time::{OffsetDateTime, PrimitiveDateTime, macros::format_description};

const ALGORITHM: &str = "AWS4-HMAC-SHA256 ";
const SERVICE: &str = "execute-api";
const TIME: &[time::format_description::FormatItem<'static>] =
    format_description!("[year][month][day]T[hour][minute][second]Z");
/// Maximum difference between the caller's clock and this machine's.
const SKEW: Duration = Duration::from_secs(300);

/// The only access key whose signatures are accepted.
pub(crate) struct Authorizer {
    access_key_id: String,
    credentials: Credentials,
    region: String,
}

/// The fields of an `Authorization` header.
struct Claim<'a> {
    credential: &'a str,
    signed_headers: Vec<&'a str>,
    signature: &'a str,
}

impl Authorizer {
    pub(crate) fn new(credentials: &lacre_storage::StaticCredentials, region: &str) -> Self {
        let access_key_id = credentials.access_key_id.clone();
        let secret = credentials.secret_access_key.clone();
        let credentials = Credentials::new(&access_key_id, secret, None, None, "local");
        Self { access_key_id, credentials, region: region.to_owned() }
    }

    /// The request context's `authorizer` object; `None` if the request has no valid signature of this key.
    pub(super) fn caller(&self, head: &Parts, body: &[u8]) -> Option<Value> {
        let claim = Claim::read(text(head, "authorization")?)?;
        let date = text(head, "x-amz-date")?;
        let at: SystemTime = PrimitiveDateTime::parse(date, TIME).ok()?.assume_utc().into();
        let now = SystemTime::from(OffsetDateTime::now_utc());
        let is_in_time = now.duration_since(at).unwrap_or_else(|ahead| ahead.duration()) <= SKEW;
        let scope = format!("{}/{}/{}/{SERVICE}/aws4_request", self.access_key_id, date.get(..8)?, self.region);
        let covers = |name| claim.signed_headers.contains(&name);
        let holds = is_in_time && claim.credential == scope && covers("host") && covers("x-amz-date");
        let signed = holds.then(|| self.signature(head, &claim.signed_headers, body, at)).flatten();
        let user_arn = format!("arn:aws:iam::000000000000:user/{}", self.access_key_id);
        (signed? == claim.signature).then(|| {
            let access_key = &self.access_key_id;
            json!({ "iam": { "accessKey": access_key, "accountId": "000000000000", "userArn": user_arn } })
        })
    }

    /// Computes the expected signature of a request.
    fn signature(&self, head: &Parts, signed_headers: &[&str], body: &[u8], at: SystemTime) -> Option<String> {
        let identity = self.credentials.clone().into();
        let mut settings = SigningSettings::default();
        // The caller chooses which headers are signed, so none may be excluded.
        settings.excluded_headers = None;
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name(SERVICE)
            .time(at)
            .settings(settings)
            .build()
            .ok()?
            .into();
        let headers = signed_headers.iter().map(|name| text(head, name).map(|value| (*name, value)));
        let headers: Vec<_> = headers.collect::<Option<_>>()?;
        let url = format!("http://{}{}", text(head, "host")?, head.uri);
        let request = SignableRequest::new(head.method.as_str(), url, headers.into_iter(), SignableBody::Bytes(body));
        let (_, signature) = sign(request.ok()?, &params).ok()?.into_parts();
        Some(signature)
    }
}

impl<'a> Claim<'a> {
    fn read(authorization: &'a str) -> Option<Self> {
        let parts = authorization.strip_prefix(ALGORITHM)?.split(',').map(str::trim);
        let named = |name: &str| parts.clone().find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        Some(Self {
            credential: named("Credential")?,
            signed_headers: named("SignedHeaders")?.split(';').collect(),
            signature: named("Signature")?,
        })
    }
}

fn text<'a>(head: &'a Parts, name: &str) -> Option<&'a str> {
    head.headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use axum::http::Request;

    const BODY: &[u8] = br#"{"name":"Example"}"#;

    fn authorizer(secret: &str) -> Authorizer {
        let (access_key_id, secret_access_key) = ("KEY".to_owned(), secret.to_owned());
        let credentials = lacre_storage::StaticCredentials { access_key_id, secret_access_key, session_token: None };
        Authorizer::new(&credentials, "sa-east-1")
    }

    /// A request that was signed `ago` before now with this secret.
    fn signed(secret: &str, ago: Duration) -> Parts {
        let at = OffsetDateTime::now_utc() - ago;
        let date = at.format(TIME).unwrap();
        let mut head = Request::post("/clients?a=b%20c&d").header("host", "127.0.0.1:8703");
        head = head.header("x-amz-date", &date).header("content-type", "application/json").header("user-agent", "test");
        let mut head = head.body(()).unwrap().into_parts().0;
        let headers = ["content-type", "host", "user-agent", "x-amz-date"];
        let at = PrimitiveDateTime::parse(&date, TIME).unwrap().assume_utc().into();
        let signature = authorizer(secret).signature(&head, &headers, BODY, at).unwrap();
        let scope = format!("KEY/{}/sa-east-1/execute-api/aws4_request", &date[..8]);
        let authorization =
            format!("{ALGORITHM}Credential={scope}, SignedHeaders={}, Signature={signature}", headers.join(";"));
        head.headers.insert("authorization", authorization.parse().unwrap());
        head
    }

    #[test]
    fn requires_a_valid_request_signature() {
        let gate = authorizer("secret");
        let permitted = |head: &Parts, body: &[u8]| gate.caller(head, body).is_some();
        let good = || signed("secret", Duration::ZERO);
        assert_eq!(gate.caller(&good(), BODY).unwrap()["iam"]["accessKey"], "KEY");
        assert!(!permitted(&signed("another secret", Duration::ZERO), BODY));
        assert!(!permitted(&signed("secret", Duration::from_secs(600)), BODY));
        assert!(!permitted(&good(), b"{}"));
        let mut other = good();
        other.uri = "/clients?a=c".parse().unwrap();
        assert!(!permitted(&other, BODY));
        for (header, value) in [("user-agent", "another"), ("authorization", "Basic a2V5"), ("x-amz-date", "today")] {
            let mut other = good();
            other.headers.insert(header, value.parse().unwrap());
            assert!(!permitted(&other, BODY), "{header}");
        }
        let mut unsigned = good();
        unsigned.headers.remove("authorization");
        assert!(!permitted(&unsigned, BODY));
    }
}
