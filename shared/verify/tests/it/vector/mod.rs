//! Checks a vector with its options.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

use lacre_domain::Environment;
use lacre_proof::{Anchors, Cnpj};
use lacre_verify::{Outcome, Report, Requirements, Revocations, check_with};
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// The report on a file, checked with the given options.
pub fn judged(file: &[u8], roots: &Anchors, options: &Value) -> Report {
    let text = |name: &str| options[name].as_str();
    let requirements = Requirements {
        seal_holder: text("seal_holder").map(|cnpj| Cnpj::parse(cnpj).unwrap()),
        claim_subject: text("claim_subject").map(Into::into),
        ..Requirements::of(text("environment").and_then(Environment::parse).unwrap())
    };
    let at = OffsetDateTime::parse(text("at").unwrap(), &Rfc3339).unwrap();
    check_with(file, roots, &Revocations::default(), &requirements, at).report
}

/// The names of the failed checks of a refused file.
pub fn failed(report: &Report) -> Vec<&'static str> {
    let failed = report.checks.iter().filter(|check| report.outcome == Outcome::Refused && !check.holds);
    failed.map(|check| check.name).collect()
}
