//! The verdict in words, and why.

use maud::{Markup, html};

use super::{clock::moment, fact, visible::visible};
use crate::{
    report::Report,
    wording::{Words, conclusion, sentences, words},
};

const TITLE: Words = words("Conclusão", "Conclusion");
const ANOTHER_MOMENT: Words = words(
    "Julgada como se fosse este momento, a pedido de quem verificou, e não o da verificação.",
    "The verifier requested this moment, instead of the time of the verification.",
);
const JUDGED_AT: Words = words("Momento julgado", "Moment judged");
const HOLDS_UNTIL: Words = words("Verifica-se até", "Valid until");
const FIRST_TO_END: Words = words("Então expira o certificado de", "Then the certificate expires of");
const REQUIRED: Words = words("Ambiente exigido", "Required environment");

/// The verdict with its reasons, and the warnings that no reader may miss.
pub(super) fn verdict(report: &Report, made_at: &str) -> Markup {
    html! {
        section class={ "verdict " (conclusion::class(report)) } {
            h2 { (TITLE) }
            p.word { (conclusion::word(report)) }
            @if let (Some(seal), Some(is)) = (&report.seal, sentences::SEALED_BY.on(report)) {
                dl { (fact(is, visible(&conclusion::holder(seal)))) }
            }
            @for reason in conclusion::reasons(report) {
                p.warning[reason.is_warning] { (reason.words) }
                @if !reason.is_warning { (failed(report)) }
            }
            dl {
                @if let (Some(environment), Some(name)) = (report.environment, sentences::ENVIRONMENT.on(report)) {
                    (fact(name, environment.name()))
                    (fact(REQUIRED, report.required_environment.name()))
                }
                (fact(JUDGED_AT, html! {
                    (moment(&report.judged_at))
                    @if report.judged_at != made_at { p.note { (ANOTHER_MOMENT) } }
                }))
                @if let Some(end) = &report.holds_until {
                    (fact(HOLDS_UNTIL, moment(&end.time)))
                    (fact(FIRST_TO_END, visible(&end.certificate)))
                }
            }
        }
    }
}

fn failed(report: &Report) -> Markup {
    html! {
        @if conclusion::failed(report).next().is_some() {
            ul { @for words in conclusion::failed(report) { li { (words) } } }
        }
    }
}
