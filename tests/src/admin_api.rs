//! Calls the admin API with IAM signatures, as operators' tools do.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign},
    sign::v4,
};
use reqwest::Method;
use serde_json::Value;

use crate::{Answer, Service};

impl Service {
    /// Sends a request to the admin API with the access key that may call it.
    pub async fn admin(&self, method: Method, path: &str, body: Value) -> Answer {
        let (id, secret) = (self.variable("AWS_ACCESS_KEY_ID"), self.variable("AWS_SECRET_ACCESS_KEY"));
        self.admin_as(Credentials::new(id, secret, None, None, "test"), method, path, body).await
    }

    /// The same with additional headers, such as `idempotency-key`.
    pub async fn admin_with(&self, method: Method, path: &str, body: Value, headers: &[(&str, &str)]) -> Answer {
        let (id, secret) = (self.variable("AWS_ACCESS_KEY_ID"), self.variable("AWS_SECRET_ACCESS_KEY"));
        self.send_signed(Credentials::new(id, secret, None, None, "test"), method, path, bytes(&body), headers).await
    }

    /// Posts a picture of a media type.
    pub async fn admin_picture(&self, path: &str, media_type: &str, picture: &[u8]) -> Answer {
        let (id, secret) = (self.variable("AWS_ACCESS_KEY_ID"), self.variable("AWS_SECRET_ACCESS_KEY"));
        let (credentials, headers) = (Credentials::new(id, secret, None, None, "test"), [("content-type", media_type)]);
        self.send_signed(credentials, Method::POST, path, picture.to_vec(), &headers).await
    }

    /// The same with other credentials.
    pub async fn admin_as(&self, credentials: Credentials, method: Method, path: &str, body: Value) -> Answer {
        self.send_signed(credentials, method, path, bytes(&body), &[]).await
    }

    async fn send_signed(
        &self,
        credentials: Credentials,
        method: Method,
        path: &str,
        body: Vec<u8>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let url = format!("{}{path}", self.variable("ADMIN_URL"));
        let identity = credentials.into();
        let parameters = v4::SigningParams::builder()
            .identity(&identity)
            .region(self.variable("AWS_REGION"))
            .name("execute-api")
            .time(SystemTime::now())
            .settings(SigningSettings::default())
            .build()
            .unwrap()
            .into();
        let signable =
            SignableRequest::new(method.as_str(), &url, std::iter::empty(), SignableBody::Bytes(&body)).unwrap();
        let (instructions, _) = sign(signable, &parameters).unwrap().into_parts();
        let mut request = self.http.request(method, &url);
        for (name, value) in instructions.headers() {
            request = request.header(name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(body)).await
    }
}

/// The bytes of a JSON body; none for `null`.
fn bytes(body: &Value) -> Vec<u8> {
    if body.is_null() { Vec::new() } else { body.to_string().into_bytes() }
}
