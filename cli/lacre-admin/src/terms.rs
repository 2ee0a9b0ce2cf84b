//! The flags that name a license's terms, at issue and later.

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use domain::{CaptureResolution, GpsMode, RecaptureGate, StoreAssetPolicy, Terms};
use serde::de::DeserializeOwned;
use serde_json::Value;
use time::{Date, OffsetDateTime, Time, format_description::well_known::Rfc3339, macros::format_description};

#[derive(Args)]
pub(crate) struct TermsFlags {
    /// The end of the contract: 2027-12-31, the whole day in UTC included, or RFC 3339. Required at issue.
    #[arg(long, value_name = "DATE", value_parser = end)]
    expires_at: Option<OffsetDateTime>,
    /// Captures per calendar month in UTC. Required at issue, except for the sandbox, which has no limit.
    #[arg(long, value_name = "N")]
    volume_limit: Option<u64>,
    /// A page that may capture: https://app.example.com, https://*.example.com; in the sandbox also http://localhost:*.
    /// Repeat it for more. They replace the previous ones.
    #[arg(long = "origin", value_name = "ORIGIN", conflicts_with = "no_origins")]
    origins: Vec<String>,
    /// Authorize no page.
    #[arg(long)]
    no_origins: bool,
    /// A page to which hosted sessions may redirect: an exact origin. It makes the license a hosted one, which requires --storage
    /// ALWAYS. Repeat it for more. They replace the previous ones.
    #[arg(long = "redirect-origin", value_name = "ORIGIN", conflicts_with = "no_redirect_origins")]
    redirect_origins: Vec<String>,
    /// Allow no redirect: the license is no hosted one.
    #[arg(long)]
    no_redirect_origins: bool,
    /// Whether the signed JPEG is stored; only ALWAYS stores it [at issue: NEVER].
    #[arg(long, value_name = "POLICY", ignore_case = true, value_parser = word::<StoreAssetPolicy, 3>(["ALWAYS", "NEVER", "PER_SESSION"]))]
    storage: Option<StoreAssetPolicy>,
    /// How positions are checked [at issue: OBSERVE].
    #[arg(long, value_name = "MODE", ignore_case = true, value_parser = word::<GpsMode, 3>(["OFF", "OBSERVE", "REQUIRE"]))]
    gps_mode: Option<GpsMode>,
    /// With REQUIRE, the largest accuracy radius in metres [at issue: 150].
    #[arg(long, value_name = "METRES")]
    gps_max_accuracy_m: Option<f64>,
    /// What happens to a likely photo of a screen [at issue: BLOCK].
    #[arg(long, value_name = "GATE", ignore_case = true, value_parser = word::<RecaptureGate, 3>(["BLOCK", "RECORD", "OFF"]))]
    recapture_gate: Option<RecaptureGate>,
    /// The evidence from which on a photo counts as one of a screen: from 1 to 4 [at issue: 2.5].
    #[arg(long, value_name = "EVIDENCE")]
    recapture_threshold: Option<f64>,
    /// The resolution that the component requests from the camera [at issue: FHD].
    #[arg(long, value_name = "RESOLUTION", ignore_case = true, value_parser = word::<CaptureResolution, 4>(["SD", "HD", "FHD", "MAX"]))]
    resolution: Option<CaptureResolution>,
    /// Whether a proof requires a trusted timestamp [at issue: true in production].
    #[arg(long, value_name = "BOOL")]
    tsa_required: Option<bool>,
    /// The most photos of one session: a number, or unlimited [at issue: unlimited].
    #[arg(long, value_name = "N", value_parser = most)]
    max_captures_per_session: Option<Most>,
}

/// A number of photos, or none that is the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Most(Option<u32>);

impl TermsFlags {
    /// The terms that they name.
    pub(crate) fn terms(self) -> Terms {
        let names_redirects = self.no_redirect_origins || !self.redirect_origins.is_empty();
        let names_origins = self.no_origins || !self.origins.is_empty();
        Terms {
            expires_at: self.expires_at,
            volume_limit: self.volume_limit,
            authorized_origins: names_origins.then_some(self.origins),
            redirect_origins: names_redirects.then_some(self.redirect_origins),
            store_asset_policy: self.storage,
            gps_mode: self.gps_mode,
            gps_max_accuracy_m: self.gps_max_accuracy_m,
            recapture_gate: self.recapture_gate,
            recapture_threshold: self.recapture_threshold,
            capture_resolution: self.resolution,
            tsa_required: self.tsa_required,
            max_captures_per_session: self.max_captures_per_session.map(|Most(most)| most),
        }
    }
}

/// A value of an enumeration by its API name, in either case.
fn word<T, const N: usize>(words: [&'static str; N]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words)
        .try_map(|word| serde_json::from_value::<T>(Value::String(word.to_ascii_uppercase())))
}

/// A contract until a day includes that day.
fn end(text: &str) -> Result<OffsetDateTime, String> {
    let last_second = Time::from_hms(23, 59, 59).ok();
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let end_of_day = day.zip(last_second).map(|(day, time)| day.with_time(time).assume_utc());
    let end = end_of_day.or_else(|| OffsetDateTime::parse(text, &Rfc3339).ok());
    end.ok_or_else(|| "a day (2027-12-31) or a time in RFC 3339 (2027-12-31T12:00:00-03:00)".to_owned())
}

fn most(text: &str) -> Result<Most, String> {
    match text {
        "unlimited" => Ok(Most(None)),
        number => number.parse().map(|most| Most(Some(most))).map_err(|_| "a number, or unlimited".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clap::Parser;
    use time::macros::datetime;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: TermsFlags,
    }

    fn terms(line: &str) -> Result<Terms, String> {
        let words = ["license"].into_iter().chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.flags.terms()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_named_stays_unnamed() {
        assert_eq!(terms(""), Ok(Terms::default()));
    }

    #[test]
    fn every_term_has_a_flag() {
        let line = "--expires-at 2027-12-31T12:00:00-03:00 --volume-limit 5 --origin https://a.example --origin https://b.example \
                    --storage always --gps-mode REQUIRE --gps-max-accuracy-m 30.5 --recapture-gate record --resolution Max \
                    --recapture-threshold 1.5 --tsa-required false --max-captures-per-session 3 --redirect-origin https://c.example";
        let all = Terms {
            expires_at: Some(datetime!(2027-12-31 15:00 UTC)),
            volume_limit: Some(5),
            authorized_origins: Some(vec!["https://a.example".into(), "https://b.example".into()]),
            redirect_origins: Some(vec!["https://c.example".into()]),
            store_asset_policy: Some(StoreAssetPolicy::Always),
            gps_mode: Some(GpsMode::Require),
            gps_max_accuracy_m: Some(30.5),
            recapture_gate: Some(RecaptureGate::Record),
            recapture_threshold: Some(1.5),
            capture_resolution: Some(CaptureResolution::Max),
            tsa_required: Some(false),
            max_captures_per_session: Some(Some(3)),
        };
        assert_eq!(terms(line), Ok(all));
    }

    #[test]
    fn terms_can_be_taken_away() {
        let none = Terms { authorized_origins: Some(vec![]), max_captures_per_session: Some(None), ..Terms::default() };
        assert_eq!(terms("--no-origins --max-captures-per-session unlimited"), Ok(none));
    }

    #[test]
    fn a_contract_until_a_day_includes_it() {
        assert_eq!(end("2027-12-31"), Ok(datetime!(2027-12-31 23:59:59 UTC)));
    }

    #[test]
    fn what_is_none_of_the_words_is_refused() {
        for line in [
            "--expires-at tomorrow",
            "--volume-limit many",
            "--storage SOMETIMES",
            "--resolution 4K",
            "--tsa-required maybe",
            "--max-captures-per-session none",
            "--origin https://a.example --no-origins",
        ] {
            assert!(terms(line).is_err(), "{line}");
        }
    }
}
