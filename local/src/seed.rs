//! Seeds the sandbox account, and keys that provoke each refusal, comparable to a payment service's test cards.
//!
//! For every license key that is refused only once a session exists, there is an API key of the same client and
//! environment.

use lacre_administration::{Administration, Caller, Error, NewLicense};
use lacre_domain::{
    CaptureResolution, Client, Environment, FingerprintMode, GpsMode, KeyHash, Moment, NamedTerms, Origin,
    StoreAssetPolicy, Via,
};
use lacre_storage::PageRequest;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// Origins that may capture in the sandbox: pages of this machine.
const LOCAL_ORIGINS: [&str; 2] = ["http://localhost:*", "http://127.0.0.1:*"];
/// Origin that may capture in staging and production, where `http` is not allowed. The name does not resolve.
const REMOTE_ORIGINS: [&str; 1] = ["https://app.example.com"];
const AGREEMENT: Duration = Duration::days(3650);
const VOLUME_LIMIT: u64 = 10_000;

/// The issued keys. They may be shown, because they only open the service on this machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Keys {
    /// API key of the main client, sandbox.
    pub api_key: String,
    /// API key of the main client, staging.
    pub api_key_staging: String,
    /// API key of the main client, production.
    pub api_key_live: String,
    /// Revoked API key of the main client, sandbox: 401.
    pub api_key_revoked: String,
    /// API key of a suspended client, sandbox: 401.
    pub api_key_suspended: String,
    /// License in the sandbox with the storage policy `NEVER`.
    pub license_key: String,
    /// License in the sandbox with the storage policy `ALWAYS`.
    pub license_key_always: String,
    /// License in staging. Its origin is `https://app.example.com`.
    pub license_key_staging: String,
    /// License in production, thus of another environment than `api_key`. Its origin is `https://app.example.com`.
    pub license_key_live: String,
    /// License of another client, sandbox.
    pub license_key_foreign: String,
    /// Revoked license, sandbox.
    pub license_key_revoked: String,
    /// Expired license, sandbox; its agreement ended yesterday.
    pub license_key_expired: String,
    /// License of a suspended client, sandbox.
    pub license_key_suspended: String,
    /// License in staging with a volume limit of zero. It is in staging because the sandbox has no volume limit.
    pub license_key_over_volume: String,
    /// License in the sandbox without origins.
    pub license_key_no_origin: String,
    /// License in the sandbox with `gps_mode` `REQUIRE`.
    pub license_key_gps_required: String,
    /// License in the sandbox with policy `ALWAYS` and `tsa_required`: a capture without timestamps fails.
    pub license_key_tsa: String,
    /// License in the sandbox with policy `ALWAYS` and `fingerprint` `CODE`: copies of its photos lead to their proofs.
    pub license_key_fingerprint: String,
    /// License that hosted sessions in the sandbox use. Its redirect origins are on this machine.
    pub license_key_hosted: String,
    /// Another license for hosted sessions in the sandbox, with a different resolution, which a link can name.
    pub license_key_hosted_other: String,
    /// Webhook secret of the main client, sandbox.
    pub webhook_secret: String,
}

impl Keys {
    /// The keys with their variable names in `service.env`.
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
            ("LICENSE_KEY_TSA", &self.license_key_tsa),
            ("LICENSE_KEY_FINGERPRINT", &self.license_key_fingerprint),
            ("LICENSE_KEY_HOSTED", &self.license_key_hosted),
            ("LICENSE_KEY_HOSTED_OTHER", &self.license_key_hosted_other),
            ("WEBHOOK_SECRET", &self.webhook_secret),
        ]
    }
}

/// The operator that the audit log names for the seeding.
pub(crate) fn caller() -> Caller {
    let principal = "arn:aws:iam::000000000000:user/local-service".to_owned();
    Caller::of(lacre_domain::Operator { principal, via: Via::CommandLine, source: "localhost".to_owned() })
}

/// Issues all clients, keys and licenses through the administration, and returns the keys.
pub(crate) async fn seed(administration: &Administration, now: OffsetDateTime) -> Result<Keys, Error> {
    use Environment::{Production, Sandbox, Staging};
    let operator = Operator { administration, now };
    let (main, foreign, suspended) = tokio::try_join!(
        administration.clients.create("Lacre Development"),
        administration.clients.create("Another Company"),
        administration.clients.create("Suspended Company"),
    )?;
    let api_key = |environment| operator.api_key(&main, environment);
    let license = |environment, terms| operator.license(&main, environment, terms);
    let (api_key, api_key_staging, api_key_live, api_key_revoked, api_key_suspended) = tokio::try_join!(
        api_key(Sandbox),
        api_key(Staging),
        api_key(Production),
        operator.revoked_api_key(&main),
        operator.api_key(&suspended, Sandbox),
    )?;
    let (license_key, license_key_always, license_key_staging, license_key_live) = tokio::try_join!(
        license(Sandbox, NamedTerms::default()),
        license(Sandbox, NamedTerms { store_asset_policy: Some(StoreAssetPolicy::Always), ..NamedTerms::default() }),
        license(Staging, NamedTerms::default()),
        license(Production, NamedTerms::default()),
    )?;
    let (license_key_foreign, license_key_revoked, license_key_expired, license_key_suspended) = tokio::try_join!(
        operator.license(&foreign, Sandbox, NamedTerms::default()),
        operator.revoked_license(&main),
        operator.expired_license(&main),
        operator.license(&suspended, Sandbox, NamedTerms::default()),
    )?;
    let tsa = NamedTerms {
        tsa_required: Some(true),
        store_asset_policy: Some(StoreAssetPolicy::Always),
        ..NamedTerms::default()
    };
    let (license_key_over_volume, license_key_no_origin, license_key_gps_required, license_key_tsa) = tokio::try_join!(
        license(Staging, NamedTerms { volume_limit: Some(0), ..NamedTerms::default() }),
        license(Sandbox, NamedTerms { authorized_origins: Some(Vec::new()), ..NamedTerms::default() }),
        license(Sandbox, NamedTerms { gps_mode: Some(GpsMode::Require), ..NamedTerms::default() }),
        license(Sandbox, tsa),
    )?;
    let fingerprint = NamedTerms {
        fingerprint: Some(FingerprintMode::Code),
        store_asset_policy: Some(StoreAssetPolicy::Always),
        ..NamedTerms::default()
    };
    let license_key_fingerprint = license(Sandbox, fingerprint).await?;
    let hosted = || NamedTerms {
        store_asset_policy: Some(StoreAssetPolicy::Always),
        authorized_origins: Some(Vec::new()),
        redirect_origins: Some(LOCAL_ORIGINS.map(str::to_owned).into()),
        ..NamedTerms::default()
    };
    let other = NamedTerms { capture_resolution: Some(CaptureResolution::Hd), ..hosted() };
    let (named, other) =
        tokio::try_join!(operator.issue(&main, Sandbox, hosted()), operator.issue(&main, Sandbox, other))?;
    let webhook_secret = administration.webhooks.issue_secret(&main.id, Sandbox).await?.webhook_secret;
    administration.licenses.host(&named.view.id).await?;
    administration.clients.suspend(&suspended.id).await?;
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
        license_key_tsa,
        license_key_fingerprint,
        license_key_hosted: named.license_key,
        license_key_hosted_other: other.license_key,
        webhook_secret,
    })
}

/// Sets the origins of the demo's licenses to this machine's pages and the public origin of this start; that of an
/// earlier start is removed.
pub(crate) async fn admit(administration: &Administration, keys: &Keys, public: Option<&Origin>) -> Result<(), Error> {
    let local = LOCAL_ORIGINS.map(str::to_owned).into_iter();
    let origins: Vec<_> = local.chain(public.map(Origin::to_string)).collect();
    let pages = NamedTerms { authorized_origins: Some(origins.clone()), ..NamedTerms::default() };
    let redirects = NamedTerms { redirect_origins: Some(origins), ..NamedTerms::default() };
    for (key, terms) in
        [(&keys.license_key, &pages), (&keys.license_key_always, &pages), (&keys.license_key_hosted, &redirects)]
    {
        let hash = KeyHash::of(key);
        let found = administration.licenses.find(hash.as_str(), &PageRequest::first(1)).await?;
        for license in found.entries {
            administration.licenses.configure(&license.license.view.id, terms).await?;
        }
    }
    Ok(())
}

struct Operator<'a> {
    administration: &'a Administration,
    now: OffsetDateTime,
}

impl Operator<'_> {
    async fn api_key(&self, client: &Client, environment: Environment) -> Result<String, Error> {
        Ok(self.administration.api_keys.issue(&client.id, environment, "development").await?.api_key)
    }

    async fn revoked_api_key(&self, client: &Client) -> Result<String, Error> {
        let issued = self.administration.api_keys.issue(&client.id, Environment::Sandbox, "revoked").await?;
        self.administration.api_keys.revoke(&client.id, &KeyHash::of(&issued.api_key).id()).await?;
        Ok(issued.api_key)
    }

    async fn license(&self, client: &Client, environment: Environment, terms: NamedTerms) -> Result<String, Error> {
        Ok(self.issue(client, environment, terms).await?.license_key)
    }

    async fn revoked_license(&self, client: &Client) -> Result<String, Error> {
        let issued = self.issue(client, Environment::Sandbox, NamedTerms::default()).await?;
        self.administration.licenses.revoke(&issued.view.id).await?;
        Ok(issued.license_key)
    }

    async fn expired_license(&self, client: &Client) -> Result<String, Error> {
        let issued = self.issue(client, Environment::Sandbox, NamedTerms::default()).await?;
        let ended = NamedTerms { expires_at: Some(Moment(self.now - Duration::days(1))), ..NamedTerms::default() };
        self.administration.licenses.configure(&issued.view.id, &ended).await?;
        Ok(issued.license_key)
    }

    /// Issues a license with the usual terms of its environment, overridden by `terms`.
    async fn issue(&self, client: &Client, environment: Environment, terms: NamedTerms) -> Result<NewLicense, Error> {
        let (origins, volume_limit) = match environment {
            Environment::Sandbox => (LOCAL_ORIGINS.as_slice(), None),
            Environment::Staging | Environment::Production => (REMOTE_ORIGINS.as_slice(), Some(VOLUME_LIMIT)),
        };
        let origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
        let terms = NamedTerms {
            expires_at: terms.expires_at.or(Some(Moment(self.now + AGREEMENT))),
            volume_limit: terms.volume_limit.or(volume_limit),
            authorized_origins: terms.authorized_origins.or(Some(origins)),
            ..terms
        };
        self.administration.licenses.issue(&client.id, environment, &terms).await
    }
}
