//! The documented answer when a call to AWS fails, by route and call, and how the next attempt ends.

use lacre_api::Refusal::{self, *};
use lacre_tests::{
    Fault::{self, *},
    faults::is_of_submission,
};

use crate::case::Route;

/// How often a call fails: its first attempt alone, or every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Times {
    Once,
    Always,
}

/// How an ingest that is made again ends, in the component's way: load, upload, ingest the same frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It captures.
    Captures,
    /// The frame may have been signed: it is taken for ten minutes, then it captures.
    TakenForAWhile,
    /// The frame was signed and not recorded: it stays registered. Another frame is accepted.
    TakenForGood,
    /// The session is concluded: the capture took place, and its answer was lost.
    Concluded,
}

/// The answer, or `None` for a success; and how an ingest ends that is made again.
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

/// What a route answers when one of its calls fails so.
pub fn expected(route: Route, call: &str, fault: Fault, times: Times) -> Expected {
    // A temporary fault is retried without effect. A refusal, and an unreadable response, are not retried.
    let is_retried = matches!(fault, Throttle | ServerError | Cut | Hang | LoseAnswer | HangAfter | Late | LeaveUnread);
    if times == Times::Once && is_retried {
        return (None, Again::Captures);
    }
    match route {
        Route::Image if call == "GetSecretValue" => (Some(PresignUnavailable), Again::Captures),
        Route::Ingest => ingest(call, fault),
        // Results without the log lack the proof. Unread keys are left in every batch.
        Route::Results if call == "BatchGetItem log leaf" && fault != LeaveUnread => (None, Again::Captures),
        _ => (Some(UpstreamUnavailable), Again::Captures),
    }
}

fn ingest(call: &str, fault: Fault) -> Expected {
    use Again::*;
    match (call, fault) {
        (call, _) if is_of_submission(call) => (Some(NonceStoreUnavailable), Captures),

        ("GetObject uploads jpg", Refuse) => (Some(RawReadFailed), Captures),
        // Other bytes are another image.
        ("GetObject uploads jpg", Garble) => (Some(ImageInvalid), Captures),
        ("GetObject uploads jpg", _) => (Some(RawStoreUnavailable), Captures),

        // It is released before it is reserved.
        ("PutItem frames", Late) => (Some(HashStoreUnavailable), TakenForAWhile),
        ("PutItem frames" | "UpdateItem frames", _) => (Some(HashStoreUnavailable), Captures),

        // Nothing is signed before the URLs can be.
        ("GetSecretValue", Refuse) => (Some(IngestPresignConfigFailed), Captures),
        ("GetSecretValue", _) => (Some(IngestPresignFailed), Captures),

        // Nothing is signed before the keys are known to be the certificates'.
        ("GetPublicKey", Refuse) => (Some(SignerRejected), Captures),
        ("GetPublicKey", Garble) => (Some(SignerResponseInvalid), Captures),
        ("GetPublicKey", _) => (Some(SignerUnavailable), Captures),

        ("Sign seal", Refuse) => (Some(SignerRejected), Captures),
        ("Sign claim", Refuse) => (Some(SignerResponseInvalid), TakenForAWhile),
        ("Sign seal" | "Sign claim", Garble | WrongSignature) => (Some(SignerResponseInvalid), TakenForAWhile),
        ("Sign seal" | "Sign claim", _) => (Some(SignerUnavailable), TakenForAWhile),

        // An answer to a PUT says nothing but that it took effect.
        ("PutObject proofs c2pa" | "PutObject proofs jpg", Garble) => (None, Captures),
        ("PutObject proofs c2pa" | "PutObject proofs jpg", _) => (Some(ProofStoreUnavailable), Captures),

        // It took effect, as the evidence shows.
        ("TransactWriteItems", LoseAnswer | HangAfter | Garble) => (None, Captures),
        // It took effect after the request had given up.
        ("TransactWriteItems", Late) => (Some(LedgerWriteFailed), Concluded),
        ("TransactWriteItems", _) => (Some(LedgerWriteFailed), TakenForGood),

        // The lifecycle rule removes what this leaves.
        ("DeleteObject uploads jpg", _) => (None, Captures),

        (call, fault) => panic!("nothing is written down for {call} and {fault:?}"),
    }
}
