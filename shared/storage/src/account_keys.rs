//! The primary keys of the records in the `Accounts` table.

use std::array::from_fn;

use lacre_api::kit::KitName;
use lacre_domain::{ClientId, Environment, KeyHash, LicenseId, WebhookSecretId, limits::RECORD_REPLICAS};

use crate::item::{Item, text};

/// The two parts of an item's primary key: `pk` and `sk`.
pub(crate) type Key = (String, String);

/// A primary key as attributes of an item.
pub(crate) fn key_item(pk: &str, sk: &str) -> Item {
    Item::from([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

const REPLICAS: usize = RECORD_REPLICAS as usize;

/// The keys of all replicas of a record that every capture reads: a client, a license, a license key, a signer
/// profile in force, or its staple. The first replica has the record's own key. A change writes all replicas in one
/// transaction, so each of them is always current; only those of a staple are written without one.
pub(crate) fn replicas(key: &Key) -> [Key; REPLICAS] {
    from_fn(|number| replica(key, number))
}

/// The key of one randomly chosen replica.
pub(crate) fn any_replica(key: &Key) -> Key {
    let [drawn] = crate::entropy::<1>();
    replica(key, usize::from(drawn) % REPLICAS)
}

fn replica((pk, sk): &Key, number: usize) -> Key {
    let pk = if number == 0 { pk.clone() } else { format!("{pk}#{number}") };
    (pk, sk.clone())
}

pub(crate) fn api_key_key(key: &KeyHash) -> Key {
    (format!("api_key#{}", key.as_str()), "api_key".into())
}

pub(crate) fn license_key_key(key: &KeyHash) -> Key {
    (format!("license_key#{}", key.as_str()), "license_key".into())
}

pub(crate) fn client_item_key(client: &ClientId) -> Key {
    (format!("client#{client}"), "client".into())
}

pub(crate) fn license_item_key(license: &LicenseId) -> Key {
    (format!("license#{license}"), "license".into())
}

/// The key of the record that selects the hosted license of a client's environment.
pub(crate) fn hosted_license_key(client: &ClientId, environment: Environment) -> Key {
    (format!("client#{client}"), format!("hosted#{}", environment.name()))
}

/// The partition of the secrets that sign a client's webhooks in an environment. It is separate so that an IAM policy
/// can restrict a role to it.
pub(crate) fn webhook_secrets_partition(client: &ClientId, environment: Environment) -> String {
    format!("webhook_secrets#{client}#{}", environment.name())
}

pub(crate) fn webhook_secret_key(client: &ClientId, environment: Environment, id: &WebhookSecretId) -> Key {
    (webhook_secrets_partition(client, environment), format!("secret#{id}"))
}

/// The partition of what a client's hosted sessions show in an environment: its kits and its sender. It is separate so that
/// an IAM policy can restrict a role to it.
pub(crate) fn hosting_partition(client: &ClientId, environment: Environment) -> String {
    format!("hosting#{client}#{}", environment.name())
}

/// The key of the state of a kit.
pub(crate) fn kit_state_key(client: &ClientId, environment: Environment, name: &KitName) -> Key {
    (hosting_partition(client, environment), format!("kits#{}", name.as_str()))
}

/// The key of a version of a kit.
pub(crate) fn kit_version_key(client: &ClientId, environment: Environment, name: &KitName, version: u32) -> Key {
    (hosting_partition(client, environment), format!("kit#{}#{version:010}", name.as_str()))
}

/// The key of the sender.
pub(crate) fn sender_key(client: &ClientId, environment: Environment) -> Key {
    (hosting_partition(client, environment), "sender".into())
}

/// The key of one shard of a license's monthly volume count. The commit that counts a capture uses it too. Each shard
/// is a partition of its own, because a DynamoDB partition takes 1,000 write units per second.
pub(crate) fn volume_key(license: &LicenseId, month: &str, shard: u8) -> Key {
    (format!("volume#{license}#{shard:02}"), format!("volume#{month}"))
}

/// The key of the signer profile in force.
pub(crate) fn profile_key(environment: Environment) -> Key {
    (format!("signer#{}", environment.name()), "profile".into())
}

/// The key of the OCSP response about the claim certificate in force. Its partition is separate so that an IAM policy can
/// restrict a role to it.
pub(crate) fn staple_key(environment: Environment) -> Key {
    (format!("staple#{}", environment.name()), "staple".into())
}
