//! Creates the photos of screens in `tests/screens/` that the service's tests submit.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use recapture_bench::{Rng, camera::Focus, display::Panel, jpeg::Jpeg, picture::Picture, recapture::Recapture};

/// A photo of a display with a two-color picture, at three camera pixels per display pixel.
fn photo_of_a(panel: Panel) -> Vec<u8> {
    let screen = Recapture { panel, scale: 3.0, focus: Focus::Sharp, size: (960, 720) };
    let shown = |x: usize, y: usize| {
        let light = 0.35 + 0.25 * (x as f32 / 7.0).sin() * (y as f32 / 6.0).cos();
        let red = if (x / 24 + y / 24).is_multiple_of(2) { 1.3 } else { 0.7 };
        [light * red, light, light * (2.0 - red)]
    };
    let picture = |width, height| Picture::from_fn(width, height, shown);
    let frame = screen.photograph(picture, &mut Rng::with_seed(7));
    Jpeg { quality: 90, full_color: false }.encode(&frame).unwrap()
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/screens");
    for (name, panel) in [("rgb", Panel::Rgb), ("bgr", Panel::Bgr), ("seamless", Panel::Seamless)] {
        fs::write(folder.join(name).with_extension("jpg"), photo_of_a(panel)).unwrap();
    }
}
