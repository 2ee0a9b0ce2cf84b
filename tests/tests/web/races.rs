//! Tests concurrent captures.

use futures_util::future::join_all;
use lacre_tests::{Answer, Service, frame, service::refusal};
use reqwest::StatusCode;
use serde_json::Value;

/// How often each race is run, because the order of two requests is random.
const ROUNDS: usize = 5;

fn winners(answers: &[Answer]) -> usize {
    answers.iter().filter(|answer| answer.status == 200).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_captures_wins() {
    let service = Service::start().await;
    for _ in 0..ROUNDS {
        let first = service.open("LICENSE_KEY_ALWAYS").await;
        let second = service.reload(&first.token).await;
        let frames = [frame::fresh(), frame::fresh()];
        let submissions = [service.submission(&first, &frames[0]), service.submission(&second, &frames[1])];
        for (loaded, frame) in [&first, &second].into_iter().zip(&frames) {
            assert_eq!(service.upload(loaded, frame).await, StatusCode::OK);
        }
        let answers = join_all(submissions.iter().map(|submission| service.ingest(submission))).await;
        assert_eq!(winners(&answers), 1, "{answers:?}");
        let (loser, answer) = answers.iter().enumerate().find(|(_, answer)| answer.status != 200).unwrap();
        assert_eq!(answer.outcome(), refusal(409, "Sessão já utilizada", None));
        let results = service.results(&first.token).await.ok();
        assert_eq!((results["captured_count"].as_u64(), results["status"].as_str()), (Some(1), Some("captured")));
        // The loser released its frame.
        assert_eq!(service.capture("LICENSE_KEY_ALWAYS", &frames[loser]).await.1.status, 200);
    }
    let used = service.validate("LICENSE_KEY_ALWAYS").await.ok()["captures_used"].as_u64();
    assert_eq!(used, Some(2 * ROUNDS as u64), "each session counts once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nonce_sent_twice_works_once() {
    let service = Service::start().await;
    for _ in 0..ROUNDS {
        let photo = frame::fresh();
        let loaded = service.open("LICENSE_KEY").await;
        assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
        let submission = service.submission(&loaded, &photo);
        let answers = join_all([service.ingest(&submission), service.ingest(&submission)]).await;
        assert_eq!(winners(&answers), 1, "{answers:?}");
        let loser = answers.iter().find(|answer| answer.status != 200).unwrap();
        let concluded = refusal(409, "Sessão já utilizada", None);
        let replayed = refusal(403, "Sessão de captura inválida — recarregue a sessão", Some("web_nonce_replay"));
        assert!([concluded, replayed].contains(&loser.outcome()), "{loser:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_a_frame_sent_twice_once() {
    let service = Service::start().await;
    for _ in 0..ROUNDS {
        let photo = frame::fresh();
        let sessions = [service.open("LICENSE_KEY").await, service.open("LICENSE_KEY_ALWAYS").await];
        let answers = join_all(sessions.iter().map(|loaded| service.capture_in(loaded, &photo))).await;
        assert_eq!(winners(&answers), 1, "{answers:?}");
        let loser = answers.iter().find(|answer| answer.status != 200).unwrap();
        assert_eq!(loser.outcome(), refusal(409, "Esta captura não pôde ser processada.", Some("web_duplicate")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_concurrent_captures_of_a_license() {
    let service = Service::start().await;
    let captures = (0..12).map(|_| async { service.capture("LICENSE_KEY", &frame::fresh()).await.1.status });
    assert_eq!(join_all(captures).await, vec![200; 12]);
    let used: Value = service.validate("LICENSE_KEY").await.ok()["captures_used"].clone();
    assert_eq!(used, 12);
}
