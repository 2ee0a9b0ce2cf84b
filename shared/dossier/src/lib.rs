//! Dossiers: all photos of a reference in one archive, with a sealed index of what the service recorded.
//!
//! This crate contains the archive and the report for people. [`lacre_api::dossier`] has the index, `lacre_sign` makes its
//! seal, and `lacre_verify` checks everything.

mod archive;
mod report;

pub use archive::{Archive, ArchiveFault, MAX_PART, MAX_PARTS, write};
pub use report::report;
