//! Decoding of a copy that is looked up, and its comparison with an original.

use std::sync::LazyLock;

use lacre_compare::{Picture, ReadError, Verdict, compare};

/// Larger pictures are decoded but not compared, in pixels, so that a run covers more of them.
const COMPARED_PIXELS: u64 = 128 * 128;

/// An original with detail in each place, from which a copy can be aligned.
static ORIGINAL: LazyLock<Picture> = LazyLock::new(|| {
    let mut state = 1_u32;
    let mut color = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let (columns, rows) = (16, 12);
    let tiles: Vec<[u8; 3]> = (0..columns * rows).map(|_| [color(), color(), color()]).collect();
    let pixels = (0..rows * 8).flat_map(|y| (0..columns * 8).map(move |x| (x / 8, y / 8)));
    let rgb = pixels.flat_map(|(x, y)| tiles[(y * columns + x) as usize]).collect();
    Picture { width: columns * 8, height: rows * 8, rgb }
});

/// A file is a picture of at most 40 megapixels or is refused, without a panic of its decoder. A picture that is encoded
/// without loss is read as the same one. A comparison ends, with numbers in their ranges; a picture never differs from
/// itself, and has the same conclusion both times.
pub fn hold(data: &[u8]) {
    let picture = match Picture::read(data) {
        Ok(picture) => picture,
        Err(ReadError::Malformed { reason, .. }) => return assert_ne!(reason, "the decoder failed"),
        Err(_) => return,
    };
    let pixels = u64::from(picture.width) * u64::from(picture.height);
    assert!((1..=40_000_000).contains(&pixels) && picture.rgb.len() as u64 == 3 * pixels);
    if pixels > COMPARED_PIXELS {
        return;
    }
    assert_eq!(Picture::read(&picture.png().unwrap()), Ok(picture.clone()));
    assert_ne!(compare(&picture, &picture).verdict, Verdict::SameWithDifferences);
    for (copy, original) in [(&picture, &picture), (&picture, &*ORIGINAL), (&*ORIGINAL, &picture)] {
        let found = compare(copy, original);
        assert!((0.0..=1.0).contains(&found.agreement) && found.similarity <= 1.0, "{found:?}");
        assert_eq!(found.regions.is_empty(), found.verdict != Verdict::SameWithDifferences, "{found:?}");
        for part in found.regions.iter().chain([&found.shown]) {
            assert!(part.left + part.width <= original.width && part.top + part.height <= original.height, "{found:?}");
        }
    }
}
