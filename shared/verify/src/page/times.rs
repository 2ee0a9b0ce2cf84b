//! The section with the times: first those that a timestamp authority confirms, then those that are only claimed.

use lacre_page_text::clock::moment;
use maud::{Markup, html};

use super::{NONE, fact, folded};
use crate::{
    report::{Report, Times},
    wording::{
        Words,
        sentences::{RECEIVED, SIGNED, Sentence, TAKEN},
        times::{existed, trusted},
        words,
    },
};

const TITLE: Words = words("Quando", "When");
const TRUSTED: Words = words("Tempo confiável", "Trusted time");
const EXISTED_BY: Words = words("Já existia em, segundo uma autoridade", "Existed by, says an authority");
const TRUSTED_NOTE: Words = words(
    "Pela palavra da autoridade de carimbo do tempo: o mais tardar então, isto já existia.",
    "By the word of the timestamp authority: at the latest then, this existed.",
);
const NO_TRUSTED: Words = words(
    "Nenhum. Sem carimbo do tempo confiável, só os relógios abaixo dizem quando foi.",
    "None. Without a trusted timestamp, only the clocks below say when it was.",
);
const CLAIMED: Words = words("Tempo alegado", "Claimed time");
const CLAIMED_NOTE: Words = words(
    "Pela palavra de quem o escreveu. Um relógio pode estar errado.",
    "By the word of whoever wrote it. A clock can be wrong.",
);

/// The best available time: the trusted one, or otherwise the one that the service states.
pub(super) fn in_short(report: &Report) -> Markup {
    html! {
        @if let Some(times) = &report.times {
            @match trusted(report).filter(|_| report.valid) {
                Some(time) => (fact(EXISTED_BY, moment(time))),
                None => (stated(report, RECEIVED, Some(&times.service_claimed))),
            }
        }
    }
}

/// The section with both kinds of times.
pub(super) fn section(report: &Report) -> Markup {
    html! {
        @if let Some(times) = &report.times {
            (folded(TITLE, html! { (of_authorities(report)) (claimed(report, times)) }))
        }
    }
}

fn of_authorities(report: &Report) -> Markup {
    let existed = existed(report);
    html! {
        h3 { (TRUSTED) }
        @if existed.is_empty() {
            p.warning { (NO_TRUSTED) }
        } @else {
            p.note { (TRUSTED_NOTE) }
            dl { @for (what, time) in existed { (fact(what, moment(time))) } }
        }
    }
}

fn claimed(report: &Report, times: &Times) -> Markup {
    html! {
        h3 { (CLAIMED) }
        p.note { (CLAIMED_NOTE) }
        dl {
            (stated(report, TAKEN, times.browser_claimed.as_deref()))
            (stated(report, RECEIVED, Some(&times.service_claimed)))
            (stated(report, SIGNED, Some(&times.seal_claimed)))
        }
    }
}

/// A time after the sentence that says who states it.
fn stated(report: &Report, sentence: Sentence, time: Option<&str>) -> Markup {
    let shown = html! { @match time { Some(time) => (moment(time)), None => (NONE) } };
    html! { @if let Some(words) = sentence.on(report) { (fact(words, shown)) } }
}
