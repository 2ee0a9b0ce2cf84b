//! Everything that the service may remember, after all that it answered.
//!
//! Where the contract leaves an outcome open (a race, a call to AWS that failed and may have taken effect), the model goes
//! on in every world that explains the answers so far. A later answer tells the worlds apart; when none is left, the
//! service broke the contract.

use std::collections::BTreeSet;

use domain::Refusal;

use crate::{
    call::{Call, Ingest},
    contract::{Model, Told},
    fate::Fate,
};

/// What all requests of a step are told, and the world in which they are.
type Outcome = (Vec<Told>, Model);

/// The worlds that are left. There is always one.
pub(crate) struct Worlds(BTreeSet<Model>);

impl Worlds {
    pub(crate) fn of(model: Model) -> Self {
        Self(BTreeSet::from([model]))
    }

    /// Any of them: for what they all agree on.
    pub(crate) fn any(&self) -> &Model {
        self.0.first().unwrap()
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Model> {
        self.0.iter()
    }

    /// Keeps the worlds in which the service may tell what it told.
    ///
    /// # Errors
    /// When there is none: what it should have told.
    pub(crate) fn keep(
        &mut self,
        outcomes: impl Fn(&Model) -> Vec<Outcome>,
        told: impl Fn(&[Told]) -> bool,
    ) -> Result<(), Vec<Vec<Told>>> {
        let possible: Vec<Outcome> = self.0.iter().flat_map(outcomes).collect();
        let kept: BTreeSet<Model> =
            possible.iter().filter(|outcome| told(&outcome.0)).map(|(_, world)| world.clone()).collect();
        if kept.is_empty() {
            let mut expected: Vec<Vec<Told>> = Vec::new();
            for (told, _) in possible {
                if !expected.contains(&told) {
                    expected.push(told);
                }
            }
            return Err(expected);
        }
        self.0 = kept;
        Ok(())
    }
}

/// Calls that follow each other.
pub(crate) fn in_turn(model: &Model, calls: &[Call]) -> Outcome {
    let mut model = model.clone();
    let told = calls.iter().map(|call| model.step(call, &Fate::default())).collect();
    (told, model)
}

/// A call whose request meets faults.
pub(crate) fn struck(model: &Model, call: &Call, fates: &[Fate]) -> Vec<Outcome> {
    let outcome = |fate| {
        let mut model = model.clone();
        (vec![model.step(call, fate)], model)
    };
    fates.iter().map(outcome).collect()
}

/// Two calls at once: as one after the other, and what the contract names for captures that meet.
pub(crate) fn at_once(model: &Model, first: &Call, second: &Call) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for swap in [false, true] {
        let (winner, loser) = if swap { (second, first) } else { (first, second) };
        let (told, world) = in_turn(model, &[*winner, *loser]);
        let mut allowed = vec![(told[0], told[1], world.clone())];
        if let (Call::Ingest(winner), Call::Ingest(loser)) = (winner, loser) {
            let refusals = refusals_of_a_loser(model, (winner, told[0]), (loser, told[1]));
            // It got as far as spending its nonce, and no further.
            let (_, world) = in_turn(model, &[Call::Ingest(*winner)]);
            let world = world.with_spent(loser.load);
            allowed.extend(refusals.into_iter().map(|refusal| (told[0], Told::Refused(refusal), world.clone())));
        }
        outcomes.extend(
            allowed
                .into_iter()
                .map(|(winner, loser, world)| (if swap { vec![loser, winner] } else { vec![winner, loser] }, world)),
        );
    }
    outcomes
}

/// What else the loser of two ingests may be told than had it come later.
fn refusals_of_a_loser(model: &Model, winner: (&Ingest, Told), loser: (&Ingest, Told)) -> Vec<Refusal> {
    let ((winner, won), (loser, lost)) = (winner, loser);
    let same_registry = model.registry(winner.session) == model.registry(loser.session);
    let same_frame = winner.frame == loser.frame && same_registry;
    let mut refusals = Vec::new();
    if lost == Told::Refused(Refusal::SessionAlreadyUsed) && winner.session == loser.session {
        // It read the session before it was concluded.
        if winner.load == loser.load {
            refusals.push(Refusal::NonceReplay);
        }
        if same_frame {
            refusals.push(Refusal::Duplicate);
        }
    }
    // A frame is reserved while its image is still being checked.
    let held = [Refusal::ImageInvalid, Refusal::RecaptureDetected].map(Told::Refused).contains(&won);
    if held && same_frame && matches!(lost, Told::Captured { .. }) {
        refusals.push(Refusal::Duplicate);
    }
    refusals
}
