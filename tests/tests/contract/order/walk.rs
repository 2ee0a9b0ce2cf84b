//! The walk along a route's checks.

use std::mem::discriminant;

use lacre_api::{Refusal, Route};
use serde_json::{Value, json};

/// Status and body.
pub(super) type Outcome = (u16, Value);

/// One check: what its answer is, and how a plan is broken so that it fails.
pub(super) struct Check<P> {
    name: &'static str,
    answer: Answer,
    breaks: fn(&mut P),
}

/// The checks at one place of the order. Of several checks here, one request fails one at most, so that there is no order
/// among them: each is broken alone, together with every later place.
pub(super) type Place<P> = &'static [Check<P>];

#[derive(Clone, Copy)]
enum Answer {
    Refusal(Refusal),
    /// A verdict of `POST /validate`.
    Reason(&'static str),
}

/// A check that refuses.
pub(super) const fn refuses<P>(name: &'static str, refusal: Refusal, breaks: fn(&mut P)) -> Check<P> {
    Check { name, answer: Answer::Refusal(refusal), breaks }
}

/// A check that ends in a verdict.
pub(super) const fn judges<P>(name: &'static str, reason: &'static str, breaks: fn(&mut P)) -> Check<P> {
    Check { name, answer: Answer::Reason(reason), breaks }
}

impl Answer {
    /// Whether it is this refusal, with whatever figures.
    fn is(self, refusal: Refusal) -> bool {
        matches!(self, Self::Refusal(answer) if discriminant(&answer) == discriminant(&refusal))
    }

    fn outcome(self) -> Outcome {
        match self {
            Self::Reason(reason) => (200, json!({ "valid": false, "reason": reason })),
            Self::Refusal(refusal) => (refusal.status(), lacre_tests::Answer::body_of(refusal, "Lacre")),
        }
    }
}

/// Breaks each check together with all later ones, and expects its answer. The refusals of the route stand in this order, but
/// for those `elsewhere`, which no place of the list can produce.
pub(super) async fn walk<P: Default>(
    route: Route,
    order: &[Place<P>],
    elsewhere: &[Refusal],
    ask: impl AsyncFn(P) -> Outcome,
) {
    let (status, body) = ask(P::default()).await;
    assert!(matches!(status, 200 | 201), "{}: nothing broken: {status} {body}", route.name());
    for (n, place) in order.iter().enumerate() {
        for check in *place {
            let mut plan = P::default();
            // From the last one to this, so that where two cannot both hold the earlier one is left broken.
            let later = order[n + 1..].iter().rev().flat_map(|place| place.iter().rev());
            later.chain([check]).for_each(|check| (check.breaks)(&mut plan));
            let outcome = ask(plan).await;
            assert_eq!(outcome, check.answer.outcome(), "{}: {}, and all behind it", route.name(), check.name);
        }
    }
    // Each refusal of the route's list has a place here, not before that of the one above it.
    let mut reached = 0;
    for refusal in route.refusals().iter().filter(|refusal| !elsewhere.contains(refusal)) {
        let refuses = |place: &Place<P>| place.iter().any(|check| check.answer.is(*refusal));
        let later = order[reached..].iter().position(refuses);
        reached += later.unwrap_or_else(|| panic!("{}: {refusal:?} is out of the order", route.name()));
    }
}
