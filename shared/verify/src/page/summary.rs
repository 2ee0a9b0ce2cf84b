//! The verdict in words, and why.

use domain::Environment;
use maud::{Markup, html};

use super::{
    checks::must_hold,
    clock::moment,
    fact,
    visible::visible,
    words::{Words, words},
};
use crate::report::{Certificate, Outcome, Report, Seal, Timestamp};

const TITLE: Words = words("Conclusão", "Conclusion");
const VALID: Words = words("Prova válida", "The proof is valid");
const VALID_FOR_TESTS: Words =
    words("Válida, mas feita em ambiente de testes", "Valid, but made in a test environment");
const OTHER_ENVIRONMENT: Words =
    words("Válida, mas de outro ambiente que o exigido", "Valid, but of another environment than the required one");
const NOT_VALID: Words = words("Prova não válida", "The proof is not valid");
const ALL_HOLD: Words = words(
    "Todas as verificações conferem: a foto é, byte por byte, a que foi assinada.",
    "Every check holds: the photo is, byte for byte, the one that was signed.",
);
const SHOULD_HOLD: Words = words(
    "Para valer, o seguinte deveria conferir, e não confere:",
    "To be valid, the following should hold, and does not:",
);
const NO_PROOF: Words = words(
    "Ambiente de testes: esta foto nada prova perante terceiros. As chaves que a assinaram servem a ensaios.",
    "A test environment: this photo proves nothing towards third parties. The keys that signed it serve trials.",
);
const NOT_ICP_BRASIL: Words = words(
    "O próprio serviço declara que a assinatura do selo não é de um certificado da ICP-Brasil.",
    "The service itself states that the seal is not signed with a certificate of ICP-Brasil.",
);
const EXPIRED: Words = words(
    "Um certificado expirou antes do momento julgado, e nenhum carimbo do tempo confiável mostra que a assinatura é anterior. \
     Isso não quer dizer que a foto foi alterada: quer dizer que não se pode mais saber quando foi assinada.",
    "A certificate expired before the moment judged, and no trusted timestamp proves an earlier signature. \
     This does not mean that the photo was changed: it means that the time of the signature can no longer be proven.",
);
const ANOTHER_MOMENT: Words = words(
    "Julgada como se fosse este momento, a pedido de quem verificou (--at), e não o da verificação.",
    "The verifier requested this moment (--at), instead of the time of the verification.",
);
const JUDGED_AT: Words = words("Momento julgado", "Moment judged");
const HOLDS_UNTIL: Words = words("Verifica-se até", "Valid until");
const FIRST_TO_END: Words = words("Então expira o certificado de", "Then the certificate expires of");
const ENVIRONMENT: Words = words("Ambiente", "Environment");
const REQUIRED: Words = words("Ambiente exigido", "Required environment");
const SEALED_BY: Words = words("Selada por", "Sealed by");
const NAMED_AS_SEALER: Words =
    words("O arquivo diz que foi selada por (não provado)", "The file names as the sealer (not proven)");
const UNKNOWN: Words = words("desconhecido", "unknown");

/// The verdict with its reasons, and the warnings that no reader may miss.
pub(super) fn verdict(report: &Report, made_at: &str) -> Markup {
    let is_production = report.environment == Some(Environment::Production);
    let (class, words) = match (report.outcome, is_production) {
        (Outcome::Accepted, true) => ("verdict holds", VALID),
        (Outcome::Accepted, false) => ("verdict doubtful", VALID_FOR_TESTS),
        (Outcome::OtherEnvironment, _) => ("verdict doubtful", OTHER_ENVIRONMENT),
        (Outcome::Refused, _) => ("verdict fails", NOT_VALID),
    };
    let holder = if report.valid { SEALED_BY } else { NAMED_AS_SEALER };
    html! {
        section class=(class) {
            h2 { (TITLE) }
            p.word { (words) }
            @if report.valid { p { (ALL_HOLD) } } @else { (reasons(report)) }
            @if report.environment.is_some() && !is_production { p.warning { (NO_PROOF) } }
            @if report.capture.as_ref().is_some_and(|capture| !capture.icp_brasil) { p.warning { (NOT_ICP_BRASIL) } }
            dl {
                @if let Some(seal) = &report.seal { (fact(holder, holder_of(seal))) }
                (fact(ENVIRONMENT, html! {
                    @match report.environment { Some(environment) => (environment.name()), None => (UNKNOWN) }
                }))
                (fact(REQUIRED, report.required_environment.name()))
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

/// The company's name and CNPJ, as the seal certificate has them.
fn holder_of(seal: &Seal) -> Markup {
    html! {
        (visible(&seal.holder.name))
        @if let Some(cnpj) = seal.holder.cnpj_punctuated() { " (CNPJ " (cnpj) ")" }
    }
}

fn reasons(report: &Report) -> Markup {
    let failed = report.checks.iter().filter(|check| !check.holds);
    html! {
        p { (SHOULD_HOLD) }
        ul { @for check in failed { li { (must_hold(check.name)) } } }
        @if has_expired(report) { p.warning { (EXPIRED) } }
    }
}

/// Whether a chain fails only because a certificate expired.
fn has_expired(report: &Report) -> bool {
    let failed = |name| report.checks.iter().any(|check| check.name == name && !check.holds);
    let expired = |chain: &[Certificate], timestamp: Option<&Timestamp>| {
        let is_trusted = timestamp.is_some_and(|timestamp| timestamp.holds);
        // Both are RFC 3339 in UTC with milliseconds, which sorts as time does.
        !is_trusted && chain.iter().any(|certificate| certificate.not_after < report.judged_at)
    };
    let seal = report.seal.as_ref().is_some_and(|seal| expired(&seal.chain, seal.timestamp.as_ref()));
    let claim = report.claim.as_ref().is_some_and(|claim| expired(&claim.chain, claim.timestamp.as_ref()));
    (failed("seal certificate") && seal) || (failed("claim certificate") && claim)
}
