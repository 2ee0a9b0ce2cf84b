//! The report as a page for people, in Portuguese and English: to read, print and file. The conclusion, the signer, the
//! time and what is proved are visible at once; everything else is folded.
//!
//! The page is self-contained: it has no scripts and loads nothing, and its Content-Security-Policy forbids both. Text
//! from the file may have been written by anyone, so it is always escaped and made visible (`visible`).

mod chain;
mod checks;
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

use lacre_domain::clock::rfc3339_millis;
use maud::{Markup, Render, html};
use time::OffsetDateTime;

use super::{
    Verdict,
    wording::{Words, words},
};

/// The inputs of a page.
pub struct Page<'a> {
    /// The report, and the photo.
    pub verdict: &'a Verdict,
    /// The file that was checked.
    pub file: &'a [u8],
    /// The manifest, if it was given as a separate file.
    pub manifest: Option<&'a [u8]>,
    /// The name of the file.
    pub name: &'a str,
    /// Where the picture is placed.
    pub picture: Picture,
    /// When the page is made, by the local clock.
    pub made_at: OffsetDateTime,
}

/// Where the picture of a page is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// In the page itself, as a data URL.
    Embedded,
    /// Outside the page: the page contains [`PICTURE_PLACEHOLDER`] once, as a `src` attribute.
    Elsewhere,
}

/// The placeholder URL of a picture outside the page, to be replaced by the caller. It cannot be loaded.
pub const PICTURE_PLACEHOLDER: &str = "photo:";

impl Page<'_> {
    /// The complete page, in HTML.
    #[must_use]
    pub fn html(&self) -> String {
        document::of(self.name, &self.body()).into_string()
    }

    /// The sections of the page, in HTML, for embedding in another page.
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

/// A section that is folded on screen and unfolded on paper.
fn folded(title: impl Render, content: impl Render) -> Markup {
    html! { section { details { summary { h2 { (title) } } (content) } } }
}

/// A row in a list of facts.
fn fact(name: Words, value: impl Render) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

const NONE: Words = words("não consta", "not given");
