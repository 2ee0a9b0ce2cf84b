//! Maps each route of the admin API to its operation.

use lacre_administration::{Administration, AlertFilter, CaptureQuery, Error, environment, kit_version};
use lacre_api::admin::{
    AlertPage, AlertParameters, ApiKeyPage, ApiKeyRequest, AttemptPage, AttemptParameters, AuditPage, AuditParameters,
    CapturePage, CaptureParameters, ClientPage, HostedLicenses, KitPage, KitParameters, KitRequest,
    KitVersionParameters, LicensePage, LicenseRequest, NewClient, Page, RevocationRequest, RotationRequest, Route,
    SearchParameters, SenderRequest, UsageByMonth, WebhookSecretRequest, WebhookSecrets,
};
use lacre_domain::{ClientId, KeyId, LicenseId, MalformedId, MessageId, NamedTerms, RequestId, WebhookSecretId};
use lacre_http::{Body, Request, Response, path_parameter};
use serde_json::value::RawValue;
use time::Duration;

use crate::{
    answer::{answer, listed},
    parameters::{body, body_or_default, months, page, parameters, terms},
};

/// Executes a request for the route that API Gateway matched.
pub(crate) async fn carry_out(route: &str, admin: &Administration, request: &Request) -> Result<Response<Body>, Error> {
    let route = Route::parse(route).ok_or_else(no_route)?;
    let client = || ClientId::parse(&path_parameter(request, "client_id"));
    let license = || LicenseId::parse(&path_parameter(request, "license_id"));
    let in_path = |name| path_parameter(request, name);
    let environment = || environment(&in_path("environment"));
    let ordinary_page = || page(parameters::<Page>(request)?);
    match route {
        Route::Overview => answer(route, &admin.overview.read().await?),
        Route::CreateClient => answer(route, &admin.clients.create(&body::<NewClient>(request)?.name).await?),
        Route::ListClients => {
            let SearchParameters { search, limit, cursor } = parameters(request)?;
            let found = admin.clients.list(search.trim(), &page(Page { limit, cursor })?).await?;
            listed(route, found, |clients, next| ClientPage { clients, next })
        }
        Route::Client => answer(route, &admin.clients.read(&client()?).await?),
        Route::SuspendClient => answer(route, &admin.clients.suspend(&client()?).await?),
        Route::ResumeClient => answer(route, &admin.clients.resume(&client()?).await?),
        Route::IssueApiKey => {
            let ApiKeyRequest { environment, name } = body(request)?;
            answer(route, &admin.api_keys.issue(&client()?, environment, &name).await?)
        }
        Route::ListApiKeys => {
            let page = ordinary_page()?;
            let found = admin.api_keys.list(&client()?, &page).await?;
            listed(route, found, |api_keys, next| ApiKeyPage { api_keys, next })
        }
        Route::RevokeApiKey => {
            let key = KeyId::parse(&in_path("key_id"))?;
            answer(route, &admin.api_keys.revoke(&client()?, &key).await?)
        }
        Route::IssueLicense => {
            let LicenseRequest { environment, terms: named } = body(request)?;
            let terms: NamedTerms = terms(named)?;
            answer(route, &admin.licenses.issue(&client()?, environment, &terms).await?)
        }
        Route::ListLicenses => {
            let page = ordinary_page()?;
            let found = admin.licenses.list(&client()?, &page).await?;
            listed(route, found, |licenses, next| LicensePage { licenses, next })
        }
        Route::ListHostedLicenses => {
            answer(route, &HostedLicenses { hosted_licenses: admin.licenses.hosted(&client()?).await? })
        }
        Route::ListKits => {
            let KitParameters { environment, limit, cursor } = parameters(request)?;
            let found = admin.kits.list(&client()?, environment, &page(Page { limit, cursor })?).await?;
            listed(route, found, |kits, next| KitPage { kits, next })
        }
        Route::PutKit => {
            let KitRequest::<Box<RawValue>> { environment, kit } = body(request)?;
            answer(route, &admin.kits.put(&client()?, environment, kit.get().as_bytes()).await?)
        }
        Route::Kit => {
            let KitVersionParameters { version } = parameters(request)?;
            let version = version.as_deref().map(kit_version).transpose()?;
            answer(route, &admin.kits.read(&client()?, environment()?, &in_path("name"), version).await?)
        }
        Route::RetireKit => answer(route, &admin.kits.retire(&client()?, environment()?, &in_path("name")).await?),
        Route::SetSender => {
            let SenderRequest::<Box<RawValue>> { environment, sender } = body(request)?;
            answer(route, &admin.senders.set(&client()?, environment, sender.get().as_bytes()).await?)
        }
        Route::Sender => answer(route, &admin.senders.read(&client()?, environment()?).await?),
        Route::IssueWebhookSecret => {
            let WebhookSecretRequest { environment } = body(request)?;
            answer(route, &admin.webhooks.issue_secret(&client()?, environment).await?)
        }
        Route::ListWebhookSecrets => {
            answer(route, &WebhookSecrets { webhook_secrets: admin.webhooks.secrets(&client()?).await? })
        }
        Route::RotateWebhookSecret => {
            let RotationRequest { environment, overlap_hours } = body(request)?;
            let overlap = overlap_hours.map(|hours| Duration::hours(hours.into()));
            answer(route, &admin.webhooks.rotate_secret(&client()?, environment, overlap).await?)
        }
        Route::RevokeWebhookSecret => {
            let RevocationRequest { last } = body_or_default(request)?;
            let secret = WebhookSecretId::parse(&in_path("secret_id"))?;
            answer(route, &admin.webhooks.revoke_secret(&client()?, &secret, last).await?)
        }
        Route::ListWebhooks => {
            let AttemptParameters { state, limit, cursor } = parameters(request)?;
            let page = page(Page { limit, cursor })?;
            let found = admin.webhooks.attempts(&client()?, state, &page).await?;
            listed(route, found, |webhooks, next| AttemptPage { webhooks, next })
        }
        Route::RedeliverWebhook => {
            let message = MessageId::parse(&in_path("message_id")).ok_or(MalformedId::Message)?;
            answer(route, &admin.webhooks.redeliver(&client()?, &message).await?)
        }
        Route::ListFailingWebhooks => {
            let found = admin.webhooks.failing(&ordinary_page()?).await?;
            listed(route, found, |webhooks, next| AttemptPage { webhooks, next })
        }
        Route::FindLicenses => {
            let SearchParameters { search, limit, cursor } = parameters(request)?;
            let found = admin.licenses.find(&search, &page(Page { limit, cursor })?).await?;
            listed(route, found, |licenses, next| LicensePage { licenses, next })
        }
        Route::License => answer(route, &admin.licenses.read(&license()?).await?),
        Route::ConfigureLicense => {
            let terms: NamedTerms = body(request)?;
            answer(route, &admin.licenses.configure(&license()?, &terms).await?)
        }
        Route::Usage => {
            let months = months(parameters(request)?)?;
            answer(route, &UsageByMonth { usage: admin.usage.by_month(&license()?, months).await? })
        }
        Route::RotateLicenseKey => answer(route, &admin.licenses.rotate_key(&license()?).await?),
        Route::RevokeLicense => answer(route, &admin.licenses.revoke(&license()?).await?),
        Route::HostLicense => answer(route, &admin.licenses.host(&license()?).await?),
        Route::AcknowledgeAlert => {
            answer(route, &admin.alerts.acknowledge(&license()?, &in_path("month"), &in_path("alert")).await?)
        }
        Route::ListAlerts => alerts(admin, parameters(request)?).await,
        Route::FindCaptures => {
            let CaptureParameters { reference_id, frame_hash, limit, cursor } = parameters(request)?;
            let query = match (reference_id, frame_hash) {
                (Some(reference), None) => CaptureQuery::reference(&reference)?,
                (None, Some(frame)) => CaptureQuery::frame(&frame)?,
                _ => return Err(Error::Invalid("name either reference_id or frame_hash".into())),
            };
            let found = admin.captures.find(&query, &page(Page { limit, cursor })?).await?;
            listed(route, found, |captures, next| CapturePage { captures, next })
        }
        Route::Capture => answer(route, &admin.captures.read(&in_path("capture_id")).await?),
        Route::ListAudit => {
            let AuditParameters { client, month, limit, cursor } = parameters(request)?;
            let page = page(Page { limit, cursor })?;
            let found = match (client, month) {
                (Some(_), Some(_)) => return Err(Error::Invalid("name either client or month".into())),
                (Some(client), None) => admin.audit.of_client(&ClientId::parse(&client)?, &page).await?,
                (None, month) => admin.audit.of_month(month.as_deref(), &page).await?,
            };
            listed(route, found, |audit, next| AuditPage { audit, next })
        }
        Route::Request => {
            let id = RequestId::parse(&in_path("request_id")).ok_or(MalformedId::Uuid("request"))?;
            answer(route, &admin.audit.entry(&id).await?)
        }
        // `ingest` serves the one, because its role can use the signing keys; `find-proof` the other, because its role
        // reads fingerprints and stored photos.
        Route::ProbeSigners | Route::FindCopy => Err(no_route()),
    }
}

fn no_route() -> Error {
    Error::NotFound("the route does not exist".into())
}

/// Lists alerts. Open alerts and those of a month are paginated; those of one license, or of one client without a
/// month, are returned in one response.
async fn alerts(admin: &Administration, asked: AlertParameters) -> Result<Response<Body>, Error> {
    let AlertParameters { state, license, client, month, limit, cursor } = asked;
    let page = page(Page { limit, cursor })?;
    let answered = |found| listed(Route::ListAlerts, found, |alerts, next| AlertPage { alerts, next });
    if state.is_some() {
        if license.is_some() || client.is_some() || month.is_some() {
            return Err(Error::Invalid("state cannot be combined with license, client or month".into()));
        }
        return answered(admin.alerts.open(&page).await?);
    }
    let license = license.map(|id| LicenseId::parse(&id)).transpose()?;
    let client = client.map(|id| ClientId::parse(&id)).transpose()?;
    if license.is_none() && (client.is_none() || month.is_some()) {
        return answered(admin.alerts.of_month(month.as_deref(), client.as_ref(), &page).await?);
    }
    let alerts = admin.alerts.list(&AlertFilter { license, client, month }).await?;
    answer(Route::ListAlerts, &AlertPage { alerts, next: None })
}
