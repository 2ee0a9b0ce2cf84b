//! The hosted flow: a session whose page is the service's own, made of a profile, a redirect and a webhook.

use serde::{Deserialize, Serialize};

use crate::{License, LicenseId, Refusal, WebUrl};

/// The photos that a hosted session asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// A vehicle: three photos, landscape.
    VehicleInspection,
    /// A property: three photos, portrait.
    RealEstate,
    /// An object of value: three photos, square.
    HighValueItem,
    /// One square photo.
    Demo,
}

/// The shape to which a photo is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Framing {
    /// 4:3.
    Landscape,
    /// 3:4.
    Portrait,
    /// 1:1.
    Square,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 4] = [Self::VehicleInspection, Self::RealEstate, Self::HighValueItem, Self::Demo];

    /// The profile's name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::VehicleInspection => "vehicle_inspection",
            Self::RealEstate => "real_estate",
            Self::HighValueItem => "high_value_item",
            Self::Demo => "demo",
        }
    }

    /// The number of photos.
    #[must_use]
    pub const fn total_photos(self) -> u32 {
        match self {
            Self::VehicleInspection | Self::RealEstate | Self::HighValueItem => 3,
            Self::Demo => 1,
        }
    }

    /// The shape of each photo.
    #[must_use]
    pub const fn framing(self) -> Framing {
        match self {
            Self::VehicleInspection => Framing::Landscape,
            Self::RealEstate => Framing::Portrait,
            Self::HighValueItem | Self::Demo => Framing::Square,
        }
    }

    /// Reads a name of the wire.
    ///
    /// # Errors
    /// [`Refusal::ProfileInvalid`].
    pub fn parse(name: &str) -> Result<Self, Refusal> {
        Self::ALL.into_iter().find(|profile| profile.name() == name).ok_or(Refusal::ProfileInvalid)
    }
}

/// The part of a session that only hosted ones have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostedFlow {
    /// The photos that the session asks for.
    pub profile: Profile,
    /// Where the page sends the browser after the last photo.
    pub redirect_uri: WebUrl,
    /// Where the result is announced.
    pub webhook_url: WebUrl,
}

impl HostedFlow {
    /// Checks that a license serves this session: it is marked as hosted, retains photos and allows so many of them. Its
    /// origins are checked by [`HostedFlow::check_redirect`].
    #[must_use]
    pub fn is_served_by(&self, license: &License) -> bool {
        let most = license.max_captures_per_session;
        license.is_hosted()
            && license.store_asset_policy.retains()
            && most.is_none_or(|most| self.profile.total_photos() <= most)
    }

    /// Checks that the redirect's origin is one of a license's.
    ///
    /// # Errors
    /// [`Refusal::RedirectUriInvalid`].
    pub fn check_redirect(&self, license: &License) -> Result<(), Refusal> {
        let origin = self.redirect_uri.origin();
        let admitted = license.redirect_origins.iter().any(|pattern| pattern.admits(&origin, license.environment));
        if admitted { Ok(()) } else { Err(Refusal::RedirectUriInvalid) }
    }
}

/// The record that names the hosted license of a client and environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostedLicense {
    /// The license of new hosted sessions.
    pub license_id: LicenseId,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Environment, OriginPattern, StoreAssetPolicy, license::tests::license};

    #[test]
    fn the_profiles_are_the_contract_s() {
        let shape = |profile: Profile| (profile.total_photos(), serde_json::to_value(profile.framing()).unwrap());
        for (name, photos, framing) in [
            ("vehicle_inspection", 3, "landscape"),
            ("real_estate", 3, "portrait"),
            ("high_value_item", 3, "square"),
            ("demo", 1, "square"),
        ] {
            let profile = Profile::parse(name).unwrap();
            assert_eq!(shape(profile), (photos, framing.into()), "{name}");
            assert_eq!(serde_json::to_value(profile).unwrap(), name);
        }
        for other in ["", "Demo", "vehicle", "demo "] {
            assert_eq!(Profile::parse(other), Err(Refusal::ProfileInvalid), "{other}");
        }
    }

    #[test]
    fn a_license_serves_a_session_by_mark_retention_size_and_redirect() {
        let flow = HostedFlow {
            profile: Profile::RealEstate,
            redirect_uri: WebUrl::parse("https://app.example.com/done").unwrap(),
            webhook_url: WebUrl::parse("https://hooks.example.com/").unwrap(),
        };
        let mut license = license(Environment::Production);
        license.redirect_origins = vec![OriginPattern::parse("https://app.example.com").unwrap()];
        license.store_asset_policy = StoreAssetPolicy::Always;
        assert!(flow.is_served_by(&license));
        assert_eq!(flow.check_redirect(&license), Ok(()));

        let with = |change: fn(&mut License)| {
            let mut changed = license.clone();
            change(&mut changed);
            changed
        };
        assert!(flow.is_served_by(&with(|license| license.max_captures_per_session = Some(3))));
        assert!(!flow.is_served_by(&with(|license| license.max_captures_per_session = Some(2))));
        assert!(!flow.is_served_by(&with(|license| license.store_asset_policy = StoreAssetPolicy::Never)));
        assert!(!flow.is_served_by(&with(|license| license.redirect_origins.clear())));
        let elsewhere = with(|license| {
            license.redirect_origins = vec![OriginPattern::parse("https://app.example.com:8443").unwrap()];
        });
        assert_eq!(flow.check_redirect(&elsewhere), Err(Refusal::RedirectUriInvalid));
    }
}
