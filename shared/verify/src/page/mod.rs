//! The report as a page for people, in Portuguese and English: to read, to print and to file. The conclusion, who, when and what
//! is proved stand open; everything else is folded.
//!
//! The page is self-contained: no scripts, nothing fetched, and a policy (CSP) that forbids both. What comes from the file is text
//! that anyone may have written, and is shown as text (`visible`).

mod chain;
mod checks;
mod clock;
mod document;
mod facts;
mod log;
mod meaning;
mod photo;
mod place;
mod reverify;
mod revocation;
mod signatures;
mod summary;
mod times;
mod visible;

use lacre_domain::clock::rfc3339_millis;
use maud::{Markup, Render, html};
use time::OffsetDateTime;

use super::{
    Verdict,
    wording::{Words, words},
};

/// The contents of a page.
pub struct Page<'a> {
    /// The findings, and the photo.
    pub verdict: &'a Verdict,
    /// The file as it was given.
    pub file: &'a [u8],
    /// The manifest that was given beside it.
    pub manifest: Option<&'a [u8]>,
    /// The file's name.
    pub name: &'a str,
    /// Where the picture stands.
    pub picture: Picture,
    /// When the page is made, by the clock of the machine that makes it.
    pub made_at: OffsetDateTime,
}

/// Where the picture of a page stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// In the page itself.
    Embedded,
    /// Elsewhere: the page has [`PICTURE_PLACEHOLDER`] once, as the value of `src`.
    Elsewhere,
}

/// The address of a picture that stands elsewhere, to be replaced. It cannot be fetched.
pub const PICTURE_PLACEHOLDER: &str = "photo:";

impl Page<'_> {
    /// The whole page, in HTML.
    #[must_use]
    pub fn html(&self) -> String {
        document::of(self.name, &self.body()).into_string()
    }

    /// Its sections, in HTML, for a page around them.
    #[must_use]
    pub fn sections(&self) -> String {
        self.body().into_string()
    }

    fn body(&self) -> Markup {
        let report = &self.verdict.report;
        let made_at = rfc3339_millis(self.made_at).unwrap_or_default();
        html! {
            (summary::verdict(report, &made_at))
            (meaning::proved(report))
            (meaning::not_proved(report))
            (photo::section(self))
            (signatures::section(report))
            (log::section(report))
            (checks::section(report))
            (times::section(report))
            (facts::section(report))
            (revocation::not_checked(report))
            (reverify::section(report, self.manifest.is_some()))
            (reverify::made(self, &made_at))
        }
    }
}

/// A section that is folded until a reader asks for it, and on paper is not.
fn folded(title: impl Render, content: impl Render) -> Markup {
    html! { section { details { summary { h2 { (title) } } (content) } } }
}

/// A row of a list of facts.
fn fact(name: Words, value: impl Render) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

const NONE: Words = words("não consta", "not given");
