//! Tests which files are decoded to a picture, and how damaged and hostile ones are refused.

#![allow(clippy::unwrap_used)]

use image_webp::WebPEncoder;
use jpeg_encoder::{ColorType, Encoder};
use lacre_compare::{Picture, ReadError};

/// A picture of colored blocks of 8 pixels, from this seed.
fn blocks(width: u32, height: u32, seed: u64) -> Picture {
    let mut random = fastrand::Rng::with_seed(seed);
    let colors: Vec<[u8; 3]> =
        (0..width.div_ceil(8) * height.div_ceil(8)).map(|_| [(); 3].map(|()| random.u8(..))).collect();
    let color = |at: u32| colors[(at / width / 8 * width.div_ceil(8) + at % width / 8) as usize];
    Picture { width, height, rgb: (0..width * height).flat_map(color).collect() }
}

fn jpeg(pixels: &[u8], (width, height): (u16, u16), kind: ColorType) -> Vec<u8> {
    let mut file = Vec::new();
    Encoder::new(&mut file, 95).encode(pixels, width, height, kind).unwrap();
    file
}

fn png(pixels: &[u8], (width, height): (u32, u32), kind: png::ColorType, depth: png::BitDepth) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(kind);
    encoder.set_depth(depth);
    if kind == png::ColorType::Indexed {
        encoder.set_palette(vec![255, 0, 0, 0, 0, 255]);
    }
    encoder.write_header().unwrap().write_image_data(pixels).unwrap();
    file
}

fn webp(pixels: &[u8], (width, height): (u32, u32), kind: image_webp::ColorType) -> Vec<u8> {
    let mut file = Vec::new();
    WebPEncoder::new(&mut file).encode(pixels, width, height, kind).unwrap();
    file
}

/// The largest difference of two pictures of one size.
fn difference(a: &Picture, b: &Picture) -> u8 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    a.rgb.iter().zip(&b.rgb).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

#[test]
fn reads_each_format_by_content() {
    let picture = blocks(40, 24, 1);
    let jpeg = Picture::read(&jpeg(&picture.rgb, (40, 24), ColorType::Rgb)).unwrap();
    assert!(difference(&jpeg, &picture) < 60, "{}", difference(&jpeg, &picture));
    let png = png(&picture.rgb, (40, 24), png::ColorType::Rgb, png::BitDepth::Eight);
    assert_eq!(Picture::read(&png).unwrap(), picture);
    assert_eq!(Picture::read(&webp(&picture.rgb, (40, 24), image_webp::ColorType::Rgb8)).unwrap(), picture);
    for file in [&b""[..], b"GIF89a", b"RIFF\0\0\0\0WAVE", b"<svg/>"] {
        assert_eq!(Picture::read(file), Err(ReadError::UnknownFormat));
    }
}

#[test]
fn expands_grey_palette_and_16_bits() {
    let two = |rgb: [u8; 6]| Picture { width: 2, height: 1, rgb: rgb.to_vec() };
    let read = |pixels: &[u8], kind, depth| Picture::read(&png(pixels, (2, 1), kind, depth)).unwrap();
    use png::{BitDepth, ColorType::*};
    assert_eq!(read(&[7, 200], Grayscale, BitDepth::Eight), two([7, 7, 7, 200, 200, 200]));
    assert_eq!(read(&[0b0100_0000], Grayscale, BitDepth::One), two([0, 0, 0, 255, 255, 255]));
    assert_eq!(read(&[0b1000_0000], Indexed, BitDepth::One), two([0, 0, 255, 255, 0, 0]));
    let words = [1, 99, 2, 99, 3, 99, 4, 99, 5, 99, 6, 99];
    assert_eq!(read(&words, Rgb, BitDepth::Sixteen), two([1, 2, 3, 4, 5, 6]));
    let grey = Picture::read(&jpeg(&[130; 64], (8, 8), ColorType::Luma)).unwrap();
    assert!(grey.rgb.iter().all(|value| value.abs_diff(130) <= 1) && grey.rgb.len() == 192);
}

#[test]
fn composes_alpha_on_white() {
    let rgba = [0, 0, 0, 0, 200, 100, 0, 255, 0, 0, 0, 128];
    let expected = Picture { width: 3, height: 1, rgb: vec![255, 255, 255, 200, 100, 0, 127, 127, 127] };
    let png = png(&rgba, (3, 1), png::ColorType::Rgba, png::BitDepth::Eight);
    assert_eq!(Picture::read(&png).unwrap(), expected);
    assert_eq!(Picture::read(&webp(&rgba, (3, 1), image_webp::ColorType::Rgba8)).unwrap(), expected);
}

/// A JPEG with an EXIF segment that holds this orientation, in either byte order.
fn oriented(file: &[u8], orientation: u8, big_endian: bool) -> Vec<u8> {
    let tiff: [&[u8]; 4] = if big_endian {
        [b"MM\0*\0\0\0\x08\0\x01", b"\x01\x12\0\x03\0\0\0\x01\0", &[orientation, 0, 0], &[0; 4]]
    } else {
        [b"II*\0\x08\0\0\0\x01\0", b"\x12\x01\x03\0\x01\0\0\0", &[orientation, 0, 0, 0], &[0; 4]]
    };
    let segment = [b"Exif\0\0", tiff.concat().as_slice()].concat();
    let length = u16::try_from(segment.len() + 2).unwrap().to_be_bytes();
    [&file[..2], &[0xFF, 0xE1], &length, &segment, &file[2..]].concat()
}

#[test]
fn applies_the_exif_orientation() {
    // A corner of red, and one of green to its right.
    let (width, height) = (48, 32);
    let color = |at: u32| match (at % width, at / width) {
        (0..16, 0..16) => [255, 0, 0],
        (32..48, 0..16) => [0, 255, 0],
        _ => [0, 0, 255],
    };
    let rgb: Vec<u8> = (0..width * height).flat_map(color).collect();
    let file = jpeg(&rgb, (48, 32), ColorType::Rgb);
    let corner = |picture: &Picture, channel: usize| {
        let is = |x: u32, y: u32| picture.rgb[3 * (y * picture.width + x) as usize + channel] > 200;
        let (right, bottom) = (picture.width - 4, picture.height - 4);
        [(4, 4), (right, 4), (right, bottom), (4, bottom)].iter().position(|&(x, y)| is(x, y)).unwrap()
    };
    // Clockwise from the top left: where red and green are displayed, by EXIF's table.
    let corners = [(0, 1), (1, 0), (2, 3), (3, 2), (0, 3), (1, 2), (2, 1), (3, 0)];
    for (orientation, corners) in (1..).zip(corners) {
        for big_endian in [false, true] {
            let picture = Picture::read(&oriented(&file, orientation, big_endian)).unwrap();
            let turned = orientation > 4;
            assert_eq!((picture.width, picture.height), if turned { (32, 48) } else { (48, 32) });
            assert_eq!((corner(&picture, 0), corner(&picture, 1)), corners, "{orientation}");
        }
    }
    let plain = Picture::read(&file).unwrap();
    for orientation in [0, 9] {
        assert_eq!(Picture::read(&oriented(&file, orientation, true)).unwrap(), plain);
    }
}

#[test]
fn refuses_cmyk() {
    let file = jpeg(&[90; 4 * 64], (8, 8), ColorType::Cmyk);
    assert_eq!(Picture::read(&file), Err(ReadError::Cmyk));
}

/// Replaces the only place of these bytes.
fn replaced(file: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = file.windows(from.len()).position(|window| window == from).unwrap();
    [&file[..at], to, &file[at + from.len()..]].concat()
}

#[test]
fn judges_the_size_before_decoding() {
    let file = jpeg(&[0; 3 * 64], (8, 8), ColorType::Rgb);
    // Height and width in the start of frame.
    let frame = [8, 0, 8, 0, 8, 3];
    let bomb = replaced(&file, &frame, &[8, 0xFF, 0xFF, 0xFF, 0xFF, 3]);
    assert_eq!(Picture::read(&bomb), Err(ReadError::TooLarge { width: 65535, height: 65535 }));

    let header = |width: u32, height: u32| {
        let mut file = Vec::new();
        png::Encoder::new(&mut file, width, height).write_header().unwrap();
        file
    };
    assert_eq!(Picture::read(&header(100_000, 100_000)), Err(ReadError::TooLarge { width: 100_000, height: 100_000 }));
    assert_eq!(Picture::read(&header(8000, 5001)), Err(ReadError::TooLarge { width: 8000, height: 5001 }));
    assert!(matches!(Picture::read(&header(8000, 5000)), Err(ReadError::Malformed { format: "PNG", .. })));

    // 14 bits for each side, less one, after the lossless frame's signature.
    let file = webp(&[0; 3 * 64], (8, 8), image_webp::ColorType::Rgb8);
    let bomb = replaced(&file, &[0x2F, 0x07, 0xC0, 0x01, 0], &[0x2F, 0xFE, 0xBF, 0xFF, 0x0F]);
    assert_eq!(Picture::read(&bomb), Err(ReadError::TooLarge { width: 16383, height: 16383 }));
    // A canvas of 16 x 16 pixels, and a lossy frame of 16383 x 16383.
    let frame = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F];
    let canvas = [0, 0, 0, 0, 15, 0, 0, 15, 0, 0];
    let chunks = [b"VP8X\x0A\0\0\0", canvas.as_slice(), b"VP8 \x0A\0\0\0", &frame].concat();
    let length = u32::try_from(chunks.len() + 4).unwrap().to_le_bytes();
    let bomb = [b"RIFF", length.as_slice(), b"WEBP", &chunks].concat();
    assert_eq!(Picture::read(&bomb), Err(ReadError::TooLarge { width: 16383, height: 16383 }));
}

#[test]
fn refuses_truncated_files() {
    let picture = blocks(64, 64, 2);
    for file in [
        jpeg(&picture.rgb, (64, 64), ColorType::Rgb),
        png(&picture.rgb, (64, 64), png::ColorType::Rgb, png::BitDepth::Eight),
        webp(&picture.rgb, (64, 64), image_webp::ColorType::Rgb8),
    ] {
        assert!(Picture::read(&file).is_ok());
        for length in (0..file.len() - 16).step_by(7) {
            assert!(Picture::read(&file[..length]).is_err(), "{length} of {}", file.len());
        }
    }
}

#[test]
fn survives_random_damage() {
    let mut random = fastrand::Rng::with_seed(3);
    let picture = blocks(32, 32, 4);
    let files = [
        jpeg(&picture.rgb, (32, 32), ColorType::Rgb),
        png(&picture.rgb, (32, 32), png::ColorType::Rgb, png::BitDepth::Eight),
        webp(&picture.rgb, (32, 32), image_webp::ColorType::Rgb8),
    ];
    for file in &files {
        for _ in 0..200 {
            let mut damaged = file.clone();
            for _ in 0..random.usize(1..6) {
                damaged[random.usize(..file.len())] = random.u8(..);
            }
            // Damage in the data of a JPEG leaves a picture; its buffer has the size that the picture states.
            if let Ok(Picture { width, height, rgb }) = Picture::read(&damaged) {
                assert_eq!(rgb.len(), 3 * width as usize * height as usize);
            }
            let noise: Vec<u8> = file[..16].iter().copied().chain((0..200).map(|_| random.u8(..))).collect();
            assert!(Picture::read(&noise).is_err());
        }
    }
}
