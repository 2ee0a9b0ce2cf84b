//! The contract, line by line: every row of its tables of errors, and the order of each route's checks.

mod order;
mod rows;

use domain::Refusal;
use serde_json::{Value, json};

/// The whole body of a refusal. Texts and reasons are the table's, which a test of `domain` compares with `docs/api.md`.
fn body(refusal: Refusal) -> Value {
    let mut body = json!({ "error": refusal.text("Lacre") });
    if let Some(reason) = refusal.block_reason() {
        body["block_reason"] = reason.into();
    }
    match refusal {
        Refusal::RecaptureDetected => body["recapture_risk"] = "HIGH".into(),
        Refusal::AssetTooLarge { bytes, max_asset_bytes } => {
            (body["bytes"], body["max_asset_bytes"]) = (bytes.into(), max_asset_bytes.into());
        }
        _ => {}
    }
    body
}
