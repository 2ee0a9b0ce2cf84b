//! A client with an API key and a license, issued by the operators' operations.

use std::sync::Arc;

use aws_sdk_s3::primitives::ByteStream;
use lacre_administration::{Administration, EvidenceAdministration};
use lacre_domain::{ClientId, Clock, Environment, LicenseId, Moment, NamedTerms};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use time::Duration;

use crate::{
    Answer, Service, Storage, journal,
    operator::caller,
    service::{Loaded, SAFARI},
    vault::CUSTODIAN,
};

/// The origin of all customers' pages, allowed in every environment.
const PAGE: &str = "https://app.example.com";

/// A client with its issued keys.
pub struct Customer<'a> {
    service: &'a Service,
    /// The client.
    pub client_id: ClientId,
    /// Its API key.
    pub api_key: String,
    /// Its license.
    pub license_id: LicenseId,
    /// The license's key.
    pub license_key: String,
}

impl Service {
    /// The operators' operations, on this service's AWS and with its clock.
    pub fn administration(&self) -> Administration {
        Administration::new(self.connection(), Arc::clone(&self.clock) as Arc<dyn Clock>, caller(CUSTODIAN))
    }

    /// The custodian's operations, on this service's AWS and with its clock.
    pub fn evidence(&self) -> EvidenceAdministration {
        EvidenceAdministration::new(self.connection(), Arc::clone(&self.clock) as Arc<dyn Clock>, caller(CUSTODIAN))
    }
}

impl<'a> Customer<'a> {
    /// Creates a client whose license has the usual terms of its environment, overridden by `terms`.
    pub async fn new(service: &'a Service, environment: Environment, terms: NamedTerms) -> Self {
        let administration = service.administration();
        let client = administration.clients.create("Customer").await.unwrap();
        let api_key = administration.api_keys.issue(&client.id, environment, "backend").await.unwrap();
        let volume_limit = (environment != Environment::Sandbox).then_some(100);
        let terms = NamedTerms {
            expires_at: terms.expires_at.or(Some(Moment(service.clock.now() + Duration::days(365)))),
            volume_limit: terms.volume_limit.or(volume_limit),
            authorized_origins: terms.authorized_origins.or(Some(vec![PAGE.to_owned()])),
            // Required timestamps would need an authority.
            tsa_required: terms.tsa_required.or(Some(false)),
            ..terms
        };
        let license = administration.licenses.issue(&client.id, environment, &terms).await.unwrap();
        journal::remember(&api_key.api_key);
        journal::remember(&license.license_key);
        Self {
            service,
            client_id: client.id,
            api_key: api_key.api_key,
            license_id: license.view.id,
            license_key: license.license_key,
        }
    }

    /// A client whose keys an operator's tool has issued.
    pub fn issued(service: &'a Service, client: &str, api_key: &str, license: &str, license_key: &str) -> Self {
        let (client_id, license_id) = (ClientId::parse(client).unwrap(), LicenseId::parse(license).unwrap());
        let (api_key, license_key) = (api_key.to_owned(), license_key.to_owned());
        Self { service, client_id, api_key, license_id, license_key }
    }

    /// The same client and license with other keys.
    pub fn with_keys(&self, api_key: &str, license_key: &str) -> Self {
        Self {
            service: self.service,
            client_id: self.client_id.clone(),
            api_key: api_key.to_owned(),
            license_id: self.license_id.clone(),
            license_key: license_key.to_owned(),
        }
    }

    /// `POST /web/sessions`.
    pub async fn create(&self) -> Answer {
        let order = json!({ "reference_id": "sinistro-42", "license_key": self.license_key });
        self.service.create_with(&self.api_key, order).await
    }

    /// `GET /web/sessions/:token` from the customer's page.
    pub async fn load(&self, token: &str) -> Answer {
        self.send_from_its_page(self.service.request(Method::GET, &format!("/web/sessions/{token}"))).await
    }

    /// Creates and loads a session.
    pub async fn open(&self) -> Loaded {
        let token = Service::token_of(self.create().await);
        let body = self.load(&token).await.ok();
        Loaded { token, body }
    }

    /// `POST /web/ingest` from the customer's page.
    pub async fn ingest(&self, submission: &Value) -> Answer {
        self.send_from_its_page(self.service.request(Method::POST, "/web/ingest").json(submission)).await
    }

    /// Uploads a frame for a loaded session, and returns the body of its ingest. It does not use the upload URL,
    /// because that carries the service's time, which may differ from AWS's.
    pub async fn upload(&self, loaded: &Loaded, frame: &[u8]) -> Value {
        let (bucket, body) = (self.service.variable("UPLOADS_BUCKET"), ByteStream::from(frame.to_vec()));
        let put = Storage::of(self.service).s3.put_object().bucket(bucket).key(loaded.text("image_key")).body(body);
        put.send().await.unwrap();
        self.service.submission(loaded, frame)
    }

    /// Captures a frame and returns the response of the ingest.
    pub async fn capture(&self, frame: &[u8]) -> Answer {
        let submission = self.upload(&self.open().await, frame).await;
        self.ingest(&submission).await
    }

    /// `POST /validate` without an `Origin`.
    pub async fn validate(&self) -> Value {
        self.service.validate_with(json!({ "license_key": self.license_key }).to_string(), None).await.ok()
    }

    async fn send_from_its_page(&self, request: RequestBuilder) -> Answer {
        self.service.send(request.header("origin", PAGE).header("user-agent", SAFARI)).await
    }
}
