//! The body of an ingest with its types checked. The values are checked later, each at its place in the order of
//! checks.

use std::collections::HashMap;

use lacre_api::Refusal;
use lacre_domain::{BrowserClaims, ExtraFrames, FrameHash, Label, Position, StreamSettings, UserAgent};
use serde_bytes::ByteBuf;
use serde_json::{Value, value::RawValue};

/// The fields of the body. Unknown fields are ignored; an optional field that is `null` counts as absent.
#[derive(Debug)]
pub struct Payload {
    /// The session's token, not yet validated.
    pub token: String,
    /// The nonce, not yet validated; `None` if it is missing, which a later check refuses.
    pub nonce: Option<String>,
    /// The photo's 1-based place in the session.
    pub photo_order: i64,
    /// The S3 object key of the uploaded frame.
    pub image_key: String,
    /// The announced hash of the frame; `None` if it is malformed, which a later check refuses.
    pub frame_hash: Option<FrameHash>,
    /// The hashes of the extra frames; empty if the field is missing, which a later check refuses.
    pub extra_frame_hashes: Vec<String>,
    /// Latitude in degrees north. NaN if the field is missing or not a number, which a later check refuses; the same
    /// holds for the next two.
    pub gps_lat: f64,
    /// Longitude in degrees east.
    pub gps_lon: f64,
    /// Accuracy radius in metres.
    pub gps_accuracy: f64,
    /// The time of capture by the device's clock, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// The compass heading in degrees, 0 to 360.
    pub heading: Option<f64>,
    /// The label, not yet validated; the refusal if it is not a string.
    pub label: Result<Option<String>, Refusal>,
    /// The user agent that the page states, sanitized. Unpaired surrogates are replaced by U+FFFD, so that no user
    /// agent causes a refusal.
    pub user_agent: Option<UserAgent>,
    /// The video track's settings. They are telemetry: implausible values are dropped without a refusal.
    pub stream_settings: Option<StreamSettings>,
}

impl Payload {
    /// Reads the fields of a JSON object. Each value is parsed separately, because JSON can contain numbers that no
    /// double represents, and unpaired surrogates (from scripts that cut a string within an emoji). Separate parsing
    /// confines such an error to its field.
    ///
    /// # Errors
    /// [`Refusal::PayloadInvalid`] if the body is not a JSON object, or a field is missing or has another type.
    pub fn read(body: &[u8]) -> Result<Self, Refusal> {
        let fields: HashMap<String, &RawValue> = serde_json::from_slice(body).map_err(|_| Refusal::PayloadInvalid)?;
        let written = |name: &str| fields.get(name).map(|value| value.get());
        let present = |name: &str| match written(name).map(serde_json::from_str) {
            None | Some(Ok(Value::Null)) => Ok(None),
            Some(value) => value.map(Some).map_err(|_| Refusal::PayloadInvalid),
        };
        let text = |name: &str| match present(name)? {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::PayloadInvalid),
        };
        let number = |name: &str| match present(name)? {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or(Refusal::PayloadInvalid),
        };
        let coordinate = |name: &str| number(name).ok().flatten().unwrap_or(f64::NAN);
        let integer = |name: &str| present(name)?.as_ref().and_then(whole).ok_or(Refusal::PayloadInvalid);
        let required = Refusal::PayloadInvalid;
        Ok(Self {
            token: text("token")?.ok_or(required)?,
            nonce: text("nonce")?,
            photo_order: integer("photo_order")?,
            image_key: text("image_key")?.ok_or(required)?,
            frame_hash: FrameHash::parse(&text("frame_hash")?.ok_or(required)?),
            extra_frame_hashes: present("extra_frame_hashes")?.as_ref().map_or_else(|| Ok(Vec::new()), texts)?,
            gps_lat: coordinate("gps_lat"),
            gps_lon: coordinate("gps_lon"),
            gps_accuracy: coordinate("gps_accuracy"),
            captured_at_ms: integer("captured_at_ms")?,
            heading: number("heading")?.map(heading).transpose()?,
            label: text("label").map_err(|_| Refusal::LabelInvalid),
            user_agent: written("user_agent").map(user_agent).transpose()?.flatten(),
            stream_settings: present("media_stream_settings").ok().flatten().as_ref().and_then(stream_settings),
        })
    }

    /// The browser's claims. Position, label and extra frames are arguments, because they are validated at their own
    /// places in the order of checks.
    #[must_use]
    pub fn claims(&self, position: Position, label: Option<Label>, extra_frames: ExtraFrames) -> BrowserClaims {
        BrowserClaims {
            captured_at_ms: self.captured_at_ms,
            position,
            heading: self.heading,
            label,
            user_agent: self.user_agent.clone(),
            extra_frames,
            stream_settings: self.stream_settings,
        }
    }
}

/// An integer. JSON does not distinguish 1 from 1.0, and some languages write every number as the latter. Above 2^53 a
/// double may differ from the number that was written, so such values are not accepted in that form.
fn whole(value: &Value) -> Option<i64> {
    let exact = |number: &f64| number.abs() <= 9_007_199_254_740_992.0 && number.fract() == 0.0;
    let written_with_a_point = || value.as_f64().filter(exact);
    value.as_i64().or_else(|| written_with_a_point().map(|number| number as i64))
}

/// The user agent in a JSON value; `None` for `null`.
fn user_agent(json: &str) -> Result<Option<UserAgent>, Refusal> {
    // serde_json returns strings with unpaired surrogates only as bytes. A byte buffer would also accept a JSON array,
    // so the value's type is checked first.
    let bytes: Option<ByteBuf> = match json {
        text if text.starts_with(['"', 'n']) => serde_json::from_str(text).map_err(|_| Refusal::PayloadInvalid)?,
        _ => return Err(Refusal::PayloadInvalid),
    };
    Ok(bytes.and_then(|bytes| UserAgent::sanitize(&String::from_utf8_lossy(&bytes))))
}

/// The strings of a JSON array. An element that is not a string becomes an empty string, which is refused later as a
/// malformed hash.
fn texts(value: &Value) -> Result<Vec<String>, Refusal> {
    let list = value.as_array().ok_or(Refusal::PayloadInvalid)?;
    Ok(list.iter().map(|item| item.as_str().unwrap_or_default().to_owned()).collect())
}

fn heading(degrees: f64) -> Result<f64, Refusal> {
    if (0.0..=360.0).contains(&degrees) { Ok(degrees) } else { Err(Refusal::PayloadInvalid) }
}

fn stream_settings(value: &Value) -> Option<StreamSettings> {
    let number = |name: &str| value.get(name).and_then(Value::as_f64);
    StreamSettings::keep_plausible(number("width"), number("height"), number("frameRate"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Map, json};

    fn body() -> Value {
        json!({
            "token": "t", "nonce": "n", "photo_order": 1, "image_key": "k", "frame_hash": "f",
            "extra_frame_hashes": ["a", "b"], "gps_lat": 1, "gps_lon": -2.5, "gps_accuracy": 3,
            "captured_at_ms": 1_795_176_000_000_i64,
        })
    }

    fn read(change: impl FnOnce(&mut Map<String, Value>)) -> Result<Payload, Refusal> {
        let mut body = body();
        change(body.as_object_mut().unwrap());
        Payload::read(body.to_string().as_bytes())
    }

    /// Parses a body in which one value has the given JSON text.
    fn with_written(name: &str, json: &str) -> Result<Payload, Refusal> {
        let placeholder = "\u{1f697}";
        let mut body = body();
        body[name] = placeholder.into();
        Payload::read(body.to_string().replace(&format!("\"{placeholder}\""), json).as_bytes())
    }

    fn with(name: &str, value: Value) -> Result<Payload, Refusal> {
        read(|body| {
            body.insert(name.into(), value);
        })
    }

    #[test]
    fn the_smallest_body() {
        let payload = read(|_| {}).unwrap();
        assert_eq!((payload.gps_lat, payload.gps_lon, payload.gps_accuracy), (1.0, -2.5, 3.0));
        assert_eq!((payload.heading, payload.label, payload.stream_settings), (None, Ok(None), None));
    }

    #[test]
    fn each_required_field_is_required() {
        for name in ["token", "photo_order", "image_key", "frame_hash", "captured_at_ms"] {
            let without = read(|body| drop(body.remove(name)));
            assert_eq!(without.unwrap_err(), Refusal::PayloadInvalid, "{name}");
            assert_eq!(with(name, Value::Null).unwrap_err(), Refusal::PayloadInvalid, "{name}");
            assert_eq!(with(name, json!([])).unwrap_err(), Refusal::PayloadInvalid, "{name}");
        }
    }

    #[test]
    fn optional_fields_keep_their_type() {
        assert_eq!(read(|body| drop(body.remove("nonce"))).unwrap().nonce, None);
        assert!(read(|body| drop(body.remove("extra_frame_hashes"))).unwrap().extra_frame_hashes.is_empty());
        assert_eq!(with("extra_frame_hashes", json!(["a", 1])).unwrap().extra_frame_hashes, ["a", ""]);
        for (name, value) in [
            ("nonce", json!(1)),
            ("extra_frame_hashes", json!("a")),
            ("user_agent", json!({})),
            ("heading", json!("north")),
            ("photo_order", json!(1.5)),
        ] {
            assert_eq!(with(name, value).unwrap_err(), Refusal::PayloadInvalid, "{name}");
        }
    }

    #[test]
    fn leaves_positions_and_labels_to_later_checks() {
        for name in ["gps_lat", "gps_lon", "gps_accuracy"] {
            let without = read(|body| drop(body.remove(name)));
            for payload in [without, with(name, Value::Null), with(name, json!("1")), with(name, json!([]))] {
                let Payload { gps_lat, gps_lon, gps_accuracy, .. } = payload.unwrap();
                let missing = [("gps_lat", gps_lat), ("gps_lon", gps_lon), ("gps_accuracy", gps_accuracy)];
                assert!(missing.iter().all(|(field, value)| value.is_nan() == (*field == name)), "{missing:?}");
            }
        }
        for label in [json!(1), json!(true), json!(["a"])] {
            assert_eq!(with("label", label).unwrap().label, Err(Refusal::LabelInvalid));
        }
    }

    #[test]
    fn accepts_whole_numbers_written_as_decimals() {
        assert_eq!(with("photo_order", json!(1.0)).unwrap().photo_order, 1);
        assert_eq!(with("captured_at_ms", json!(1_795_176_000_000.0)).unwrap().captured_at_ms, 1_795_176_000_000);
        for no_count in [json!(0.5), json!(1e300), json!(-1e300), json!(1_u64 << 63), json!(u64::MAX), json!("1")] {
            assert_eq!(with("photo_order", no_count.clone()).unwrap_err(), Refusal::PayloadInvalid, "{no_count}");
        }
    }

    #[test]
    fn lone_surrogates_spoil_only_their_field() {
        let half = r#""Carro \ud83d""#;
        assert_eq!(with_written("label", half).unwrap().label, Err(Refusal::LabelInvalid));
        let user_agent = with_written("user_agent", half).unwrap().user_agent.unwrap();
        assert_eq!(user_agent.as_str(), "Carro \u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(with_written("a field of another version", half).unwrap().label, Ok(None));
        for name in ["token", "nonce", "image_key", "frame_hash"] {
            assert_eq!(with_written(name, half).unwrap_err(), Refusal::PayloadInvalid, "{name}");
        }
    }

    #[test]
    fn oversized_numbers_spoil_only_their_field() {
        for value in ["1e400", r#"{"width": 1e400, "height": 720}"#] {
            assert_eq!(with_written("media_stream_settings", value).unwrap().stream_settings, None, "{value}");
        }
        assert!(with_written("gps_lat", "-1e400").unwrap().gps_lat.is_nan());
        assert_eq!(with_written("heading", "1e400").unwrap_err(), Refusal::PayloadInvalid);
    }

    #[test]
    fn a_heading_is_0_to_360_degrees() {
        for (json, degrees) in [("0", 0.0), ("360", 360.0)] {
            assert_eq!(with_written("heading", json).unwrap().heading, Some(degrees), "{json}");
        }
        for json in ["-5e-324", "360.00000000000006"] {
            assert_eq!(with_written("heading", json).unwrap_err(), Refusal::PayloadInvalid, "{json}");
        }
    }

    #[test]
    fn telemetry_never_refuses() {
        for value in [json!(1), json!("x"), json!([]), json!({}), json!({ "width": "wide" }), json!({ "width": -1 })] {
            assert_eq!(with("media_stream_settings", value).unwrap().stream_settings, None);
        }
        let settings = json!({ "width": 1920, "height": 1e300, "frameRate": 29.97, "deviceId": "secret" });
        let kept = with("media_stream_settings", settings).unwrap().stream_settings.unwrap();
        assert_eq!((kept.width, kept.height, kept.frame_rate), (Some(1920.0), None, Some(29.97)));
    }
}
