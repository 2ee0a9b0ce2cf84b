//! An index for tests: a photo in each state.

use lacre_api::dossier::DossierIndex;
use serde_json::{Value, json};

/// An index of the production environment with five photos: of two sessions, and one whose session is not known.
pub(super) fn index() -> DossierIndex {
    index_of(&json!({}))
}

/// The sample with other values at its top level.
#[allow(clippy::unwrap_used)]
pub(super) fn index_of(changes: &Value) -> DossierIndex {
    let mut index = json!({
        "format": "lacre-dossier-1",
        "reference_id": "sinistro-2026/0042",
        "client_id": "0b6e9c2e-1111-4222-8333-444455556666",
        "client_name": "Seguradora Exemplo S.A.",
        "environment": "PRODUCTION",
        "made_at": "2026-11-30T15:04:05Z",
        "log": { "origin": "log.example/production", "size": 48_211, "root": digest(9) },
        "photos": photos(),
        "refused": refused(),
        "licenses": [{
            "id": "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b",
            "expires_at": "2027-12-31T00:00:00Z",
            "volume_limit": 50_000,
            "store_asset_policy": "ALWAYS",
            "gps_mode": "REQUIRE",
            "recapture_gate": "RECORD",
            "tsa_required": true,
        }],
        "kits": [{ "kit": "auto-previa", "version": 3, "part": "kits/auto-previa-3.json" }],
        "parts": [],
    });
    index.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    serde_json::from_value(index).unwrap()
}

fn photos() -> Vec<Value> {
    let step = |mut photo: Value, step: &str| {
        photo["asked_for"] = json!({ "kit": "auto-previa", "version": 3, "sha256": digest(8), "step": step });
        photo
    };
    let mut included = [photo(1, "included"), photo(2, "included")].map(|photo| step(photo, "frente"));
    included[1] = step(included[1].take(), "chassi");
    for (number, photo) in (1..).zip(&mut included) {
        photo["photo"] = format!("photos/00{number}/photo.jpg").into();
        photo["evidence_records"] = json!([format!("photos/00{number}/photo.ers")]);
        photo["evidence_bundles"] = json!(["bundles/2026-11-29.p7b"]);
        photo["log_proof"] = format!("photos/00{number}/photo.tlog-proof").into();
    }
    let [first, second] = included;
    let mut not_retained = photo(3, "not_retained");
    not_retained["manifest"] = "photos/003/photo.c2pa".into();
    not_retained["gps_result"] = "NOT_OBTAINED".into();
    let mut withheld = photo(4, "withheld");
    withheld["acts"] = json!([
        { "state": "withheld", "at": "2026-11-22T12:00:00Z", "reason": "processo 2026/116" },
        { "state": "held", "at": "2026-11-23T12:00:00Z", "reason": "engano" },
        { "state": "withheld", "at": "2026-11-24T12:00:00Z", "reason": "processo 2026/117" },
    ]);
    let mut erased = photo(5, "erased");
    erased["acts"] = json!([{ "state": "erased", "at": "2026-11-25T12:00:00Z", "reason": "pedido 2026/41" }]);
    erased["gps_result"] = "NOT_CHECKED".into();
    erased["session"] = Value::Null;
    vec![first, second, not_retained, withheld, erased]
}

/// A refused photo of the first session, and one of a session without photos.
fn refused() -> Value {
    json!([
        {
            "session": 1,
            "session_created_at": "2026-11-21T13:40:00Z",
            "at": "2026-11-21T13:44:10Z",
            "photo_order": 1,
            "reason": "RecaptureDetected",
            "frame_hash": digest(64),
        },
        {
            "session": 3,
            "session_created_at": "2026-11-26T09:00:00Z",
            "at": "2026-11-26T09:31:00Z",
            "reason": "SessionExpired",
        },
    ])
}

/// A photo that was received on the day with its number.
fn photo(number: u8, state: &str) -> Value {
    let risk = ["NONE", "HIGH", "UNKNOWN"][usize::from(number - 1) % 3];
    json!({
        "capture_id": digest(number),
        "state": state,
        "session": 1 + number / 3,
        "photo_order": number,
        "license_id": "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b",
        "origin": "https://fotos.seguradora.example",
        "ingested_at": format!("2026-11-2{number}T13:45:00Z"),
        "gps_result": if number == 1 { "ACCEPTED" } else { "OBSERVED" },
        "recapture_risk": risk,
        "frame_hash": digest(16 + number),
        "jpeg_sha256": digest(32 + number),
        "manifest_sha256": digest(48 + number),
    })
}

fn digest(byte: u8) -> String {
    format!("{byte:02x}").repeat(32)
}
