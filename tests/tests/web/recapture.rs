//! Photos of simulated screens, through the whole service and its real analysis.

use domain::{RecaptureGate, RecaptureRisk, SessionToken};
use recapture_bench::{Rng, camera::Focus, display::Panel, jpeg::Jpeg, picture::Picture, recapture::Recapture};
use tests::{Service, service::refusal, verifiers::ours};

/// A photo of a display that shows grey, at three camera pixels per display pixel.
fn photo_of_a(panel: Panel) -> Vec<u8> {
    let screen = Recapture { panel, scale: 3.0, focus: Focus::Sharp, size: (960, 720) };
    let grey = |width, height| Picture::from_fn(width, height, |_, _| [0.4; 3]);
    let frame = screen.photograph(grey, &mut Rng::with_seed(7));
    Jpeg { quality: 90, full_color: false }.encode(&frame).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_of_a_screen_is_refused_where_the_license_says_so() {
    let service = Service::start().await;
    let screen = photo_of_a(Panel::Rgb);
    let mut refused = refusal(422, "Imagem rejeitada — possível recaptura", None);
    refused.1["recapture_risk"] = "HIGH".into();
    assert_eq!(service.capture("LICENSE_KEY", &screen).await.1.outcome(), refused);

    for (gate, photo, risk) in [
        (RecaptureGate::Record, &screen, RecaptureRisk::High),
        (RecaptureGate::Off, &photo_of_a(Panel::Bgr), RecaptureRisk::Unknown),
    ] {
        let (key, _) = service.license_like("LICENSE_KEY", |license| license.recapture_gate = gate).await;
        let loaded = service.open_with(&key).await;
        let (report, _) = ours(&service.capture_in(&loaded, photo).await.photo(), service.trust_anchors());
        assert_eq!(report.capture.unwrap().recapture_risk, risk, "{gate:?}");
        let capture_id = SessionToken::parse(&loaded.token).unwrap().session_id(1).capture_id();
        let evidence = aws::Captures::new(service.connection()).read(&capture_id).await.unwrap().unwrap();
        assert_eq!(evidence.recapture_risk, risk, "{gate:?}");
        assert_eq!(evidence.recapture_scores.contains_key("evidence"), gate == RecaptureGate::Record, "{gate:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_of_what_has_no_pixels_is_not_refused() {
    let service = Service::start().await;
    let (_, answer) = service.capture("LICENSE_KEY", &photo_of_a(Panel::Seamless)).await;
    let (report, _) = ours(&answer.photo(), service.trust_anchors());
    assert_ne!(report.capture.unwrap().recapture_risk, RecaptureRisk::High);
}
