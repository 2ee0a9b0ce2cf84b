//! Validation by session, for the hosted page, which has no license key of its own. If its address has a license key,
//! the verdict is about that key's license; the session is not changed until it is loaded.

use lacre_api::{LicenseVerdict, Reason, Refusal};
use lacre_domain::{LicenseKey, SessionToken};
use lacre_http::{Rejection, Request, json_object, read_session, record_log_subject};
use time::OffsetDateTime;

use crate::{Validate, judge};

impl Validate {
    /// Checks, in this order: the body, the session, its license.
    pub(crate) async fn by_session(&self, request: &Request, now: OffsetDateTime) -> Result<LicenseVerdict, Rejection> {
        let body = json_object(request).ok_or(Refusal::PayloadInvalid)?;
        let text = |name: &str| body.get(name).and_then(|value| value.as_str());
        let token = text("token").and_then(SessionToken::parse).ok_or(Refusal::SessionNotFound)?;
        record_log_subject("session", token.hash().short());
        let session = read_session(&self.sessions, &token, now).await?;
        session.check_flow(true)?;
        session.check_loadable(now)?;
        let invalid = Ok(Err(Reason::InvalidKey).into());
        let named = body.get("license_key").map(|key| key.as_str().and_then(LicenseKey::parse));
        let id = match &named {
            None => session.license_id.clone(),
            Some(None) => None,
            Some(Some(key)) => {
                let record = self.read_key(key).await?.filter(|record| record.client_id == session.client_id);
                record.map(|record| record.license_id)
            }
        };
        let Some(id) = id else { return invalid };
        let found = self.read(&id, &session.client_id, now).await?;
        if let (Some(_), Ok(Some(license))) = (&named, &found.license)
            && !session.may_use(license)
        {
            return invalid;
        }
        // The page belongs to the service itself, so its origin is in no allowlist and is not checked.
        judge(found, None, now)
    }
}
