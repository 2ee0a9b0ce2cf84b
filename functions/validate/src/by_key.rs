//! Validation by license key, for the component and the SDKs.

use lacre_api::{LicenseVerdict, Reason, Refusal};
use lacre_domain::LicenseKey;
use lacre_http::{Rejection, Request, json_object, named_origin, record_log_subject};
use time::OffsetDateTime;

use crate::{Validate, judge};

impl Validate {
    pub(crate) async fn by_key(&self, request: &Request, now: OffsetDateTime) -> Result<LicenseVerdict, Rejection> {
        let Some(key) = read_key(request)? else { return Ok(Err(Reason::InvalidKey).into()) };
        record_log_subject("license_key", key.hash().short());
        let Some(record) = self.read_key(&key).await? else { return Ok(Err(Reason::InvalidKey).into()) };
        judge(self.read(&record.license_id, &record.client_id, now).await?, named_origin(request), now)
    }
}

/// The license key in the body; `None` if it is missing or malformed.
///
/// # Errors
/// [`Refusal::PayloadInvalid`].
pub fn read_key(request: &Request) -> Result<Option<LicenseKey>, Refusal> {
    let body = json_object(request).ok_or(Refusal::PayloadInvalid)?;
    Ok(body.get("license_key").and_then(|key| key.as_str()).and_then(LicenseKey::parse))
}
