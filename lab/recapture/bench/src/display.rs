//! A display that shows a picture with glowing subpixels separated by black.

use crate::picture::{Light, Picture, floor, mix, scaled};

/// The arrangement of a display's subpixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// LCD: red, green and blue stripes with a narrow black matrix.
    Rgb,
    /// LCD: blue, green and red stripes.
    Bgr,
    /// LCD with a wide black matrix: each stripe fills about half of its width.
    WideMatrix,
    /// OLED with diamond-shaped subpixels: green in each pixel, red and blue alternating.
    PenTile,
    /// A control that does not exist in reality: a picture without visible pixels.
    Seamless,
}

impl Panel {
    /// All panels with visible pixels.
    pub const WITH_PIXELS: [Panel; 4] = [Panel::Rgb, Panel::Bgr, Panel::WideMatrix, Panel::PenTile];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Panel::Rgb => "LCD, RGB stripes",
            Panel::Bgr => "LCD, BGR stripes",
            Panel::WideMatrix => "LCD, wide black matrix",
            Panel::PenTile => "OLED, PenTile diamonds",
            Panel::Seamless => "control without pixels",
        }
    }

    /// Number of pixels after which the pattern repeats.
    fn period(self) -> usize {
        if self == Panel::PenTile { 2 } else { 1 }
    }

    /// Whether the subpixel of a color glows at a position of the pattern, in pixels.
    fn glows(self, color: usize, u: f32, v: f32) -> bool {
        let (x, y) = (u.fract(), v.fract());
        let stripe = |place: usize, width: f32, height: f32| {
            (x * 3.0 - place as f32 - 0.5).abs() < width / 2.0 && (y - 0.5).abs() < height / 2.0
        };
        match self {
            Panel::Rgb => stripe(color, 0.82, 0.88),
            Panel::Bgr => stripe(2 - color, 0.86, 0.90),
            Panel::WideMatrix => stripe(color, 0.62, 0.76),
            Panel::PenTile => {
                let diamond = |cx: f32, cy: f32, radius: f32| (x - cx).abs() + (y - cy).abs() < radius;
                let red_here = (u as usize + v as usize).is_multiple_of(2);
                match color {
                    1 => diamond(0.27, 0.27, 0.25),
                    _ => (color == 0) == red_here && diamond(0.73, 0.73, if color == 0 { 0.25 } else { 0.27 }),
                }
            }
            Panel::Seamless => true,
        }
    }
}

/// A display that shows a picture with one display pixel per pixel of the picture. Positions on it are in display
/// pixels.
#[derive(Debug)]
pub struct Display {
    /// The arrangement of its subpixels.
    pub panel: Panel,
    /// The content, as the light of glowing subpixels.
    pub content: Picture,
    /// Whether the display is rotated, so that its stripes are horizontal.
    pub turned: bool,
    /// Room light reflected by the glass, as a fraction of white.
    pub glare: f32,
    /// Whether the edge of the panel and its frame are visible.
    pub bezel: bool,
}

/// Positions of the pattern per display pixel and direction. It is a power of two, as are all periods, so that the
/// repetition can be computed with a bit mask.
const FINE: usize = 64;

/// A display ready to be photographed: its pattern is averaged over the footprint of a sample.
#[derive(Debug)]
pub struct Lit<'a> {
    display: &'a Display,
    /// Light of each color at each position of the pattern, with a mean of 1.
    pattern: Vec<Light>,
    side: usize,
}

impl Display {
    /// Prepares the display for samples that are `footprint` display pixels apart.
    #[must_use]
    pub fn lit(&self, footprint: f32) -> Lit<'_> {
        let side = FINE * self.panel.period();
        let place = |i: usize| (i as f32 + 0.5) / FINE as f32;
        let mut pattern = vec![[0.0; 3]; side * side];
        for (i, light) in pattern.iter_mut().enumerate() {
            let (u, v) = (place(i % side), place(i / side));
            *light = std::array::from_fn(|color| f32::from(u8::from(self.panel.glows(color, u, v))));
        }
        let reach = (footprint * FINE as f32 / 2.0).round() as usize;
        let across = averaged(&pattern, side, reach, |along, other| other * side + along);
        let mut pattern = averaged(&across, side, reach, |along, other| along * side + other);
        let sums = pattern.iter().fold([0.0; 3], |sum, light| std::array::from_fn(|c| sum[c] + light[c]));
        let count = pattern.len() as f32;
        pattern.iter_mut().for_each(|light| *light = std::array::from_fn(|c| light[c] * count / sums[c]));
        Lit { display: self, pattern, side }
    }
}

/// The moving average of a repeating pattern in one direction, `reach` positions to either side.
fn averaged(pattern: &[Light], side: usize, reach: usize, index: impl Fn(usize, usize) -> usize) -> Vec<Light> {
    let mut out = vec![[0.0; 3]; pattern.len()];
    let weight = 1.0 / (2 * reach + 1) as f32;
    for other in 0..side {
        for along in 0..side {
            let places = (0..=2 * reach).map(|k| (along + k + side * (1 + reach / side) - reach) % side);
            let sum = places.fold([0.0; 3], |sum: Light, k| {
                let light = pattern[index(k, other)];
                std::array::from_fn(|c| sum[c] + light[c])
            });
            out[index(along, other)] = scaled(sum, weight);
        }
    }
    out
}

impl Lit<'_> {
    /// The light at a position on the display's plane, whose center is 0, 0.
    #[must_use]
    pub fn light(&self, u: f32, v: f32) -> Light {
        let (width, height) = (self.display.content.width as f32, self.display.content.height as f32);
        let (u, v) = (u + width / 2.0, v + height / 2.0);
        if self.display.bezel && (u < 0.0 || v < 0.0 || u >= width || v >= height) {
            return bezel(u, v, width, height);
        }
        let light = if self.display.panel == Panel::Seamless {
            self.display.content.between(u, v)
        } else {
            let content = self.display.content.pixel(floor(u) as isize, floor(v) as isize);
            let (along, down) = if self.display.turned { (v, u) } else { (u, v) };
            let place = |value: f32| floor(value * FINE as f32) as usize & (self.side - 1);
            let glow = self.pattern[place(down) * self.side + place(along)];
            std::array::from_fn(|c| content[c] * glow[c])
        };
        mix(light, [1.0; 3], self.display.glare)
    }
}

/// Black plastic around the panel, and a wall behind it.
fn bezel(u: f32, v: f32, width: f32, height: f32) -> Light {
    let away = (-u).max(-v).max(u - width).max(v - height);
    if away < height * 0.03 {
        [0.012; 3]
    } else {
        scaled([0.24, 0.22, 0.19], 1.0 - (v / height).clamp(-0.3, 1.3) * 0.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White light averaged over a few whole pixels.
    fn mean(panel: Panel) -> Light {
        let content = Picture::from_fn(16, 16, |_, _| [1.0; 3]);
        let display = Display { panel, content, turned: false, glare: 0.0, bezel: false };
        let lit = display.lit(0.1);
        let lights = (0..400 * 400).map(|i| lit.light((i % 400) as f32 / 100.0, (i / 400) as f32 / 100.0));
        scaled(lights.fold([0.0; 3], |sum, light| std::array::from_fn(|c| sum[c] + light[c])), 1.0 / 160_000.0)
    }

    #[test]
    fn every_panel_shows_white_as_white() {
        for panel in Panel::WITH_PIXELS.into_iter().chain([Panel::Seamless]) {
            let light = mean(panel);
            assert!(light.iter().all(|value| (value - 1.0).abs() < 0.03), "{panel:?} {light:?}");
        }
    }

    #[test]
    fn turning_swaps_the_stripe_direction() {
        let content = Picture::from_fn(4, 4, |_, _| [1.0; 3]);
        for turned in [false, true] {
            let display = Display { panel: Panel::Rgb, content: content.clone(), turned, glare: 0.0, bezel: false };
            let lit = display.lit(0.05);
            let (red, blue) = (1.0 / 6.0, 5.0 / 6.0);
            let at = |along: f32| if turned { lit.light(0.5, along) } else { lit.light(along, 0.5) };
            assert!(at(red)[0] > 1.0 && at(red)[2] == 0.0 && at(blue)[2] > 1.0 && at(blue)[0] == 0.0, "{turned}");
        }
    }
}
