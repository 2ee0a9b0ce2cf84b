//! A license's terms as an operator sets them: all at issue, with defaults by environment, and later one by one.
//! `lacre_api` defines each term and its bounds; this module checks how the terms fit together, and parses origins and
//! times.

use lacre_api::{
    NamedTerms,
    terms::{Moment, TermFault},
};
use time::{OffsetDateTime, UtcOffset};

use crate::{ClientId, Environment, ExactTime, License, LicenseId, LicenseStatus, OriginPattern};

/// The terms in a license's record, with parsed times and origins.
pub type LicenseTerms = lacre_api::LicenseTerms<ExactTime, OriginPattern>;

/// Why terms are refused for a license.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermsFault {
    /// A single term has an invalid value.
    #[error(transparent)]
    Term(#[from] TermFault),
    /// The agreement's end is in the past.
    #[error("expires_at is in the past")]
    AlreadyExpired,
    /// The agreement's end cannot be written as RFC 3339 in UTC.
    #[error("expires_at must be a time between the years 0 and 9999 in UTC")]
    Expiry,
    /// A volume limit in the sandbox, which counts captures but never refuses one.
    #[error("the sandbox has no volume_limit")]
    SandboxVolume,
    /// An authorized or redirect origin that has none of the accepted forms.
    #[error(
        "{0:?} is not an origin: use https://app.example.com, https://*.example.com, or http://localhost with a port or *"
    )]
    Origin(String),
    /// A wildcard below a public suffix, which would admit sites of strangers.
    #[error("{0:?}: anyone can register a domain below this one, so it takes no wildcard")]
    PublicSuffix(String),
    /// A wildcard in a redirect origin, which must be exact.
    #[error("{0:?}: a redirect origin has no wildcard")]
    WildcardRedirect(String),
    /// A hosted license that does not retain photos: the only copy would stay in the customer's browser.
    #[error("a license with redirect_origins retains photos: set store_asset_policy to ALWAYS")]
    HostedNotRetained,
    /// An `http` origin outside the sandbox.
    #[error("{0:?}: http is for the sandbox only")]
    InsecureOrigin(String),
}

impl License {
    /// A new license with the given terms. Terms that are absent get their defaults.
    ///
    /// # Errors
    /// [`TermsFault`].
    pub fn issue(
        id: LicenseId,
        client_id: ClientId,
        environment: Environment,
        terms: &NamedTerms,
        now: OffsetDateTime,
    ) -> Result<Self, TermsFault> {
        let terms = parse(terms, environment)?.complete(Some(environment))?;
        if terms.expires_at.0 <= now {
            return Err(TermsFault::AlreadyExpired);
        }
        Self { id, client_id, environment, status: LicenseStatus::Active, terms }.checked()
    }

    /// A copy of the license with the given terms changed. Absent terms stay as they are.
    ///
    /// # Errors
    /// [`TermsFault`].
    pub fn under(&self, terms: &NamedTerms) -> Result<Self, TermsFault> {
        let named = parse(terms, self.environment)?;
        Self { terms: self.terms.clone().changed(named), ..self.clone() }.checked()
    }

    fn checked(self) -> Result<Self, TermsFault> {
        match self.is_hosted() && !self.terms.store_asset_policy.retains() {
            true => Err(TermsFault::HostedNotRetained),
            false => Ok(self),
        }
    }
}

fn parse(terms: &NamedTerms, environment: Environment) -> Result<NamedTerms<ExactTime, OriginPattern>, TermsFault> {
    if environment == Environment::Sandbox && terms.volume_limit.is_some() {
        return Err(TermsFault::SandboxVolume);
    }
    terms.check()?;
    terms.clone().convert(check_expiry, |term, text| match term {
        "redirect_origins" => parse_redirect_origin(&text, environment),
        _ => parse_origin(&text, environment),
    })
}

/// Checks that a time can be stored in a record and written in a response: RFC 3339 covers the years 0 to 9999 in UTC.
fn check_expiry(Moment(at): Moment) -> Result<ExactTime, TermsFault> {
    let utc = at.checked_to_offset(UtcOffset::UTC).filter(|utc| utc.year() >= 0);
    utc.map(ExactTime).ok_or(TermsFault::Expiry)
}

fn parse_origin(text: &str, environment: Environment) -> Result<OriginPattern, TermsFault> {
    let pattern = OriginPattern::parse(text).ok_or_else(|| TermsFault::Origin(text.to_owned()))?;
    // A public suffix has no registrable domain: a wildcard on it would admit anyone who registers a domain below it.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{GpsMode, RecaptureGate, StoreAssetPolicy, limits};
    use time::{Duration, macros::datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-20 12:00:00 UTC);

    fn terms(json: serde_json::Value) -> NamedTerms {
        serde_json::from_value(json).unwrap()
    }

    fn issue(environment: Environment, terms: &NamedTerms) -> Result<License, TermsFault> {
        License::issue(LicenseId::from_u128(2), ClientId::from_u128(1), environment, terms, NOW)
    }

    fn least() -> NamedTerms {
        NamedTerms {
            expires_at: Some(Moment(NOW + Duration::days(365))),
            volume_limit: Some(100),
            ..NamedTerms::default()
        }
    }

    #[test]
    fn unnamed_terms_have_their_default() {
        let live = issue(Environment::Production, &least()).unwrap();
        assert_eq!(
            (live.terms.volume_limit, live.terms.tsa_required, live.terms.gps_mode),
            (100, true, GpsMode::Observe)
        );
        assert_eq!(
            (live.terms.store_asset_policy, live.terms.recapture_gate),
            (StoreAssetPolicy::Never, RecaptureGate::Block)
        );
        assert_eq!(live.terms.recapture_threshold, limits::RECAPTURE_THRESHOLD);
        let sandbox = issue(Environment::Sandbox, &NamedTerms { volume_limit: None, ..least() }).unwrap();
        assert_eq!((sandbox.terms.volume_limit, sandbox.terms.tsa_required), (limits::UNLIMITED_VOLUME, false));
    }

    #[test]
    fn terms_without_default_are_required() {
        let missing = |terms| issue(Environment::Staging, &terms).unwrap_err();
        assert_eq!(missing(NamedTerms { expires_at: None, ..least() }), TermFault::Missing("expires_at").into());
        assert_eq!(missing(NamedTerms { volume_limit: None, ..least() }), TermFault::Missing("volume_limit").into());
    }

    #[test]
    fn reads_terms_and_refuses_unknown_ones() {
        let terms = terms(serde_json::json!({
            "expires_at": "2027-11-20T12:00:00Z", "volume_limit": 5, "authorized_origins": ["https://*.example.com"],
            "store_asset_policy": "ALWAYS", "gps_mode": "REQUIRE", "gps_max_accuracy_m": 30.5, "recapture_gate": "RECORD",
            "recapture_threshold": 1.5, "capture_resolution": "MAX", "tsa_required": false, "max_captures_per_session": 3,
        }));
        let license = issue(Environment::Staging, &terms).unwrap();
        assert_eq!(license.terms.authorized_origins, [OriginPattern::parse("https://*.example.com").unwrap()]);
        assert_eq!((license.terms.gps_max_accuracy_m, license.terms.max_captures_per_session), (30.5, Some(3)));
        assert_eq!((license.terms.recapture_gate, license.terms.recapture_threshold), (RecaptureGate::Record, 1.5));
        assert_eq!(license.terms.expires_at.0, NOW + Duration::days(365));
        assert!(serde_json::from_str::<NamedTerms>(r#"{"volumelimit": 5}"#).is_err());
    }

    #[test]
    fn licenses_without_threshold_have_the_default() {
        let license = issue(Environment::Staging, &NamedTerms { recapture_threshold: Some(4.0), ..least() }).unwrap();
        let mut item = serde_json::to_value(&license).unwrap();
        item.as_object_mut().unwrap().remove("recapture_threshold");
        let read: License = serde_json::from_value(item.clone()).unwrap();
        assert_eq!(read.terms.recapture_threshold, limits::RECAPTURE_THRESHOLD);
        assert_eq!(read.terms.expires_at, license.terms.expires_at);
        item.as_object_mut().unwrap().remove("expires_at");
        assert!(serde_json::from_value::<License>(item).is_err());
    }

    #[test]
    fn unnamed_terms_keep_their_value() {
        let license =
            issue(Environment::Staging, &NamedTerms { max_captures_per_session: Some(Some(3)), ..least() }).unwrap();
        assert_eq!(license.under(&NamedTerms::default()), Ok(license.clone()));
        assert_eq!(license.under(&terms(serde_json::json!({}))), Ok(license.clone()));
        let unlimited = license.under(&terms(serde_json::json!({ "max_captures_per_session": null }))).unwrap();
        assert_eq!((license.terms.max_captures_per_session, unlimited.terms.max_captures_per_session), (Some(3), None));
        let yesterday = NOW - Duration::days(1);
        let ended =
            license.under(&NamedTerms { expires_at: Some(Moment(yesterday)), ..NamedTerms::default() }).unwrap();
        let terms = LicenseTerms { expires_at: ExactTime(yesterday), ..license.terms.clone() };
        assert_eq!(ended, License { terms, ..license });
    }

    #[test]
    fn extreme_expiry_times_read_back() {
        for end in ["9999-12-31T23:59:59.999Z", "9999-12-31T20:59:59-03:00", "0000-01-01T00:00:00Z"] {
            let license = issue(Environment::Staging, &least()).unwrap();
            let license = license.under(&terms(serde_json::json!({ "expires_at": end }))).unwrap();
            let read: License = serde_json::from_str(&serde_json::to_string(&license).unwrap()).unwrap();
            assert_eq!(read, license);
            assert_eq!(crate::clock::rfc3339(read.terms.expires_at.0).len(), "9999-12-31T23:59:59Z".len());
        }
    }

    #[test]
    fn each_fault_is_reported() {
        let origins = |origin: &str| NamedTerms { authorized_origins: Some(vec![origin.to_owned()]), ..least() };
        let redirects = |origin: &str| NamedTerms {
            redirect_origins: Some(vec![origin.to_owned()]),
            store_asset_policy: Some(StoreAssetPolicy::Always),
            ..least()
        };
        let ends = |text: &str| NamedTerms {
            expires_at: terms(serde_json::json!({ "expires_at": text })).expires_at,
            ..least()
        };
        let faults = [
            (NamedTerms { expires_at: Some(Moment(NOW)), ..least() }, TermsFault::AlreadyExpired),
            (ends("9999-12-31T23:59:59-03:00"), TermsFault::Expiry),
            (ends("0000-01-01T00:00:00+03:00"), TermsFault::Expiry),
            (
                NamedTerms { gps_max_accuracy_m: Some(0.0), ..least() },
                TermFault::OutOfBounds("gps_max_accuracy_m", "a number above 0".into()).into(),
            ),
            (origins("app.example.com"), TermsFault::Origin("app.example.com".into())),
            (origins("https://*.com.br"), TermsFault::PublicSuffix("https://*.com.br".into())),
            (origins("https://*.vercel.app"), TermsFault::PublicSuffix("https://*.vercel.app".into())),
            (origins("http://localhost:*"), TermsFault::InsecureOrigin("http://localhost:*".into())),
            (redirects("https://*.example.com"), TermsFault::WildcardRedirect("https://*.example.com".into())),
            (redirects("https://a.com/"), TermsFault::Origin("https://a.com/".into())),
            (redirects("http://localhost"), TermsFault::InsecureOrigin("http://localhost".into())),
            (NamedTerms { store_asset_policy: None, ..redirects("https://a.com") }, TermsFault::HostedNotRetained),
        ];
        for (terms, fault) in faults {
            assert_eq!(issue(Environment::Staging, &terms), Err(fault));
        }
        assert_eq!(issue(Environment::Sandbox, &least()), Err(TermsFault::SandboxVolume));
        assert!(
            issue(Environment::Sandbox, &NamedTerms { volume_limit: None, ..origins("http://localhost:*") }).is_ok()
        );
        let hosted = issue(Environment::Staging, &redirects("https://a.com")).unwrap();
        assert!(hosted.is_hosted());
        let never = NamedTerms { store_asset_policy: Some(StoreAssetPolicy::Never), ..NamedTerms::default() };
        assert_eq!(hosted.under(&never), Err(TermsFault::HostedNotRetained));
    }
}
