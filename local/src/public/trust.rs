//! The page from which a phone installs the CA certificate. It is served over plain HTTP because the phone does not
//! trust the CA yet; the terminal shows the certificate's fingerprint for comparison.

use axum::{
    Router,
    http::header,
    response::{Html, IntoResponse},
    routing::get,
};

/// Instructions for iOS, which installs the certificate as a profile, and for Android, which installs it from the
/// settings.
pub const STEPS: [(&str, &str); 2] = [
    (
        "iPhone, iPad",
        "Safari: open this page, tap the certificate, allow the download. Settings, General, VPN & Device Management: install \
         the profile. Settings, General, About, Certificate Trust Settings: enable full trust.",
    ),
    (
        "Android",
        "Chrome: open this page, tap the certificate to download it. Settings, Security, Encryption & credentials, Install a \
         certificate, CA certificate: choose the file. It needs a screen lock.",
    ),
];

/// Serves the page and the certificate.
pub(super) fn router(certificate: Vec<u8>, fingerprint: &str, next: &str) -> Router {
    let steps: String = STEPS.iter().map(|(phone, steps)| format!("<h2>{phone}</h2><p>{steps}</p>")).collect();
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Lacre: trust this computer</title><h1>Trust this computer</h1>\
         <p><a href=\"/lacre-authority.crt\">The certificate of its authority</a>, which can vouch only for names of local \
         networks. SHA-256, to compare with the terminal: <code>{fingerprint}</code></p>{steps}\
         <p>Then open <a href=\"{next}\">{next}</a>. Remove the certificate when you are done.</p></html>"
    );
    let headers = [(header::CONTENT_TYPE, "application/x-x509-ca-cert"), (header::CACHE_CONTROL, "no-store")];
    Router::new()
        .route("/", get(|| async move { Html(page) }))
        .route("/lacre-authority.crt", get(|| async move { (headers, certificate).into_response() }))
}
