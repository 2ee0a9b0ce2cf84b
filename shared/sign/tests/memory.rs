//! Limits of memory use: of signing, so that a small Lambda function suffices; of checking, because a file may come
//! from anyone.
//!
//! It is a single test, since the allocator counts for the whole process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use lacre_proof_fixtures::{Sandbox, facts, photographs, synthetic};
use lacre_verify::{Anchors, check};
use peak_alloc::PeakAlloc;
use time::OffsetDateTime;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MIB: usize = 1024 * 1024;

/// The peak of memory use while something runs, above what was in use before.
fn peak<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = run();
    (ALLOCATOR.peak_usage().saturating_sub(before), result)
}

#[test]
fn signing_and_checking_stay_within_their_bounds() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let sandbox = Sandbox::shared();
    let anchors = Anchors::from_pem(&sandbox.anchors_pem).unwrap();
    let facts = facts();

    let mut frames = photographs();
    frames.push(("synthetic".into(), synthetic(4000, 3000, false)));
    for (name, frame) in frames {
        let (signing, proof) = peak(|| runtime.block_on(sandbox.seal(&frame, &facts)));
        // Adds the frame, which was allocated before.
        let signing = signing + frame.len();
        println!(
            "{name}: signing {} frames of {} bytes and {} bytes",
            signing / frame.len(),
            frame.len(),
            signing % frame.len()
        );
        assert!(signing <= 4 * frame.len() + 16 * MIB, "{name}: signing took {signing} bytes");

        let (checking, verdict) = peak(|| check(&proof.jpeg, &anchors, OffsetDateTime::now_utc()));
        assert!(verdict.report.valid);
        assert!(checking <= 4 * proof.jpeg.len() + MIB, "{name}: checking took {checking} bytes");
    }

    // Corrupts lengths of every kind, one byte at a time.
    let frame = synthetic(240, 240, false);
    let mut file = runtime.block_on(sandbox.seal(&frame, &facts)).jpeg;
    for at in 0..file.len().min(9000) {
        let value = [0x7F, 0x9B, 0xFF][at % 3];
        let original = std::mem::replace(&mut file[at], value);
        let (checking, _) = peak(|| check(&file, &anchors, OffsetDateTime::now_utc()));
        assert!(checking <= 4 * file.len() + MIB, "byte {at} as {value:#04x}: checking took {checking} bytes");
        file[at] = original;
    }
}
