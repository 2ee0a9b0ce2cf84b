//! The light that falls on each pixel of a sensor: lens blur, and averaging over the pixel's area.

use crate::picture::{Light, Picture};

/// The image of a scene on a sensor of `width` by `height` pixels. `scene` gives the light at a position in sensor
/// pixels. It is sampled `samples` times per pixel and direction, and averaged over the pixel and over a Gaussian lens
/// blur with a standard deviation of `blur` pixels. As in a camera, this precedes the sampling by the sensor: details
/// that the sensor cannot resolve are blurred here or become moiré there.
#[must_use]
pub fn image((width, height): (usize, usize), samples: usize, blur: f32, scene: impl Fn(f32, f32) -> Light) -> Picture {
    let kernel = kernel(samples, blur * samples as f32);
    let reach = (kernel.len() - samples) / 2;
    let mut pixels = vec![[0.0; 4]; width * height];
    let mut fine = vec![[0.0; 4]; width * samples + 2 * reach];
    let mut row = vec![[0.0; 4]; width];
    let place = |fine: usize| (fine as f32 - reach as f32 + 0.5) / samples as f32;
    for fine_y in 0..height * samples + 2 * reach {
        let y = place(fine_y);
        for (x, light) in fine.iter_mut().enumerate() {
            let [red, green, blue] = scene(place(x), y);
            *light = [red, green, blue, 0.0];
        }
        for (x, light) in row.iter_mut().enumerate() {
            *light = weighted(&fine[x * samples..x * samples + kernel.len()], &kernel);
        }
        // This row of samples contributes to every row of pixels whose kernel covers it.
        let first = (fine_y + 1).saturating_sub(kernel.len()).div_ceil(samples);
        for y in first..height.min(fine_y / samples + 1) {
            let weight = kernel[fine_y - y * samples];
            let target = pixels[y * width..(y + 1) * width].as_flattened_mut();
            target.iter_mut().zip(row.as_flattened()).for_each(|(sum, value)| *sum += weight * value);
        }
    }
    let pixels = pixels.into_iter().map(|[red, green, blue, _]| [red, green, blue]).collect();
    Picture { width, height, pixels }
}

/// Four lanes, one of them unused, fit a vector register; three do not.
fn weighted(lights: &[[f32; 4]], weights: &[f32]) -> [f32; 4] {
    lights
        .iter()
        .zip(weights)
        .fold([0.0; 4], |sum, (light, weight)| std::array::from_fn(|c| sum[c] + weight * light[c]))
}

/// A box filter of `samples` samples, convolved with a Gaussian of `deviation` samples; its sum is 1.
fn kernel(samples: usize, deviation: f32) -> Vec<f32> {
    let reach = (2.7 * deviation).ceil() as usize;
    let gauss = |offset: f32| (-0.5 * (offset / deviation.max(1e-3)).powi(2)).exp();
    let center = (samples as f32 - 1.0) / 2.0;
    let at = |i: usize| {
        let from_center = i as f32 - reach as f32 - center;
        (0..samples).map(|k| gauss(from_center - (k as f32 - center))).sum::<f32>()
    };
    let weights: Vec<f32> = (0..samples + 2 * reach).map(at).collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_scene_keeps_its_light() {
        for (samples, blur) in [(1, 0.0), (2, 0.5), (3, 0.4), (5, 1.7)] {
            let image = image((17, 9), samples, blur, |_, _| [0.25, 0.5, 1.0]);
            for light in &image.pixels {
                assert!((light[0] - 0.25).abs() < 1e-4 && (light[2] - 1.0).abs() < 1e-4, "{samples} {blur} {light:?}");
            }
        }
    }

    /// Compares how much of a grating of `frequency` cycles per pixel reaches the sensor with the theory of a box and a
    /// Gaussian.
    #[test]
    fn attenuates_fine_detail_as_theory_says() {
        for (frequency, blur) in [(0.1f32, 0.5f32), (0.3, 0.5), (0.4, 0.7), (0.12, 1.5)] {
            let phase = |at: f32| std::f32::consts::TAU * frequency * at;
            let across = image((200, 3), 4, blur, |x, _| [phase(x).cos(); 3]);
            let down = image((3, 200), 4, blur, |_, y| [phase(y).cos(); 3]);
            let strength = |image: &Picture| {
                let squares: f32 = image.pixels.iter().map(|light| light[0] * light[0]).sum();
                (2.0 * squares / image.pixels.len() as f32).sqrt()
            };
            let box_part = (std::f32::consts::PI * frequency).sin() / (std::f32::consts::PI * frequency);
            let theory = box_part * (-0.5 * (std::f32::consts::TAU * frequency * blur).powi(2)).exp();
            assert!((strength(&across) - theory).abs() < 0.03, "{frequency} {blur}: {} {theory}", strength(&across));
            assert!((strength(&down) - theory).abs() < 0.03, "{frequency} {blur}: {} {theory}", strength(&down));
        }
    }
}
