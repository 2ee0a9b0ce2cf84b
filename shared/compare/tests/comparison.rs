//! Tests what a comparison concludes from copies of a synthetic photo.

#![allow(clippy::unwrap_used)]

use fast_image_resize::{
    Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x3,
};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use lacre_compare::{Comparison, Picture, Region, Verdict, compare};

const WHOLE: Region = Region { left: 0, top: 0, width: 640, height: 480 };

/// A scene of 640 x 480 pixels from this seed: shapes of all sizes on a sky that brightens.
fn scene(seed: u64) -> Picture {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut picture = Picture {
        width: 640,
        height: 480,
        rgb: (0..640 * 480).flat_map(|at| [at / 2560; 3]).map(|v| v as u8 + 60).collect(),
    };
    for _ in 0..160 {
        let size = 8 + random.u32(..70) * random.u32(..2);
        let (left, top) = (random.u32(..640 - size), random.u32(..480 - size));
        paint(
            &mut picture,
            Region { left, top, width: size, height: size / 2 + 4 },
            [(); 3].map(|()| random.u8(30..225)),
        );
    }
    picture
}

fn paint(picture: &mut Picture, region: Region, color: [u8; 3]) {
    for y in region.top..region.top + region.height {
        for x in region.left..region.left + region.width {
            let at = 3 * (y * picture.width + x) as usize;
            picture.rgb[at..at + 3].copy_from_slice(&color);
        }
    }
}

fn cropped(picture: &Picture, part: Region) -> Picture {
    let row = |y: u32| {
        let start = 3 * (y * picture.width + part.left) as usize;
        &picture.rgb[start..start + 3 * part.width as usize]
    };
    let rgb = (part.top..part.top + part.height).flat_map(row).copied().collect();
    Picture { width: part.width, height: part.height, rgb }
}

/// What a messenger makes of a picture: scaled to this width, and encoded with chroma at half resolution.
fn sent(picture: &Picture, width: u32, quality: u8) -> Picture {
    let height = (picture.height * width + picture.width / 2) / picture.width;
    let source = TypedImageRef::<U8x3>::from_buffer(picture.width, picture.height, &picture.rgb).unwrap();
    let mut rgb = vec![0; 3 * width as usize * height as usize];
    let mut scaled = TypedImage::<U8x3>::from_buffer(width, height, &mut rgb).unwrap();
    // Not `resize`, which compiles for each of twenty types of pixels.
    Resizer::new().resize_typed(&source, &mut scaled, None).unwrap();
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, quality);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(&rgb, width as u16, height as u16, ColorType::Rgb).unwrap();
    Picture::read(&file).unwrap()
}

/// Area of the intersection of two regions, relative to that of their union.
fn overlap(a: Region, b: Region) -> f64 {
    let shared = |start: (u32, u32), length: (u32, u32)| {
        f64::from((start.0 + length.0).min(start.1 + length.1).saturating_sub(start.0.max(start.1)))
    };
    let both = shared((a.left, b.left), (a.width, b.width)) * shared((a.top, b.top), (a.height, b.height));
    both / (f64::from(a.width * a.height) + f64::from(b.width * b.height) - both)
}

fn assert_same(comparison: &Comparison, shown: Region) {
    assert_eq!((comparison.verdict, &comparison.regions), (Verdict::Same, &vec![]), "{comparison:?}");
    assert!(overlap(comparison.shown, shown) > 0.98, "{comparison:?}");
    assert!(comparison.agreement > 0.95 && comparison.similarity > 0.9, "{comparison:?}");
}

#[test]
fn copies_of_a_messenger_are_the_same() {
    let original = scene(1);
    for (width, quality) in [(512, 70), (400, 60)] {
        let copy = sent(&original, width, quality);
        let comparison = compare(&copy, &original);
        assert_same(&comparison, WHOLE);
        assert_eq!(comparison.shown, WHOLE);
        assert_same(&compare(&sent(&copy, width, quality), &original), WHOLE);
    }
    assert_same(&compare(&original, &original), WHOLE);
}

#[test]
fn brightness_and_contrast_do_not_differ() {
    let original = scene(2);
    for (gain, offset) in [(1.25, 0.0), (0.75, 0.0), (0.8, 40.0)] {
        let mut changed = original.clone();
        for value in &mut changed.rgb {
            *value = (f64::from(*value) * gain + offset).min(255.0) as u8;
        }
        assert_same(&compare(&sent(&changed, 512, 70), &original), WHOLE);
    }
}

#[test]
fn finds_the_part_that_is_shown() {
    let original = scene(3);
    for part in [
        Region { left: 0, top: 0, width: 600, height: 440 },
        Region { left: 50, top: 30, width: 560, height: 450 },
        Region { left: 120, top: 100, width: 440, height: 330 },
    ] {
        assert_same(&compare(&sent(&cropped(&original, part), 512, 75), &original), part);
    }
}

#[test]
fn finds_the_photo_in_a_screenshot() {
    let original = scene(4);
    // A phone's screen: bars above and below, with letters.
    let mut screen = Picture { width: 480, height: 960, rgb: vec![12; 3 * 480 * 960] };
    for at in 0..20 {
        let top = if at % 2 == 0 { 40 } else { 720 };
        paint(&mut screen, Region { left: 30 + at * 18, top, width: 8, height: 14 }, [180; 3]);
    }
    let shown = sent(&original, 480, 90);
    for top in [300, 590] {
        let mut screen = screen.clone();
        let start = 3 * 480 * top;
        screen.rgb[start..start + shown.rgb.len()].copy_from_slice(&shown.rgb);
        assert_same(&compare(&sent(&screen, 480, 80), &original), WHOLE);
    }
}

#[test]
fn outlines_what_differs() {
    let original = scene(5);
    let patch = Region { left: 300, top: 200, width: 130, height: 70 };
    let mut edited = original.clone();
    let mut random = fastrand::Rng::with_seed(6);
    for at in 0..13 * 7 {
        let block = Region { left: patch.left + at % 13 * 10, top: patch.top + at / 13 * 10, width: 10, height: 10 };
        paint(&mut edited, block, [(); 3].map(|()| random.u8(..)));
    }
    let comparison = compare(&sent(&edited, 512, 70), &original);
    assert_eq!(comparison.verdict, Verdict::SameWithDifferences);
    assert!(overlap(comparison.regions[0], patch) > 0.6, "{comparison:?}");
    let part = Region { left: 40, top: 0, width: 600, height: 450 };
    let comparison = compare(&sent(&cropped(&edited, part), 512, 70), &original);
    assert_eq!(comparison.verdict, Verdict::SameWithDifferences);
    assert!(overlap(comparison.regions[0], patch) > 0.6, "{comparison:?}");
}

#[test]
fn outlines_what_has_another_color() {
    let mut original = scene(7);
    let sign = Region { left: 100, top: 300, width: 110, height: 80 };
    paint(&mut original, sign, [190, 90, 90]);
    let mut edited = original.clone();
    // Of the same brightness.
    paint(&mut edited, sign, [78, 142, 94]);
    let comparison = compare(&sent(&edited, 512, 70), &original);
    assert_eq!(comparison.verdict, Verdict::SameWithDifferences);
    assert_eq!(comparison.regions.len(), 1, "{comparison:?}");
    assert!(overlap(comparison.regions[0], sign) > 0.6, "{comparison:?}");
}

/// A form with lines, in which letters are written by this seed.
fn form(seed: u64) -> Picture {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut page = Picture { width: 600, height: 800, rgb: vec![245; 3 * 600 * 800] };
    for row in 0..12 {
        paint(&mut page, Region { left: 40, top: 60 + 60 * row, width: 520, height: 3 }, [70; 3]);
        for letter in 0..20 {
            let (left, top) = (50 + 24 * letter, 75 + 60 * row);
            for _ in 0..3 {
                let (x, y) = (random.u32(..10), random.u32(..20));
                let (width, height) = if random.bool() { (3, 14) } else { (10, 3) };
                paint(&mut page, Region { left: left + x, top: top + y, width, height }, [30; 3]);
            }
        }
    }
    page
}

#[test]
fn other_pictures_are_not_confirmed() {
    let comparison = compare(&sent(&scene(8), 512, 70), &scene(9));
    assert_eq!(comparison.verdict, Verdict::NotConfirmed, "{comparison:?}");
    assert_eq!((comparison.shown, comparison.regions), (Region::default(), vec![]));
}

#[test]
fn other_documents_of_a_form_differ() {
    assert_same(&compare(&sent(&form(11), 500, 70), &form(11)), Region { width: 600, height: 800, ..WHOLE });
    assert_ne!(compare(&sent(&form(12), 500, 70), &form(11)).verdict, Verdict::Same);
}

#[test]
fn pictures_without_detail_are_not_confirmed() {
    let flat = |width: u32, height: u32| Picture { width, height, rgb: vec![99; 3 * (width * height) as usize] };
    for (copy, original) in [
        (flat(640, 480), flat(640, 480)),
        (flat(640, 480), scene(13)),
        (scene(13), flat(640, 480)),
        (flat(1, 1), flat(1, 1)),
        (flat(1, 4000), scene(13)),
        (scene(13), flat(4000, 1)),
        (Picture { width: 640, height: 480, rgb: vec![] }, scene(13)),
        (Picture { width: 0, height: 0, rgb: vec![] }, scene(13)),
        (scene(13), Picture { width: 0, height: 7, rgb: vec![] }),
    ] {
        assert_eq!(compare(&copy, &original).verdict, Verdict::NotConfirmed, "{} x {}", copy.width, copy.height);
    }
}
