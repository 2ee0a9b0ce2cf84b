//! AWS Signature Version 4 for requests to API Gateway.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningError, SigningSettings, sign},
    sign::v4,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::outgoing::Outgoing;

/// Service name in the credential scope of the signature.
const SERVICE: &str = "execute-api";

/// The request cannot be signed: the signer does not accept its address or one of its headers.
#[derive(Debug)]
pub(crate) struct Unsignable;

/// Computes the headers that sign a request. The signature covers the method, address, body and all headers
/// set so far.
///
/// # Errors
/// [`Unsignable`] if the signer does not accept the address or a header.
pub(crate) fn signature(
    outgoing: &Outgoing,
    credentials: &Credentials,
    region: &str,
    at: SystemTime,
) -> Result<HeaderMap, Unsignable> {
    let identity = credentials.clone().into();
    let parameters = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(SERVICE)
        .time(at)
        .settings(SigningSettings::default())
        .build()
        .map_err(|_| Unsignable)?
        .into();
    let headers = outgoing.headers.iter().map(|(name, value)| (*name, value.as_str()));
    let body = SignableBody::Bytes(&outgoing.body);
    let request = SignableRequest::new(outgoing.method.as_str(), outgoing.url.as_str(), headers, body)?;
    let (instructions, _) = sign(request, &parameters)?.into_parts();
    let mut signed = HeaderMap::new();
    for (name, value) in instructions.headers() {
        let name = HeaderName::try_from(name).map_err(|_| Unsignable)?;
        let mut value = HeaderValue::try_from(value).map_err(|_| Unsignable)?;
        value.set_sensitive(true);
        signed.insert(name, value);
    }
    Ok(signed)
}

impl From<SigningError> for Unsignable {
    fn from(_: SigningError) -> Self {
        Self
    }
}
