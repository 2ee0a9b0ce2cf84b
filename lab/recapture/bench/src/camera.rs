//! A phone's camera, from the light of a scene to the frame.

use fastrand::Rng;

use crate::{
    develop::Develop,
    optics,
    picture::{Frame, Light},
    sensor::{Demosaic, Sensor},
};

/// A camera and its settings for one photo.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// Standard deviation of the lens's Gaussian blur, in sensor pixels.
    pub blur: f32,
    /// Factor applied to the scene's light.
    pub exposure: f32,
    /// The sensor.
    pub sensor: Sensor,
    /// The demosaicing method.
    pub demosaic: Demosaic,
    /// Sensor pixels per frame pixel: 1, or more if the camera scales down to the requested size.
    pub oversize: f32,
    /// The processing after demosaicing.
    pub develop: Develop,
}

/// The focus of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// In focus: only diffraction and the lens blur the picture.
    Sharp,
    /// A little out of focus.
    Soft,
    /// Out of focus.
    Blurred,
}

impl Focus {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Focus::Sharp => "in focus",
            Focus::Soft => "soft",
            Focus::Blurred => "out of focus",
        }
    }

    /// Range of the blur's standard deviation, in frame pixels. In focus, diffraction at f/1.8 with pixels of 1 to 1.8
    /// µm gives 0.25 to 0.45; lens and hand movement add to it.
    fn blurs(self) -> (f32, f32) {
        match self {
            Focus::Sharp => (0.35, 0.7),
            Focus::Soft => (0.8, 1.3),
            Focus::Blurred => (1.6, 3.0),
        }
    }
}

/// A uniformly distributed number between two bounds.
pub fn between(rng: &mut Rng, (low, high): (f32, f32)) -> f32 {
    low + rng.f32() * (high - low)
}

impl Camera {
    /// A random phone camera, in light between daylight and a dim room.
    #[must_use]
    pub fn some(focus: Focus, rng: &mut Rng) -> Camera {
        let oversize = *rng.choice([1.0, 1.0, 1.0, 1.5].iter()).unwrap_or(&1.0);
        Camera {
            // In focus, the picture is sharp on the sensor, whatever the scaling afterwards.
            blur: between(rng, focus.blurs()) * if focus == Focus::Sharp { 1.0 } else { oversize },
            exposure: between(rng, (0.7, 1.15)),
            sensor: Sensor {
                white: 600.0 * 2f32.powf(between(rng, (0.0, 4.5))),
                read: between(rng, (1.5, 5.0)),
                gains: (between(rng, (1.5, 2.2)), between(rng, (1.4, 2.0))),
                crosstalk: between(rng, (0.08, 0.22)),
            },
            demosaic: if rng.u8(..) < 170 { Demosaic::Malvar } else { Demosaic::HamiltonAdams },
            oversize,
            develop: Develop {
                denoise: if rng.bool() { between(rng, (0.2, 0.8)) } else { 0.0 },
                contrast: between(rng, (0.0, 0.5)),
                sharpen: between(rng, (0.0, 1.2)),
            },
        }
    }

    /// The same camera in the dark: fewer electrons, more noise reduction.
    #[must_use]
    pub fn at_night(self, rng: &mut Rng) -> Camera {
        let sensor = Sensor { white: between(rng, (60.0, 300.0)), ..self.sensor };
        let develop = Develop { denoise: between(rng, (0.3, 0.9)), ..self.develop };
        Camera { sensor, develop, exposure: self.exposure * between(rng, (0.1, 0.4)), ..self }
    }

    /// Photographs a scene. `scene` gives the light at a position in frame pixels, and is sampled `samples` times per
    /// sensor pixel and direction.
    #[must_use]
    pub fn photograph(
        &self,
        (width, height): (usize, usize),
        samples: usize,
        scene: impl Fn(f32, f32) -> Light,
        rng: &mut Rng,
    ) -> Frame {
        // The sides are even, so that the Bayer mosaic is complete.
        let even = |side: usize| ((side as f32 * self.oversize / 2.0).round() as usize) * 2;
        let sensor_size = (even(width), even(height));
        let (step_x, step_y) = (width as f32 / sensor_size.0 as f32, height as f32 / sensor_size.1 as f32);
        let exposed = |x: f32, y: f32| scene(x * step_x, y * step_y).map(|value| value * self.exposure);
        let image = optics::image(sensor_size, samples, self.blur, exposed);
        let mut picture = self.sensor.expose(&image, rng).demosaic(self.demosaic);
        self.sensor.separate(&mut picture);
        self.develop.develop(picture, (width, height))
    }
}
