//! Calls the hosted flow as a backend that creates sessions and as the hosted page.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::{
    Answer, Service,
    service::{Loaded, SAFARI},
};

impl Answer {
    /// The token in the response that created a hosted session.
    #[track_caller]
    pub fn hosted_token(self) -> String {
        assert_eq!(self.status, 201, "{}", self.body);
        self.body["token"].as_str().unwrap().to_owned()
    }
}

impl Service {
    /// A request to the hosted flow.
    pub fn hosted_request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.variable("CAPTURE_URL")))
    }

    /// The body of a request for a hosted session.
    pub fn hosted_order(profile: &str) -> Value {
        json!({
            "reference_id": "sinistro-42", "profile": profile, "redirect_uri": "http://localhost:3000/done?claim=42",
            "webhook_url": "https://hooks.example.com/lacre",
        })
    }

    /// `POST {capture_url}/web/sessions` with this API key and body.
    pub async fn create_hosted_with(&self, api_key: &str, body: &Value) -> Answer {
        self.send(self.hosted_request(Method::POST, "/web/sessions").header("x-api-key", api_key).json(body)).await
    }

    /// Creates a session of a profile and returns its token.
    pub async fn create_hosted(&self, profile: &str) -> String {
        self.create_hosted_with(self.variable("API_KEY"), &Self::hosted_order(profile)).await.hosted_token()
    }

    /// Sends a request as the hosted page does.
    pub async fn send_from_hosted_page(&self, request: RequestBuilder) -> Answer {
        self.send(request.header("origin", self.variable("CAPTURE_URL")).header("user-agent", SAFARI)).await
    }

    /// `GET {capture_url}/web/sessions/:token`, with the link's license key if there is one.
    pub async fn load_hosted(&self, token: &str, license_key: Option<&str>) -> Answer {
        let mut request = self.hosted_request(Method::GET, &format!("/web/sessions/{token}"));
        if let Some(key) = license_key {
            request = request.header("x-svc-license-key", key);
        }
        self.send_from_hosted_page(request).await
    }

    /// Loads a hosted session.
    pub async fn open_hosted(&self, token: &str) -> Loaded {
        Loaded { token: token.to_owned(), body: self.load_hosted(token, None).await.ok() }
    }

    /// `POST {capture_url}/web/ingest`.
    pub async fn ingest_hosted(&self, submission: &Value) -> Answer {
        self.send_from_hosted_page(self.hosted_request(Method::POST, "/web/ingest").json(submission)).await
    }

    /// Captures a frame in a loaded hosted session.
    pub async fn capture_hosted(&self, loaded: &Loaded, frame: &[u8]) -> Answer {
        assert_eq!(self.upload(loaded, frame).await, 200);
        self.ingest_hosted(&self.submission(loaded, frame)).await
    }

    /// `GET {capture_url}/web/session-results/:token`.
    pub async fn hosted_results(&self, token: &str) -> Answer {
        self.send(self.hosted_request(Method::GET, &format!("/web/session-results/{token}"))).await
    }

    /// `GET {capture_url}/web/session-status/:token`.
    pub async fn session_status(&self, token: &str) -> Answer {
        self.send(self.hosted_request(Method::GET, &format!("/web/session-status/{token}"))).await
    }

    /// `POST {capture_url}/validate`.
    pub async fn validate_session(&self, body: &Value) -> Answer {
        self.send_from_hosted_page(self.hosted_request(Method::POST, "/validate").json(body)).await
    }
}
