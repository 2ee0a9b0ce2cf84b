//! What the proof shows, and what it does not. `docs/concepts/evidence.md` explains both.

use lacre_domain::Environment;

use super::{
    Words,
    sentences::{EXISTED, SAME_BYTES, SIGNER, STATED},
    times, words,
};
use crate::report::{Outcome, Report};

pub(crate) const PROVED: Words = words("O que está provado", "What is proved");
const NOTHING: Words = words(
    "Nada: uma verificação que não confere basta. O que este relatório mostra além disso é o que o arquivo diz, e o que cada verificação mostrou por si.",
    "Nothing: one check that does not hold is enough. What else this report shows is what the file says, and what each check showed by itself.",
);
const NOTHING_WITHOUT_PROOF: Words = words(
    "Nada: o arquivo não traz uma prova da Lacre. Isso não diz nada contra a foto, nem a favor dela.",
    "Nothing: the file carries no proof of Lacre. This says nothing against the photo, nor for it.",
);
const NOTHING_YET: Words = words(
    "Por ora nada: este verificador não conhece a versão desta prova.",
    "Nothing yet: this verifier does not know the version of this proof.",
);
const NOTHING_IN_TESTS: Words = words(
    "Perante terceiros, nada: a foto foi feita em ambiente de testes. Mostra como o serviço funciona.",
    "Nothing towards third parties: the photo was made in a test environment. It shows how the service works.",
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

const REQUEST: Words = words(
    "Que a foto mostra o que se pediu: a etapa do kit diz o que a página do serviço pediu ao cliente, não o que ele fotografou.",
    "That the photo shows what was asked for: the step of the kit says what the service's page asked the customer for, not what was photographed.",
);

/// What the proof shows.
pub(crate) fn proved(report: &Report) -> Vec<Words> {
    let is_production = report.environment == Some(Environment::Production);
    match (report.outcome, is_production) {
        (Outcome::NoProof, _) => vec![NOTHING_WITHOUT_PROOF],
        (Outcome::NewerVersion, _) => vec![NOTHING_YET],
        (Outcome::Refused, _) => vec![NOTHING],
        (_, false) => vec![NOTHING_IN_TESTS],
        (_, true) => {
            let existed = EXISTED.on(report).filter(|_| times::trusted(report).is_some());
            let sentences = [SAME_BYTES.on(report), SIGNER.on(report), existed, STATED.on(report)];
            sentences.into_iter().flatten().collect()
        }
    }
}

/// The limits of the proof.
pub(crate) fn not_proved(report: &Report) -> Vec<Words> {
    let time = times::trusted(report).is_none().then_some(TIME);
    let is_asked_for = report.capture.as_ref().is_some_and(|capture| capture.asked_for.is_some());
    let request = is_asked_for.then_some(REQUEST);
    time.into_iter().chain([DEVICE, PERSON, PLACE, SCENE]).chain(request).collect()
}
