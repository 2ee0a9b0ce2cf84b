//! The table of all photos, and how a photo is called.

use lacre_api::dossier::{DossierIndex, DossierPhoto};
use lacre_page_text::{Words, both, visible::visible, words};
use maud::{Markup, html};

use super::{moment, numbered, picture, state};

const TITLE: Words = words("As fotos", "The photos");
const NONE: Words = words(
    "O serviço não tinha nenhuma foto registrada para esta referência.",
    "The service had no photo recorded for this reference.",
);
const CAPTION: Words = words("As fotos, na ordem em que foram recebidas", "The photos, in the order of their receipt");
const NUMBER: Words = words("Foto", "Photo");
const PLACE: Words = words("Etapa solicitada, ou lugar na sessão", "Step asked for, or place in the session");
const TIME: Words = words("Recebida em", "Received at");
const STATE: Words = words("Situação", "State");
const PICTURE: Words = words("Imagem", "Picture");
const WITHOUT: Words = words("não está aqui", "not here");

/// The table of all photos.
pub(super) fn section(index: &DossierIndex) -> Markup {
    html! {
        section {
            h2 { (TITLE) }
            @if index.photos.is_empty() { p { (NONE) } } @else { (table(index)) }
        }
    }
}

fn table(index: &DossierIndex) -> Markup {
    html! {
        table.photos {
            caption { (CAPTION) }
            thead {
                tr { @for title in [NUMBER, PLACE, TIME, STATE, PICTURE] { th scope="col" { (title) } } }
            }
            tbody {
                @for (number, photo) in numbered(index) {
                    tr {
                        th scope="row" { a href={ "#foto-" (number) } { (number) } }
                        td { (place(photo)) }
                        td { (moment(&photo.ingested_at)) }
                        td { (state::name(photo.state)) }
                        td {
                            @match picture(photo) {
                                Some(name) => a href=(name) { img src=(name) alt=(alternative(number)); },
                                None => (WITHOUT),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The text in place of a picture. It is the same in both languages' views, because an attribute cannot be switched.
pub(super) fn alternative(number: usize) -> String {
    format!("Foto {number} / Photo {number}")
}

/// The step of the kit, or the photo's place in its session.
fn place(photo: &DossierPhoto) -> Markup {
    match &photo.asked_for {
        Some(asked) => html! { (visible(asked.step.as_str())) },
        None => in_session(photo),
    }
}

/// The photo's place in its session.
pub(super) fn in_session(photo: &DossierPhoto) -> Markup {
    let order = photo.photo_order;
    match photo.session {
        Some(session) => in_session_of(order, session),
        None => {
            both(&format!("foto {order} de uma sessão desconhecida"), &format!("photo {order} of an unknown session"))
        }
    }
}

/// A photo's place in a known session.
pub(super) fn in_session_of(order: u32, session: u32) -> Markup {
    both(&format!("foto {order} da sessão {session}"), &format!("photo {order} of session {session}"))
}

/// The name of a version of a kit.
pub(super) fn kit(kit: &str, version: u32) -> Markup {
    let named = |before: &'static str, between: &'static str| html! { (before) (visible(kit)) (between) (version) };
    both(&named("kit ", ", versão "), &named("kit ", ", version "))
}
