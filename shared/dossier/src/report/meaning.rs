//! The sections about what a dossier shows and what it does not. `docs/concepts/evidence.md` explains what a photo
//! shows.

use lacre_api::{
    Environment,
    dossier::{DossierIndex, PhotoState},
};
use lacre_page_text::{Words, words};
use maud::{Markup, html};

const PROVED: Words = words("O que está provado", "What is proved");
const IF_CHECKED: Words = words(
    "Vale o que segue se a conferência descrita abaixo der certo. Esta página sozinha não prova nada.",
    "The following holds if the check described below succeeds. This page alone proves nothing.",
);
const NOTHING_IN_TESTS: Words = words(
    "Perante terceiros, nada: as fotos foram feitas em ambiente de testes. Elas mostram como o serviço funciona.",
    "Nothing towards third parties: the photos were made in a test environment. They show how the service works.",
);
const INDEX: Words = words(
    "A empresa que opera o serviço selou o índice deste dossiê com o seu certificado ICP-Brasil. Com isso ela declara \
     que ele lista tudo o que o serviço registrou para esta referência até o momento em que o dossiê foi feito, salvo \
     o que consta a seguir como não provado. Um arquivo trocado, retirado ou acrescentado depois é descoberto.",
    "The company that operates the service sealed the index of this dossier with its ICP-Brasil certificate. It \
     thereby states that the index lists everything that the service recorded for this reference until the dossier was \
     made, except for what is named below as not proved. A file that was replaced, removed or added later is found.",
);
const PHOTOS: Words = words(
    "Cada foto do dossiê é selada por si. É, byte por byte, a que o serviço recebeu, e ele declara tê-la recebido no \
     momento indicado.",
    "Each photo in the dossier is sealed by itself. It is, byte for byte, the one that the service received, and the \
     service states that it received it at the time given.",
);
const HASHES: Words = words(
    "De cada foto que não está no dossiê, o índice tem os códigos SHA-256. Se alguém apresentar o arquivo, eles \
     mostram se é o mesmo.",
    "Of each photo that is not in the dossier, the index has the SHA-256 values. If somebody presents the file, they \
     show whether it is the same one.",
);

const NOT_PROVED: Words = words("O que não está provado", "What is not proved");
const SCENE: Words = words(
    "Que a cena é verdadeira: ela pode ter sido encenada ou mudada antes da foto, ou ser uma reprodução. Nem que o \
     próprio operador não a encenou.",
    "That the scene is real: it may have been staged or altered before the photo, or be a reproduction. Nor that the \
     operator itself did not stage it.",
);
const DEVICE: Words = words(
    "Que um aparelho tirou as fotos. O serviço assina em um servidor os bytes que um navegador enviou; nenhum \
     componente do telefone responde pela câmera.",
    "That a device took the photos. The service signs on a server the bytes that a browser sent; no hardware in the \
     phone vouches for the camera.",
);
const PERSON: Words = words(
    "Quem segurava o telefone. Quem assina é o operador do serviço, não quem tirou as fotos.",
    "Who held the phone. The one who signs is the operator of the service, not whoever took the photos.",
);
const CLAIMS: Words = words(
    "Onde foi, e que horas marcava o telefone: a posição e o relógio do telefone são alegações do navegador.",
    "Where it was, and what time the phone showed: the position and the phone's clock are claims of the browser.",
);
const TIME: Words = words(
    "Quando uma foto foi assinada, se ela não tem um carimbo do tempo confiável: então só o operador o diz. O \
     relatório da conferência de cada foto informa se há carimbo.",
    "When a photo was signed, if it has no trusted timestamp: then only the operator says so. The report of the check \
     of each photo says whether it has one.",
);
const REQUEST: Words = words(
    "Que as fotos mostram o que se pediu: a etapa do kit diz o que a página do serviço pediu, não o que foi \
     fotografado.",
    "That the photos show what was asked for: the step of the kit says what the service's page asked for, not what was \
     photographed.",
);
const NOTHING_ELSE: Words = words(
    "Que nada mais existe. Uma sessão sem nenhuma foto, nem mesmo recusada, não consta. Das fotos recusadas constam no máximo \
     as primeiras 8 de cada sessão e 100 ao todo, até 400 dias depois da última; uma falha do serviço pode impedir que uma recusa seja \
     anotada; e elas são apagadas com as fotos apagadas da mesma referência.",
    "That nothing else exists. A session without any photo, refused ones included, is not listed. Of refused photos, at \
     most the first 8 of each session and 100 in all are listed, until 400 days after the last; a failure of the service may prevent that \
     a refusal is noted; and they are erased with the erased photos of the same reference.",
);
const FORGOTTEN: Words = words(
    "Que nenhuma outra foto foi apagada. Quando o serviço não conhece mais a referência de uma foto apagada, ela só \
     consta aqui se foi indicada a quem fez o dossiê.",
    "That no other photo was erased. If the service no longer knows the reference of an erased photo, it is listed \
     here only if it was named to whoever made the dossier.",
);

/// What the dossier shows.
pub(super) fn proved(index: &DossierIndex) -> Markup {
    let is_absent = index.photos.iter().any(|photo| photo.state != PhotoState::Included);
    let is_included = index.photos.iter().any(|photo| photo.state == PhotoState::Included);
    html! {
        section {
            h2 { (PROVED) }
            @if index.environment == Environment::Production {
                p { strong { (IF_CHECKED) } }
                ul {
                    li { (INDEX) }
                    @if is_included { li { (PHOTOS) } }
                    @if is_absent { li { (HASHES) } }
                }
            } @else {
                p { (NOTHING_IN_TESTS) }
            }
        }
    }
}

/// What the dossier does not show.
pub(super) fn not_proved(index: &DossierIndex) -> Markup {
    let is_asked_for = index.photos.iter().any(|photo| photo.asked_for.is_some());
    let request = is_asked_for.then_some(REQUEST);
    let statements = [SCENE, DEVICE, PERSON, CLAIMS, TIME].into_iter().chain(request).chain([NOTHING_ELSE, FORGOTTEN]);
    html! {
        section {
            h2 { (NOT_PROVED) }
            ul { @for statement in statements { li { (statement) } } }
        }
    }
}
