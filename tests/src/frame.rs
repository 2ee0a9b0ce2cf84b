//! Frames for captures: small photos that were not captured before.

use std::sync::OnceLock;

use jpeg_encoder::{ColorType, Encoder};

/// A JPEG of 320x240 pixels with a unique hash.
pub fn fresh() -> Vec<u8> {
    static PICTURE: OnceLock<Vec<u8>> = OnceLock::new();
    with_comment(PICTURE.get_or_init(|| encode(320, 240, |_| {})))
}

/// A JPEG of this size, encoded with the test's settings.
pub fn encode(width: u16, height: u16, change: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let (columns, rows) = (usize::from(width), usize::from(height));
    let pixel = |i: usize| {
        let (x, y) = (i % columns, i / columns);
        // The pattern has no period, because a periodic pattern would look like a display.
        [(x * 255 / columns) as u8, (y * 255 / rows) as u8, ((x * rows + y * columns) * 127 / (columns * rows)) as u8]
    };
    let samples: Vec<u8> = (0..columns * rows).flat_map(pixel).collect();
    let mut jpeg = Vec::new();
    let mut encoder = Encoder::new(&mut jpeg, 90);
    change(&mut encoder);
    encoder.encode(&samples, width, height, ColorType::Rgb).unwrap();
    jpeg
}

/// A JPEG of noise; at a width of about 1200 pixels it has 4.9 MB.
pub fn large(width: u16) -> Vec<u8> {
    let height = 993;
    let mut random = 1_u64;
    let noise = |_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 56) as u8
    };
    let samples: Vec<u8> = (0..usize::from(width) * usize::from(height) * 3).map(noise).collect();
    let mut jpeg = Vec::new();
    Encoder::new(&mut jpeg, 100).encode(&samples, width, height, ColorType::Rgb).unwrap();
    jpeg
}

/// Inserts a random comment segment after the start of the image.
pub fn with_comment(jpeg: &[u8]) -> Vec<u8> {
    insert_segment(jpeg, 0xfe, lacre_storage::attempt_id().as_bytes())
}

/// Inserts a segment after the start of the image.
pub fn insert_segment(jpeg: &[u8], marker: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, marker], &length, payload, &jpeg[2..]].concat()
}
