//! The section with the result of each check.

use lacre_page_text::visible::visible;
use lacre_proof::Check;
use maud::{Markup, html};

use super::folded;
use crate::{
    report::Report,
    wording::{
        Words,
        checks::{counts, must_hold},
        words,
    },
};

const TITLE: Words = words("Verificações", "Checks");
const WHAT: Words = words("O que deve conferir", "What must hold");
const OUTCOME: Words = words("Resultado", "Outcome");
const HOLDS: Words = words("✓ confere", "holds");
const FAILS: Words = words("✗ não confere", "does not hold");
const DOES_NOT_COUNT: Words =
    words("não conta: depende do que não confere", "does not count: it depends on what does not hold");
const STOPPED: Words = words(
    "A forma do arquivo não permitiu as demais verificações.",
    "The file's form did not allow for the other checks.",
);

/// All checks with their results; empty for a file that was not checked as a proof.
pub(super) fn section(report: &Report) -> Markup {
    let content = html! {
        table.checks {
            thead { tr { th scope="col" { (WHAT) } th scope="col" { (OUTCOME) } } }
            tbody { @for check in &report.checks { (row(report, check)) } }
        }
        @if report.frame_hash.is_none() { p.note { (STOPPED) } }
    };
    html! { @if report.is_judged() { (folded(TITLE, content)) } }
}

fn row(report: &Report, check: &Check) -> Markup {
    html! {
        tr.fails[!check.holds] {
            th scope="row" {
                (must_hold(check.name))
                @if let Some(fault) = &check.fault {
                    p.fault lang="en" { (check.name) ": " (visible(fault)) }
                }
            }
            td { (outcome(report, check)) }
        }
    }
}

fn outcome(report: &Report, check: &Check) -> Words {
    match check.holds {
        false => FAILS,
        true if counts(check.name, report) => HOLDS,
        true => DOES_NOT_COUNT,
    }
}
