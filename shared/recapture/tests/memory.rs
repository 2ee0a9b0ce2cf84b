//! Decoding has bounds: none is taken for a picture that is larger than told, and the largest one fits a function.
//!
//! One test, since the allocator counts for the whole process.

#![allow(clippy::unwrap_used)]

use jpeg_encoder::{ColorType, Encoder};
use peak_alloc::PeakAlloc;
use recapture::{DecodeError, Pixels, decode};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MIB: usize = 1024 * 1024;

fn peak(jpeg: &[u8], width: u16, height: u16) -> (usize, Result<Pixels, DecodeError>) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = decode(jpeg, width, height);
    (ALLOCATOR.peak_usage().saturating_sub(before), result)
}

/// A small picture under the header of another.
fn bomb(width: u16, height: u16, progressive: bool) -> Vec<u8> {
    let mut jpeg = Vec::new();
    let mut encoder = Encoder::new(&mut jpeg, 80);
    encoder.set_progressive(progressive);
    encoder.encode(&[128; 240 * 240 * 3], 240, 240, ColorType::Rgb).unwrap();
    let marker = if progressive { 0xC2 } else { 0xC0 };
    let at = jpeg.windows(2).position(|pair| pair == [0xFF, marker]).unwrap();
    jpeg[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    jpeg[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    jpeg
}

#[test]
fn decoding_takes_memory_for_the_told_size_and_no_more() {
    for progressive in [false, true] {
        // The header says more than the caller: nothing is set aside for it.
        let (taken, result) = peak(&bomb(65_500, 65_500, progressive), 8192, 2048);
        assert!(result.is_err() && taken < MIB, "{taken} bytes");

        // The most that ingest lets through: 16,777,216 pixels, from a file of a few kilobytes.
        let (taken, _) = peak(&bomb(4096, 4096, progressive), 4096, 4096);
        println!("4096x4096, progressive {progressive}: {} MiB", taken / MIB);
        assert!(taken <= 128 * MIB, "{taken} bytes");
    }
}
