//! Tests random sequences with arbitrary clock changes against a model of what is known about the license: no capture
//! proceeds after a refusal, or later than the rules tolerate.

use lacre_license::{Decision, Denial, DeviceIntegrity, RULES_ANDROID, RULES_IOS, Risk, Rules};
use proptest::{prelude::*, test_runner::Config};

use crate::device::{APP, Device, Outcome};

const HOUR: i64 = 3_600_000;

#[derive(Clone, Debug)]
enum Step {
    Configure(&'static str),
    Begin(DeviceIntegrity),
    Finish(DeviceIntegrity),
    Reset,
    /// The app is killed, and the clock is changed before it starts again.
    Restart(i64),
    Wait(u64),
    SetClock(i64),
    Network(&'static str),
    NetworkAvailable,
    Store {
        broken: bool,
    },
    License(&'static str),
}

fn integrity() -> impl Strategy<Value = DeviceIntegrity> {
    prop_oneof![4 => Just(DeviceIntegrity::Intact), 1 => Just(DeviceIntegrity::Compromised)]
}

fn step() -> impl Strategy<Value = Step> {
    let wait =
        prop_oneof![Just(1_000), Just(600_000), Just(1_799_000), Just(3_599_000), Just(3_600_000), 0..90_000_000u64];
    let back = prop_oneof![Just(0), Just(-1), Just(-600_000), Just(-HOUR), -100_000_000i64..=0];
    let clock = prop_oneof![Just(-60_000), Just(-HOUR), Just(HOUR), Just(25 * HOUR), -200_000_000i64..200_000_000];
    let network =
        prop::sample::select(vec!["up", "up", "down", "down", "late", "cut", "garbage", "http_503", "no_valid"]);
    let license = prop::sample::select(vec!["revoke", "resume", "resume", "resolution", "expire"]);
    prop_oneof![
        4 => prop::sample::select(vec!["first", "first", "first", "second", "live"]).prop_map(Step::Configure),
        6 => integrity().prop_map(Step::Begin),
        5 => integrity().prop_map(Step::Finish),
        1 => Just(Step::Reset),
        2 => back.prop_map(Step::Restart),
        6 => wait.prop_map(Step::Wait),
        2 => clock.prop_map(Step::SetClock),
        4 => network.prop_map(Step::Network),
        1 => Just(Step::NetworkAvailable),
        1 => any::<bool>().prop_map(|broken| Step::Store { broken }),
        2 => license.prop_map(Step::License),
    ]
}

/// When something happened. Within the same process it is measured with the monotonic clock, otherwise with the wall
/// clock.
#[derive(Clone, Copy)]
struct Mark {
    process: u32,
    monotonic_ms: u64,
    wall_ms: i64,
}

/// What is known about a license.
#[derive(Clone)]
struct Known {
    key: &'static str,
    success: Mark,
    first_failure: Option<Mark>,
    latest_wall_ms: i64,
}

struct Judge {
    device: Device,
    android: bool,
    process: u32,
    /// When this process read what an earlier one stored.
    restored: Mark,
    /// The key, once a `configure` was permitted.
    configured: Option<&'static str>,
    /// What is known; it may concern another key than the configured one.
    known: Option<Known>,
    stored: Option<Known>,
    /// Whether the last attempt failed, and the platform has not reported a network since.
    offline: bool,
    /// The risk that was recorded when the open capture began.
    begun: Option<Risk>,
}

impl Judge {
    fn new(rules: &'static Rules, android: bool) -> Self {
        let device = Device::new(rules);
        let restored = Mark { process: 0, monotonic_ms: device.now().monotonic_ms, wall_ms: device.now().wall_ms };
        Self {
            device,
            android,
            process: 0,
            restored,
            configured: None,
            known: None,
            stored: None,
            offline: false,
            begun: None,
        }
    }

    fn mark(&self) -> Mark {
        let now = self.device.now();
        Mark { process: self.process, monotonic_ms: now.monotonic_ms, wall_ms: now.wall_ms }
    }

    /// Milliseconds since a mark.
    fn since(&self, mark: Mark) -> i64 {
        let lived = |from: Mark| i64::try_from(self.mark().monotonic_ms - from.monotonic_ms).unwrap();
        if mark.process == self.process {
            lived(mark)
        } else {
            self.restored.wall_ms - mark.wall_ms + lived(self.restored)
        }
    }

    fn known(&self, key: &str) -> Option<&Known> {
        self.known.as_ref().filter(|known| known.key == key)
    }

    fn store(&mut self, key: &str) {
        let wall_ms = self.device.now().wall_ms;
        let Some(known) = self.known.as_mut().filter(|known| known.key == key) else { return };
        known.latest_wall_ms = known.latest_wall_ms.max(wall_ms);
        if !self.device.store_is_broken {
            self.stored = self.known.clone();
        }
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Restart(by) => {
                self.device.restart();
                self.device.set_clock(by);
                self.process += 1;
                (self.configured, self.known, self.offline) = (None, None, false);
            }
            Step::Wait(ms) => self.device.wait(ms),
            Step::SetClock(by) => self.device.set_clock(by),
            Step::Network(state) => self.device.network = state.into(),
            Step::NetworkAvailable => {
                self.device.network_available();
                self.offline = false;
            }
            Step::Store { broken } => self.device.store_is_broken = broken,
            Step::License(change) => self.device.service.change(change),
            Step::Reset => {
                self.device.reset();
                (self.configured, self.known, self.stored) = (None, None, None);
            }
            Step::Configure(key) => {
                let first = self.configured.is_none();
                if first && self.known(key).is_none() {
                    let now = self.device.now().wall_ms;
                    let is_usable = |known: &&Known| known.key == key && now >= known.latest_wall_ms;
                    if let Some(stored) = self.stored.as_ref().filter(is_usable) {
                        (self.known, self.restored) = (Some(stored.clone()), self.mark());
                    }
                }
                let outcome = self.device.configure(key, APP);
                if self.configured.is_some_and(|configured| configured != key) {
                    assert_eq!(outcome.decision, Decision::Refuse(Denial::ResetRequired));
                    return;
                }
                let permitted = matches!(outcome.decision, Decision::Permit(_));
                self.judge(&outcome, key, first);
                self.configured = permitted.then_some(key);
            }
            Step::Begin(integrity) | Step::Finish(integrity) => {
                let begins = matches!(step, Step::Begin(_));
                let outcome = if begins { self.device.begin(integrity) } else { self.device.finish(integrity) };
                let Some(key) = self.configured else {
                    assert_eq!(outcome.decision, Decision::Refuse(Denial::NotConfigured));
                    return;
                };
                self.judge(&outcome, key, false);
                self.judge_integrity(&outcome.decision, key, integrity, begins);
            }
        }
    }

    /// Checks a decision without a request: a permission needs a success that is cached or valid, or a failure that is
    /// tolerated and stored.
    fn judge_unasked(&mut self, decision: &Decision, key: &'static str, configures: bool) {
        let permitted = match decision {
            Decision::Permit(_) | Decision::Refuse(Denial::DeviceCompromised) => true,
            Decision::Refuse(Denial::NetworkError) => false,
            Decision::Refuse(_) => return,
        };
        let known = self.known(key).expect("decided without a success");
        let holds = !self.android && !configures;
        if holds || self.since(known.success) < HOUR {
            return;
        }
        assert!(self.android && self.offline, "a result of more than an hour was used");
        assert!(
            self.since(known.first_failure.unwrap()) < HOUR,
            "an unreachable server was tolerated for more than an hour"
        );
        assert_eq!(permitted, !self.device.store_is_broken, "tolerated what is not stored");
        self.offline = permitted;
        self.store(key);
    }

    /// Checks the treatment of a compromised device: `live` blocks it, the other environments record it.
    fn judge_integrity(&mut self, decision: &Decision, key: &str, integrity: DeviceIntegrity, begins: bool) {
        let compromised = integrity == DeviceIntegrity::Compromised;
        match decision {
            Decision::Permit(permit) => {
                let begun = if begins { None } else { self.begun };
                let found = compromised.then_some(Risk::CompromisedDevice);
                assert_eq!(permit.risk, found.or(begun));
                assert!(key != "live" || !compromised, "a compromised device was permitted");
                self.begun = permit.risk;
            }
            Decision::Refuse(Denial::DeviceCompromised) => assert!(key == "live" && compromised),
            Decision::Refuse(_) => {}
        }
    }

    /// Updates the model with what the network returned, and compares it with the decision.
    fn judge(&mut self, outcome: &Outcome, key: &'static str, configures: bool) {
        // The device's integrity is checked separately.
        let permitted = matches!(outcome.decision, Decision::Permit(_) | Decision::Refuse(Denial::DeviceCompromised));
        if !outcome.asked {
            self.judge_unasked(&outcome.decision, key, configures);
            return;
        }
        self.offline = false;
        let usable = key != "first" || self.device.service.refusal.is_none();
        match self.device.network.as_str() {
            "up" if usable => {
                assert!(matches!(
                    outcome.decision,
                    Decision::Permit(_)
                        | Decision::Refuse(Denial::PolicyChangedDuringCapture | Denial::DeviceCompromised)
                ));
                let success = self.mark();
                self.known = Some(Known { key, success, first_failure: None, latest_wall_ms: success.wall_ms });
                self.store(key);
            }
            "up" => {
                assert!(matches!(outcome.decision, Decision::Refuse(Denial::Invalid(_))));
                (self.known, self.stored) = (None, None);
            }
            "http_503" | "no_valid" => assert_eq!(outcome.decision, Decision::Refuse(Denial::ValidationUnavailable)),
            _ => {
                self.offline = !self.device.store_is_broken;
                let failure = self.mark();
                if let Some(known) = self.known.as_mut().filter(|known| known.key == key) {
                    known.first_failure.get_or_insert(failure);
                }
                self.store(key);
                if permitted {
                    let known = self.known(key).expect("tolerated without a success");
                    assert!(!self.device.store_is_broken, "tolerated a failure that is not stored");
                    if self.android {
                        assert!(
                            self.since(known.first_failure.unwrap()) < HOUR,
                            "an unreachable server was tolerated for more than an hour"
                        );
                    } else {
                        assert!(configures && self.since(known.success) < 24 * HOUR, "tolerated for more than a day");
                    }
                } else {
                    assert_eq!(outcome.decision, Decision::Refuse(Denial::NetworkError));
                }
            }
        }
    }
}

// 1,000 sequences of up to 200 steps, which are about 100,000 steps on each platform.
proptest! {
    #![proptest_config(Config { cases: 1_000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn android_permits_only_by_its_rules(steps in prop::collection::vec(step(), 1..=200)) {
        let mut judge = Judge::new(&RULES_ANDROID, true);
        for step in steps {
            judge.play(step);
        }
    }

    #[test]
    fn ios_permits_only_by_its_rules(steps in prop::collection::vec(step(), 1..=200)) {
        let mut judge = Judge::new(&RULES_IOS, false);
        for step in steps {
            judge.play(step);
        }
    }
}
