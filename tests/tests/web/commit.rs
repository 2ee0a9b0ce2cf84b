//! Tests the commit of a capture in the database, with retries and rivals.

use lacre_domain::{
    BrowserClaims, EvidenceRecord, ExpectedPhoto, FrameHash, GpsMode, GpsResult, KeyHash, PersonalData, PersonalItem,
    PhotoCapture, Position, RecaptureGate, RecaptureRisk, ReferenceId, Salt, Session, SessionToken, Sha256Digest,
    StoreAssetPolicy, StreamSettings, capture::month_of,
};
use lacre_proof_fixtures::facts;
use lacre_storage::{Captures, Commit, CommitOutcome, Commits, Counted, Sessions};
use lacre_tests::Service;
use time::OffsetDateTime;

/// A capture of a session's photo by an attempt.
fn capture(token: &SessionToken, session: &Session, attempt: &str) -> (EvidenceRecord, PersonalItem, PhotoCapture) {
    let now = OffsetDateTime::now_utc();
    let frame = FrameHash::of(attempt.as_bytes());
    let claims = BrowserClaims {
        position: Position { latitude: 5e-324, longitude: 1e-300, accuracy: f64::MAX },
        heading: Some(5e-324),
        stream_settings: StreamSettings::keep_plausible(Some(1920.0), None, Some(29.97)),
        ..facts().claims
    };
    let personal = PersonalItem {
        data: PersonalData {
            reference_id: session.reference_id.clone(),
            claims,
            header_user_agent: None,
            fingerprint: None,
        },
        salt: Salt::from_entropy(lacre_storage::entropy()),
        session: token.hash(),
        manifest_id: None,
    };
    let capture = EvidenceRecord {
        capture_id: token.session_id(1).capture_id(),
        attempt: attempt.to_owned(),
        environment: session.environment,
        client_id: session.client_id.clone(),
        license_id: session.license_id.clone().unwrap(),
        month: month_of(now),
        photo_order: 1,
        asked_for: None,
        origin: lacre_domain::Origin::parse("http://localhost:1").unwrap(),
        frame_hash: frame,
        frame_bytes: 1,
        commitments: personal.commitments(),
        gps_mode: GpsMode::Observe,
        gps_result: GpsResult::Observed,
        ingested_at: now,
        recapture_gate: RecaptureGate::Block,
        recapture_risk: RecaptureRisk::Unknown,
        recapture_scores: [("score".to_owned(), 0.5), ("small".to_owned(), 1.25e-7)].into(),
        recapture_threshold: Some(2.5),
        signer_version: 1,
        signature_policy: "2.16.76.1.7.1.1.2.4".into(),
        service_version: "0.1.0".into(),
        icp_brasil: false,
        manifest_sha256: Sha256Digest::of(b"manifest"),
        jpeg_sha256: Sha256Digest::of(b"jpeg"),
        store_asset_policy: StoreAssetPolicy::Never,
        jpeg_key: None,
        manifest_key: format!("{attempt}/manifest.c2pa"),
        log_entry: None,
    };
    let photo = PhotoCapture {
        recapture_risk: capture.recapture_risk,
        label: personal.data.claims.label.clone(),
        heading: personal.data.claims.heading,
        position: personal.data.claims.position,
        captured_at_ms: personal.data.claims.captured_at_ms,
        frame_hash: frame,
        jpeg_sha256: Some(capture.jpeg_sha256),
        jpeg_key: None,
        manifest_key: capture.manifest_key.clone(),
        logged: None,
    };
    (capture, personal, photo)
}

/// Creates a session under the license of `LICENSE_KEY`.
async fn session(service: &Service) -> (SessionToken, Session) {
    let now = OffsetDateTime::now_utc();
    let (_, license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let token = SessionToken::from_entropy(lacre_storage::entropy());
    let reference = ReferenceId::parse("r").unwrap();
    let session =
        Session::new(license.client_id, license.id, license.environment, reference, ExpectedPhoto::plain(1), now);
    Sessions::new(service.connection()).create(&token, &session).await.unwrap();
    (token, session)
}

#[tokio::test]
async fn a_repeated_commit_recognizes_itself() {
    let service = Service::start().await;
    let (commits, captures) = (Commits::new(service.connection()), Captures::new(service.connection()));
    let (token, session) = session(&service).await;
    let (mine, personal, photo) = capture(&token, &session, &lacre_storage::attempt_id());
    let commit = Commit { token: &token, capture: &mine, personal: &personal, photo: &photo, announcement: None };
    for _ in 0..2 {
        assert_eq!(commits.commit(&commit).await.unwrap(), CommitOutcome::Committed);
    }
    let (rival, rival_personal, rival_photo) = capture(&token, &session, &lacre_storage::attempt_id());
    let lost =
        Commit { token: &token, capture: &rival, personal: &rival_personal, photo: &rival_photo, announcement: None };
    assert_eq!(commits.commit(&lost).await.unwrap(), CommitOutcome::Lost);

    let stored = captures.read(&mine.capture_id).await.unwrap().unwrap();
    // Times are stored in milliseconds.
    assert_eq!(stored, EvidenceRecord { ingested_at: stored.ingested_at, ..mine.clone() });
    assert!((mine.ingested_at - stored.ingested_at).abs() < time::Duration::milliseconds(1));
    // The stored record is exactly what was written.
    let records = lacre_storage::Evidence::new(service.connection()).all(None).await.unwrap().captures;
    let record = records.into_iter().find(|found| found.capture_id == mine.capture_id.as_str()).unwrap();
    assert_eq!(record.record.unwrap().canonical_json().unwrap(), mine.canonical_json().unwrap());
    let held = lacre_storage::Personal::new(service.connection()).read(&[&mine.capture_id]).await.unwrap().remove(0);
    assert_eq!(held.personal.unwrap(), Some(personal), "the rival's did not take its place");
    let accounts = lacre_storage::Accounts::new(service.connection());
    let license = session.license_id.as_ref().unwrap();
    let used = accounts.read_license(license, &session.client_id, Some(&mine.month)).await.unwrap().captures_used;
    assert_eq!(used, 1, "counted once");
}

#[tokio::test]
async fn a_changed_session_prevents_the_commit() {
    let service = Service::start().await;
    let (commits, captures) = (Commits::new(service.connection()), Captures::new(service.connection()));
    let (token, session) = session(&service).await;
    let nowhere = SessionToken::from_entropy(lacre_storage::entropy());
    let (gone, personal, photo) = capture(&nowhere, &session, &lacre_storage::attempt_id());
    let (mut rebound, ..) = capture(&token, &session, &lacre_storage::attempt_id());
    rebound.license_id = lacre_domain::LicenseId::from_u128(1);
    for (token, capture) in [(&nowhere, &gone), (&token, &rebound)] {
        let commit = Commit { token, capture, personal: &personal, photo: &photo, announcement: None };
        assert_eq!(commits.commit(&commit).await.unwrap(), CommitOutcome::SessionChanged);
        assert_eq!(captures.read(&capture.capture_id).await.unwrap(), None);
    }
}

#[tokio::test]
async fn uncounted_creations_do_not_count() {
    let service = Service::start().await;
    let sessions = Sessions::new(service.connection());
    let (key, now) = (KeyHash::of("key"), OffsetDateTime::now_utc());
    let token = || SessionToken::from_entropy(lacre_storage::entropy());
    let first = token();
    // Reverting a count is idempotent, also before the count arrives.
    for _ in 0..2 {
        sessions.uncount_creation(&key, &first, now).await.unwrap();
        assert_eq!(sessions.count_creation(&key, &first, now).await.unwrap(), Counted::Within);
    }
    sessions.uncount_creation(&key, &first, now).await.unwrap();
    for _ in 0..100 {
        assert_eq!(sessions.count_creation(&key, &token(), now).await.unwrap(), Counted::Within);
    }
    let last = token();
    assert_eq!(sessions.count_creation(&key, &last, now).await.unwrap(), Counted::LimitReached);
}

#[tokio::test]
async fn repeated_attempts_recognize_their_own_work() {
    let service = Service::start().await;
    let sessions = Sessions::new(service.connection());
    let frames = lacre_storage::Frames::new(service.connection());
    let now = OffsetDateTime::now_utc();
    let key = KeyHash::of("key");
    let tokens: Vec<_> = (0..100).map(|_| SessionToken::from_entropy(lacre_storage::entropy())).collect();
    for token in tokens.iter().chain(&tokens[99..]) {
        assert_eq!(sessions.count_creation(&key, token, now).await.unwrap(), Counted::Within, "the 100th, twice");
    }

    let (client, frame) = (lacre_domain::ClientId::from_u128(1), FrameHash::of(b"frame"));
    let reservation =
        |attempt| lacre_storage::Frames::reservation(lacre_domain::Environment::Production, &client, &frame, attempt);
    let (mine, rival) = (reservation("mine"), reservation("rival"));
    assert!(frames.reserve(&mine, now).await.unwrap() && frames.reserve(&mine, now).await.unwrap());
    assert!(!frames.reserve(&rival, now).await.unwrap());
    // A rival can neither release nor mark a reservation of another attempt.
    frames.release(&rival).await.unwrap();
    assert!(!frames.mark_signed(&rival).await.unwrap());
    // An expired reservation can be taken, a permanent one cannot.
    let later = now + time::Duration::minutes(10);
    assert!(frames.reserve(&rival, later).await.unwrap());
    assert!(!frames.mark_signed(&mine).await.unwrap());
    assert!(frames.mark_signed(&rival).await.unwrap() && frames.mark_signed(&rival).await.unwrap());
    assert!(!frames.reserve(&mine, later + time::Duration::days(1)).await.unwrap());
    frames.release(&rival).await.unwrap();
    assert!(frames.reserve(&mine, later).await.unwrap());
}
