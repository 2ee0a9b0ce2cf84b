//! `POST /web/ingest`: its rows in the order of the checks.

pub(super) mod delivery;
pub(super) mod image;
pub(super) mod submission;

use lacre_tests::{Answer, Service, frame, service::Loaded};
use reqwest::StatusCode;
use serde_json::Value;

use super::{Row, damage_session, delete_license, deployed_with, rows};

/// A session whose frame is uploaded, with the submission that would succeed.
struct Ready {
    loaded: Loaded,
    photo: Vec<u8>,
    submission: Value,
}

impl Ready {
    /// With a fresh frame, under a named license.
    async fn under(service: &Service, license: &str) -> Self {
        Self::with(service, service.open(license).await, frame::fresh()).await
    }

    async fn with(service: &Service, loaded: Loaded, photo: Vec<u8>) -> Self {
        assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
        let submission = service.submission(&loaded, &photo);
        Self { loaded, photo, submission }
    }

    /// The submission with another value in a field; `null` counts as absent.
    fn but(&self, field: &str, value: impl Into<Value>) -> Value {
        let mut changed = self.submission.clone();
        changed[field] = value.into();
        changed
    }

    /// The session and its nonce stay good for the same frame: nothing was spent, nothing is held.
    async fn still_works(&self, service: &Service) {
        assert_eq!(service.ingest(&self.submission).await.status, 200);
    }

    /// The nonce is spent; the session stays open, and the same frame may be captured.
    async fn works_again(&self, service: &Service) {
        assert_eq!(self.capture_again(service).await.status, 200);
    }

    /// Loads the session again, uploads the same frame again, sends it again.
    async fn capture_again(&self, service: &Service) -> Answer {
        let loaded = service.reload(&self.loaded.token).await;
        service.capture_in(&loaded, &self.photo).await
    }
}
