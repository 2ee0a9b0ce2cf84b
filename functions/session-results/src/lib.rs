//! `GET /web/session-results/:token`: an integrator's backend reads how its session ended.

use std::sync::Arc;

use aws::{Connection, Presigner, Sessions};
use domain::{
    Clock, PhotoCapture, Profile, ReferenceId, Refusal, Session, SessionStatus, SessionToken, clock::rfc3339,
};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, OrRefuseAs, Rejection, Request, Response, flow, json, path_parameter,
    record_log_subject,
};
use serde::Serialize;
use time::OffsetDateTime;

/// The endpoint with its ports.
pub struct SessionResults {
    sessions: Sessions,
    presigner: Presigner,
    context: Context,
}

#[derive(Serialize)]
struct Results<'a> {
    reference_id: &'a ReferenceId,
    status: SessionStatus,
    total_photos: usize,
    captured_count: usize,
    created_at: String,
    photos: Vec<PhotoResult>,
    /// Of a hosted session.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
}

#[derive(Serialize)]
struct PhotoResult {
    order: u32,
    label: String,
    status: &'static str,
    #[serde(flatten)]
    capture: Option<CaptureResult>,
}

#[derive(Serialize)]
struct CaptureResult {
    session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<f64>,
    gps_lat: f64,
    gps_lon: f64,
    gps_accuracy: f64,
    captured_at_ms: i64,
    frame_hash_hex: String,
    authenticated_jpeg_url: Option<String>,
    manifest_url: String,
}

impl Endpoint for SessionResults {
    async fn warm_up(&self) {
        let unknown = SessionToken::from_entropy([0; 16]);
        let _ = tokio::join!(self.sessions.read(&unknown, self.context.now()), self.presigner.warm_up());
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        self.context.respond(self.results(&request)).await
    }
}

impl SessionResults {
    /// The endpoint over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program(env!("CARGO_PKG_NAME"));
        Self {
            sessions: Sessions::new(connection),
            presigner: Presigner::new(connection),
            context: Context::new(connection, clock),
        }
    }

    async fn results(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let is_hosted = flow(request).is_hosted();
        let token = path_parameter(request, "token");
        if is_hosted && token.is_empty() {
            return Err(Refusal::TokenMissing.into());
        }
        let token = SessionToken::parse(&token).ok_or(Refusal::SessionNotFound)?;
        record_log_subject("session", token.hash().short());
        let refusal = |error: &aws::Error| error.refusal(Refusal::SessionCorrupt, Refusal::UpstreamUnavailable);
        let session = self.sessions.read(&token, now).await.or_refuse_as(refusal)?.ok_or(Refusal::SessionNotFound)?;
        session.check_flow(is_hosted)?;
        json(&Results {
            reference_id: &session.reference_id,
            status: session.status(now),
            total_photos: session.total_photos(),
            captured_count: session.captured_count(),
            created_at: rfc3339(session.created_at),
            photos: self.photos(&token, &session, now).await?,
            profile: session.hosted.as_ref().map(|flow| flow.profile),
        })
    }

    async fn photos(
        &self,
        token: &SessionToken,
        session: &Session,
        now: OffsetDateTime,
    ) -> Result<Vec<PhotoResult>, Rejection> {
        let mut photos = Vec::with_capacity(session.total_photos());
        for (order, photo) in (1..).zip(&session.photos) {
            let (status, label, capture) = match &photo.capture {
                None => ("pending", String::new(), None),
                Some(capture) => {
                    let label = capture.label.as_ref().map_or_else(String::new, |label| label.as_str().to_owned());
                    ("captured", label, Some(self.capture(token, order, capture, now).await?))
                }
            };
            photos.push(PhotoResult { order, label, status, capture });
        }
        Ok(photos)
    }

    async fn capture(
        &self,
        token: &SessionToken,
        order: u32,
        capture: &PhotoCapture,
        now: OffsetDateTime,
    ) -> Result<CaptureResult, Rejection> {
        let authenticated_jpeg_url = match &capture.jpeg_key {
            Some(key) => Some(self.url(key, now).await?),
            None => None,
        };
        Ok(CaptureResult {
            session_id: token.session_id(order).expose(),
            heading: capture.heading,
            gps_lat: capture.position.latitude,
            gps_lon: capture.position.longitude,
            gps_accuracy: capture.position.accuracy,
            captured_at_ms: capture.captured_at_ms,
            frame_hash_hex: capture.frame_hash.hex(),
            authenticated_jpeg_url,
            manifest_url: self.url(&capture.manifest_key, now).await?,
        })
    }

    async fn url(&self, key: &str, now: OffsetDateTime) -> Result<String, Rejection> {
        self.presigner.proof_url(key, now).await.or_refuse(Refusal::UpstreamUnavailable)
    }
}
