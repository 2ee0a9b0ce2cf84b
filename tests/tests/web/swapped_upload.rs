//! Tests an upload that is replaced between its check and the signing: the checked bytes are signed.

use std::sync::OnceLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_domain::FrameHash;
use lacre_recapture::{Analysis, Planes};
use lacre_tests::{Service, frame, service::Loaded, verifiers};
use reqwest::StatusCode;
use serde_json::json;
use tokio::runtime::Handle;

/// The load of the upload, and its replacement.
static SWAP: OnceLock<(Loaded, Vec<u8>)> = OnceLock::new();
static SWAPPED: OnceLock<StatusCode> = OnceLock::new();

/// The analysis runs after the check of the bytes and before the signatures.
fn swap(planes: Planes, threshold: f64) -> Analysis {
    let (loaded, other) = SWAP.get().unwrap();
    let put = async {
        let request = reqwest::Client::new().put(loaded.text("upload_url")).header("content-type", "image/jpeg");
        request.body(other.clone()).send().await.unwrap().status()
    };
    SWAPPED.set(Handle::current().block_on(put)).unwrap();
    lacre_recapture::analyse(planes, threshold)
}

#[tokio::test]
async fn signs_only_the_checked_frame() {
    let service = Service::start_with(local::Options { analyse: swap, ..local::Options::for_tests() }).await;
    let (photo, other) = (frame::fresh(), frame::fresh());
    let loaded = service.open("LICENSE_KEY_ALWAYS").await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    SWAP.set((loaded.clone(), other)).unwrap();

    let ingested = service.ingest(&service.submission(&loaded, &photo)).await.ok();
    assert_eq!(SWAPPED.get(), Some(&StatusCode::OK), "the upload was swapped");
    let inline = STANDARD.decode(ingested["signed_image_base64"].as_str().unwrap()).unwrap();
    let kept = service.fetch(ingested["authenticated_jpeg_url"].as_str().unwrap()).await;
    assert!(kept == (200, inline.clone()), "what is kept is what was delivered");
    let (report, contents) = verifiers::ours(&inline, service.trust_anchors());
    assert!(report.valid, "{:?}", report.checks);
    assert!(contents.unwrap().frame == photo, "the proof is of the frame that was checked");
    let results = service.results(&loaded.token).await.ok();
    assert_eq!(results["photos"][0]["frame_hash_hex"], json!(FrameHash::of(&photo).hex()));
}
