//! Which characters are not for people to read.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Control and format characters (bidirectional marks among them), and the line and paragraph separators, which act as
/// control characters.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}
