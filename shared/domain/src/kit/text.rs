//! The texts of a step: its title, its instruction, its tip.

use lacre_api::kit::{KitRule, StepInstruction, StepTip, StepTitle, Translations, limits};

use super::{
    json::Json,
    place::{Faults, Place},
};
use crate::{Label, text::is_invisible};

/// A kind of text.
pub(super) trait StepText: for<'a> From<&'a str> {
    /// Adds a fault for each rule that the text breaks.
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults);
}

impl StepText for StepTitle {
    /// A title becomes the photo's label.
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults) {
        check_not_empty(text, place, faults);
        if Label::parse(text).is_err() {
            let message = "A title has at most 64 bytes in UTF-8, without control and format characters and without <>&\"' and \
                           backtick, because it becomes the photo's label. Shorten it, or remove these characters.";
            faults.add(&place.path, KitRule::TitleForm, message);
        }
    }
}

impl StepText for StepInstruction {
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults) {
        check_sentence(text, limits::INSTRUCTION_CHARS, place, faults);
    }
}

impl StepText for StepTip {
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults) {
        check_sentence(text, limits::TIP_CHARS, place, faults);
    }
}

/// Reads a text in the languages of the page.
pub(super) fn translations<T: StepText>(place: &Place<'_>, faults: &mut Faults) -> Option<Translations<T>> {
    let mut texts = place.members(faults)?;
    let portuguese = texts.required("pt-BR", faults, text);
    let english = texts.optional("en", faults, text);
    let spanish = texts.optional("es", faults, text);
    texts.end(faults);
    Some(Translations { portuguese: portuguese?, english, spanish })
}

fn text<T: StepText>(place: &Place<'_>, faults: &mut Faults) -> Option<T> {
    let text = place.text(faults)?;
    T::check(text, place, faults);
    Some(T::from(text))
}

/// Checks a text that pages insert as text. `<` and `>` are refused nevertheless: no instruction needs them, and without them
/// no reader of a kit, whoever wrote it, can take a text for an element. Quotes, `&` and `'` are ordinary punctuation.
fn check_sentence(text: &str, most: usize, place: &Place<'_>, faults: &mut Faults) {
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

/// Whether a text has the form of a note about a photo, which is that of an instruction.
pub(crate) fn is_note(text: &str) -> bool {
    let mut faults = Faults::default();
    check_sentence(text, limits::INSTRUCTION_CHARS, &Place { path: String::new(), value: &Json::Null }, &mut faults);
    faults.or(Some(())).is_ok()
}

fn check_not_empty(text: &str, place: &Place<'_>, faults: &mut Faults) {
    if text.trim().is_empty() {
        faults.add(&place.path, KitRule::TextEmpty, "This text is empty. Write it, or remove an optional one.");
    }
}
