//! Simulated photos: of displays, of textures that look like displays, of photographs; in linear light from the scene
//! through a phone's camera to a JPEG. The bench beside it measures the recapture gate on them.
//!
//! Everything is drawn from a seed: the same seed gives the same bytes.
//!
//! ```
//! use recapture_bench::{
//!     Rng,
//!     camera::Focus,
//!     display::Panel,
//!     jpeg::Jpeg,
//!     picture::Picture,
//!     recapture::Recapture,
//! };
//!
//! let screen = Recapture { panel: Panel::Rgb, scale: 3.0, focus: Focus::Sharp, size: (640, 480) };
//! let grey = |width, height| Picture::from_fn(width, height, |_, _| [0.4; 3]);
//! let frame = screen.photograph(grey, &mut Rng::with_seed(1));
//! let jpeg = Jpeg { quality: 90, full_color: false }.encode(&frame)?;
//! assert!(jpeg.starts_with(b"\xff\xd8"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod camera;
pub mod develop;
pub mod display;
pub mod jpeg;
pub mod optics;
pub mod picture;
pub mod recapture;
pub mod sensor;
pub mod texture;
pub mod view;

pub use fastrand::Rng;
