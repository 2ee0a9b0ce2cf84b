//! Options for a license's terms, in `license issue` and `license configure`. They are generated from the table of
//! terms in `shared/api`.

use std::{fmt, str::FromStr};

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches,
    builder::{PossibleValuesParser, TypedValueParser, ValueParser},
    error::ErrorKind,
};
use lacre_domain::{Kind, NamedTerms, Term};
use serde_json::{Map, Value, json};
use time::{Date, OffsetDateTime, Time, format_description::well_known::Rfc3339, macros::format_description};

/// The terms that the command line names.
#[derive(Clone)]
pub(crate) struct TermsOptions(pub(crate) NamedTerms);

impl Args for TermsOptions {
    fn augment_args(command: Command) -> Command {
        command.args(Term::all().iter().flat_map(arguments))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TermsOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let value = |term: Term| Some((term.name.to_owned(), value(&term, matches)?));
        let named: Map<String, Value> = Term::all().into_iter().filter_map(value).collect();
        let terms = serde_json::from_value(named.into());
        terms.map(Self).map_err(|error| Error::raw(ErrorKind::ValueValidation, error))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The options of a term. A list has a second option, which empties it.
fn arguments(term: &Term) -> Vec<Arg> {
    let (name, parser): (_, ValueParser) = match term.kind {
        Kind::Time => ("DATE", ValueParser::new(end)),
        Kind::Count => ("N", ValueParser::new(parsed::<u64>)),
        Kind::CountOrNull => ("N", ValueParser::new(count_or_unlimited)),
        Kind::Number => ("NUMBER", ValueParser::new(finite)),
        Kind::Flag => ("BOOL", ValueParser::new(parsed::<bool>)),
        Kind::Origins => ("ORIGIN", ValueParser::new(parsed::<String>)),
        Kind::Word(words) => {
            ("WORD", PossibleValuesParser::new(words).map(|word| json!(word.to_ascii_uppercase())).into())
        }
    };
    let option = Arg::new(term.name).long(term.option).value_name(name).value_parser(parser).help(help(term));
    if term.kind != Kind::Origins {
        return vec![option.ignore_case(true)];
    }
    let none = Arg::new(term.no_option).long(term.no_option).action(ArgAction::SetTrue);
    vec![
        option.action(ArgAction::Append).conflicts_with(term.no_option),
        none.help(format!("Set {} to none.", term.name)),
    ]
}

/// The help text of a term: its meaning, the form of its value, and the default of a new license.
fn help(term: &Term) -> String {
    let form = match term.kind {
        Kind::Time => {
            " It is a day (2027-12-31), which is included as a whole in UTC, or a time in RFC 3339.".to_owned()
        }
        Kind::Origins => " Repeat the option for more; they replace the previous ones.".to_owned(),
        Kind::CountOrNull => " It is a number, or unlimited.".to_owned(),
        Kind::Number => format!(" It is {}.", term.requirement()),
        Kind::Count | Kind::Flag | Kind::Word(_) => String::new(),
    };
    format!("{}{form} [at issue: {}]", term.documentation, term.at_issue())
}

/// The JSON value that the options give to a term; `None` if they do not name it.
fn value(term: &Term, matches: &ArgMatches) -> Option<Value> {
    if term.kind != Kind::Origins {
        return matches.get_one(term.name).cloned();
    }
    let origins: Vec<Value> = matches.get_many(term.name).into_iter().flatten().cloned().collect();
    (matches.get_flag(term.no_option) || !origins.is_empty()).then_some(origins.into())
}

fn parsed<T: FromStr<Err: fmt::Display> + Into<Value>>(text: &str) -> Result<Value, String> {
    text.parse::<T>().map(T::into).map_err(|error| error.to_string())
}

/// Parses a finite number; JSON has no infinity and no NaN.
fn finite(text: &str) -> Result<Value, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.map(Value::from).ok_or_else(|| "a number".to_owned())
}

/// Parses the end of an agreement. A date includes the whole day in UTC.
fn end(text: &str) -> Result<Value, String> {
    let last_second = Time::from_hms(23, 59, 59).ok();
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let end_of_day = day.zip(last_second).map(|(day, time)| day.with_time(time).assume_utc());
    let end = end_of_day.or_else(|| OffsetDateTime::parse(text, &Rfc3339).ok());
    let end = end.and_then(|end| end.format(&Rfc3339).ok());
    end.map(Value::from)
        .ok_or_else(|| "a day (2027-12-31) or a time in RFC 3339 (2027-12-31T12:00:00-03:00)".to_owned())
}

fn count_or_unlimited(text: &str) -> Result<Value, String> {
    match text {
        "unlimited" => Ok(Value::Null),
        number => number.parse::<u32>().map(Value::from).map_err(|_| "a number, or unlimited".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clap::Parser;
    use lacre_domain::{CaptureResolution, FingerprintMode, GpsMode, Moment, RecaptureGate, StoreAssetPolicy};
    use time::macros::datetime;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: TermsOptions,
    }

    fn terms(line: &str) -> Result<NamedTerms, String> {
        let words = ["license"].into_iter().chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.flags.0).map_err(|error| error.to_string())
    }

    #[test]
    fn keeps_unnamed_terms() {
        assert_eq!(terms(""), Ok(NamedTerms::default()));
    }

    #[test]
    fn every_term_has_a_flag() {
        let line = "--expires-at 2027-12-31T12:00:00-03:00 --volume-limit 5 --origin https://a.example --origin https://b.example \
                    --storage always --gps-mode REQUIRE --gps-max-accuracy-m 30.5 --recapture-gate record --resolution Max \
                    --recapture-threshold 1.5 --fingerprint code --tsa-required false --max-captures-per-session 3 --redirect-origin https://c.example";
        let all = NamedTerms {
            expires_at: Some(Moment(datetime!(2027-12-31 15:00 UTC))),
            volume_limit: Some(5),
            authorized_origins: Some(vec!["https://a.example".into(), "https://b.example".into()]),
            redirect_origins: Some(vec!["https://c.example".into()]),
            store_asset_policy: Some(StoreAssetPolicy::Always),
            gps_mode: Some(GpsMode::Require),
            gps_max_accuracy_m: Some(30.5),
            recapture_gate: Some(RecaptureGate::Record),
            recapture_threshold: Some(1.5),
            capture_resolution: Some(CaptureResolution::Max),
            fingerprint: Some(FingerprintMode::Code),
            tsa_required: Some(false),
            max_captures_per_session: Some(Some(3)),
        };
        assert_eq!(terms(line), Ok(all));
    }

    #[test]
    fn flags_remove_terms() {
        let none = NamedTerms {
            authorized_origins: Some(vec![]),
            max_captures_per_session: Some(None),
            ..NamedTerms::default()
        };
        assert_eq!(terms("--no-origins --max-captures-per-session unlimited"), Ok(none));
    }

    #[test]
    fn an_expiry_date_includes_its_day() {
        let end = datetime!(2027-12-31 23:59:59 UTC);
        assert_eq!(terms("--expires-at 2027-12-31").unwrap().expires_at, Some(Moment(end)));
    }

    #[test]
    fn refuses_an_unknown_word() {
        for line in [
            "--expires-at tomorrow",
            "--volume-limit many",
            "--recapture-threshold NaN",
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
