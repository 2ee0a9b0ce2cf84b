//! Tests photos of simulated screens with the whole service and its real analysis.

use lacre_domain::{License, RecaptureGate, RecaptureRisk, SessionToken};
use lacre_recapture::{Analysis, Planes};
use lacre_tests::{Service, frame, kits::kit, service::refusal, verifiers::ours};

/// Photos of displays with three camera pixels per display pixel: subpixels in either order, and pixels without gaps
/// and colors. Made by `lab/recapture/bench/examples/screens.rs`.
const RGB: &[u8] = include_bytes!("../../screens/rgb.jpg");
const BGR: &[u8] = include_bytes!("../../screens/bgr.jpg");
const SEAMLESS: &[u8] = include_bytes!("../../screens/seamless.jpg");

#[tokio::test(flavor = "multi_thread")]
async fn the_gate_refuses_photos_of_screens() {
    let service = Service::start().await;
    let mut refused = refusal(422, "Imagem rejeitada — possível recaptura", None);
    refused.1["recapture_risk"] = "HIGH".into();
    assert_eq!(service.capture("LICENSE_KEY", RGB).await.1.outcome(), refused);

    for (gate, photo, risk) in
        [(RecaptureGate::Record, RGB, RecaptureRisk::High), (RecaptureGate::Off, BGR, RecaptureRisk::Unknown)]
    {
        let (key, _) = service.license_like("LICENSE_KEY", |license| license.terms.recapture_gate = gate).await;
        let loaded = service.open_with(&key).await;
        let (report, _) = ours(&service.capture_in(&loaded, photo).await.photo(), service.trust_anchors());
        assert_eq!(report.capture.unwrap().recapture_risk, risk, "{gate:?}");
        let capture_id = SessionToken::parse(&loaded.token).unwrap().session_id(1).capture_id();
        let evidence = lacre_storage::Captures::new(service.connection()).read(&capture_id).await.unwrap().unwrap();
        assert_eq!(evidence.recapture_risk, risk, "{gate:?}");
        assert_eq!(evidence.recapture_scores.contains_key("evidence"), gate == RecaptureGate::Record, "{gate:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expected_display_is_recorded() {
    let service = Service::start().await;
    let mut document = kit("painel", &[("hodometro", false), ("frente", false)]);
    document["steps"][0]["display_expected"] = true.into();
    service.put_kit(&document).await;
    let token = service.create_hosted("painel").await;
    let loaded = service.open_hosted(&token).await;
    let ingested = service.capture_hosted(&loaded, RGB).await.ok();
    let capture_id = SessionToken::parse(&token).unwrap().session_id(1).capture_id();
    let evidence = lacre_storage::Captures::new(service.connection()).read(&capture_id).await.unwrap().unwrap();
    assert_eq!((evidence.recapture_gate, evidence.recapture_risk), (RecaptureGate::Record, RecaptureRisk::High));
    assert_eq!(evidence.asked_for.unwrap().step.as_str(), "hodometro");
    let next = loaded.followed_by(&ingested["next"]);
    assert_eq!(service.capture_hosted(&next, BGR).await.status, 422, "the next step expects none");
}

/// An analysis whose evidence is 2 for every photo.
fn two(_: Planes, threshold: f64) -> Analysis {
    let risk = if threshold <= 2.0 { RecaptureRisk::High } else { RecaptureRisk::Unknown };
    Analysis { risk, scores: [("evidence".to_owned(), 2.0)].into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn applies_and_records_the_licenses_threshold() {
    let service = Service::start_with(local::Options { analyse: two, ..local::Options::for_tests() }).await;
    for (gate, threshold, risk, recorded) in [
        (RecaptureGate::Record, 1.5, RecaptureRisk::High, Some(1.5)),
        (RecaptureGate::Record, 2.5, RecaptureRisk::Unknown, Some(2.5)),
        (RecaptureGate::Off, 1.5, RecaptureRisk::Unknown, None),
    ] {
        let change = |license: &mut License| {
            (license.terms.recapture_gate, license.terms.recapture_threshold) = (gate, threshold);
        };
        let (key, _) = service.license_like("LICENSE_KEY", change).await;
        let loaded = service.open_with(&key).await;
        assert_eq!(service.capture_in(&loaded, &frame::fresh()).await.status, 200);
        let capture_id = SessionToken::parse(&loaded.token).unwrap().session_id(1).capture_id();
        let evidence = lacre_storage::Captures::new(service.connection()).read(&capture_id).await.unwrap().unwrap();
        assert_eq!((evidence.recapture_risk, evidence.recapture_threshold), (risk, recorded), "{gate:?} {threshold}");
    }
    let (key, _) = service.license_like("LICENSE_KEY", |license| license.terms.recapture_threshold = 1.5).await;
    let refused = service.capture_in(&service.open_with(&key).await, &frame::fresh()).await;
    assert_eq!(refused.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_photos_without_a_pixel_grid() {
    let service = Service::start().await;
    let (_, answer) = service.capture("LICENSE_KEY", SEAMLESS).await;
    let (report, _) = ours(&answer.photo(), service.trust_anchors());
    assert_ne!(report.capture.unwrap().recapture_risk, RecaptureRisk::High);
}
