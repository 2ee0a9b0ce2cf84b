//! Starts the stand-ins on free ports, with SDK clients for them.

use aws_credential_types::Credentials;
use aws_types::{SdkConfig, region::Region, sdk_config::SharedCredentialsProvider};
use local::{
    Storage,
    stand_ins::{Identity, KeyPair, Stack, StackPorts},
};

pub(crate) const ROLE: (&str, &str) = ("role", "role-secret");
pub(crate) const PRESIGNER: (&str, &str) = ("presigner", "presigner-secret");
pub(crate) const UPLOADS: &str = "uploads";
pub(crate) const PROOFS: &str = "proofs";

pub(crate) async fn start(storage: &Storage) -> Stack {
    let pair = |(access_key_id, secret_access_key): (&str, &str), identity| KeyPair {
        access_key_id: access_key_id.to_owned(),
        secret_access_key: secret_access_key.to_owned(),
        identity,
    };
    let reader = Identity::Reader { bucket: PROOFS.to_owned() };
    let pairs = vec![pair(ROLE, Identity::Role), pair(PRESIGNER, reader)];
    Stack::start(storage, StackPorts::default(), pairs).await.unwrap()
}

pub(crate) fn s3(stack: &Stack, credentials: (&str, &str)) -> aws_sdk_s3::Client {
    let config = aws_sdk_s3::config::Builder::from(&sdk(credentials)).force_path_style(true);
    aws_sdk_s3::Client::from_conf(config.endpoint_url(stack.s3_url()).build())
}

pub(crate) fn kms(stack: &Stack) -> aws_sdk_kms::Client {
    let config = aws_sdk_kms::config::Builder::from(&sdk(ROLE));
    aws_sdk_kms::Client::from_conf(config.endpoint_url(stack.kms_url()).build())
}

pub(crate) fn dynamodb(stack: &Stack) -> aws_sdk_dynamodb::Client {
    let config = aws_sdk_dynamodb::config::Builder::from(&sdk(ROLE));
    aws_sdk_dynamodb::Client::from_conf(config.endpoint_url(stack.dynamodb_url()).build())
}

pub(crate) fn sns(stack: &Stack) -> aws_sdk_sns::Client {
    let config = aws_sdk_sns::config::Builder::from(&sdk(ROLE));
    aws_sdk_sns::Client::from_conf(config.endpoint_url(stack.sns_url()).build())
}

fn sdk((key_id, secret): (&str, &str)) -> SdkConfig {
    SdkConfig::builder()
        .behavior_version(aws_sdk_s3::config::BehaviorVersion::latest())
        .region(Region::new("sa-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new(key_id, secret, None, None, "test")))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .retry_config(aws_sdk_s3::config::retry::RetryConfig::disabled())
        .build()
}
