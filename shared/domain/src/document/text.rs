//! Texts that pages show to people, in the languages of the page.

use lacre_api::kit::{KitRule, Translations};

use super::{
    json::Json,
    place::{Faults, Place},
};
use crate::text::is_invisible;

/// A kind of text.
pub(crate) trait DocumentText: for<'a> From<&'a str> {
    /// Adds a fault for each rule that the text breaks.
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults);
}

/// Reads a text in the languages of the page.
pub(crate) fn translations<T: DocumentText>(place: &Place<'_>, faults: &mut Faults) -> Option<Translations<T>> {
    let mut texts = place.members(faults)?;
    let portuguese = texts.required("pt-BR", faults, text);
    let english = texts.optional("en", faults, text);
    let spanish = texts.optional("es", faults, text);
    texts.end(faults);
    Some(Translations { portuguese: portuguese?, english, spanish })
}

/// Reads a text.
pub(crate) fn text<T: DocumentText>(place: &Place<'_>, faults: &mut Faults) -> Option<T> {
    let text = place.text(faults)?;
    T::check(text, place, faults);
    Some(T::from(text))
}

/// Checks a text that pages insert as text. `<` and `>` are refused nevertheless: no sentence needs them, and without them no
/// reader of the document, whoever wrote it, can take a text for an element. Quotes, `&` and `'` are ordinary punctuation.
pub(crate) fn check_sentence(text: &str, most: usize, place: &Place<'_>, faults: &mut Faults) {
    check_not_empty(text, place, faults);
    let chars = text.chars().count();
    if chars > most {
        let message = format!("This text has {chars} characters, more than {most}. Shorten it.");
        faults.add(&place.path, KitRule::TextLength, message);
    }
    if text.chars().any(is_invisible) {
        let message = "This text has a control or format character, such as a line break. Remove it.";
        faults.add(&place.path, KitRule::TextInvisible, message);
    }
    if text.contains(['<', '>']) {
        let message = "A text has neither < nor >. Say it in words.";
        faults.add(&place.path, KitRule::TextMarkup, message);
    }
}

/// Whether a text that stands alone passes [`check_sentence`].
pub(crate) fn is_sentence(text: &str, most: usize) -> bool {
    let mut faults = Faults::default();
    check_sentence(text, most, &Place { path: String::new(), value: &Json::Null }, &mut faults);
    faults.or(Some(())).is_ok()
}

/// Checks that a text has more than spaces.
pub(crate) fn check_not_empty(text: &str, place: &Place<'_>, faults: &mut Faults) {
    if text.trim().is_empty() {
        faults.add(&place.path, KitRule::TextEmpty, "This text is empty. Write it, or remove an optional one.");
    }
}
