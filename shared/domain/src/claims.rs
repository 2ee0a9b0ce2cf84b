//! What the browser claims of a capture. Nothing of it is verified but its shape, and `captured_at_ms` against the clock.

use serde::{Deserialize, Serialize};

use crate::{ExtraFrames, Label, Position, UserAgent};

/// The claims of one capture. An ingest parses them once; the evidence record keeps them, and the manifest states them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrowserClaims {
    /// The browser's time of the capture, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// The position as the browser reported it.
    #[serde(with = "crate::exact::position")]
    pub position: Position,
    /// Degrees, when the user did not skip the compass.
    #[serde(default, with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub heading: Option<f64>,
    /// The label shown to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// The user agent that the page states in the body; unverified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<UserAgent>,
    /// The extra frames' hashes.
    pub extra_frames: ExtraFrames,
    /// The video track's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_settings: Option<StreamSettings>,
}

/// The video track's settings, as far as they are read: telemetry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamSettings {
    /// Pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// Pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Frames per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<f64>,
}

impl StreamSettings {
    /// Keeps what a video track can have and drops the rest: telemetry never blocks. `None` when nothing remains.
    #[must_use]
    pub fn keep_plausible(width: Option<f64>, height: Option<f64>, frame_rate: Option<f64>) -> Option<Self> {
        let plausible = |value: &f64| (0.01..=100_000.0).contains(value);
        let kept = Self {
            width: width.filter(plausible),
            height: height.filter(plausible),
            frame_rate: frame_rate.filter(plausible),
        };
        (kept != Self::default()).then_some(kept)
    }
}
