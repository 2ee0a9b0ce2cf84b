//! Everyone who can check a proof: we ourselves, the C2PA library's own reader, and tools that we did not write.

use std::{path::Path, process::Command};

use c2pa::{Context, Reader, Settings, ValidationState};
use lacre_verify::{Anchors, Contents, Report, check};
use time::OffsetDateTime;

/// Our own verdict on a delivered JPEG, now.
pub fn ours(jpeg: &[u8], anchors: &str) -> (Report, Option<Contents>) {
    let verdict = check(jpeg, &Anchors::from_pem(anchors).unwrap(), OffsetDateTime::now_utc());
    (verdict.report, verdict.contents)
}

/// The verdict of the C2PA library's reader on a JPEG with its manifest inside, and on the frame with the sidecar beside.
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

/// Checks a proof with OpenSSL and with c2pa-python, and gives what they print.
pub fn independent(jpeg: &Path, anchors: &Path) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/verify-independently");
    let output = Command::new(script).arg(jpeg).arg(anchors).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
