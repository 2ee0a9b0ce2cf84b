//! Tests of the client with stores, transports and clocks that fail.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use license_client::{
    Clock, DeviceIntegrity, LicenseClient, LicenseError, Moment, Permit, Platform, Policy, Reason, RecordStore,
    Response, Risk, StoreError, Transport, TransportError,
};
use serde_json::json;

const URL: &str = "https://license.example.com";
const KEY: &str = "svc_test_4mT7Qw";
const APP: &str = "com.example.sinistros";
const HOUR: u64 = 3_600_000;
const INTACT: DeviceIntegrity = DeviceIntegrity::Intact;

#[derive(Default)]
struct Memory {
    record: Mutex<Option<Vec<u8>>>,
    refuses_writes: AtomicBool,
    refuses_erasure: AtomicBool,
}

fn refused(refuses: &AtomicBool) -> Result<(), StoreError> {
    if refuses.load(Ordering::SeqCst) { Err(StoreError::Failed { detail: "full".into() }) } else { Ok(()) }
}

impl RecordStore for Memory {
    fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.record.lock().unwrap().clone())
    }

    fn write(&self, record: Vec<u8>) -> Result<(), StoreError> {
        refused(&self.refuses_writes)?;
        *self.record.lock().unwrap() = Some(record);
        Ok(())
    }

    fn erase(&self) -> Result<(), StoreError> {
        refused(&self.refuses_erasure)?;
        *self.record.lock().unwrap() = None;
        Ok(())
    }
}

/// A network with the response that the test sets; `None` is a failure.
struct Network(Mutex<Option<Response>>);

impl Network {
    fn brings(&self, response: Option<Response>) {
        *self.0.lock().unwrap() = response;
    }
}

impl Transport for Network {
    fn post(&self, url: String, body: Vec<u8>, timeout_ms: u64) -> Result<Response, TransportError> {
        assert_eq!((url.as_str(), timeout_ms), ("https://license.example.com/validate", 15_000));
        assert_eq!(body, json!({ "license_key": KEY }).to_string().into_bytes());
        self.0.lock().unwrap().clone().ok_or_else(|| TransportError::Failed { detail: "no network".into() })
    }
}

#[derive(Default)]
struct Watch {
    passed_ms: Mutex<u64>,
    is_broken: AtomicBool,
}

impl Watch {
    fn wait(&self, ms: u64) {
        *self.passed_ms.lock().unwrap() += ms;
    }
}

impl Clock for Watch {
    fn now(&self) -> Moment {
        assert!(!self.is_broken.load(Ordering::SeqCst), "the clock is broken");
        let passed_ms = *self.passed_ms.lock().unwrap();
        Moment { wall_ms: 1_790_000_000_000 + i64::try_from(passed_ms).unwrap(), monotonic_ms: passed_ms }
    }
}

struct Device {
    store: Arc<Memory>,
    network: Arc<Network>,
    clock: Arc<Watch>,
}

impl Device {
    fn new() -> Self {
        Self { store: Arc::default(), network: Arc::new(Network(Mutex::new(Some(valid())))), clock: Arc::default() }
    }

    /// Starts a process of the app with the given record key.
    fn start_with(&self, record_key: Vec<u8>) -> Result<Arc<LicenseClient>, LicenseError> {
        let (store, network, clock) = (self.store.clone(), self.network.clone(), self.clock.clone());
        LicenseClient::new(Platform::Android, record_key, store, network, clock)
    }

    fn start(&self) -> Arc<LicenseClient> {
        self.start_with(vec![7; 32]).unwrap()
    }

    fn stored(&self) -> Option<Vec<u8>> {
        self.store.record.lock().unwrap().clone()
    }
}

fn configure(client: &LicenseClient) -> Result<Policy, LicenseError> {
    client.configure(URL.into(), KEY.into(), APP.into())
}

fn valid() -> Response {
    let body = json!({
        "valid": true, "environment": "SANDBOX", "integrity_enforcement": "WARN", "capture_resolution": "FHD",
        "tsa_required": false, "max_captures_per_session": 4, "captures_used": 9, "volume_limit": 10,
        "expires_at": "2026-11-21T12:00:00Z",
    });
    Response { status: 200, body: body.to_string().into_bytes() }
}

fn refusal() -> Response {
    Response { status: 200, body: json!({ "valid": false, "reason": "REVOKED" }).to_string().into_bytes() }
}

#[test]
fn a_capture_is_permitted_under_the_policy() {
    let client = Device::new().start();
    assert_eq!(client.begin_capture(INTACT), Err(LicenseError::NotConfigured));
    let policy = configure(&client).unwrap();
    assert_eq!((policy.max_captures_per_session, policy.expires_at.as_str()), (Some(4), "2026-11-21T12:00:00Z"));
    assert_eq!(client.finish_capture(INTACT), Err(LicenseError::NoCapture));
    let permit = Permit { policy, risk: None };
    assert_eq!(client.begin_capture(INTACT), Ok(permit.clone()));
    assert_eq!(client.finish_capture(INTACT), Ok(permit));
}

#[test]
fn enforcement_decides_about_compromised_devices() {
    for (enforcement, expected) in [
        ("WARN", Ok(Some(Risk::CompromisedDevice))),
        ("BLOCK", Err(LicenseError::DeviceCompromised)),
        ("IGNORE", Ok(None)),
    ] {
        let device = Device::new();
        let body = String::from_utf8(valid().body).unwrap().replace("WARN", enforcement);
        device.network.brings(Some(Response { status: 200, body: body.into_bytes() }));
        let client = device.start();
        configure(&client).unwrap();
        let compromised = DeviceIntegrity::Compromised;
        assert_eq!(client.begin_capture(compromised).map(|permit| permit.risk), expected);
        assert!(client.begin_capture(INTACT).is_ok());
        assert_eq!(client.finish_capture(compromised).map(|permit| permit.risk), expected);
    }
}

#[test]
fn a_restart_needs_the_same_key() {
    let device = Device::new();
    configure(&device.start()).unwrap();
    device.network.brings(None);
    assert!(configure(&device.start()).is_ok());
    assert_eq!(configure(&device.start_with(vec![8; 32]).unwrap()), Err(LicenseError::NetworkError));
}

#[test]
fn stores_no_license_key() {
    let device = Device::new();
    configure(&device.start()).unwrap();
    let stored = device.stored().unwrap();
    assert!(!stored.windows(KEY.len()).any(|window| window == KEY.as_bytes()));
}

#[test]
fn a_changed_record_counts_as_empty() {
    let device = Device::new();
    configure(&device.start()).unwrap();
    let whole = device.stored().unwrap();
    device.network.brings(None);
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        device.store.write(changed).unwrap();
        assert_eq!(configure(&device.start()), Err(LicenseError::NetworkError), "{place}");
    }
    device.store.write(whole).unwrap();
    assert!(configure(&device.start()).is_ok());
}

#[test]
fn a_short_record_key_is_refused() {
    for length in [0, 31] {
        assert_eq!(Device::new().start_with(vec![7; length]).err(), Some(LicenseError::WeakRecordKey));
    }
    assert!(Device::new().start_with(vec![7; 33]).is_ok());
}

#[test]
fn only_a_stored_failure_is_tolerated() {
    let device = Device::new();
    device.store.refuses_writes.store(true, Ordering::SeqCst);
    let client = device.start();
    assert!(configure(&client).is_ok());
    device.clock.wait(HOUR);
    device.network.brings(None);
    assert_eq!(client.begin_capture(INTACT), Err(LicenseError::NetworkError));
    device.store.refuses_writes.store(false, Ordering::SeqCst);
    assert!(client.begin_capture(INTACT).is_ok());
}

#[test]
fn refusals_erase_or_empty_the_record() {
    for refuses_erasure in [false, true] {
        let device = Device::new();
        configure(&device.start()).unwrap();
        device.clock.wait(HOUR);
        device.store.refuses_erasure.store(refuses_erasure, Ordering::SeqCst);
        device.network.brings(Some(refusal()));
        assert_eq!(configure(&device.start()), Err(LicenseError::Invalid { reason: Reason::Revoked }));
        assert!(device.stored().is_none_or(|record| record.is_empty()));
        device.network.brings(None);
        assert_eq!(configure(&device.start()), Err(LicenseError::NetworkError));
    }
}

#[test]
fn remembers_refusals_when_erasing_fails() {
    let device = Device::new();
    configure(&device.start()).unwrap();
    device.clock.wait(HOUR);
    let client = device.start();
    device.store.refuses_erasure.store(true, Ordering::SeqCst);
    device.store.refuses_writes.store(true, Ordering::SeqCst);
    device.network.brings(Some(refusal()));
    assert_eq!(configure(&client), Err(LicenseError::Invalid { reason: Reason::Revoked }));
    device.network.brings(None);
    device.store.refuses_writes.store(false, Ordering::SeqCst);
    for _ in 0..2 {
        assert_eq!(configure(&client), Err(LicenseError::NetworkError));
    }
    assert_eq!(device.stored(), Some(Vec::new()), "erased as soon as the store allows it");
}

#[test]
fn remembers_resets_when_erasing_fails() {
    let device = Device::new();
    let client = device.start();
    configure(&client).unwrap();
    device.store.refuses_erasure.store(true, Ordering::SeqCst);
    device.store.refuses_writes.store(true, Ordering::SeqCst);
    client.reset();
    device.network.brings(None);
    assert_eq!(configure(&client), Err(LicenseError::NetworkError));
}

/// A network that holds each request until the test responds to it.
struct Held {
    asked: Mutex<mpsc::Sender<()>>,
    answers: Mutex<mpsc::Receiver<Response>>,
}

impl Transport for Held {
    fn post(&self, _: String, _: Vec<u8>, _: u64) -> Result<Response, TransportError> {
        self.asked.lock().unwrap().send(()).unwrap();
        Ok(self.answers.lock().unwrap().recv().unwrap())
    }
}

/// A client whose request is pending, and the sender for its response.
fn asking(
    device: &Device,
) -> (Arc<LicenseClient>, mpsc::Sender<Response>, thread::JoinHandle<Result<Policy, LicenseError>>) {
    let ((asked, wait_asked), (answer, answers)) = (mpsc::channel(), mpsc::channel());
    let network = Arc::new(Held { asked: Mutex::new(asked), answers: Mutex::new(answers) });
    let (store, clock) = (device.store.clone(), device.clock.clone());
    let client = LicenseClient::new(Platform::Android, vec![7; 32], store, network, clock).unwrap();
    let caller = thread::spawn({
        let client = client.clone();
        move || configure(&client)
    });
    wait_asked.recv().unwrap();
    (client, answer, caller)
}

#[test]
fn concurrent_calls_fail_as_busy() {
    let (client, answer, caller) = asking(&Device::new());
    assert_eq!(client.begin_capture(INTACT), Err(LicenseError::Busy));
    answer.send(valid()).unwrap();
    assert!(caller.join().unwrap().is_ok());
    assert!(client.begin_capture(INTACT).is_ok());
}

#[test]
fn ignores_the_answer_after_a_reset() {
    let device = Device::new();
    let (client, answer, caller) = asking(&device);
    client.reset();
    answer.send(valid()).unwrap();
    assert_eq!(caller.join().unwrap(), Err(LicenseError::NotConfigured));
    assert_eq!(device.stored(), None);
    assert_eq!(client.begin_capture(INTACT), Err(LicenseError::NotConfigured));
}

#[test]
fn a_late_answer_is_a_failure() {
    let device = Device::new();
    let (_, answer, caller) = asking(&device);
    device.clock.wait(15_000);
    answer.send(valid()).unwrap();
    assert_eq!(caller.join().unwrap(), Err(LicenseError::NetworkError));
}

#[test]
fn the_client_survives_a_platform_panic() {
    let device = Device::new();
    let client = device.start();
    device.clock.is_broken.store(true, Ordering::SeqCst);
    assert!(
        thread::spawn({
            let client = client.clone();
            move || configure(&client)
        })
        .join()
        .is_err()
    );
    device.clock.is_broken.store(false, Ordering::SeqCst);
    assert!(configure(&client).is_ok());
}

#[test]
fn errors_show_their_code_first() {
    let errors = [
        (LicenseError::NetworkError, "LICENSE_NETWORK_ERROR"),
        (LicenseError::ValidationUnavailable, "LICENSE_VALIDATION_UNAVAILABLE"),
        (LicenseError::PolicyChangedDuringCapture, "LICENSE_POLICY_CHANGED_DURING_CAPTURE"),
        (LicenseError::Invalid { reason: Reason::Expired }, "LICENSE_INVALID"),
        (LicenseError::DeviceCompromised, "LICENSE_DEVICE_COMPROMISED"),
        (LicenseError::NotConfigured, "LICENSE_NOT_CONFIGURED"),
        (LicenseError::ResetRequired, "LICENSE_RESET_REQUIRED"),
        (LicenseError::NoCapture, "LICENSE_NO_CAPTURE"),
        (LicenseError::Busy, "LICENSE_BUSY"),
        (LicenseError::WeakRecordKey, "LICENSE_WEAK_RECORD_KEY"),
    ];
    for (error, code) in errors {
        assert_eq!(error.code(), code);
        assert!(error.to_string().starts_with(&format!("{code}: ")), "{error}");
    }
    assert_eq!(LicenseError::Invalid { reason: Reason::Expired }.to_string(), "LICENSE_INVALID: EXPIRED");
}
