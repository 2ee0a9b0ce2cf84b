//! Measures a capture within the cached hour, from begin to end: two decisions without network. Prints the nanoseconds
//! per decision, and the ratio to a SHA-256 of 64 KiB, which is the same on all machines of a kind.
#![allow(clippy::unwrap_used)]

use std::{hint::black_box, time::Instant};

use lacre_license::{DeviceIntegrity, Effect, Event, Machine, Moment, RULES_ANDROID, Settings};
use sha2::{Digest, Sha256};

const ROUNDS: u32 = 20_000;
const POLICY: &str = r#"{"valid": true, "environment": "STAGING", "integrity_enforcement": "WARN", "capture_resolution": "FHD",
    "tsa_required": false, "max_captures_per_session": null, "captures_used": 0, "volume_limit": 100,
    "expires_at": "2027-12-31T23:59:59Z"}"#;

fn main() {
    let now = Moment { wall_ms: 1_790_000_000_000, monotonic_ms: 5_000 };
    let settings = Settings {
        license_url: "https://license.example.com".into(),
        license_key: "svc_stag_key".into(),
        app: "com.example.sinistros".into(),
    };
    let mut machine = Machine::new(&RULES_ANDROID);
    let asked = machine.handle(Event::Configure { settings, stored: None }, now);
    let [Effect::Ask(ask)] = &asked[..] else { unreachable!("{asked:?}") };
    let answer = Event::Answer { attempt: ask.attempt, status: 200, body: POLICY.into() };
    assert_eq!(machine.handle(answer, now).len(), 2);

    let integrity = DeviceIntegrity::Intact;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        black_box(machine.handle(black_box(Event::BeginCapture { integrity }), now));
        black_box(machine.handle(black_box(Event::FinishCapture { integrity }), now));
    }
    let decision = start.elapsed() / (2 * ROUNDS);

    let block = vec![7; 65_536];
    let start = Instant::now();
    for _ in 0..ROUNDS / 100 {
        black_box(Sha256::digest(black_box(&block)));
    }
    let hash = start.elapsed() / (ROUNDS / 100);
    println!(
        "a decision: {decision:?}; SHA-256 of 64 KiB: {hash:?}; ratio {:.4}",
        decision.as_secs_f64() / hash.as_secs_f64()
    );
}
