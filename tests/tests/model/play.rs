//! Runs one sequence: executes every operation, and checks its response against the worlds that the model allows.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, future::join, stream};
use lacre_domain::Environment;
use lacre_tests::Answer;
use time::{Duration, OffsetDateTime};

use crate::{
    accounts::Accounts,
    audit,
    call::{Call, Id},
    client::Client,
    fate::{self, Fate, Place},
    model::{Model, OWNERS, Reply},
    operation::{Operation, Request},
    stage::{Faulty, Stage},
    wire::{Window, says},
    worlds::{Worlds, at_once, faulty, in_turn},
};

/// Maximum concurrent requests of a crowd; the purpose is races, not load.
const AT_ONCE: usize = 8;

/// A running sequence.
pub(crate) struct Play<'a> {
    pub(crate) client: Client<'a>,
    pub(crate) worlds: Worlds,
    faulty: Option<Faulty>,
    /// Ingests with faults, whose responses may be lost.
    pub(crate) faulty_ingests: BTreeSet<Id>,
    /// Proofs of earlier sequences.
    pub(crate) proofs_before: BTreeSet<String>,
    replies: Tally,
}

/// How often each reply was given.
pub(crate) type Tally = BTreeMap<String, usize>;

/// Runs a sequence to its end; returns how often each reply was given.
///
/// # Errors
/// The first response that the model does not allow, or the first violated invariant.
pub(crate) async fn play(stage: &Stage, sandbox: bool, operations: &[Operation]) -> Result<Tally, String> {
    let start = start_after(OffsetDateTime::now_utc());
    stage.set_clock(start);
    let environment = if sandbox { Environment::Sandbox } else { Environment::Staging };
    let accounts = Accounts::new(environment, start);
    accounts.store(&stage.records).await;
    let mut play = Play {
        client: Client::new(stage, accounts),
        worlds: Worlds::of(Model::new(sandbox, start)),
        faulty: None,
        faulty_ingests: BTreeSet::new(),
        proofs_before: stage.proofs().await,
        replies: Tally::new(),
    };
    for operation in operations {
        play.step(operation).await.map_err(|broken| format!("{operation:?}: {broken}"))?;
    }
    let replies = play.replies.clone();
    play.close().await?;
    audit::audit(&play).await?;
    Ok(replies)
}

/// Five minutes into an hour on the tenth of the following month, so that a sequence crosses hours and months only when
/// it says so.
fn start_after(now: OffsetDateTime) -> OffsetDateTime {
    let tenth = (now.replace_day(1).unwrap() + Duration::days(31)).replace_day(10).unwrap();
    tenth.replace_time(time::macros::time!(12:05))
}

impl Play<'_> {
    async fn step(&mut self, operation: &Operation) -> Result<(), String> {
        let model = self.worlds.any().clone();
        self.client.stage.set_clock(model.time());
        match operation {
            Operation::One(request) => {
                let Some(call) = self.client.aim(request, &model) else { return Ok(()) };
                self.one(call).await
            }
            Operation::Act(act) => self.one(act.call()).await,
            Operation::Race(one, other) => {
                let Some(one) = self.client.aim(one, &model) else { return Ok(()) };
                let Some(other) = self.client.aim(other, &model) else { return Ok(()) };
                self.race(one, other).await
            }
            Operation::Change(request, act) => {
                let Some(call) = self.client.aim(request, &model) else { return Ok(()) };
                match (call, act.call()) {
                    // Not raced: a creation reads the status that is stored with the API key and the one stored with the license
                    // key, and a suspension may come between the two.
                    (Call::Create { .. }, Call::Suspend { .. }) => Ok(()),
                    (call, act) => self.race(call, act).await,
                }
            }
            Operation::Crowd(request, many) => self.crowd(request, *many, &model).await,
            &Operation::Faulty { ref request, place, fault, always, aftermath } => {
                let Some(call) = self.client.aim(request, &model) else { return Ok(()) };
                let places = match request {
                    Request::Create { .. } => fate::CREATE,
                    Request::Load { .. } => fate::LOAD,
                    _ => fate::INGEST,
                };
                let place = places[place % places.len()];
                if self.faulty.is_none() {
                    self.faulty = Some(Faulty::open(self.client.stage).await);
                }
                let Some(functions) = &self.faulty else { unreachable!("it was just opened") };
                let answer = functions.perform(&self.client, &call, (place, fault, always), aftermath).await;
                if let Call::Ingest(ingest) = call {
                    self.faulty_ingests.insert(ingest.id);
                }
                self.judge_faulty(call, place, aftermath, answer)
            }
        }
    }

    async fn one(&mut self, call: Call) -> Result<(), String> {
        let (answer, accounts) = perform(&self.client, &call).await;
        self.client.accounts = accounts;
        self.judge(&[call], vec![answer], |model| vec![in_turn(model, &[call])])
    }

    async fn race(&mut self, one: Call, other: Call) -> Result<(), String> {
        let ((first, _), (second, accounts)) = join(perform(&self.client, &one), perform(&self.client, &other)).await;
        self.client.accounts = accounts;
        self.judge(&[one, other], vec![first, second], |model| at_once(model, &one, &other))
    }

    /// Equal requests have no order; the successful ones are taken as the first.
    async fn crowd(&mut self, request: &Request, many: usize, model: &Model) -> Result<(), String> {
        let calls: Option<Vec<Call>> = (0..many).map(|_| self.client.aim(request, model)).collect();
        let Some(calls) = calls else { return Ok(()) };
        let client = &self.client;
        let requests = stream::iter(calls).map(async |call| (call, client.perform(&call).await));
        let mut answered: Vec<_> = requests.buffer_unordered(AT_ONCE).collect().await;
        answered.sort_by_key(|(_, answer)| answer.as_ref().map(|answer| answer.status));
        let (calls, answers): (Vec<Call>, Vec<_>) = answered.into_iter().unzip();
        self.judge(&calls, answers, |model| vec![in_turn(model, &calls)])
    }

    fn judge_faulty(&mut self, call: Call, place: Place, aftermath: bool, answer: Answer) -> Result<(), String> {
        let fates = Fate::all(place, aftermath);
        self.judge(&[call], vec![Some(answer)], |model| faulty(model, &call, &fates))
            .map_err(|broken| format!("fault at {place:?}: {broken}"))
    }

    /// Keeps the worlds that explain the responses, and remembers the responses' content.
    fn judge(
        &mut self,
        calls: &[Call],
        answers: Vec<Option<Answer>>,
        outcomes: impl Fn(&Model) -> Vec<(Vec<Reply>, Model)>,
    ) -> Result<(), String> {
        let waited: i64 = calls.iter().map(|call| if let Call::Wait { minutes } = call { *minutes } else { 0 }).sum();
        let from = self.worlds.any().time();
        let window = Window { from, to: from + Duration::minutes(waited + 1) };
        let agree = |replies: &[Reply]| {
            let mut all = calls.iter().zip(&answers).zip(replies);
            all.all(|((call, answer), replies)| says(answer.as_ref(), *replies, call, &self.client, window))
        };
        let kept = self.worlds.keep(outcomes, agree);
        kept.map_err(|expected| {
            let replies = answers.iter().flatten().map(Answer::outcome).collect::<Vec<_>>();
            // For a crowd, the first and last requests suffice.
            let ends = |length: usize| (0..length).filter(move |at| *at < 2 || at + 1 == length);
            let calls: Vec<_> = ends(calls.len()).map(|at| calls[at]).collect();
            let replies: Vec<_> = ends(replies.len()).map(|at| &replies[at]).collect();
            let expected: Vec<Vec<_>> =
                expected.iter().map(|replies| ends(replies.len()).map(|at| replies[at]).collect()).collect();
            format!("{calls:?} was answered {replies:?}, expected one of {expected:?}")
        })?;
        for (call, answer) in calls.iter().zip(&answers) {
            *self.replies.entry(summary(call, answer.as_ref())).or_default() += 1;
            self.client.learn(call, answer.as_ref());
        }
        Ok(())
    }

    /// Reads everything that can be read, so that the remaining worlds agree with it.
    async fn close(&mut self) -> Result<(), String> {
        self.client.stage.set_clock(self.worlds.any().time());
        let sessions: Vec<Id> = self.client.sessions.keys().copied().collect();
        let reads = sessions.into_iter().flat_map(|session| [Call::Results { session }, Call::Image { session }]);
        let verdicts = (0..OWNERS.len()).map(|license| Call::Validate {
            license,
            key: self.client.accounts.last_key(license),
            page: None,
        });
        for call in reads.chain(verdicts.collect::<Vec<_>>()) {
            self.one(call).await.map_err(|broken| format!("at the end: {broken}"))?;
        }
        Ok(())
    }
}

/// A short description of a call and its response.
fn summary(call: &Call, answer: Option<&Answer>) -> String {
    let call = format!("{call:?}");
    let call = call.split([' ', '(']).next().unwrap_or_default();
    let Some(Answer { status, body, .. }) = answer else { return call.to_owned() };
    let words = ["block_reason", "reason", "error", "status"].iter().find_map(|name| body[name].as_str());
    format!("{call}: {status} {}", words.unwrap_or_default())
}

/// Executes a call; returns the response and the accounts after an operator's action.
async fn perform(client: &Client<'_>, call: &Call) -> (Option<Answer>, Accounts) {
    match call {
        Call::Revoke { .. } | Call::Suspend { .. } | Call::Rotate { .. } => {
            let after = client.accounts.after(call);
            after.store(&client.stage.records).await;
            (None, after)
        }
        call => (client.perform(call).await, client.accounts.clone()),
    }
}
