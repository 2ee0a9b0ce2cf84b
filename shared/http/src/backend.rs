//! Requests of clients' backends to `{proofs_url}`: who makes them, the limit on their number, and their entries in the audit
//! log.

use lacre_api::Refusal;
use lacre_domain::{ApiKeyRecord, AuditEntry, KeyHash, Operation, Operator, RequestId, Via};
use lacre_storage::{Accounts, Counted, Error, Sessions, attempt_id, entropy};
use lambda_http::{
    RequestExt,
    http::{HeaderValue, header::WWW_AUTHENTICATE},
    request::RequestContext,
};
use time::OffsetDateTime;

use crate::{
    Body, OrRefuse, OrRefuseAs, Rejection, Request, Response, StatusCode, check_api_key, header, parse_api_key,
    record_log_subject, seconds_to_next_hour,
};

/// The backend that makes a request, by its API key.
pub struct Backend {
    key: KeyHash,
    /// The record of the API key.
    pub record: ApiKeyRecord,
}

impl Backend {
    /// Checks the API key that a request bears.
    ///
    /// # Errors
    /// The refusals of API keys, [`Refusal::UpstreamUnavailable`].
    pub async fn identify(accounts: &Accounts, request: &Request) -> Result<Self, Rejection> {
        let key = parse_api_key(header(request, "authorization").and_then(bearer))?.hash();
        record_log_subject("api_key", key.short());
        let record = accounts.read_api_key(&key).await;
        let refusal = |error: &Error| error.refusal(Refusal::ApiKeyInconsistent, Refusal::UpstreamUnavailable);
        Ok(Self { record: check_api_key(record.or_refuse_as(refusal)?)?, key })
    }

    /// Adds to the response to a request without a valid API key what HTTP demands of it.
    #[must_use]
    pub fn challenged(mut response: Response<Body>) -> Response<Body> {
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }

    /// Counts a request against the hourly limit of the API key.
    ///
    /// # Errors
    /// [`Refusal::LookupLimitReached`], [`Refusal::UpstreamUnavailable`].
    pub async fn count(&self, sessions: &Sessions, request: &Request, now: OffsetDateTime) -> Result<(), Rejection> {
        let lookup = KeyHash::of(gateway(request).map_or_else(attempt_id, |(id, _)| id).as_str());
        match sessions.count_lookup(&self.key, &lookup, now).await.or_refuse(Refusal::UpstreamUnavailable)? {
            Counted::Within => Ok(()),
            Counted::LimitReached => Err(Refusal::LookupLimitReached { retry_after: seconds_to_next_hour(now) }.into()),
        }
    }

    /// The entry of a request in the audit log.
    #[must_use]
    pub fn entry(&self, request: &Request, operation: Operation, outcome: &str, now: OffsetDateTime) -> AuditEntry {
        let operator = Operator {
            principal: format!("api-key/{}", self.key.id()),
            via: Via::ResolutionApi,
            source: gateway(request).map(|(_, source)| source).unwrap_or_default(),
        };
        AuditEntry::of(RequestId::from_entropy(entropy()), attempt_id(), now, operation, operator)
            .for_client(&self.record.client_id)
            .with_detail(format!("{outcome} in {}", self.record.environment.name()))
    }
}

/// The token of an `Authorization` header with the scheme `Bearer`.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The id that API Gateway gave the request, and the address that it came from.
fn gateway(request: &Request) -> Option<(String, String)> {
    match request.request_context_ref()? {
        RequestContext::ApiGatewayV2(context) => {
            Some((context.request_id.clone()?, context.http.source_ip.clone().unwrap_or_default()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_bearer_token() {
        assert_eq!(bearer("Bearer svc_api_x"), Some("svc_api_x"));
        assert_eq!(bearer("bearer  svc_api_x "), Some("svc_api_x"));
        for other in ["svc_api_x", "Basic svc_api_x", "", "Bearer"] {
            assert_eq!(bearer(other), None, "{other}");
        }
    }
}
