//! Faults of AWS: proxies before the stand-ins, through which every call of a function passes, and fails where a
//! test says so.
//!
//! A call has a name: its operation, and what it is about (`UpdateItem sessions nonce`, `PutObject proofs jpg`,
//! `Sign claim`). A rule strikes calls by name. Two rules of DynamoDB, to which the stand-ins are too kind, always hold:
//! a transaction does not overlap another write of the same item, and a read that does not ask for consistency is stale.
//! The doors also stand in for Secrets Manager, which the stand-ins do not know.

mod answers;
mod call;
mod conflicts;
mod counted;
mod demand;
mod door;
mod secret;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    sync::{Notify, Semaphore},
    task::{AbortHandle, JoinSet},
};

pub use self::demand::{Asked, Demand};
use self::door::Behind;
use crate::Service;
use local::CloudWatch;

/// The fault of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// AWS refuses permanently. Nothing happens.
    Refuse,
    /// AWS says that it is too much for now. Nothing happens.
    Throttle,
    /// AWS says no by this code. Nothing happens.
    Code(&'static str),
    /// AWS fails. Nothing happens.
    ServerError,
    /// The connection is closed. Nothing happens.
    Cut,
    /// No answer ever comes. Nothing happens.
    Hang,
    /// The call takes effect, and its answer takes so long.
    Slow(Duration),
    /// The call takes effect, and the connection is closed: failed but persisted.
    LoseAnswer,
    /// The call takes effect, and no answer ever comes.
    HangAfter,
    /// No answer ever comes, and the call takes effect when the caller has long given up: when the late calls are let in.
    Late,
    /// The call takes effect, and what comes back is not the protocol's. An object has other bytes.
    Garble,
    /// An object ends before it is whole.
    CutShort,
    /// A signature is another one than was made.
    WrongSignature,
    /// One of the keys of a batch is returned as unprocessed.
    LeaveUnread,
}

/// Whether an ingest makes a call for its checks without the image: it reads a table, or uses the nonce. Where such a call
/// fails, the answer is [`NonceStoreUnavailable`](lacre_api::Refusal::NonceStoreUnavailable), and nothing is reserved.
pub fn is_of_submission(call: &str) -> bool {
    ["BatchGetItem ", "GetItem ", "UpdateItem sessions nonce"].iter().any(|beginning| call.starts_with(beginning))
}

/// Which calls a rule strikes.
#[derive(Clone, Debug)]
struct Rule {
    call: String,
    pass: usize,
    strike: usize,
    fault: Fault,
}

#[derive(Debug, Default)]
struct State {
    rules: Vec<Rule>,
    calls: Vec<String>,
    agents: Vec<String>,
    injected: usize,
    arrived: Arc<Notify>,
    late: JoinSet<()>,
    watch: Option<CloudWatch>,
    subscriber: Option<String>,
    /// What calls ask, where it is measured.
    demands: Option<Vec<Demand>>,
}

impl State {
    /// Records a call with its `User-Agent`, and returns what is to happen to it.
    fn arrives(&mut self, call: &str, agent: String) -> Option<Fault> {
        self.calls.push(call.to_owned());
        self.agents.push(agent);
        self.arrived.notify_waiters();
        for rule in self.rules.iter_mut().filter(|rule| call.starts_with(&rule.call)) {
            if rule.pass > 0 {
                rule.pass -= 1;
            } else if rule.strike > 0 {
                rule.strike -= 1;
                self.injected += 1;
                return Some(rule.fault);
            }
        }
        None
    }
}

/// The proxies before one AWS, and the faults behind them. They stop with the test's runtime, or when they are closed.
#[derive(Clone, Debug)]
pub struct Faults {
    doors: Vec<AbortHandle>,
    state: Arc<Mutex<State>>,
    endpoints: BTreeMap<String, String>,
    /// The permits that late calls wait for.
    entry: Arc<Semaphore>,
}

impl Faults {
    /// Opens proxies of their own before the AWS of a service: their faults affect no other function.
    pub async fn before(service: &Service) -> Self {
        Self::before_with_secret(service, secret::of_presigner(service)).await
    }

    /// The same with a secret of another value.
    pub async fn before_with_secret(service: &Service, secret: String) -> Self {
        let mut faults = Self::in_front_of(|name| service.endpoint(name).to_owned()).await;
        faults.open("SECRETS_MANAGER", Behind::Secret(secret)).await;
        faults
    }

    pub(crate) async fn in_front_of(endpoint: impl Fn(&str) -> String) -> Self {
        let (state, entry) = (Arc::default(), Arc::new(Semaphore::new(0)));
        let mut faults = Self { doors: Vec::new(), state, endpoints: BTreeMap::new(), entry };
        for service in ["DYNAMODB", "S3", "KMS", "SNS"] {
            faults.open(service, Behind::Endpoint(endpoint(service).trim_end_matches('/').to_owned())).await;
        }
        faults
    }

    async fn open(&mut self, service: &str, behind: Behind) {
        let (door, task) = door::open(behind, Arc::clone(&self.state), Arc::clone(&self.entry)).await;
        self.doors.push(task);
        self.endpoints.insert(format!("AWS_ENDPOINT_URL_{service}"), door);
    }

    /// Closes the doors and their connections, so that a thousand cases in one test do not run out of descriptors.
    pub fn close(&self) {
        self.doors.iter().for_each(AbortHandle::abort);
    }

    /// The addresses of the doors, as the variables by which a function finds AWS.
    pub fn endpoints(&self) -> BTreeMap<String, String> {
        self.endpoints.clone()
    }

    /// The configuration of functions whose calls pass the doors.
    pub fn config(&self, service: &Service) -> lacre_storage::Config {
        service.config(|name| self.endpoints.get(name).cloned())
    }

    /// The same as the template configures them: what signs the result URLs is a secret in Secrets Manager.
    pub fn config_with_secret(&self, service: &Service) -> lacre_storage::Config {
        service.config(|name| match name {
            "PRESIGNER_SECRET_ARN" => Some(secret::ARN.to_owned()),
            "PRESIGNER_ACCESS_KEY_ID" | "PRESIGNER_SECRET_ACCESS_KEY" => Some(String::new()),
            name => self.endpoints.get(name).cloned(),
        })
    }

    /// Counts from now on what AWS counts itself: throttled tables, the signatures of KMS, notifications that reach nobody.
    pub fn count_in(&self, watch: &CloudWatch) {
        self.state.lock().unwrap().watch = Some(watch.clone());
    }

    /// Measures from now on what calls ask of AWS that succeed, or takes what was measured since the last time.
    pub fn take_demands(&self) -> Vec<Demand> {
        self.state.lock().unwrap().demands.replace(Vec::new()).unwrap_or_default()
    }

    /// Subscribes an address to what is published.
    pub fn subscribe(&self, url: &str) {
        self.state.lock().unwrap().subscriber = Some(url.to_owned());
    }

    /// Strikes every call whose name starts so.
    pub fn always(&self, call: &str, fault: Fault) {
        self.strike(call, 1, usize::MAX, fault);
    }

    /// Strikes the next call whose name starts so, and no other.
    pub fn once(&self, call: &str, fault: Fault) {
        self.strike(call, 1, 1, fault);
    }

    /// Strikes `times` calls whose name starts so, from the `nth` on, which is counted from 1.
    pub fn strike(&self, call: &str, nth: usize, times: usize, fault: Fault) {
        let rule = Rule { call: call.to_owned(), pass: nth - 1, strike: times, fault };
        self.state.lock().unwrap().rules.push(rule);
    }

    /// Injects no more faults, and returns how many calls got one.
    pub fn clear(&self) -> usize {
        let mut state = self.state.lock().unwrap();
        state.rules.clear();
        std::mem::take(&mut state.injected)
    }

    /// How many calls got a fault since the faults were last cleared.
    pub fn injected(&self) -> usize {
        self.state.lock().unwrap().injected
    }

    /// Lets the late calls in, side by side, and waits until they took effect.
    pub async fn let_late_calls_in(&self) {
        let late = std::mem::take(&mut self.state.lock().unwrap().late);
        self.entry.add_permits(late.len());
        late.join_all().await;
    }

    /// Waits until a call whose name starts so has arrived, since calls were last taken.
    pub async fn arrival_of(&self, call: &str) {
        let arrived = Arc::clone(&self.state.lock().unwrap().arrived);
        loop {
            let next = arrived.notified();
            if self.state.lock().unwrap().calls.iter().any(|arrived| arrived.starts_with(call)) {
                return;
            }
            next.await;
        }
    }

    /// The names of the calls since they were last taken, in the order of their arrival.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().calls)
    }

    /// The `User-Agent` of each call since they were last taken.
    pub fn take_agents(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().agents)
    }
}
