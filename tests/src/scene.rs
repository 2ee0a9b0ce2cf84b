//! Scenes of which there are photos and copies, and the index that leads from one to the other.

use std::{ops::Range, time::Duration};

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

/// A part of a scene of colored tiles, which `seed` determines, as a camera or a messenger encodes it. `scene` is the size
/// of the whole.
fn encoded(seed: u64, scene: (usize, usize), (columns, rows): (Range<usize>, Range<usize>), quality: u8) -> Vec<u8> {
    const TILES: (usize, usize) = (9, 7);
    let mut random = fastrand::Rng::with_seed(seed);
    let tiles: Vec<[u8; 3]> = (0..TILES.0 * TILES.1).map(|_| [random.u8(..), random.u8(..), random.u8(..)]).collect();
    let [width, height] = [&columns, &rows].map(|part| u16::try_from(part.len()).unwrap());
    let pixels = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
    let color = |(x, y)| tiles[y * TILES.1 / scene.1 * TILES.0 + x * TILES.0 / scene.0];
    let samples: Vec<u8> = pixels.flat_map(color).collect();
    let mut jpeg = Vec::new();
    Encoder::new(&mut jpeg, quality).encode(&samples, width, height, ColorType::Rgb).unwrap();
    jpeg
}

/// The photo of a scene as it is captured.
pub fn photo(seed: u64) -> Vec<u8> {
    frame::with_comment(&encoded(seed, (960, 720), (0..960, 0..720), 92))
}

/// What a messenger makes of it: smaller, and compressed again.
pub fn copy(seed: u64) -> Vec<u8> {
    encoded(seed, (640, 480), (0..640, 0..480), 60)
}

/// Such a copy of which a part was cut off, so that only the comparison of the pictures finds it.
pub fn cropped(seed: u64) -> Vec<u8> {
    encoded(seed, (640, 480), (20..600, 10..440), 60)
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
