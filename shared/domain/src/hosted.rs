//! The hosted flow: sessions on the service's own capture page, with a profile of photos, a redirect and a webhook.

use lacre_api::Refusal;
use serde::{Deserialize, Serialize};

use crate::{License, LicenseId, WebUrl, kit::SessionKit};

/// The part of a session that only hosted sessions have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostedFlow {
    /// The kit, from which the photos are that the session asks for.
    #[serde(rename = "profile")]
    pub kit: SessionKit,
    /// The URL to which the page redirects the browser after the last photo.
    pub redirect_uri: WebUrl,
    /// The URL of the webhook that announces the result.
    pub webhook_url: WebUrl,
}

impl HostedFlow {
    /// Checks that the license admits the origin of the redirect.
    ///
    /// # Errors
    /// [`Refusal::RedirectUriInvalid`].
    pub fn check_redirect(&self, license: &License) -> Result<(), Refusal> {
        let origin = self.redirect_uri.origin();
        let admitted =
            license.terms.redirect_origins.iter().any(|pattern| pattern.admits(&origin, license.environment));
        if admitted { Ok(()) } else { Err(Refusal::RedirectUriInvalid) }
    }
}

/// The record that selects the license of a client's new hosted sessions in one environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostedLicense {
    /// The license of new hosted sessions.
    pub license_id: LicenseId,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Environment, OriginPattern, Profile, StoreAssetPolicy, license::tests::license};

    #[test]
    fn sessions_must_fit_their_license() {
        let flow = HostedFlow {
            kit: SessionKit::Profile(Profile::RealEstate),
            redirect_uri: WebUrl::parse("https://app.example.com/done").unwrap(),
            webhook_url: WebUrl::parse("https://hooks.example.com/").unwrap(),
        };
        let mut license = license(Environment::Production);
        license.terms.redirect_origins = vec![OriginPattern::parse("https://app.example.com").unwrap()];
        license.terms.store_asset_policy = StoreAssetPolicy::Always;
        assert!(license.may_host(3));
        assert_eq!(flow.check_redirect(&license), Ok(()));

        let with = |change: fn(&mut License)| {
            let mut changed = license.clone();
            change(&mut changed);
            changed
        };
        assert!(with(|license| license.terms.max_captures_per_session = Some(3)).may_host(3));
        assert!(!with(|license| license.terms.max_captures_per_session = Some(2)).may_host(3));
        assert!(!with(|license| license.terms.store_asset_policy = StoreAssetPolicy::Never).may_host(3));
        assert!(!with(|license| license.terms.redirect_origins.clear()).may_host(3));
        let elsewhere = with(|license| {
            license.terms.redirect_origins = vec![OriginPattern::parse("https://app.example.com:8443").unwrap()];
        });
        assert_eq!(flow.check_redirect(&elsewhere), Err(Refusal::RedirectUriInvalid));
    }
}
