//! The section with both signatures: the signer, the policy, the certificates and the time.

use lacre_page_text::{clock::moment, visible::visible};
use maud::{Markup, html};

use super::{NONE, chain, fact, folded, revocation};
use crate::{
    report::{ClaimReport, Found, Report, SealReport, Timestamp},
    wording::{
        Words,
        sentences::{CLAIM, SEAL},
        words,
    },
};

const TITLE: Words = words("As assinaturas", "The signatures");
const OUTCOME: Words = words("Resultado", "Outcome");
const HOLDS: Words = words("✓ confere", "holds");
const FAILS: Words =
    words("✗ não confere: o que segue é o que o arquivo diz", "does not hold: what follows is what the file says");
const SIGNER: Words = words("Titular do certificado", "Holder of the certificate");
const CNPJ: Words = words("CNPJ, segundo o certificado", "CNPJ in the certificate");
const SIGNING_TIME: Words = words("Momento alegado da assinatura", "Claimed signing time");
const POLICY: Words = words("Política de assinatura", "Signature policy");
const UNKNOWN_POLICY: Words = words("desconhecida", "unknown");
const JUDGED_AT: Words = words("Cadeia julgada em", "Chain judged as of");
const TIMESTAMP: Words = words("Carimbo do tempo", "Timestamp");
const NO_TIMESTAMP: Words = words("Sem carimbo do tempo.", "No timestamp.");
const EMPTY_ROOM: Words = words(
    "Há espaço para um carimbo do tempo, e nenhum nele: nenhum foi obtido a tempo, ou foi retirado depois.",
    "Space for a timestamp is reserved, but empty: none arrived in time, or it was removed later.",
);
const UNREADABLE: Words =
    words("Há um carimbo do tempo que não se pode ler.", "There is a timestamp that cannot be decoded.");
const ROOT: Words = words("Raiz em que se confia", "Trusted root");
const NO_ROOT: Words = words("nenhuma", "none");
const STAMPED_AT: Words = words("Momento", "Time");
const ACCURACY: Words = words("Precisão, em segundos", "Accuracy in seconds");
const AUTHORITY: Words = words("Autoridade", "Authority");
const SERIAL: Words = words("Número do carimbo", "Serial number of the timestamp");
const RULES: Words = words("Política da autoridade", "Policy of the authority");

/// The seal, then the claim.
pub(super) fn section(report: &Report) -> Markup {
    html! {
        @if let (Some(seal), Some(claim)) = (&report.seal, &report.claim) {
            (folded(TITLE, html! {
                @if let Some(title) = SEAL.on(report) { h3 { (title) } }
                (of_seal(seal, holds(report, "seal", &SEALED)))
                @if let Some(title) = CLAIM.on(report) { h3 { (title) } }
                (of_claim(claim, holds(report, "claim", &CLAIMED)))
                (revocation::known(report))
            }))
        }
    }
}

/// The checks of what the seal covers.
const SEALED: [&str; 2] = ["hashes agree", "times agree"];
/// The checks of what the claim covers.
const CLAIMED: [&str; 4] = ["statements", "hard binding", "hashes agree", "times agree"];

/// The checks of whether the required signer signed.
const PINS: [&str; 2] = ["seal holder", "claim subject"];

/// Whether all checks of one signature succeeded, whose names begin with `part`, and all checks of what it covers.
/// Whether the required signer signed is not considered.
fn holds(report: &Report, part: &str, content: &[&str]) -> bool {
    let belongs = |name: &str| (name.starts_with(part) && !PINS.contains(&name)) || content.contains(&name);
    report.checks.iter().filter(|check| belongs(check.name)).all(|check| check.holds)
}

fn of_seal(seal: &SealReport, holds: bool) -> Markup {
    html! {
        dl {
            (fact(OUTCOME, outcome(holds)))
            (fact(SIGNER, visible(&seal.signer)))
            (fact(CNPJ, html! { @match seal.holder.cnpj_punctuated() { Some(cnpj) => (cnpj), None => (NONE) } }))
            (fact(SIGNING_TIME, moment(&seal.signing_time)))
            (fact(POLICY, html! {
                @match seal.policy_name { Some(name) => (name), None => (UNKNOWN_POLICY) } " " code { (visible(&seal.policy)) }
            }))
            (fact(JUDGED_AT, moment(&seal.judged_at)))
            (fact(ROOT, root(seal.root.as_deref())))
        }
        (chain::table(&seal.chain))
        (of_timestamp(seal.timestamp_found, seal.timestamp.as_ref()))
    }
}

fn of_claim(claim: &ClaimReport, holds: bool) -> Markup {
    html! {
        dl {
            (fact(OUTCOME, outcome(holds)))
            (fact(SIGNER, visible(&claim.signer)))
            (fact(JUDGED_AT, moment(&claim.judged_at)))
            (fact(ROOT, root(claim.root.as_deref())))
        }
        (chain::table(&claim.chain))
        (of_timestamp(claim.timestamp_found, claim.timestamp.as_ref()))
    }
}

/// A timestamp, or the text that explains its absence.
pub(super) fn of_timestamp(found: Found, timestamp: Option<&Timestamp>) -> Markup {
    html! {
        h4 { (TIMESTAMP) }
        @match timestamp {
            None => p { (without(found)) }
            Some(timestamp) => {
                dl {
                    (fact(OUTCOME, outcome(timestamp.holds)))
                    (fact(STAMPED_AT, moment(&timestamp.time)))
                    (fact(ACCURACY, html! {
                        @match timestamp.accuracy_seconds { Some(accuracy) => (accuracy), None => (NONE) }
                    }))
                    (fact(AUTHORITY, visible(&timestamp.authority)))
                    (fact(SERIAL, html! { code { (visible(&timestamp.serial_number)) } }))
                    (fact(RULES, html! { code { (visible(&timestamp.policy)) } }))
                    (fact(ROOT, root(timestamp.root.as_deref())))
                }
                (chain::table(&timestamp.chain))
            }
        }
    }
}

/// The text that explains why there is no timestamp.
fn without(found: Found) -> Words {
    match found {
        Found::Nothing => NO_TIMESTAMP,
        Found::EmptyRoom => EMPTY_ROOM,
        Found::Unreadable | Found::Timestamp => UNREADABLE,
    }
}

fn root(name: Option<&str>) -> Markup {
    html! { @match name { Some(name) => (visible(name)), None => (NO_ROOT) } }
}

fn outcome(holds: bool) -> Markup {
    html! { @if holds { (HOLDS) } @else { strong.fails { (FAILS) } } }
}
