//! Fills tables with many licenses and captures. The service creates one of each; the others are copies with their own
//! ids, in the format that the service writes. They are imported into the database, because a million calls would take
//! an hour.

use std::ops::Range;

use dynoxide::{
    Database, ImportOptions,
    actions::scan::ScanRequest,
    types::{AttributeValue, Item},
};
use lacre_domain::{Alert, AlertKind, Clock, Environment, FrameHash, LicenseId, NamedTerms, capture::month_of};
use lacre_storage::{Alerts, Register, Seen, Tally};
use lacre_tests::{Service, customer::Customer, frame};

use crate::Failure;

/// Number of items in an import, which is one transaction.
const OF_AN_IMPORT: usize = 10_000;

/// Licenses per client; one of them has an alert.
const OF_A_CLIENT: usize = 10;
const WORDS: [&str; 5] = ["Auto", "Banco", "Credito", "Garantia", "Vida"];

/// The source of the copies.
pub(crate) struct Seed<'a> {
    service: &'a Service,
    database: &'a Database,
    client: Item,
    license: Item,
    license_key: Item,
    entry: Item,
    record: Item,
    personal: Item,
}

impl<'a> Seed<'a> {
    /// Creates one client, license and capture as templates of the copies, in the database behind the service.
    pub(crate) async fn new(service: &'a Service, database: &'a Database) -> Result<Self, Failure> {
        let customer = Customer::new(service, Environment::Sandbox, NamedTerms::default()).await;
        customer.capture(&frame::fresh()).await.ok();
        let (client, license) = (customer.client_id.as_str(), customer.license_id.as_str());
        let one = |table: &str, values: &[(&str, &str)]| {
            let scan = ScanRequest { table_name: service.variable(table).to_owned(), ..Default::default() };
            let items = database.scan(scan)?.items.unwrap_or_default();
            let has = |item: &Item| {
                values.iter().all(|(name, value)| item.get(*name) == Some(&AttributeValue::S((*value).into())))
            };
            items.into_iter().find(has).ok_or_else(|| Failure::from(format!("nothing to copy in {table}")))
        };
        Ok(Self {
            service,
            client: one("ACCOUNTS_TABLE", &[("sk", "client"), ("id", client)])?,
            license: one("ACCOUNTS_TABLE", &[("sk", "license"), ("id", license)])?,
            license_key: one("ACCOUNTS_TABLE", &[("sk", "license_key"), ("license_id", license)])?,
            entry: one("AUDIT_TABLE", &[("subject", license)])?,
            record: one("EVIDENCE_TABLE", &[("license_id", license)])?,
            personal: one("PERSONAL_TABLE", &[])?,
            database,
        })
    }

    /// Writes licenses, each with an audit entry, and captures, which are spread over all licenses so far.
    pub(crate) async fn write(&self, licenses: Range<usize>, captures: Range<usize>) -> Result<(), Failure> {
        let (all, of_each) = (licenses.end, captures.end.div_ceil(licenses.end) as u64);
        self.put("ACCOUNTS_TABLE", licenses.clone().flat_map(|n| self.account(n)))?;
        let Some(AttributeValue::S(at_id)) = self.entry.get("at_id") else {
            return Err("the entry has no sort key".into());
        };
        let at = at_id.split('#').next().unwrap_or_default();
        let entry = |n| {
            let own = [("id", id("audit", n)), ("at_id", format!("{at}#{}", id("audit", n)))];
            with(&self.entry, own.into_iter().chain([("client_id", client_of(n)), ("subject", id("license", n))]))
        };
        self.put("AUDIT_TABLE", licenses.clone().map(entry))?;
        let record = |n| {
            let own = [("capture_id", hash("capture", n)), ("frame_hash", hash("frame", n))];
            let of = [("license_id", id("license", n % all)), ("client_id", client_of(n % all))];
            with(&self.record, own.into_iter().chain(of))
        };
        self.put("EVIDENCE_TABLE", captures.clone().map(record))?;
        let key = |n| format!("personal#{}", hash("capture", n));
        let personal = |n| with(&self.personal, [("pk", key(n)), ("reference_id", format!("claim-{n}"))]);
        self.put("PERSONAL_TABLE", captures.map(personal))?;
        let (connection, now) = (self.service.connection(), self.service.clock.now());
        let (month, day, environment) = (month_of(now), now.day(), Environment::Sandbox);
        let license = |n| LicenseId::parse(&id("license", n));
        let seen = |n| {
            let (license, month) = (license(n)?, month.clone());
            Ok(Seen { license, environment, month, day: Some(day), captures: of_each })
        };
        Tally::new(connection).follow(&(0..all).map(seen).collect::<Result<Vec<_>, Failure>>()?).await?;
        for n in licenses.step_by(OF_A_CLIENT) {
            let issued = Register::new(connection).license(&license(n)?).await?.ok_or("a license is missing")?;
            let alert = Alert::of_volume(AlertKind::Volume70, &issued.license, &month, of_each, now);
            Alerts::new(connection).raise(&alert).await?;
        }
        Ok(())
    }

    /// The items that `Register::add_client` and `Register::add_license` write.
    fn account(&self, n: usize) -> Vec<Item> {
        let (client, license, key, name) = (client_of(n), id("license", n), hash("key", n), name(n));
        let folded = name.to_lowercase();
        let v = Item::from([("v".to_owned(), AttributeValue::N(lacre_storage::ITEM_FORMAT.to_owned()))]);
        let listed = |pk: &str, sk: String| with(&v, [("pk", pk.to_owned()), ("sk", sk)]);
        let pk = |kind: &str, id: &str| ("pk", format!("{kind}#{id}"));
        let (of_client, of_license) = (("client_id", client.clone()), ("license_id", license.clone()));
        let own = [pk("license", &license), ("id", license.clone()), of_client.clone(), ("key", key.clone())];
        let mut items = vec![
            with(&self.license, own),
            with(&self.license_key, [pk("license_key", &key), of_license, of_client]),
            listed(&format!("client#{client}"), format!("license#{license}")),
            listed("licenses", format!("{folded}#{client}#{license}")),
            listed("license_keys", format!("{key}#{license}")),
        ];
        if n.is_multiple_of(OF_A_CLIENT) {
            items.push(listed("clients", format!("{folded}#{client}")));
            items.push(with(&self.client, [pk("client", &client), ("id", client), ("name", name)]));
        }
        items
    }

    fn put(&self, table: &str, mut items: impl Iterator<Item = Item>) -> Result<(), Failure> {
        loop {
            let some: Vec<_> = items.by_ref().take(OF_AN_IMPORT).collect();
            if some.is_empty() {
                return Ok(());
            }
            self.database.import_items(self.service.variable(table), some, ImportOptions::default())?;
        }
    }
}

/// A hash in place of a key, a frame or a capture.
pub(crate) fn hash(what: &str, n: usize) -> String {
    FrameHash::of(format!("{what} {n}").as_bytes()).hex()
}

/// The id of a client, a license or an audit entry.
pub(crate) fn id(what: &str, n: usize) -> String {
    format!("01900000-0000-7000-8{:.3}-{n:012x}", hash(what, 0))
}

/// The name of a license's client.
pub(crate) fn name(license: usize) -> String {
    let client = license / OF_A_CLIENT;
    format!("{} {client:06}", WORDS[client % WORDS.len()])
}

fn client_of(license: usize) -> String {
    id("client", license / OF_A_CLIENT)
}

/// A copy of an item with other text attributes.
fn with<'v>(item: &Item, texts: impl IntoIterator<Item = (&'v str, String)>) -> Item {
    let texts = texts.into_iter().map(|(name, value)| (name.to_owned(), AttributeValue::S(value)));
    item.clone().into_iter().chain(texts).collect()
}
