//! The frames of one sequence. They are new for each sequence, because the frame registry is shared.

use lacre_domain::{RecaptureRisk, RecaptureScores};
use lacre_recapture::{Analysis, Planes};
use lacre_tests::frame;

use crate::call::Frame;

const PHOTOS: usize = 6;
/// Width that marks a photo of a screen in these tests.
const SCREEN_WIDTH: u16 = 256;

/// The bytes of each frame.
pub(crate) struct Frames {
    photos: [Vec<u8>; PHOTOS],
    screen: Vec<u8>,
    noise: Vec<u8>,
}

impl Frames {
    pub(crate) fn new() -> Self {
        Self {
            photos: std::array::from_fn(|_| frame::fresh()),
            screen: frame::with_comment(&frame::encode(SCREEN_WIDTH, 240, |_| {})),
            noise: lacre_storage::entropy::<64>().to_vec(),
        }
    }

    pub(crate) fn bytes(&self, frame: Frame) -> &[u8] {
        match frame {
            Frame::Photo(number) => &self.photos[usize::from(number)],
            Frame::Screen => &self.screen,
            Frame::Noise => &self.noise,
        }
    }
}

/// The recapture analysis of these tests.
pub(crate) fn analyse(planes: Planes, _: f64) -> Analysis {
    let screen = planes.luma.width() == usize::from(SCREEN_WIDTH);
    let risk = if screen { RecaptureRisk::High } else { RecaptureRisk::None };
    Analysis { risk, scores: RecaptureScores::new() }
}
