//! Direct access to the service's storage, to read all of it and to damage it.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_types::{SdkConfig, region::Region, sdk_config::SharedCredentialsProvider};
use lacre_domain::limits::RECORD_REPLICAS;
use lacre_storage::{Buckets, Tables};

use crate::Service;

/// The stores, as operators' tools access them.
pub struct Storage<'a> {
    pub(crate) service: &'a Service,
    /// Tables.
    pub dynamodb: aws_sdk_dynamodb::Client,
    /// Buckets.
    pub s3: aws_sdk_s3::Client,
    /// Keys.
    pub kms: aws_sdk_kms::Client,
}

impl<'a> Storage<'a> {
    /// The stores of a service.
    pub fn of(service: &'a Service) -> Self {
        let credentials = aws_credential_types::Credentials::new(
            service.variable("AWS_ACCESS_KEY_ID"),
            service.variable("AWS_SECRET_ACCESS_KEY"),
            None,
            None,
            "test",
        );
        let shared = SdkConfig::builder()
            .behavior_version(aws_sdk_dynamodb::config::BehaviorVersion::latest())
            .region(Region::new(service.variable("AWS_REGION").to_owned()))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .build();
        let dynamodb = aws_sdk_dynamodb::config::Builder::from(&shared).endpoint_url(service.endpoint("DYNAMODB"));
        let s3 = aws_sdk_s3::config::Builder::from(&shared).endpoint_url(service.endpoint("S3")).force_path_style(true);
        let kms = aws_sdk_kms::config::Builder::from(&shared).endpoint_url(service.endpoint("KMS"));
        Self {
            service,
            dynamodb: aws_sdk_dynamodb::Client::from_conf(dynamodb.build()),
            s3: aws_sdk_s3::Client::from_conf(s3.build()),
            kms: aws_sdk_kms::Client::from_conf(kms.build()),
        }
    }

    /// Removes an attribute from an item and its replicas.
    pub async fn damage(&self, table: &str, key: &[(&str, String)], attribute: &str) {
        for key in all_keys(key) {
            let update = self
                .dynamodb
                .update_item()
                .table_name(self.service.variable(table))
                .set_key(Some(key))
                .update_expression("REMOVE #attribute")
                .expression_attribute_names("#attribute", attribute)
                .condition_expression("attribute_exists(#attribute)");
            update.send().await.unwrap();
        }
    }

    /// Deletes an item and its replicas.
    pub async fn delete(&self, table: &str, key: &[(&str, String)]) {
        for key in all_keys(key) {
            let delete = self.dynamodb.delete_item().table_name(self.service.variable(table));
            delete.set_key(Some(key)).send().await.unwrap();
        }
    }

    /// The object at a presigned URL. It is read by its key, because S3's stand-in refuses a URL of a moved clock.
    pub async fn object_at(&self, url: &str) -> Vec<u8> {
        let url = reqwest::Url::parse(url).unwrap();
        let (bucket, key) = url.path().trim_start_matches('/').split_once('/').unwrap();
        let object = self.s3.get_object().bucket(bucket).key(key).send().await.unwrap();
        object.body.collect().await.unwrap().to_vec()
    }

    /// The keys of all objects in a bucket.
    pub async fn keys(&self, bucket: &str) -> Vec<String> {
        let mut keys = Vec::new();
        let mut pages = self.s3.list_objects_v2().bucket(self.service.variable(bucket)).into_paginator().send();
        while let Some(page) = pages.next().await {
            keys.extend(page.unwrap().contents().iter().map(|object| object.key().unwrap().to_owned()));
        }
        keys
    }

    /// Reads an item.
    pub async fn item(&self, table: &str, key: &[(&str, &str)]) -> Option<HashMap<String, AttributeValue>> {
        let mut get = self.dynamodb.get_item().table_name(self.service.variable(table)).consistent_read(true);
        for (name, value) in key {
            get = get.key(*name, AttributeValue::S((*value).to_owned()));
        }
        get.send().await.unwrap().item
    }

    /// Reads all items of a table.
    pub async fn items(&self, table: &str) -> Vec<HashMap<String, AttributeValue>> {
        let mut items = Vec::new();
        let scan = self.dynamodb.scan().table_name(self.service.variable(table)).consistent_read(true);
        let mut pages = scan.into_paginator().send();
        while let Some(page) = pages.next().await {
            items.extend(page.unwrap().items.unwrap_or_default());
        }
        items
    }

    /// All items and all object keys as one text, for searching.
    pub async fn everything(&self) -> String {
        let mut text = String::new();
        for table in Tables::VARIABLES {
            text += &format!("{:?}", self.items(table).await);
        }
        for bucket in Buckets::VARIABLES {
            text += &self.keys(bucket).await.join(" ");
        }
        text
    }
}

/// The partition keys of an account record and its replicas.
pub(crate) fn replicas(pk: &str, sk: &str) -> Vec<String> {
    let has_replicas = ["client", "license", "license_key", "profile", "staple"].contains(&sk);
    let others = (1..if has_replicas { RECORD_REPLICAS } else { 1 }).map(|replica| format!("{pk}#{replica}"));
    std::iter::once(pk.to_owned()).chain(others).collect()
}

/// The keys of an item and its replicas.
fn all_keys(key: &[(&str, String)]) -> Vec<HashMap<String, AttributeValue>> {
    let of = |name: &str| key.iter().find(|(part, _)| *part == name).map(|(_, value)| value.as_str());
    let keys = |change: &dyn Fn(&str, &str) -> String| {
        key.iter().map(|(name, value)| ((*name).to_owned(), AttributeValue::S(change(name, value)))).collect()
    };
    match (of("pk"), of("sk")) {
        (Some(pk), Some(sk)) => {
            let replica =
                |replica: String| keys(&|name, value| if name == "pk" { replica.clone() } else { value.into() });
            replicas(pk, sk).into_iter().map(replica).collect()
        }
        _ => vec![keys(&|_, value| value.into())],
    }
}
