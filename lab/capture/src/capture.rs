//! A complete capture, as an integrator's backend and the component make it, with checks of the responses.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lacre_domain::FrameHash;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use crate::{Failure, accounts::PAGE};

const SAFARI: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1";

/// The reference of all sessions.
pub(crate) const REFERENCE: &str = "benchmark";

/// The steps of a capture, in order.
pub(crate) const STEPS: [&str; 5] = ["create", "load", "upload", "ingest", "results"];
/// Index of the ingest in [`STEPS`].
pub(crate) const INGEST: usize = 3;

/// A client of a service, under a license.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) base_url: String,
    pub(crate) license_key: String,
}

/// A session whose frame is uploaded and not yet ingested.
pub(crate) struct Uploaded {
    /// The session's token.
    token: String,
    /// The body of the ingest.
    pub(crate) submission: Value,
}

/// A capture that was delivered.
pub(crate) struct Captured {
    /// The session's token.
    pub(crate) token: String,
    /// The authenticated JPEG, in base64.
    pub(crate) jpeg: String,
    /// The duration of each of [`STEPS`].
    pub(crate) times: [Duration; STEPS.len()],
}

/// A copy of the picture with a unique hash, made by inserting a comment segment after the start of the image.
pub(crate) fn fresh(photo: &[u8]) -> Vec<u8> {
    let comment = lacre_storage::attempt_id();
    let length = (comment.len() as u16 + 2).to_be_bytes();
    let (start, rest) = photo.split_at(2);
    [start, &[0xff, 0xfe], &length, comment.as_bytes(), rest].concat()
}

impl Client {
    /// Captures a frame in a new session.
    pub(crate) async fn capture(&self, api_key: &str, frame: Vec<u8>) -> Result<Captured, Failure> {
        let hash = FrameHash::of(&frame).hex();
        let mut clock = Clock::start();
        let Uploaded { token, submission } = self.upload(api_key, frame, &hash, &mut clock).await?;
        let mut ingested = ok(self.ingest(&submission)).await?;
        clock.lap();
        let results = self.results(&token).await?;
        clock.lap();
        if results["photos"][0]["frame_hash_hex"] != hash || ingested["complete"] != true {
            return Err(format!("not captured: {results}").into());
        }
        let Value::String(jpeg) = ingested["signed_image_base64"].take() else { return Err("no JPEG".into()) };
        Ok(Captured { token, jpeg, times: clock.laps })
    }

    /// Creates and loads a session, and uploads a frame with the given hash.
    pub(crate) async fn upload(
        &self,
        api_key: &str,
        frame: Vec<u8>,
        hash: &str,
        clock: &mut Clock,
    ) -> Result<Uploaded, Failure> {
        let token = self.create(api_key).await?;
        clock.lap();
        let loaded = ok(on_page(self.get(&format!("/web/sessions/{token}")))).await?;
        clock.lap();
        let upload = self.http.put(text(&loaded, "upload_url")?).header("content-type", "image/jpeg").body(frame);
        whole(upload).await?;
        clock.lap();
        Ok(Uploaded { submission: submission(&token, &loaded, hash)?, token })
    }

    /// The request that ingests an upload.
    pub(crate) fn ingest(&self, submission: &Value) -> RequestBuilder {
        on_page(self.http.post(format!("{}/web/ingest", self.base_url)).json(submission))
    }

    /// The results of a session.
    pub(crate) async fn results(&self, token: &str) -> Result<Value, Failure> {
        ok(self.get(&format!("/web/session-results/{token}"))).await
    }

    async fn create(&self, api_key: &str) -> Result<String, Failure> {
        let order = json!({ "reference_id": REFERENCE, "license_key": self.license_key });
        let create = self.http.post(format!("{}/web/sessions", self.base_url)).header("x-api-key", api_key);
        Ok(text(&ok(create.json(&order)).await?, "token")?.to_owned())
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(format!("{}{path}", self.base_url))
    }
}

/// Sends a request as the component does.
fn on_page(request: RequestBuilder) -> RequestBuilder {
    request.header("origin", PAGE).header("user-agent", SAFARI)
}

fn submission(token: &str, loaded: &Value, hash: &str) -> Result<Value, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as u64;
    Ok(json!({
        "token": token,
        "nonce": loaded["nonce"],
        "photo_order": loaded["photo_order"],
        "image_key": loaded["image_key"],
        "frame_hash": hash,
        "extra_frame_hashes": [FrameHash::of(b"second").hex(), FrameHash::of(b"third").hex()],
        "gps_lat": -23.5505, "gps_lon": -46.6333, "gps_accuracy": 12.5, "heading": 211.5,
        "captured_at_ms": now,
        "user_agent": SAFARI,
    }))
}

/// The JSON of a response, which must be successful.
pub(crate) async fn ok(request: RequestBuilder) -> Result<Value, Failure> {
    Ok(whole(request).await?.json().await?)
}

async fn whole(request: RequestBuilder) -> Result<Response, Failure> {
    let response = request.send().await?;
    match response.status().as_u16() {
        200 => Ok(response),
        status => Err(format!("{}: {status} {}", response.url().path().to_owned(), response.text().await?).into()),
    }
}

pub(crate) fn text<'a>(body: &'a Value, name: &str) -> Result<&'a str, Failure> {
    Ok(body[name].as_str().ok_or_else(|| format!("no {name}"))?)
}

/// Measures the duration of consecutive steps.
pub(crate) struct Clock {
    begun: Instant,
    laps: [Duration; STEPS.len()],
    done: usize,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { begun: Instant::now(), laps: Default::default(), done: 0 }
    }

    fn lap(&mut self) {
        if let Some(lap) = self.laps.get_mut(self.done) {
            *lap = self.begun.elapsed();
        }
        (self.begun, self.done) = (Instant::now(), self.done + 1);
    }
}
