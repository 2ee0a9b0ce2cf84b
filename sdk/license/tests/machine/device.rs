//! A simulated device: its clocks, its storage, and an app that uses the SDK.

use lacre_license::{Ask, Decision, DeviceIntegrity, Effect, Event, Machine, Moment, Rules, Settings};

use crate::service::{Reply, Service};

pub(crate) const APP: &str = "com.example.sinistros";

pub(crate) struct Device {
    rules: &'static Rules,
    machine: Machine,
    wall_ms: i64,
    monotonic_ms: u64,
    pub(crate) service: Service,
    pub(crate) network: String,
    pub(crate) store_is_broken: bool,
    pub(crate) stored: Option<Vec<u8>>,
}

/// The result of a call of the app, and whether a request was sent.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) decision: Decision,
    pub(crate) asked: bool,
}

impl Device {
    pub(crate) fn new(rules: &'static Rules) -> Self {
        Self {
            rules,
            machine: Machine::new(rules),
            wall_ms: 1_790_000_000_000,
            monotonic_ms: 77_000,
            service: Service::new(),
            network: "up".into(),
            store_is_broken: false,
            stored: None,
        }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment { wall_ms: self.wall_ms, monotonic_ms: self.monotonic_ms }
    }

    pub(crate) fn wait(&mut self, ms: u64) {
        self.wall_ms += i64::try_from(ms).unwrap();
        self.monotonic_ms += ms;
    }

    pub(crate) fn set_clock(&mut self, by_ms: i64) {
        self.wall_ms += by_ms;
    }

    /// Kills and restarts the app, possibly after the device restarted.
    pub(crate) fn restart(&mut self) {
        self.machine = Machine::new(self.rules);
        self.monotonic_ms = 1_000;
    }

    /// Simulates a change of the stored record by someone else, which an authenticating store treats as missing.
    pub(crate) fn tamper(&mut self) {
        self.stored = None;
    }

    pub(crate) fn configure(&mut self, key: &str, app: &str) -> Outcome {
        let settings =
            Settings { license_url: "https://license.example.com/".into(), license_key: key.into(), app: app.into() };
        self.ask_machine(Event::Configure { settings, stored: self.stored.clone() })
    }

    pub(crate) fn begin(&mut self, integrity: DeviceIntegrity) -> Outcome {
        self.ask_machine(Event::BeginCapture { integrity })
    }

    pub(crate) fn finish(&mut self, integrity: DeviceIntegrity) -> Outcome {
        self.ask_machine(Event::FinishCapture { integrity })
    }

    pub(crate) fn reset(&mut self) {
        let effects = self.machine.handle(Event::Reset, self.now());
        let mut asks = Vec::new();
        assert_eq!(self.carry_out(effects, &mut asks), None);
        assert!(asks.is_empty());
    }

    pub(crate) fn network_available(&mut self) {
        assert_eq!(self.machine.handle(Event::NetworkAvailable, self.now()), []);
    }

    fn ask_machine(&mut self, event: Event) -> Outcome {
        let mut asks = Vec::new();
        let effects = self.machine.handle(event, self.now());
        let mut decision = self.carry_out(effects, &mut asks);
        let asked = !asks.is_empty();
        if let Some(ask) = asks.pop() {
            assert_eq!((decision, asks.len()), (None, 0), "the network was asked for nothing");
            let event = self.post(&ask);
            let effects = self.machine.handle(event, self.now());
            decision = self.carry_out(effects, &mut asks);
            assert!(asks.is_empty(), "an answer was not enough");
        }
        Outcome { decision: decision.expect("a question without a decision"), asked }
    }

    fn post(&mut self, ask: &Ask) -> Event {
        assert_eq!((ask.url.as_str(), ask.timeout_ms), ("https://license.example.com/validate", 15_000));
        let body: serde_json::Value = serde_json::from_slice(&ask.body).unwrap();
        let attempt = ask.attempt;
        match self.service.reply(&self.network, body["license_key"].as_str().unwrap()) {
            Reply::Answer(status, body) => Event::Answer { attempt, status, body },
            Reply::Late(status, body) => {
                self.wait(ask.timeout_ms);
                Event::Answer { attempt, status, body }
            }
            Reply::None => Event::NetworkFailure { attempt },
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>, asks: &mut Vec<Ask>) -> Option<Decision> {
        let mut decision = None;
        for effect in effects {
            assert_eq!(decision, None, "something follows a decision");
            match effect {
                Effect::Ask(ask) => asks.push(ask),
                Effect::Save(_) if self.store_is_broken => {
                    let effects = self.machine.handle(Event::NotSaved, self.now());
                    return self.carry_out(effects, asks);
                }
                Effect::Save(record) => self.stored = Some(record),
                Effect::Erase => self.stored = None,
                Effect::Decide(decided) => decision = Some(decided),
            }
        }
        decision
    }
}
