//! The state machine of license validation.

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

/// The inputs of the machine.
#[derive(Clone, Debug)]
pub enum Event {
    /// The app configures the SDK.
    Configure {
        /// The license, its service, and the app.
        settings: Settings,
        /// The bytes that [`Effect::Save`] stored last, if they are available and authentic.
        stored: Option<Vec<u8>>,
    },
    /// A capture is about to begin. A previous one that was not finished is discarded.
    BeginCapture {
        /// The current result of the platform's checks.
        integrity: DeviceIntegrity,
    },
    /// The photo was taken and is about to be used.
    FinishCapture {
        /// The current result of the platform's checks.
        integrity: DeviceIntegrity,
    },
    /// The service responded.
    Answer {
        /// The attempt that the response belongs to.
        attempt: Attempt,
        /// The HTTP status.
        status: u16,
        /// The complete body.
        body: Vec<u8>,
    },
    /// No complete response arrived: no network, a timeout, a broken connection.
    NetworkFailure {
        /// The attempt that failed.
        attempt: Attempt,
    },
    /// Time has passed. An attempt that takes too long ends.
    Tick,
    /// The platform has a network again. The next capture contacts the service, even if a failure is still tolerated.
    NetworkAvailable,
    /// The last [`Effect::Save`] failed, and the effects after it were not carried out.
    NotSaved,
    /// The app resets the SDK.
    Reset,
}

/// The outputs of the machine, to be carried out by the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a request to the service, and report an [`Event::Answer`] or an [`Event::NetworkFailure`].
    Ask(Ask),
    /// Replace the stored bytes. If that fails, report [`Event::NotSaved`], and skip the effects that follow.
    Save(Vec<u8>),
    /// Remove the stored bytes.
    Erase,
    /// Return the decision to the app. Each `Configure`, `BeginCapture` and `FinishCapture` gets one decision, unless a
    /// `Reset` ends it.
    Decide(Decision),
}

/// The number of an attempt. Events of other attempts than the current one are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt(u64);

/// A request to the service: `POST {license_url}/validate` with `{"license_key": …}`.
#[derive(Clone, PartialEq)]
pub struct Ask {
    /// The attempt, to be repeated in the event that ends it.
    pub attempt: Attempt,
    /// The URL to post to.
    pub url: String,
    /// The JSON body. It contains the license key.
    pub body: Vec<u8>,
    /// The number of milliseconds after which the attempt counts as a network failure.
    pub timeout_ms: u64,
}

impl fmt::Debug for Ask {
    /// Leaves out the body, which contains the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { attempt, url, timeout_ms, .. } = self;
        f.debug_struct("Ask")
            .field("attempt", attempt)
            .field("url", url)
            .field("timeout_ms", timeout_ms)
            .finish_non_exhaustive()
    }
}

/// The decision about a call of the app.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The app may go on.
    Permit(Permit),
    /// The app must not go on.
    Refuse(Denial),
}

/// The permission to go on with a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    /// The policy that applies.
    pub policy: Policy,
    /// The risk of the capture so far, if the policy requires recording it; always `None` for a `Configure`.
    pub risk: Option<Risk>,
}

/// Why the app must not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The network failed, and no earlier result may be used instead.
    NetworkError,
    /// The service responded without a verdict.
    ValidationUnavailable,
    /// The policy changed after the capture began. Another capture may begin.
    PolicyChangedDuringCapture,
    /// The service refused the license.
    Invalid(Reason),
    /// The device is compromised, and the policy blocks captures on it.
    DeviceCompromised,
    /// No `configure` has succeeded yet, or a `reset` followed it.
    NotConfigured,
    /// Another key, URL or app is already configured, and was not `reset`.
    ResetRequired,
    /// No capture is open.
    NoCapture,
    /// Another call is still waiting for its decision.
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
    /// The settings from `configure` until `reset`, or until that `configure` is refused.
    configured: Option<Configured>,
    /// The last success; `None` before the first one and after a refusal. It is kept when a `configure` fails, because
    /// only this process knows its age on the monotonic clock. If it belongs to other settings than the configured
    /// ones, it is not used.
    success: Option<Success>,
    /// The call that waits for the service.
    asking: Option<Asking>,
    /// The decision whose record is being stored.
    saving: Option<Saving>,
    attempts: u64,
    /// Whether the last attempt got no response, and the platform has not reported a network since. While the failure
    /// is tolerated, a capture then does not wait for another attempt.
    offline: bool,
}

#[derive(Debug)]
struct Configured {
    settings: Settings,
    binding: String,
    /// The permission with which the open capture began.
    capture: Option<Permit>,
}

/// The call of the app that is waiting for its decision.
#[derive(Clone, Debug)]
enum Question {
    Configure,
    Begin(DeviceIntegrity),
    /// The end of a capture, with the permission with which it began.
    Finish(Permit, DeviceIntegrity),
}

#[derive(Debug)]
struct Asking {
    attempt: Attempt,
    question: Question,
    /// The deadline on the monotonic clock.
    deadline_ms: u64,
}

#[derive(Debug)]
enum Saving {
    /// The record of a success. Its decision stands even if storing fails.
    Success(Decision),
    /// The record of a failure. It must be stored, because after a restart the next failure would otherwise count as
    /// the first one.
    Failure(Question),
}

impl Machine {
    /// Creates a machine that is not configured.
    #[must_use]
    pub fn new(rules: &'static Rules) -> Self {
        Self { rules, configured: None, success: None, asking: None, saving: None, attempts: 0, offline: false }
    }

    /// Processes an event, and returns the effects to carry out, in order.
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

    /// Decides with the last success, if it is cached or the rules require no request here; otherwise, for a capture,
    /// with a tolerated failure; otherwise sends a request.
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

    /// Takes the call that an attempt belongs to, unless the call has already ended.
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

    /// Handles a network failure, in which case the last success may be tolerated. The failure is stored before
    /// anything is permitted.
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

    /// Handles a refusal by the service. The last success is erased, so that no later network failure can be tolerated
    /// with it.
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

    /// Refuses a call. A refused `configure` leaves nothing configured, and a refused capture is not open.
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
