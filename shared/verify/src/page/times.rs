//! When: the times that an authority vouches for, apart from those that are only claimed.

use maud::{Markup, html};

use super::{NONE, clock::moment, fact};
use crate::{
    report::{Report, Times},
    wording::{Words, words},
};

const TITLE: Words = words("Quando", "When");
const TRUSTED: Words = words("Tempo confiável", "Trusted time");
const TRUSTED_NOTE: Words = words(
    "Pela palavra da autoridade de carimbo do tempo: o mais tardar então, isto já existia.",
    "By the word of the timestamp authority: at the latest then, this existed.",
);
const NO_TRUSTED: Words = words(
    "Nenhum. Sem carimbo do tempo confiável, só os relógios abaixo dizem quando foi.",
    "None. Without a trusted timestamp, only the clocks below say when it was.",
);
const SEAL_TRUSTED: Words = words("A foto e a assinatura do selo", "The photo and the seal's signature");
const CLAIM_TRUSTED: Words =
    words("A assinatura C2PA, e com ela toda a prova", "The C2PA signature, and with it the whole proof");
const LOG_TRUSTED: Words = words(
    "A captura no registro público, e com ela toda a prova",
    "The capture in the public log, and with it the whole proof",
);
const CLAIMED: Words = words("Tempo alegado", "Claimed time");
const CLAIMED_NOTE: Words = words(
    "Pela palavra de quem o escreveu. Um relógio pode estar errado.",
    "By the word of whoever wrote it. A clock can be wrong.",
);
const BROWSER: Words = words("Foto tirada, segundo o navegador", "Photo taken, says the browser");
const SERVICE: Words = words("Foto recebida, segundo o serviço", "Photo received, says the service");
const SEAL: Words = words("Selo assinado, segundo quem o assinou", "Seal signed, says its signer");

const IN_SHORT: Words = words("Quando", "When");

/// The best time that there is, beside the photo: the trusted one, or else the one that the service states.
pub(super) fn in_short(report: &Report) -> Markup {
    html! {
        @if let Some(times) = &report.times {
            @let of_signatures = times.claim_trusted.as_deref().or(times.seal_trusted.as_deref());
            @let trusted = of_signatures.or(times.log_trusted.as_deref());
            h3 { (IN_SHORT) }
            dl {
                @match trusted {
                    Some(time) => (fact(TRUSTED, moment(time))),
                    None => (fact(SERVICE, moment(&times.service_claimed))),
                }
            }
        }
    }
}

/// Both kinds of times.
pub(super) fn section(report: &Report) -> Markup {
    html! { @if let Some(times) = &report.times { section { h2 { (TITLE) } (trusted(times)) (claimed(times)) } } }
}

fn trusted(times: &Times) -> Markup {
    let (seal, claim, log) = (&times.seal_trusted, &times.claim_trusted, &times.log_trusted);
    html! {
        h3 { (TRUSTED) }
        @if seal.is_none() && claim.is_none() && log.is_none() {
            p.warning { (NO_TRUSTED) }
        } @else {
            p.note { (TRUSTED_NOTE) }
            dl {
                (fact(SEAL_TRUSTED, optional(seal.as_deref())))
                (fact(CLAIM_TRUSTED, optional(claim.as_deref())))
                @if let Some(log) = log { (fact(LOG_TRUSTED, moment(log))) }
            }
        }
    }
}

fn claimed(times: &Times) -> Markup {
    html! {
        h3 { (CLAIMED) }
        p.note { (CLAIMED_NOTE) }
        dl {
            (fact(BROWSER, optional(times.browser_claimed.as_deref())))
            (fact(SERVICE, moment(&times.service_claimed)))
            (fact(SEAL, moment(&times.seal_claimed)))
        }
    }
}

fn optional(time: Option<&str>) -> Markup {
    html! { @match time { Some(time) => (moment(time)), None => (NONE) } }
}
