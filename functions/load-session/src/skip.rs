//! Skips the pending photo of a hosted session, if its step is optional. The request uses the nonce of the pending photo,
//! so that it can be repeated by nobody, and a second device that skips the same photo at the same time does not skip the
//! one after it.

use lacre_api::Refusal;
use lacre_domain::{Nonce, SessionToken};
use lacre_http::{
    Body, OrRefuse, OrRefuseAs, Rejection, Request, Response, browser, check_page, flow, json, json_object, next_photo,
    record_log_subject,
};
use lacre_storage::attempt_id;
use lambda_http::http::Method;
use serde_json::{Map, Value};

use crate::{LoadSession, not_issued};

/// Whether the request is one of this route. A load is a GET.
pub(crate) fn is_skip(request: &Request) -> bool {
    request.method() == Method::POST
}

/// The body of the request, of which only the types have been checked.
struct Skip<'a> {
    token: &'a str,
    nonce: Option<&'a str>,
    photo_order: i64,
}

impl<'a> Skip<'a> {
    fn read(body: &'a Map<String, Value>) -> Option<Self> {
        let nonce = match body.get("nonce") {
            None | Some(Value::Null) => None,
            Some(nonce) => Some(nonce.as_str()?),
        };
        Some(Self { token: body.get("token")?.as_str()?, nonce, photo_order: body.get("photo_order")?.as_i64()? })
    }
}

impl LoadSession {
    pub(crate) async fn skip(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let body = json_object(request).ok_or(Refusal::PayloadInvalid)?;
        let asked = Skip::read(&body).ok_or(Refusal::PayloadInvalid)?;
        let nonce = Nonce::parse(asked.nonce);
        let token = SessionToken::parse(asked.token).ok_or(Refusal::SessionNotFound)?;
        record_log_subject("session", token.hash().short());
        let opened =
            self.sessions.open(&token, nonce.as_ref().ok(), now).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let mut session = opened.session.or_refuse(Refusal::SessionCorrupt)?.ok_or(Refusal::SessionNotFound)?;
        session.check_flow(flow(request).is_hosted())?;
        session.check_loadable(now)?;
        browser(request)?;
        let id = session.license_id.clone().ok_or(Refusal::LicenseMissing)?;
        let license = self.read_license(&id, &session, now).await?;
        let origin = check_page(request, &license)?;
        let nonce = nonce?;
        let issued = opened.nonce.or_refuse(Refusal::UpstreamUnavailable)?.ok_or(Refusal::NonceReplay)?;
        issued.check_usable(&token.hash(), &license.id)?;
        issued.check_origin(&origin)?;
        let order = session.check_photo_order(asked.photo_order)?;
        session.check_optional(order)?;
        // The last photo of a session is required.
        let next = session.pending_after(order).ok_or(Refusal::PhotoRequired)?;

        if !self.sessions.consume_nonce(&nonce, &attempt_id()).await.or_refuse(Refusal::UpstreamUnavailable)? {
            return Err(Refusal::NonceReplay.into());
        }
        // A photo that another device captured in the meantime stays.
        if !self.sessions.skip_photo(&token, order).await.or_refuse(Refusal::UpstreamUnavailable)? {
            return Err(Refusal::PhotoOrderMismatch.into());
        }
        session.skip(order);
        let fresh = Nonce::from_entropy(lacre_storage::entropy());
        let upload = self.uploads.issue(fresh, &token, (&license.id, origin), session.expires_at, now).await;
        let upload = upload.or_refuse_as(not_issued)?;
        json(&next_photo(&session, next, session.captured_count(), upload, now))
    }
}
