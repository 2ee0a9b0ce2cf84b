//! Reads and removes single entries of the index, to repair it.

use aws_sdk_dynamodb::types::{DeleteRequest, WriteRequest};
use lacre_domain::{CaptureId, Fingerprint};

use super::{ENTRY, Entry, Print, Prints, PrintsSecret, capture_of};
use crate::{
    Error, Next,
    account_keys::key_item,
    budgets::InTime,
    error::{incomplete, unavailable},
    item::{BATCH_WRITES, Item, batch_get, batch_write, decode},
};

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintEntry {
    /// The capture that the entry leads to.
    pub capture: CaptureId,
    partition: String,
    /// The masked fingerprint; `None` if it cannot be parsed.
    code: Option<Fingerprint>,
}

impl PrintEntry {
    fn read(item: Item) -> Result<Self, Error> {
        let capture = capture_of(&item)?;
        let partition = partition(&item).unwrap_or_default().to_owned();
        let code = decode::<Entry>(ENTRY, item).ok().map(|entry| Fingerprint::from_bytes(entry.code.into_array()));
        Ok(Self { capture, partition, code })
    }
}

impl PrintsSecret {
    /// Whether an entry is one of those that its capture should have.
    #[must_use]
    pub fn made(&self, entry: &PrintEntry, print: &Print) -> bool {
        entry.code == Some(self.masked(&entry.capture, &print.fingerprint))
            && self.partitions(print).any(|partition| partition == entry.partition)
    }
}

impl Prints {
    /// All entries, page by page, in no particular order, without the secrets. A page may be empty without being the
    /// last.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn entries(&self, from: Option<Next>) -> Result<(Vec<PrintEntry>, Option<Next>), Error> {
        let scan = self.client.scan().table_name(&self.table).consistent_read(true);
        let scan = scan.set_exclusive_start_key(from.map(|Next(key)| key));
        let page = scan.send().in_time().await.map_err(|error| unavailable("Scan", &error))?;
        let items = page.items.unwrap_or_default().into_iter();
        let entries = items.filter(|item| partition(item).is_some_and(|pk| !pk.starts_with("key#")));
        Ok((entries.map(PrintEntry::read).collect::<Result<_, _>>()?, page.last_evaluated_key.map(Next)))
    }

    /// Whether the index has all entries that a capture should have.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn has(&self, secret: &PrintsSecret, capture: &CaptureId, print: &Print) -> Result<bool, Error> {
        let keys: Vec<_> = secret.partitions(print).map(|partition| key_item(&partition, capture.as_str())).collect();
        let due = keys.len();
        let found = batch_get(&self.client, &self.table, keys).await?.into_iter().map(PrintEntry::read);
        let found: Vec<_> = found.collect::<Result<_, _>>()?;
        Ok(found.iter().filter(|entry| secret.made(entry, print)).count() == due)
    }

    /// Removes entries. Removing them again changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some entries may have been removed.
    pub async fn remove_entries(&self, entries: &[&PrintEntry]) -> Result<(), Error> {
        let delete = |entry: &&PrintEntry| {
            let key = key_item(&entry.partition, entry.capture.as_str());
            let delete = DeleteRequest::builder().set_key(Some(key)).build().map_err(incomplete)?;
            Ok(WriteRequest::builder().delete_request(delete).build())
        };
        for entries in entries.chunks(BATCH_WRITES) {
            let deletes = entries.iter().map(delete).collect::<Result<_, Error>>()?;
            batch_write(&self.client, &self.table, deletes).await?;
        }
        Ok(())
    }
}

fn partition(item: &Item) -> Option<&str> {
    item.get("pk").and_then(|value| value.as_s().ok()).map(String::as_str)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn recognizes_the_entries_of_a_print() {
        let secret = PrintsSecret::new(&[1; 32]);
        let print = Print { fingerprint: Fingerprint::from_bytes([7; 32]), manifest_id: "urn:c2pa:1".into() };
        let [capture, other] = ["a", "b"].map(|digit| CaptureId::from_hex(&digit.repeat(64)).unwrap());
        let code = Some(secret.masked(&capture, &print.fingerprint));
        let entry = |partition| PrintEntry { capture: capture.clone(), partition, code };
        let partitions: Vec<_> = secret.partitions(&print).collect();
        assert!(partitions.iter().all(|partition| secret.made(&entry(partition.clone()), &print)));
        let own = || entry(partitions[0].clone());
        for (entry, print) in [
            (entry("band#00".into()), &print),
            (PrintEntry { capture: other, ..own() }, &print),
            (PrintEntry { code: None, ..own() }, &print),
            (own(), &Print { fingerprint: Fingerprint::from_bytes([8; 32]), ..print.clone() }),
        ] {
            assert!(!secret.made(&entry, print), "{entry:?}");
        }
        assert!(!PrintsSecret::new(&[2; 32]).made(&own(), &print));
    }
}
