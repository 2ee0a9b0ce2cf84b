//! One capture, made like a client makes it according to `docs/reference/api.md`.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::{
    CreateSession, CreatedSession, IngestRequest, IngestedPhoto, LicenseVerdict, LoadedSession, OptionalClaims,
    SessionResults, ValidateRequest, headers,
};
use lacre_domain::{Clock, Environment, FrameHash, SessionToken, clock::epoch_millis};
use lacre_verify::{Requirements, Revocations, Verdict, check_with};
use reqwest::{RequestBuilder, header};

use crate::{Addresses, Failure, Step, client::Client, frame, keys::Keys};

/// The `reference_id` by which operators find the canary's captures.
const REFERENCE: &str = "canary";
const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                     Version/18.5 Mobile/15E148 Safari/604.1";

/// What a capture of one run needs.
pub(crate) struct Capture<'a> {
    pub(crate) client: &'a Client,
    pub(crate) addresses: &'a Addresses,
    pub(crate) keys: &'a Keys,
    pub(crate) clock: &'a dyn Clock,
}

impl Capture<'_> {
    /// Makes the capture, and verifies the photo and manifest that it returns.
    pub(crate) async fn make_and_verify(&self) -> Result<(), Failure> {
        let frame = frame::fresh();
        let hash = FrameHash::of(&frame);
        let token = self.create().await?;
        self.validate().await?;
        let loaded = self.load(&token).await?;
        self.upload(&loaded, frame).await?;
        let photo = self.ingest(&token, &loaded, &hash).await?;
        let manifest_url = self.results(&token, &hash).await?;
        let manifest = self.client.bytes(Step::Manifest, self.client.http.get(manifest_url)).await?;
        self.verify(&photo, &manifest, &hash).map_err(|cause| Failure::of(Step::Verify, cause))
    }

    async fn create(&self) -> Result<SessionToken, Failure> {
        let license_key = self.keys.license_key.expose().into();
        let body = CreateSession { reference_id: REFERENCE.into(), license_key };
        let request = self.client.http.post(self.base("/web/sessions")).json(&body);
        let request = request.header(headers::API_KEY, self.keys.api_key.expose());
        let CreatedSession { token, .. } = self.client.json(Step::Create, request).await?;
        SessionToken::parse(token.as_str()).ok_or_else(|| Failure::of(Step::Create, "the response has no valid token"))
    }

    async fn validate(&self) -> Result<(), Failure> {
        let request = self.client.http.post(format!("{}/validate", self.addresses.license_url));
        let body = ValidateRequest { license_key: self.keys.license_key.expose().into() };
        let verdict: LicenseVerdict = self.client.json(Step::Validate, self.as_page_sends(request).json(&body)).await?;
        verdict.is_valid().then_some(()).ok_or_else(|| Failure::of(Step::Validate, "the license is not valid"))
    }

    async fn load(&self, token: &SessionToken) -> Result<LoadedSession, Failure> {
        let request = self.client.http.get(self.base(&format!("/web/sessions/{}", token.expose())));
        self.client.json(Step::Load, self.as_page_sends(request)).await
    }

    async fn upload(&self, loaded: &LoadedSession, frame: Vec<u8>) -> Result<(), Failure> {
        let mut request = self.as_page_sends(self.client.http.put(loaded.upload_url.as_str())).body(frame);
        for (name, value) in &loaded.upload_headers {
            request = request.header(name, value);
        }
        self.client.bytes(Step::Upload, request).await.map(drop)
    }

    /// Submits the frame, and returns the signed photo.
    async fn ingest(&self, token: &SessionToken, loaded: &LoadedSession, hash: &FrameHash) -> Result<Vec<u8>, Failure> {
        let later_frame = || hex::encode(lacre_storage::entropy::<32>()).into();
        let body = IngestRequest {
            token: token.expose().into(),
            nonce: loaded.nonce.clone(),
            photo_order: loaded.photo_order,
            image_key: loaded.image_key.clone(),
            frame_hash: hash.hex().into(),
            extra_frame_hashes: vec![later_frame(), later_frame()],
            gps_lat: -23.55052,
            gps_lon: -46.633308,
            gps_accuracy: 12.5,
            captured_at_ms: epoch_millis(self.clock.now()),
            optional: OptionalClaims::default(),
        };
        let request = self.as_page_sends(self.client.http.post(self.base("/web/ingest"))).json(&body);
        let IngestedPhoto { signed_image_base64, .. } = self.client.json(Step::Ingest, request).await?;
        STANDARD.decode(signed_image_base64).map_err(|_| Failure::of(Step::Ingest, "the photo is not in base64"))
    }

    /// Fetches the results as the backend does, and returns the manifest's URL.
    async fn results(&self, token: &SessionToken, hash: &FrameHash) -> Result<String, Failure> {
        let request = self.client.http.get(self.base(&format!("/web/session-results/{}", token.expose())));
        let SessionResults { photos, .. } = self.client.json(Step::Results, request).await?;
        let ours =
            photos.into_iter().filter_map(|photo| photo.capture).find(|photo| photo.frame_hash_hex == hash.hex());
        let ours = ours.ok_or_else(|| Failure::of(Step::Results, "the results do not contain the photo"))?;
        ours.manifest_url.map(|url| url.0).ok_or_else(|| Failure::of(Step::Results, "the photo has no manifest"))
    }

    fn verify(&self, photo: &[u8], manifest: &[u8], hash: &FrameHash) -> Result<(), String> {
        let (none, required) = (Revocations::default(), Requirements::of(Environment::Sandbox));
        let Verdict { report, contents } = check_with(photo, &self.keys.roots, &none, &required, self.clock.now());
        if !report.valid {
            let failed = report.checks.iter().filter(|check| !check.holds).map(|check| check.name);
            return Err(format!("these checks fail: {}", failed.collect::<Vec<_>>().join(", ")));
        }
        if report.environment != Some(Environment::Sandbox) {
            return Err("the proof belongs to another environment".into());
        }
        if report.frame_hash.as_ref() != Some(hash) {
            return Err("the proof belongs to another frame".into());
        }
        match contents.is_some_and(|contents| contents.manifest == manifest) {
            true => Ok(()),
            false => Err("the manifest is not the photo's".into()),
        }
    }

    fn base(&self, path: &str) -> String {
        format!("{}{path}", self.addresses.base_url)
    }

    /// Adds the headers that the page on a phone would send.
    fn as_page_sends(&self, request: RequestBuilder) -> RequestBuilder {
        request.header(header::ORIGIN, self.keys.origin.to_string()).header(header::USER_AGENT, PHONE)
    }
}
