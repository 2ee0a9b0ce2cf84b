//! A display: a picture, shown by glowing subpixels between black.

use crate::picture::{Light, Picture, floor, mix, scaled};

/// How a display's subpixels lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// LCD: red, green and blue stripes, narrow black matrix.
    Rgb,
    /// LCD: blue, green and red stripes.
    Bgr,
    /// LCD with a wide black matrix: each stripe fills about half of its place.
    WideMatrix,
    /// OLED: green at each pixel, red and blue in turn at every other, as diamonds.
    PenTile,
    /// A control that no factory makes: the picture without pixels.
    Seamless,
}

impl Panel {
    /// All panels that have pixels.
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

    /// Pixels after which the pattern repeats.
    fn period(self) -> usize {
        if self == Panel::PenTile { 2 } else { 1 }
    }

    /// Whether the subpixel of a color glows at a place of the pattern, in pixels.
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

/// A display that shows a picture, one display pixel per pixel of the picture. Its plane is measured in display pixels.
#[derive(Debug)]
pub struct Display {
    /// How its subpixels lie.
    pub panel: Panel,
    /// The content, in the light that the display gives where it glows.
    pub content: Picture,
    /// A phone or a monitor that is turned: stripes lie instead of standing.
    pub turned: bool,
    /// Room light that the glass reflects, as a part of white.
    pub glare: f32,
    /// The end of the panel and the frame around it are in sight, rather than content alone.
    pub bezel: bool,
}

/// Places of the pattern per display pixel and direction. A power of two, as are all periods, so that where the pattern
/// repeats is a matter of the lower bits.
const FINE: usize = 64;

/// What a display looks like, ready to be photographed: its pattern averaged over the footprint of a sample.
#[derive(Debug)]
pub struct Lit<'a> {
    display: &'a Display,
    /// Light of each color at each place of the pattern, 1 on average.
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

/// The running average of a repeating pattern along one direction, `reach` places to either side.
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
    /// The light at a place of the display's plane, whose middle is 0, 0.
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

/// Black plastic around the panel, a wall behind.
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
    fn stripes_stand_and_lie_when_turned() {
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
