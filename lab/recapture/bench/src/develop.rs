//! A phone's processing after demosaicing: noise reduction, tone curve, scaling, sharpening, quantization to eight
//! bits.

use crate::picture::{Frame, Light, Picture};

/// The processing of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Develop {
    /// Strength of the noise reduction, 0 to 1.
    pub denoise: f32,
    /// Strength of the S-shaped tone curve, 0 to 1.
    pub contrast: f32,
    /// Factor of the difference to a blurred picture that is added.
    pub sharpen: f32,
}

/// Luma weights of Rec. 601, as in JPEG.
const LUMA: Light = [0.299, 0.587, 0.114];

fn luma(light: Light) -> f32 {
    light[0] * LUMA[0] + light[1] * LUMA[1] + light[2] * LUMA[2]
}

impl Develop {
    /// Processes a picture in linear light, at its own size or a smaller one.
    #[must_use]
    pub fn develop(&self, mut picture: Picture, size: (usize, usize)) -> Frame {
        self.tone(&mut picture);
        if self.denoise > 0.0 {
            denoise(&mut picture, self.denoise);
        }
        let mut picture = if size == (picture.width, picture.height) { picture } else { resized(&picture, size) };
        if self.sharpen > 0.0 {
            sharpen(&mut picture, self.sharpen);
        }
        let rgb = picture.pixels.as_flattened().iter().map(|value| (value * 255.0).round().clamp(0.0, 255.0) as u8);
        Frame { width: picture.width, height: picture.height, rgb: rgb.collect() }
    }

    /// From linear light to sRGB codes between 0 and 1, by a table.
    fn tone(&self, picture: &mut Picture) {
        const STEPS: usize = 4096;
        let curve: Vec<f32> = (0..=STEPS)
            .map(|i| {
                let linear = i as f32 / STEPS as f32;
                let code = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
                let bent = code * code * (3.0 - 2.0 * code);
                code + (bent - code) * self.contrast
            })
            .collect();
        for value in picture.pixels.as_flattened_mut() {
            let at = value.clamp(0.0, 1.0) * STEPS as f32;
            let step = (at as usize).min(STEPS - 1);
            *value = curve[step] + (curve[step + 1] - curve[step]) * (at - step as f32);
        }
    }
}

/// Applies a 1 2 1 filter, with neighbors `apart` pixels away, in both directions.
fn smooth(values: &[Light], width: usize, apart: usize) -> Vec<Light> {
    let height = values.len() / width;
    let of_three = |a: Light, b: Light, c: Light| std::array::from_fn(|i| (a[i] + 2.0 * b[i] + c[i]) / 4.0);
    let mut across = Vec::with_capacity(values.len());
    for row in values.chunks_exact(width) {
        across.extend(
            (0..width).map(|x| of_three(row[x.saturating_sub(apart)], row[x], row[(x + apart).min(width - 1)])),
        );
    }
    let mut out = Vec::with_capacity(values.len());
    for y in 0..height {
        let row = |y: usize| &across[y * width..(y + 1) * width];
        let (above, here, below) = (row(y.saturating_sub(apart)), row(y), row((y + apart).min(height - 1)));
        out.extend((0..width).map(|x| of_three(above[x], here[x], below[x])));
    }
    out
}

/// Smooths color over a few pixels, and brightness only in uniform areas, so that edges stay sharp.
fn denoise(picture: &mut Picture, amount: f32) {
    const LIKE: f32 = 0.03;
    let near = smooth(&picture.pixels, picture.width, 1);
    let wide = smooth(&near, picture.width, 2);
    for ((light, near), wide) in picture.pixels.iter_mut().zip(near).zip(wide) {
        let (here, around) = (luma(*light), luma(near));
        let alike = LIKE * LIKE / (LIKE * LIKE + (here - around).powi(2));
        let bright = here + (around - here) * alike * amount;
        let wide_luma = luma(wide);
        *light = std::array::from_fn(|c| {
            let color = light[c] - here;
            bright + color + (wide[c] - wide_luma - color) * amount
        });
    }
}

/// Unsharp masking of brightness.
fn sharpen(picture: &mut Picture, amount: f32) {
    let blurred = smooth(&picture.pixels, picture.width, 1);
    for (light, blurred) in picture.pixels.iter_mut().zip(blurred) {
        let edge = (luma(*light) - luma(blurred)) * amount;
        *light = light.map(|value| value + edge);
    }
}

/// Resizes bilinearly. When scaling down, the filter is widened so that every pixel counts, as in cameras.
#[must_use]
pub fn resized(picture: &Picture, (width, height): (usize, usize)) -> Picture {
    let across = weights(picture.width, width);
    let down = weights(picture.height, height);
    let narrow = Picture::from_fn(width, picture.height, |x, y| {
        let (first, weights) = &across[x];
        let row = &picture.pixels[y * picture.width..];
        weights.iter().zip(&row[*first..]).fold([0.0; 3], add)
    });
    Picture::from_fn(width, height, |x, y| {
        let (first, weights) = &down[y];
        let column = narrow.pixels[first * width + x..].iter().step_by(width);
        weights.iter().zip(column).fold([0.0; 3], add)
    })
}

fn add(sum: Light, (weight, light): (&f32, &Light)) -> Light {
    std::array::from_fn(|c| sum[c] + weight * light[c])
}

/// For each pixel of the result, the first source pixel and the weights of it and its successors. When scaling up, this
/// is bilinear interpolation.
fn weights(from: usize, to: usize) -> Vec<(usize, Vec<f32>)> {
    let step = from as f32 / to as f32;
    let reach = step.max(1.0);
    (0..to)
        .map(|i| {
            let center = (i as f32 + 0.5) * step - 0.5;
            let first = (center - reach).ceil().max(0.0) as usize;
            let last = ((center + reach).floor() as usize).min(from - 1);
            let parts: Vec<f32> = (first..=last).map(|k| 1.0 - (k as f32 - center).abs() / reach).collect();
            let sum: f32 = parts.iter().sum();
            (first, parts.iter().map(|part| part / sum).collect())
        })
        .collect()
}
