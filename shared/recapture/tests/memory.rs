//! Limits of the memory use of decoding and analysis: nothing is allocated for a picture that is too large, and the
//! largest allowed one fits a function's memory.
//!
//! It is a single test, since the allocator counts for the whole process.

#![allow(clippy::unwrap_used)]

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use lacre_domain::limits;
use lacre_photo::{JpegError, decode};
use lacre_recapture::{Analysis, analyse};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MIB: usize = 1024 * 1024;

/// The peak of memory use of decoding and analysing a photo like ingest does.
fn peak(jpeg: &[u8]) -> (usize, Result<Analysis, JpegError>) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = decode(jpeg).map(|planes| analyse(planes, limits::RECAPTURE_THRESHOLD));
    (ALLOCATOR.peak_usage().saturating_sub(before), result)
}

/// A photo as a camera makes it.
fn photo(width: u16, height: u16) -> Vec<u8> {
    let samples: Vec<u8> =
        (0..usize::from(width) * usize::from(height) * 3).map(|i| ((i * 31) ^ (i >> 9)) as u8).collect();
    let mut jpeg = Vec::new();
    let mut encoder = Encoder::new(&mut jpeg, 90);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(&samples, width, height, ColorType::Rgb).unwrap();
    jpeg
}

/// A small picture with a header that announces another size.
fn bomb(width: u16, height: u16, progressive: bool, sampling: SamplingFactor) -> Vec<u8> {
    let mut jpeg = Vec::new();
    let mut encoder = Encoder::new(&mut jpeg, 80);
    encoder.set_progressive(progressive);
    encoder.set_sampling_factor(sampling);
    encoder.encode(&[128; 240 * 240 * 3], 240, 240, ColorType::Rgb).unwrap();
    let marker = if progressive { 0xC2 } else { 0xC0 };
    let at = jpeg.windows(2).position(|pair| pair == [0xFF, marker]).unwrap();
    jpeg[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    jpeg[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    jpeg
}

#[test]
fn memory_is_bounded_by_the_declared_size() {
    for (width, height) in [(1920, 1080), (2560, 1440), (4000, 3000)] {
        let jpeg = photo(width, height);
        let (taken, result) = peak(&jpeg);
        let per_pixel = taken as f64 / f64::from(u32::from(width) * u32::from(height));
        println!("{width}x{height}: {per_pixel:.2} bytes per pixel");
        assert!(result.is_ok() && per_pixel <= 3.5, "{taken} bytes");
    }
    // The coefficients of a progressive picture are all kept until the last scan: two bytes each, in addition to the
    // samples.
    for (progressive, sampling, per_pixel) in [
        (false, SamplingFactor::F_2_2, 2),
        (false, SamplingFactor::F_1_1, 3),
        (true, SamplingFactor::F_2_2, 5),
        (true, SamplingFactor::F_1_1, 9),
    ] {
        // The header exceeds the limits, so nothing is allocated.
        let (taken, result) = peak(&bomb(65_500, 65_500, progressive, sampling));
        assert!(result.is_err() && taken < MIB, "{taken} bytes");

        // The maximum number of pixels, of which a file of a few kilobytes contains only the first ones.
        let (taken, result) = peak(&bomb(4096, 4096, progressive, sampling));
        println!("4096x4096, progressive {progressive}, {sampling:?}: {} MiB", taken / MIB);
        assert!(result.is_err() && taken <= (16 * per_pixel + 1) * MIB, "{taken} bytes");
    }
}
