//! Creates hosted sessions: an operator chose the license, and the profile determines the number of photos.

use lacre_api::Refusal;
use lacre_domain::{ApiKey, ApiKeyRecord, Environment, HostedFlow, License, Profile, ReferenceId, Session, WebUrl};
use lacre_http::{OrRefuse, OrRefuseAs, Rejection, Request, json_object};
use lacre_storage::LicenseUnusable;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::CreateSession;

/// The body of the request, of which only the types have been checked.
struct Order<'a> {
    reference_id: &'a str,
    redirect_uri: &'a str,
    webhook_url: &'a str,
    profile: &'a str,
}

impl<'a> Order<'a> {
    /// Reads the fields of the body.
    ///
    /// # Errors
    /// [`Refusal::FieldInvalid`] for the first field that is missing or not a string.
    fn read(body: &'a Map<String, Value>) -> Result<Self, Refusal> {
        let text = |field: &'static str| body.get(field).and_then(Value::as_str).ok_or(Refusal::FieldInvalid { field });
        Ok(Self {
            reference_id: text("reference_id")?,
            redirect_uri: text("redirect_uri")?,
            webhook_url: text("webhook_url")?,
            profile: text("profile")?,
        })
    }

    /// Parses and checks the fields. With `own_machine`, a sandbox webhook may be on the local machine.
    ///
    /// # Errors
    /// In this order: [`Refusal::ReferenceIdInvalid`], [`Refusal::ProfileInvalid`], [`Refusal::RedirectUriInvalid`],
    /// [`Refusal::WebhookUrlInvalid`].
    fn check(&self, environment: Environment, own_machine: bool) -> Result<(ReferenceId, HostedFlow), Refusal> {
        let reference_id = ReferenceId::parse(self.reference_id)?;
        let profile = Profile::parse(self.profile)?;
        let redirect_uri = WebUrl::parse(self.redirect_uri).filter(|url| url.may_redirect(environment));
        let redirect_uri = redirect_uri.ok_or(Refusal::RedirectUriInvalid)?;
        let webhook_url = WebUrl::parse(self.webhook_url).filter(|url| url.may_announce(environment, own_machine));
        let webhook_url = webhook_url.ok_or(Refusal::WebhookUrlInvalid)?;
        Ok((reference_id, HostedFlow { profile, redirect_uri, webhook_url }))
    }
}

impl CreateSession {
    pub(crate) async fn hosted(
        &self,
        request: &Request,
        api_key: &ApiKey,
        now: OffsetDateTime,
    ) -> Result<Session, Rejection> {
        let record = self.identify(api_key).await?;
        let body = json_object(request).ok_or(Refusal::CreatePayloadInvalid)?;
        let order = Order::read(&body)?;
        let (reference_id, flow) = order.check(record.environment, self.announces_to_own_machine)?;
        let license = self.hosted_license(&record, &flow, now).await?;
        flow.check_redirect(&license)?;
        let photos = flow.profile.total_photos();
        let session = Session::new(license.client_id, license.id, license.environment, reference_id, photos, now);
        Ok(Session { hosted: Some(flow), ..session })
    }

    /// The license that operators chose for hosted sessions of the API key's client and environment, if it may be used
    /// now. Every cause of a failure leads to the same refusal.
    async fn hosted_license(
        &self,
        api_key: &ApiKeyRecord,
        flow: &HostedFlow,
        now: OffsetDateTime,
    ) -> Result<License, Rejection> {
        let refusal =
            |error: &lacre_storage::Error| error.refusal(Refusal::LicenseInconsistent, Refusal::UpstreamUnavailable);
        let (client, environment) = (&api_key.client_id, api_key.environment);
        let named = self.accounts.read_hosted_license(client, environment).await.or_refuse_as(refusal)?;
        let named = named.ok_or(Refusal::LicenseNotOwned)?;
        let found = self.accounts.read_license(&named, client, None).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let license = found.check(now).or_refuse_as(|unusable| match unusable {
            LicenseUnusable::Unreadable(_) | LicenseUnusable::ClientUnreadable(_) => Refusal::LicenseInconsistent,
            _ => Refusal::LicenseNotOwned,
        })?;
        if license.environment == environment && flow.is_served_by(&license) {
            Ok(license)
        } else {
            Err(Refusal::LicenseNotOwned.into())
        }
    }
}
