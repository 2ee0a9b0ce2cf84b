//! Licenses: what a client may capture, from which origins and under which policies; and their keys.

use std::sync::Arc;

use lacre_api::{
    Reason,
    admin::{HostedLicenseView, LicenseView, LicenseWithUsage, ListedLicense, NewLicense, Usage},
};
use lacre_domain::{
    Alert, Client, ClientId, Clock, Environment, License, LicenseId, LicenseIssue, LicenseKey, LicenseStatus,
    NamedTerms, Operation, capture::month_of, clock::rfc3339,
};
use lacre_storage::{
    Accounts, Alerts, Connection, IssuedLicense, LicenseUse, Listed, PageRequest, Register, Tally, WebhookSecrets,
};
use time::OffsetDateTime;

use crate::{
    Error,
    caller::Auditor,
    clients::{active_client, existing_client},
    new_id,
    senders::no_sender,
    webhooks::{is_signed, no_secret},
};

/// The operations on licenses and their keys.
pub struct Licenses {
    register: Register,
    accounts: Accounts,
    tally: Tally,
    alerts: Alerts,
    webhook_secrets: WebhookSecrets,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl Licenses {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self {
            register: Register::new(connection),
            accounts: Accounts::new(connection),
            tally: Tally::new(connection),
            alerts: Alerts::new(connection),
            webhook_secrets: WebhookSecrets::new(connection),
            auditor,
            clock,
        }
    }

    /// Issues a license to a client that is not suspended, with its first key.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for invalid terms, [`Error::Refused`].
    pub async fn issue(
        &self,
        client_id: &ClientId,
        environment: Environment,
        terms: &NamedTerms,
    ) -> Result<NewLicense, Error> {
        let entry = self.auditor.entry(Operation::IssueLicense).for_client(client_id);
        let issued = async {
            let client = active_client(&self.register, client_id).await?;
            let now = self.clock.now();
            let license = License::issue(LicenseId::from_u128(new_id(now)), client_id.clone(), environment, terms, now);
            let license = license.map_err(|fault| Error::Invalid(fault.to_string()))?;
            let key = LicenseKey::from_entropy(environment, lacre_storage::entropy());
            let key_suffix = Some(key.suffix().to_owned());
            let issue = LicenseIssue { key: key.hash(), key_suffix, issued_at: now, revision: 1 };
            let issued = IssuedLicense { license, issue };
            let detail = format!("{} {}", environment.name(), named(terms));
            let entry = entry.clone().about(&issued.license.id).with_detail(detail);
            match self.register.add_license(&issued, &client, &entry).await? {
                true => Ok(new_license(&key, &issued)),
                false => Err(Error::changed_meanwhile("client")),
            }
        };
        let issued = issued.await;
        self.auditor.keep(&entry, issued).await
    }

    /// The licenses of a client, oldest first, with this month's usage, which may lag by seconds.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for an invalid cursor.
    pub async fn list(&self, client_id: &ClientId, page: &PageRequest) -> Result<Listed<ListedLicense>, Error> {
        existing_client(&self.register, client_id).await?;
        let found = self.register.licenses(client_id, page).await?;
        self.with_usage(found).await
    }

    /// The licenses of all clients that match a search: the beginning of the client's name, ignoring case and accents;
    /// the id of the client or license; or at least eight hexadecimal characters of a key's hash, as logs show it,
    /// including replaced keys. With this month's usage, which may lag by seconds.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid cursor.
    pub async fn find(&self, search: &str, page: &PageRequest) -> Result<Listed<ListedLicense>, Error> {
        let search = search.trim();
        let found = match (LicenseId::parse(search), ClientId::parse(search)) {
            (Ok(license), Ok(client)) => match self.register.license(&license).await? {
                Some(license) => Listed { entries: vec![license], next: None },
                None => self.register.licenses(&client, page).await?,
            },
            _ if is_beginning_of_hash(search) => {
                let found = self.register.licenses_by_key(search, page).await?;
                match found.entries.is_empty() && found.next.is_none() {
                    true => self.register.licenses_by_name(search, page).await?,
                    false => found,
                }
            }
            _ => self.register.licenses_by_name(search, page).await?,
        };
        self.with_usage(found).await
    }

    /// Adds usage and client names to a page of licenses, with two reads for the whole page.
    async fn with_usage(&self, found: Listed<IssuedLicense>) -> Result<Listed<ListedLicense>, Error> {
        let now = self.clock.now();
        let month = month_of(now);
        let licenses: Vec<LicenseId> = found.entries.iter().map(|issued| issued.license.id.clone()).collect();
        let clients: Vec<ClientId> = found.entries.iter().map(|issued| issued.license.client_id.clone()).collect();
        let (counts, clients) =
            tokio::try_join!(self.tally.of_licenses(&licenses, &month), self.register.clients_of(&clients))?;
        let views = found.entries.iter().zip(counts).map(|(issued, captures_used)| {
            let client = clients.iter().find(|client| client.id == issued.license.client_id);
            let refusal = client.and_then(|client| refusal(issued, client, captures_used, now));
            let usage = Usage { month: month.as_str().into(), captures_used };
            let license = LicenseWithUsage { view: view(issued), refusal, usage };
            ListedLicense { license, client_name: client.map(|client| client.name.clone()) }
        });
        let views = views.collect();
        Ok(found.with(views))
    }

    /// A license with its usage in this month.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn read(&self, id: &LicenseId) -> Result<LicenseWithUsage, Error> {
        let issued = issued_license(&self.register, id).await?;
        let now = self.clock.now();
        let month = month_of(now);
        let LicenseUse { client, captures_used, .. } =
            self.accounts.read_license(&issued.license.id, &issued.license.client_id, Some(&month)).await?;
        let refusal = client?.and_then(|client| refusal(&issued, &client, captures_used, now));
        Ok(LicenseWithUsage { view: view(&issued), refusal, usage: Usage { month: month.into(), captures_used } })
    }

    /// Changes the given terms of a license. If this month's captures already reach a threshold of a new volume limit,
    /// its alert is raised.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] if the license is revoked.
    pub async fn configure(&self, id: &LicenseId, terms: &NamedTerms) -> Result<LicenseView, Error> {
        let entry = self.auditor.entry(Operation::ConfigureLicense).about(id).with_detail(named(terms));
        let configured = async {
            let issued = self.license_in_force(id).await?;
            let license = issued.license.under(terms).map_err(|fault| Error::Invalid(fault.to_string()))?;
            let entry = entry.clone().for_client(&license.client_id);
            let changed = self.register.change_license(&issued, license, None, &entry).await?;
            changed.ok_or_else(|| Error::changed_meanwhile("license"))
        };
        let configured = configured.await;
        match self.auditor.keep(&entry, configured).await {
            Ok(changed) => {
                self.raise_reached(&changed.license, terms).await?;
                Ok(view(&changed))
            }
            // The first call may have been interrupted before it raised the alerts.
            Err(repeated @ Error::Repeated { .. }) => {
                self.raise_reached(&issued_license(&self.register, id).await?.license, terms).await?;
                Err(repeated)
            }
            Err(error) => Err(error),
        }
    }

    /// Raises the alerts that this month's captures reach under a new volume limit.
    async fn raise_reached(&self, license: &License, terms: &NamedTerms) -> Result<(), Error> {
        if terms.volume_limit.is_some() {
            let now = self.clock.now();
            let month = month_of(now);
            let captures_used = self.captures_used(license, &month).await?;
            self.alerts.raise_reached(license, &month, captures_used, now).await?;
        }
        Ok(())
    }

    /// Gives a license a new key. The old key stops working; usage, alerts and open sessions are kept.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the license is revoked. If the outcome at AWS is unknown, the key may
    /// have been replaced by one that nobody has seen: rotate again.
    pub async fn rotate_key(&self, id: &LicenseId) -> Result<NewLicense, Error> {
        let entry = self.auditor.entry(Operation::RotateLicenseKey).about(id);
        let rotated = async {
            let issued = self.license_in_force(id).await?;
            let client = existing_client(&self.register, &issued.license.client_id).await?;
            let key = LicenseKey::from_entropy(issued.license.environment, lacre_storage::entropy());
            let entry =
                entry.clone().for_client(&client.id).with_detail(format!("the new key ends in {}", key.suffix()));
            let rotated = self.register.rotate_license_key(&issued, &key, client.status, &entry).await?;
            let rotated = rotated.ok_or_else(|| Error::changed_meanwhile("license"))?;
            Ok(new_license(&key, &rotated))
        };
        let rotated = rotated.await;
        self.auditor.keep(&entry, rotated).await
    }

    /// Revokes a license permanently, and raises an alert about it.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if it is already revoked.
    pub async fn revoke(&self, id: &LicenseId) -> Result<LicenseView, Error> {
        let entry = self.auditor.entry(Operation::RevokeLicense).about(id);
        let revoked = async {
            let issued = self.license_in_force(id).await?;
            let license = License { status: LicenseStatus::Revoked, ..issued.license.clone() };
            let alert = Alert::of_revocation(&license, self.clock.now());
            let entry = entry.clone().for_client(&license.client_id);
            let revoked = self.register.change_license(&issued, license, Some(&alert), &entry).await?;
            Ok(view(&revoked.ok_or_else(|| Error::changed_meanwhile("license"))?))
        };
        let revoked = revoked.await;
        self.auditor.keep(&entry, revoked).await
    }

    /// Selects the license for new hosted sessions of its client and environment, replacing the previous one. Open
    /// sessions keep their license.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the license is revoked or has no redirect origins, or if the client
    /// has no webhook secret in force, or in production no sender.
    pub async fn host(&self, id: &LicenseId) -> Result<HostedLicenseView, Error> {
        let entry = self.auditor.entry(Operation::HostLicense).about(id);
        let hosted = async {
            let issued = self.license_in_force(id).await?;
            let License { client_id, environment, .. } = &issued.license;
            if !issued.license.is_hosted() {
                return Err(Error::Refused(format!("license {id} has no redirect_origins; set them first")));
            }
            let secrets = self.webhook_secrets.records(client_id, *environment).await?;
            if !is_signed(&secrets, self.clock.now()) {
                return Err(no_secret(client_id, *environment));
            }
            // A sender is never removed, so it is enough that one was set before.
            let has_sender = self.register.sender(client_id, *environment).await?.is_some();
            if *environment == Environment::Production && !has_sender {
                return Err(Error::Refused(no_sender(client_id, *environment)));
            }
            let entry = entry.clone().for_client(client_id).with_detail(environment.name());
            match self.register.name_hosted_license(&issued, &entry).await? {
                true => Ok(HostedLicenseView {
                    client_id: client_id.clone(),
                    environment: *environment,
                    license_id: id.clone(),
                }),
                false => Err(Error::changed_meanwhile("license")),
            }
        };
        let hosted = hosted.await;
        self.auditor.keep(&entry, hosted).await
    }

    /// The selected hosted license of each environment, for a client.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn hosted(&self, client_id: &ClientId) -> Result<Vec<HostedLicenseView>, Error> {
        existing_client(&self.register, client_id).await?;
        let named = self.register.hosted_licenses(client_id).await?.into_iter();
        let view =
            |(environment, license_id)| HostedLicenseView { client_id: client_id.clone(), environment, license_id };
        Ok(named.map(view).collect())
    }

    async fn license_in_force(&self, id: &LicenseId) -> Result<IssuedLicense, Error> {
        let issued = issued_license(&self.register, id).await?;
        self.auditor.caller.check_revision(issued.issue.revision)?;
        match issued.license.status {
            LicenseStatus::Active => Ok(issued),
            LicenseStatus::Revoked => {
                Err(Error::Refused(format!("license {id} is revoked, for good; issue a new license instead")))
            }
        }
    }

    async fn captures_used(&self, license: &License, month: &str) -> Result<u64, Error> {
        Ok(self.accounts.read_license(&license.id, &license.client_id, Some(month)).await?.captures_used)
    }
}

/// Reads a license, which must exist.
pub(crate) async fn issued_license(register: &Register, id: &LicenseId) -> Result<IssuedLicense, Error> {
    register.license(id).await?.ok_or_else(|| Error::not_found("license", id))
}

fn new_license(key: &LicenseKey, issued: &IssuedLicense) -> NewLicense {
    NewLicense { license_key: key.expose().to_owned(), view: view(issued) }
}

fn view(IssuedLicense { license, issue }: &IssuedLicense) -> LicenseView {
    LicenseView {
        id: license.id.clone(),
        client_id: license.client_id.clone(),
        environment: license.environment,
        status: license.status,
        terms: license.shown_terms(),
        integrity_enforcement: license.integrity_enforcement(),
        issued_at: rfc3339(issue.issued_at).into(),
        key_id: issue.key.id().as_str().into(),
        key_prefix: LicenseKey::prefix(license.environment),
        key_suffix: issue.key_suffix.clone().map(Into::into),
        revision: issue.revision,
    }
}

/// The terms of a license in the API's form.
/// Why `POST /validate` would refuse the license now, for requests from any page.
fn refusal(issued: &IssuedLicense, client: &Client, captures_used: u64, now: OffsetDateTime) -> Option<Reason> {
    let usable = issued.license.check_usable(client.status, now).map_err(Reason::from);
    usable.and_then(|()| issued.license.policy(captures_used, None)).err()
}

/// The terms that an operator sets, as text for the audit log.
fn named(terms: &NamedTerms) -> String {
    serde_json::to_string(terms).unwrap_or_default()
}

/// Whether a text may be the beginning of a key's hash, of which logs show 8 characters.
fn is_beginning_of_hash(text: &str) -> bool {
    (8..=64).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
