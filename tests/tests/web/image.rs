//! `GET /web/image/:session_id`.

use lacre_tests::{Service, frame};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

#[tokio::test]
async fn renews_urls_of_retained_photos() {
    let service = Service::start().await;
    let (_, ingested) = service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await;
    let ingested = ingested.ok();
    let delivered = service.fetch(ingested["authenticated_jpeg_url"].as_str().unwrap()).await;
    let session_id = ingested["session_id"].as_str().unwrap();

    let renewed = service.image(session_id).await.ok();
    assert_eq!(renewed.as_object().unwrap().len(), 3);
    assert_eq!(renewed["session_id"], session_id);
    let url = renewed["authenticated_jpeg_url"].as_str().unwrap();
    assert!(url.contains("X-Amz-Expires=604800"));
    assert_eq!(service.fetch(url).await, delivered);
    let expires_at = OffsetDateTime::parse(renewed["expires_at"].as_str().unwrap(), &Rfc3339).unwrap();
    let validity = expires_at - OffsetDateTime::now_utc();
    assert!((validity - Duration::days(7)).abs() < Duration::minutes(1), "{validity}");

    // Captures stay after their sessions are removed.
    service.clock.advance(Duration::days(400));
    assert_eq!(service.image(session_id).await.status, 200);
}
