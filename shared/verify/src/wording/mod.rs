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

use maud::{Markup, Render, html};

/// A language of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Brazilian Portuguese.
    Portuguese,
    /// English.
    English,
}

/// A text in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pt: &'static str,
    en: &'static str,
}

/// A text in Portuguese and in English.
pub(crate) const fn words(pt: &'static str, en: &'static str) -> Words {
    Words { pt, en }
}

impl Words {
    /// The text in one language.
    pub(crate) const fn in_language(self, language: Language) -> &'static str {
        match language {
            Language::Portuguese => self.pt,
            Language::English => self.en,
        }
    }
}

/// Renders both languages, each in an element of its own, so that a page can hide one of them.
impl Render for Words {
    fn render(&self) -> Markup {
        both(&self.pt, &self.en)
    }
}

/// Renders the same text in Portuguese and in English.
pub(crate) fn both(pt: &dyn Render, en: &dyn Render) -> Markup {
    html! { span.pt lang="pt-BR" { (pt) } " " span.en lang="en" { (en) } }
}

/// Text from a file for a line: control characters are escaped, quotes are kept.
pub(crate) fn shown(text: &str) -> String {
    let escaped = |char: char| match char {
        '\'' | '"' => char.to_string(),
        char => char.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}
