//! Reads headers, path parameters and bodies of requests.

use lacre_api::{Refusal, headers};
use lacre_domain::{License, Operator, Origin, Via, browser::check_browser, origin::check_origin};
use lambda_http::{
    Request, RequestExt, aws_lambda_events::apigw::ApiGatewayV2httpRequestContext, request::RequestContext,
};
use serde_json::{Map, Value};

/// The value of a header; the first one if it was sent several times. `None` if it is missing or not visible ASCII.
#[must_use]
pub fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// A path parameter; empty if the route has no such parameter.
#[must_use]
pub fn path_parameter(request: &Request, name: &str) -> String {
    request.path_parameters().first(name).unwrap_or_default().to_owned()
}

/// The route by which API Gateway matched a request: method and path, with parameters in braces. Empty outside of it.
#[must_use]
pub fn route_key(request: &Request) -> &str {
    gateway(request).and_then(|context| context.route_key.as_deref()).unwrap_or_default()
}

/// The operator who sent a request to the admin API, as IAM authorized it.
#[must_use]
pub fn operator(request: &Request) -> Operator {
    let context = gateway(request);
    let iam = context.and_then(|context| context.authorizer.as_ref()?.iam.as_ref());
    Operator {
        principal: iam.and_then(|iam| iam.user_arn.clone()).unwrap_or_default(),
        via: Via::Api,
        source: context.and_then(|context| context.http.source_ip.clone()).unwrap_or_default(),
    }
}

/// What API Gateway says about a request.
fn gateway(request: &Request) -> Option<&ApiGatewayV2httpRequestContext> {
    match request.request_context_ref()? {
        RequestContext::ApiGatewayV2(context) => Some(context),
        _ => None,
    }
}

/// Whether the request accepts a response that is compressed with gzip.
#[must_use]
pub fn accepts_gzip(request: &Request) -> bool {
    header(request, "accept-encoding").is_some_and(|codings| codings.split(',').any(is_gzip))
}

/// Whether an element of `Accept-Encoding` accepts gzip: `gzip` without a weight, or with a weight above 0.
fn is_gzip(coding: &str) -> bool {
    let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
    let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q <= 0.0));
    name.trim().eq_ignore_ascii_case("gzip") && !refused
}

/// The body as a JSON object; `None` if it is anything else.
#[must_use]
pub fn json_object(request: &Request) -> Option<Map<String, Value>> {
    serde_json::from_slice(request.body()).ok()
}

/// Checks that the request's `User-Agent` is that of a supported browser.
///
/// # Errors
/// [`Refusal::AccessNotValidated`].
pub fn browser(request: &Request) -> Result<(), Refusal> {
    let touch_points = header(request, headers::TOUCH_POINTS).and_then(|text| text.trim().parse().ok());
    check_browser(header(request, "user-agent"), touch_points)
}

/// The request's `Origin` header: `None` if it is missing, `Some(None)` if it is not an HTTP origin (such as `null`).
#[must_use]
pub fn named_origin(request: &Request) -> Option<Option<Origin>> {
    request.headers().get("origin").map(|value| value.to_str().ok().and_then(Origin::parse))
}

/// The flow of a request, determined by the address that it was sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The component on an integrator's page: `{base_url}` and `{license_url}`.
    Component,
    /// The hosted page: `{capture_url}`, with the page's origin. `None` if the host cannot be an origin.
    Hosted(Option<Origin>),
}

impl Flow {
    /// Whether this is the hosted flow.
    #[must_use]
    pub fn is_hosted(&self) -> bool {
        matches!(self, Self::Hosted(_))
    }
}

/// The flow of a request, from the stage variables of API Gateway: `flow` is `hosted` on `{capture_url}`, and
/// `page_origin` is the page's origin where it differs from the request's host (behind CloudFront).
#[must_use]
pub fn flow(request: &Request) -> Flow {
    let variables = request.stage_variables();
    if variables.first("flow") != Some("hosted") {
        return Flow::Component;
    }
    Flow::Hosted(variables.first("page_origin").map_or_else(|| own_origin(request), Origin::parse))
}

/// The origin of the page that sends the request. Browsers omit `Origin` from a same-origin GET; the page's origin is
/// then the request's own, provided that `Sec-Fetch-Site` is `same-origin`. Safari before 16.4 sends neither header. In
/// the hosted flow, which has no CORS, a custom header then proves the service's own page, because a page of another
/// origin could not send one.
#[must_use]
fn page_origin(request: &Request) -> Option<Origin> {
    match named_origin(request) {
        Some(named) => named,
        None => match (flow(request), header(request, "sec-fetch-site")) {
            (Flow::Component, Some("same-origin")) => own_origin(request),
            (Flow::Hosted(page), Some("same-origin")) => page,
            (Flow::Hosted(page), None) if header(request, headers::TOUCH_POINTS).is_some() => page,
            _ => None,
        },
    }
}

fn own_origin(request: &Request) -> Option<Origin> {
    let scheme = header(request, "x-forwarded-proto").unwrap_or("https");
    Origin::parse(&format!("{scheme}://{}", header(request, "host")?))
}

/// Determines and checks the page's origin. In the component flow the license's allowlist decides; in the hosted flow
/// only the service's own page is admitted.
///
/// # Errors
/// [`Refusal::OriginAllowlistEmpty`], [`Refusal::OriginNotAllowed`].
pub fn check_page(request: &Request, license: &License) -> Result<Origin, Refusal> {
    let origin = page_origin(request);
    match flow(request) {
        Flow::Component => check_origin(&license.terms.authorized_origins, license.environment, origin),
        Flow::Hosted(page) => origin.filter(|origin| page.as_ref() == Some(origin)).ok_or(Refusal::OriginNotAllowed),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lambda_http::Body;

    fn request(headers: &[(&str, &str)], body: &str) -> Request {
        let mut request = Request::new(Body::from(body));
        for (name, value) in headers {
            let name: lambda_http::http::HeaderName = name.parse().unwrap();
            request.headers_mut().append(name, value.parse().unwrap());
        }
        request
    }

    #[test]
    fn only_same_origin_requests_imply_origin() {
        let origin = |headers: &[(&str, &str)]| page_origin(&request(headers, "")).map(|origin| origin.to_string());
        let own = [("host", "localhost:8000"), ("x-forwarded-proto", "http"), ("sec-fetch-site", "same-origin")];

        assert_eq!(origin(&own).as_deref(), Some("http://localhost:8000"));
        assert_eq!(origin(&own[..2]), None);
        assert_eq!(origin(&[("host", "a.com"), ("sec-fetch-site", "same-site")]), None);
        assert_eq!(origin(&[own[0], own[1], own[2], ("origin", "https://b.com")]).as_deref(), Some("https://b.com"));
        assert_eq!(origin(&[own[0], own[1], own[2], ("origin", "null")]), None);
    }

    #[test]
    fn distinguishes_unreadable_from_absent_origins() {
        assert_eq!(named_origin(&request(&[], "")), None);
        assert_eq!(named_origin(&request(&[("origin", "null")], "")), Some(None));
    }

    #[test]
    fn only_a_json_object_is_a_body() {
        assert!(json_object(&request(&[], r#"{"a": 1}"#)).is_some());
        for body in ["", "[]", "1", "null", "{", "{} x", r#"{"a": 1e999}"#] {
            assert!(json_object(&request(&[], body)).is_none(), "{body}");
        }
    }

    #[test]
    fn gzip_follows_accept_encoding() {
        for yes in ["gzip", "GZIP", "gzip;q=0.5", "gzip; q=1"] {
            assert!(is_gzip(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "gzip; q=0.0", "xgzip"] {
            assert!(!is_gzip(no), "{no}");
        }
    }
}
