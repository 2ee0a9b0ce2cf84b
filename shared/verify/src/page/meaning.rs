//! What the proof shows, and what it does not. `docs/evidence.md` explains it.

use domain::Environment;
use maud::{Markup, html};

use super::{
    revocation,
    words::{Words, words},
};
use crate::report::Report;

const PROVED: Words = words("O que está provado", "What is proved");
const NOTHING: Words = words(
    "Nada: uma verificação que não confere basta. O que este relatório mostra além disso é apenas o que o arquivo diz.",
    "Nothing: one check that does not hold is enough. What else this report shows is only what the file says.",
);
const NOTHING_IN_TESTS: Words = words(
    "Perante terceiros, nada: a foto foi feita em ambiente de testes. Mostra como o serviço funciona.",
    "Nothing towards third parties: the photo was made in a test environment. It shows how the service works.",
);
const SAME_BYTES: Words = words(
    "Esta é, byte por byte, a foto que o serviço recebeu. Qualquer alteração posterior nela, ou no que se declara dela, teria sido descoberta. \
     Só o carimbo do tempo da assinatura C2PA e o espaço reservado a ele não são abrangidos por nenhuma assinatura: o carimbo pode ser \
     retirado, ou trocado por outro que confira, mas não forjado.",
    "This is, byte for byte, the photo that the service received. Any later change to it, or to what is stated of it, would have been found. \
     Only the timestamp of the C2PA signature and the room for it are covered by no signature: the timestamp can be removed, or replaced by \
     another that holds, but not forged.",
);
const SIGNER: Words = words(
    "O titular do certificado do selo a assinou, tanto quanto se confia nas autoridades que emitiram os certificados e na guarda das chaves.",
    "The holder of the seal's certificate signed it, as far as the authorities that issued the certificates are trusted, and the keys were kept.",
);
const EXISTED: Words = words(
    "Ela já existia no tempo confiável indicado, pela palavra da autoridade de carimbo do tempo.",
    "It existed at the trusted time given, by the word of the timestamp authority.",
);
const STATED: Words = words(
    "O serviço declarou tê-la recebido naquele momento e naquela captura, e ter feito as verificações indicadas. É a sua palavra: a declaração deste arquivo não pode mais ser mudada, mas outro arquivo com outra declaração pode ser feito.",
    "The service stated that it received it at that time for that capture, and made the checks given. It is its word: this file's statement cannot be changed any more, but another file with another statement can be made.",
);

const NOT_PROVED: Words = words("O que não está provado", "What is not proved");
const TIME: Words = words(
    "Quando foi assinada: sem carimbo do tempo confiável, só o operador o diz.",
    "When it was signed: without a trusted timestamp, only the operator says so.",
);
const DEVICE: Words = words(
    "Que um aparelho a tirou. O serviço assina em um servidor os bytes que um navegador enviou; nenhum componente do telefone responde pela câmera.",
    "That a device took it. The service signs on a server the bytes that a browser sent; no hardware in the phone vouches for the camera.",
);
const PERSON: Words = words(
    "Quem segurava o telefone. Quem assina é o operador do serviço, não quem tirou a foto.",
    "Who held the phone. The one who signs is the operator of the service, not whoever took the photo.",
);
const PLACE: Words =
    words("Onde foi: a posição é alegada pelo navegador.", "Where it was: the position is the browser's claim.");
const SCENE: Words = words(
    "Que a cena é verdadeira, e não encenada ou uma reprodução; nem que o próprio operador não a encenou.",
    "That the scene is real, and not staged or a reproduction; nor that the operator itself did not stage it.",
);

/// The conclusions.
pub(super) fn proved(report: &Report) -> Markup {
    let is_production = report.environment == Some(Environment::Production);
    let statements: &[Words] = match (report.valid, is_production) {
        (false, _) => &[NOTHING],
        (true, false) => &[NOTHING_IN_TESTS],
        (true, true) if has_trusted_time(report) => &[SAME_BYTES, SIGNER, EXISTED, STATED],
        (true, true) => &[SAME_BYTES, SIGNER, STATED],
    };
    html! { section { h2 { (PROVED) } (list(statements)) } }
}

/// The limits of the proof, and the open checks.
pub(super) fn not_proved(report: &Report) -> Markup {
    let time: &[Words] = if has_trusted_time(report) { &[] } else { &[TIME] };
    let limits = [DEVICE, PERSON, PLACE, SCENE];
    html! {
        section {
            h2 { (NOT_PROVED) }
            (list(&[time, &limits].concat()))
            (revocation::not_checked(report))
        }
    }
}

fn has_trusted_time(report: &Report) -> bool {
    report.times.as_ref().is_some_and(|times| times.seal_trusted.is_some() || times.claim_trusted.is_some())
}

fn list(statements: &[Words]) -> Markup {
    html! { ul { @for statement in statements { li { (statement) } } } }
}
