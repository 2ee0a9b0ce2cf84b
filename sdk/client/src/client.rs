//! Carries out what the machine decides, on what the platform supplies.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use license::{Ask, Decision, Effect, Event, Machine, Policy, RULES_ANDROID, RULES_IOS, Settings};

use crate::{
    error::LicenseError,
    sealed::Seal,
    supplied::{Clock, RecordStore, Transport},
};

/// The fewest bytes of a record key.
const RECORD_KEY: usize = 32;

/// The rules to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Platform {
    /// Android's.
    Android,
    /// Those of iOS.
    Ios,
}

/// The license of one app on one device. One client is enough for a process; two on one store would overwrite each other's record.
#[derive(uniffi::Object)]
pub struct LicenseClient {
    machine: Mutex<Machine>,
    seal: Seal,
    store: Arc<dyn RecordStore>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
}

/// What a step leaves to do.
enum Next {
    Decided(Decision),
    Ask(Ask),
    /// The question was ended by a `reset`.
    Ended,
}

#[uniffi::export]
impl LicenseClient {
    /// A client that is not configured.
    ///
    /// `record_key` is a random secret of this device and app of at least 32 bytes, which the platform keeps under its Keystore or
    /// Keychain. It authenticates the stored record.
    ///
    /// # Errors
    ///
    /// [`LicenseError::WeakRecordKey`] for a shorter key.
    #[uniffi::constructor]
    pub fn new(
        platform: Platform,
        record_key: Vec<u8>,
        store: Arc<dyn RecordStore>,
        transport: Arc<dyn Transport>,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>, LicenseError> {
        if record_key.len() < RECORD_KEY {
            return Err(LicenseError::WeakRecordKey);
        }
        let rules = match platform {
            Platform::Android => &RULES_ANDROID,
            Platform::Ios => &RULES_IOS,
        };
        let seal = Seal::new(&record_key).map_err(|_| LicenseError::WeakRecordKey)?;
        Ok(Arc::new(Self { machine: Mutex::new(Machine::new(rules)), seal, store, transport, clock }))
    }

    /// Validates the license, by what is stored or by the network. Other settings than the last ones need a `reset` before.
    ///
    /// `license_url` is the address of the licensing service without the path `/validate`, `license_key` is
    /// `svc_<env>_<base58>`, and `app` is the Android application id or the iOS bundle identifier.
    ///
    /// # Errors
    ///
    /// [`LicenseError`]; nothing is then configured, but for `ResetRequired` and `Busy`, which change nothing.
    pub fn configure(&self, license_url: String, license_key: String, app: String) -> Result<Policy, LicenseError> {
        let settings = Settings { license_url, license_key, app };
        self.decide(|stored| Event::Configure { settings, stored: stored() })
    }

    /// Says whether a capture may begin, and under which policy. A capture that did not end is forgotten.
    ///
    /// # Errors
    ///
    /// [`LicenseError`]; no capture is then open.
    pub fn begin_capture(&self) -> Result<Policy, LicenseError> {
        self.decide(|_| Event::BeginCapture)
    }

    /// Says whether the photo of the open capture may be used. The capture has then ended, permitted or not.
    ///
    /// # Errors
    ///
    /// [`LicenseError`]; the photo may not be used.
    pub fn finish_capture(&self) -> Result<Policy, LicenseError> {
        self.decide(|_| Event::FinishCapture)
    }

    /// Says that the device has a network again, as the platform's callback reports it. The next capture then asks the service, where
    /// it would be decided by a failure that is tolerated. Without effect on a result that is cached, or that holds until `reset`.
    pub fn network_available(&self) {
        let mut machine = self.machine();
        let effects = machine.handle(Event::NetworkAvailable, self.clock.now());
        self.carry_out(&mut machine, effects);
    }

    /// Forgets the settings and the stored record. A call that waits for the network ends with `NotConfigured`.
    pub fn reset(&self) {
        let mut machine = self.machine();
        let effects = machine.handle(Event::Reset, self.clock.now());
        self.carry_out(&mut machine, effects);
    }
}

impl LicenseClient {
    /// Takes an event to its decision. The network is asked without a lock, so that a `reset` need not wait.
    fn decide(&self, event: impl FnOnce(&dyn Fn() -> Option<Vec<u8>>) -> Event) -> Result<Policy, LicenseError> {
        let mut next = {
            let mut machine = self.machine();
            let event = event(&|| self.read());
            self.step(&mut machine, event)
        };
        loop {
            match next {
                Next::Decided(Decision::Permit(policy)) => return Ok(policy),
                Next::Decided(Decision::Refuse(refusal)) => return Err(refusal.into()),
                Next::Ended => return Err(LicenseError::NotConfigured),
                Next::Ask(ask) => {
                    let event = self.post(ask);
                    next = self.step(&mut self.machine(), event);
                }
            }
        }
    }

    /// A panic of a store or a clock leaves a machine that is still in order.
    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, machine: &mut Machine, event: Event) -> Next {
        let effects = machine.handle(event, self.clock.now());
        self.carry_out(machine, effects)
    }

    fn carry_out(&self, machine: &mut Machine, effects: Vec<Effect>) -> Next {
        for effect in effects {
            match effect {
                Effect::Ask(ask) => return Next::Ask(ask),
                Effect::Decide(decision) => return Next::Decided(decision),
                Effect::Save(record) => {
                    if self.store.write(self.seal.seal(&record)).is_err() {
                        return self.step(machine, Event::NotSaved);
                    }
                }
                // An empty record is none, too.
                Effect::Erase => drop(self.store.erase().or_else(|_| self.store.write(Vec::new()))),
            }
        }
        Next::Ended
    }

    fn read(&self) -> Option<Vec<u8>> {
        self.store.read().ok().flatten().and_then(|sealed| self.seal.open(sealed))
    }

    fn post(&self, Ask { attempt, url, body, timeout_ms }: Ask) -> Event {
        match self.transport.post(url, body, timeout_ms) {
            Ok(response) => Event::Answer { attempt, status: response.status, body: response.body },
            Err(_) => Event::NetworkFailure { attempt },
        }
    }
}
