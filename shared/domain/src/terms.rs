//! A license's terms as an operator sets them: at issue, with defaults by environment, and later, one by one.

use serde::{Deserialize, Deserializer, Serialize};
use time::{OffsetDateTime, UtcOffset};

use crate::{
    CaptureResolution, ClientId, Environment, GpsMode, License, LicenseId, LicenseStatus, OriginPattern, RecaptureGate,
    StoreAssetPolicy, limits,
};

/// The terms that an operator names; what is `None` keeps its value, or gets its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The end of the contract. It must be named at issue; later it may be moved, also into the past, which ends the contract now.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<OffsetDateTime>,
    /// Captures per calendar month, UTC. It must be named at issue but for the sandbox, which has no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_limit: Option<u64>,
    /// All pages that may capture, in place of those before. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorized_origins: Option<Vec<String>>,
    /// All pages to which a hosted session may send the browser, in place of those before. Default: none, which is no hosted
    /// license. One that has any retains photos.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_origins: Option<Vec<String>>,
    /// Whether the signed JPEG is kept. Default: `NEVER`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_asset_policy: Option<StoreAssetPolicy>,
    /// How positions are checked. Default: `OBSERVE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gps_mode: Option<GpsMode>,
    /// Under `REQUIRE`, the least accuracy, in metres. Default: 150.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gps_max_accuracy_m: Option<f64>,
    /// What a likely recapture leads to. Default: `BLOCK`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recapture_gate: Option<RecaptureGate>,
    /// The evidence from which on a photo is a likely recapture, from 1 to 4: see docs/recapture.md. Default: 2.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recapture_threshold: Option<f64>,
    /// The resolution that the component asks for. Default: `FHD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_resolution: Option<CaptureResolution>,
    /// Whether a proof without a trusted timestamp is refused. Default: in production only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tsa_required: Option<bool>,
    /// The most photos of one session; `Some(None)` (on the wire `null`) is unlimited, the default.
    #[serde(default, deserialize_with = "named", skip_serializing_if = "Option::is_none")]
    pub max_captures_per_session: Option<Option<u32>>,
}

/// Why terms cannot be a license's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermsFault {
    /// A term that has no default is not named.
    #[error("{0} must be named")]
    Missing(&'static str),
    /// A contract that ends before it begins.
    #[error("expires_at is in the past")]
    AlreadyExpired,
    /// An end that RFC 3339 cannot write in UTC.
    #[error("expires_at must be a time between the years 0 and 9999 in UTC")]
    Expiry,
    /// A number that JSON's readers do not all read exactly.
    #[error("volume_limit is larger than {}", limits::UNLIMITED_VOLUME)]
    VolumeLimit,
    /// The sandbox counts and never refuses.
    #[error("the sandbox has no volume_limit")]
    SandboxVolume,
    /// An origin of another form.
    #[error(
        "{0:?} is not an origin: use https://app.example.com, https://*.example.com, or http://localhost with a port or *"
    )]
    Origin(String),
    /// A wildcard that admits the sites of strangers.
    #[error("{0:?}: anyone can register a domain below this one, so it takes no wildcard")]
    PublicSuffix(String),
    /// A wildcard where an origin must be exact.
    #[error("{0:?}: a redirect origin has no wildcard")]
    WildcardRedirect(String),
    /// A hosted session whose only photo would stay in the customer's browser.
    #[error("a license with redirect_origins retains photos: set store_asset_policy to ALWAYS")]
    HostedNotRetained,
    /// `http` outside of the sandbox.
    #[error("{0:?}: http is for the sandbox only")]
    InsecureOrigin(String),
    /// No distance.
    #[error("gps_max_accuracy_m must be a distance in metres above 0")]
    Accuracy,
    /// A gate that would refuse honest photos, or let displays pass.
    #[error(
        "recapture_threshold must be a number from {} to {}", limits::RECAPTURE_THRESHOLDS.start(), limits::RECAPTURE_THRESHOLDS.end()
    )]
    RecaptureThreshold,
    /// A license that no session fits.
    #[error("max_captures_per_session is at least 1, or null for no limit")]
    MaxCaptures,
}

impl License {
    /// A new license under terms; what they do not name gets its default.
    ///
    /// # Errors
    /// [`TermsFault`].
    pub fn issue(
        id: LicenseId,
        client_id: ClientId,
        environment: Environment,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> Result<Self, TermsFault> {
        let expires_at = check_expiry(terms.expires_at.ok_or(TermsFault::Missing("expires_at"))?)?;
        if expires_at <= now {
            return Err(TermsFault::AlreadyExpired);
        }
        let volume_limit = match environment {
            Environment::Sandbox => limits::UNLIMITED_VOLUME,
            _ => terms.volume_limit.ok_or(TermsFault::Missing("volume_limit"))?,
        };
        let bare = Self {
            id,
            client_id,
            environment,
            status: LicenseStatus::Active,
            expires_at,
            volume_limit,
            capture_resolution: CaptureResolution::Fhd,
            tsa_required: environment == Environment::Production,
            max_captures_per_session: None,
            store_asset_policy: StoreAssetPolicy::default(),
            gps_mode: GpsMode::default(),
            gps_max_accuracy_m: limits::GPS_MAX_ACCURACY_M,
            authorized_origins: Vec::new(),
            recapture_gate: RecaptureGate::default(),
            recapture_threshold: limits::RECAPTURE_THRESHOLD,
            redirect_origins: Vec::new(),
        };
        bare.under(terms)
    }

    /// The license with those terms changed that are named.
    ///
    /// # Errors
    /// [`TermsFault`].
    pub fn under(&self, terms: &Terms) -> Result<Self, TermsFault> {
        let mut license = self.clone();
        if let Some(expires_at) = terms.expires_at {
            license.expires_at = check_expiry(expires_at)?;
        }
        if let Some(volume_limit) = terms.volume_limit {
            license.volume_limit = check_volume(volume_limit, self.environment)?;
        }
        if let Some(origins) = &terms.authorized_origins {
            license.authorized_origins =
                origins.iter().map(|text| parse_origin(text, self.environment)).collect::<Result<_, _>>()?;
        }
        if let Some(origins) = &terms.redirect_origins {
            license.redirect_origins =
                origins.iter().map(|text| parse_redirect_origin(text, self.environment)).collect::<Result<_, _>>()?;
        }
        if let Some(accuracy) = terms.gps_max_accuracy_m {
            let is_distance = accuracy.is_finite() && accuracy > 0.0;
            license.gps_max_accuracy_m = if is_distance { accuracy } else { return Err(TermsFault::Accuracy) };
        }
        if let Some(threshold) = terms.recapture_threshold {
            let is_safe = limits::RECAPTURE_THRESHOLDS.contains(&threshold);
            license.recapture_threshold = if is_safe { threshold } else { return Err(TermsFault::RecaptureThreshold) };
        }
        if let Some(most) = terms.max_captures_per_session {
            license.max_captures_per_session = if most == Some(0) { return Err(TermsFault::MaxCaptures) } else { most };
        }
        license.store_asset_policy = terms.store_asset_policy.unwrap_or(license.store_asset_policy);
        license.gps_mode = terms.gps_mode.unwrap_or(license.gps_mode);
        license.recapture_gate = terms.recapture_gate.unwrap_or(license.recapture_gate);
        license.capture_resolution = terms.capture_resolution.unwrap_or(license.capture_resolution);
        license.tsa_required = terms.tsa_required.unwrap_or(license.tsa_required);
        match license.is_hosted() && !license.store_asset_policy.retains() {
            true => Err(TermsFault::HostedNotRetained),
            false => Ok(license),
        }
    }
}

/// Such a time is read back from a record, and written in an answer.
fn check_expiry(at: OffsetDateTime) -> Result<OffsetDateTime, TermsFault> {
    let utc = at.checked_to_offset(UtcOffset::UTC).filter(|utc| utc.year() >= 0);
    utc.ok_or(TermsFault::Expiry)
}

fn check_volume(limit: u64, environment: Environment) -> Result<u64, TermsFault> {
    match environment {
        Environment::Sandbox => Err(TermsFault::SandboxVolume),
        _ if limit > limits::UNLIMITED_VOLUME => Err(TermsFault::VolumeLimit),
        _ => Ok(limit),
    }
}

fn parse_origin(text: &str, environment: Environment) -> Result<OriginPattern, TermsFault> {
    let pattern = OriginPattern::parse(text).ok_or_else(|| TermsFault::Origin(text.to_owned()))?;
    // A public suffix has no registrable domain: whoever registers one below it would be admitted.
    if pattern.wildcard_domain().is_some_and(|domain| psl::domain_str(domain).is_none()) {
        return Err(TermsFault::PublicSuffix(text.to_owned()));
    }
    match pattern.is_secure() || environment == Environment::Sandbox {
        true => Ok(pattern),
        false => Err(TermsFault::InsecureOrigin(text.to_owned())),
    }
}

fn parse_redirect_origin(text: &str, environment: Environment) -> Result<OriginPattern, TermsFault> {
    let pattern = parse_origin(text, environment)?;
    if pattern.wildcard_domain().is_some() { Err(TermsFault::WildcardRedirect(text.to_owned())) } else { Ok(pattern) }
}

/// Distinguishes `null` from a missing field.
fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use time::{Duration, macros::datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-20 12:00:00 UTC);

    fn terms(json: serde_json::Value) -> Terms {
        serde_json::from_value(json).unwrap()
    }

    fn issue(environment: Environment, terms: &Terms) -> Result<License, TermsFault> {
        License::issue(LicenseId("l".into()), ClientId("c".into()), environment, terms, NOW)
    }

    fn least() -> Terms {
        Terms { expires_at: Some(NOW + Duration::days(365)), volume_limit: Some(100), ..Terms::default() }
    }

    #[test]
    fn what_is_not_named_has_its_default() {
        let live = issue(Environment::Production, &least()).unwrap();
        assert_eq!((live.volume_limit, live.tsa_required, live.gps_mode), (100, true, GpsMode::Observe));
        assert_eq!((live.store_asset_policy, live.recapture_gate), (StoreAssetPolicy::Never, RecaptureGate::Block));
        assert_eq!(live.recapture_threshold, limits::RECAPTURE_THRESHOLD);
        let sandbox = issue(Environment::Sandbox, &Terms { volume_limit: None, ..least() }).unwrap();
        assert_eq!((sandbox.volume_limit, sandbox.tsa_required), (limits::UNLIMITED_VOLUME, false));
    }

    #[test]
    fn what_has_no_default_must_be_named() {
        let missing = |terms| issue(Environment::Staging, &terms).unwrap_err();
        assert_eq!(missing(Terms { expires_at: None, ..least() }), TermsFault::Missing("expires_at"));
        assert_eq!(missing(Terms { volume_limit: None, ..least() }), TermsFault::Missing("volume_limit"));
    }

    #[test]
    fn terms_are_read_from_json_and_unknown_ones_are_refused() {
        let terms = terms(serde_json::json!({
            "expires_at": "2027-11-20T12:00:00Z", "volume_limit": 5, "authorized_origins": ["https://*.example.com"],
            "store_asset_policy": "ALWAYS", "gps_mode": "REQUIRE", "gps_max_accuracy_m": 30.5, "recapture_gate": "RECORD",
            "recapture_threshold": 1.5, "capture_resolution": "MAX", "tsa_required": false, "max_captures_per_session": 3,
        }));
        let license = issue(Environment::Staging, &terms).unwrap();
        assert_eq!(license.authorized_origins, [OriginPattern::parse("https://*.example.com").unwrap()]);
        assert_eq!((license.gps_max_accuracy_m, license.max_captures_per_session), (30.5, Some(3)));
        assert_eq!((license.recapture_gate, license.recapture_threshold), (RecaptureGate::Record, 1.5));
        assert_eq!(license.expires_at, NOW + Duration::days(365));
        assert!(serde_json::from_str::<Terms>(r#"{"volumelimit": 5}"#).is_err());
    }

    #[test]
    fn a_license_of_before_there_were_thresholds_has_the_default() {
        let license = issue(Environment::Staging, &Terms { recapture_threshold: Some(4.0), ..least() }).unwrap();
        let mut item = serde_json::to_value(&license).unwrap();
        item.as_object_mut().unwrap().remove("recapture_threshold");
        let read: License = serde_json::from_value(item).unwrap();
        assert_eq!(read, License { recapture_threshold: limits::RECAPTURE_THRESHOLD, ..license });
    }

    #[test]
    fn a_term_that_is_not_named_keeps_its_value() {
        let license =
            issue(Environment::Staging, &Terms { max_captures_per_session: Some(Some(3)), ..least() }).unwrap();
        assert_eq!(license.under(&Terms::default()), Ok(license.clone()));
        assert_eq!(license.under(&terms(serde_json::json!({}))), Ok(license.clone()));
        let unlimited = license.under(&terms(serde_json::json!({ "max_captures_per_session": null }))).unwrap();
        assert_eq!(unlimited, License { max_captures_per_session: None, ..license.clone() });
        let ended = license.under(&Terms { expires_at: Some(NOW - Duration::days(1)), ..Terms::default() });
        assert_eq!(ended, Ok(License { expires_at: NOW - Duration::days(1), ..license }));
    }

    #[test]
    fn an_end_that_is_kept_can_be_read_back_and_written() {
        for end in ["9999-12-31T23:59:59.999Z", "9999-12-31T20:59:59-03:00", "0000-01-01T00:00:00Z"] {
            let license = issue(Environment::Staging, &least()).unwrap();
            let license = license.under(&terms(serde_json::json!({ "expires_at": end }))).unwrap();
            let read: License = serde_json::from_str(&serde_json::to_string(&license).unwrap()).unwrap();
            assert_eq!(read, license);
            assert_eq!(crate::clock::rfc3339(read.expires_at).len(), "9999-12-31T23:59:59Z".len());
        }
    }

    #[test]
    fn each_fault_is_reported() {
        let origins = |origin: &str| Terms { authorized_origins: Some(vec![origin.to_owned()]), ..least() };
        let redirects = |origin: &str| Terms {
            redirect_origins: Some(vec![origin.to_owned()]),
            store_asset_policy: Some(StoreAssetPolicy::Always),
            ..least()
        };
        let ends =
            |text: &str| Terms { expires_at: terms(serde_json::json!({ "expires_at": text })).expires_at, ..least() };
        let threshold = |evidence| Terms { recapture_threshold: Some(evidence), ..least() };
        let faults = [
            (Terms { expires_at: Some(NOW), ..least() }, TermsFault::AlreadyExpired),
            (ends("9999-12-31T23:59:59-03:00"), TermsFault::Expiry),
            (ends("0000-01-01T00:00:00+03:00"), TermsFault::Expiry),
            (Terms { volume_limit: Some(limits::UNLIMITED_VOLUME + 1), ..least() }, TermsFault::VolumeLimit),
            (origins("app.example.com"), TermsFault::Origin("app.example.com".into())),
            (origins("https://*.com.br"), TermsFault::PublicSuffix("https://*.com.br".into())),
            (origins("https://*.vercel.app"), TermsFault::PublicSuffix("https://*.vercel.app".into())),
            (origins("http://localhost:*"), TermsFault::InsecureOrigin("http://localhost:*".into())),
            (redirects("https://*.example.com"), TermsFault::WildcardRedirect("https://*.example.com".into())),
            (redirects("https://a.com/"), TermsFault::Origin("https://a.com/".into())),
            (redirects("http://localhost"), TermsFault::InsecureOrigin("http://localhost".into())),
            (Terms { store_asset_policy: None, ..redirects("https://a.com") }, TermsFault::HostedNotRetained),
            (Terms { gps_max_accuracy_m: Some(0.0), ..least() }, TermsFault::Accuracy),
            (Terms { gps_max_accuracy_m: Some(f64::NAN), ..least() }, TermsFault::Accuracy),
            (threshold(0.99), TermsFault::RecaptureThreshold),
            (threshold(4.01), TermsFault::RecaptureThreshold),
            (threshold(f64::NAN), TermsFault::RecaptureThreshold),
            (Terms { max_captures_per_session: Some(Some(0)), ..least() }, TermsFault::MaxCaptures),
        ];
        for (terms, fault) in faults {
            assert_eq!(issue(Environment::Staging, &terms), Err(fault));
        }
        assert_eq!(issue(Environment::Sandbox, &least()), Err(TermsFault::SandboxVolume));
        assert!(issue(Environment::Sandbox, &Terms { volume_limit: None, ..origins("http://localhost:*") }).is_ok());
        let hosted = issue(Environment::Staging, &redirects("https://a.com")).unwrap();
        assert!(hosted.is_hosted());
        let never = Terms { store_asset_policy: Some(StoreAssetPolicy::Never), ..Terms::default() };
        assert_eq!(hosted.under(&never), Err(TermsFault::HostedNotRetained));
    }
}
