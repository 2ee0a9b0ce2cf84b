//! `GET /web/session-results/:token`.

use lacre_domain::SessionToken;
use lacre_tests::{Answer, Fault, Service};
use reqwest::Method;
use time::Duration;

use super::{Row, capture_by_a_sound_function, damage_session, deployed_with, rows};

rows! { SessionResults:
    SessionNotFound => no_such_session,
    SessionCorrupt => session_unreadable,
    UpstreamUnavailable => store_or_presigner_unavailable,
}

async fn results(service: &Service, token: &str) -> Answer {
    service.send_from_page(service.request(Method::GET, &format!("/web/session-results/{token}"))).await
}

async fn no_such_session(row: &Row) {
    let service = Service::start().await;
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).expose();
    let known = Service::token_of(service.create("LICENSE_KEY").await);
    for token in [unknown.as_str(), "x", &known.to_uppercase()] {
        row.is(token, &results(&service, token).await);
    }
    service.clock.advance(Duration::minutes(30) + Duration::hours(24));
    row.is("removed", &results(&service, &known).await);
}

async fn session_unreadable(row: &Row) {
    let service = Service::start().await;
    for attribute in ["created_at", "v", "photos"] {
        let token = Service::token_of(service.create("LICENSE_KEY").await);
        damage_session(&service, &token, attribute).await;
        row.is(attribute, &results(&service, &token).await);
    }
}

async fn store_or_presigner_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    faults.always("GetItem sessions", Fault::Refuse);
    row.is("the store", &results(&service, &token).await);

    let service = deployed_with(&[("PRESIGNER_ACCESS_KEY_ID", "")]).await;
    let (token, _) = capture_by_a_sound_function(&service, "LICENSE_KEY").await;
    row.is("the URLs", &results(&service, &token).await);
}
