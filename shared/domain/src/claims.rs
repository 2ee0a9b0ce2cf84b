//! What the browser claims about a capture. The service verifies only the form of these values, and compares
//! `captured_at_ms` with its own clock.

use serde::{Deserialize, Serialize};

use crate::{
    ExtraFrames, FrameHash, Label, Position, UserAgent,
    personal::{Field, Kept},
};

/// The claims about one capture. An ingest parses them once; the personal item stores them, and the manifest states
/// them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrowserClaims {
    /// The browser's time of the capture, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// The position as the browser reported it.
    #[serde(with = "crate::exact::position")]
    pub position: Position,
    /// The compass heading in degrees; `None` if the user skipped the compass.
    #[serde(default, with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub heading: Option<f64>,
    /// The label that the page showed to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// The user agent that the page states in the body, unverified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<UserAgent>,
    /// The hashes of the extra frames.
    pub extra_frames: ExtraFrames,
    /// The settings of the camera's video track.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_settings: Option<StreamSettings>,
}

impl BrowserClaims {
    /// The claims as the fields that an evidence record commits to, under their names in the personal item.
    pub(crate) fn fields(&self) -> [Field; 7] {
        use Kept::Always;
        let Self { captured_at_ms, position, heading, label, user_agent, extra_frames, stream_settings } = self;
        let Position { latitude, longitude, accuracy } = position;
        let hashes: Vec<_> = extra_frames.hashes().iter().map(FrameHash::hex).collect();
        [
            ("captured_at_ms", Always, Some(captured_at_ms.to_string())),
            ("extra_frames", Always, Some(hashes.join(" "))),
            ("heading", Always, heading.map(|degrees| degrees.to_string())),
            ("label", Always, label.as_ref().map(|label| label.as_str().to_owned())),
            ("position", Always, Some(format!("{latitude} {longitude} {accuracy}"))),
            ("stream_settings", Always, stream_settings.as_ref().map(StreamSettings::text)),
            ("user_agent", Always, user_agent.as_ref().map(|agent| agent.as_str().to_owned())),
        ]
    }
}

/// The settings of the camera's video track (`MediaStreamTrack.getSettings`). They are telemetry: implausible values
/// are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamSettings {
    /// The width in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// The height in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Frames per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<f64>,
}

impl StreamSettings {
    /// Keeps the values that a video track can have and drops the others, since telemetry never causes a refusal.
    /// `None` if no value remains.
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

    /// The settings as the text to which a record commits.
    fn text(&self) -> String {
        let Self { width, height, frame_rate } = self;
        let text = |number: &Option<f64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        [width, height, frame_rate].map(text).join(" ")
    }
}

#[cfg(test)]
pub(crate) mod examples {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn extra_frames(frames: [&[u8]; 2]) -> ExtraFrames {
        let hashes = frames.map(|frame| FrameHash::of(frame).hex());
        ExtraFrames::parse(&hashes, Some(FrameHash::of(b""))).unwrap()
    }

    /// Two sets of claims that differ in every field. Some optional fields are missing in one of them.
    pub(crate) fn two_claims() -> [BrowserClaims; 2] {
        [
            BrowserClaims {
                captured_at_ms: 1_700_000_000_000,
                position: Position { latitude: -23.5505, longitude: -46.6333, accuracy: 12.5 },
                heading: None,
                label: Label::parse("placa").unwrap(),
                user_agent: None,
                extra_frames: extra_frames([b"1", b"2"]),
                stream_settings: StreamSettings::keep_plausible(Some(1920.0), None, Some(29.97)),
            },
            BrowserClaims {
                captured_at_ms: 1_700_000_000_001,
                position: Position { latitude: -23.5506, longitude: -46.6333, accuracy: 12.5 },
                heading: Some(0.0),
                label: None,
                user_agent: UserAgent::sanitize("x"),
                extra_frames: extra_frames([b"1", b"3"]),
                stream_settings: StreamSettings::keep_plausible(None, Some(1920.0), Some(29.97)),
            },
        ]
    }
}
