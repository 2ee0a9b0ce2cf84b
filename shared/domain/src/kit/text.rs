//! The texts of a step: its title, its instruction, its tip.

use lacre_api::kit::{KitRule, StepInstruction, StepTip, StepTitle, limits};

use crate::{
    Label,
    document::{DocumentText, Faults, Place, check_not_empty, check_sentence, is_sentence},
};

impl DocumentText for StepTitle {
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

impl DocumentText for StepInstruction {
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults) {
        check_sentence(text, limits::INSTRUCTION_CHARS, place, faults);
    }
}

impl DocumentText for StepTip {
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults) {
        check_sentence(text, limits::TIP_CHARS, place, faults);
    }
}

/// Whether a text has the form of a note about a photo, which is that of an instruction.
pub(crate) fn is_note(text: &str) -> bool {
    is_sentence(text, limits::INSTRUCTION_CHARS)
}
