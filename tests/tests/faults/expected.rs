//! The documented response if a call to AWS fails, by route and call, and the result of the next attempt.

use lacre_api::Refusal::{self, *};
use lacre_tests::{
    Fault::{self, *},
    faults::is_of_submission,
};

use crate::case::Route;

/// Whether only the first attempt of a call fails, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Times {
    Once,
    Always,
}

/// The result of repeating an ingest as the component does: load, upload, ingest of the same frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It succeeds.
    Captures,
    /// The frame may have been signed: it is refused for ten minutes, then succeeds.
    TakenForAWhile,
    /// The frame was signed but not recorded: it stays registered. Another frame is accepted.
    TakenForGood,
    /// The session is concluded: the capture succeeded, but its response was lost.
    Concluded,
}

/// The refusal, or `None` for a success; and the result of repeating an ingest.
pub type Expected = (Option<Refusal>, Again);

/// The faults that a call can have.
pub fn faults_of(call: &str) -> Vec<Fault> {
    let mut faults = vec![Refuse, Throttle, ServerError, Cut, Hang, LoseAnswer, HangAfter, Late, Garble];
    match call.split(' ').next().unwrap_or_default() {
        "BatchGetItem" => faults.push(LeaveUnread),
        "GetObject" => faults.push(CutShort),
        "Sign" => faults.push(WrongSignature),
        _ => {}
    }
    faults
}

/// The response of a route if one of its calls has this fault.
pub fn expected(route: Route, call: &str, fault: Fault, times: Times) -> Expected {
    // Temporary faults are retried invisibly. Refusals and unreadable responses are not retried.
    let is_retried = matches!(fault, Throttle | ServerError | Cut | Hang | LoseAnswer | HangAfter | Late | LeaveUnread);
    if times == Times::Once && is_retried {
        return (None, Again::Captures);
    }
    match route {
        Route::Image if call == "GetSecretValue" => (Some(PresignUnavailable), Again::Captures),
        Route::Ingest => ingest(call, fault),
        // Without the log, results lack the proof. Unread keys are left in every batch.
        Route::Results if call == "BatchGetItem log leaf" && fault != LeaveUnread => (None, Again::Captures),
        _ => (Some(UpstreamUnavailable), Again::Captures),
    }
}

fn ingest(call: &str, fault: Fault) -> Expected {
    use Again::*;
    match (call, fault) {
        (call, _) if is_of_submission(call) => (Some(NonceStoreUnavailable), Captures),

        ("GetObject uploads jpg", Refuse) => (Some(RawReadFailed), Captures),
        // Different bytes are a different image.
        ("GetObject uploads jpg", Garble) => (Some(ImageInvalid), Captures),
        ("GetObject uploads jpg", _) => (Some(RawStoreUnavailable), Captures),

        // The reservation arrives after its release.
        ("PutItem frames", Late) => (Some(HashStoreUnavailable), TakenForAWhile),
        ("PutItem frames" | "UpdateItem frames", _) => (Some(HashStoreUnavailable), Captures),

        // Nothing is signed until the URLs can be presigned.
        ("GetSecretValue", Refuse) => (Some(IngestPresignConfigFailed), Captures),
        ("GetSecretValue", _) => (Some(IngestPresignFailed), Captures),

        // Nothing is signed until the keys are known to match the certificates.
        ("GetPublicKey", Refuse) => (Some(SignerRejected), Captures),
        ("GetPublicKey", Garble) => (Some(SignerResponseInvalid), Captures),
        ("GetPublicKey", _) => (Some(SignerUnavailable), Captures),

        ("Sign seal", Refuse) => (Some(SignerRejected), Captures),
        ("Sign claim", Refuse) => (Some(SignerResponseInvalid), TakenForAWhile),
        ("Sign seal" | "Sign claim", Garble | WrongSignature) => (Some(SignerResponseInvalid), TakenForAWhile),
        ("Sign seal" | "Sign claim", _) => (Some(SignerUnavailable), TakenForAWhile),

        // The body of a response to a PUT is not read.
        ("PutObject proofs c2pa" | "PutObject proofs jpg", Garble) => (None, Captures),
        ("PutObject proofs c2pa" | "PutObject proofs jpg", _) => (Some(ProofStoreUnavailable), Captures),

        // The write took effect, as the evidence shows.
        ("TransactWriteItems", LoseAnswer | HangAfter | Garble) => (None, Captures),
        // The write took effect after the request had given up.
        ("TransactWriteItems", Late) => (Some(LedgerWriteFailed), Concluded),
        ("TransactWriteItems", _) => (Some(LedgerWriteFailed), TakenForGood),

        // A lifecycle rule deletes the remaining upload.
        ("DeleteObject uploads jpg", _) => (None, Captures),

        (call, fault) => panic!("nothing is written down for {call} and {fault:?}"),
    }
}
