//! AWS's query protocol, which SNS and STS use: form-encoded requests and XML responses.

use std::collections::BTreeMap;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

/// The fields of a request.
pub(super) type Form = BTreeMap<String, String>;

/// Parses a request.
pub(super) fn form(body: &[u8]) -> Form {
    url::form_urlencoded::parse(body).into_owned().collect()
}

/// The response to an action, in the XML namespace of its service.
pub(super) fn answered(namespace: &str, action: &str, result: &str) -> Response {
    let result = format!("<{action}Result>{result}</{action}Result>");
    let metadata = format!("<ResponseMetadata>{}</ResponseMetadata>", request_id());
    let xml = format!("<{action}Response xmlns=\"{namespace}\">{result}{metadata}</{action}Response>");
    answer(StatusCode::OK, xml)
}

/// An error response with the service's error code and a message.
pub(super) fn refused(namespace: &str, status: StatusCode, code: &str, message: &str) -> Response {
    let whose = if status.is_server_error() { "Receiver" } else { "Sender" };
    let error = format!("<Error><Type>{whose}</Type><Code>{code}</Code><Message>{message}</Message></Error>");
    answer(status, format!("<ErrorResponse xmlns=\"{namespace}\">{error}{}</ErrorResponse>", request_id()))
}

fn answer(status: StatusCode, xml: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/xml")], xml).into_response()
}

fn request_id() -> String {
    format!("<RequestId>{}</RequestId>", uuid::Uuid::new_v4())
}
