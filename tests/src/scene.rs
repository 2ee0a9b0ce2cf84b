//! Scenes of which there are photos and copies, and the index that leads from one to the other.

use std::time::Duration;

use jpeg_encoder::{ColorType, Encoder};
use lacre_domain::{Environment, FingerprintMode, NamedTerms, RecaptureGate, StoreAssetPolicy};

use crate::{Service, Storage, customer::Customer, frame};

/// A service whose index follows the captures.
pub async fn service() -> Service {
    Service::start_with(local::Options { follows_streams: true, ..local::Options::for_tests() }).await
}

/// A customer in the sandbox whose license has fingerprints.
pub async fn customer(service: &Service, storage: StoreAssetPolicy) -> Customer<'_> {
    let terms = NamedTerms {
        fingerprint: Some(FingerprintMode::Code),
        store_asset_policy: Some(storage),
        recapture_gate: Some(RecaptureGate::Off),
        ..NamedTerms::default()
    };
    Customer::new(service, Environment::Sandbox, terms).await
}

/// A scene of colored tiles, which `seed` determines, as a camera or a messenger encodes it.
fn encoded(seed: u64, (width, height): (u16, u16), quality: u8) -> Vec<u8> {
    const TILES: (usize, usize) = (9, 7);
    let mut random = fastrand::Rng::with_seed(seed);
    let tiles: Vec<[u8; 3]> = (0..TILES.0 * TILES.1).map(|_| [random.u8(..), random.u8(..), random.u8(..)]).collect();
    let (columns, rows) = (usize::from(width), usize::from(height));
    let pixel = |i: usize| tiles[(i / columns) * TILES.1 / rows * TILES.0 + (i % columns) * TILES.0 / columns];
    let samples: Vec<u8> = (0..columns * rows).flat_map(pixel).collect();
    let mut jpeg = Vec::new();
    Encoder::new(&mut jpeg, quality).encode(&samples, width, height, ColorType::Rgb).unwrap();
    jpeg
}

/// The photo of a scene as it is captured.
pub fn photo(seed: u64) -> Vec<u8> {
    frame::with_comment(&encoded(seed, (960, 720), 92))
}

/// What a messenger makes of it: smaller, and compressed again.
pub fn copy(seed: u64) -> Vec<u8> {
    encoded(seed, (640, 480), 60)
}

/// Waits until the index has as many entries: a secret for each client's environment, and 17 for each capture.
pub async fn indexed(service: &Service, entries: usize) {
    let storage = Storage::of(service);
    for _ in 0..400 {
        let scan = storage.dynamodb.scan().table_name(service.variable("PRINTS_TABLE")).send().await.unwrap();
        if scan.count() as usize == entries {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the index never had {entries} entries");
}
