//! Creates component sessions: the backend names the license, and the session takes one photo.

use lacre_api::Refusal;
use lacre_domain::{ApiKey, ApiKeyRecord, ExpectedPhoto, LicenseKey, LicenseKeyRecord, ReferenceId, Session};
use lacre_http::{OrRefuse, Rejection, Request, check_api_key, json_object};
use time::OffsetDateTime;

use crate::CreateSession;

/// The number of photos in a component session.
const TOTAL_PHOTOS: u32 = 1;

/// The parsed body of the request.
pub struct Order {
    /// The license key, which selects the license of the session.
    pub license_key: LicenseKey,
    /// The integrator's reference.
    pub reference_id: ReferenceId,
}

impl Order {
    /// Parses the body.
    ///
    /// # Errors
    /// In this order: [`Refusal::CreatePayloadInvalid`], [`Refusal::LicenseKeyMalformed`],
    /// [`Refusal::ReferenceIdInvalid`].
    pub fn read(request: &Request) -> Result<Self, Refusal> {
        let body = json_object(request).ok_or(Refusal::CreatePayloadInvalid)?;
        let text = |name: &str| body.get(name).and_then(|value| value.as_str());
        Ok(Self {
            license_key: text("license_key").and_then(LicenseKey::parse).ok_or(Refusal::LicenseKeyMalformed)?,
            reference_id: ReferenceId::parse(text("reference_id").unwrap_or_default())?,
        })
    }
}

impl CreateSession {
    pub(crate) async fn of_component(
        &self,
        request: &Request,
        api_key: &ApiKey,
        now: OffsetDateTime,
    ) -> Result<Session, Rejection> {
        let (record, order, license) = self.identify_both(request, api_key).await?;
        if !license.may_create(&record, TOTAL_PHOTOS, now) {
            return Err(Refusal::LicenseNotOwned.into());
        }
        if license.environment != record.environment {
            return Err(Refusal::LicenseEnvironmentMismatch.into());
        }
        let (client, id) = (license.client_id, license.license_id);
        let photos = ExpectedPhoto::plain(TOTAL_PHOTOS);
        Ok(Session::new(client, id, license.environment, order.reference_id, photos, now))
    }

    /// Reads the records of both keys in one round trip. Checks of the API key come before checks of the body, so if
    /// the body cannot be parsed, the API key's record is read and checked alone before the body is refused.
    async fn identify_both(
        &self,
        request: &Request,
        api_key: &ApiKey,
    ) -> Result<(ApiKeyRecord, Order, LicenseKeyRecord), Rejection> {
        let order = match Order::read(request) {
            Ok(order) => order,
            Err(refusal) => {
                self.identify(api_key).await?;
                return Err(refusal.into());
            }
        };
        let keys = self.accounts.read_create_keys(&api_key.hash(), &order.license_key.hash()).await;
        let keys = keys.or_refuse(Refusal::UpstreamUnavailable)?;
        let record = check_api_key(keys.api_key.or_refuse(Refusal::ApiKeyInconsistent)?)?;
        let license = keys.license_key.or_refuse(Refusal::LicenseInconsistent)?.ok_or(Refusal::LicenseNotOwned)?;
        Ok((record, order, license))
    }
}
