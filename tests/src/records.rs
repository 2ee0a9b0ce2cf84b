//! Writes account records directly, bypassing all rules, to create states that operators cannot.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{ApiKeyRecord, Client, HostedLicense, KeyHash, License, LicenseKeyRecord};

use crate::{Service, Storage, storage::replicas};

/// The accounts table.
#[derive(Clone)]
pub struct Records {
    dynamodb: aws_sdk_dynamodb::Client,
    table: String,
}

/// The bits of the id of a new record.
pub fn new_id() -> u128 {
    u128::from_be_bytes(lacre_storage::entropy())
}

impl Service {
    /// The account records of this service.
    pub fn records(&self) -> Records {
        Records { dynamodb: Storage::of(self).dynamodb, table: self.variable("ACCOUNTS_TABLE").to_owned() }
    }
}

impl Records {
    /// Writes a client.
    pub async fn put_client(&self, client: &Client) {
        self.put_replicas(client, &format!("client#{}", client.id), "client").await;
    }

    /// Writes an API key's record.
    pub async fn put_api_key(&self, key: &KeyHash, record: &ApiKeyRecord) {
        self.put(record, format!("api_key#{}", key.as_str()), "api_key").await;
    }

    /// Writes a license.
    pub async fn put_license(&self, license: &License) {
        self.put_replicas(license, &format!("license#{}", license.id), "license").await;
    }

    /// Writes a license key's record.
    pub async fn put_license_key(&self, key: &KeyHash, record: &LicenseKeyRecord) {
        self.put_replicas(record, &format!("license_key#{}", key.as_str()), "license_key").await;
    }

    /// Sets the hosted license of the client's environment.
    pub async fn put_hosted_license(&self, license: &License) {
        let record = HostedLicense { license_id: license.id.clone() };
        let sk = format!("hosted#{}", license.environment.name());
        self.put(&record, format!("client#{}", license.client_id), &sk).await;
    }

    async fn put_replicas(&self, record: &impl serde::Serialize, pk: &str, sk: &str) {
        for pk in replicas(pk, sk) {
            self.put(record, pk, sk).await;
        }
    }

    async fn put(&self, record: &impl serde::Serialize, pk: String, sk: &str) {
        let mut item: HashMap<String, AttributeValue> = serde_dynamo::to_item(record).unwrap();
        item.insert("v".into(), AttributeValue::N("1".into()));
        item.insert("pk".into(), AttributeValue::S(pk));
        item.insert("sk".into(), AttributeValue::S(sk.into()));
        self.dynamodb.put_item().table_name(&self.table).set_item(Some(item)).send().await.unwrap();
    }
}
