//! What the proof shows, and what it does not.

use maud::{Markup, html};

use crate::{
    report::Report,
    wording::{Words, meaning},
};

/// The conclusions.
pub(super) fn proved(report: &Report) -> Markup {
    html! { section { h2 { (meaning::PROVED) } (list(&meaning::proved(report))) } }
}

/// The limits of the proof. A file that was not judged has none.
pub(super) fn not_proved(report: &Report) -> Markup {
    html! {
        @if report.is_judged() {
            section {
                h2 { (meaning::NOT_PROVED) }
                (list(meaning::not_proved(report)))
            }
        }
    }
}

fn list(statements: &[Words]) -> Markup {
    html! { ul { @for statement in statements { li { (statement) } } } }
}
