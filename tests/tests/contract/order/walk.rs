//! Walks through the checks of a route.

use std::mem::discriminant;

use lacre_api::{Refusal, Route};
use serde_json::{Value, json};

/// Status and body.
pub(super) type Outcome = (u16, Value);

/// A check: its answer, and how to break a plan so that the check fails.
pub(super) struct Check<P> {
    name: &'static str,
    answer: Answer,
    breaks: fn(&mut P),
}

/// Checks at one place of the order. At most one of them can fail for a request, so they have no order among
/// themselves. Each is broken separately, together with all later places.
pub(super) type Place<P> = &'static [Check<P>];

#[derive(Clone, Copy)]
enum Answer {
    Refusal(Refusal),
    /// A verdict of `POST /validate`.
    Reason(&'static str),
}

/// A check that ends in a refusal.
pub(super) const fn refuses<P>(name: &'static str, refusal: Refusal, breaks: fn(&mut P)) -> Check<P> {
    Check { name, answer: Answer::Refusal(refusal), breaks }
}

/// A check that ends in a verdict.
pub(super) const fn judges<P>(name: &'static str, reason: &'static str, breaks: fn(&mut P)) -> Check<P> {
    Check { name, answer: Answer::Reason(reason), breaks }
}

impl Answer {
    /// Whether the answer is this refusal, ignoring its figures.
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

/// Breaks each check together with all later ones, and expects its answer. The route's refusals must occur in this
/// order, except `elsewhere`, which no place of the list can produce.
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
            // Breaks from last to first, so that if two conflict, the earlier check stays broken.
            let later = order[n + 1..].iter().rev().flat_map(|place| place.iter().rev());
            later.chain([check]).for_each(|check| (check.breaks)(&mut plan));
            let outcome = ask(plan).await;
            assert_eq!(outcome, check.answer.outcome(), "{}: {}, and all behind it", route.name(), check.name);
        }
    }
    // Each refusal of the route has a place here, not before that of the previous refusal.
    let mut reached = 0;
    for refusal in route.refusals().iter().filter(|refusal| !elsewhere.contains(refusal)) {
        let refuses = |place: &Place<P>| place.iter().any(|check| check.answer.is(*refusal));
        let later = order[reached..].iter().position(refuses);
        reached += later.unwrap_or_else(|| panic!("{}: {refusal:?} is out of the order", route.name()));
    }
}
