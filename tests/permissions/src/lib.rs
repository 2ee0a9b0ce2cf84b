//! Records what the functions call on AWS while tests run; `scripts/check-roles` compares the roles with it. `README.md`
//! beside this crate explains how.
//!
//! Where `LACRE_CALLS` names a directory, each process has a file there: one line of JSON for each kind of call, once. A
//! kind is the caller, the action as IAM names it, the resource, and the condition keys. Identifiers are left out, so a file
//! is small and holds no secret.

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

/// Records the use of a presigned URL, if this process records calls. Only for what S3 accepts: a refused URL has an
/// unverified signer.
pub fn record_presigned(head: &Parts) {
    if let Some(records) = records::of_this_process() {
        records.add_presigned(head);
    }
}
