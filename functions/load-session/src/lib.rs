//! `GET /web/sessions/:token`: the component or the hosted page loads its session, and gets a nonce and an upload URL.
//! `POST /web/skip`: the hosted page skips the pending photo, which is optional, and gets the next one's.

mod license_override;
mod skip;

use std::{collections::BTreeMap, sync::Arc};

use lacre_api::{AskedPhoto, AskedState, GpsMode, LoadedSession, Refusal};
use lacre_domain::{
    Clock, ExpectedPhoto, License, LicenseId, Nonce, Origin, Session, SessionToken,
    clock::{epoch_millis, rfc3339},
    limits,
};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, OrRefuseAs, Rejection, Request, Response, browser, check_page, flow, json,
    path_parameter, read_session, record_log_subject,
};
use lacre_storage::{
    Accounts, Connection, Counted, Error, IssueError, IssuedUpload, Sessions, UPLOAD_CONTENT_TYPE, UploadIssuer,
};
use time::OffsetDateTime;

/// The endpoint with its ports.
pub struct LoadSession {
    accounts: Accounts,
    sessions: Sessions,
    uploads: UploadIssuer,
    context: Context,
    max_asset_bytes: u64,
}

impl Endpoint for LoadSession {
    async fn warm_up(&self) {
        let _ = self.sessions.read(&SessionToken::from_entropy([0; 16]), self.context.now()).await;
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        match skip::is_skip(&request) {
            true => self.context.respond(self.skip(&request)).await,
            false => self.context.respond(self.load(&request)).await,
        }
    }
}

impl LoadSession {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("load-session");
        Self {
            accounts: Accounts::new(connection),
            sessions: Sessions::new(connection),
            uploads: UploadIssuer::new(connection),
            context: Context::new(connection, clock),
            max_asset_bytes: connection.config().max_asset_bytes.read(),
        }
    }

    async fn load(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let token = SessionToken::parse(&path_parameter(request, "token")).ok_or(Refusal::SessionNotFound)?;
        record_log_subject("session", token.hash().short());
        let session = read_session(&self.sessions, &token, now).await?;
        session.check_flow(flow(request).is_hosted())?;
        session.check_loadable(now)?;
        browser(request)?;
        let license = match license_override::wanted(request, &session) {
            Some(key) => self.read_override(key, &session, now).await?,
            None => {
                let id = session.license_id.as_ref().ok_or(Refusal::LicenseMissing)?;
                self.read_license(id, &session, now).await?
            }
        };
        let origin = check_page(request, &license)?;
        let steps = self.steps(&session).await?;
        let pending = session.pending_order().ok_or(Refusal::SessionUsedOrExpired)?;
        let upload = self.open_upload(&token, &session, &license.id, origin, now).await?;
        // This step is last, so that a refused load changes neither the session's license nor the nonces that depend on
        // it.
        self.bind(&token, &session, &license.id).await?;
        let hosted = session.hosted.as_ref();
        json(&LoadedSession {
            token: token.expose().into(),
            status: session.status(now),
            expires_at: rfc3339(session.expires_at).into(),
            total_photos: session.total_photos(),
            captured_count: session.captured_count(),
            photo_order: pending,
            nonce: upload.nonce.expose().into(),
            upload_url: upload.url.into(),
            upload_method: "PUT".to_owned(),
            upload_headers: BTreeMap::from([("content-type".to_owned(), UPLOAD_CONTENT_TYPE.to_owned())]),
            upload_expires_at: rfc3339(now + limits::UPLOAD_URL_VALIDITY).into(),
            image_key: upload.image_key,
            max_asset_bytes: self.max_asset_bytes,
            capture_resolution: license.terms.capture_resolution,
            server_time_ms: epoch_millis(now),
            position_required: license.terms.gps_mode == GpsMode::Require,
            profile: hosted.map(|flow| flow.kit.profile()),
            framing: usize::try_from(pending - 1).ok().and_then(|index| Some(steps.get(index)?.step.framing)),
            steps,
            redirect_uri: hosted.map(|flow| flow.redirect_uri.as_str().into()),
        })
    }

    async fn read_license(&self, id: &LicenseId, session: &Session, now: OffsetDateTime) -> Result<License, Rejection> {
        let found = self.accounts.read_license(id, &session.client_id, None).await;
        found.or_refuse(Refusal::UpstreamUnavailable)?.check(now).or_refuse(Refusal::LicenseInvalid)
    }

    /// Counts the load and stores its nonce at the same time. If the load is not counted, the nonce is not returned.
    async fn open_upload(
        &self,
        token: &SessionToken,
        session: &Session,
        license: &LicenseId,
        origin: Origin,
        now: OffsetDateTime,
    ) -> Result<IssuedUpload, Rejection> {
        let nonce = Nonce::from_entropy(lacre_storage::entropy());
        let (counted, issued) = tokio::join!(
            self.sessions.count_load(token, &nonce, session.expires_at),
            self.uploads.issue(nonce.clone(), token, (license, origin), session.expires_at, now),
        );
        if counted.or_refuse(Refusal::UpstreamUnavailable)? == Counted::LimitReached {
            return Err(Refusal::LoadLimitReached.into());
        }
        issued.or_refuse_as(not_issued)
    }

    /// What the page shows of each photo of a hosted session.
    async fn steps(&self, session: &Session) -> Result<Vec<AskedPhoto>, Rejection> {
        let Some(flow) = &session.hosted else { return Ok(Vec::new()) };
        let refusal = |error: &Error| error.refusal(Refusal::SessionCorrupt, Refusal::UpstreamUnavailable);
        let kit =
            self.accounts.kit_of(&session.client_id, session.environment, &flow.kit).await.or_refuse_as(refusal)?;
        let steps = session.steps(&kit).ok_or(Refusal::SessionCorrupt)?;
        let asked = |(step, photo): (_, &ExpectedPhoto)| AskedPhoto {
            step: Clone::clone(step),
            state: state(photo),
            note: photo.step.as_ref().and_then(|step| step.note.clone()),
        };
        Ok(steps.into_iter().zip(&session.photos).map(asked).collect())
    }
}

fn state(photo: &ExpectedPhoto) -> AskedState {
    match (photo.skipped, photo.is_captured()) {
        (true, _) => AskedState::Skipped,
        (false, true) => AskedState::Captured,
        (false, false) => AskedState::Pending,
    }
}

/// The refusal if the upload of a photo was not issued.
fn not_issued(error: &IssueError) -> Refusal {
    match error {
        IssueError::Presign(_) => Refusal::PresignUnavailable,
        IssueError::Store(_) => Refusal::UpstreamUnavailable,
    }
}
