//! What the proof shows, and what it does not. `docs/evidence.md` explains it.

use domain::Environment;

use super::{Words, words};
use crate::report::{Outcome, Report, Times};

pub(crate) const PROVED: Words = words("O que está provado", "What is proved");
const NOTHING: Words = words(
    "Nada: uma verificação que não confere basta. O que este relatório mostra além disso é apenas o que o arquivo diz.",
    "Nothing: one check that does not hold is enough. What else this report shows is only what the file says.",
);
const NOTHING_WITHOUT_PROOF: Words = words(
    "Nada: o arquivo não traz uma prova da Lacre. Isso não diz nada contra a foto, nem a favor dela.",
    "Nothing: the file carries no proof of Lacre. This says nothing against the photo, nor for it.",
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

pub(crate) const NOT_PROVED: Words = words("O que não está provado", "What is not proved");
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

/// What is proved.
pub(crate) fn proved(report: &Report) -> &'static [Words] {
    let is_production = report.environment == Some(Environment::Production);
    match (report.outcome, is_production) {
        (Outcome::NoProof, _) => &[NOTHING_WITHOUT_PROOF],
        (Outcome::Refused, _) => &[NOTHING],
        (_, false) => &[NOTHING_IN_TESTS],
        (_, true) if has_trusted_time(report) => &[SAME_BYTES, SIGNER, EXISTED, STATED],
        (_, true) => &[SAME_BYTES, SIGNER, STATED],
    }
}

/// The limits of the proof.
pub(crate) fn not_proved(report: &Report) -> &'static [Words] {
    match has_trusted_time(report) {
        true => &[DEVICE, PERSON, PLACE, SCENE],
        false => &[TIME, DEVICE, PERSON, PLACE, SCENE],
    }
}

fn has_trusted_time(report: &Report) -> bool {
    let of = |times: &Times| {
        [&times.seal_trusted, &times.claim_trusted, &times.log_trusted].into_iter().any(Option::is_some)
    };
    report.times.as_ref().is_some_and(of)
}
