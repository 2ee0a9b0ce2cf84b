//! The photos that the service refused, and why.

use lacre_api::{
    Refusal,
    dossier::{DossierIndex, DossierRefused},
};
use lacre_page_text::{Words, both, visible::visible, words};
use maud::{Markup, html};

use super::{moment, table};

pub(super) const NONE: Words = words("nenhuma anotada", "none noted");

const TITLE: Words = words("As fotos recusadas", "The refused photos");
const NOTE: Words = words(
    "São tentativas que o serviço recusou: ele não assinou a imagem anunciada, que pode nem ter chegado, e esta anotação \
     não a guarda. Uma recusa não é indício de fraude: a pessoa pode ter tentado de novo e conseguido, e uma página que \
     repete um envio também é recusada. Só as primeiras 8 recusas de cada sessão são anotadas: se há 8, pode ter havido \
     outras, por outros motivos.",
    "These are attempts that the service refused: it did not sign the picture that was announced, which may not even have \
     arrived, and this note does not keep it. A refusal is no sign of fraud: the person may have tried again and \
     succeeded, and a page that repeats a request is refused, too. Only the first 8 refusals of each session are noted: \
     if there are 8, there may have been others, for other reasons.",
);
const CAPTION: Words =
    words("As fotos recusadas, na ordem em que chegaram", "The refused photos, in the order of arrival");
const TIME: Words = words("Recusada em", "Refused at");
const PHOTO: Words = words("Foto", "Photo");
const REASON: Words = words("Motivo", "Reason");
const FRAME: Words = words("SHA-256 que a página informou", "SHA-256 that the page announced");

/// The table of the refused photos; nothing if there are none.
pub(super) fn section(index: &DossierIndex) -> Markup {
    html! {
        @if !index.refused.is_empty() {
            section #recusadas {
                h2 { (TITLE) }
                p { (NOTE) }
                table.refused {
                    caption { (CAPTION) }
                    thead { tr { @for title in [TIME, PHOTO, REASON] { th scope="col" { (title) } } } }
                    tbody { @for refused in &index.refused { (row(refused)) } }
                }
            }
        }
    }
}

fn row(refused: &DossierRefused) -> Markup {
    html! {
        tr {
            th scope="row" { (moment(&refused.at)) }
            td { (photo(refused)) }
            td {
                p { (reason(&refused.reason)) " " code { (visible(&refused.reason)) } }
                @if let Some(hash) = &refused.frame_hash { p.note { (FRAME.before(html! { code { (visible(hash.as_str())) } })) } }
            }
        }
    }
}

/// The place in its session for which a photo was sent.
fn photo(refused: &DossierRefused) -> Markup {
    let session = refused.session;
    match refused.photo_order {
        Some(order) => table::in_session_of(order, session),
        None => both(&format!("sessão {session}"), &format!("session {session}")),
    }
}

/// Why a photo was refused, in a sentence, by the name of the refusal.
pub(super) fn reason(name: &str) -> Words {
    match Refusal::ALL.iter().find(|refusal| refusal.name() == name) {
        Some(refusal) => sentence(*refusal),
        None => UNKNOWN,
    }
}

pub(super) const UNKNOWN: Words =
    words("Este relatório não descreve o motivo.", "This report does not describe the reason.");

pub(super) const OTHER: Words = words("A página enviou dados inválidos.", "The page sent invalid data.");

fn sentence(refusal: Refusal) -> Words {
    use Refusal::*;
    match refusal {
        RecaptureDetected => words("A foto parecia ser de uma tela.", "The photo seemed to be one of a screen."),
        LocationNotValidated => words(
            "A licença exige uma posição, e o navegador não enviou uma com precisão suficiente.",
            "The license requires a position, and the browser sent none of sufficient accuracy.",
        ),
        Duplicate => words("A mesma imagem já tinha sido enviada.", "The same picture had been sent before."),
        ImageInvalid => words(
            "A imagem que chegou não era a que a página tinha informado, ou não era um JPEG de navegador.",
            "The picture that arrived was not the one that the page had announced, or not a JPEG of a browser.",
        ),
        ImageNotFound => words("A imagem não chegou ao serviço.", "The picture did not reach the service."),
        AssetTooLarge { .. } => words("A imagem era grande demais.", "The picture was too large."),
        SessionExpired => words("O prazo da sessão tinha acabado.", "The session had expired."),
        SessionAlreadyUsed => {
            words("A sessão já tinha todas as suas fotos.", "The session had all of its photos already.")
        }
        ClockOutOfSync => words(
            "A hora que a página informou não cabia no intervalo aceito.",
            "The time that the page stated was not in the accepted range.",
        ),
        PhotoOrderMismatch => words(
            "A página enviou outra foto que não a esperada.",
            "The page sent another photo than the expected one.",
        ),
        NonceMissing | NonceMalformed | NonceReplay => words(
            "O código que a sessão dá a cada tentativa faltava ou já tinha sido usado, ou a sessão mudou.",
            "The code that the session gives to each attempt was missing or had been used, or the session changed.",
        ),
        LivenessStatic | LivenessInsufficient | LivenessMalformed | LivenessTooMany => words(
            "Os quadros adicionais da câmera faltavam ou não eram válidos.",
            "The additional frames of the camera were missing or not valid.",
        ),
        OriginNotAllowed | OriginAllowlistEmpty | OriginSessionMismatch => words(
            "A página não era de um endereço que a licença permite, ou não era a que abriu a sessão.",
            "The page was not at an address that the license allows, or not the one that opened the session.",
        ),
        LicenseMissing | LicenseRefused => words("A licença não valia mais.", "The license was no longer valid."),
        AccessNotValidated => words("O navegador não era compatível.", "The browser was not supported."),
        _ => OTHER,
    }
}
