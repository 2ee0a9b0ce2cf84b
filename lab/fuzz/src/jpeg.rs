//! Parsing of a photo and the display analysis, as ingest calls them, compared with another decoder.

use jpeg_decoder::{Decoder, PixelFormat};
use lacre_domain::limits;
use lacre_photo::{CheckedPhoto, Jpeg, JpegError, Planes};

/// Larger pictures are parsed but not decoded, in pixels: parsing does not depend on the size, and a run covers more
/// pictures.
const DECODED_PIXELS: u32 = 512 * 512;
/// Maximum difference of luma between decoders, which round at different steps.
const LUMA_TOLERANCE: f64 = 4.0;
/// Maximum difference of the mean color in a square of side `SQUARE`. Decoders upsample subsampled color and clamp
/// results differently.
const COLOR_TOLERANCE: f64 = 40.0;
const SQUARE: usize = 48;
/// A comment segment, which is allowed anywhere.
const COMMENT: [u8; 6] = [0xFF, 0xFE, 0, 4, 0xFF, 0xD9];
/// The start of an APP11 segment.
const APP11: [u8; 4] = [0xFF, 0xEB, 0, 2];

/// A photo that passes parsing is one picture within the limits, without trailing bytes, into which a manifest can be
/// inserted. A photo that passes all checks has no spare image data, no room for more, and another decoder shows the
/// same picture.
pub fn hold(data: &[u8]) {
    let Ok(jpeg) = Jpeg::parse(data) else { return };
    assert_eq!(jpeg.bytes(), data);
    let (width, height) = (u32::from(jpeg.width()), u32::from(jpeg.height()));
    assert!((240..=8192).contains(&width) && (240..=8192).contains(&height) && width * height <= 16_777_216);
    assert!([1, 3].contains(&jpeg.components()) && (1..=64).contains(&jpeg.scans()));

    // The photo must end exactly where its structure ends.
    assert_eq!(Jpeg::parse(&[data, &[0]].concat()), Err(JpegError::TrailingData(1)));
    for cut in [data.len() - 1, data.len() - 2, data.len() / 2] {
        assert!(Jpeg::parse(&data[..cut]).is_err(), "the first {cut} bytes pass too");
    }

    // The manifest's offset lies between two segments.
    let (head, tail) = data.split_at(jpeg.manifest_offset());
    let commented = [head, &COMMENT, tail].concat();
    let again = Jpeg::parse(&commented).unwrap();
    assert_eq!((again.width(), again.height(), again.scans()), (jpeg.width(), jpeg.height(), jpeg.scans()));
    assert_eq!(again.manifest_offset(), jpeg.manifest_offset());
    assert_eq!(Jpeg::parse(&[head, &APP11, tail].concat()), Err(JpegError::App11(head.len())));

    if width * height > DECODED_PIXELS {
        return;
    }
    let Ok((photo, planes)) = CheckedPhoto::read(data.into()) else { return };
    assert_eq!((photo.width(), photo.height(), photo.bytes()), (jpeg.width(), jpeg.height(), data));
    assert_eq!(photo.manifest_offset(), jpeg.manifest_offset());
    // Image data does not end with FF, which would be followed by 0; trailing FF bytes belong to EOI or are fill bytes.
    let last = data[..data.len() - 1].iter().rposition(|byte| *byte != 0xFF).unwrap();
    let ended = |image_data: &[u8], more: &[u8]| [image_data, more, &[0xFF, 0xD9]].concat();
    assert!(CheckedPhoto::check(ended(&data[..last], &[]).into()).is_err(), "a byte less passes too");
    assert!(CheckedPhoto::check(ended(&data[..=last], &[0x55]).into()).is_err(), "a byte more passes too");

    assert_eq!((planes.luma.width(), planes.luma.height()), (width as usize, height as usize));
    assert_eq!(planes.color.is_some(), jpeg.components() == 3);
    hold_against_another_decoder(data, &planes);
    assert!(
        lacre_recapture::analyse(planes, limits::RECAPTURE_THRESHOLD).scores.values().all(|score| score.is_finite())
    );
}

/// Compares the planes with another decoder: luma in each pixel whose color is not clamped, and mean colors.
fn hold_against_another_decoder(data: &[u8], planes: &Planes) {
    let mut decoder = Decoder::new(data);
    let other = decoder.decode().expect("another decoder refuses it");
    let (width, height) = (planes.luma.width(), planes.luma.height());
    let Some([blue, red]) = &planes.color else {
        assert_eq!(decoder.info().unwrap().pixel_format, PixelFormat::L8);
        let ours = (0..height).flat_map(|y| planes.luma.row(y));
        assert!(ours.zip(other).all(|(ours, other)| ours.abs_diff(other) <= LUMA_TOLERANCE as u8), "another picture");
        return;
    };
    let (other, _) = other.as_chunks::<3>();
    let mut sums = vec![[0.0; 6]; width.div_ceil(SQUARE) * height.div_ceil(SQUARE)];
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let luma = f64::from(planes.luma.row(y)[x]);
        let other = other[y * width + x];
        let [r, g, b] = other.map(f64::from);
        if other.iter().all(|value| (1..=254).contains(value)) {
            let difference = 0.299 * r + 0.587 * g + 0.114 * b - luma;
            assert!(difference.abs() <= LUMA_TOLERANCE, "luma differs by {difference} at {x}, {y}");
        }
        let color = |plane: &lacre_photo::Plane| {
            let (across, down) = (width.div_ceil(plane.width()), height.div_ceil(plane.height()));
            f64::from(plane.row(y / down)[x / across]) - 128.0
        };
        let (blue, red) = (color(blue), color(red));
        let ours = [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue];
        let ours = ours.map(|value| value.round().clamp(0.0, 255.0));
        let sums = &mut sums[y / SQUARE * width.div_ceil(SQUARE) + x / SQUARE];
        ours.into_iter().chain([r, g, b]).zip(sums).for_each(|(value, sum)| *sum += value);
    }
    // The squares at the edges may be narrower.
    for (at, [r, g, b, other_r, other_g, other_b]) in sums.into_iter().enumerate() {
        let (x, y) = (at % width.div_ceil(SQUARE) * SQUARE, at / width.div_ceil(SQUARE) * SQUARE);
        let pixels = ((width - x).min(SQUARE) * (height - y).min(SQUARE)) as f64;
        for (ours, other) in [(r, other_r), (g, other_g), (b, other_b)] {
            let difference = (ours - other) / pixels;
            assert!(pixels < 500.0 || difference.abs() <= COLOR_TOLERANCE, "colors differ by {difference} at {x}, {y}");
        }
    }
}
