//! Records the AWS calls of functions while tests run; `scripts/check-roles` compares the roles with them.
//! `README.md` beside this crate explains how.
//!
//! If `LACRE_CALLS` names a directory, each process writes one file there, with one line of JSON for each distinct
//! call: the caller, the IAM action, the resource, and the condition keys. Identifiers are left out, so the files are
//! small and contain no secrets.

mod call;
mod items;
mod need;
mod objects;
mod records;

use http::request::Parts;

/// Whether this process records calls.
#[must_use]
pub fn is_recording() -> bool {
    records::of_this_process().is_some()
}

/// Records a request to AWS, if this process records calls.
pub fn record(head: &Parts, body: &[u8]) {
    if let Some(records) = records::of_this_process() {
        records.add(head, body);
    }
}

/// Records the use of a presigned URL, if this process records calls. Call it only for requests that S3 accepted: the
/// signer of a rejected URL is not verified.
pub fn record_presigned(head: &Parts) {
    if let Some(records) = records::of_this_process() {
        records.add_presigned(head);
    }
}
