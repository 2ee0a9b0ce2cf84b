//! The license override of a hosted session: the parameter `license_key` in the address of its page.
//!
//! License keys are public, so the person who takes the photos could add the key of a less strict license. A key is
//! accepted only if its license is a hosted license of the same client and environment that could have created the
//! session, and only before the first photo. Otherwise the request gets [`Refusal::LicenseInvalid`], and the session
//! stays unchanged.

use lacre_api::{Refusal, headers};
use lacre_domain::{KeyStatus, License, LicenseId, LicenseKey, Session, SessionToken};
use lacre_http::{OrRefuse, Rejection, Request, header};
use time::OffsetDateTime;

use crate::LoadSession;

/// The license key that the request names, not yet validated. Ignored for component sessions.
pub(crate) fn wanted<'a>(request: &'a Request, session: &Session) -> Option<&'a str> {
    session.hosted.as_ref().and(header(request, headers::LICENSE_KEY))
}

impl LoadSession {
    /// Reads the license of a key, if the session may switch to it.
    ///
    /// # Errors
    /// [`Refusal::LicenseInvalid`], [`Refusal::UpstreamUnavailable`].
    pub(crate) async fn read_override(
        &self,
        key: &str,
        session: &Session,
        now: OffsetDateTime,
    ) -> Result<License, Rejection> {
        let key = LicenseKey::parse(key).ok_or(Refusal::LicenseInvalid)?;
        let record = self.accounts.read_license_key(&key.hash()).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let record =
            record.filter(|record| record.status == KeyStatus::Active && record.client_id == session.client_id);
        let license = self.read_license(&record.ok_or(Refusal::LicenseInvalid)?.license_id, session, now).await?;
        if session.may_use(&license) { Ok(license) } else { Err(Refusal::LicenseInvalid.into()) }
    }

    /// Binds the session to the license, if it is bound to another one.
    ///
    /// # Errors
    /// [`Refusal::LicenseInvalid`] if a photo was captured in the meantime; [`Refusal::UpstreamUnavailable`].
    pub(crate) async fn bind(
        &self,
        token: &SessionToken,
        session: &Session,
        license: &LicenseId,
    ) -> Result<(), Rejection> {
        let bound = session.license_id.as_ref().ok_or(Refusal::LicenseMissing)?;
        if bound == license {
            return Ok(());
        }
        let rebound = self.sessions.rebind(token, bound, license).await.or_refuse(Refusal::UpstreamUnavailable)?;
        if rebound { Ok(()) } else { Err(Refusal::LicenseInvalid.into()) }
    }
}
