//! A presigned S3 URL: the request that it permits, and its signature.
//!
//! It is made without the S3 client, which would add a megabyte of code and time to the cold start of functions that
//! call S3 for nothing else.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{
        PercentEncodingMode, SignableBody, SignableRequest, SignatureLocation, SigningInstructions, SigningSettings,
        UriPathNormalizationMode, sign,
    },
    sign::v4,
};
use aws_smithy_runtime_api::client::identity::Identity;
use http::Request;
use time::{Duration, OffsetDateTime};

use crate::{Config, SetupError, StaticCredentials};

/// The request that the URL permits, and the URL's validity.
pub(crate) struct PresignedUrl<'a> {
    pub(crate) method: &'a str,
    pub(crate) bucket: &'a str,
    pub(crate) key: &'a str,
    /// The `content-type` that the request's body must have.
    pub(crate) content_type: Option<&'a str>,
    pub(crate) from: OffsetDateTime,
    pub(crate) validity: Duration,
}

impl PresignedUrl<'_> {
    /// Signs the URL with the given credentials.
    ///
    /// # Errors
    /// [`SetupError::Misconfigured`] if the configured names do not form a valid URL.
    pub(crate) fn sign(&self, config: &Config, credentials: &StaticCredentials) -> Result<String, SetupError> {
        if self.bucket.is_empty() {
            return Err(SetupError::Misconfigured("the bucket's name is empty"));
        }
        let mut request = self
            .request(config)
            .map_err(|_| SetupError::Misconfigured("the bucket's name does not form a valid URL"))?;
        self.signature(&request, config, credentials)?.apply_to_request_http1x(&mut request);
        Ok(request.uri().to_string())
    }

    fn request(&self, config: &Config) -> Result<Request<()>, http::Error> {
        let Self { bucket, key, .. } = self;
        let uri = match &config.endpoints.presigned {
            Some(endpoint) => format!("{endpoint}/{bucket}/{key}"),
            None => format!("https://{bucket}.s3.{}.amazonaws.com/{key}", config.region),
        };
        let request = Request::builder().method(self.method).uri(uri);
        match self.content_type {
            Some(content_type) => request.header("content-type", content_type).body(()),
            None => request.body(()),
        }
    }

    fn signature(
        &self,
        request: &Request<()>,
        config: &Config,
        credentials: &StaticCredentials,
    ) -> Result<SigningInstructions, SetupError> {
        const REFUSED: SetupError = SetupError::Misconfigured("a URL cannot be signed");
        let mut settings = SigningSettings::default();
        settings.signature_location = SignatureLocation::QueryParams;
        settings.expires_in = Some(self.validity.unsigned_abs());
        // S3 does not normalize paths, so the signature is computed over the path as it is.
        settings.percent_encoding_mode = PercentEncodingMode::Single;
        settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;

        let StaticCredentials { access_key_id, secret_access_key, session_token } = credentials;
        let credentials = Credentials::new(access_key_id, secret_access_key, session_token.clone(), None, "presigner");
        let identity = Identity::from(credentials);
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(&config.region)
            .name("s3")
            .time(SystemTime::from(self.from))
            .settings(settings)
            .build()
            .map_err(|_| REFUSED)?
            .into();

        let uri = request.uri().to_string();
        let headers = self.content_type.iter().map(|content_type| ("content-type", *content_type));
        let signable =
            SignableRequest::new(self.method, &uri, headers, SignableBody::UnsignedPayload).map_err(|_| REFUSED)?;
        Ok(sign(signable, &params).map_err(|_| REFUSED)?.into_parts().0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use time::macros::datetime;

    use super::*;

    const FROM: OffsetDateTime = datetime!(2026-11-21 12:30 UTC);

    fn made(url: &PresignedUrl<'_>, session_token: Option<&str>) -> (String, BTreeSet<String>) {
        let variables = [("AWS_REGION", "sa-east-1"), ("AWS_ACCESS_KEY_ID", "-"), ("AWS_SECRET_ACCESS_KEY", "-")];
        let lookup = |name: &str| Some(variables.iter().find(|(known, _)| *known == name)?.1.to_owned());
        let credentials = StaticCredentials {
            access_key_id: "AKIDEXAMPLE".into(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            session_token: session_token.map(str::to_owned),
        };
        parts(&url.sign(&Config::from_lookup(lookup).unwrap(), &credentials).unwrap())
    }

    fn parts(url: &str) -> (String, BTreeSet<String>) {
        let (object, query) = url.split_once('?').unwrap();
        (object.to_owned(), query.split('&').map(str::to_owned).collect())
    }

    // The expected URLs were generated by botocore 1.43 from the same names, credentials and time.

    #[test]
    fn proof_urls_match_botocore() {
        let url = PresignedUrl {
            method: "GET",
            bucket: "proofs-1",
            key: "00ff/photo.jpg",
            content_type: None,
            from: FROM,
            validity: Duration::days(7),
        };
        let expected = "https://proofs-1.s3.sa-east-1.amazonaws.com/00ff/photo.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256\
            &X-Amz-Credential=AKIDEXAMPLE%2F20261121%2Fsa-east-1%2Fs3%2Faws4_request&X-Amz-Date=20261121T123000Z\
            &X-Amz-Expires=604800&X-Amz-SignedHeaders=host\
            &X-Amz-Signature=5bf92dbbae17c59cb084aa1791c61b3496dadbf0839f61efcf376b9227827995";
        assert_eq!(made(&url, None), parts(expected));
    }

    #[test]
    fn upload_urls_match_botocore() {
        let url = PresignedUrl {
            method: "PUT",
            bucket: "uploads-1",
            key: "00ff.jpg",
            content_type: Some("image/jpeg"),
            from: FROM,
            validity: Duration::minutes(5),
        };
        let expected = "https://uploads-1.s3.sa-east-1.amazonaws.com/00ff.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256\
            &X-Amz-Credential=AKIDEXAMPLE%2F20261121%2Fsa-east-1%2Fs3%2Faws4_request&X-Amz-Date=20261121T123000Z\
            &X-Amz-Expires=300&X-Amz-SignedHeaders=content-type%3Bhost&X-Amz-Security-Token=role%2Ftoken%2B%3D\
            &X-Amz-Signature=a9b49c15cd9fb0e0e490333839f9ea4db14ad13a76ba2b3eccea7395e39303fd";
        assert_eq!(made(&url, Some("role/token+=")), parts(expected));
    }
}
