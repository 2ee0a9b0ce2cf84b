//! What the service keeps: every item of every table, every key of every object.

use crate::Service;

/// All of it as one text, to be searched.
pub async fn everything(service: &Service) -> String {
    let region = aws_sdk_dynamodb::config::Region::new(service.variable("AWS_REGION").to_owned());
    let credentials = aws_credential_types::Credentials::new(
        service.variable("AWS_ACCESS_KEY_ID"),
        service.variable("AWS_SECRET_ACCESS_KEY"),
        None,
        None,
        "test",
    );
    let endpoint = |name: &str| {
        let own = service.variables().get(&format!("AWS_ENDPOINT_URL_{name}"));
        own.or_else(|| service.variables().get("AWS_ENDPOINT_URL")).unwrap().clone()
    };
    let shared = aws_types::SdkConfig::builder()
        .behavior_version(aws_sdk_dynamodb::config::BehaviorVersion::latest())
        .region(region)
        .credentials_provider(aws_types::sdk_config::SharedCredentialsProvider::new(credentials))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    let dynamodb = aws_sdk_dynamodb::Client::from_conf(
        aws_sdk_dynamodb::config::Builder::from(&shared).endpoint_url(endpoint("DYNAMODB")).build(),
    );
    let s3 = aws_sdk_s3::Client::from_conf(
        aws_sdk_s3::config::Builder::from(&shared).endpoint_url(endpoint("S3")).force_path_style(true).build(),
    );
    let mut text = String::new();
    for table in ["SESSIONS_TABLE", "ACCOUNTS_TABLE", "FRAMES_TABLE", "EVIDENCE_TABLE"] {
        let mut pages = dynamodb.scan().table_name(service.variable(table)).into_paginator().send();
        while let Some(page) = pages.next().await {
            text += &format!("{:?}", page.unwrap().items());
        }
    }
    for bucket in ["UPLOADS_BUCKET", "PROOFS_BUCKET"] {
        let mut pages = s3.list_objects_v2().bucket(service.variable(bucket)).into_paginator().send();
        while let Some(page) = pages.next().await {
            text += &format!("{:?}", page.unwrap().contents());
        }
    }
    text
}
