//! `POST /validate`: an SDK asks whether its license may be used.

use std::sync::Arc;

use aws::{Accounts, Connection};
use domain::{Clock, KeyHash, KeyStatus, LicenseKey, Refusal, Verdict, capture::month_of, verdict::Reason};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, Rejection, Request, Response, json, json_object, named_origin,
    record_log_subject,
};

/// The endpoint with its ports.
pub struct Validate {
    accounts: Accounts,
    context: Context,
}

impl Endpoint for Validate {
    async fn warm_up(&self) {
        let _ = self.accounts.read_license_key(&KeyHash::of("")).await;
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        let verdict = async { json(&self.validate(&request).await?) };
        self.context.respond(verdict).await
    }
}

impl Validate {
    /// The endpoint over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program(env!("CARGO_PKG_NAME"));
        Self { accounts: Accounts::new(connection), context: Context::new(connection, clock) }
    }

    async fn validate(&self, request: &Request) -> Result<Verdict, Rejection> {
        let now = self.context.now();
        let Some(key) = read_key(request)? else { return Ok(Verdict::refused(Reason::InvalidKey)) };
        record_log_subject("license_key", key.hash().short());

        let record = self.accounts.read_license_key(&key.hash()).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let Some(record) = record.filter(|record| record.status == KeyStatus::Active) else {
            return Ok(Verdict::refused(Reason::InvalidKey));
        };
        let found = self.accounts.read_license(&record.license_id, &record.client_id, Some(&month_of(now))).await;
        let found = found.or_refuse(Refusal::UpstreamUnavailable)?;
        // A key without its license, or a license without its client, is the store's fault and no verdict.
        let license = found.license.or_refuse(Refusal::UpstreamUnavailable)?.ok_or(Refusal::UpstreamUnavailable)?;
        let client = found.client.or_refuse(Refusal::UpstreamUnavailable)?.ok_or(Refusal::UpstreamUnavailable)?;
        Ok(Verdict::of(&license, &client, found.captures_used, named_origin(request), now))
    }
}

/// The license key that the body asks about; `None` if it is missing or malformed.
///
/// # Errors
/// [`Refusal::PayloadInvalid`].
pub fn read_key(request: &Request) -> Result<Option<LicenseKey>, Refusal> {
    let body = json_object(request).ok_or(Refusal::PayloadInvalid)?;
    Ok(body.get("license_key").and_then(|key| key.as_str()).and_then(LicenseKey::parse))
}
