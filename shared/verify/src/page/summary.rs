//! The section with the conclusion and its reasons.

use lacre_domain::Environment;
use lacre_page_text::{clock::moment, visible::visible};
use maud::{Markup, html};

use super::{fact, times};
use crate::{
    report::Report,
    wording::{Words, conclusion, sentences, words},
};

const TITLE: Words = words("Conclusão", "Conclusion");
const ANOTHER_MOMENT: Words = words(
    "A pedido de quem verificou, foi julgada como se fosse este momento, e não o da verificação.",
    "As the verifier requested, it was judged as of this moment, and not as of the verification.",
);
const JUDGED_AT: Words = words("Momento julgado", "Moment judged");
const REQUIRED: Words = words("Exigido:", "Required:");

/// The conclusion with its reasons, and the warnings that every reader must see.
pub(super) fn verdict(report: &Report, made_at: &str) -> Markup {
    html! {
        section class={ "verdict " (conclusion::class(report)) } {
            h2 { (TITLE) }
            p.word { (conclusion::word(report)) }
            dl {
                @if let (Some(seal), Some(is)) = (&report.seal, sentences::SEALED_BY.on(report)) {
                    (fact(is, visible(&conclusion::holder(seal))))
                }
                (times::in_short(report))
                @if let (Some(environment), Some(name)) = (report.environment, sentences::ENVIRONMENT.on(report)) {
                    (fact(name, html! {
                        (of(environment))
                        @if environment != report.required_environment {
                            p.note { (REQUIRED) " " (of(report.required_environment)) }
                        }
                    }))
                }
                @if report.judged_at != made_at {
                    (fact(JUDGED_AT, html! { (moment(&report.judged_at)) p.note { (ANOTHER_MOMENT) } }))
                }
            }
            @for reason in conclusion::reasons(report) {
                p.warning[reason.is_warning] { (reason.words) }
                @if !reason.is_warning { (failed(report)) }
            }
        }
    }
}

/// The name of an environment in words.
fn of(environment: Environment) -> Words {
    match environment {
        Environment::Production => words("produção (PRODUCTION)", "production (PRODUCTION)"),
        Environment::Staging => words("homologação (STAGING): só para testes", "staging (STAGING): for tests only"),
        Environment::Sandbox => words("testes (SANDBOX)", "a sandbox (SANDBOX): for tests only"),
    }
}

fn failed(report: &Report) -> Markup {
    html! {
        @if conclusion::failed(report).next().is_some() {
            ul { @for words in conclusion::failed(report) { li { (words) } } }
        }
    }
}
