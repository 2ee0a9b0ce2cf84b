//! The page's two languages: Portuguese first, English beside it.

use maud::{Markup, Render, html};

/// A text in both languages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pt: &'static str,
    en: &'static str,
}

/// A text in Portuguese and in English.
pub(super) const fn words(pt: &'static str, en: &'static str) -> Words {
    Words { pt, en }
}

impl Render for Words {
    fn render(&self) -> Markup {
        html! { (self.pt) " " span lang="en" { (self.en) } }
    }
}
