//! Request bodies, from their bytes to the values that the handlers use.

use std::collections::HashMap;

use lacre_api::Refusal;
use lacre_create_session::Order;
use lacre_domain::{ExtraFrames, FrameHash, Label, Nonce, Position, SessionToken, clock::check_device_clock};
use lacre_http::{Body, Request};
use lacre_ingest::payload::Payload;
use serde_json::{Value, value::RawValue};
use time::{Duration, OffsetDateTime};

/// Every route refuses a body that is not a JSON object, with its own message. From other bodies, values are read
/// exactly as sent, within the bounds of their types.
pub fn hold(data: &[u8]) {
    let request = Request::new(Body::from(data.to_vec()));
    let is_object = serde_json::from_slice::<Value>(data).is_ok_and(|value| value.is_object());
    create(&request, is_object);
    validate(&request, is_object);
    submit(&request);
}

fn create(request: &Request, is_object: bool) {
    match Order::read(request) {
        Ok(order) => {
            assert!(is_object);
            let (key, reference) = (order.license_key.expose(), order.reference_id.as_str());
            assert!([41, 42].contains(&key.len()) && key.is_ascii());
            assert!((1..=512).contains(&reference.len()) && reference.trim() == reference);
            assert!(reference.bytes().all(|b| b == b' ' || b.is_ascii_graphic()));
        }
        Err(refusal) => assert_eq!(refusal == Refusal::CreatePayloadInvalid, !is_object, "{refusal:?}"),
    }
}

fn validate(request: &Request, is_object: bool) {
    let asked = lacre_validate::read_key(request);
    assert_eq!(asked.is_err(), !is_object);
    // The license key that authorizes the session must be the one in the order.
    if let (Ok(Some(key)), Ok(order)) = (asked, Order::read(request)) {
        assert_eq!(key, order.license_key);
    }
}

fn submit(request: &Request) {
    let payload = match Payload::read(request.body()) {
        Ok(payload) => payload,
        Err(refusal) => return assert_eq!(refusal, Refusal::PayloadInvalid),
    };
    let sent: HashMap<String, &RawValue> = serde_json::from_slice(request.body()).unwrap();
    for (name, number) in [
        ("gps_lat", Some(payload.gps_lat)),
        ("gps_lon", Some(payload.gps_lon)),
        ("gps_accuracy", Some(payload.gps_accuracy)),
        ("heading", payload.heading),
    ] {
        // The parsed number must equal the browser's double exactly.
        let Some(number) = number.filter(|number| !number.is_nan()) else { continue };
        assert_eq!(sent[name].get().parse(), Ok(number), "{name}");
    }
    assert!(payload.heading.is_none_or(|degrees| (0.0..=360.0).contains(&degrees)));
    for telemetry in payload.stream_settings.iter().flat_map(|kept| [kept.width, kept.height, kept.frame_rate]) {
        assert!(telemetry.is_none_or(|number| (0.01..=100_000.0).contains(&number)));
    }
    if let Some(token) = SessionToken::parse(&payload.token) {
        assert_eq!(token.expose(), payload.token);
    }
    if let Ok(nonce) = Nonce::parse(payload.nonce.as_deref()) {
        assert_eq!((Some(nonce.expose()), nonce.expose().len()), (payload.nonce.as_deref(), 43));
    }
    if let Ok(Some(sent)) = &payload.label
        && let Ok(Some(label)) = Label::parse(sent)
    {
        assert_eq!(label.as_str(), sent);
    }
    assert!(payload.user_agent.as_ref().is_none_or(|agent| agent.as_str().len() <= 512));
    position(&payload);
    frames(&payload);
    clock(payload.captured_at_ms);
}

fn position(payload: &Payload) {
    let Ok(position) = Position::parse(payload.gps_lat, payload.gps_lon, payload.gps_accuracy) else { return };
    assert!(position.latitude.abs() <= 90.0 && position.longitude.abs() <= 180.0 && position.accuracy >= 0.0);
    let written = serde_json::to_value(position).unwrap();
    assert_eq!(serde_json::from_value::<Position>(written).unwrap(), position);
}

fn frames(payload: &Payload) {
    let main = payload.frame_hash;
    let Ok(extra) = ExtraFrames::parse(&payload.extra_frame_hashes, main) else { return };
    let sent: Vec<String> = payload.extra_frame_hashes.iter().map(|text| text.to_ascii_lowercase()).collect();
    let mut read: Vec<String> = extra.hashes().iter().map(FrameHash::hex).collect();
    assert_eq!(read, sent);
    read.extend(main.map(|hash| hash.hex()));
    read.sort_unstable();
    assert!((2..=8).contains(&sent.len()) && read.windows(2).all(|pair| pair[0] != pair[1]));
}

/// Any timestamp of a device must be handled: it is compared, but not used in arithmetic that could overflow.
fn clock(captured_at_ms: i64) {
    let issued = OffsetDateTime::UNIX_EPOCH + Duration::weeks(2900);
    let now = issued + Duration::minutes(5);
    let earliest = (issued - Duration::seconds(120)).unix_timestamp() * 1000;
    let latest = (now + Duration::seconds(120)).unix_timestamp() * 1000;
    let accepted = check_device_clock(captured_at_ms, issued, now).is_ok();
    assert_eq!(accepted, (earliest..=latest).contains(&captured_at_ms), "{captured_at_ms}");
}
