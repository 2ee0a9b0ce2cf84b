//! The state machine.

use std::fmt;

use lacre_api::ValidateRequest;
use serde_json::json;

use crate::{
    answer::{self, Answer},
    integrity::{DeviceIntegrity, Risk, enforce},
    policy::{Policy, Reason},
    rules::Rules,
    settings::Settings,
    success::{Moment, Success},
};

/// What happens to the machine.
#[derive(Clone, Debug)]
pub enum Event {
    /// The app configures the SDK.
    Configure {
        /// The license, its service and the app.
        settings: Settings,
        /// What [`Effect::Save`] stored last, if it is there and unchanged.
        stored: Option<Vec<u8>>,
    },
    /// A capture is about to begin. One that did not end is forgotten.
    BeginCapture {
        /// What the platform finds now.
        integrity: DeviceIntegrity,
    },
    /// The photo is taken, and about to be used.
    FinishCapture {
        /// What the platform finds now.
        integrity: DeviceIntegrity,
    },
    /// The service answered.
    Answer {
        /// The attempt that it answers.
        attempt: Attempt,
        /// The HTTP status.
        status: u16,
        /// The whole body.
        body: Vec<u8>,
    },
    /// No whole answer came: no network, a time-out, a broken connection.
    NetworkFailure {
        /// The attempt that failed.
        attempt: Attempt,
    },
    /// Time passed. An attempt that takes too long ends.
    Tick,
    /// The platform has a network again. The next capture asks, also where a failure is still tolerated.
    NetworkAvailable,
    /// The last [`Effect::Save`] failed, and the effects after it were not carried out.
    NotSaved,
    /// The app resets the SDK.
    Reset,
}

/// What to carry out.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the service, and report an [`Event::Answer`] or an [`Event::NetworkFailure`].
    Ask(Ask),
    /// Store the bytes in place of what is stored. If that fails, report [`Event::NotSaved`], and drop the effects that follow.
    Save(Vec<u8>),
    /// Remove what is stored.
    Erase,
    /// Answer the app. Each `Configure`, `BeginCapture` and `FinishCapture` gets one decision, unless a `Reset` ends it.
    Decide(Decision),
}

/// The number of an attempt. Events of another one are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt(u64);

/// A question to the service: `POST {license_url}/validate` with `{"license_key": …}`.
#[derive(Clone, PartialEq)]
pub struct Ask {
    /// To be named in the event that ends the attempt.
    pub attempt: Attempt,
    /// The address to post to.
    pub url: String,
    /// The body, JSON. It holds the license key.
    pub body: Vec<u8>,
    /// After how many milliseconds the attempt is a network failure.
    pub timeout_ms: u64,
}

impl fmt::Debug for Ask {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { attempt, url, timeout_ms, .. } = self;
        f.debug_struct("Ask")
            .field("attempt", attempt)
            .field("url", url)
            .field("timeout_ms", timeout_ms)
            .finish_non_exhaustive()
    }
}

/// The answer to the app.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It may go on.
    Permit(Permit),
    /// It may not.
    Refuse(Denial),
}

/// How the app may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    /// Under this policy.
    pub policy: Policy,
    /// What the policy wants recorded of the capture so far. A `Configure` has none.
    pub risk: Option<Risk>,
}

/// Why the app may not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The network failed, and no result is tolerated.
    NetworkError,
    /// The service answered without a verdict.
    ValidationUnavailable,
    /// The policy changed during the capture. Another capture may begin.
    PolicyChangedDuringCapture,
    /// The service refused the license.
    Invalid(Reason),
    /// The device is compromised, and the policy blocks captures on it.
    DeviceCompromised,
    /// `configure` did not succeed yet, or a `reset` came after it.
    NotConfigured,
    /// Another key, URL or app is configured without a `reset`.
    ResetRequired,
    /// No capture began.
    NoCapture,
    /// Another question is not answered yet.
    Busy,
}

impl Denial {
    /// The error code of the SDKs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NetworkError => "LICENSE_NETWORK_ERROR",
            Self::ValidationUnavailable => "LICENSE_VALIDATION_UNAVAILABLE",
            Self::PolicyChangedDuringCapture => "LICENSE_POLICY_CHANGED_DURING_CAPTURE",
            Self::Invalid(_) => "LICENSE_INVALID",
            Self::DeviceCompromised => "LICENSE_DEVICE_COMPROMISED",
            Self::NotConfigured => "LICENSE_NOT_CONFIGURED",
            Self::ResetRequired => "LICENSE_RESET_REQUIRED",
            Self::NoCapture => "LICENSE_NO_CAPTURE",
            Self::Busy => "LICENSE_BUSY",
        }
    }
}

/// The license of one app on one device.
#[derive(Debug)]
pub struct Machine {
    rules: &'static Rules,
    /// From `configure` until `reset`, or until that `configure` is refused.
    configured: Option<Configured>,
    /// `None` before the first success and after a refusal. It outlives a `configure` that fails, because its age by the monotonic
    /// clock is known to this process only. It may be of other settings than the configured ones, and is then not used.
    success: Option<Success>,
    /// The question that waits for the service.
    asking: Option<Asking>,
    /// The permit whose record is being stored.
    saving: Option<Saving>,
    attempts: u64,
    /// Whether the last attempt got no answer so far, and the platform has named no network since. A capture then does not wait for
    /// another attempt while the failure is tolerated.
    offline: bool,
}

#[derive(Debug)]
struct Configured {
    settings: Settings,
    binding: String,
    /// How the open capture began.
    capture: Option<Permit>,
}

/// What the app waits for.
#[derive(Clone, Debug)]
enum Question {
    Configure,
    Begin(DeviceIntegrity),
    /// With how the capture began.
    Finish(Permit, DeviceIntegrity),
}

#[derive(Debug)]
struct Asking {
    attempt: Attempt,
    question: Question,
    /// By the monotonic clock.
    deadline_ms: u64,
}

#[derive(Debug)]
enum Saving {
    /// After a success, whose decision stands, stored or not.
    Success(Decision),
    /// After a failure. A restart has to know of it, or the next failure would be the first one again.
    Failure(Question),
}

impl Machine {
    /// A machine that is not configured.
    #[must_use]
    pub fn new(rules: &'static Rules) -> Self {
        Self { rules, configured: None, success: None, asking: None, saving: None, attempts: 0, offline: false }
    }

    /// Takes an event, and returns what to carry out, in order.
    #[must_use]
    pub fn handle(&mut self, event: Event, now: Moment) -> Vec<Effect> {
        if let Some(success) = &mut self.success {
            success.compare_clocks(now, self.rules);
        }
        let saving = self.saving.take();
        match event {
            Event::Configure { .. } | Event::BeginCapture { .. } | Event::FinishCapture { .. }
                if self.asking.is_some() =>
            {
                vec![Effect::Decide(Decision::Refuse(Denial::Busy))]
            }
            Event::Configure { settings, stored } => self.configure(settings, stored.as_deref(), now),
            Event::BeginCapture { integrity } => self.begin(integrity, now),
            Event::FinishCapture { integrity } => self.finish(integrity, now),
            Event::Answer { attempt, status, body } => {
                let Some(asking) = self.end(attempt) else { return Vec::new() };
                let answer = if asking.is_late(now) { Answer::Unreadable } else { answer::read(status, &body) };
                match answer {
                    Answer::Valid(policy) => self.succeed(asking.question, policy, now),
                    Answer::Refused(reason) => self.erase(&asking.question, reason),
                    Answer::NoVerdict => {
                        self.offline = false;
                        vec![self.refuse(&asking.question, Denial::ValidationUnavailable)]
                    }
                    Answer::Unreadable => self.fail(asking.question, now),
                }
            }
            Event::NetworkFailure { attempt } => {
                self.end(attempt).map_or_else(Vec::new, |asking| self.fail(asking.question, now))
            }
            Event::Tick => {
                let late = self.asking.take_if(|asking| asking.is_late(now));
                late.map_or_else(Vec::new, |asking| self.fail(asking.question, now))
            }
            Event::NetworkAvailable => {
                self.offline = false;
                Vec::new()
            }
            Event::NotSaved => match saving {
                Some(Saving::Success(decision)) => vec![Effect::Decide(decision)],
                Some(Saving::Failure(question)) => {
                    self.offline = false;
                    vec![self.refuse(&question, Denial::NetworkError)]
                }
                None => Vec::new(),
            },
            Event::Reset => {
                (self.configured, self.success, self.asking) = (None, None, None);
                vec![Effect::Erase]
            }
        }
    }

    fn configure(&mut self, settings: Settings, stored: Option<&[u8]>, now: Moment) -> Vec<Effect> {
        match &mut self.configured {
            Some(configured) if configured.settings != settings => {
                vec![Effect::Decide(Decision::Refuse(Denial::ResetRequired))]
            }
            Some(configured) => {
                configured.capture = None;
                self.proceed(Question::Configure, self.rules.captures_ask, now)
            }
            None => {
                let binding = settings.binding();
                if self.success.as_ref().is_none_or(|success| !success.is_of(&binding))
                    && let Some(restored) = stored.and_then(|stored| Success::restore(stored, &binding, now))
                {
                    self.success = Some(restored);
                }
                self.configured = Some(Configured { settings, binding, capture: None });
                self.proceed(Question::Configure, true, now)
            }
        }
    }

    fn begin(&mut self, integrity: DeviceIntegrity, now: Moment) -> Vec<Effect> {
        if let Some(configured) = &mut self.configured {
            configured.capture = None;
        }
        self.proceed(Question::Begin(integrity), self.rules.captures_ask, now)
    }

    fn finish(&mut self, integrity: DeviceIntegrity, now: Moment) -> Vec<Effect> {
        match self.configured.as_mut().map(|configured| configured.capture.take()) {
            Some(Some(begun)) => self.proceed(Question::Finish(begun, integrity), self.rules.captures_ask, now),
            Some(None) => vec![Effect::Decide(Decision::Refuse(Denial::NoCapture))],
            None => vec![Effect::Decide(Decision::Refuse(Denial::NotConfigured))],
        }
    }

    /// Decides by the last success, if it needs no network or if the rules do not ask here; then by the failure that it tolerates,
    /// for a capture; otherwise asks.
    fn proceed(&mut self, question: Question, asks: bool, now: Moment) -> Vec<Effect> {
        let Some(configured) = &self.configured else {
            return vec![Effect::Decide(Decision::Refuse(Denial::NotConfigured))];
        };
        if let Some(success) = self.success.as_ref().filter(|success| success.is_of(&configured.binding)) {
            if !asks || success.is_cached(now, self.rules) {
                let policy = success.policy().clone();
                return vec![Effect::Decide(self.permit(question, policy))];
            }
            if self.offline && success.tolerates(now, self.rules) && !matches!(question, Question::Configure) {
                return self.fail(question, now);
            }
        }
        self.offline = true;
        self.attempts += 1;
        let attempt = Attempt(self.attempts);
        let ask = Ask {
            attempt,
            url: format!("{}/validate", configured.settings.license_url.trim_end_matches('/')),
            body: json!(ValidateRequest { license_key: configured.settings.license_key.as_str().into() })
                .to_string()
                .into_bytes(),
            timeout_ms: self.rules.attempt_ms,
        };
        let deadline_ms = now.monotonic_ms.saturating_add(self.rules.attempt_ms);
        self.asking = Some(Asking { attempt, question, deadline_ms });
        vec![Effect::Ask(ask)]
    }

    /// Takes the question that an attempt was to answer, if nothing ended it before.
    fn end(&mut self, attempt: Attempt) -> Option<Asking> {
        self.asking.take_if(|asking| asking.attempt == attempt)
    }

    fn succeed(&mut self, question: Question, policy: Policy, now: Moment) -> Vec<Effect> {
        let Some(configured) = &self.configured else { return Vec::new() };
        let mut success = Success::new(&configured.binding, policy.clone(), now);
        let record = success.record_now(now);
        self.success = Some(success);
        let decision = self.permit(question, policy);
        self.saving = Some(Saving::Success(decision.clone()));
        vec![Effect::Save(record), Effect::Decide(decision)]
    }

    /// A network failure: the last success may be tolerated. That it failed is stored before anything is permitted.
    fn fail(&mut self, question: Question, now: Moment) -> Vec<Effect> {
        let binding = self.configured.as_ref().map(|configured| configured.binding.as_str());
        let Some(success) =
            self.success.as_mut().filter(|success| binding.is_some_and(|binding| success.is_of(binding)))
        else {
            return vec![self.refuse(&question, Denial::NetworkError)];
        };
        success.note_failure(now);
        let tolerated = success.tolerates(now, self.rules);
        let (record, policy) = (success.record_now(now), success.policy().clone());
        self.saving = Some(Saving::Failure(question.clone()));
        let decide = if tolerated {
            Effect::Decide(self.permit(question, policy))
        } else {
            self.refuse(&question, Denial::NetworkError)
        };
        vec![Effect::Save(record), decide]
    }

    /// A refusal of the service: nothing remains that a later failure of the network could tolerate.
    fn erase(&mut self, question: &Question, reason: Reason) -> Vec<Effect> {
        self.success = None;
        vec![Effect::Erase, self.refuse(question, Denial::Invalid(reason))]
    }

    fn permit(&mut self, question: Question, policy: Policy) -> Decision {
        let (integrity, recorded) = match &question {
            Question::Configure => return Decision::Permit(Permit { policy, risk: None }),
            Question::Begin(integrity) => (*integrity, None),
            Question::Finish(begun, _) if !begun.policy.same_rules(&policy) => {
                return Decision::Refuse(Denial::PolicyChangedDuringCapture);
            }
            Question::Finish(begun, integrity) => (*integrity, begun.risk),
        };
        let found = match enforce(policy.integrity_enforcement, integrity) {
            Ok(found) => found,
            Err(refusal) => return Decision::Refuse(refusal),
        };
        let permit = Permit { policy, risk: found.or(recorded) };
        if let (Question::Begin(_), Some(configured)) = (question, &mut self.configured) {
            configured.capture = Some(permit.clone());
        }
        Decision::Permit(permit)
    }

    /// A refused `configure` leaves nothing configured, a refused capture leaves none open.
    fn refuse(&mut self, question: &Question, refusal: Denial) -> Effect {
        match question {
            Question::Configure => self.configured = None,
            Question::Begin(_) | Question::Finish(..) => {
                if let Some(configured) = &mut self.configured {
                    configured.capture = None;
                }
            }
        }
        Effect::Decide(Decision::Refuse(refusal))
    }
}

impl Asking {
    fn is_late(&self, now: Moment) -> bool {
        now.monotonic_ms >= self.deadline_ms
    }
}
