//! The canary's keys, which are stored in Secrets Manager.

use lacre_domain::{ApiKey, Environment, LicenseKey, Origin};
use lacre_proof::Anchors;
use lacre_storage::Connection;
use serde::Deserialize;

use crate::{Failure, Step};

/// The keys of the canary's own client, and the trust anchors for its photos.
pub(crate) struct Keys {
    pub(crate) api_key: ApiKey,
    pub(crate) license_key: LicenseKey,
    /// An origin that the license allows.
    pub(crate) origin: Origin,
    /// The root certificates of the sandbox.
    pub(crate) roots: Anchors,
}

/// The secret's JSON. All fields are empty until an operator fills them in.
#[derive(Default, PartialEq, Deserialize)]
#[serde(default)]
struct Secret {
    api_key: String,
    license_key: String,
    origin: String,
    roots_pem: String,
}

impl Keys {
    /// Reads the secret; `None` if there is no secret, or it is not filled in yet.
    pub(crate) async fn read(connection: &Connection, arn: &str) -> Result<Option<Self>, Failure> {
        if arn.is_empty() {
            return Ok(None);
        }
        let secret = connection.read_secret(arn).await;
        let secret = secret.map_err(|error| Failure::of(Step::Keys, error.to_string()))?;
        if secret == Secret::default() {
            return Ok(None);
        }
        Self::of(&secret).map(Some).map_err(|cause| Failure::of(Step::Keys, cause))
    }

    /// Parses the secret's fields. An error names the field without its value.
    fn of(secret: &Secret) -> Result<Self, &'static str> {
        Ok(Self {
            api_key: ApiKey::parse(&secret.api_key).map_err(|_| "api_key is not a valid API key")?,
            // Only sandbox keys are accepted: in another environment every run would count as a client's capture.
            license_key: LicenseKey::parse(&secret.license_key)
                .filter(|key| key.environment() == Environment::Sandbox)
                .ok_or("license_key is not a sandbox license key")?,
            origin: Origin::parse(&secret.origin).ok_or("origin is not a valid origin")?,
            roots: Anchors::from_pem(&secret.roots_pem).map_err(|_| "roots_pem holds no roots")?,
        })
    }
}
