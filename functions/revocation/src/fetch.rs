//! A request to an OCSP responder over HTTP (RFC 6960, appendix A).

use std::{error::Error, time::Duration};

use reqwest::{Client, StatusCode, Url, header, redirect};

/// Maximum size of a response in bytes.
const MAX_RESPONSE: usize = 64 * 1024;
/// Time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The top-level domain in which nothing answers (RFC 2606). Development certificates name a responder there.
const RESERVED: &str = ".example";

/// Whether a URL leads to a reserved domain, where no responder can be.
pub(crate) fn is_reserved(address: &str) -> bool {
    let host = Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| host.trim_end_matches('.').ends_with(RESERVED))
}

/// Sends an `OCSPRequest`, and returns the body of the response. The request goes to this URL only: no proxy from
/// environment variables, and no redirects.
///
/// # Errors
/// A text that describes what failed.
pub(crate) async fn ask(address: &str, request: Vec<u8>) -> Result<Vec<u8>, String> {
    let fault = |cause: String| format!("the OCSP responder {address}: {cause}");
    let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).timeout(TIMEOUT).build();
    let request = client
        .map_err(|error| fault(described(&error)))?
        .post(address)
        .header(header::CONTENT_TYPE, "application/ocsp-request")
        .body(request);
    let mut response = request.send().await.map_err(|error| fault(described(&error)))?;
    if response.status() != StatusCode::OK {
        return Err(fault(format!("HTTP status {}", response.status().as_u16())));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| fault(described(&error)))? {
        if body.len() + chunk.len() > MAX_RESPONSE {
            return Err(fault(format!("a response of more than {MAX_RESPONSE} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The text of an error with its causes.
fn described(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
