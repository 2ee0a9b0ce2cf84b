//! One photo of the bench: its subject, and how it is photographed.

use fastrand::Rng;
use recapture_bench::{
    camera::{Camera, Focus, between},
    develop::{Develop, resized},
    jpeg::Jpeg,
    picture::{Frame, Light, Picture, mix},
    recapture::Recapture,
    texture::{Kind, Texture},
    view::{Pose, View},
};

use crate::photographs::{Photograph, Shows};

/// JPEG qualities that the component uses, and lower ones.
const QUALITIES: [u8; 6] = [92, 85, 75, 60, 45, 30];

/// The treatment of a photograph of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// The unchanged file; other formats are converted to JPEG.
    Whole,
    /// A part at its original resolution.
    Crop,
    /// Scaled down.
    Shrunk,
    /// Photographed by the simulated camera, as if it were the world.
    Camera,
    /// Magnified 1.2 to 2 times, like digital zoom.
    Enlarged,
    /// A part, sharpened.
    Sharpened,
    /// Photographed in the dark.
    Night,
    /// A face, magnified until it fills much of the frame.
    Face,
    /// The sky alone, or one that the bench draws.
    Sky,
}

/// The subject of a photo.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    Display(Recapture),
    World(Treatment),
    /// A texture that fills the frame, or covers a part of a photograph.
    Texture {
        kind: Kind,
        period: f32,
        part: bool,
    },
}

/// A photo to be created. It is deterministic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shot {
    pub(crate) subject: Subject,
    /// The photograph that it is made from, or that is shown or printed in it.
    pub(crate) photograph: usize,
    pub(crate) size: (usize, usize),
    pub(crate) seed: u64,
}

impl Shot {
    /// Creates the photo.
    pub(crate) fn jpeg(&self, photographs: &[Photograph]) -> Result<Vec<u8>, String> {
        self.jpeg_within(u64::MAX, photographs)
    }

    /// Creates the photo as the component does: with a lower quality if it would exceed this many bytes.
    pub(crate) fn jpeg_within(&self, most: u64, photographs: &[Photograph]) -> Result<Vec<u8>, String> {
        let mut rng = Rng::with_seed(self.seed);
        let photograph = &photographs[self.photograph];
        if let (Subject::World(Treatment::Whole), Some(jpeg)) = (self.subject, &photograph.jpeg) {
            return Ok(jpeg.clone());
        }
        let frame = self.frame(photograph, &mut rng);
        let mut how = Jpeg::some(&mut rng);
        loop {
            let jpeg = how.encode(&frame).map_err(|error| error.to_string())?;
            let lower = QUALITIES.into_iter().find(|quality| *quality < how.quality);
            match lower.filter(|_| jpeg.len() as u64 > most) {
                Some(quality) => how.quality = quality,
                None => return Ok(jpeg),
            }
        }
    }

    fn frame(&self, photograph: &Photograph, rng: &mut Rng) -> Frame {
        match self.subject {
            Subject::Display(recapture) => {
                let mut cut = Rng::with_seed(rng.u64(..));
                recapture.photograph(|width, height| content(&photograph.frame, (width, height), &mut cut), rng)
            }
            Subject::World(treatment) => world(treatment, photograph, self.size, rng),
            Subject::Texture { kind, period, part } => texture(kind, period, part, photograph, self.size, rng),
        }
    }
}

/// A random part of a frame with the wanted aspect ratio, between `least` and 1 of the largest that fits: left, top,
/// width, height.
fn part(frame: &Frame, (width, height): (usize, usize), least: f32, rng: &mut Rng) -> (usize, usize, usize, usize) {
    let fit = (frame.width as f32 / width as f32).min(frame.height as f32 / height as f32);
    let scale = fit * between(rng, (least, 1.0));
    let side = |wanted: usize, most: usize| ((wanted as f32 * scale) as usize).clamp(1, most);
    let (width, height) = (side(width, frame.width), side(height, frame.height));
    (rng.usize(0..=frame.width - width), rng.usize(0..=frame.height - height), width, height)
}

/// The content of a display: the photograph at about the display's resolution.
fn content(frame: &Frame, size: (usize, usize), rng: &mut Rng) -> Picture {
    let part = part(frame, size, 0.6, rng);
    // A photograph with fewer pixels is interpolated, as viewers do.
    let shrunk = frame.shrunk(part, (size.0.min(part.2), size.1.min(part.3)));
    if (shrunk.width, shrunk.height) == size { shrunk } else { resized(&shrunk, size) }
}

/// A part of a frame at its original resolution, limited by the frame's size.
fn crop(frame: &Frame, (width, height): (usize, usize), rng: &mut Rng) -> Frame {
    let (width, height) = (width.min(frame.width), height.min(frame.height));
    frame.cut(rng.usize(0..=frame.width - width), rng.usize(0..=frame.height - height), width, height)
}

/// A frame's sRGB codes, between 0 and 1.
fn codes(frame: &Frame) -> Picture {
    Picture::from_fn(frame.width, frame.height, |x, y| frame.code(x, y).map(|code| f32::from(code) / 255.0))
}

fn from_codes(picture: &Picture) -> Frame {
    let rgb =
        picture.pixels.as_flattened().iter().map(|value| (value * 255.0).round().clamp(0.0, 255.0) as u8).collect();
    Frame { width: picture.width, height: picture.height, rgb }
}

/// The largest size with this aspect ratio that fits a frame, at most the wanted one.
fn fitting(frame: &Frame, (width, height): (usize, usize)) -> (usize, usize) {
    let scale = (frame.width as f32 / width as f32).min(frame.height as f32 / height as f32).min(1.0);
    let even = |side: usize| ((side as f32 * scale) as usize / 2 * 2).max(2);
    (even(width), even(height))
}

fn world(treatment: Treatment, photograph: &Photograph, size: (usize, usize), rng: &mut Rng) -> Frame {
    let frame = &photograph.frame;
    match treatment {
        Treatment::Whole => frame.clone(),
        Treatment::Crop => crop(frame, size, rng),
        Treatment::Shrunk => {
            let size = fitting(frame, size);
            let size = if size.0 < 900 { (size.0 * 2 / 3, size.1 * 2 / 3) } else { size };
            let (left, top, width, height) = part(frame, size, 0.7, rng);
            let cut = codes(&frame.cut(left, top, width, height));
            from_codes(&resized(&cut, (size.0.min(width), size.1.min(height))))
        }
        Treatment::Camera => as_world(frame, size, |camera, _| camera, rng),
        Treatment::Night => as_world(frame, size, Camera::at_night, rng),
        Treatment::Enlarged => {
            let by = between(rng, (1.2, 2.0));
            let wanted = |side: usize| (side as f32 / by) as usize;
            let cut = crop(frame, (wanted(size.0), wanted(size.1)), rng);
            let to = |side: usize| (side as f32 * by) as usize;
            from_codes(&resized(&codes(&cut), (to(cut.width), to(cut.height))))
        }
        Treatment::Sharpened => {
            let cut = crop(frame, size, rng);
            let linear =
                Picture::from_fn(cut.width, cut.height, |x, y| recapture_bench::picture::linear(cut.code(x, y)));
            let develop = Develop { denoise: 0.0, contrast: 0.2, sharpen: between(rng, (0.8, 2.0)) };
            develop.develop(linear, (cut.width, cut.height))
        }
        Treatment::Face => face(photograph, size, rng),
        Treatment::Sky => sky(photograph, size, rng),
    }
}

/// Photographs the content of a photograph, which must have at least as many pixels as the result.
fn as_world(frame: &Frame, size: (usize, usize), change: impl Fn(Camera, &mut Rng) -> Camera, rng: &mut Rng) -> Frame {
    let size = fitting(frame, size);
    let (left, top, width, height) = part(frame, size, 0.8, rng);
    let (width, height) = (width.max(size.0), height.max(size.1));
    let (left, top) = (left.min(frame.width - width), top.min(frame.height - height));
    let picture = frame.shrunk((left, top, width, height), (width, height));
    let (step_x, step_y) = (width as f32 / size.0 as f32, height as f32 / size.1 as f32);
    let camera = change(Camera::some(Focus::Sharp, rng), rng);
    // One sample per pixel suffices, because the photograph is not finer than the frame.
    camera.photograph(size, 1, |x, y| picture.between(x * step_x, y * step_y), rng)
}

/// A close face: half of them by digital zoom, half by the camera.
fn face(photograph: &Photograph, (width, height): (usize, usize), rng: &mut Rng) -> Frame {
    let frame = &photograph.frame;
    let (left, top, side) = match photograph.shows {
        Shows::Face(left, top, side) => (left, top, side),
        _ => (0, 0, frame.width.min(frame.height)),
    };
    // A part around the face, with the photo's aspect ratio.
    let wide = ((side as f32 * between(rng, (1.0, 1.6))) as usize).min(frame.width);
    let high = (wide * height / width).min(frame.height).max(1);
    let left = (left + side / 2).saturating_sub(wide / 2).min(frame.width - wide);
    let top = (top + side / 2).saturating_sub(high / 2).min(frame.height - high);
    let cut = frame.cut(left, top, wide, high);
    if rng.bool() {
        return from_codes(&resized(&codes(&cut), (width, height)));
    }
    let picture = cut.shrunk((0, 0, wide, high), (wide, high));
    let step = wide as f32 / width as f32;
    Camera::some(Focus::Soft, rng).photograph((width, height), 1, |x, y| picture.between(x * step, y * step), rng)
}

/// The upper third of a photograph's sky, or a clear one.
fn sky(photograph: &Photograph, size: (usize, usize), rng: &mut Rng) -> Frame {
    if photograph.shows == Shows::Sky && rng.bool() {
        let frame = &photograph.frame;
        let upper = frame.cut(0, 0, frame.width, frame.height / 3);
        return crop(&upper, size, rng);
    }
    let (zenith, horizon) = ([0.06, 0.18, 0.5], [0.45, 0.6, 0.75].map(|value: f32| value * between(rng, (0.6, 1.0))));
    let height = size.1 as f32;
    Camera::some(Focus::Sharp, rng).photograph(size, 1, |_, y| mix(zenith, horizon, y / height), rng)
}

/// A texture from a random view, with the same camera as the displays.
fn texture(kind: Kind, period: f32, part: bool, photograph: &Photograph, size: (usize, usize), rng: &mut Rng) -> Frame {
    let frame = &photograph.frame;
    let printed = content(frame, (480, 360), rng);
    let texture = Texture::some(kind, &printed, rng);
    let straight = rng.u8(..) < 64;
    let mut angle = |most: f32| if straight { 0.0 } else { between(rng, (-most, most)) };
    let pose = Pose { scale: period, turn: angle(20.0), tilt: (angle(25.0), angle(25.0)), center: (0.3, 0.1) };
    let view = View::new(size, pose);
    let thing = |x: f32, y: f32| {
        let (u, v) = view.at(x, y);
        texture.light(u, v)
    };
    let camera = Camera::some(Focus::Sharp, rng);
    let samples = ((7.0 / (period * camera.oversize)).ceil() as usize).clamp(2, 4);
    if !part {
        return camera.photograph(size, samples, thing, rng);
    }
    // The texture covers a third to two thirds of each side, like a wall, a shirt or a window in a scene.
    let background = content(frame, (size.0 * 5 / 4, size.1 * 5 / 4), rng);
    let piece = |side: usize, rng: &mut Rng| {
        let half = side as f32 * between(rng, (0.33, 0.66)) / 2.0;
        let middle = side as f32 * between(rng, (0.35, 0.65));
        move |at: f32| (at - middle).abs() < half
    };
    let (within_x, within_y) = (piece(size.0, rng), piece(size.1, rng));
    let scene = |x: f32, y: f32| -> Light {
        if within_x(x) && within_y(y) { thing(x, y) } else { background.between(x * 1.25, y * 1.25) }
    };
    camera.photograph(size, samples, scene, rng)
}
