//! Replays the vectors through the client against the service of `sdk/replay/service.py`: `replay VECTORS`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::SeqCst},
    },
};

use license_client::{
    Clock, DeviceIntegrity, FileStore, HttpTransport, LicenseClient, LicenseError, Moment, Permit, Platform,
    RecordStore, Response, StoreError, SystemClock, Transport, TransportError,
};
use serde_json::{Value, json};

const APP: &str = "com.example.sinistros";

struct Watch {
    wall_ms: AtomicI64,
    monotonic_ms: AtomicU64,
}

impl Watch {
    fn wait(&self, ms: u64) {
        self.wall_ms.fetch_add(i64::try_from(ms).unwrap(), SeqCst);
        self.monotonic_ms.fetch_add(ms, SeqCst);
    }
}

impl Clock for Watch {
    fn now(&self) -> Moment {
        Moment { wall_ms: self.wall_ms.load(SeqCst), monotonic_ms: self.monotonic_ms.load(SeqCst) }
    }
}

struct Store {
    file: Arc<FileStore>,
    is_broken: AtomicBool,
}

impl Store {
    fn tamper(&self) {
        if let Some(mut record) = self.file.read().unwrap() {
            record[0] ^= 1;
            self.file.write(record).unwrap();
        }
    }
}

impl RecordStore for Store {
    fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.file.read()
    }

    fn write(&self, record: Vec<u8>) -> Result<(), StoreError> {
        if self.is_broken.load(SeqCst) {
            return Err(StoreError::Failed { detail: "broken".into() });
        }
        self.file.write(record)
    }

    fn erase(&self) -> Result<(), StoreError> {
        self.file.erase()
    }
}

/// An HTTP transport whose network may be slow according to the device's simulated clock.
struct Network {
    http: Arc<HttpTransport>,
    clock: Arc<Watch>,
    is_late: AtomicBool,
    asked: AtomicU64,
}

impl Transport for Network {
    fn post(&self, url: String, body: Vec<u8>, timeout_ms: u64) -> Result<Response, TransportError> {
        self.asked.fetch_add(1, SeqCst);
        if self.is_late.load(SeqCst) {
            self.clock.wait(timeout_ms);
        }
        self.http.post(url, body, timeout_ms)
    }
}

struct Device {
    platform: Platform,
    clock: Arc<Watch>,
    store: Arc<Store>,
    network: Arc<Network>,
    client: Arc<LicenseClient>,
    scene: Value,
}

fn call(url: &str, body: &Value) -> Value {
    let answer = HttpTransport::new().post(url.into(), body.to_string().into_bytes(), 30_000).unwrap();
    assert_eq!(answer.status, 200, "{url}");
    serde_json::from_slice(&answer.body).unwrap()
}

impl Device {
    fn new(platform: &str, folder: &Path) -> Self {
        let platform = match platform {
            "android" => Platform::Android,
            "ios" => Platform::Ios,
            other => panic!("no platform {other}"),
        };
        let wall_ms = SystemClock::new().now().wall_ms;
        let clock = Arc::new(Watch { wall_ms: AtomicI64::new(wall_ms), monotonic_ms: AtomicU64::new(77_000) });
        let file = FileStore::new(folder.join("record").to_str().unwrap().into());
        let store = Arc::new(Store { file, is_broken: AtomicBool::new(false) });
        let (is_late, asked) = (AtomicBool::new(false), AtomicU64::new(0));
        let network = Arc::new(Network { http: HttpTransport::new(), clock: clock.clone(), is_late, asked });
        let scene = call(&format!("{}/scenes", env::var("REPLAY_SERVICE").unwrap()), &json!({}));
        let client = Self::start(platform, &store, &network, &clock);
        Self { platform, clock, store, network, client, scene }
    }

    fn start(platform: Platform, store: &Arc<Store>, network: &Arc<Network>, clock: &Arc<Watch>) -> Arc<LicenseClient> {
        LicenseClient::new(platform, vec![7; 32], store.clone(), network.clone(), clock.clone()).unwrap()
    }

    fn change(&mut self, what: &str, change: &Value) {
        self.scene = call(&format!("{}/{what}", self.scene["license_url"].as_str().unwrap()), change);
    }

    fn play(&mut self, step: &Value, place: &str) {
        let integrity = match step.get("integrity").map_or("intact", |integrity| integrity.as_str().unwrap()) {
            "intact" => DeviceIntegrity::Intact,
            "compromised" => DeviceIntegrity::Compromised,
            other => panic!("{place}: no integrity {other}"),
        };
        let seconds = || step["seconds"].as_i64().unwrap();
        match step["do"].as_str().unwrap() {
            "configure" => {
                let license = step.get("license").map_or("first", |license| license.as_str().unwrap());
                let key = self.scene["keys"][license].as_str().unwrap().to_owned();
                let app = step.get("app").map_or(APP, |app| app.as_str().unwrap()).to_owned();
                let url = self.scene["license_url"].as_str().unwrap().to_owned();
                self.expect(step, place, |client| {
                    client.configure(url, key, app).map(|policy| Permit { policy, risk: None })
                });
            }
            "begin" => self.expect(step, place, |client| client.begin_capture(integrity)),
            "finish" => self.expect(step, place, |client| client.finish_capture(integrity)),
            "reset" => self.client.reset(),
            "network_available" => self.client.network_available(),
            "restart" => {
                self.clock.monotonic_ms.store(1_000, SeqCst);
                self.client = Self::start(self.platform, &self.store, &self.network, &self.clock);
            }
            "tamper" => self.store.tamper(),
            "wait" => self.clock.wait(u64::try_from(seconds()).unwrap() * 1000),
            "set_clock" => {
                self.clock.wall_ms.fetch_add(seconds() * 1000, SeqCst);
            }
            "network" => {
                self.network.is_late.store(step["state"] == "late", SeqCst);
                self.change("network", &json!({ "state": step["state"] }));
            }
            "license" => self.change("license", &json!({ "change": step["change"] })),
            "store" => self.store.is_broken.store(step["state"] == "broken", SeqCst),
            other => panic!("{place}: no step {other}"),
        }
    }

    fn expect(&self, step: &Value, place: &str, ask: impl FnOnce(&LicenseClient) -> Result<Permit, LicenseError>) {
        let asked = self.network.asked.load(SeqCst);
        let mut found = match ask(&self.client) {
            Ok(Permit { policy, risk }) => {
                json!({ "expect": "permit", "capture_resolution": policy.capture_resolution, "risk": risk })
            }
            Err(LicenseError::Invalid { reason }) => json!({ "expect": "LICENSE_INVALID", "reason": reason.as_str() }),
            Err(error) => json!({ "expect": error.code() }),
        };
        found["asked"] = json!(self.network.asked.load(SeqCst) > asked);
        for name in ["expect", "asked", "reason", "capture_resolution"] {
            if let Some(expected) = step.get(name) {
                assert_eq!(found[name], *expected, "{place}: {name}");
            }
        }
        assert_eq!(found["risk"], step["risk"], "{place}: risk");
    }
}

fn main() {
    let folder = env::args().nth(1).expect("the folder of the vectors");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut played = 0;
    for file in files {
        let content: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        for vector in content["vectors"].as_array().unwrap() {
            let folder = tempfile::tempdir().unwrap();
            let mut device = Device::new(vector["platform"].as_str().unwrap(), folder.path());
            for (number, step) in vector["steps"].as_array().unwrap().iter().enumerate() {
                device.play(step, &format!("{}: {}: step {number}, {step}", file.display(), vector["name"]));
            }
            played += 1;
        }
    }
    assert!(played > 100, "{played}");
    println!("Rust: {played} vectors");
}
