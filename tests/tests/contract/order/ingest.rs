//! `POST /web/ingest`.
//!
//! Two refusals require a concurrent rival and have no place in the list: a nonce that is used after it was read (403
//! `web_nonce_replay`), and a session that is concluded before the commit (409). The tests of races cover them.

use std::sync::OnceLock;

use lacre_api::{
    Refusal::{self, *},
    Route,
};
use lacre_domain::{ClientId, Environment, FrameHash, GpsMode, LicenseStatus, Nonce, RecaptureRisk};
use lacre_ingest::Ingest;
use lacre_recapture::{Analysis, Planes};
use lacre_tests::{
    Fault, Service, Storage,
    event::event,
    frame,
    service::{Loaded, PAGE, SAFARI},
};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::{Deployment, LicensePlan, Opened, Outcome, Place, SessionPlan, ask, clock, refuses, walk};

/// An asset limit larger than that of photos whose signed response fits into Lambda's limit.
const MAX_ASSET_BYTES: u64 = 5_000_000;
const TOO_LARGE_TO_ANSWER: usize = 4_800_000;
const TOO_LARGE: usize = 5_000_001;
/// The analysis of this test considers photos of odd width as screens.
const WIDTHS: [u16; 2] = [320, 321];
/// Widths of large photos.
const LARGE_WIDTHS: [u16; 2] = [1200, 1201];

const ORDER: &[Place<Plan>] = &[
    &[
        refuses("body an object", PayloadInvalid, |plan| plan.body = Some("[]")),
        refuses("fields' types", PayloadInvalid, |plan| plan.set("captured_at_ms", json!("now"))),
        refuses("fields there", PayloadInvalid, |plan| plan.set("image_key", Value::Null)),
    ],
    &[refuses("location's shape", LocationInvalid, |plan| plan.set("gps_lat", json!(91)))],
    &[refuses("label", LabelInvalid, |plan| plan.set("label", json!("<b>")))],
    &[
        refuses("session read", NonceStoreUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem sessions", Fault::Refuse)
        }),
        refuses("token's shape", SessionNotFound, |plan| plan.set("token", json!("x"))),
        refuses("session known", SessionNotFound, |plan| plan.session.unknown = true),
        refuses("session readable", SessionCorrupt, |plan| plan.session.corrupt = true),
    ],
    &[refuses("session unused", SessionAlreadyUsed, |plan| plan.session.concluded = true)],
    &[refuses("session in time", SessionExpired, |plan| plan.session.expired = true)],
    &[refuses("browser", AccessNotValidated, |plan| plan.agent = Some("curl/8.5.0"))],
    &[refuses("license there", LicenseMissing, |plan| plan.session.without_license = true)],
    &[
        refuses("license read", NonceStoreUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts", Fault::Refuse)
        }),
        refuses("license known", LicenseRefused, |plan| plan.license.deleted = true),
        refuses("license readable", LicenseRefused, |plan| plan.license.unreadable = true),
        refuses("license not revoked", LicenseRefused, |plan| {
            plan.license.changes.push(|license| license.status = LicenseStatus::Revoked)
        }),
        refuses("license in time", LicenseRefused, |plan| {
            plan.license.changes.push(|license| license.terms.expires_at.0 = OffsetDateTime::UNIX_EPOCH)
        }),
    ],
    &[refuses("license the client's", LedgerClientIdUnauthoritative, |plan| {
        plan.license.changes.push(|license| license.client_id = ClientId::from_u128(1))
    })],
    &[refuses("any origin", OriginAllowlistEmpty, |plan| {
        plan.license.changes.push(|license| license.terms.authorized_origins.clear())
    })],
    &[refuses("origin allowed", OriginNotAllowed, |plan| plan.origin = Some("https://evil.example"))],
    &[
        refuses("nonce there", NonceMissing, |plan| plan.nonce = Given::Missing),
        refuses("nonce's shape", NonceMalformed, |plan| plan.nonce = Given::Malformed),
        refuses("nonce known", NonceReplay, |plan| plan.nonce = Given::NeverIssued),
        refuses("nonce this session's", NonceReplay, |plan| plan.nonce = Given::AnotherSession),
        refuses("nonce unused", NonceReplay, |plan| plan.nonce = Given::Used),
        refuses("nonce readable", NonceStoreUnavailable, |plan| plan.nonce = Given::Unreadable),
    ],
    &[refuses("origin of the load", OriginSessionMismatch, |plan| plan.origin = Some("http://localhost:9999"))],
    &[refuses("clock", ClockOutOfSync, |plan| plan.set("captured_at_ms", json!(0)))],
    &[
        refuses("enough extra frames", LivenessInsufficient, |plan| plan.extra_frames.drain(1..).for_each(drop)),
        refuses("not too many", LivenessTooMany, |plan| plan.extra_frames.resize(9, "abc".to_owned())),
    ],
    &[refuses("extra frames' shape", LivenessMalformed, |plan| plan.extra_frames.insert(0, "abc".to_owned()))],
    &[refuses("extra frames differ", LivenessStatic, |plan| plan.extra_frames.push(plan.extra_frames[0].clone()))],
    &[refuses("frame_hash", PayloadInvalid, |plan| plan.set("frame_hash", json!("abc")))],
    &[refuses("photo_order", PhotoOrderMismatch, |plan| plan.set("photo_order", json!(2)))],
    &[refuses("image_key", ImageNotFound, |plan| plan.set("image_key", json!("another.jpg")))],
    &[refuses("nonce consumed", NonceStoreUnavailable, |plan| {
        plan.deployment.strike("UpdateItem sessions nonce", Fault::Refuse)
    })],
    &[
        refuses("image read", RawStoreUnavailable, |plan| {
            plan.deployment.strike("GetObject uploads", Fault::ServerError)
        }),
        refuses("image to be read", RawReadFailed, |plan| plan.deployment.strike("GetObject uploads", Fault::Refuse)),
        refuses("image there", ImageNotFound, |plan| plan.photo.absent = true),
        refuses("size", AssetTooLarge { bytes: TOO_LARGE as u64, max_asset_bytes: MAX_ASSET_BYTES }, |plan| {
            (plan.photo.bytes, plan.photo.absent) = (TOO_LARGE, false)
        }),
    ],
    &[
        refuses("a JPEG", ImageInvalid, |plan| plan.photo.cut = true),
        refuses("the announced frame", ImageInvalid, |plan| plan.photo.announced = Some("another frame")),
    ],
    &[refuses("location gate", LocationNotValidated, |plan| {
        plan.set("gps_accuracy", json!(151));
        plan.license.changes.push(|license| license.terms.gps_mode = GpsMode::Require);
    })],
    &[refuses("recapture gate", RecaptureDetected, |plan| plan.photo.of_a_screen = true)],
    &[
        refuses("registry read", HashStoreUnavailable, |plan| plan.deployment.strike("PutItem frames", Fault::Refuse)),
        refuses("frame free", Duplicate, |plan| plan.photo.taken = true),
    ],
    &[
        refuses("URLs configured", IngestPresignConfigFailed, |plan| plan.presigner = PresignerPlan::Missing),
        refuses("URLs", IngestPresignFailed, |plan| plan.presigner = PresignerPlan::Unreachable),
    ],
    &[
        refuses("timestamp authority named", SignerUnavailable, |plan| {
            plan.license.changes.push(|license| license.terms.tsa_required = true)
        }),
        refuses("ICP-Brasil signature", SignerRejected, |plan| plan.deployment.strike("Sign seal", Fault::Refuse)),
        refuses("its answer", SignerUnavailable, |plan| plan.deployment.strike("Sign seal", Fault::ServerError)),
        refuses("itself", SignerResponseInvalid, |plan| plan.deployment.strike("Sign seal", Fault::WrongSignature)),
    ],
    &[
        refuses("C2PA signature", SignerResponseInvalid, |plan| plan.deployment.strike("Sign claim", Fault::Refuse)),
        refuses("its answer", SignerUnavailable, |plan| plan.deployment.strike("Sign claim", Fault::ServerError)),
    ],
    &[refuses("response size", SignedPayloadTooLarge, |plan| {
        plan.photo.bytes = plan.photo.bytes.max(TOO_LARGE_TO_ANSWER)
    })],
    &[refuses("proof stored", ProofStoreUnavailable, |plan| plan.deployment.strike("PutObject proofs", Fault::Refuse))],
    &[refuses("frame marked", HashStoreUnavailable, |plan| plan.deployment.strike("UpdateItem frames", Fault::Refuse))],
    &[refuses("commit", LedgerWriteFailed, |plan| plan.deployment.strike("TransactWriteItems", Fault::Refuse))],
];

/// Refusals that no request can provoke: every response of the service can be serialized.
const ELSEWHERE: &[Refusal] = &[ResponseSerializationFailed];

struct Plan {
    body: Option<&'static str>,
    fields: Vec<(&'static str, Value)>,
    agent: Option<&'static str>,
    origin: Option<&'static str>,
    session: SessionPlan,
    license: LicensePlan,
    nonce: Given,
    extra_frames: Vec<String>,
    photo: PhotoPlan,
    presigner: PresignerPlan,
    deployment: Deployment,
}

/// The nonce to send.
#[derive(Clone, Copy, Default, PartialEq)]
enum Given {
    #[default]
    Sound,
    Missing,
    Malformed,
    NeverIssued,
    AnotherSession,
    Used,
    Unreadable,
}

#[derive(Default)]
struct PhotoPlan {
    absent: bool,
    /// Minimum size of the photo, in bytes.
    bytes: usize,
    cut: bool,
    announced: Option<&'static str>,
    of_a_screen: bool,
    taken: bool,
}

#[derive(Default)]
enum PresignerPlan {
    #[default]
    Sound,
    Missing,
    Unreachable,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            extra_frames: [b"second", b"third!"].map(|frame| FrameHash::of(frame).hex()).to_vec(),
            body: None,
            fields: Vec::new(),
            agent: None,
            origin: None,
            session: SessionPlan::default(),
            license: LicensePlan::default(),
            nonce: Given::default(),
            photo: PhotoPlan::default(),
            presigner: PresignerPlan::default(),
            deployment: Deployment::default(),
        }
    }
}

impl Plan {
    /// Sets a field. If a field is set twice, the later value takes effect.
    fn set(&mut self, field: &'static str, value: Value) {
        self.fields.push((field, value));
    }
}

impl PhotoPlan {
    fn make(&self) -> Vec<u8> {
        let which = usize::from(self.of_a_screen);
        let plain = if self.bytes == 0 { frame::encode(WIDTHS[which], 240, |_| {}) } else { large(which) };
        let mut photo = frame::with_comment(&plain);
        while self.bytes == TOO_LARGE && self.bytes > photo.len() {
            // Inserts segments until the photo has the wanted size. A segment has a four-byte head and a maximum
            // length. The result is not a valid photo, and is not decoded.
            let missing = (self.bytes - photo.len()).saturating_sub(4).min(65_000);
            photo = frame::insert_segment(&photo, 0xfe, &vec![b'x'; missing]);
        }
        if self.cut {
            // The same size without the end-of-image marker.
            let last = photo.len() - 1;
            photo[last] = 0;
        }
        photo
    }
}

/// One of two large photos, which take some time to create.
fn large(which: usize) -> Vec<u8> {
    static PHOTOS: [OnceLock<Vec<u8>>; 2] = [const { OnceLock::new() }; 2];
    PHOTOS[which].get_or_init(|| frame::large(LARGE_WIDTHS[which])).clone()
}

fn analyse(planes: Planes, _: f64) -> Analysis {
    let risk = if planes.luma.width() % 2 == 1 { RecaptureRisk::High } else { RecaptureRisk::None };
    Analysis { risk, scores: [("moire".to_owned(), 0.5)].into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    // Removes the authority, so that a license that requires timestamps fails.
    service.change_timestamps(Environment::Sandbox, |timestamps| *timestamps = None).await;
    walk(Route::Ingest, ORDER, ELSEWHERE, async |plan| ingest(&service, plan).await).await;
}

/// Ingests a new photo in a new session under a new license, all as planned.
async fn ingest(service: &Service, mut plan: Plan) -> Outcome {
    let opened = Opened::new(service).await;
    let photo = plan.photo.make();
    if !plan.photo.absent {
        assert_eq!(service.upload(&opened.loaded, &photo).await, 200);
    }
    if plan.photo.taken {
        let hash = FrameHash::of(&photo);
        let license = &opened.license;
        let rival = lacre_storage::Frames::reservation(license.environment, &license.client_id, &hash, "rival");
        assert!(
            lacre_storage::Frames::new(service.connection()).reserve(&rival, OffsetDateTime::now_utc()).await.unwrap()
        );
    }
    let mut submission = service.submission(&opened.loaded, &photo);
    submission["token"] = opened.token(&plan.session).into();
    submission["nonce"] = nonce(service, &opened.loaded, plan.nonce).await;
    submission["extra_frame_hashes"] = plan.extra_frames.clone().into();
    if let Some(another) = plan.photo.announced {
        submission["frame_hash"] = FrameHash::of(another.as_bytes()).hex().into();
    }
    for (field, value) in std::mem::take(&mut plan.fields) {
        submission[field] = value;
    }
    opened.break_it(service, &plan.session, &plan.license).await;

    let deployment = &mut plan.deployment;
    deployment.set("MAX_ASSET_BYTES", "5000000");
    match plan.presigner {
        PresignerPlan::Sound => {}
        PresignerPlan::Missing => deployment.set("PRESIGNER_ACCESS_KEY_ID", ""),
        PresignerPlan::Unreachable => {
            deployment.set("PRESIGNER_ACCESS_KEY_ID", "");
            deployment.set("PRESIGNER_SECRET_ARN", "arn:aws:secretsmanager:sa-east-1:000000000000:secret:presigner");
            // A port without a listener.
            deployment.set("AWS_ENDPOINT_URL_SECRETS_MANAGER", "http://127.0.0.1:1");
        }
    }
    let endpoint = Ingest::new(&deployment.connect(service).await, clock(service)).with_analysis(analyse);
    let headers = [("origin", plan.origin.unwrap_or(PAGE)), ("user-agent", plan.agent.unwrap_or(SAFARI))];
    let body = plan.body.map_or_else(|| submission.to_string(), str::to_owned);
    let later = if plan.session.expired { Duration::minutes(30) } else { Duration::ZERO };
    service.clock.advance(later);
    let outcome = ask(endpoint, event("ingest", &headers, Some(body), None)).await;
    service.clock.advance(-later);
    outcome
}

/// Provides the nonce to send.
async fn nonce(service: &Service, loaded: &Loaded, given: Given) -> Value {
    let own = Nonce::parse(Some(loaded.text("nonce"))).unwrap();
    match given {
        Given::Missing => return Value::Null,
        Given::Malformed => return "abc".into(),
        Given::NeverIssued => return Nonce::from_entropy(lacre_storage::entropy()).expose().into(),
        Given::AnotherSession => return service.open("LICENSE_KEY").await.text("nonce").into(),
        Given::Sound => {}
        Given::Used => {
            let sessions = lacre_storage::Sessions::new(service.connection());
            assert!(sessions.consume_nonce(&own, "an earlier attempt").await.unwrap());
        }
        Given::Unreadable => {
            let item = [("pk", format!("nonce#{}", own.hash().as_str()))];
            Storage::of(service).damage("SESSIONS_TABLE", &item, "issued_at").await;
        }
    }
    own.expose().into()
}
