//! All states that the service may be in, given its responses.
//!
//! If `docs/reference/api.md` leaves an outcome open (a race, or a failed AWS call that may have taken effect), the
//! model continues in every world that explains the responses so far. Later responses decide between them. If no world
//! is left, the service violated its documentation.

use std::collections::BTreeSet;

use lacre_api::Refusal;

use crate::{
    call::{Call, Ingest},
    fate::Fate,
    model::{Model, Reply},
};

/// The replies to all requests of a step, and the resulting world.
type Outcome = (Vec<Reply>, Model);

/// The remaining worlds; there is always at least one.
pub(crate) struct Worlds(BTreeSet<Model>);

impl Worlds {
    pub(crate) fn of(model: Model) -> Self {
        Self(BTreeSet::from([model]))
    }

    /// Any of the worlds, for what they all agree on.
    pub(crate) fn any(&self) -> &Model {
        self.0.first().unwrap()
    }

    /// All worlds.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Model> {
        self.0.iter()
    }

    /// Keeps the worlds in which the service may give this reply.
    ///
    /// # Errors
    /// The allowed replies, if no world is left.
    pub(crate) fn keep(
        &mut self,
        outcomes: impl Fn(&Model) -> Vec<Outcome>,
        replies: impl Fn(&[Reply]) -> bool,
    ) -> Result<(), Vec<Vec<Reply>>> {
        let possible: Vec<Outcome> = self.0.iter().flat_map(outcomes).collect();
        let kept: BTreeSet<Model> =
            possible.iter().filter(|outcome| replies(&outcome.0)).map(|(_, world)| world.clone()).collect();
        if kept.is_empty() {
            let mut expected: Vec<Vec<Reply>> = Vec::new();
            for (replies, _) in possible {
                if !expected.contains(&replies) {
                    expected.push(replies);
                }
            }
            return Err(expected);
        }
        self.0 = kept;
        Ok(())
    }
}

/// Executes calls one after the other.
pub(crate) fn in_turn(model: &Model, calls: &[Call]) -> Outcome {
    let mut model = model.clone();
    let replies = calls.iter().map(|call| model.step(call, &Fate::default())).collect();
    (replies, model)
}

/// Executes a call whose request may have any of these fates.
pub(crate) fn faulty(model: &Model, call: &Call, fates: &[Fate]) -> Vec<Outcome> {
    let outcome = |fate| {
        let mut model = model.clone();
        (vec![model.step(call, fate)], model)
    };
    fates.iter().map(outcome).collect()
}

/// Executes two concurrent calls: in either order, and as described in `docs/reference/api.md#repeated-submissions`.
pub(crate) fn at_once(model: &Model, first: &Call, second: &Call) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for swap in [false, true] {
        let (winner, loser) = if swap { (second, first) } else { (first, second) };
        let (replies, world) = in_turn(model, &[*winner, *loser]);
        let mut allowed = vec![(replies[0], replies[1], world.clone())];
        if let (Call::Ingest(winner), Call::Ingest(loser)) = (winner, loser) {
            let refusals = refusals_of_a_loser(model, (winner, replies[0]), (loser, replies[1]));
            // The loser got as far as using its nonce.
            let (_, world) = in_turn(model, &[Call::Ingest(*winner)]);
            let world = world.with_spent(loser.load);
            allowed.extend(refusals.into_iter().map(|refusal| (replies[0], Reply::Refused(refusal), world.clone())));
        }
        outcomes.extend(
            allowed
                .into_iter()
                .map(|(winner, loser, world)| (if swap { vec![loser, winner] } else { vec![winner, loser] }, world)),
        );
    }
    outcomes
}

/// Additional refusals that the loser of two ingests may get, compared with coming later.
fn refusals_of_a_loser(model: &Model, winner: (&Ingest, Reply), loser: (&Ingest, Reply)) -> Vec<Refusal> {
    let ((winner, won), (loser, lost)) = (winner, loser);
    let same_registry = model.registry(winner.session) == model.registry(loser.session);
    let same_frame = winner.frame == loser.frame && same_registry;
    let mut refusals = Vec::new();
    if lost == Reply::Refused(Refusal::SessionAlreadyUsed) && winner.session == loser.session {
        // It read the session before it was concluded.
        if winner.load == loser.load {
            refusals.push(Refusal::NonceReplay);
        }
        if same_frame {
            refusals.push(Refusal::Duplicate);
        }
    }
    // A frame is reserved while its image is still being checked.
    let held = [Refusal::ImageInvalid, Refusal::RecaptureDetected].map(Reply::Refused).contains(&won);
    if held && same_frame && matches!(lost, Reply::Captured { .. }) {
        refusals.push(Refusal::Duplicate);
    }
    refusals
}
