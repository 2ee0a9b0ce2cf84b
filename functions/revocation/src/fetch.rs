//! Requests to the servers that certificates name: OCSP responders (RFC 6960, appendix A), and servers of revocation lists
//! (RFC 5280, 4.2.1.13).

use std::{error::Error, time::Duration};

use reqwest::{Client, RequestBuilder, StatusCode, Url, header, redirect};

/// Maximum size of an OCSP response in bytes.
const MAX_RESPONSE: usize = 64 * 1024;
/// Maximum size of a revocation list in bytes. Those of large authorities have some megabytes.
const MAX_LIST: usize = 8 * 1024 * 1024;
/// Time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The top-level domain in which nothing answers (RFC 2606). Development certificates name servers there.
const RESERVED: &str = ".example";

/// Whether a URL leads to a reserved domain, where no server can be.
pub(crate) fn is_reserved(address: &str) -> bool {
    let host = Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| host.trim_end_matches('.').ends_with(RESERVED))
}

/// Sends an `OCSPRequest`, and returns the body of the response.
///
/// # Errors
/// A text that describes what failed.
pub(crate) async fn ask(address: &str, request: Vec<u8>) -> Result<Vec<u8>, String> {
    let fault = |cause| format!("the OCSP responder {address}: {cause}");
    let post = client().map_err(fault)?.post(address).header(header::CONTENT_TYPE, "application/ocsp-request");
    body(post.body(request), MAX_RESPONSE).await.map_err(fault)
}

/// Gets a revocation list.
///
/// # Errors
/// A text that describes what failed.
pub(crate) async fn list(address: &str) -> Result<Vec<u8>, String> {
    let fault = |cause| format!("the revocation list {address}: {cause}");
    body(client().map_err(fault)?.get(address), MAX_LIST).await.map_err(fault)
}

/// A client that goes to the given URL only: no proxy from environment variables, and no redirects.
fn client() -> Result<Client, String> {
    let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).timeout(TIMEOUT).build();
    client.map_err(|error| described(&error))
}

/// The body of the response to a request, of at most so many bytes.
async fn body(request: RequestBuilder, most: usize) -> Result<Vec<u8>, String> {
    let mut response = request.send().await.map_err(|error| described(&error))?;
    if response.status() != StatusCode::OK {
        return Err(format!("HTTP status {}", response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| described(&error))? {
        if body.len() + chunk.len() > most {
            return Err(format!("a response of more than {most} bytes"));
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
