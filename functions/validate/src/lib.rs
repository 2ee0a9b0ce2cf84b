//! `POST /validate`: whether a license may be used. On `{license_url}` an SDK asks by license key, on `{capture_url}`
//! the hosted page asks by session.

mod by_key;
mod by_session;

use std::sync::Arc;

use lacre_api::{LicenseVerdict, Reason, Refusal};
use lacre_domain::{
    ClientId, Clock, KeyHash, KeyStatus, LicenseId, LicenseKey, LicenseKeyRecord, Origin, capture::month_of,
};
use lacre_http::{Body, Context, Endpoint, OrRefuse, Rejection, Request, Response, flow, json};
use lacre_storage::{Accounts, Connection, LicenseUnusable, LicenseUse, Sessions};
use time::OffsetDateTime;

pub use by_key::read_key;

/// The endpoint with its ports.
pub struct Validate {
    accounts: Accounts,
    sessions: Sessions,
    context: Context,
}

impl Endpoint for Validate {
    async fn warm_up(&self) {
        let _ = self.accounts.read_license_key(&KeyHash::of("")).await;
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        let verdict = async {
            let now = self.context.now();
            match flow(&request).is_hosted() {
                true => json(&self.by_session(&request, now).await?),
                false => json(&self.by_key(&request, now).await?),
            }
        };
        self.context.respond(verdict).await
    }
}

impl Validate {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("validate");
        Self {
            accounts: Accounts::new(connection),
            sessions: Sessions::new(connection),
            context: Context::new(connection, clock),
        }
    }

    /// Reads a license with its client and the count of this month's captures.
    async fn read(&self, license: &LicenseId, client: &ClientId, now: OffsetDateTime) -> Result<LicenseUse, Rejection> {
        let found = self.accounts.read_license(license, client, Some(&month_of(now))).await;
        found.or_refuse(Refusal::UpstreamUnavailable)
    }

    /// Reads the record of a license key; `None` unless the key is active.
    async fn read_key(&self, key: &LicenseKey) -> Result<Option<LicenseKeyRecord>, Rejection> {
        let record = self.accounts.read_license_key(&key.hash()).await.or_refuse(Refusal::UpstreamUnavailable)?;
        Ok(record.filter(|record| record.status == KeyStatus::Active))
    }
}

/// The policy of a license, or the reason why it may not be used now. If a key or session refers to a license that does
/// not exist, or a license to such a client, the stored data is inconsistent, which is an internal error instead of a
/// verdict.
fn judge(found: LicenseUse, origin: Option<Option<Origin>>, now: OffsetDateTime) -> Result<LicenseVerdict, Rejection> {
    let captures_used = found.captures_used;
    let license = match found.check(now) {
        Err(LicenseUnusable::NotInForce(fault)) => return Ok(Err(Reason::from(fault)).into()),
        checked => checked.or_refuse(Refusal::UpstreamUnavailable)?,
    };
    Ok(license.policy(captures_used, origin).into())
}
