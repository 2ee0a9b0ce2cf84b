//! Evidence from a custodian's view: reads every stored version, and causes the damage that faults or people can do.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use aws_sdk_s3::types::{
    DefaultRetention, ObjectLockConfiguration, ObjectLockEnabled, ObjectLockRetentionMode, ObjectLockRule,
};
use futures_util::{StreamExt, stream};
use lacre_administration::Comparison;
use lacre_domain::{Clock, SessionId};
use lacre_storage::Tables;
use serde::Serialize;
use serde_json::Value;

use crate::{Service, Storage, operator::caller};

/// The ARN of the tests' custodian.
pub const CUSTODIAN: &str = "arn:aws:iam::000000000000:user/custodian";

/// The capture id in an ingest's response.
pub fn capture_id(ingested: &Value) -> String {
    SessionId::parse(ingested["session_id"].as_str().unwrap()).unwrap().capture_id().as_str().to_owned()
}

/// Starts a service whose streams are followed, so that records are exported as on AWS.
pub async fn exporting_service() -> Service {
    Service::start_with(local::Options { follows_streams: true, ..local::Options::for_tests() }).await
}

impl Service {
    /// Waits until the export has every record of the table.
    pub async fn exported(&self) {
        let storage = Storage::of(self);
        for _ in 0..600 {
            let records = storage.items("EVIDENCE_TABLE").await.len();
            let exported = storage.keys("EXPORT_BUCKET").await;
            if exported.iter().filter(|key| key.starts_with("records/")).count() >= records {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the records were not exported");
    }

    /// The custodian's comparison an hour later, when no record is in transit any more.
    pub async fn compared_later(&self) -> Comparison {
        let clock = Arc::new(crate::TestClock::default());
        clock.advance(self.clock.now() - clock.now() + time::Duration::hours(1));
        let evidence = lacre_administration::EvidenceAdministration::new(
            self.connection(),
            clock as Arc<dyn Clock>,
            caller(CUSTODIAN),
        );
        evidence.compare().await.unwrap()
    }
}

impl Storage<'_> {
    /// Overwrites an item without a condition, as an attacker could.
    pub async fn replace(&self, table: &str, item: HashMap<String, AttributeValue>) {
        let table = self.service.variable(table);
        self.dynamodb.put_item().table_name(table).set_item(Some(item)).send().await.unwrap();
    }

    /// Writes many items in the service's format. The key is given separately if the record does not contain it.
    pub async fn fill<T: Serialize>(&self, table: &str, records: impl Iterator<Item = (T, Option<(&str, String)>)>) {
        let write = |(record, key): (T, Option<(&str, String)>)| {
            let mut item: HashMap<String, AttributeValue> = serde_dynamo::to_item(record).unwrap();
            item.insert("v".into(), AttributeValue::N(lacre_storage::ITEM_FORMAT.into()));
            item.extend(key.map(|(name, value)| (name.to_owned(), AttributeValue::S(value))));
            let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        };
        let writes: Vec<WriteRequest> = records.map(write).collect();
        for batch in writes.chunks(25) {
            let batch = self.dynamodb.batch_write_item().request_items(self.service.variable(table), batch.to_vec());
            let left = batch.send().await.unwrap().unprocessed_items.unwrap_or_default();
            assert!(left.is_empty(), "the batch was not written whole");
        }
    }

    /// Overwrites an object.
    pub async fn overwrite(&self, bucket: &str, key: &str, bytes: &[u8]) {
        let put = self.s3.put_object().bucket(self.service.variable(bucket)).key(key);
        put.body(bytes.to_vec().into()).send().await.unwrap();
    }

    /// Hides an object behind a delete marker.
    pub async fn hide(&self, bucket: &str, key: &str) {
        self.s3.delete_object().bucket(self.service.variable(bucket)).key(key).send().await.unwrap();
    }

    /// Deletes all versions of an object.
    pub async fn destroy(&self, bucket: &str, key: &str) {
        let bucket = self.service.variable(bucket);
        let listed = self.s3.list_object_versions().bucket(bucket).prefix(key).send().await.unwrap();
        let versions = listed.versions().iter().filter_map(|version| version.version_id());
        for id in versions.chain(listed.delete_markers().iter().filter_map(|marker| marker.version_id())) {
            let delete = self.s3.delete_object().bucket(bucket).key(key).version_id(id);
            delete.bypass_governance_retention(true).send().await.unwrap();
        }
    }

    /// Applies retention in governance mode to objects stored from now on.
    pub async fn lock(&self, bucket: &str, days: i32) {
        let retention = DefaultRetention::builder().mode(ObjectLockRetentionMode::Governance).days(days).build();
        let rule = ObjectLockRule::builder().default_retention(retention).build();
        let lock =
            ObjectLockConfiguration::builder().object_lock_enabled(ObjectLockEnabled::Enabled).rule(rule).build();
        let put = self.s3.put_object_lock_configuration().bucket(self.service.variable(bucket));
        put.object_lock_configuration(lock).send().await.unwrap();
    }

    /// All versions of all objects in a bucket, with their keys.
    pub async fn versions(&self, bucket: &str) -> Vec<(String, Vec<u8>)> {
        let found = self.version_ids(bucket).await;
        let bucket = self.service.variable(bucket);
        let read = async |(key, id): (String, String)| {
            let get = self.s3.get_object().bucket(bucket).key(&key).version_id(id).send().await.unwrap();
            (key, get.body.collect().await.unwrap().to_vec())
        };
        stream::iter(found).map(read).buffer_unordered(16).collect().await
    }

    /// Keys and version ids of all objects in a bucket.
    pub async fn version_ids(&self, bucket: &str) -> Vec<(String, String)> {
        let bucket = self.service.variable(bucket);
        let (mut found, mut from) = (Vec::new(), (None, None));
        loop {
            let list = self.s3.list_object_versions().bucket(bucket);
            let page = list.set_key_marker(from.0).set_version_id_marker(from.1).send().await.unwrap();
            let versions = page.versions.unwrap_or_default().into_iter();
            found.extend(versions.map(|version| (version.key.unwrap(), version.version_id.unwrap())));
            from = (page.next_key_marker, page.next_version_id_marker);
            if from.0.is_none() {
                return found;
            }
        }
    }

    /// Where each text is stored: names of tables, and keys of objects in any version. The encrypted messages of
    /// webhooks are not searched.
    pub async fn places_of(&self, texts: &[&str]) -> Vec<BTreeSet<String>> {
        let mut places = vec![BTreeSet::new(); texts.len()];
        let mut search = |place: &str, stored: &[u8]| {
            for (text, places) in texts.iter().zip(&mut places) {
                if memchr::memmem::find(stored, text.as_bytes()).is_some() {
                    places.insert(place.to_owned());
                }
            }
        };
        for table in Tables::VARIABLES {
            for item in self.items(table).await {
                search(table, format!("{item:?}").as_bytes());
            }
        }
        for bucket in ["UPLOADS_BUCKET", "PROOFS_BUCKET", "EXPORT_BUCKET"] {
            for (key, bytes) in self.versions(bucket).await {
                search(&key, &bytes);
                search(&key, key.as_bytes());
            }
        }
        places
    }
}
