//! `GET {capture_url}/web/session-results/:token`.

use lacre_domain::SessionToken;
use lacre_tests::{Fault, Service};

use crate::rows::{Row, damage_session, rows};

rows! { HostedResults:
    TokenMissing => no_token,
    SessionNotFound => no_such_session,
    SessionCorrupt => session_unreadable,
    UpstreamUnavailable => store_unavailable,
}

async fn no_token(row: &Row) {
    let service = Service::start().await;
    row.is_without_origin("empty", &service.hosted_results("").await);
    let bare = service.hosted_request(reqwest::Method::GET, "/web/session-results");
    row.is_without_origin("none", &service.send(bare).await);
}

async fn no_such_session(row: &Row) {
    let service = Service::start().await;
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).expose();
    let of_the_component = Service::token_of(service.create("LICENSE_KEY").await);
    for token in [unknown.as_str(), "x", "%20", &of_the_component] {
        row.is_without_origin(token, &service.hosted_results(token).await);
    }
}

async fn session_unreadable(row: &Row) {
    let service = Service::start().await;
    for attribute in ["photos", "v"] {
        let token = service.create_hosted("demo").await;
        damage_session(&service, &token, attribute).await;
        row.is_without_origin(attribute, &service.hosted_results(&token).await);
    }
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let token = service.create_hosted("demo").await;
    faults.always("GetItem sessions", Fault::Refuse);
    row.is_without_origin("the store", &service.hosted_results(&token).await);
}
