//! The sections about what the proof shows and what it does not.

use maud::{Markup, html};

use crate::{
    report::Report,
    wording::{Words, meaning},
};

/// What the proof shows.
pub(super) fn proved(report: &Report) -> Markup {
    html! { section { h2 { (meaning::PROVED) } (list(&meaning::proved(report))) } }
}

/// The limits of the proof; empty for a file that was not checked.
pub(super) fn not_proved(report: &Report) -> Markup {
    html! {
        @if report.is_judged() {
            section {
                h2 { (meaning::NOT_PROVED) }
                (list(&meaning::not_proved(report)))
            }
        }
    }
}

fn list(statements: &[Words]) -> Markup {
    html! { ul { @for statement in statements { li { (statement) } } } }
}
