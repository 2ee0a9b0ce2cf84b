//! Rows of `POST /web/ingest`, in the order of the checks.

pub(super) mod delivery;
pub(super) mod image;
pub(super) mod submission;

use lacre_tests::{Answer, Service, frame, service::Loaded};
use reqwest::StatusCode;
use serde_json::Value;

use super::{Row, damage_session, delete_license, deployed_with, rows};

/// A session with an uploaded frame, and the submission that would succeed.
struct Ready {
    loaded: Loaded,
    photo: Vec<u8>,
    submission: Value,
}

impl Ready {
    /// Prepares a new frame under the license of a variable.
    async fn under(service: &Service, license: &str) -> Self {
        Self::with(service, service.open(license).await, frame::fresh()).await
    }

    async fn with(service: &Service, loaded: Loaded, photo: Vec<u8>) -> Self {
        assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
        let submission = service.submission(&loaded, &photo);
        Self { loaded, photo, submission }
    }

    /// The submission with one field changed; `null` counts as absent.
    fn but(&self, field: &str, value: impl Into<Value>) -> Value {
        let mut changed = self.submission.clone();
        changed[field] = value.into();
        changed
    }

    /// Checks that the same submission succeeds: the nonce was not used and nothing is reserved.
    async fn still_works(&self, service: &Service) {
        assert_eq!(service.ingest(&self.submission).await.status, 200);
    }

    /// Checks that the frame can be captured after a new load, because the nonce was used.
    async fn works_again(&self, service: &Service) {
        assert_eq!(self.capture_again(service).await.status, 200);
    }

    /// Loads the session again, uploads the same frame again, and submits it.
    async fn capture_again(&self, service: &Service) -> Answer {
        let loaded = service.reload(&self.loaded.token).await;
        service.capture_in(&loaded, &self.photo).await
    }
}
