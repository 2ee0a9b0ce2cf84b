//! Creates hosted sessions: an operator chose the license, and the kit determines the photos.

use lacre_api::{Refusal, RequestedStep};
use lacre_domain::{
    ApiKey, ApiKeyRecord, Environment, ExpectedPhoto, HostedFlow, Kit, License, ReferenceId, Session, SessionKit,
    WantedKit, WebUrl,
};
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
    steps: Option<Vec<RequestedStep>>,
}

impl<'a> Order<'a> {
    /// Reads the fields of the body.
    ///
    /// # Errors
    /// [`Refusal::FieldInvalid`] for the first field that is missing or of another type.
    fn read(body: &'a Map<String, Value>) -> Result<Self, Refusal> {
        let text = |field: &'static str| body.get(field).and_then(Value::as_str).ok_or(Refusal::FieldInvalid { field });
        let steps = || match body.get("steps") {
            None | Some(Value::Null) => Ok(None),
            Some(steps) => serde_json::from_value(steps.clone()).map(Some).map_err(|_| STEPS),
        };
        Ok(Self {
            reference_id: text("reference_id")?,
            redirect_uri: text("redirect_uri")?,
            webhook_url: text("webhook_url")?,
            profile: text("profile")?,
            steps: steps()?,
        })
    }

    /// Parses and checks the addresses of a session with this kit. With `own_machine`, a sandbox webhook may be on the
    /// local machine.
    ///
    /// # Errors
    /// In this order: [`Refusal::RedirectUriInvalid`], [`Refusal::WebhookUrlInvalid`].
    fn flow(&self, kit: SessionKit, environment: Environment, own_machine: bool) -> Result<HostedFlow, Refusal> {
        let redirect_uri = WebUrl::parse(self.redirect_uri).filter(|url| url.may_redirect(environment));
        let redirect_uri = redirect_uri.ok_or(Refusal::RedirectUriInvalid)?;
        let webhook_url = WebUrl::parse(self.webhook_url).filter(|url| url.may_announce(environment, own_machine));
        let webhook_url = webhook_url.ok_or(Refusal::WebhookUrlInvalid)?;
        Ok(HostedFlow { kit, redirect_uri, webhook_url })
    }
}

/// The refusal of steps that the kit does not have, or that have another form.
const STEPS: Refusal = Refusal::FieldInvalid { field: "steps" };

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
        let reference_id = ReferenceId::parse(order.reference_id)?;
        let (kit, photos) = self.photos(&record, &order).await?;
        let flow = order.flow(kit, record.environment, self.announces_to_own_machine)?;
        let license = self.hosted_license(&record, photos.len(), now).await?;
        flow.check_redirect(&license)?;
        let session = Session::new(license.client_id, license.id, license.environment, reference_id, photos, now);
        Ok(Session { hosted: Some(flow), ..session })
    }

    /// The kit that the request names, and the photos of its steps that the request wants.
    ///
    /// # Errors
    /// [`Refusal::ProfileInvalid`] if the client has no such kit, or it is retired; [`STEPS`].
    async fn photos(
        &self,
        api_key: &ApiKeyRecord,
        order: &Order<'_>,
    ) -> Result<(SessionKit, Vec<ExpectedPhoto>), Rejection> {
        match (WantedKit::parse(order.profile).ok_or(Refusal::ProfileInvalid)?, &order.steps) {
            (WantedKit::Profile(profile), None) => {
                Ok((SessionKit::Profile(profile), ExpectedPhoto::plain(profile.total_photos())))
            }
            (WantedKit::Profile(profile), Some(steps)) => {
                let kit = Kit::of_profile(profile).map_err(|_| Refusal::ProfileInvalid)?;
                Ok((SessionKit::Profile(profile), ExpectedPhoto::of_steps(&kit, steps).ok_or(STEPS)?))
            }
            (WantedKit::Own { name, version }, steps) => {
                let found = self.accounts.find_kit(&api_key.client_id, api_key.environment, &name, version).await;
                let (version, kit) = found.or_refuse_as(unreadable)?.ok_or(Refusal::ProfileInvalid)?;
                let photos = match steps {
                    None => ExpectedPhoto::of_kit(&kit),
                    Some(steps) => ExpectedPhoto::of_steps(&kit, steps).ok_or(STEPS)?,
                };
                Ok((SessionKit::Own(version), photos))
            }
        }
    }

    /// The license that operators chose for hosted sessions of the API key's client and environment, if it may be used
    /// now for this many photos. Every cause of a failure leads to the same refusal.
    async fn hosted_license(
        &self,
        api_key: &ApiKeyRecord,
        photos: usize,
        now: OffsetDateTime,
    ) -> Result<License, Rejection> {
        let (client, environment) = (&api_key.client_id, api_key.environment);
        let named = self.accounts.read_hosted_license(client, environment).await.or_refuse_as(unreadable)?;
        let named = named.ok_or(Refusal::LicenseNotOwned)?;
        let found = self.accounts.read_license(&named, client, None).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let license = found.check(now).or_refuse_as(|unusable| match unusable {
            LicenseUnusable::Unreadable(_) | LicenseUnusable::ClientUnreadable(_) => Refusal::LicenseInconsistent,
            _ => Refusal::LicenseNotOwned,
        })?;
        if license.environment == environment && license.may_host(photos) {
            Ok(license)
        } else {
            Err(Refusal::LicenseNotOwned.into())
        }
    }
}

/// The refusal if a record of the client's hosting cannot be read.
fn unreadable(error: &lacre_storage::Error) -> Refusal {
    error.refusal(Refusal::LicenseInconsistent, Refusal::UpstreamUnavailable)
}
