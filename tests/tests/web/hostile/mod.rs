//! Requests that no honest client sends. Each gets a documented refusal or the gateway's own response, and the session
//! can still capture afterwards.

mod bodies;
mod headers;
mod images;
mod numbers;
mod paths;
mod wire;

use lacre_tests::{
    Service, frame,
    service::{Loaded, refusal},
};
use serde_json::{Value, json};

/// The gateway's own response to a request that it does not accept.
fn gateway(status: u16, message: &str) -> (u16, Value) {
    (status, json!({ "message": message }))
}

fn payload_invalid() -> (u16, Value) {
    refusal(400, "Payload inválido", None)
}

/// A session with an uploaded frame.
struct Prey {
    service: Service,
    loaded: Loaded,
    submission: Value,
}

impl Prey {
    async fn ready() -> Self {
        let service = Service::start().await;
        let photo = frame::fresh();
        let loaded = service.open("LICENSE_KEY").await;
        assert_eq!(service.upload(&loaded, &photo).await, 200);
        let submission = service.submission(&loaded, &photo);
        Self { service, loaded, submission }
    }

    /// Checks that the started capture and another one succeed.
    async fn still_captures(self) {
        let answer = self.service.ingest(&self.submission).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(self.service.results(&self.loaded.token).await.ok()["status"], "captured");
        assert_eq!(self.service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await.1.status, 200);
        assert_eq!(self.service.validate("LICENSE_KEY").await.ok()["captures_used"], 1);
    }
}
