//! A photo of a display.

use fastrand::Rng;

use crate::{
    camera::{Camera, Focus, between},
    display::{Display, Panel},
    picture::{Frame, Picture},
    view::{Pose, View},
};

/// The conditions of a photo of a display.
#[derive(Clone, Copy, Debug)]
pub struct Recapture {
    /// The kind of panel.
    pub panel: Panel,
    /// Frame pixels per display pixel, in the middle of the frame.
    pub scale: f32,
    /// How sharp the camera sees.
    pub focus: Focus,
    /// The frame's columns and rows.
    pub size: (usize, usize),
}

impl Recapture {
    /// Photographs a display. `content` gives a picture with as many pixels as the display needs. The pose, the room
    /// and the camera are random.
    #[must_use]
    pub fn photograph(&self, content: impl FnOnce(usize, usize) -> Picture, rng: &mut Rng) -> Frame {
        let pose = self.pose(rng);
        let bezel = rng.u8(..) < 30;
        // If the whole display is visible, it ends inside the frame; otherwise it extends beyond it, even when tilted.
        let (part, turned) = if bezel { (between(rng, (0.8, 0.95)), 0.0) } else { (1.2, 0.25) };
        let pixels = |side: usize, other: usize| ((side as f32 * part + other as f32 * turned) / self.scale) as usize;
        let mut picture = content(pixels(self.size.0, self.size.1), pixels(self.size.1, self.size.0));
        // Panels differ slightly from sRGB in contrast, and are never fully black.
        let (bend, black) = (between(rng, (-0.1, 0.2)), between(rng, (0.0005, 0.003)));
        let shown = |value: f32| black + value * (1.0 + bend * (value - 1.0)) * (1.0 - black);
        picture.pixels.as_flattened_mut().iter_mut().for_each(|value| *value = shown(*value));
        let glare = if rng.bool() { between(rng, (0.0, 0.04)) } else { 0.0 };
        let display = Display { panel: self.panel, content: picture, turned: rng.u8(..) < 90, glare, bezel };

        let camera = Camera::some(self.focus, rng);
        // Each sample is an average over its surroundings, so that six per display pixel suffice for the pattern's
        // first harmonics.
        let wanted = if self.focus == Focus::Sharp { 6.0 } else { 5.0 };
        let samples = ((wanted / (self.scale * camera.oversize)).ceil() as usize).clamp(2, 6);
        let lit = display.lit(1.0 / (self.scale * camera.oversize * samples as f32));
        let view = View::new(self.size, pose);
        let scene = |x: f32, y: f32| {
            let (u, v) = view.at(x, y);
            lit.light(u, v)
        };
        camera.photograph(self.size, samples, scene, rng)
    }

    /// In one of four photos the phone is held parallel to the display, or rests on something.
    fn pose(&self, rng: &mut Rng) -> Pose {
        let straight = rng.u8(..) < 64;
        let mut angle = |most: f32| if straight { 0.0 } else { between(rng, (-most, most)) };
        let (turn, tilt) = (angle(12.0), (angle(15.0), angle(15.0)));
        Pose { scale: self.scale, turn, tilt, center: (rng.f32(), rng.f32()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (usize, usize) = (320, 240);

    fn photo(panel: Panel, seed: u64) -> Frame {
        let recapture = Recapture { panel, scale: 3.0, focus: Focus::Sharp, size: SIZE };
        recapture
            .photograph(|width, height| Picture::from_fn(width, height, |_, _| [0.4; 3]), &mut Rng::with_seed(seed))
    }

    /// Mean difference of green between neighboring pixels in the middle of the frame, relative to its value.
    fn roughness(frame: &Frame) -> f64 {
        let row = |y: usize| (100..220).map(move |x| f64::from(frame.code(x, y)[1]));
        let greens: Vec<f64> = (100..140).flat_map(row).collect();
        let mean = greens.iter().sum::<f64>() / greens.len() as f64;
        (greens.iter().map(|green| (green - mean).powi(2)).sum::<f64>() / greens.len() as f64).sqrt() / mean
    }

    #[test]
    fn only_displays_with_pixels_are_rough() {
        for seed in 0..4 {
            let smooth = roughness(&photo(Panel::Seamless, seed));
            for panel in Panel::WITH_PIXELS {
                let rough = roughness(&photo(panel, seed));
                assert!(rough > 1.5 * smooth, "{panel:?} {seed}: {rough} {smooth}");
            }
        }
    }

    #[test]
    fn the_seed_determines_the_photo() {
        let (first, again, other) = (photo(Panel::PenTile, 5), photo(Panel::PenTile, 5), photo(Panel::PenTile, 6));
        assert_eq!((first.width, first.height), SIZE);
        assert!(first.rgb == again.rgb && first.rgb != other.rgb);
    }
}
