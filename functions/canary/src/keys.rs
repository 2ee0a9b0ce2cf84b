//! The canary's keys, as its secret holds them.

use lacre_domain::{ApiKey, Environment, LicenseKey, Origin};
use lacre_proof::Anchors;
use lacre_storage::Connection;
use serde::Deserialize;

use crate::{Failure, Step};

/// The keys of a client of its own, and whom to trust.
pub(crate) struct Keys {
    pub(crate) api_key: ApiKey,
    pub(crate) license_key: LicenseKey,
    /// The page that the license allows.
    pub(crate) origin: Origin,
    /// The roots of the sandbox's certificates.
    pub(crate) roots: Anchors,
}

/// The secret. All of it is missing until an operator fills it in.
#[derive(Default, PartialEq, Deserialize)]
#[serde(default)]
struct Secret {
    api_key: String,
    license_key: String,
    origin: String,
    roots_pem: String,
}

impl Keys {
    /// Reads the secret; `None` while it is not filled in, and without one.
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

    /// A fault names the field, and nothing of its value.
    fn of(secret: &Secret) -> Result<Self, &'static str> {
        Ok(Self {
            api_key: ApiKey::parse(&secret.api_key).map_err(|_| "api_key is none")?,
            // In another environment each run would count as a client's capture.
            license_key: LicenseKey::parse(&secret.license_key)
                .filter(|key| key.environment() == Environment::Sandbox)
                .ok_or("license_key is none of the sandbox")?,
            origin: Origin::parse(&secret.origin).ok_or("origin is none")?,
            roots: Anchors::from_pem(&secret.roots_pem).map_err(|_| "roots_pem holds no roots")?,
        })
    }
}
