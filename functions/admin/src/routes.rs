//! What each route does.

use administration::{Administration, AlertFilter, CaptureQuery, Error};
use domain::{ClientId, LicenseId, NamedTerms};
use lacre_http::{Body, Request, Response, path_parameter};
use serde_json::json;
use time::Duration;

use crate::{
    answer::{created, listed, ok},
    parameters::{
        AlertParameters, ApiKeyRequest, AttemptParameters, AuditParameters, CaptureParameters, LicenseRequest,
        NewClient, Page, RevocationRequest, RotationRequest, SearchParameters, UsageParameters, WebhookSecretRequest,
        body, body_or_default, parameters, terms,
    },
};

/// Answers a request whose route the gateway names.
pub(crate) async fn answer(route: &str, admin: &Administration, request: &Request) -> Result<Response<Body>, Error> {
    let client = || ClientId(path_parameter(request, "client_id"));
    let license = || LicenseId(path_parameter(request, "license_id"));
    let in_path = |name| path_parameter(request, name);
    match route {
        "GET /overview" => ok(&admin.overview().await?),
        "POST /clients" => created(&admin.create_client(&body::<NewClient>(request)?.name).await?),
        "GET /clients" => {
            let SearchParameters { search, limit, cursor } = parameters(request)?;
            listed("clients", admin.clients(search.trim(), &Page { limit, cursor }.request()?).await?)
        }
        "GET /clients/{client_id}" => ok(&admin.client(&client()).await?),
        "POST /clients/{client_id}/suspend" => ok(&admin.suspend_client(&client()).await?),
        "POST /clients/{client_id}/resume" => ok(&admin.resume_client(&client()).await?),
        "POST /clients/{client_id}/api-keys" => {
            let ApiKeyRequest { environment, name } = body(request)?;
            created(&admin.issue_api_key(&client(), environment, &name).await?)
        }
        "GET /clients/{client_id}/api-keys" => {
            listed("api_keys", admin.api_keys(&client(), &parameters::<Page>(request)?.request()?).await?)
        }
        "POST /clients/{client_id}/api-keys/{key_id}/revoke" => {
            ok(&admin.revoke_api_key(&client(), &in_path("key_id")).await?)
        }
        "POST /clients/{client_id}/licenses" => {
            let LicenseRequest { environment, terms: named } = body(request)?;
            let terms: NamedTerms = terms(named)?;
            created(&admin.issue_license(&client(), environment, &terms).await?)
        }
        "GET /clients/{client_id}/licenses" => {
            listed("licenses", admin.licenses(&client(), &parameters::<Page>(request)?.request()?).await?)
        }
        "GET /clients/{client_id}/hosted-licenses" => {
            ok(&json!({ "hosted_licenses": admin.hosted_licenses(&client()).await? }))
        }
        "POST /clients/{client_id}/webhook-secrets" => {
            let WebhookSecretRequest { environment } = body(request)?;
            created(&admin.issue_webhook_secret(&client(), environment).await?)
        }
        "GET /clients/{client_id}/webhook-secrets" => {
            ok(&json!({ "webhook_secrets": admin.webhook_secrets(&client()).await? }))
        }
        "POST /clients/{client_id}/webhook-secrets/rotate" => {
            let RotationRequest { environment, overlap_hours } = body(request)?;
            let overlap = overlap_hours.map(|hours| Duration::hours(hours.into()));
            created(&admin.rotate_webhook_secret(&client(), environment, overlap).await?)
        }
        "POST /clients/{client_id}/webhook-secrets/{secret_id}/revoke" => {
            let RevocationRequest { last } = body_or_default(request)?;
            ok(&admin.revoke_webhook_secret(&client(), &in_path("secret_id"), last).await?)
        }
        "GET /clients/{client_id}/webhooks" => {
            let AttemptParameters { state, limit, cursor } = parameters(request)?;
            listed("webhooks", admin.webhooks(&client(), state, &Page { limit, cursor }.request()?).await?)
        }
        "POST /clients/{client_id}/webhooks/{message_id}/redeliver" => {
            created(&admin.redeliver_webhook(&client(), &in_path("message_id")).await?)
        }
        "GET /webhooks" => listed("webhooks", admin.failing_webhooks(&parameters::<Page>(request)?.request()?).await?),
        "GET /licenses" => {
            let SearchParameters { search, limit, cursor } = parameters(request)?;
            listed("licenses", admin.find_licenses(&search, &Page { limit, cursor }.request()?).await?)
        }
        "GET /licenses/{license_id}" => ok(&admin.license(&license()).await?),
        "PATCH /licenses/{license_id}" => ok(&admin.configure_license(&license(), &body(request)?).await?),
        "GET /licenses/{license_id}/usage" => {
            let months = parameters::<UsageParameters>(request)?.months()?;
            ok(&json!({ "usage": admin.usage(&license(), months).await? }))
        }
        "POST /licenses/{license_id}/rotate" => ok(&admin.rotate_license_key(&license()).await?),
        "POST /licenses/{license_id}/revoke" => ok(&admin.revoke_license(&license()).await?),
        "POST /licenses/{license_id}/host" => ok(&admin.name_hosted_license(&license()).await?),
        "POST /licenses/{license_id}/alerts/{month}/{alert}/acknowledge" => {
            ok(&admin.acknowledge_alert(&license(), &in_path("month"), &in_path("alert")).await?)
        }
        "GET /alerts" => alerts(admin, parameters(request)?).await,
        "GET /captures" => {
            let CaptureParameters { reference_id, frame_hash, limit, cursor } = parameters(request)?;
            let query = match (reference_id, frame_hash) {
                (Some(reference), None) => CaptureQuery::reference(&reference)?,
                (None, Some(frame)) => CaptureQuery::frame(&frame)?,
                _ => return Err(Error::Invalid("name either reference_id or frame_hash".into())),
            };
            listed("captures", admin.find_captures(&query, &Page { limit, cursor }.request()?).await?)
        }
        "GET /captures/{capture_id}" => ok(&admin.find_capture(&in_path("capture_id")).await?),
        "GET /audit" => {
            let AuditParameters { client, month, limit, cursor } = parameters(request)?;
            let page = Page { limit, cursor }.request()?;
            let found = match (client, month) {
                (Some(_), Some(_)) => return Err(Error::Invalid("name either client or month".into())),
                (Some(client), None) => admin.audit_of_client(&client, &page).await?,
                (None, month) => admin.audit_of_month(month.as_deref(), &page).await?,
            };
            listed("audit", found)
        }
        "GET /audit/{request_id}" => ok(&admin.audit_entry(&in_path("request_id")).await?),
        _ => Err(Error::NotFound("the route does not exist".into())),
    }
}

/// Open alerts and those of a month come in pages; those of one license, or of one client without a month, as a whole.
async fn alerts(admin: &Administration, asked: AlertParameters) -> Result<Response<Body>, Error> {
    let AlertParameters { state, license, client, month, limit, cursor } = asked;
    let page = Page { limit, cursor }.request()?;
    if state.is_some() {
        if license.is_some() || client.is_some() || month.is_some() {
            return Err(Error::Invalid("state is for all clients and months".into()));
        }
        return listed("alerts", admin.open_alerts(&page).await?);
    }
    if license.is_none() && (client.is_none() || month.is_some()) {
        return listed("alerts", admin.alerts_of_month(month.as_deref(), client.as_ref(), &page).await?);
    }
    let found = admin.alerts(&AlertFilter { license, client, month }).await?;
    ok(&json!({ "alerts": found, "next": null }))
}
