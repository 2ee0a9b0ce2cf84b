//! An address as a QR code, for a phone's camera.

use axum::{
    extract::Query,
    http::{StatusCode, header},
    response::IntoResponse,
};
use qrcode::{QrCode, render::svg};
use serde::Deserialize;

use super::answer::{Refused, refused};

/// Maximum length of the text. Longer texts give QR codes that a phone can hardly read from a screen.
const MAX_TEXT_BYTES: usize = 300;

#[derive(Deserialize)]
pub(super) struct Asked {
    text: String,
}

/// `GET /qr.svg?text=…`
pub(super) async fn svg(Query(Asked { text }): Query<Asked>) -> Result<impl IntoResponse + use<>, Refused> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(refused(StatusCode::BAD_REQUEST, "Texto longo demais"));
    }
    let code = QrCode::new(&text).map_err(|error| refused(StatusCode::BAD_REQUEST, &error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], code.render::<svg::Color>().min_dimensions(240, 240).build()))
}
