//! The report as a page for people, in Portuguese and English: to read, to print and to file.
//!
//! The page is self-contained: no scripts, nothing fetched, and a policy (CSP) that forbids both. What comes from the file is text
//! that anyone may have written, and is shown as text (`visible`).

mod chain;
mod checks;
mod clock;
mod document;
mod facts;
mod meaning;
mod photo;
mod reverify;
mod revocation;
mod signatures;
mod summary;
mod times;
mod visible;
mod words;

use domain::clock::rfc3339_millis;
use maud::{Markup, Render, html};
use time::OffsetDateTime;

use self::words::{Words, words};
use super::Verdict;

/// The contents of a page.
pub struct Page<'a> {
    /// The findings, and the photo.
    pub verdict: &'a Verdict,
    /// The file as it was given.
    pub file: &'a [u8],
    /// The file's name.
    pub name: &'a str,
    /// The root certificates that were trusted.
    pub roots: Roots<'a>,
    /// When the page is made, by the clock of the machine that makes it.
    pub made_at: OffsetDateTime,
}

/// Root certificates, in DER, by what they were trusted for.
#[derive(Clone, Copy)]
pub struct Roots<'a> {
    /// For the C2PA claim.
    pub claim: &'a [Vec<u8>],
    /// For the ICP-Brasil signature.
    pub seal: &'a [Vec<u8>],
    /// For the timestamps.
    pub timestamps: &'a [Vec<u8>],
}

impl Page<'_> {
    /// The whole page, in HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let report = &self.verdict.report;
        let made_at = rfc3339_millis(self.made_at).unwrap_or_default();
        let sections = html! {
            (summary::verdict(report, &made_at))
            (photo::section(self))
            (meaning::proved(report))
            (checks::section(report))
            (times::section(report))
            (facts::section(report))
            (signatures::section(report))
            (meaning::not_proved(report))
            (reverify::section(report))
            (reverify::made(report, self.roots, &made_at))
        };
        document::of(self.name, &sections).into_string()
    }
}

/// A row of a list of facts.
fn fact(name: Words, value: impl Render) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

const NONE: Words = words("não consta", "not given");
