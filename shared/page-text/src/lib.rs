//! What pages for people have in common: texts in Portuguese and English, times of Brasília, and text of others made safe to
//! read. The report of a photo (`lacre_verify`) and that of a dossier (`lacre_dossier`) are such pages.

pub mod clock;
pub mod visible;

use maud::{Markup, Render, html};

/// A language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Brazilian Portuguese.
    Portuguese,
    /// English.
    English,
}

/// A text in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The text in Portuguese.
    pub pt: &'static str,
    /// The text in English.
    pub en: &'static str,
}

/// A text in Portuguese and in English.
#[must_use]
pub const fn words(pt: &'static str, en: &'static str) -> Words {
    Words { pt, en }
}

impl Words {
    /// The text in one language.
    #[must_use]
    pub const fn in_language(self, language: Language) -> &'static str {
        match language {
            Language::Portuguese => self.pt,
            Language::English => self.en,
        }
    }

    /// The text before a value, with a colon.
    pub fn before(self, value: impl Render) -> Markup {
        html! { (both(&format!("{}:", self.pt), &format!("{}:", self.en))) " " (value) }
    }
}

/// Renders both languages, each in an element of its own, so that a page can hide one of them.
impl Render for Words {
    fn render(&self) -> Markup {
        both(&self.pt, &self.en)
    }
}

/// Renders the same text in Portuguese and in English.
#[must_use]
pub fn both(pt: &dyn Render, en: &dyn Render) -> Markup {
    html! { span.pt lang="pt-BR" { (pt) } " " span.en lang="en" { (en) } }
}
