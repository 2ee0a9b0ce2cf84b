//! SDK clients for provisioning (tables, buckets, topics) and for reading streams. The functions use those of
//! `lacre_storage`.

use aws_credential_types::Credentials;
use aws_smithy_async::{
    rt::sleep::{SharedAsyncSleep, TokioSleep},
    time::{SharedTimeSource, SystemTimeSource},
};
use aws_types::{SdkConfig, region::Region, sdk_config::SharedCredentialsProvider};
use lacre_storage::Config;

/// A client for each service that is provisioned or polled. They use plain HTTP because the stand-ins are on this
/// machine.
pub(crate) struct Clients {
    pub(crate) dynamodb: aws_sdk_dynamodb::Client,
    pub(crate) s3: aws_sdk_s3::Client,
    pub(crate) sns: aws_sdk_sns::Client,
    pub(crate) kms: aws_sdk_kms::Client,
    /// Client of DynamoDB Streams. The stand-in serves streams at the same endpoint as tables.
    pub(crate) streams: aws_sdk_dynamodbstreams::Client,
}

impl Clients {
    /// Builds the clients without connecting.
    pub(crate) fn new(config: &Config) -> Self {
        let credentials = Credentials::new(
            &config.credentials.access_key_id,
            &config.credentials.secret_access_key,
            config.credentials.session_token.clone(),
            None,
            "local",
        );
        let shared = SdkConfig::builder()
            .behavior_version(aws_sdk_s3::config::BehaviorVersion::latest())
            .region(Region::new(config.region.clone()))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .sleep_impl(SharedAsyncSleep::new(TokioSleep::new()))
            .time_source(SharedTimeSource::new(SystemTimeSource::new()))
            .build();
        let mut dynamodb = aws_sdk_dynamodb::config::Builder::from(&shared);
        dynamodb.set_endpoint_url(config.endpoints.dynamodb.clone());
        let mut s3 = aws_sdk_s3::config::Builder::from(&shared).force_path_style(true);
        s3.set_endpoint_url(config.endpoints.s3.clone());
        let mut sns = aws_sdk_sns::config::Builder::from(&shared);
        sns.set_endpoint_url(config.endpoints.sns.clone());
        let mut kms = aws_sdk_kms::config::Builder::from(&shared);
        kms.set_endpoint_url(config.endpoints.kms.clone());
        let mut streams = aws_sdk_dynamodbstreams::config::Builder::from(&shared);
        streams.set_endpoint_url(config.endpoints.dynamodb.clone());
        Self {
            dynamodb: aws_sdk_dynamodb::Client::from_conf(dynamodb.build()),
            s3: aws_sdk_s3::Client::from_conf(s3.build()),
            sns: aws_sdk_sns::Client::from_conf(sns.build()),
            kms: aws_sdk_kms::Client::from_conf(kms.build()),
            streams: aws_sdk_dynamodbstreams::Client::from_conf(streams.build()),
        }
    }
}
