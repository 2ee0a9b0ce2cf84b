//! `GET /web/session-results/:token`: an integrator's backend reads the results of its session.

use std::{collections::BTreeMap, sync::Arc};

use lacre_api::{CapturedPhoto, PhotoStatus, Refusal, SessionPhoto};
use lacre_domain::{
    CaptureId, Clock, CustodyState, LoggedCapture, PhotoCapture, Renewal, Session, SessionToken, clock::rfc3339,
};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, Rejection, Request, Response, flow, json, path_parameter, read_session,
    record_log_subject,
};
use lacre_storage::{
    Connection, LogLeaf, LogState, ProofPresigner, Renewals, Sessions, TimeBudgets, until_deadline, within,
};
use lacre_transparency::{Extra, LogProof};
use time::OffsetDateTime;

/// The endpoint with its ports.
pub struct SessionResults {
    sessions: Sessions,
    renewals: Renewals,
    log: LogState,
    presigner: ProofPresigner,
    budgets: TimeBudgets,
    context: Context,
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
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("session-results");
        Self {
            sessions: Sessions::new(connection),
            renewals: Renewals::new(connection),
            log: LogState::new(connection),
            budgets: connection.config().budgets,
            presigner: ProofPresigner::new(connection),
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
        let session = read_session(&self.sessions, &token, now).await?;
        session.check_flow(is_hosted)?;
        json(&lacre_api::SessionResults {
            reference_id: session.reference_id.as_str().to_owned(),
            status: session.status(now),
            total_photos: session.total_photos(),
            captured_count: session.captured_count(),
            created_at: rfc3339(session.created_at).into(),
            photos: self.photos(&token, &session, now).await?,
            profile: session.hosted.as_ref().map(|flow| flow.kit.profile()),
            kit: session.hosted.as_ref().and_then(|flow| flow.kit.version_text()),
        })
    }

    async fn photos(
        &self,
        token: &SessionToken,
        session: &Session,
        now: OffsetDateTime,
    ) -> Result<Vec<SessionPhoto>, Rejection> {
        let (renewals, proofs) = tokio::join!(self.renewals(token, session), self.proofs(token, session));
        let mut renewals = renewals?.into_iter();
        let mut photos = Vec::with_capacity(session.total_photos());
        for (order, photo) in (1..).zip(&session.photos) {
            if photo.skipped {
                continue;
            }
            let (custody, capture) = match &photo.capture {
                None if photo.erased => (Some(CustodyState::Erased), None),
                None => (None, None),
                Some(capture) => match renewals.next() {
                    Some(Renewal::Allowed) => {
                        (Some(CustodyState::Held), Some((capture, self.urls(capture, now).await?)))
                    }
                    Some(Renewal::Erased) => (Some(CustodyState::Erased), None),
                    Some(Renewal::Withheld) | None => (Some(CustodyState::Withheld), Some((capture, Urls::default()))),
                },
            };
            let status = if custody.is_some() { PhotoStatus::Captured } else { PhotoStatus::Pending };
            let label = capture.as_ref().and_then(|(capture, _)| capture.label.as_ref());
            let label = label.map_or_else(String::new, |label| label.as_str().to_owned());
            let proof = proofs.get(token.session_id(order).capture_id().as_str());
            let proof = proof.filter(|_| custody == Some(CustodyState::Held)).map(ToString::to_string);
            let capture = capture.map(|(capture, urls)| result(token, order, capture, urls, proof));
            photos.push(SessionPhoto { order, step: photo.step_id().cloned(), label, status, custody, capture });
        }
        Ok(photos)
    }

    /// The transparency proofs of the captures that are in the log, by capture id. The results do not depend on the
    /// log: if it cannot be read in time, they are returned without proofs.
    async fn proofs(&self, token: &SessionToken, session: &Session) -> BTreeMap<String, LogProof> {
        let logged = (1..).zip(&session.photos).filter_map(|(order, photo)| {
            let logged = photo.capture.as_ref()?.logged.as_ref()?;
            Some((token.session_id(order).capture_id(), logged))
        });
        let logged: Vec<_> = logged.collect();
        let captures: Vec<_> = logged.iter().map(|(capture, _)| capture).collect();
        // The time limit includes the waits between rounds of retries.
        let leaves = within(self.budgets.attempt, until_deadline(self.log.leaves(&captures))).await;
        let leaves = leaves.map_err(|up| up.to_string()).and_then(|read| read.map_err(|cause| cause.to_string()));
        let mut leaves = leaves.unwrap_or_else(|cause| {
            tracing::warn!(cause, "the transparency log cannot be read");
            BTreeMap::new()
        });
        let proof = |(capture, logged): (CaptureId, &LoggedCapture)| {
            let LogLeaf { index, path, note } = leaves.remove(capture.as_str())?;
            let LoggedCapture { salt, record } = logged.clone();
            let proof = LogProof::of_parts(Extra { salt, record, timestamp: None }, index, &path, &note);
            Some((capture.as_str().to_owned(), proof?))
        };
        logged.into_iter().filter_map(proof).collect()
    }

    /// Whether the URLs of the captured photos may be renewed, in the order of the photos.
    async fn renewals(&self, token: &SessionToken, session: &Session) -> Result<Vec<Renewal>, Rejection> {
        let captured = (1..).zip(&session.photos).filter(|(_, photo)| photo.capture.is_some());
        let captured: Vec<CaptureId> = captured.map(|(order, _)| token.session_id(order).capture_id()).collect();
        if captured.is_empty() {
            return Ok(Vec::new());
        }
        self.renewals.read(&session.client_id, &captured).await.or_refuse(Refusal::UpstreamUnavailable)
    }

    async fn urls(&self, capture: &PhotoCapture, now: OffsetDateTime) -> Result<Urls, Rejection> {
        let jpeg = match &capture.jpeg_key {
            Some(key) => Some(self.url(key, now).await?),
            None => None,
        };
        Ok(Urls { jpeg, manifest: Some(self.url(&capture.manifest_key, now).await?) })
    }

    async fn url(&self, key: &str, now: OffsetDateTime) -> Result<String, Rejection> {
        self.presigner.proof_url(key, now).await.or_refuse(Refusal::UpstreamUnavailable)
    }
}

/// New presigned URLs of a proof; `None` where they are withheld or the object is not retained.
#[derive(Default)]
struct Urls {
    jpeg: Option<String>,
    manifest: Option<String>,
}

fn result(
    token: &SessionToken,
    order: u32,
    capture: &PhotoCapture,
    urls: Urls,
    transparency_proof: Option<String>,
) -> CapturedPhoto {
    CapturedPhoto {
        session_id: token.session_id(order).expose().into(),
        heading: capture.heading,
        gps_lat: capture.position.latitude,
        gps_lon: capture.position.longitude,
        gps_accuracy: capture.position.accuracy,
        captured_at_ms: capture.captured_at_ms,
        frame_hash_hex: capture.frame_hash.hex(),
        authenticated_jpeg_url: urls.jpeg.map(Into::into),
        authenticated_jpeg_sha256: capture.jpeg_sha256.map(|hash| hash.hex()),
        manifest_url: urls.manifest.map(Into::into),
        transparency_proof,
    }
}
