//! Cells: stacks with tables, keys and addresses of their own, and how a client goes from one to another.
//!
//! Nothing is shared between cells. A client is *moved* when its records were copied: then both cells accept its keys, so its
//! backend may be switched at any moment without a refused capture. It is *closed* in the cell that it left when its backend was
//! switched: its API keys are revoked there, and what was captured there meanwhile is counted in the other cell. Both are
//! repeatable, and overwrite nothing.

use std::{collections::BTreeSet, sync::Arc};

use aws::{ClientMoves, Connection, IssuedApiKey, IssuedLicense, Listed, MoveSide, PageRequest};
use domain::{
    AuditEntry, Client, ClientId, ClientMove, Clock, Environment, KeyHash, KeyStatus, License, LicenseId, Operation,
    capture::month_of,
};
use futures_util::future::join_all;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    Administration, Caller, Error, check_id, is_id,
    licenses::{is_key_id, month_before},
};

/// The entries of a page: the most that one read gives.
const PAGE: usize = 100;

/// What may differ between two cells that have the same: the first counts changes, the second copies the client's own status.
const NOT_COMPARED: [&str; 2] = ["revision", "client_status"];

/// A cell, with the operations in it.
#[derive(Clone)]
pub struct Cell {
    name: String,
    place: Place,
    admin: Administration,
}

/// What distinguishes one cell's tables from another's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    table: String,
    region: String,
    endpoint: Option<String>,
    account: String,
}

/// A client as a cell has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CellClient {
    /// The cell.
    pub cell: String,
    /// The client.
    #[serde(flatten)]
    pub client: Client,
    /// The cell that it was copied to.
    pub moved_to: Option<String>,
    /// The cell that it was copied from.
    pub moved_from: Option<String>,
    /// Whether this is the cell that it left, and its API keys are revoked here.
    pub closed: bool,
}

/// Captures that were counted in the cell that a client left, and were added in the other one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CarriedCount {
    /// The license.
    pub license_id: LicenseId,
    /// The calendar month, UTC.
    pub month: String,
    /// The captures that were added now.
    pub added: u64,
    /// The captures that were added in all.
    pub carried: u64,
}

/// A client whose records are in both cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedClient {
    /// The client.
    pub client_id: ClientId,
    /// The cell that it leaves.
    pub from: String,
    /// The cell that it goes to.
    pub to: String,
    /// Whether the other cell accepts all that this one does. If not, what is missing is named below.
    pub ready: bool,
    /// What was copied now.
    pub copied: Vec<String>,
    /// What was counted now.
    pub carried: Vec<CarriedCount>,
    /// The environments whose webhooks are signed in the cell that it leaves, and not in the other one.
    pub webhook_secrets_missing: Vec<Environment>,
    /// The environments whose hosted license is named when the other cell has a webhook secret.
    pub hosted_licenses_missing: Vec<Environment>,
}

/// A client that is closed in the cell that it left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClosedClient {
    /// The client.
    pub client_id: ClientId,
    /// The cell that it left.
    pub closed_in: String,
    /// The cell that has it now.
    pub now_in: String,
    /// The ids of the API keys that were revoked now.
    pub revoked: Vec<String>,
    /// What was counted now.
    pub carried: Vec<CarriedCount>,
}

/// What a cell has of a client, but for secrets, counts and evidence.
struct Holding {
    client: Client,
    api_keys: Vec<IssuedApiKey>,
    licenses: Vec<IssuedLicense>,
    hosted: Vec<(Environment, LicenseId)>,
    moves: ClientMoves,
}

/// Asks all cells side by side for the clients that [`Cell::find`] finds; in the order of the cells.
pub async fn find_client(cells: &[Cell], what: &str) -> Vec<Result<Vec<CellClient>, Error>> {
    join_all(cells.iter().map(|cell| cell.find(what))).await
}

impl Cell {
    /// A cell by the name that operators use, over its connection, for a caller.
    #[must_use]
    pub fn new(name: &str, connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        let config = connection.config();
        let place = Place {
            table: config.tables.accounts.clone(),
            region: config.region.clone(),
            endpoint: config.endpoints.dynamodb.clone(),
            account: caller.operator.principal.split(':').nth(4).unwrap_or_default().to_owned(),
        };
        Self { name: name.to_owned(), place, admin: Administration::new(connection, clock, caller) }
    }

    /// The name of the cell.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The clients of this cell by the beginning of their names, case and accents aside; the one with an id, or with a license of
    /// that id; those of the licenses that have or had a key whose hash begins with eight or more hexadecimal characters; and
    /// the one whose API key has that hash, all 64 characters.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn find(&self, what: &str) -> Result<Vec<CellClient>, Error> {
        let what = what.trim();
        let register = &self.admin.register;
        let clients = match what {
            id if is_id(id) => match register.client(&ClientId(id.to_owned())).await? {
                Some(client) => vec![client],
                None => {
                    let license = register.license(&LicenseId(id.to_owned())).await?;
                    let of: Vec<ClientId> = license.map(|issued| issued.license.client_id).into_iter().collect();
                    register.clients_of(&of).await?
                }
            },
            hash if is_key_id(hash) => {
                let licenses = all(async |page| Ok(register.licenses_by_key(hash, page).await?)).await?;
                let mut of: BTreeSet<String> = licenses.into_iter().map(|issued| issued.license.client_id.0).collect();
                if let Some(hash) = KeyHash::from_hex(hash) {
                    of.extend(self.admin.accounts.read_api_key(&hash).await?.map(|record| record.client_id.0));
                }
                match of.is_empty() {
                    true => self.named(what).await?,
                    false => register.clients_of(&of.into_iter().map(ClientId).collect::<Vec<_>>()).await?,
                }
            }
            name => self.named(name).await?,
        };
        let mut found = Vec::with_capacity(clients.len());
        for client in clients {
            let ClientMoves { to, from } = register.moves(&client.id).await?;
            let closed = to.as_ref().is_some_and(|to| to.closed);
            let cell = |noted: Option<ClientMove>| noted.map(|noted| noted.cell);
            let (moved_to, moved_from) = (cell(to), cell(from));
            found.push(CellClient { cell: self.name.clone(), client, moved_to, moved_from, closed });
        }
        Ok(found)
    }

    async fn named(&self, beginning: &str) -> Result<Vec<Client>, Error> {
        all(async |page| Ok(self.admin.register.clients(beginning, page).await?)).await
    }

    /// Copies a client to another cell: its API keys and licenses with the records of their keys, the names of hosted licenses,
    /// and the counts of this month and the one before. Webhook secrets are not copied: they are encrypted under a key of this
    /// cell. What is there and equal is left alone.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] for the same cell, for a client that was moved elsewhere or is closed here, and
    /// where the other cell has something of it with other values, which is named: then nothing was changed.
    /// [`Error::Unavailable`] may leave a part of it copied: the same call again continues.
    pub async fn move_client(&self, id: &ClientId, to: &Self) -> Result<MovedClient, Error> {
        let entry = self.admin.auditor.entry_for(Operation::MoveClient, id).with_detail(format!("to {}", to.name));
        let moved = self.move_as(id, to, &entry).await;
        self.admin.auditor.keep(&entry, moved).await
    }

    async fn move_as(&self, id: &ClientId, to: &Self, entry: &AuditEntry) -> Result<MovedClient, Error> {
        self.check_other(to)?;
        let here = self.holding(id).await?.ok_or_else(|| Error::not_found("client", id))?;
        let there = to.holding(id).await?;
        match &here.moves.to {
            Some(noted) if noted.cell != to.name => {
                return Err(Error::Refused(format!("client {id} was moved from {} to {}", self.name, noted.cell)));
            }
            Some(ClientMove { closed: true, .. }) => {
                return Err(Error::Refused(format!(
                    "client {id} is closed in {}: it is in {} now",
                    self.name, to.name
                )));
            }
            _ => {}
        }
        let differing = there.as_ref().map(|there| here.differing(there)).unwrap_or_default();
        if !differing.is_empty() {
            let differing = differing.join("; ");
            return Err(Error::Refused(format!("{} has other values, and nothing was changed: {differing}", to.name)));
        }
        if here.moves.to.is_none() {
            self.note(id, MoveSide::To, &to.name, false, entry).await?;
        }
        let copied = to.take(&here, there.as_ref(), &self.name).await?;
        let (mut webhook_secrets_missing, mut hosted_licenses_missing) = (Vec::new(), Vec::new());
        for environment in Environment::ALL {
            let signed_there = to.admin.signs_webhooks(id, environment).await?;
            if !signed_there && self.admin.signs_webhooks(id, environment).await? {
                webhook_secrets_missing.push(environment);
            }
            if !signed_there && here.hosted.iter().any(|(hosted, _)| *hosted == environment) {
                hosted_licenses_missing.push(environment);
            }
        }
        Ok(MovedClient {
            client_id: id.clone(),
            from: self.name.clone(),
            to: to.name.clone(),
            ready: webhook_secrets_missing.is_empty() && hosted_licenses_missing.is_empty(),
            copied,
            carried: self.carry(&here.licenses, to, Operation::MoveClient).await?,
            webhook_secrets_missing,
            hosted_licenses_missing,
        })
    }

    /// Takes over what this cell does not have yet. What needs a webhook secret waits for one.
    async fn take(&self, here: &Holding, there: Option<&Holding>, from: &str) -> Result<Vec<String>, Error> {
        let Holding { client, .. } = here;
        let (register, mut copied) = (&self.admin.register, Vec::new());
        let entry = |subject: &str, what: &str| {
            let entry = self.admin.auditor.entry_for(Operation::MoveClient, &client.id);
            entry.about(subject).with_detail(format!("{what}, from {from}"))
        };
        let written = |is_written: bool| match is_written {
            true => Ok(()),
            false => Err(Error::changed_meanwhile("client")),
        };
        if there.is_none() {
            written(register.add_client(client, &entry(&client.id.0, "client")).await?)?;
            copied.push(format!("client {}", client.id));
        }
        if there.is_none_or(|there| there.moves.from.is_none()) {
            self.note(&client.id, MoveSide::From, from, false, &entry(&client.id.0, "moved")).await?;
        }
        for key in here.api_keys.iter().filter(|key| there.is_none_or(|there| there.api_key(key).is_none())) {
            let mut key = key.clone();
            key.record.client_status = client.status;
            let id = short(&key);
            written(register.add_api_key(&key, &entry(&id, "API key")).await?)?;
            copied.push(format!("API key {id}"));
        }
        for issued in here.licenses.iter().filter(|issued| there.is_none_or(|there| there.license(issued).is_none())) {
            let id = &issued.license.id;
            written(register.add_license(issued, client, &entry(&id.0, "license")).await?)?;
            copied.push(format!("license {id}"));
        }
        for (environment, id) in &here.hosted {
            let is_there = there.is_some_and(|there| there.hosted_in(*environment).is_some());
            let issued = here.licenses.iter().find(|issued| issued.license.id == *id);
            let Some(issued) = issued.filter(|_| !is_there) else { continue };
            if self.admin.signs_webhooks(&client.id, *environment).await? {
                written(register.name_hosted_license(issued, &entry(&id.0, "hosted license")).await?)?;
                copied.push(format!("hosted license of {}", environment.name()));
            }
        }
        Ok(copied)
    }

    /// Closes a client in this cell, which it left: revokes its API keys, and counts in the other cell what was captured here
    /// since it was moved. Open sessions go on; what they capture is counted by the same call again.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] for a client that was not moved there, and where status, terms or keys differ
    /// between the cells or are missing there, which is named. [`Error::Unavailable`] may leave some keys as they were: the same
    /// call again continues.
    pub async fn close_client(&self, id: &ClientId, now_in: &Self) -> Result<ClosedClient, Error> {
        let detail = format!("now in {}", now_in.name);
        let entry = self.admin.auditor.entry_for(Operation::CloseClient, id).with_detail(detail);
        let closed = self.close_as(id, now_in, &entry).await;
        self.admin.auditor.keep(&entry, closed).await
    }

    async fn close_as(&self, id: &ClientId, now_in: &Self, entry: &AuditEntry) -> Result<ClosedClient, Error> {
        self.check_other(now_in)?;
        let here = self.holding(id).await?.ok_or_else(|| Error::not_found("client", id))?;
        let there = now_in.holding(id).await?;
        let noted = here.moves.to.as_ref().filter(|noted| noted.cell == now_in.name);
        let (Some(noted), Some(there)) = (noted, there) else {
            return Err(Error::Refused(format!("client {id} was not moved from {} to {}", self.name, now_in.name)));
        };
        if !noted.closed {
            let mut differing = here.differing(&there);
            differing.extend(here.missing(&there));
            if !differing.is_empty() {
                let (names, differing) = (format!("{} and {}", self.name, now_in.name), differing.join("; "));
                return Err(Error::Refused(format!("{names} differ, and nothing was changed: {differing}")));
            }
            self.note(id, MoveSide::To, &now_in.name, true, entry).await?;
        }
        let mut revoked = Vec::new();
        for key in here.api_keys.iter().filter(|key| key.record.status == KeyStatus::Active) {
            let (key_id, detail) = (short(key), format!("the client is in {} now", now_in.name));
            let entry = self.admin.auditor.entry_for(Operation::RevokeApiKey, id).about(&key_id).with_detail(detail);
            // Another operator may have revoked it meanwhile.
            if self.admin.register.revoke_api_key(&key.hash, &entry).await? {
                revoked.push(key_id);
            }
        }
        let carried = self.carry(&here.licenses, now_in, Operation::CloseClient).await?;
        let (closed_in, now_in) = (self.name.clone(), now_in.name.clone());
        Ok(ClosedClient { client_id: id.clone(), closed_in, now_in, revoked, carried })
    }

    /// Counts in another cell what this one has counted since the last time, in this month and the one before.
    async fn carry(
        &self,
        licenses: &[IssuedLicense],
        to: &Self,
        operation: Operation,
    ) -> Result<Vec<CarriedCount>, Error> {
        let current = month_of(self.admin.clock.now());
        let first = month_before(&current).unwrap_or_else(|| current.clone());
        let mut carried = Vec::new();
        for IssuedLicense { license, .. } in licenses {
            for (month, total) in self.admin.volume.by_month(&license.id, &first).await? {
                let entry = to.admin.auditor.entry_for(operation, &license.client_id).about(&license.id);
                let added = to.take_count(license, &month, total, &self.name, entry).await?;
                if added > 0 {
                    carried.push(CarriedCount { license_id: license.id.clone(), month, added, carried: total });
                }
            }
        }
        Ok(carried)
    }

    async fn take_count(
        &self,
        license: &License,
        month: &str,
        total: u64,
        from: &str,
        entry: AuditEntry,
    ) -> Result<u64, Error> {
        let Administration { volume, tally, alerts, clock, .. } = &self.admin;
        let before = volume.read(&license.id, month).await?;
        let added = total.saturating_sub(before.carried());
        if total == 0 {
            return Ok(0);
        }
        let entry = entry.with_detail(format!("{month}: {added} captures more, {total} in all, from {from}"));
        if !volume.carry(&before, total, &entry).await? {
            return Err(Error::changed_meanwhile("count"));
        }
        // Also of a count that was carried before: that call may have broken off here.
        let captures = volume.read(&license.id, month).await?.total();
        let (id, environment) = (license.id.clone(), license.environment);
        tally.follow(&[aws::Seen { license: id, environment, month: month.to_owned(), day: None, captures }]).await?;
        let now = clock.now();
        if month == month_of(now) {
            alerts.raise_reached(license, month, captures, now).await?;
        }
        Ok(added)
    }

    async fn note(
        &self,
        id: &ClientId,
        side: MoveSide,
        cell: &str,
        closed: bool,
        entry: &AuditEntry,
    ) -> Result<(), Error> {
        let note = ClientMove { cell: cell.to_owned(), moved_at: entry.at, closed };
        match self.admin.register.note_move(id, side, &note, entry).await? {
            true => Ok(()),
            false => Err(Error::changed_meanwhile("client")),
        }
    }

    /// Two names for the same tables would count captures twice.
    fn check_other(&self, other: &Self) -> Result<(), Error> {
        match self.name == other.name || self.place == other.place {
            true => Err(Error::Refused(format!("{} and {} are the same cell", self.name, other.name))),
            false => Ok(()),
        }
    }

    async fn holding(&self, id: &ClientId) -> Result<Option<Holding>, Error> {
        check_id("client", &id.0)?;
        let register = &self.admin.register;
        let Some(client) = register.client(id).await? else { return Ok(None) };
        Ok(Some(Holding {
            client,
            api_keys: all(async |page| Ok(register.api_keys(id, page).await?)).await?,
            licenses: all(async |page| Ok(register.licenses(id, page).await?)).await?,
            hosted: register.hosted_licenses(id).await?,
            moves: register.moves(id).await?,
        }))
    }
}

impl Holding {
    fn api_key(&self, other: &IssuedApiKey) -> Option<&IssuedApiKey> {
        self.api_keys.iter().find(|key| key.hash == other.hash)
    }

    fn license(&self, other: &IssuedLicense) -> Option<&IssuedLicense> {
        self.licenses.iter().find(|issued| issued.license.id == other.license.id)
    }

    fn hosted_in(&self, environment: Environment) -> Option<&LicenseId> {
        self.hosted.iter().find(|(hosted, _)| *hosted == environment).map(|(_, id)| id)
    }

    /// What both cells have with other values, by name and field. No value is named: it may be a hash.
    fn differing(&self, there: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: String, here: Map<String, Value>, there: Map<String, Value>| {
            let names: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
            let other =
                |name: &&&String| !NOT_COMPARED.contains(&name.as_str()) && here.get(**name) != there.get(**name);
            let fields: Vec<&str> = names.iter().filter(other).map(|name| name.as_str()).collect();
            if !fields.is_empty() {
                found.push(format!("{what} ({})", fields.join(", ")));
            }
        };
        compare("client".to_owned(), fields(&self.client), fields(&there.client));
        for here in &self.api_keys {
            if let Some(there) = there.api_key(here) {
                let of = |key: &IssuedApiKey| {
                    let mut all = fields(&key.record);
                    all.extend(fields(&key.issue));
                    all
                };
                compare(format!("API key {}", short(here)), of(here), of(there));
            }
        }
        for here in &self.licenses {
            if let Some(there) = there.license(here) {
                let of = |issued: &IssuedLicense| {
                    let mut all = fields(&issued.license);
                    all.extend(fields(&issued.issue));
                    all
                };
                compare(format!("license {}", here.license.id), of(here), of(there));
            }
        }
        for (environment, id) in &self.hosted {
            if there.hosted_in(*environment).is_some_and(|other| other != id) {
                found.push(format!("hosted license of {}", environment.name()));
            }
        }
        found
    }

    /// What the other cell lacks.
    fn missing(&self, there: &Self) -> Vec<String> {
        let api_keys = self.api_keys.iter().filter(|key| there.api_key(key).is_none());
        let api_keys = api_keys.map(|key| format!("API key {} (missing)", short(key)));
        let licenses = self.licenses.iter().filter(|issued| there.license(issued).is_none());
        let licenses = licenses.map(|issued| format!("license {} (missing)", issued.license.id));
        let hosted = self.hosted.iter().filter(|(environment, _)| there.hosted_in(*environment).is_none());
        let hosted = hosted.map(|(environment, _)| format!("hosted license of {} (missing)", environment.name()));
        api_keys.chain(licenses).chain(hosted).collect()
    }
}

fn fields(record: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// The id of an API key: the beginning of its hash.
fn short(key: &IssuedApiKey) -> String {
    key.hash.as_str().chars().take(16).collect()
}

async fn all<T>(page: impl AsyncFn(&PageRequest) -> Result<Listed<T>, Error>) -> Result<Vec<T>, Error> {
    let (mut entries, mut request) = (Vec::new(), PageRequest::first(PAGE));
    loop {
        let Listed { entries: found, next } = page(&request).await?;
        entries.extend(found);
        match next {
            Some(next) => request.after = Some(next),
            None => return Ok(entries),
        }
    }
}
