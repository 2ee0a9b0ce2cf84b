//! Connects the state machine with the storage, network and clock of the platform.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use lacre_license::{
    Ask, Decision, DeviceIntegrity, Effect, Event, Machine, Permit, Policy, RULES_ANDROID, RULES_IOS, Settings,
};

use crate::{
    authenticated::RecordMac,
    error::LicenseError,
    supplied::{Clock, RecordStore, Response, Transport},
};

/// Minimum length of a record key in bytes.
const RECORD_KEY: usize = 32;
/// Maximum number of transport calls that may hang. Beyond that, an attempt fails at once.
const HANGING_CALLS: usize = 4;

/// The platform whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Platform {
    /// Android's rules.
    Android,
    /// The rules of iOS.
    Ios,
}

/// The license of one app on one device. Use one client per process: two clients on one store would overwrite each
/// other's record.
#[derive(uniffi::Object)]
pub struct LicenseClient {
    machine: Mutex<Machine>,
    mac: RecordMac,
    store: Arc<dyn RecordStore>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    /// Whether the store failed to erase the record.
    kept: AtomicBool,
    /// Counts the running calls of the transport: each holds a reference until it returns.
    calls: Arc<()>,
}

/// What remains to be done after a step of the machine.
enum Next {
    Decided(Decision),
    Ask(Ask),
    /// A `reset` ended the call.
    Ended,
}

#[uniffi::export]
impl LicenseClient {
    /// Creates a client that is not configured.
    ///
    /// `record_key` is a random secret of this device and app of at least 32 bytes, which the platform keeps in its
    /// Keystore or Keychain. It authenticates the stored record.
    ///
    /// # Errors
    ///
    /// [`LicenseError::WeakRecordKey`] if the key is shorter.
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
        let mac = RecordMac::new(&record_key).map_err(|_| LicenseError::WeakRecordKey)?;
        let machine = Mutex::new(Machine::new(rules));
        let (kept, calls) = (AtomicBool::new(false), Arc::new(()));
        Ok(Arc::new(Self { machine, mac, store, transport, clock, kept, calls }))
    }

    /// Validates the license, with the stored result or over the network. To change the settings, call `reset` first.
    ///
    /// `license_url` is the URL of the licensing service without the path `/validate`, `license_key` has the form
    /// `svc_<env>_<base58>`, and `app` is the Android application id or the iOS bundle identifier.
    ///
    /// # Errors
    ///
    /// [`LicenseError`]; the client is then not configured, except after `ResetRequired` and `Busy`, which change
    /// nothing.
    pub fn configure(&self, license_url: String, license_key: String, app: String) -> Result<Policy, LicenseError> {
        let settings = Settings { license_url, license_key, app };
        self.decide(|stored| Event::Configure { settings, stored: stored() }).map(|permit| permit.policy)
    }

    /// Decides whether a capture may begin, and under which policy. A previous capture that was not finished is
    /// discarded.
    ///
    /// `integrity` is the current result of the platform's checks of the device. If the device is compromised, the
    /// policy's `integrity_enforcement` decides: `BLOCK` refuses, `WARN` permits with a risk, `IGNORE` permits.
    ///
    /// # Errors
    ///
    /// [`LicenseError`]; no capture is open then.
    pub fn begin_capture(&self, integrity: DeviceIntegrity) -> Result<Permit, LicenseError> {
        self.decide(|_| Event::BeginCapture { integrity })
    }

    /// Decides whether the photo of the open capture may be used. The capture ends in either case.
    ///
    /// `integrity` is the current result of the platform's checks, and is evaluated as in `begin_capture`. The returned
    /// risk is the one of the beginning or of the end; the platform has to keep it with the photo.
    ///
    /// # Errors
    ///
    /// [`LicenseError`]; the photo must not be used.
    pub fn finish_capture(&self, integrity: DeviceIntegrity) -> Result<Permit, LicenseError> {
        self.decide(|_| Event::FinishCapture { integrity })
    }

    /// Reports that the device has a network again, according to the platform's callback. The next capture then
    /// contacts the service instead of relying on a tolerated failure. Has no effect on a result that is cached or that
    /// is valid until `reset`.
    pub fn network_available(&self) {
        let mut machine = self.machine();
        let effects = machine.handle(Event::NetworkAvailable, self.clock.now());
        self.carry_out(&mut machine, effects);
    }

    /// Discards the settings and the stored record. A call that waits for the network ends with `NotConfigured`.
    pub fn reset(&self) {
        let mut machine = self.machine();
        let effects = machine.handle(Event::Reset, self.clock.now());
        self.carry_out(&mut machine, effects);
    }
}

impl LicenseClient {
    /// Processes an event until a decision is made. The lock is not held during network requests, so that `reset` need
    /// not wait.
    fn decide(&self, event: impl FnOnce(&dyn Fn() -> Option<Vec<u8>>) -> Event) -> Result<Permit, LicenseError> {
        let mut next = {
            let mut machine = self.machine();
            let event = event(&|| self.read());
            self.step(&mut machine, event)
        };
        loop {
            match next {
                Next::Decided(Decision::Permit(permit)) => return Ok(permit),
                Next::Decided(Decision::Refuse(refusal)) => return Err(refusal.into()),
                Next::Ended => return Err(LicenseError::NotConfigured),
                Next::Ask(ask) => {
                    let event = self.post(ask);
                    next = self.step(&mut self.machine(), event);
                }
            }
        }
    }

    /// Locks the machine. If a store or clock panicked under the lock, the machine is still consistent, so the
    /// poisoning is ignored.
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
                    if self.store.write(self.mac.tag(&record)).is_err() {
                        return self.step(machine, Event::NotSaved);
                    }
                    self.kept.store(false, Ordering::SeqCst);
                }
                Effect::Erase => self.erase(),
            }
        }
        Next::Ended
    }

    /// Erases the record, or else overwrites it with an empty one, which counts as missing. If both fail, the record is
    /// not read again in this process.
    fn erase(&self) {
        let erased = self.store.erase().or_else(|_| self.store.write(Vec::new()));
        self.kept.store(erased.is_err(), Ordering::SeqCst);
    }

    fn read(&self) -> Option<Vec<u8>> {
        if self.kept.load(Ordering::SeqCst) {
            self.erase();
            return None;
        }
        self.store.read().ok().flatten().and_then(|tagged| self.mac.verify(tagged))
    }

    fn post(&self, Ask { attempt, url, body, timeout_ms }: Ask) -> Event {
        match self.call(url, body, timeout_ms) {
            Some(response) => Event::Answer { attempt, status: response.status, body: response.body },
            None => Event::NetworkFailure { attempt },
        }
    }

    /// Calls the transport in a separate thread, which is abandoned when the time limit is reached.
    fn call(&self, url: String, body: Vec<u8>, timeout_ms: u64) -> Option<Response> {
        if Arc::strong_count(&self.calls) > HANGING_CALLS {
            return None;
        }
        let (transport, call) = (self.transport.clone(), self.calls.clone());
        let (answer, answered) = mpsc::channel();
        let post = move || {
            let response = transport.post(url, body, timeout_ms);
            drop(call);
            // The caller may have stopped waiting.
            drop(answer.send(response));
        };
        thread::Builder::new().name("license".into()).spawn(post).ok()?;
        answered.recv_timeout(Duration::from_millis(timeout_ms)).ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use lacre_license::Moment;

    use super::*;
    use crate::supplied::{StoreError, TransportError};

    /// A store without a record, a clock that does not advance, and a network whose calls return when the test ends.
    struct Hanging(Mutex<mpsc::Receiver<()>>);

    impl RecordStore for Hanging {
        fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(None)
        }

        fn write(&self, _: Vec<u8>) -> Result<(), StoreError> {
            Ok(())
        }

        fn erase(&self) -> Result<(), StoreError> {
            Ok(())
        }
    }

    impl Clock for Hanging {
        fn now(&self) -> Moment {
            Moment { wall_ms: 1_790_000_000_000, monotonic_ms: 0 }
        }
    }

    impl Transport for Hanging {
        fn post(&self, _: String, _: Vec<u8>, _: u64) -> Result<Response, TransportError> {
            let _released = self.0.lock().unwrap().recv();
            Err(TransportError::Failed { detail: "released".into() })
        }
    }

    #[test]
    fn bounds_attempts_and_calls_when_transport_hangs() {
        let (_release, released) = mpsc::channel();
        let device = Arc::new(Hanging(Mutex::new(released)));
        let (store, transport, clock) = (device.clone(), device.clone(), device.clone());
        let client = LicenseClient::new(Platform::Android, vec![7; 32], store, transport, clock).unwrap();
        let settings =
            || Settings { license_url: "https://l.example".into(), license_key: "k".into(), app: "a".into() };
        for _ in 0..=HANGING_CALLS {
            let configure = Event::Configure { settings: settings(), stored: None };
            let Next::Ask(ask) = client.step(&mut client.machine(), configure) else { panic!("not asked") };
            let event = client.post(Ask { timeout_ms: 1, ..ask });
            let Next::Decided(decision) = client.step(&mut client.machine(), event) else { panic!("not decided") };
            assert_eq!(decision, Decision::Refuse(lacre_license::Denial::NetworkError));
        }
        assert_eq!(Arc::strong_count(&client.calls), 1 + HANGING_CALLS);
    }
}
