//! Reads headers and bodies of requests.

use domain::{
    Origin, Refusal,
    browser::{TOUCH_POINTS_HEADER, check_browser},
};
use lambda_http::{Request, RequestExt};
use serde_json::{Map, Value};

/// The value of a header, when it was sent once or more and is text. Of several, the first.
#[must_use]
pub fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// A variable part of the path; empty if the route has no such parameter.
#[must_use]
pub fn path_parameter(request: &Request, name: &str) -> String {
    request.path_parameters().first(name).unwrap_or_default().to_owned()
}

/// The body as a JSON object; `None` for anything else.
#[must_use]
pub fn json_object(request: &Request) -> Option<Map<String, Value>> {
    serde_json::from_slice(request.body()).ok()
}

/// Checks that the request presents itself as a supported browser.
///
/// # Errors
/// [`Refusal::AccessNotValidated`].
pub fn browser(request: &Request) -> Result<(), Refusal> {
    let touch_points = header(request, TOUCH_POINTS_HEADER).and_then(|text| text.trim().parse().ok());
    check_browser(header(request, "user-agent"), touch_points)
}

/// The origin that the request names: `None` when it names none, `Some(None)` when it cannot be read.
#[must_use]
pub fn named_origin(request: &Request) -> Option<Option<Origin>> {
    request.headers().get("origin").map(|value| value.to_str().ok().and_then(Origin::parse))
}

/// The origin of the page that makes the request. Browsers leave `Origin` out of a same-origin GET; that one's page is at
/// the request's own origin, if `Sec-Fetch-Site` says so.
#[must_use]
pub fn page_origin(request: &Request) -> Option<Origin> {
    match named_origin(request) {
        Some(named) => named,
        None if header(request, "sec-fetch-site") == Some("same-origin") => {
            let scheme = header(request, "x-forwarded-proto").unwrap_or("https");
            Origin::parse(&format!("{scheme}://{}", header(request, "host")?))
        }
        None => None,
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
    fn the_page_s_origin_is_named_or_the_request_s_own() {
        let origin = |headers: &[(&str, &str)]| page_origin(&request(headers, "")).map(|origin| origin.to_string());
        let own = [("host", "localhost:8000"), ("x-forwarded-proto", "http"), ("sec-fetch-site", "same-origin")];

        assert_eq!(origin(&own).as_deref(), Some("http://localhost:8000"));
        assert_eq!(origin(&own[..2]), None);
        assert_eq!(origin(&[("host", "a.com"), ("sec-fetch-site", "same-site")]), None);
        assert_eq!(origin(&[own[0], own[1], own[2], ("origin", "https://b.com")]).as_deref(), Some("https://b.com"));
        assert_eq!(origin(&[own[0], own[1], own[2], ("origin", "null")]), None);
    }

    #[test]
    fn a_named_origin_that_cannot_be_read_is_not_the_absence_of_one() {
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
}
