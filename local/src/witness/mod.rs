//! What the functions ask of AWS, noted while the tests run: `scripts/check-roles` holds the roles against it.
//!
//! Where `LACRE_CALLS` names a directory, a witness stands before each stand-in, and each process has a file there: one line
//! of JSON for each kind of call, once. A kind names who called, the action as IAM names it, the resource, and what a
//! policy's conditions may ask about. Identifiers are left out, so a file is small and holds no secret.

mod call;
mod front;
mod items;
mod notes;

use axum::http::request::Parts;

pub(crate) use front::before;

/// Notes a request to AWS, if calls are noted here at all. For what is answered, or lost, before it reaches a stand-in.
pub fn note(head: &Parts, body: &[u8]) {
    if let Some(notes) = notes::of_this_process() {
        notes.take(head, body);
    }
}

/// Notes what a presigned URL was used for. Only what S3 lets through: of what it refuses, the signature is of nobody.
fn note_link(head: &Parts) {
    if let Some(notes) = notes::of_this_process() {
        notes.take_link(head);
    }
}
