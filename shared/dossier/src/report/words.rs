//! Texts in Portuguese and English.

use maud::{Markup, Render, html};

/// A text in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) pt: &'static str,
    pub(super) en: &'static str,
}

/// A text in Portuguese and in English.
pub(super) const fn words(pt: &'static str, en: &'static str) -> Words {
    Words { pt, en }
}

/// Renders both languages, each in an element of its own, so that the page can hide one of them.
impl Render for Words {
    fn render(&self) -> Markup {
        both(&self.pt, &self.en)
    }
}

impl Words {
    /// The text before a value, with a colon.
    pub(super) fn before(self, value: impl Render) -> Markup {
        html! { (both(&format!("{}:", self.pt), &format!("{}:", self.en))) " " (value) }
    }
}

/// Renders the same text in Portuguese and in English.
pub(super) fn both(pt: &dyn Render, en: &dyn Render) -> Markup {
    html! { span.pt lang="pt-BR" { (pt) } " " span.en lang="en" { (en) } }
}
