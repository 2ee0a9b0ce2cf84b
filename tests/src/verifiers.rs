//! The verifiers of proofs: our own, the C2PA library's reader, and independent tools.

use std::{path::Path, process::Command};

use c2pa::{Context, Reader, Settings, ValidationState};
use lacre_verify::{Anchors, Contents, Report, check};
use time::OffsetDateTime;

/// The verdict of our verifier on a delivered JPEG at the current time.
pub fn ours(jpeg: &[u8], anchors: &str) -> (Report, Option<Contents>) {
    let verdict = check(jpeg, &Anchors::from_pem(anchors).unwrap(), OffsetDateTime::now_utc());
    (verdict.report, verdict.contents)
}

/// The verdict of the C2PA library's reader on a JPEG with its embedded manifest, and on the frame with the separate
/// manifest.
pub fn c2pa_reader(jpeg: &[u8], manifest: &[u8], anchors: &str) -> [ValidationState; 2] {
    let settings = serde_json::json!({
        "trust": { "trust_anchors": anchors },
        "verify": { "verify_trust": true, "remote_manifest_fetch": false },
    });
    let reader = || {
        let settings = Settings::new().with_json(&settings.to_string()).unwrap();
        Reader::from_context(Context::new().with_settings(settings).unwrap())
    };
    let inside = reader().with_stream("image/jpeg", std::io::Cursor::new(jpeg)).unwrap();
    let beside = reader().with_manifest_data_and_stream(manifest, "image/jpeg", std::io::Cursor::new(jpeg)).unwrap();
    [inside.validation_state(), beside.validation_state()]
}

/// Verifies a proof with OpenSSL and c2pa-python, and returns their output.
pub fn independent(jpeg: &Path, anchors: &Path) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/verify-independently");
    let output = Command::new(script).arg(jpeg).arg(anchors).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
