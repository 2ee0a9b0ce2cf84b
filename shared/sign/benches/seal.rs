//! The cost of sealing a photo, compared with the minimum cost of any proof.
//!
//! For each photograph it measures: the minimum (one SHA-256 of the bytes, one P-256 signature, one copy); sealing as
//! ingest does it, with keys in this process (hash, manifest, claim signature, insertion into the frame); their ratio;
//! and the difference. It reports separately the check that the file is a photo, which decodes every coefficient, and
//! the RSA signature with its CAdES message.
//!
//! Run `cargo bench -p lacre-sign`, after `scripts/photos` for real photographs (`LACRE_PHOTO_DIR` names another
//! folder). Without photographs, synthetic images are used.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use lacre_domain::FrameHash;
use lacre_photo::CheckedPhoto;
use lacre_proof::Timestamps;
use lacre_sign::DigestSigner;
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

const ROUNDS: usize = 200;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap_or_else(|error| {
        eprintln!("no runtime: {error}");
        std::process::exit(1)
    });
    let mut photos = lacre_proof_fixtures::photographs();
    if photos.is_empty() {
        eprintln!("no photographs: scripts/photos makes them; images made here stand in");
        photos = [(1280, 720), (1920, 1080), (2560, 1440), (4000, 3000)]
            .map(|(width, height)| {
                (format!("made-{width}x{height}"), lacre_proof_fixtures::synthetic(width, height, false))
            })
            .into();
    }
    println!("median of {ROUNDS} rounds each, microseconds");
    println!(
        "{:<22} {:>9} {:>9} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9}",
        "photograph", "bytes", "floor", "seal", "ratio", "overhead", "check", "RSA", "delivered"
    );
    for (name, frame) in photos {
        measure(&runtime, &name, &frame);
    }
}

fn measure(runtime: &Runtime, name: &str, frame: &[u8]) {
    let sandbox = lacre_proof_fixtures::Sandbox::shared();
    let signers = sandbox.signers();
    let facts = lacre_proof_fixtures::facts();
    let hash = FrameHash::of(frame);
    let sign_frame = || runtime.block_on(signers.sign_frame(&hash, &facts, &sandbox.rsa, Timestamps::None));
    let (Ok(signature), Ok(photo)) = (sign_frame(), CheckedPhoto::check(frame.into())) else { return };

    let mut delivered = 0;
    let (mut floors, mut seals, mut checks, mut rsa) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Measured alternately, so that a busy moment of the machine affects all four equally.
    for _ in 0..ROUNDS {
        floors.push(time(|| {
            let digest: [u8; 32] = Sha256::digest(frame).into();
            let signature = runtime.block_on(sandbox.ec.sign(digest));
            black_box((signature.is_ok(), frame.to_vec()));
        }));
        seals.push(time(|| {
            let hash = FrameHash::of(frame);
            let proof =
                runtime.block_on(signers.sign_manifest(&photo, &hash, &signature, &sandbox.ec, Timestamps::None, None));
            delivered = black_box(proof).map_or(0, |proof| proof.jpeg.len());
        }));
        checks.push(time(|| {
            black_box(CheckedPhoto::check(frame.into())).ok();
        }));
        rsa.push(time(|| {
            black_box(sign_frame()).ok();
        }));
    }
    let [floor, seal, check, rsa] = [floors, seals, checks, rsa].map(median);
    println!(
        "{name:<22} {:>9} {:>9} {:>9} {:>6.2} {:>9} {:>9} {:>9} {delivered:>9}",
        frame.len(),
        floor.as_micros(),
        seal.as_micros(),
        seal.as_secs_f64() / floor.as_secs_f64(),
        seal.saturating_sub(floor).as_micros(),
        check.as_micros(),
        rsa.as_micros(),
    );
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
