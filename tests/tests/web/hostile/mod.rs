//! What no honest client sends. It always gets a documented refusal, or the gateway's own response, and costs no one
//! anything: the session that it named captures well afterwards.

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

/// What is not a request that the service knows.
fn gateway(status: u16, message: &str) -> (u16, Value) {
    (status, json!({ "message": message }))
}

fn payload_invalid() -> (u16, Value) {
    refusal(400, "Payload inválido", None)
}

/// A session, with a frame that was uploaded for it.
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

    /// Whatever happened to the service in between: the capture that was begun succeeds, and the next one too.
    async fn still_captures(self) {
        let answer = self.service.ingest(&self.submission).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(self.service.results(&self.loaded.token).await.ok()["status"], "captured");
        assert_eq!(self.service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await.1.status, 200);
        assert_eq!(self.service.validate("LICENSE_KEY").await.ok()["captures_used"], 1);
    }
}
