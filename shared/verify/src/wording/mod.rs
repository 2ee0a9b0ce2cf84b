//! The sentences of a report in Portuguese and English.
//!
//! Each sentence is defined once, and is used both in the lines of text and on the page.

pub(crate) mod checks;
pub(crate) mod conclusion;
pub(crate) mod kit;
pub(crate) mod log;
pub(crate) mod meaning;
pub(crate) mod sentences;
pub(crate) mod times;

pub use lacre_page_text::Language;
pub(crate) use lacre_page_text::{Words, both, words};

/// Text from a file for a line: control characters are escaped, quotes are kept.
pub(crate) fn shown(text: &str) -> String {
    let escaped = |char: char| match char {
        '\'' | '"' => char.to_string(),
        char => char.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}
