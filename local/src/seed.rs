//! The sandbox account, and keys that provoke each refusal, as a payment service has test cards.
//!
//! Every key that is refused only after a session was made belongs to a client and an environment of an API key that is
//! here too.

use aws::{Accounts, Error, entropy};
use domain::{
    ApiKey, ApiKeyRecord, CaptureResolution, Client, ClientId, ClientStatus, Environment, GpsMode, KeyStatus, License,
    LicenseId, LicenseKey, LicenseKeyRecord, LicenseStatus, OriginPattern, RecaptureGate, StoreAssetPolicy, limits,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// The pages that may capture in the sandbox: those of this machine.
const LOCAL_ORIGINS: [&str; 2] = ["http://localhost:*", "http://127.0.0.1:*"];
/// The page that may capture in staging and production, where `http` is not allowed. The name resolves nowhere.
const REMOTE_ORIGINS: [&str; 1] = ["https://app.example.com"];
const CONTRACT: Duration = Duration::days(3650);
const VOLUME_LIMIT: u64 = 10_000;

/// The keys that were issued. They are shown, for they open nothing but this machine's service.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Keys {
    /// The main client's, sandbox.
    pub api_key: String,
    /// The main client's, staging.
    pub api_key_staging: String,
    /// The main client's, production.
    pub api_key_live: String,
    /// The main client's, sandbox, revoked: 401.
    pub api_key_revoked: String,
    /// A suspended client's, sandbox: 401.
    pub api_key_suspended: String,
    /// Sandbox, policy `NEVER`.
    pub license_key: String,
    /// Sandbox, policy `ALWAYS`.
    pub license_key_always: String,
    /// Staging. Its page is `https://app.example.com`.
    pub license_key_staging: String,
    /// Production, so of another environment than `api_key`. Its page is `https://app.example.com`.
    pub license_key_live: String,
    /// Another client's, sandbox.
    pub license_key_foreign: String,
    /// Sandbox, revoked.
    pub license_key_revoked: String,
    /// Sandbox, its contract ended yesterday.
    pub license_key_expired: String,
    /// A suspended client's, sandbox.
    pub license_key_suspended: String,
    /// Staging, with a volume of no captures: the sandbox has no volume to exceed.
    pub license_key_over_volume: String,
    /// Sandbox, with no page at all.
    pub license_key_no_origin: String,
    /// Sandbox, `gps_mode` `REQUIRE`.
    pub license_key_gps_required: String,
}

impl Keys {
    /// The keys under the names that `service.env` gives them.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("API_KEY", &self.api_key),
            ("API_KEY_STAGING", &self.api_key_staging),
            ("API_KEY_LIVE", &self.api_key_live),
            ("API_KEY_REVOKED", &self.api_key_revoked),
            ("API_KEY_SUSPENDED", &self.api_key_suspended),
            ("LICENSE_KEY", &self.license_key),
            ("LICENSE_KEY_ALWAYS", &self.license_key_always),
            ("LICENSE_KEY_STAGING", &self.license_key_staging),
            ("LICENSE_KEY_LIVE", &self.license_key_live),
            ("LICENSE_KEY_FOREIGN", &self.license_key_foreign),
            ("LICENSE_KEY_REVOKED", &self.license_key_revoked),
            ("LICENSE_KEY_EXPIRED", &self.license_key_expired),
            ("LICENSE_KEY_SUSPENDED", &self.license_key_suspended),
            ("LICENSE_KEY_OVER_VOLUME", &self.license_key_over_volume),
            ("LICENSE_KEY_NO_ORIGIN", &self.license_key_no_origin),
            ("LICENSE_KEY_GPS_REQUIRED", &self.license_key_gps_required),
        ]
    }
}

/// Stores the clients, API keys and licenses, and answers with the keys.
pub(crate) async fn seed(accounts: &Accounts, now: OffsetDateTime) -> Result<Keys, Error> {
    use Environment::{Production, Sandbox, Staging};
    let issuer = Issuer { accounts, now };
    let (main, foreign, suspended) = tokio::try_join!(
        issuer.client("Lacre Development", ClientStatus::Active),
        issuer.client("Another Company", ClientStatus::Active),
        issuer.client("Suspended Company", ClientStatus::Suspended),
    )?;
    let issue = |license: License| issuer.license(&main, license);
    let plain = |environment| issuer.terms(&main, environment);
    let (api_key, api_key_staging, api_key_live, api_key_revoked, api_key_suspended) = tokio::try_join!(
        issuer.api_key(&main, Sandbox, KeyStatus::Active),
        issuer.api_key(&main, Staging, KeyStatus::Active),
        issuer.api_key(&main, Production, KeyStatus::Active),
        issuer.api_key(&main, Sandbox, KeyStatus::Revoked),
        issuer.api_key(&suspended, Sandbox, KeyStatus::Active),
    )?;
    let (license_key, license_key_always, license_key_staging, license_key_live) = tokio::try_join!(
        issue(plain(Sandbox)),
        issue(License { store_asset_policy: StoreAssetPolicy::Always, ..plain(Sandbox) }),
        issue(plain(Staging)),
        issue(plain(Production)),
    )?;
    let (license_key_foreign, license_key_revoked, license_key_expired, license_key_suspended) = tokio::try_join!(
        issuer.license(&foreign, issuer.terms(&foreign, Sandbox)),
        issue(License { status: LicenseStatus::Revoked, ..plain(Sandbox) }),
        issue(License { expires_at: now - Duration::days(1), ..plain(Sandbox) }),
        issuer.license(&suspended, issuer.terms(&suspended, Sandbox)),
    )?;
    let (license_key_over_volume, license_key_no_origin, license_key_gps_required) = tokio::try_join!(
        issue(License { volume_limit: 0, ..plain(Staging) }),
        issue(License { authorized_origins: Vec::new(), ..plain(Sandbox) }),
        issue(License { gps_mode: GpsMode::Require, ..plain(Sandbox) }),
    )?;
    Ok(Keys {
        api_key,
        api_key_staging,
        api_key_live,
        api_key_revoked,
        api_key_suspended,
        license_key,
        license_key_always,
        license_key_staging,
        license_key_live,
        license_key_foreign,
        license_key_revoked,
        license_key_expired,
        license_key_suspended,
        license_key_over_volume,
        license_key_no_origin,
        license_key_gps_required,
    })
}

struct Issuer<'a> {
    accounts: &'a Accounts,
    now: OffsetDateTime,
}

impl Issuer<'_> {
    async fn client(&self, name: &str, status: ClientStatus) -> Result<Client, Error> {
        let client = Client { id: ClientId(new_id()), name: name.to_owned(), status };
        self.accounts.put_client(&client).await?;
        Ok(client)
    }

    async fn api_key(&self, client: &Client, environment: Environment, status: KeyStatus) -> Result<String, Error> {
        let key = ApiKey::from_entropy(entropy());
        let record = ApiKeyRecord { client_id: client.id.clone(), environment, status, client_status: client.status };
        self.accounts.put_api_key(&key.hash(), &record).await?;
        Ok(key.expose().to_owned())
    }

    /// A license's usual terms in an environment.
    fn terms(&self, client: &Client, environment: Environment) -> License {
        let origins = match environment {
            Environment::Sandbox => LOCAL_ORIGINS.as_slice(),
            Environment::Staging | Environment::Production => REMOTE_ORIGINS.as_slice(),
        };
        License {
            id: LicenseId(new_id()),
            client_id: client.id.clone(),
            environment,
            status: LicenseStatus::Active,
            expires_at: self.now + CONTRACT,
            volume_limit: VOLUME_LIMIT,
            capture_resolution: CaptureResolution::Fhd,
            tsa_required: environment == Environment::Production,
            max_captures_per_session: None,
            store_asset_policy: StoreAssetPolicy::default(),
            gps_mode: GpsMode::default(),
            gps_max_accuracy_m: limits::GPS_MAX_ACCURACY_M,
            authorized_origins: origins.iter().filter_map(|origin| OriginPattern::parse(origin)).collect(),
            recapture_gate: RecaptureGate::default(),
        }
    }

    async fn license(&self, client: &Client, license: License) -> Result<String, Error> {
        let key = LicenseKey::from_entropy(license.environment, entropy());
        let record = LicenseKeyRecord {
            license_id: license.id.clone(),
            client_id: client.id.clone(),
            environment: license.environment,
            status: KeyStatus::Active,
            license_status: license.status,
            client_status: client.status,
            expires_at: license.expires_at,
            max_captures_per_session: license.max_captures_per_session,
        };
        self.accounts.put_license(&license).await?;
        self.accounts.put_license_key(&key.hash(), &record).await?;
        Ok(key.expose().to_owned())
    }
}

fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
