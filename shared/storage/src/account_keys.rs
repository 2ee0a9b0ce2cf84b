//! The keys of each record of the `Accounts` table.

use std::array::from_fn;

use lacre_domain::{ClientId, Environment, KeyHash, LicenseId, limits::RECORD_REPLICAS};

use crate::item::{Item, text};

/// The two parts of an item's primary key: `pk` and `sk`.
pub(crate) type Key = (String, String);

/// A key as the attributes of an item.
pub(crate) fn key_item(pk: &str, sk: &str) -> Item {
    Item::from([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

const REPLICAS: usize = RECORD_REPLICAS as usize;

/// The keys of all replicas of a record that every capture reads: a client, a license, a license key, a signer profile in force.
/// The first is the record's own. A change writes all of them in one transaction, so any of them is the record.
pub(crate) fn replicas(key: &Key) -> [Key; REPLICAS] {
    from_fn(|number| replica(key, number))
}

/// The key of one replica, drawn at random.
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

/// The hosted license of a client's environment.
pub(crate) fn hosted_license_key(client: &ClientId, environment: Environment) -> Key {
    (format!("client#{client}"), format!("hosted#{}", environment.name()))
}

/// The secrets that sign a client's webhooks in an environment: a partition of its own, which a role can be bound to.
pub(crate) fn webhook_secrets_partition(client: &ClientId, environment: Environment) -> String {
    format!("webhook_secrets#{client}#{}", environment.name())
}

pub(crate) fn webhook_secret_key(client: &ClientId, environment: Environment, id: &str) -> Key {
    (webhook_secrets_partition(client, environment), format!("secret#{id}"))
}

/// The key of one shard of a license's volume count in a month, also for the commit that counts a capture. Each shard has a
/// partition of its own, as DynamoDB writes 1,000 units a second in one.
pub(crate) fn volume_key(license: &LicenseId, month: &str, shard: u8) -> Key {
    (format!("volume#{license}#{shard:02}"), format!("volume#{month}"))
}

/// The signer profile in force.
pub(crate) fn profile_key(environment: Environment) -> Key {
    (format!("signer#{}", environment.name()), "profile".into())
}
