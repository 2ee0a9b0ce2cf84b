//! The AWS SDK clients, constructed manually so that a cold start pays only for what requests need.
//!
//! Credentials come from the environment variables that Lambda sets, so no provider chain is built. All services share
//! one HTTP client, with `ring` for TLS and only Amazon's root certificates; `AWS_CA_BUNDLE` replaces these.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};

use aws_credential_types::Credentials;
use aws_sdk_s3::config::{RequestChecksumCalculation, retry::RetryPartition};
use aws_smithy_async::rt::sleep::TokioSleep;
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, TlsContext, TrustStore, rustls_provider::CryptoMode},
};
use aws_smithy_runtime_api::{
    client::{
        http::{HttpClient, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector},
        runtime_components::RuntimeComponents,
    },
    shared::IntoShared,
};
use aws_smithy_types::{retry::RetryConfig, timeout::TimeoutConfig};
use aws_types::{SdkConfig, app_name::AppName, region::Region, sdk_config::SharedCredentialsProvider};
use rustls_pki_types::{CertificateDer, pem::PemObject};

use crate::{Config, StaticCredentials, calls::OfRequest};

/// The root certificates to which AWS's endpoints chain.
const AMAZON_ROOTS: &str = include_str!("amazon-roots.pem");

const ATTEMPTS: u32 = 3;

/// The configuration and credentials for AWS, from which ports get their SDK clients. A client is constructed when the
/// first port requests it, so a function that does not use a service does not link its client's code. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(crate) config: Config,
    shared: SdkConfig,
    of_request: OfRequest,
    clients: Arc<Clients>,
}

/// The SDK clients that ports share.
#[derive(Debug, Default)]
struct Clients {
    dynamodb: OnceLock<aws_sdk_dynamodb::Client>,
    kms: OnceLock<aws_sdk_kms::Client>,
    s3: OnceLock<aws_sdk_s3::Client>,
}

impl Connection {
    /// Reads the root certificates; opens no connection.
    ///
    /// # Errors
    /// Fails if `AWS_CA_BUNDLE` cannot be read or contains no certificates.
    pub fn new(config: Config) -> Result<Self, std::io::Error> {
        let (shared, of_request) = (shared_config(&config)?, OfRequest::new(&config));
        Ok(Self { config, shared, of_request, clients: Arc::default() })
    }

    /// A connection whose calls carry a program's name in their `User-Agent` (`app/NAME`).
    #[must_use]
    pub fn as_program(&self, name: &'static str) -> Self {
        let mut shared = self.shared.to_builder();
        shared.set_app_name(AppName::new(name).ok());
        Self { shared: shared.build(), clients: Arc::default(), ..self.clone() }
    }

    /// The function's configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The client of DynamoDB.
    pub(crate) fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let client = self.clients.dynamodb.get_or_init(|| {
            let mut builder = aws_sdk_dynamodb::config::Builder::from(&self.shared)
                .retry_partition(retries("dynamodb"))
                .interceptor(self.of_request.clone());
            builder.set_endpoint_url(self.config.endpoints.dynamodb.clone());
            aws_sdk_dynamodb::Client::from_conf(builder.build())
        });
        client.clone()
    }

    /// The client of KMS.
    pub(crate) fn kms(&self) -> aws_sdk_kms::Client {
        let client = self.clients.kms.get_or_init(|| {
            let mut builder = aws_sdk_kms::config::Builder::from(&self.shared)
                .retry_partition(retries("kms"))
                .interceptor(self.of_request.clone());
            builder.set_endpoint_url(self.config.endpoints.kms.clone());
            aws_sdk_kms::Client::from_conf(builder.build())
        });
        client.clone()
    }

    /// The client of S3, for calls. Presigned URLs are made without it.
    pub(crate) fn s3(&self) -> aws_sdk_s3::Client {
        let client = self.clients.s3.get_or_init(|| {
            let budgets = &self.config.budgets;
            let endpoint = self.config.endpoints.s3.clone();
            let mut builder = aws_sdk_s3::config::Builder::from(&self.shared)
                // The SDK's default request checksums are unnecessary: S3 verifies the signature of the request, and
                // proofs are stored with their own SHA-256.
                .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
                .force_path_style(endpoint.is_some())
                .timeout_config(timeouts(budgets.attempt, budgets.object_attempt, budgets.object_call))
                .retry_partition(retries("s3"))
                .interceptor(self.of_request.clone());
            builder.set_endpoint_url(endpoint);
            aws_sdk_s3::Client::from_conf(builder.build())
        });
        client.clone()
    }

    /// A client of Secrets Manager. It is not shared, because it is rarely used.
    pub(crate) fn secrets_manager(&self) -> aws_sdk_secretsmanager::Client {
        let mut builder = aws_sdk_secretsmanager::config::Builder::from(&self.shared)
            .retry_partition(retries("secretsmanager"))
            .interceptor(self.of_request.clone());
        builder.set_endpoint_url(self.config.endpoints.secrets_manager.clone());
        aws_sdk_secretsmanager::Client::from_conf(builder.build())
    }

    /// A client of DynamoDB Streams.
    pub(crate) fn streams(&self) -> aws_sdk_dynamodbstreams::Client {
        let mut builder =
            aws_sdk_dynamodbstreams::config::Builder::from(&self.shared).interceptor(self.of_request.clone());
        builder.set_endpoint_url(self.config.endpoints.dynamodb.clone());
        aws_sdk_dynamodbstreams::Client::from_conf(builder.build())
    }

    /// A client of STS.
    pub(crate) fn sts(&self) -> aws_sdk_sts::Client {
        let mut builder = aws_sdk_sts::config::Builder::from(&self.shared).interceptor(self.of_request.clone());
        builder.set_endpoint_url(self.config.endpoints.sts.clone());
        aws_sdk_sts::Client::from_conf(builder.build())
    }

    /// A client of SNS.
    pub(crate) fn sns(&self) -> aws_sdk_sns::Client {
        let mut builder = aws_sdk_sns::config::Builder::from(&self.shared).interceptor(self.of_request.clone());
        builder.set_endpoint_url(self.config.endpoints.sns.clone());
        aws_sdk_sns::Client::from_conf(builder.build())
    }
}

/// The HTTP client of every connection: TLS by `ring`, with only Amazon's root certificates or those of a PEM file.
///
/// # Errors
/// Fails if the file cannot be read or contains no certificates.
pub fn http_client(ca_bundle: Option<&str>) -> Result<SharedHttpClient, std::io::Error> {
    let roots = match ca_bundle {
        Some(path) => read_roots(Path::new(path))?,
        None => AMAZON_ROOTS.as_bytes().to_vec(),
    };
    let trust = TrustStore::empty().with_pem_certificate(roots);
    let tls = TlsContext::builder().with_trust_store(trust).build().map_err(std::io::Error::other)?;
    let client = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).tls_context(tls).build_https();
    Ok(MadeOnce(client).into_shared())
}

/// Reads root certificates. Rejects PEM that the HTTP client would ignore, or that would make it panic later.
fn read_roots(path: &Path) -> Result<Vec<u8>, std::io::Error> {
    let pem = std::fs::read(path)?;
    let unusable = |reason: String| std::io::Error::other(format!("{}: {reason}", path.display()));
    let roots = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let roots = roots.map_err(|error| unusable(error.to_string()))?;
    if roots.is_empty() {
        return Err(unusable("it contains no certificate".into()));
    }
    for root in &roots {
        webpki::anchor_from_trusted_cert(root).map_err(|error| unusable(error.to_string()))?;
    }
    Ok(pem)
}

/// An HTTP client whose connector is constructed on first use. The SDK would otherwise construct a connector for each
/// of its clients, as validation, and parse all root certificates for each. [`http_client`] already parsed them, so
/// that validation is unnecessary.
#[derive(Debug)]
struct MadeOnce(SharedHttpClient);

impl HttpClient for MadeOnce {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        self.0.http_connector(settings, components)
    }
}

fn shared_config(config: &Config) -> Result<SdkConfig, std::io::Error> {
    Ok(SdkConfig::builder()
        .behavior_version(aws_sdk_dynamodb::config::BehaviorVersion::latest())
        .region(Region::new(config.region.clone()))
        .credentials_provider(provider(&config.credentials))
        .http_client(http_client(config.ca_bundle.as_deref())?)
        .sleep_impl(aws_smithy_async::rt::sleep::SharedAsyncSleep::new(TokioSleep::new()))
        .time_source(aws_smithy_async::time::SharedTimeSource::new(aws_smithy_async::time::SystemTimeSource::new()))
        .retry_config(
            RetryConfig::standard()
                .with_max_attempts(ATTEMPTS)
                .with_initial_backoff(Duration::from_millis(50))
                .with_max_backoff(Duration::from_secs(1)),
        )
        .timeout_config(timeouts(config.budgets.attempt, config.budgets.attempt, config.budgets.call))
        .build())
}

/// A retry quota for each client, instead of one for the whole process.
fn retries(service: &'static str) -> RetryPartition {
    RetryPartition::custom(service).build()
}

/// Clients with equal timeouts share a connector, which is expensive to construct.
fn timeouts(connect: Duration, attempt: Duration, call: Duration) -> TimeoutConfig {
    TimeoutConfig::builder().connect_timeout(connect).operation_attempt_timeout(attempt).operation_timeout(call).build()
}

fn provider(credentials: &StaticCredentials) -> SharedCredentialsProvider {
    SharedCredentialsProvider::new(Credentials::new(
        &credentials.access_key_id,
        &credentials.secret_access_key,
        credentials.session_token.clone(),
        None,
        "environment",
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn unusable_roots_are_an_error() {
        let file = std::env::temp_dir().join(format!("roots-{}.pem", crate::attempt_id()));
        let refused = |pem: &str| {
            std::fs::write(&file, pem).unwrap();
            http_client(file.to_str()).unwrap_err().to_string()
        };
        assert!(refused("").ends_with("it contains no certificate"));
        assert!(refused("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").contains("roots-"));
        assert!(refused("-----BEGIN CERTIFICATE-----\n!\n").contains("roots-"));

        std::fs::write(&file, AMAZON_ROOTS).unwrap();
        assert!(http_client(file.to_str()).is_ok());
        std::fs::remove_file(&file).unwrap();
        assert!(http_client(file.to_str()).is_err());
    }
}
