//! Which characters people cannot see in a text.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Whether a character is a control or format character (which includes bidirectional marks), or a line or paragraph
/// separator, which has the effect of a control character.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}
