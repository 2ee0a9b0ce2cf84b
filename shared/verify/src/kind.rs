//! What kind of file was given, in case it is not a proof.
//!
//! A file that contains one of Lacre's labels claims to be a proof, and is checked as one, whatever is wrong with its
//! form.

use lacre_proof::assertions::{BROWSER, CAPTURE, SEAL};
use serde::Serialize;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A proof, valid or not.
    Proof,
    /// A proof in a newer version of the format.
    NewerProof,
    /// A file with a C2PA manifest of another product.
    OtherManifest,
    /// A JPEG without a manifest.
    Photo,
    /// Any other file.
    Other,
}

/// The type of the box that contains all C2PA manifests of a file: `c2pa` and ISO's suffix.
const C2PA_BOX: [u8; 16] = *b"c2pa\x00\x11\x00\x10\x80\x00\x00\xAA\x00\x38\x9B\x71";
const JPEG: [u8; 3] = [0xFF, 0xD8, 0xFF];

impl FileKind {
    /// The kind of a file that does not have the form of a proof.
    pub(super) fn without_form(file: &[u8]) -> Self {
        let contains = |bytes: &[u8]| memchr::memmem::find(file, bytes).is_some();
        match () {
            () if [CAPTURE, SEAL, BROWSER].iter().any(|label| contains(label.as_bytes())) => Self::Proof,
            () if contains(&C2PA_BOX) => Self::OtherManifest,
            () if file.starts_with(&JPEG) => Self::Photo,
            () => Self::Other,
        }
    }
}
