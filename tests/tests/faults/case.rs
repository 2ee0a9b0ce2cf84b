//! A client with separate functions and fault proxies, so that its faults affect no other test.

use std::{collections::HashMap, sync::Arc};

use lacre_create_session::CreateSession;
use lacre_domain::{ApiKey, Clock, Environment, FrameHash, License, OriginPattern};
use lacre_http::{Body, Endpoint, Request, Response};
use lacre_image::Image;
use lacre_ingest::Ingest;
use lacre_load_session::LoadSession;
use lacre_session_results::SessionResults;
use lacre_session_status::SessionStatusRoute;
use lacre_storage::{Accounts, Connection, TimeBudgets};
use lacre_tests::{
    Faults, Service, Storage, TestClock,
    event::{HOSTED_PAGE, event, hosted_event},
    frame,
    kits::kit,
    service::{LIVE_PAGE, SAFARI, retains_without_timestamps},
};
use lacre_validate::Validate;
use lambda_http::RequestExt;
use serde_json::{Value, json};

/// The kit that [`put_kit`] puts.
const KIT: &str = "duas-opcionais";

/// Puts a kit in production whose first two photos are optional.
pub async fn put_kit(service: &Service) {
    let document = kit(KIT, &[("a", true), ("b", true), ("c", false)]).to_string();
    let client = service.client().await;
    service.administration().kits.put(&client, Environment::Production, document.as_bytes()).await.unwrap();
}

/// Status and body.
pub type Reply = (u16, Value);

/// A route of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Route {
    Create,
    Load,
    Ingest,
    Results,
    Image,
    Validate,
    CreateHosted,
    /// A load that rebinds the session to the license key of the link.
    Rebind,
    ValidateSession,
    Status,
    /// The creation of a session of a client's kit.
    CreateOfKit,
    Skip,
    /// The status with what the page shows first.
    Introduction,
}

impl Route {
    pub const ALL: [Self; 13] = [
        Self::Create,
        Self::Load,
        Self::Ingest,
        Self::Results,
        Self::Image,
        Self::Validate,
        Self::CreateHosted,
        Self::Rebind,
        Self::ValidateSession,
        Self::Status,
        Self::CreateOfKit,
        Self::Skip,
        Self::Introduction,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "POST /web/sessions",
            Self::Load => "GET /web/sessions/:token",
            Self::Ingest => "POST /web/ingest",
            Self::Results => "GET /web/session-results/:token",
            Self::Image => "GET /web/image/:session_id",
            Self::Validate => "POST /validate",
            Self::CreateHosted => "POST /web/sessions, hosted",
            Self::Rebind => "GET /web/sessions/:token, hosted, with a license key",
            Self::ValidateSession => "POST /validate, hosted",
            Self::Status => "GET /web/session-status/:token",
            Self::CreateOfKit => "POST /web/sessions, hosted, with a kit",
            Self::Skip => "POST /web/skip",
            Self::Introduction => "GET /web/session-status/:token, with the introduction",
        }
    }
}

/// The functions, the API key and the license of a case.
pub struct Case<'a> {
    pub service: &'a Service,
    pub faults: Faults,
    pub clock: Arc<TestClock>,
    pub photo: Vec<u8>,
    api_key: ApiKey,
    license_key: String,
    /// Key of a second hosted license.
    other_key: String,
    create: CreateSession,
    load: LoadSession,
    ingest: Ingest,
    results: SessionResults,
    image: Image,
    validate: Validate,
    status: SessionStatusRoute,
}

/// The state before a request.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    pub token: String,
    pub submission: Value,
    pub session_id: String,
}

impl<'a> Case<'a> {
    /// A case with warm functions, under a license that retains photos.
    pub async fn new(service: &'a Service) -> Self {
        let case = Self::cold(service).await;
        tokio::join!(
            case.create.warm_up(),
            case.load.warm_up(),
            case.ingest.warm_up(),
            case.results.warm_up(),
            case.image.warm_up(),
            case.validate.warm_up(),
            case.status.warm_up(),
        );
        case
    }

    /// The same with functions that have not handled a request yet.
    pub async fn cold(service: &'a Service) -> Self {
        Self::with_budgets(service, TimeBudgets::PRODUCTION).await
    }

    /// The same with cold functions and these time budgets.
    pub async fn with_budgets(service: &'a Service, budgets: TimeBudgets) -> Self {
        let faults = Faults::before(service).await;
        let connection =
            Connection::new(lacre_storage::Config { budgets, ..faults.config_with_secret(service) }).unwrap();
        let clock = Arc::new(TestClock::default());
        let now = || Arc::clone(&clock) as Arc<dyn Clock>;
        let (license_key, _) = service.license_like("LICENSE_KEY_LIVE", retains_without_timestamps).await;
        let (_, named) = service.license_like("LICENSE_KEY_LIVE", hosts).await;
        service.records().put_hosted_license(&named).await;
        let (other_key, _) = service.license_like("LICENSE_KEY_LIVE", hosts).await;
        Self {
            service,
            api_key: api_key(service).await,
            license_key,
            other_key,
            photo: frame::fresh(),
            create: CreateSession::new(&connection, now()),
            load: LoadSession::new(&connection, now()),
            ingest: Ingest::new(&connection, now()),
            results: SessionResults::new(&connection, now()),
            image: Image::new(&connection, now()),
            validate: Validate::new(&connection, now()),
            status: SessionStatusRoute::new(&connection, now()),
            faults,
            clock,
        }
    }

    /// Prepares everything that a route needs.
    pub async fn stage(&self, route: Route) -> Stage {
        let mut stage = Stage::default();
        match route {
            Route::Create | Route::Validate | Route::CreateHosted | Route::CreateOfKit => return stage,
            Route::Introduction | Route::Skip => {
                stage.token = text(&ok(self.create_of_kit().await), "token");
                if route == Route::Skip {
                    stage.submission = self.skip_of(&stage.token).await;
                }
                return stage;
            }
            Route::Rebind | Route::ValidateSession | Route::Status => {
                stage.token = text(&ok(self.create_hosted().await), "token");
                return stage;
            }
            Route::Load | Route::Ingest | Route::Results | Route::Image => {}
        }
        stage.token = text(&ok(self.create().await), "token");
        if route == Route::Load {
            return stage;
        }
        stage.submission = self.prepare(&stage.token).await;
        if route == Route::Ingest {
            return stage;
        }
        stage.session_id = text(&ok(self.ingest(&stage.submission).await), "session_id");
        stage
    }

    /// Loads a session, uploads the case's photo, and returns the submission.
    pub async fn prepare(&self, token: &str) -> Value {
        self.prepare_with(token, &self.photo).await
    }

    /// The same with another photo.
    pub async fn prepare_with(&self, token: &str, photo: &[u8]) -> Value {
        self.upload(&ok(self.load(token).await), token, photo).await
    }

    /// Uploads a photo for a load, and returns the submission.
    async fn upload(&self, loaded: &Value, token: &str, photo: &[u8]) -> Value {
        let put = Storage::of(self.service).s3.put_object().bucket(self.service.variable("UPLOADS_BUCKET"));
        put.key(text(loaded, "image_key")).body(photo.to_vec().into()).send().await.unwrap();
        json!({
            "token": token, "nonce": loaded["nonce"], "photo_order": 1, "image_key": loaded["image_key"],
            "frame_hash": FrameHash::of(photo).hex(),
            "extra_frame_hashes": [FrameHash::of(b"second").hex(), FrameHash::of(b"third").hex()],
            "gps_lat": -23.5505, "gps_lon": -46.6333, "gps_accuracy": 12.5,
            "captured_at_ms": self.clock.millis(),
        })
    }

    /// The same in a hosted session.
    pub async fn prepare_hosted(&self, token: &str, photo: &[u8]) -> Value {
        let loaded = ok(self.load_hosted(token).await);
        self.upload(&loaded, token, photo).await
    }

    pub async fn ingest_hosted(&self, submission: &Value) -> Reply {
        let page = [("origin", HOSTED_PAGE), ("user-agent", SAFARI)];
        reply(&self.ingest, hosted_event("ingest", &page, Some(submission.to_string()), None)).await
    }

    pub async fn results_hosted(&self, token: &str) -> Reply {
        reply(&self.results, hosted_event("session-results", &[], None, Some(("token", token)))).await
    }

    /// Sends the request of a route.
    pub async fn ask(&self, route: Route, stage: &Stage) -> Reply {
        match route {
            Route::Create => self.create().await,
            Route::Load => self.load(&stage.token).await,
            Route::Ingest => self.ingest(&stage.submission).await,
            Route::Results => self.results(&stage.token).await,
            Route::Image => self.image(&stage.session_id).await,
            Route::Validate => self.validate().await,
            Route::CreateHosted => self.create_hosted().await,
            Route::CreateOfKit => self.create_of_kit().await,
            Route::Skip => self.skip(&stage.submission).await,
            Route::Introduction => {
                let token = Some(("token", stage.token.as_str()));
                let request = hosted_event("session-status", &[], None, token);
                let introduction = [("introduction".to_owned(), vec!["true".to_owned()])];
                let parameters: HashMap<String, Vec<String>> = introduction.into();
                reply(&self.status, request.with_query_string_parameters(parameters)).await
            }
            Route::Rebind => self.rebind(&stage.token).await,
            Route::ValidateSession => {
                let body = json!({ "token": stage.token, "license_key": self.other_key }).to_string();
                reply(&self.validate, hosted_event("validate", &[], Some(body), None)).await
            }
            Route::Status => {
                let token = Some(("token", stage.token.as_str()));
                reply(&self.status, hosted_event("session-status", &[], None, token)).await
            }
        }
    }

    pub async fn create_hosted(&self) -> Reply {
        self.create_of_profile("demo").await
    }

    pub async fn create_of_kit(&self) -> Reply {
        self.create_of_profile(KIT).await
    }

    /// Loads a hosted session, and returns the body that skips its pending photo.
    pub async fn skip_of(&self, token: &str) -> Value {
        let loaded = ok(self.load_hosted(token).await);
        json!({ "token": token, "nonce": loaded["nonce"], "photo_order": loaded["photo_order"] })
    }

    pub async fn skip(&self, body: &Value) -> Reply {
        let page = [("origin", HOSTED_PAGE), ("user-agent", SAFARI)];
        reply(&self.load, hosted_event("ingest", &page, Some(body.to_string()), None)).await
    }

    pub async fn load_hosted(&self, token: &str) -> Reply {
        let page = [("origin", HOSTED_PAGE), ("user-agent", SAFARI)];
        reply(&self.load, hosted_event("load-session", &page, None, Some(("token", token)))).await
    }

    async fn create_of_profile(&self, profile: &str) -> Reply {
        let body = json!({
            "reference_id": "sinistro-42", "profile": profile, "redirect_uri": format!("{LIVE_PAGE}/done"),
            "webhook_url": "https://hooks.example.com/",
        });
        let key = [("x-api-key", self.api_key.expose())];
        reply(&self.create, hosted_event("create-session", &key, Some(body.to_string()), None)).await
    }

    pub async fn rebind(&self, token: &str) -> Reply {
        let page = [("origin", HOSTED_PAGE), ("user-agent", SAFARI), ("x-svc-license-key", &self.other_key)];
        reply(&self.load, hosted_event("load-session", &page, None, Some(("token", token)))).await
    }

    pub async fn create(&self) -> Reply {
        let body = json!({ "reference_id": "sinistro-42", "license_key": self.license_key }).to_string();
        let key = [("x-api-key", self.api_key.expose())];
        reply(&self.create, event("create-session", &key, Some(body), None)).await
    }

    pub async fn load(&self, token: &str) -> Reply {
        let page = [("origin", LIVE_PAGE), ("user-agent", SAFARI)];
        reply(&self.load, event("load-session", &page, None, Some(("token", token)))).await
    }

    pub async fn ingest(&self, submission: &Value) -> Reply {
        let page = [("origin", LIVE_PAGE), ("user-agent", SAFARI)];
        reply(&self.ingest, event("ingest", &page, Some(submission.to_string()), None)).await
    }

    pub async fn results(&self, token: &str) -> Reply {
        reply(&self.results, event("session-results", &[], None, Some(("token", token)))).await
    }

    pub async fn image(&self, session_id: &str) -> Reply {
        reply(&self.image, event("image", &[], None, Some(("session_id", session_id)))).await
    }

    pub async fn validate(&self) -> Reply {
        let body = json!({ "license_key": self.license_key }).to_string();
        reply(&self.validate, event("validate", &[("origin", LIVE_PAGE)], Some(body), None)).await
    }

    /// Captures counted for the case's license.
    pub async fn captures_used(&self) -> u64 {
        ok(self.validate().await)["captures_used"].as_u64().unwrap()
    }

    /// Creations counted for the case's API key in this hour.
    pub async fn creations_counted(&self) -> usize {
        let hour = self.clock.now().unix_timestamp().div_euclid(3600);
        self.ids_in(&format!("creations#{}#{hour}", self.api_key.hash().as_str())).await
    }

    /// Loads counted for a session.
    pub async fn loads_counted(&self, token: &str) -> usize {
        let token = lacre_domain::SessionToken::parse(token).unwrap();
        self.ids_in(&format!("loads#{}", token.hash().as_str())).await
    }

    async fn ids_in(&self, key: &str) -> usize {
        let item = Storage::of(self.service).item("SESSIONS_TABLE", &[("pk", key)]).await;
        let ids = item.and_then(|mut item| item.remove("ids"));
        ids.map_or(0, |ids| ids.as_ss().unwrap().len())
    }
}

/// Turns a license into a hosted one.
fn hosts(license: &mut License) {
    retains_without_timestamps(license);
    license.terms.redirect_origins = vec![OriginPattern::parse(LIVE_PAGE).unwrap()];
}

/// An API key of the seeded client without counted creations.
async fn api_key(service: &Service) -> ApiKey {
    let accounts = Accounts::new(service.connection());
    let seeded = ApiKey::parse(service.variable("API_KEY_LIVE")).unwrap();
    let record = accounts.read_api_key(&seeded.hash()).await.unwrap().unwrap();
    let key = ApiKey::from_entropy(lacre_storage::entropy());
    lacre_tests::journal::remember(key.expose());
    service.records().put_api_key(&key.hash(), &record).await;
    key
}

async fn reply(endpoint: &impl Endpoint, request: Request) -> Reply {
    let response: Response<Body> = Box::pin(endpoint.handle(request)).await;
    (response.status().as_u16(), serde_json::from_slice(response.body()).unwrap())
}

/// Whether a request succeeded.
pub fn is_success(status: u16) -> bool {
    matches!(status, 200 | 201)
}

/// The body of a successful response.
#[track_caller]
pub fn ok((status, body): Reply) -> Value {
    assert!(is_success(status), "{status} {body}");
    body
}

/// A text field of a body.
#[track_caller]
pub fn text(body: &Value, name: &str) -> String {
    body[name].as_str().unwrap().to_owned()
}
