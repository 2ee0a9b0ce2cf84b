//! `GET /web/image/:session_id`: an integrator's backend gets a new presigned URL of a retained JPEG.

use std::sync::Arc;

use lacre_api::{Refusal, RenewedImage};
use lacre_domain::{Clock, Renewal, SessionId, SessionToken, clock::rfc3339, limits};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, Rejection, Request, Response, json, path_parameter, record_log_subject,
};
use lacre_storage::{Captures, Connection, ProofPresigner, Renewals};

/// The endpoint with its ports.
pub struct Image {
    captures: Captures,
    renewals: Renewals,
    presigner: ProofPresigner,
    context: Context,
}

impl Endpoint for Image {
    async fn warm_up(&self) {
        let unknown = SessionToken::from_entropy([0; 16]).session_id(1).capture_id();
        let _ = tokio::join!(self.captures.read(&unknown), self.presigner.warm_up());
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        self.context.respond(self.renew(&request)).await
    }
}

impl Image {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("image");
        Self {
            captures: Captures::new(connection),
            renewals: Renewals::new(connection),
            presigner: ProofPresigner::new(connection),
            context: Context::new(connection, clock),
        }
    }

    async fn renew(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let session_id = SessionId::parse(&path_parameter(request, "session_id")).ok_or(Refusal::CaptureNotFound)?;
        record_log_subject("capture", session_id.capture_id().short());
        let capture = self.captures.read(&session_id.capture_id()).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let capture = capture.ok_or(Refusal::CaptureNotFound)?;
        let key = capture.jpeg_key.ok_or(Refusal::AssetNotRetained)?;
        let renewals = self.renewals.read(&capture.client_id, &[capture.capture_id]).await;
        match renewals.or_refuse(Refusal::UpstreamUnavailable)?[..] {
            [Renewal::Allowed] => {}
            [Renewal::Erased] => return Err(Refusal::AssetErased.into()),
            _ => return Err(Refusal::AssetWithheld.into()),
        }
        let url = self.presigner.proof_url(&key, now).await.or_refuse(Refusal::PresignUnavailable)?;
        json(&RenewedImage {
            session_id: session_id.expose().into(),
            authenticated_jpeg_url: url.into(),
            expires_at: rfc3339(now + limits::RESULT_URL_VALIDITY).into(),
        })
    }
}
