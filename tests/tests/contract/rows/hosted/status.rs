//! `GET {capture_url}/web/session-status/:token`.

use lacre_domain::SessionToken;
use lacre_tests::{Fault, Service};
use time::Duration;

use crate::rows::{Row, damage_session, rows};

rows! { SessionStatus:
    SessionNotFound => no_such_session,
    SessionCorrupt => session_unreadable,
    UpstreamUnavailable => store_unavailable,
}

async fn no_such_session(row: &Row) {
    let service = Service::start().await;
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).expose();
    let of_the_component = Service::token_of(service.create("LICENSE_KEY").await);
    for token in [unknown.as_str(), "x", &of_the_component] {
        row.is_without_origin(token, &service.session_status(token).await);
    }
    let token = service.create_hosted("demo").await;
    service.clock.advance(Duration::minutes(30) + Duration::hours(24));
    row.is_without_origin("removed", &service.session_status(&token).await);
}

async fn session_unreadable(row: &Row) {
    let service = Service::start().await;
    let token = service.create_hosted("demo").await;
    damage_session(&service, &token, "photos").await;
    row.is_without_origin("photos", &service.session_status(&token).await);
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let token = service.create_hosted("demo").await;
    faults.always("GetItem sessions", Fault::Refuse);
    row.is_without_origin("the store", &service.session_status(&token).await);
}
