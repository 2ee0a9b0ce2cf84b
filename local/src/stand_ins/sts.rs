//! A stand-in for STS that identifies callers. Each access key belongs to a user of the same name; signatures are not
//! verified.

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode, header},
    response::Response,
    routing::post,
};
use tokio::net::TcpListener;

use super::{Error, query};
use crate::server::Server;

const NAMESPACE: &str = "https://sts.amazonaws.com/doc/2011-06-15/";
const ACTION: &str = "GetCallerIdentity";
const ACCOUNT: &str = "000000000000";

/// Starts the stand-in.
pub(crate) fn start(listener: TcpListener) -> Result<Server, Error> {
    Ok(Server::start(listener, Router::new().route("/", post(handle)))?)
}

async fn handle(headers: HeaderMap, body: Bytes) -> Response {
    if query::form(&body).get("Action").map(String::as_str) != Some(ACTION) {
        let message = "The action is not served here.";
        return query::refused(NAMESPACE, StatusCode::BAD_REQUEST, "InvalidAction", message);
    }
    match signer(&headers) {
        Some(user) => query::answered(NAMESPACE, ACTION, &identity(user)),
        None => {
            let message = "Request is missing Authentication Token";
            query::refused(NAMESPACE, StatusCode::FORBIDDEN, "MissingAuthenticationToken", message)
        }
    }
}

fn identity(user: &str) -> String {
    let arn = format!("arn:aws:iam::{ACCOUNT}:user/{user}");
    format!("<Arn>{arn}</Arn><UserId>{user}</UserId><Account>{ACCOUNT}</Account>")
}

/// The access key id in the `Authorization` header. Ids that would need escaping in XML are rejected.
fn signer(headers: &HeaderMap) -> Option<&str> {
    let authorization = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (_, credential) = authorization.split_once("Credential=")?;
    let (id, _) = credential.split_once('/')?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    is_id.then_some(id)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use axum::{body::to_bytes, http::HeaderValue};

    use super::*;

    async fn ask(action: &str, authorization: Option<&'static str>) -> (StatusCode, String) {
        let headers = authorization.map(|value| (header::AUTHORIZATION, HeaderValue::from_static(value)));
        let body = format!("Action={action}&Version=2011-06-15");
        let response = handle(headers.into_iter().collect(), body.into()).await;
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn identifies_callers_by_access_key() {
        let signed = "AWS4-HMAC-SHA256 Credential=local-role/20261121/sa-east-1/sts/aws4_request, SignedHeaders=host";
        let (status, xml) = ask(ACTION, Some(signed)).await;
        assert_eq!(status, StatusCode::OK);
        let identity = "<Arn>arn:aws:iam::000000000000:user/local-role</Arn><UserId>local-role</UserId>\
            <Account>000000000000</Account>";
        assert!(xml.contains(&format!("<GetCallerIdentityResult>{identity}</GetCallerIdentityResult>")), "{xml}");
    }

    #[tokio::test]
    async fn serves_no_other_action() {
        for (action, authorization, code) in [
            (ACTION, None, "MissingAuthenticationToken"),
            (ACTION, Some("AWS4-HMAC-SHA256 Credential=<&>/20261121"), "MissingAuthenticationToken"),
            ("AssumeRole", Some("AWS4-HMAC-SHA256 Credential=role/20261121"), "InvalidAction"),
        ] {
            let (status, xml) = ask(action, authorization).await;
            assert!(status.is_client_error());
            assert!(xml.contains(&format!("<Code>{code}</Code>")), "{xml}");
        }
    }
}
