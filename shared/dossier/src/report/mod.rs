//! The report of a dossier as a page for people, in Portuguese and English: to read, print and file.
//!
//! The page has no scripts, and loads only the photos beside it. It proves nothing: it shows what the index says, and
//! how to check it. Text from the index may have been written by anyone, so it is always escaped and made visible
//! (`visible`).

mod check;
mod document;
mod meaning;
mod photo;
mod refused;
#[cfg(test)]
mod sample;
mod state;
mod summary;
mod table;
mod terms;
#[cfg(test)]
mod tests;

use lacre_api::{
    Time,
    dossier::{DossierIndex, DossierPhoto},
};
use lacre_page_text::clock;
use maud::{Markup, Render, html};

use crate::archive::is_name;

/// The report of a dossier, as an HTML page that is opened beside the photos. The `parts` of the index are not used,
/// because the report is one of them.
#[must_use]
pub fn report(index: &DossierIndex) -> String {
    let body = html! {
        (summary::section(index))
        (meaning::proved(index))
        (meaning::not_proved(index))
        (check::section(index))
        (table::section(index))
        @for (number, photo) in numbered(index) { (photo::section(index, number, photo)) }
        (refused::section(index))
        (terms::licenses(index))
        (terms::kits(index))
        (terms::log(index))
    };
    document::of(index, &body).into_string()
}

/// The photos with their numbers, from 1.
fn numbered(index: &DossierIndex) -> impl Iterator<Item = (usize, &DossierPhoto)> {
    (1..).zip(&index.photos)
}

/// The name of the part with a photo; `None` if the dossier has no photo, or if the name is not that of a part.
fn picture(photo: &DossierPhoto) -> Option<&str> {
    photo.photo.as_deref().filter(|name| is_name(name))
}

/// A row in a list of facts.
fn fact(name: impl Render, value: impl Render) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// A time of the index, in Brasília's time and in UTC.
fn moment(time: &Time) -> Markup {
    clock::moment(time.as_str())
}
