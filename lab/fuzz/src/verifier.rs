//! The verifier on arbitrary bytes.

use lacre_photo::Jpeg;
use lacre_verify::check;

use crate::seed::{DELIVERED, JUDGE};

/// Only the signed file verifies. What is extracted from any other file is a photo and part of that file.
pub fn hold(data: &[u8]) {
    let verdict = check(data, &JUDGE.anchors, JUDGE.now);
    let checks = &verdict.report.checks;
    assert_eq!(verdict.report.valid, checks.iter().all(|check| check.holds));
    assert_eq!(verdict.report.valid, data == DELIVERED, "{checks:?}");
    serde_json::to_string(&verdict.report).unwrap();
    if let Some(contents) = verdict.contents {
        assert!(Jpeg::parse(&contents.frame).is_ok());
        assert!(contents.frame.len() + contents.manifest.len() < data.len());
    }
}
