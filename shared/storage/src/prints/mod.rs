//! The `Prints` table: the index that leads from the fingerprint of a copy to captures.
//!
//! A fingerprint is personal data, so the table contains none that its reader can use: every key and value is derived
//! from a secret of the client's environment. The secret lies in the table itself, encrypted under a KMS key of its own.
//! Without that key, or without that item, no entry can be linked to another one, to a capture's picture or to a guess.
//!
//! The primary key is `pk` and `sk`:
//! - `key#CLIENT#ENVIRONMENT` with `key`: the secret.
//! - `band#HMAC` with the capture's id: one of the 16 bands of a fingerprint, with the masked fingerprint.
//! - `manifest#HMAC` with the capture's id: the id of the capture's manifest.
//!
//! The stream of the `Personal` table drives the index: an entry is written after its personal item, and removed after
//! it. So an entry does not prove that the capture may be found; whoever looks up has to read the personal item and
//! the custody again.

mod entries;

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{CaptureId, ClientId, Environment, Fingerprint, PersonalItem};
use ring::hmac;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteArray;

pub use self::entries::PrintEntry;
use crate::{
    Connection, Encrypted, Error,
    account_keys::key_item,
    budgets::InTime,
    entropy,
    envelope::{Envelopes, Purpose},
    error::{incomplete, unavailable},
    item::{Item, batch_write, decode, encode, text, unless_refused},
    transaction::IS_NEW,
};

const ENTRY: &str = "print";
const SECRET: &str = "secret of prints";
/// The number of concurrent queries of a lookup.
const CONCURRENT: usize = 32;

/// What leads back to a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// The fingerprint of the photo.
    pub fingerprint: Fingerprint,
    /// The id of the manifest.
    pub manifest_id: String,
}

impl Print {
    /// What leads back to the capture of a personal item; `None` if it has no fingerprint.
    #[must_use]
    pub fn of(item: PersonalItem) -> Option<Self> {
        Some(Self { fingerprint: item.data.fingerprint?, manifest_id: item.manifest_id? })
    }
}

/// The captures whose fingerprints share a band with one of the looked-up codes.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The captures with their fingerprints.
    pub found: BTreeMap<CaptureId, Fingerprint>,
    /// Whether a band has more captures than one query returns (1 MB), so that some may be missing. Bands of very dark
    /// or even pictures can be that full.
    pub truncated: bool,
    /// The bands that were read.
    bands: BTreeSet<(u8, u16)>,
}

/// The secret from which the entries of a client's environment are derived.
pub struct PrintsSecret(hmac::Key);

impl PrintsSecret {
    fn new(bytes: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The derived value for a purpose. 128 bits suffice for a key: values that collide only add a candidate.
    fn derived(&self, purpose: &str, value: &[u8]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0);
        for part in [purpose.as_bytes(), &[0], value] {
            context.update(part);
        }
        let mut derived = [0; 32];
        derived.copy_from_slice(context.sign().as_ref());
        derived
    }

    fn partition(&self, purpose: &str, value: &[u8]) -> String {
        let derived = self.derived(purpose, value);
        format!("{purpose}#{}", hex::encode(derived.first_chunk::<16>().unwrap_or(&[0; 16])))
    }

    fn band(&self, (band, bits): (u8, u16)) -> String {
        let [high, low] = bits.to_be_bytes();
        self.partition("band", &[band, high, low])
    }

    fn manifest(&self, id: &str) -> String {
        self.partition("manifest", id.as_bytes())
    }

    /// Masks a fingerprint, or removes the mask. Each capture has its own mask.
    fn masked(&self, capture: &CaptureId, fingerprint: &Fingerprint) -> Fingerprint {
        let mut bits = self.derived("mask", capture.as_str().as_bytes());
        bits.iter_mut().zip(fingerprint.as_bytes()).for_each(|(bit, other)| *bit ^= other);
        Fingerprint::from_bytes(bits)
    }

    /// The partitions of all entries of a capture.
    fn partitions(&self, print: &Print) -> impl Iterator<Item = String> {
        let bands = (0..).zip(print.fingerprint.bands()).map(|band| self.band(band));
        bands.chain([self.manifest(&print.manifest_id)])
    }
}

/// An entry without its key.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// The masked fingerprint.
    code: ByteArray<32>,
}

/// Reads and writes the index.
#[derive(Clone, Debug)]
pub struct Prints {
    client: aws_sdk_dynamodb::Client,
    table: String,
    envelopes: Envelopes,
}

impl Prints {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let config = &connection.config;
        Self {
            client: connection.dynamodb(),
            table: config.tables.prints.read(),
            envelopes: Envelopes::new(connection, &config.prints_key_arn),
        }
    }

    /// The secret of a client's environment; `None` if none was created, which means that the index has no entry.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn secret(&self, client: &ClientId, environment: Environment) -> Result<Option<PrintsSecret>, Error> {
        let (pk, sk) = secret_key(client, environment);
        let get = self.client.get_item().table_name(&self.table).set_key(Some(key_item(&pk, &sk)));
        let answer =
            get.consistent_read(true).send().in_time().await.map_err(|error| unavailable("GetItem", &error))?;
        let Some(item) = answer.item else { return Ok(None) };
        let encrypted: Encrypted = decode(SECRET, item)?;
        let bytes = self.envelopes.decrypt(Purpose::Prints, &pk, &encrypted).await?;
        Ok(Some(PrintsSecret::new(&bytes)))
    }

    /// The secret of a client's environment, which is created if there is none.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn secret_or_new(&self, client: &ClientId, environment: Environment) -> Result<PrintsSecret, Error> {
        if let Some(secret) = self.secret(client, environment).await? {
            return Ok(secret);
        }
        let (pk, sk) = secret_key(client, environment);
        let bytes: [u8; 32] = entropy();
        let encrypted = self.envelopes.data_key(Purpose::Prints, &pk).await?.encrypt(&bytes)?;
        let item = encode(SECRET, &encrypted, [("pk", text(&pk)), ("sk", text(sk))])?;
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = put.set_condition_expression(IS_NEW.map(str::to_owned));
        match unless_refused("PutItem", put.send().in_time().await)? {
            true => Ok(PrintsSecret::new(&bytes)),
            // Another invocation created it at the same time.
            false => {
                let missing = || Error::Unavailable("the secret of prints that another process wrote is gone".into());
                self.secret(client, environment).await?.ok_or_else(missing)
            }
        }
    }

    /// Adds the entries of a capture. Adding them again changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some entries may have been added.
    pub async fn add(&self, secret: &PrintsSecret, capture: &CaptureId, print: &Print) -> Result<(), Error> {
        let entry = Entry { code: ByteArray::new(*secret.masked(capture, &print.fingerprint).as_bytes()) };
        let put = |partition: String| {
            let key = [("pk", text(partition)), ("sk", text(capture.as_str()))];
            let put = PutRequest::builder().set_item(Some(encode(ENTRY, &entry, key)?)).build().map_err(incomplete)?;
            Ok(WriteRequest::builder().put_request(put).build())
        };
        let entries = secret.partitions(print).map(put).collect::<Result<_, Error>>()?;
        batch_write(&self.client, &self.table, entries).await
    }

    /// Removes the entries of a capture. Removing them again changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some entries may have been removed.
    pub async fn remove(&self, secret: &PrintsSecret, capture: &CaptureId, print: &Print) -> Result<(), Error> {
        let delete = |partition: String| {
            let key = key_item(&partition, capture.as_str());
            let delete = DeleteRequest::builder().set_key(Some(key)).build().map_err(incomplete)?;
            Ok(WriteRequest::builder().delete_request(delete).build())
        };
        let entries = secret.partitions(print).map(delete).collect::<Result<_, Error>>()?;
        batch_write(&self.client, &self.table, entries).await
    }

    /// Adds the captures that have one of the given bands to the candidates. Reads each band once, and one page of it.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`]: the candidates are incomplete.
    pub async fn add_sharing(
        &self,
        secret: &PrintsSecret,
        bands: impl IntoIterator<Item = (u8, u16)>,
        candidates: &mut Candidates,
    ) -> Result<(), Error> {
        let unread = bands.into_iter().filter(|band| candidates.bands.insert(*band));
        let pages: Vec<_> = unread.map(|band| self.page(secret.band(band))).collect();
        let mut pages = stream::iter(pages).buffer_unordered(CONCURRENT);
        while let Some((items, is_cut)) = pages.try_next().await? {
            candidates.truncated |= is_cut;
            for item in items {
                let capture = capture_of(&item)?;
                let Entry { code } = decode(ENTRY, item)?;
                let fingerprint = secret.masked(&capture, &Fingerprint::from_bytes(code.into_array()));
                candidates.found.insert(capture, fingerprint);
            }
        }
        Ok(())
    }

    /// The capture with a manifest's id.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_manifest(&self, secret: &PrintsSecret, id: &str) -> Result<Option<CaptureId>, Error> {
        let (items, _) = self.page(secret.manifest(id)).await?;
        items.first().map(capture_of).transpose()
    }

    /// The first page of a partition, and whether there is more of it.
    async fn page(&self, partition: String) -> Result<(Vec<Item>, bool), Error> {
        let query = self.client.query().table_name(&self.table).key_condition_expression("pk = :pk");
        let query = query.expression_attribute_values(":pk", text(partition)).consistent_read(true);
        let page = query.send().in_time().await.map_err(|error| unavailable("Query", &error))?;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key.is_some()))
    }
}

fn secret_key(client: &ClientId, environment: Environment) -> (String, String) {
    (format!("key#{client}#{}", environment.name()), "key".to_owned())
}

fn capture_of(item: &Item) -> Result<CaptureId, Error> {
    let id = item.get("sk").and_then(|value| value.as_s().ok()).and_then(|text| CaptureId::from_hex(text));
    id.ok_or(Error::Corrupt { what: ENTRY, cause: "its key does not contain a capture ID".into() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn print() -> Print {
        Print { fingerprint: Fingerprint::from_bytes([7; 32]), manifest_id: "urn:c2pa:1".into() }
    }

    fn capture(digit: &str) -> CaptureId {
        CaptureId::from_hex(&digit.repeat(64)).unwrap()
    }

    #[test]
    fn entries_depend_on_the_secret() {
        let [one, other] = [[1; 32], [2; 32]].map(|bytes| PrintsSecret::new(&bytes));
        let partitions = |secret: &PrintsSecret| secret.partitions(&print()).collect::<BTreeSet<_>>();
        // Equal bands at different places are different partitions.
        assert_eq!(partitions(&one).len(), 17);
        assert!(partitions(&one).is_disjoint(&partitions(&other)));
        assert!(partitions(&one).iter().all(|partition| !partition.contains("0707")));
    }

    #[test]
    fn masks_differ_between_captures() {
        let secret = PrintsSecret::new(&[1; 32]);
        let code = print().fingerprint;
        let [one, other] = ["a", "b"].map(|digit| secret.masked(&capture(digit), &code));
        assert!(one != code && one != other);
        assert_eq!(secret.masked(&capture("a"), &one), code);
    }
}
