//! The AWS clients, built by hand so that a cold start pays for what a request needs and for nothing else.
//!
//! Credentials come from the environment that Lambda sets, so no provider chain is built; one HTTP client with `ring`
//! and only Amazon's root certificates serves every service. `AWS_CA_BUNDLE` replaces the roots.

use std::{path::Path, time::Duration};

use aws_credential_types::Credentials;
use aws_sdk_s3::config::{RequestChecksumCalculation, retry::RetryPartition};
use aws_smithy_async::rt::sleep::TokioSleep;
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, TlsContext, TrustStore, rustls_provider::CryptoMode},
};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::{retry::RetryConfig, timeout::TimeoutConfig};
use aws_types::{SdkConfig, region::Region, sdk_config::SharedCredentialsProvider};

use crate::{Config, StaticCredentials};

/// The roots that AWS's own endpoints chain to.
const AMAZON_ROOTS: &str = include_str!("amazon-roots.pem");

const ATTEMPTS: u32 = 3;

/// Clients for every service, sharing one HTTP client. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(crate) config: Config,
    shared: SdkConfig,
    pub(crate) dynamodb: aws_sdk_dynamodb::Client,
    pub(crate) kms: aws_sdk_kms::Client,
    pub(crate) s3: aws_sdk_s3::Client,
    pub(crate) secrets_manager: aws_sdk_secretsmanager::Client,
}

impl Connection {
    /// Builds the clients; nothing is connected yet.
    ///
    /// # Errors
    /// When `AWS_CA_BUNDLE` cannot be read, or holds no certificates.
    pub fn new(config: Config) -> Result<Self, std::io::Error> {
        let shared = shared_config(&config)?;
        let patience = &config.patience;
        let objects =
            shared.to_builder().timeout_config(timeouts(patience.object_attempt, patience.object_call)).build();
        let at = |endpoint: &Option<String>| endpoint.clone();
        let mut dynamodb = aws_sdk_dynamodb::config::Builder::from(&shared).retry_partition(retries("dynamodb"));
        dynamodb.set_endpoint_url(at(&config.endpoints.dynamodb));
        let mut kms = aws_sdk_kms::config::Builder::from(&shared).retry_partition(retries("kms"));
        kms.set_endpoint_url(at(&config.endpoints.kms));
        let mut secrets_manager =
            aws_sdk_secretsmanager::config::Builder::from(&shared).retry_partition(retries("secretsmanager"));
        secrets_manager.set_endpoint_url(at(&config.endpoints.secrets_manager));
        Ok(Self {
            dynamodb: aws_sdk_dynamodb::Client::from_conf(dynamodb.build()),
            kms: aws_sdk_kms::Client::from_conf(kms.build()),
            s3: aws_sdk_s3::Client::from_conf(s3_config(&objects, &config)),
            secrets_manager: aws_sdk_secretsmanager::Client::from_conf(secrets_manager.build()),
            config,
            shared,
        })
    }

    /// The function's configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What every client is built from, for a port whose client the other functions do without.
    pub(crate) fn shared(&self) -> &SdkConfig {
        &self.shared
    }

    /// An S3 client that signs with other credentials than the function's role.
    pub(crate) fn s3_as(&self, credentials: &StaticCredentials) -> aws_sdk_s3::Client {
        let config = self.s3.config().to_builder().credentials_provider(provider(credentials)).build();
        aws_sdk_s3::Client::from_conf(config)
    }
}

/// What every connection speaks HTTP with: `ring` for TLS, and no roots but Amazon's, or those of a PEM file.
///
/// # Errors
/// When the file cannot be read, or holds no certificates.
pub fn http_client(ca_bundle: Option<&str>) -> Result<SharedHttpClient, std::io::Error> {
    let trust = TrustStore::empty().with_pem_certificate(match ca_bundle {
        Some(path) => std::fs::read(Path::new(path))?,
        None => AMAZON_ROOTS.as_bytes().to_vec(),
    });
    let tls = TlsContext::builder().with_trust_store(trust).build().map_err(std::io::Error::other)?;
    Ok(Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).tls_context(tls).build_https())
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
        .timeout_config(timeouts(config.patience.attempt, config.patience.call))
        .build())
}

fn s3_config(shared: &SdkConfig, config: &Config) -> aws_sdk_s3::Config {
    let mut builder = aws_sdk_s3::config::Builder::from(shared)
        .retry_partition(retries("s3"))
        // A presigned upload is made by a browser, which cannot add the SDK's checksums.
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
        .force_path_style(config.endpoints.s3.is_some());
    builder.set_endpoint_url(config.endpoints.s3.clone());
    builder.build()
}

/// What a client may still retry is its own, and not shared with all clients of the process.
fn retries(service: &'static str) -> RetryPartition {
    RetryPartition::custom(service).build()
}

fn timeouts(attempt: Duration, call: Duration) -> TimeoutConfig {
    TimeoutConfig::builder().connect_timeout(attempt).operation_attempt_timeout(attempt).operation_timeout(call).build()
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
