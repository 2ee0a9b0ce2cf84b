//! Fault injection for AWS: all calls of a function pass through proxies in front of the stand-ins, which fail them
//! as a test says.
//!
//! A call's name is its operation and its subject (`UpdateItem sessions nonce`, `PutObject proofs jpg`, `Sign
//! claim`). Rules select calls by name. Two rules of DynamoDB that the stand-ins do not implement always apply:
//! transactions conflict with concurrent writes of the same item, and reads without strong consistency return old
//! data. The proxies also stand in for Secrets Manager.

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
    /// AWS refuses the call permanently. It has no effect.
    Refuse,
    /// AWS throttles the call. It has no effect.
    Throttle,
    /// AWS returns an error with this code. The call has no effect.
    Code(&'static str),
    /// AWS returns a server error. The call has no effect.
    ServerError,
    /// The connection is closed. The call has no effect.
    Cut,
    /// No response ever comes. The call has no effect.
    Hang,
    /// The call takes effect, and the response is delayed by this time.
    Slow(Duration),
    /// The call takes effect, but the connection is closed before the response.
    LoseAnswer,
    /// The call takes effect, but no response ever comes.
    HangAfter,
    /// No response ever comes, and the call takes effect after the caller has given up: when the test calls
    /// [`Faults::let_late_calls_in`].
    Late,
    /// The call takes effect, but the response is malformed. An object has different bytes.
    Garble,
    /// An object's body ends early.
    CutShort,
    /// A signature is replaced with an invalid one.
    WrongSignature,
    /// One key of a batch is returned as unprocessed.
    LeaveUnread,
}

/// Whether an ingest makes this call for its checks without the image: a read of a table, or the use of the nonce. If
/// such a call fails, the response is [`NonceStoreUnavailable`](lacre_api::Refusal::NonceStoreUnavailable) and
/// nothing is reserved.
pub fn is_of_submission(call: &str) -> bool {
    ["BatchGetItem ", "GetItem ", "UpdateItem sessions nonce"].iter().any(|beginning| call.starts_with(beginning))
}

/// Selects calls and their fault.
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
    /// Measured consumption, if it is being measured.
    demands: Option<Vec<Demand>>,
}

impl State {
    /// Records a call with its `User-Agent`, and returns the fault to inject.
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

/// The proxies in front of one AWS, and their faults. They stop with the test's runtime or when closed.
#[derive(Clone, Debug)]
pub struct Faults {
    doors: Vec<AbortHandle>,
    state: Arc<Mutex<State>>,
    endpoints: BTreeMap<String, String>,
    /// Permits for which late calls wait.
    entry: Arc<Semaphore>,
}

impl Faults {
    /// Starts separate proxies in front of a service's AWS, whose faults affect no other function.
    pub async fn before(service: &Service) -> Self {
        Self::before_with_secret(service, secret::of_presigner(service)).await
    }

    /// The same with another value of the secret.
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

    /// Stops the proxies and their connections, so that many cases in one test do not exhaust file descriptors.
    pub fn close(&self) {
        self.doors.iter().for_each(AbortHandle::abort);
    }

    /// The proxies' URLs, as the variables that hold AWS endpoints.
    pub fn endpoints(&self) -> BTreeMap<String, String> {
        self.endpoints.clone()
    }

    /// A configuration for functions whose calls pass through the proxies.
    pub fn config(&self, service: &Service) -> lacre_storage::Config {
        service.config(|name| self.endpoints.get(name).cloned())
    }

    /// The same as in the template: the key that signs result URLs is a secret in Secrets Manager.
    pub fn config_with_secret(&self, service: &Service) -> lacre_storage::Config {
        service.config(|name| match name {
            "PRESIGNER_SECRET_ARN" => Some(secret::ARN.to_owned()),
            "PRESIGNER_ACCESS_KEY_ID" | "PRESIGNER_SECRET_ACCESS_KEY" => Some(String::new()),
            name => self.endpoints.get(name).cloned(),
        })
    }

    /// Counts AWS's own metrics from now on: throttled tables, signatures of KMS, failed notifications.
    pub fn count_in(&self, watch: &CloudWatch) {
        self.state.lock().unwrap().watch = Some(watch.clone());
    }

    /// Returns the consumption of successful calls since the last call of this function, and continues measuring.
    pub fn take_demands(&self) -> Vec<Demand> {
        self.state.lock().unwrap().demands.replace(Vec::new()).unwrap_or_default()
    }

    /// Subscribes a URL to publications.
    pub fn subscribe(&self, url: &str) {
        self.state.lock().unwrap().subscriber = Some(url.to_owned());
    }

    /// Injects a fault into every call whose name starts with `call`.
    pub fn always(&self, call: &str, fault: Fault) {
        self.strike(call, 1, usize::MAX, fault);
    }

    /// Injects a fault into the next call whose name starts with `call`.
    pub fn once(&self, call: &str, fault: Fault) {
        self.strike(call, 1, 1, fault);
    }

    /// Injects a fault into `times` calls whose name starts with `call`, beginning with the `nth`, counted from 1.
    pub fn strike(&self, call: &str, nth: usize, times: usize, fault: Fault) {
        let rule = Rule { call: call.to_owned(), pass: nth - 1, strike: times, fault };
        self.state.lock().unwrap().rules.push(rule);
    }

    /// Removes all faults, and returns how many calls got one.
    pub fn clear(&self) -> usize {
        let mut state = self.state.lock().unwrap();
        state.rules.clear();
        std::mem::take(&mut state.injected)
    }

    /// How many calls got a fault since the faults were last cleared.
    pub fn injected(&self) -> usize {
        self.state.lock().unwrap().injected
    }

    /// Lets the late calls take effect concurrently, and waits until they have.
    pub async fn let_late_calls_in(&self) {
        let late = std::mem::take(&mut self.state.lock().unwrap().late);
        self.entry.add_permits(late.len());
        late.join_all().await;
    }

    /// Waits until a call whose name starts with `call` has arrived since calls were last taken.
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

    /// Names of the calls since they were last taken, in order of arrival.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().calls)
    }

    /// The `User-Agent` of each call since they were last taken.
    pub fn take_agents(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().agents)
    }
}
