//! Tests of the JPEG parser, rule by rule.

#![allow(clippy::unwrap_used)]
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use super::*;

fn photo(set_up: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    sized(320, 240, set_up)
}

fn sized(width: u16, height: u16, set_up: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let pixels: Vec<u8> = (0..usize::from(width) * usize::from(height) * 3).map(|n| (n * 7 % 251) as u8).collect();
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 80);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    set_up(&mut encoder);
    encoder.encode(&pixels, width, height, ColorType::Rgb).unwrap();
    file
}

fn baseline() -> Vec<u8> {
    photo(|_| {})
}

/// Inserts bytes into a file.
fn insert(file: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    [&file[..at], bytes, &file[at..]].concat()
}

fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
    [&[0xFF, marker], &length[..], body].concat()
}

/// The offset of the first segment with the given marker.
fn find(file: &[u8], marker: u8) -> usize {
    let mut at = 2;
    while file[at + 1] != marker {
        at += 2 + usize::from(u16::from_be_bytes([file[at + 2], file[at + 3]]));
    }
    at
}

/// The offset after SOI and JFIF's APP0, which the encoder writes.
const BEHIND_APP0: usize = 2 + 18;

#[test]
fn reads_a_baseline_photo() {
    let file = baseline();
    let jpeg = Jpeg::parse(&file).unwrap();
    assert_eq!((jpeg.width(), jpeg.height(), jpeg.components()), (320, 240, 3));
    assert_eq!((jpeg.coding(), jpeg.scans(), jpeg.manifest_offset()), (Coding::Baseline, 1, BEHIND_APP0));
    assert_eq!(jpeg.bytes(), file);
}

#[test]
fn a_grey_photo() {
    let mut file = Vec::new();
    Encoder::new(&mut file, 80).encode(&vec![128; 240 * 240], 240, 240, ColorType::Luma).unwrap();
    assert_eq!(Jpeg::parse(&file).unwrap().components(), 1);
}

#[test]
fn a_progressive_photo() {
    let file = photo(|encoder| encoder.set_progressive(true));
    let jpeg = Jpeg::parse(&file).unwrap();
    assert_eq!(jpeg.coding(), Coding::Progressive);
    assert!(jpeg.scans() > 1);
}

#[test]
fn restart_markers_belong_to_the_image_data() {
    let file = photo(|encoder| encoder.set_restart_interval(4));
    assert!(file.windows(2).any(|pair| pair == [0xFF, 0xD3]), "the photo has restart markers");
    assert_eq!(Jpeg::parse(&file).unwrap().scans(), 1);
}

#[test]
fn manifests_go_between_exif_and_xmp() {
    let exif = segment(APP1, b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0");
    let xmp = segment(APP1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>");
    let file = insert(&insert(&baseline(), BEHIND_APP0, &xmp), BEHIND_APP0, &exif);
    assert_eq!(Jpeg::parse(&file).unwrap().manifest_offset(), BEHIND_APP0 + exif.len());

    let without_app0 = [&file[..2], &file[BEHIND_APP0..]].concat();
    assert_eq!(Jpeg::parse(&without_app0).unwrap().manifest_offset(), 2 + exif.len());

    let exif_behind_xmp = insert(&insert(&baseline(), BEHIND_APP0, &exif), BEHIND_APP0, &xmp);
    assert_eq!(Jpeg::parse(&exif_behind_xmp).unwrap().manifest_offset(), BEHIND_APP0);
}

#[test]
fn accepts_comments_and_other_application_segments() {
    let mut file = baseline();
    for marker in (APP1..=APP15).filter(|marker| *marker != APP11).chain([COM]) {
        file = insert(&file, BEHIND_APP0, &segment(marker, b"anything"));
    }
    assert_eq!(Jpeg::parse(&file).unwrap().manifest_offset(), BEHIND_APP0);
}

#[test]
fn fill_bytes_may_precede_any_marker() {
    let mut file = baseline();
    let end = file.len() - 2;
    for at in [end, find(&file, SOS), find(&file, SOF0), BEHIND_APP0, 2] {
        file = insert(&file, at, &[0xFF, 0xFF, 0xFF]);
    }
    let jpeg = Jpeg::parse(&file).unwrap();
    assert_eq!(jpeg.manifest_offset(), BEHIND_APP0 + 3);
    assert_eq!(jpeg.bytes(), file);
}

#[test]
fn accepts_only_common_chroma_subsamplings() {
    let with = |factors: [u8; 3]| {
        let mut file = baseline();
        let table = find(&file, SOF0) + 10;
        for (component, factors) in factors.into_iter().enumerate() {
            file[table + component * 3 + 1] = factors;
        }
        Jpeg::parse(&file).map(drop)
    };
    for good in [0x11, 0x21, 0x12, 0x22] {
        assert_eq!(with([good, 0x11, 0x11]), Ok(()), "{good:02x?}");
    }
    for (bad, named) in [
        ([0x11, 0x22, 0x11], 0x22),
        ([0x21, 0x11, 0x12], 0x12),
        ([0x22, 0x22, 0x22], 0x22),
        ([0x22, 0x21, 0x12], 0x21),
        ([0x00, 0x11, 0x11], 0x00),
        ([0x31, 0x11, 0x11], 0x31),
        ([0x32, 0x11, 0x11], 0x32),
        ([0x41, 0x11, 0x11], 0x41),
        ([0x42, 0x11, 0x11], 0x42),
        ([0x22, 0x10, 0x11], 0x10),
    ] {
        assert_eq!(with(bad), Err(JpegError::Sampling(named)), "{bad:02x?}");
    }
}

#[test]
fn refuses_other_file_types() {
    for file in [&b""[..], b"\xFF", b"\xFF\xD9", b"\x89PNG\r\n\x1A\n", b"<html>"] {
        assert_eq!(Jpeg::parse(file), Err(JpegError::NotJpeg));
    }
}

#[test]
fn every_truncation_is_refused() {
    let file = photo(|encoder| encoder.set_progressive(true));
    for length in 2..file.len() {
        assert_eq!(Jpeg::parse(&file[..length]), Err(JpegError::Truncated), "{length} bytes");
    }
}

#[test]
fn nothing_may_follow_the_end() {
    for trailer in [&b"\0"[..], b"\n", &baseline()] {
        let file = [&baseline(), trailer].concat();
        assert_eq!(Jpeg::parse(&file), Err(JpegError::TrailingData(trailer.len())));
    }
}

#[test]
fn refuses_app11_segments_anywhere() {
    let file = baseline();
    let app11 = segment(APP11, b"JP\x02\x11\0\0\0\x01");
    for at in [2, BEHIND_APP0, find(&file, SOS), file.len() - 2] {
        assert_eq!(Jpeg::parse(&insert(&file, at, &app11)), Err(JpegError::App11(at)));
    }
}

#[test]
fn bytes_between_segments_are_refused() {
    for garbage in [&[0x00][..], &[0x12, 0x34], &[0xFF, 0x00]] {
        let file = insert(&baseline(), BEHIND_APP0, garbage);
        assert_eq!(Jpeg::parse(&file), Err(JpegError::NoMarker(BEHIND_APP0)));
    }
}

#[test]
fn markers_without_a_use_are_refused() {
    // TEM, RST0, a second SOI, DNL, DHP, EXP, DAC, JPG0: none of them may precede a scan.
    for marker in [0x01, 0xD0, SOI, 0xDC, 0xDE, 0xDF, 0xCC, 0xF0] {
        let file = insert(&baseline(), BEHIND_APP0, &segment(marker, &[0; 4]));
        assert_eq!(Jpeg::parse(&file), Err(JpegError::UnexpectedMarker { marker, offset: BEHIND_APP0 }));
    }
}

#[test]
fn accepts_only_baseline_and_progressive_coding() {
    let file = baseline();
    let offset = find(&file, SOF0);
    for marker in [0xC1, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] {
        let mut other = file.clone();
        other[offset + 1] = marker;
        assert_eq!(Jpeg::parse(&other), Err(JpegError::UnexpectedMarker { marker, offset }));
    }
}

#[test]
fn one_frame_header_precedes_the_scan() {
    let file = baseline();
    let (sof, sos) = (find(&file, SOF0), find(&file, SOS));
    let header = file[sof..sof + 19].to_vec();
    let twice = insert(&file, sof, &header);
    assert_eq!(Jpeg::parse(&twice), Err(JpegError::UnexpectedMarker { marker: SOF0, offset: sof + 19 }));
    let without = [&file[..sof], &file[sof + 19..]].concat();
    assert_eq!(Jpeg::parse(&without), Err(JpegError::UnexpectedMarker { marker: SOS, offset: sos - 19 }));
}

/// The file with changed bytes in the frame header's body.
fn with_frame_header(change: &[(usize, u8)]) -> Vec<u8> {
    let mut file = baseline();
    let body = find(&file, SOF0) + 4;
    for (at, value) in change {
        file[body + at] = *value;
    }
    file
}

#[test]
fn refuses_frame_headers_beyond_the_limits() {
    let offset = find(&baseline(), SOF0);
    let refused = |change: &[(usize, u8)], error| assert_eq!(Jpeg::parse(&with_frame_header(change)), Err(error));
    refused(&[(0, 12)], JpegError::Precision(12));
    refused(&[(5, 4)], JpegError::Components(4));
    refused(&[(5, 1)], JpegError::MalformedHeader(offset));
    refused(&[(1, 0), (2, 0)], JpegError::Dimensions { width: 320, height: 0 });
    refused(&[(1, 0), (2, 239)], JpegError::Dimensions { width: 320, height: 239 });
    refused(&[(3, 0x20), (4, 1)], JpegError::Dimensions { width: 8193, height: 240 });
    // 8192x2048 is exactly the maximum number of pixels, and 8192x2049 exceeds it.
    assert!(Jpeg::parse(&with_frame_header(&[(1, 8), (2, 0), (3, 0x20), (4, 0)])).is_ok());
    refused(&[(1, 8), (2, 1), (3, 0x20), (4, 0)], JpegError::Dimensions { width: 8192, height: 2049 });
}

#[test]
fn a_scan_names_components_of_the_frame() {
    let offset = find(&baseline(), SOS);
    for count in [0, 4, 255] {
        let mut file = baseline();
        file[offset + 4] = count;
        assert_eq!(Jpeg::parse(&file), Err(JpegError::MalformedHeader(offset)));
    }
}

#[test]
fn refuses_segment_lengths_below_two() {
    for length in [0, 1] {
        let file = insert(&baseline(), BEHIND_APP0, &[0xFF, COM, 0, length]);
        assert_eq!(Jpeg::parse(&file), Err(JpegError::MalformedHeader(BEHIND_APP0 + 2)));
    }
}

#[test]
fn at_most_64_scans() {
    let file = baseline();
    let (sos, end) = (find(&file, SOS), file.len() - 2);
    let scan = file[sos..end].to_vec();
    let with = |scans: usize| insert(&file, end, &scan.repeat(scans - 1));
    assert_eq!(Jpeg::parse(&with(64)).unwrap().scans(), 64);
    assert_eq!(Jpeg::parse(&with(65)), Err(JpegError::TooManyScans));
}

#[test]
fn refuses_frames_without_a_scan() {
    let file = baseline();
    let without = [&file[..find(&file, SOS)], &[0xFF, EOI]].concat();
    assert_eq!(Jpeg::parse(&without), Err(JpegError::NoImageData));
    assert_eq!(Jpeg::parse(&[0xFF, SOI, 0xFF, EOI]), Err(JpegError::NoImageData));
}

#[test]
fn no_input_makes_the_walk_panic() {
    let original = photo(|encoder| encoder.set_progressive(true));
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..20_000 {
        let mut file = original.clone();
        for _ in 0..3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (random >> 33) as usize % file.len().min(1000);
            file[at] = (random >> 24) as u8;
        }
        if let Ok(jpeg) = Jpeg::parse(&file) {
            assert!(jpeg.manifest_offset() < file.len());
        }
    }
}
