//! `GET /open?code=CODE`: exchanges the one-time code for a session cookie and token.

use axum::{
    extract::State,
    http::{Method, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
};

use crate::{Shared, answer::RequestError};

/// Path of the route.
pub(crate) const PATH: &str = "/open";

const RUN_AGAIN: &str = r#"<!DOCTYPE html>
<html lang="pt-BR">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lacre</title>
<h1>Esta sessão terminou</h1>
<p>O endereço do console vale uma vez e só neste navegador. Execute <code>lacre-admin console</code> de novo.</p>
<div lang="en">
<h1>This session has ended</h1>
<p>The console's address works once, and in this browser only. Run <code>lacre-admin console</code> again.</p>
</div>
</html>
"#;

/// Exchanges the code for the session.
pub(crate) async fn open(State(app): Shared, method: Method, uri: Uri) -> Response {
    // The router also passes HEAD requests to this handler. They must not consume the code.
    if method != Method::GET {
        return RequestError::Method.into_response();
    }
    let code = uri.query().unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("code="));
    match code.and_then(|code| app.session.open(code)) {
        Some(opened) => {
            let headers = [(header::LOCATION, opened.location), (header::SET_COOKIE, opened.cookie)];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        None => run_again(),
    }
}

/// The page shown to a browser that has no session.
pub(crate) fn run_again() -> Response {
    (StatusCode::UNAUTHORIZED, Html(RUN_AGAIN)).into_response()
}
