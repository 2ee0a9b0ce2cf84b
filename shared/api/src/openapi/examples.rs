//! Examples of requests and responses. They are values of the types, so they always agree with the schemas.

use serde_json::{Value, json};

use crate::{
    AnnouncedPhoto, CaptureResolution, CapturedPhoto, CreateHostedSession, CreateSession, CreatedSession, CustodyState,
    Environment, IngestRequest, IngestedPhoto, IntegrityEnforcement, LicensePolicy, LicenseVerdict, LoadedSession,
    NextPhoto, OptionalClaims, PhotoStatus, Profile, RecaptureRisk, Receipt, RenewedImage, SessionCaptured,
    SessionPhoto, SessionProgress, SessionResults, SessionStatus, SkipRequest, ValidateRequest, ValidateSessionRequest,
    limits,
};

const TOKEN: &str = "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b";
const SESSION_ID: &str = "b0a1f0c4-6f53-4f6f-8f0e-2f3f8c1d9e77";
pub(super) const LICENSE_KEY: &str = "svc_sand_4VqjZkXW7mZb1w7cF3Rk9pTtYhNn2sUu";
const NONCE: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const KEY: &str = "uploads/0b8d2c1e4f6a7b8c9d0e1f2a3b4c5d6e.jpg";
const FRAME: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const SIGNED: &str = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
const LATER: [&str; 2] = [
    "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13",
];
const JPEG: &str = "https://proofs.example.com/photo.jpg?X-Amz-Signature=4f2a";
const MANIFEST: &str = "https://proofs.example.com/photo.c2pa?X-Amz-Signature=90c1";
const CAPTURED_AT_MS: i64 = 1_795_176_042_000;

pub(super) fn create() -> Value {
    json!(CreateSession { reference_id: "sinistro-42".into(), license_key: LICENSE_KEY.into() })
}

pub(super) fn create_hosted() -> Value {
    json!(CreateHostedSession {
        reference_id: "sinistro-42".into(),
        redirect_uri: "https://app.example.com/obrigado".into(),
        webhook_url: "https://hooks.example.com/lacre".into(),
        profile: Profile::VehicleInspection.name().into(),
        steps: None,
    })
}

pub(super) fn created() -> Value {
    json!(CreatedSession { token: TOKEN.into(), expires_at: "2026-11-20T12:30:00Z".into() })
}

pub(super) fn loaded() -> Value {
    json!(LoadedSession {
        token: TOKEN.into(),
        status: SessionStatus::Pending,
        expires_at: "2026-11-20T12:30:00Z".into(),
        total_photos: 1,
        captured_count: 0,
        photo_order: 1,
        nonce: NONCE.into(),
        upload_url: "https://uploads.example.com/0b8d2c1e?X-Amz-Signature=77aa".into(),
        upload_method: "PUT".to_owned(),
        upload_headers: [("content-type".to_owned(), "image/jpeg".to_owned())].into(),
        upload_expires_at: "2026-11-20T12:05:00Z".into(),
        image_key: KEY.to_owned(),
        max_asset_bytes: limits::MAX_ASSET_BYTES,
        capture_resolution: CaptureResolution::Fhd,
        server_time_ms: 1_795_176_000_000,
        position_required: false,
        profile: None,
        steps: Vec::new(),
        framing: None,
        redirect_uri: None,
    })
}

pub(super) fn ingest() -> Value {
    json!(IngestRequest {
        token: TOKEN.into(),
        nonce: NONCE.into(),
        photo_order: 1,
        image_key: KEY.to_owned(),
        frame_hash: FRAME.into(),
        extra_frame_hashes: LATER.map(Into::into).into(),
        gps_lat: -23.55052,
        gps_lon: -46.633308,
        gps_accuracy: 12.5,
        captured_at_ms: CAPTURED_AT_MS,
        optional: OptionalClaims { heading: Some(87.0), label: Some("Frente".to_owned()), ..OptionalClaims::default() },
    })
}

pub(super) fn ingested() -> Value {
    let receipt = Receipt {
        session_id: SESSION_ID.into(),
        photo_order: 1,
        authenticated_jpeg_url: Some(JPEG.into()),
        manifest_url: MANIFEST.into(),
        complete: true,
        next: None,
    };
    json!(IngestedPhoto { receipt, signed_image_base64: "/9j/4AAQSkZJRg==".to_owned() })
}

pub(super) fn results(is_hosted: bool) -> Value {
    let capture = CapturedPhoto {
        session_id: SESSION_ID.into(),
        heading: Some(87.0),
        gps_lat: -23.55052,
        gps_lon: -46.633308,
        gps_accuracy: 12.5,
        captured_at_ms: CAPTURED_AT_MS,
        frame_hash_hex: FRAME.to_owned(),
        authenticated_jpeg_url: Some(JPEG.into()),
        authenticated_jpeg_sha256: Some(SIGNED.to_owned()),
        manifest_url: Some(MANIFEST.into()),
        transparency_proof: None,
    };
    json!(SessionResults {
        reference_id: "sinistro-42".to_owned(),
        status: SessionStatus::Captured,
        total_photos: 1,
        captured_count: 1,
        created_at: "2026-11-20T12:00:00Z".into(),
        photos: vec![SessionPhoto {
            order: 1,
            step: None,
            label: "Frente".to_owned(),
            status: PhotoStatus::Captured,
            custody: Some(CustodyState::Held),
            capture: Some(capture),
        }],
        profile: is_hosted.then(|| Profile::Demo.name().into()),
        kit: None,
    })
}

pub(super) fn renewed() -> Value {
    json!(RenewedImage {
        session_id: SESSION_ID.into(),
        authenticated_jpeg_url: JPEG.into(),
        expires_at: "2026-11-27T12:00:00Z".into(),
    })
}

pub(super) fn validate() -> Value {
    json!(ValidateRequest { license_key: LICENSE_KEY.into() })
}

pub(super) fn validate_session() -> Value {
    json!(ValidateSessionRequest { token: TOKEN.into(), license_key: None })
}

pub(super) fn verdict() -> Value {
    json!(LicenseVerdict::Valid(LicensePolicy {
        valid: true,
        environment: Environment::Sandbox,
        integrity_enforcement: IntegrityEnforcement::Ignore,
        capture_resolution: CaptureResolution::Fhd,
        tsa_required: false,
        max_captures_per_session: None,
        captures_used: 12,
        volume_limit: limits::UNLIMITED_VOLUME,
        expires_at: "2027-11-20T00:00:00Z".into(),
    }))
}

pub(super) fn progress() -> Value {
    json!(SessionProgress {
        status: SessionStatus::Partial,
        total_photos: 3,
        captured_count: 1,
        expires_at: "2026-11-20T12:30:00Z".into(),
        kit: Some("auto-previa@3".into()),
        step: Some("chassi".into()),
        introduction: None,
    })
}

pub(super) fn skip() -> Value {
    json!(SkipRequest { token: TOKEN.into(), nonce: NONCE.into(), photo_order: 1 })
}

pub(super) fn next() -> Value {
    json!(NextPhoto {
        photo_order: 2,
        total_photos: 3,
        captured_count: 0,
        nonce: NONCE.into(),
        upload_url: "https://uploads.example.com/0b8d2c1e?X-Amz-Signature=77aa".into(),
        upload_expires_at: "2026-11-20T12:05:00Z".into(),
        image_key: KEY.to_owned(),
        server_time_ms: 1_795_176_000_000,
    })
}

pub(super) fn webhook() -> Value {
    let photo = AnnouncedPhoto {
        order: 1,
        step: None,
        label: None,
        session_id: SESSION_ID.into(),
        authenticated_jpeg_url: Some(JPEG.into()),
        manifest_url: Some(MANIFEST.into()),
        frame_hash_hex: FRAME.to_owned(),
        recapture_risk: RecaptureRisk::None,
    };
    json!(SessionCaptured {
        session_id: SESSION_ID.into(),
        reference_id: "sinistro-42".to_owned(),
        status: "signed".to_owned(),
        authenticated_jpeg_url: Some(JPEG.into()),
        processed_at: "2026-11-20T12:00:44Z".into(),
        icp_brasil: true,
        recapture_risk: RecaptureRisk::None,
        kit: None,
        photos: vec![photo],
    })
}
