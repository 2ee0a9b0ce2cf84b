//! Compares this package with the reference code on generated pictures. `lab/fingerprint/vectors.py` has written
//! `vectors.json`: the pixels are Pillow's and the codes iscc-core's. `lab/scripts/evaluate-fingerprint` compares both on
//! 10,000 pictures.

#![allow(clippy::unwrap_used)]

use serde_json::Value;

use crate::{Luma, code_of};

/// A pseudo-random number of 32 bits for each list of numbers.
fn mixed(numbers: [usize; 4]) -> usize {
    let state = numbers.iter().fold(2_166_136_261_u32, |state, number| {
        let state = (state ^ *number as u32).wrapping_mul(16_777_619);
        state ^ (state >> 15)
    });
    state as usize
}

/// Blocks of seven columns and five rows in random colors, with noise.
fn pixel(seed: usize, (width, height): (usize, usize), (x, y): (usize, usize)) -> [u8; 3] {
    [0, 1, 2].map(|channel| {
        let block = mixed([seed, channel, x * 7 / width, y * 5 / height]) % 192;
        (block + mixed([seed, channel, x, y]) % 64) as u8
    })
}

/// A picture of random blocks.
fn picture(seed: usize, (width, height): (usize, usize)) -> Vec<u8> {
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    pixels.flat_map(|place| pixel(seed, (width, height), place)).collect()
}

#[test]
fn agrees_with_the_reference_code() {
    let vectors: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    let pictures = vectors["pictures"].as_array().unwrap();
    assert_eq!(pictures.len(), 11);
    for expected in pictures {
        let of = |name: &str| expected[name].as_u64().unwrap() as usize;
        let (width, height) = (of("width"), of("height"));
        let rgb = picture(of("seed"), (width, height));
        let luma = Luma::of_rgb(width, &rgb);
        let pixels: String = luma.pixels().iter().map(|sample| format!("{sample:02x}")).collect();
        assert_eq!(expected["pixels"], pixels, "{width} × {height}");
        if let Some(code) = code_of(&luma) {
            assert_eq!(expected["code"], code.hex(), "{width} × {height}");
        } else {
            let code = expected["code"].as_str().unwrap();
            let digits = code.chars().filter_map(|digit| digit.to_digit(16));
            assert!(digits.map(u32::count_ones).sum::<u32>() < 64, "{width} × {height}: {code}");
        }
    }
}

#[test]
fn uniform_pictures_have_no_code() {
    let size = (640, 480);
    let picture = |pixel: fn(usize, usize) -> usize| -> Vec<u8> {
        (0..size.1).flat_map(|y| (0..size.0).flat_map(move |x| [pixel(x, y) as u8; 3])).collect()
    };
    let code = |rgb: Vec<u8>| code_of(&Luma::of_rgb(size.0, &rgb));
    assert_eq!(code(picture(|_, _| 255)), None);
    assert_eq!(code(picture(|x, _| x * 255 / 640)), None, "a gradient");
    assert_eq!(code(picture(|x, y| 100 + mixed([1, x / 90, y / 90, 0]) % 8)), None, "a range of 7");
    assert!(code(picture(|x, y| 100 + mixed([1, x / 90, y / 90, 0]) % 40)).is_some(), "a range of 39");
}
