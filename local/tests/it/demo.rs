//! Tests the demo's backend with its own page, and that other pages cannot use it.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU8, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use jpeg_encoder::{ColorType, Encoder};
use lacre_domain::{Environment, FrameHash};
use lacre_proof::Cnpj;
use lacre_verify::{LogEvidence, Outcome, Requirements, Revocations, check_with};
use local::{Options, Service};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A desktop browser with the demo page open.
struct Page {
    service: Service,
    http: Client,
}

impl Page {
    async fn open() -> Self {
        Self::open_with(Options::default()).await
    }

    async fn open_with(options: Options) -> Self {
        let service = Service::start(options).await.unwrap();
        let http = Client::builder().user_agent("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0").build().unwrap();
        Self { service, http }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.service.demo_url()))
    }

    async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).header("sec-fetch-site", "same-origin").send().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> Response {
        self.post_from(self.service.demo_url(), path, body).await
    }

    /// Sends a photo that the page holds to be verified.
    async fn verify(&self, token: &str, photo: Vec<u8>) -> Response {
        let request = self.request(Method::POST, "/verify").header("origin", self.service.demo_url());
        request.header("x-session-token", token).body(photo).send().await.unwrap()
    }

    async fn post_from(&self, origin: &str, path: &str, body: &Value) -> Response {
        self.request(Method::POST, path).header("origin", origin).json(body).send().await.unwrap()
    }

    /// Waits for the proof that the session's photo is in the public log, which follows the capture.
    async fn log_proof(&self, token: &str) -> Vec<u8> {
        for _ in 0..300 {
            let shown = ok(self.post("/result", &json!({ "token": token })).await).await;
            if let Some(proof) = shown["results"]["photos"][0]["transparency_proof"].as_str() {
                return proof.into();
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("no proof in half a minute")
    }

    /// Captures one photo with the simulated phone. Returns the session token and the frame.
    async fn capture(&self, policy: &str) -> (String, Vec<u8>) {
        let (token, frame, _) = self.capture_with_receipt(policy).await;
        (token, frame)
    }

    /// Like `capture`, but also returns the response of the ingest.
    async fn capture_with_receipt(&self, policy: &str) -> (String, Vec<u8>, Value) {
        let session = ok(self.post("/sessions", &json!({ "policy": policy })).await).await;
        let token = session["token"].as_str().unwrap().to_owned();
        let loaded = ok(self.get(&format!("/phone/web/sessions/{token}")).await).await;
        let frame = frame();
        let upload = self.http.put(loaded["upload_url"].as_str().unwrap()).header("content-type", "image/jpeg");
        assert_eq!(upload.body(frame.clone()).send().await.unwrap().status(), StatusCode::OK);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let submission = json!({
            "token": token, "nonce": loaded["nonce"], "photo_order": 1, "image_key": loaded["image_key"],
            "frame_hash": FrameHash::of(&frame).hex(),
            "extra_frame_hashes": [FrameHash::of(b"second").hex(), FrameHash::of(b"third").hex()],
            "gps_lat": -23.5505, "gps_lon": -46.6333, "gps_accuracy": 12.5,
            "captured_at_ms": u64::try_from(now.as_millis()).unwrap(), "label": "Frente",
        });
        let receipt = ok(self.post("/phone/web/ingest", &submission).await).await;
        (token, frame, receipt)
    }
}

pub(crate) async fn ok(response: Response) -> Value {
    let status = response.status();
    let body = response.text().await.unwrap();
    assert_eq!(status, StatusCode::OK, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// `results` without the query strings of presigned URLs, which contain the time of signing.
fn unsigned(results: &Value) -> Value {
    let mut results = results.clone();
    let url = results["photos"][0]["manifest_url"].as_str().unwrap().split_once('?').unwrap().0.to_owned();
    results["photos"][0]["manifest_url"] = json!(url);
    results
}

/// A small photo with different bytes each time.
pub(crate) fn frame() -> Vec<u8> {
    static TAKEN: AtomicU8 = AtomicU8::new(0);
    let taken = TAKEN.fetch_add(40, Ordering::Relaxed);
    let pixel = |i: usize| [(i % 320) as u8, (i / 320) as u8, ((i >> 8) as u8).wrapping_add(taken)];
    let samples: Vec<u8> = (0..320 * 240).flat_map(pixel).collect();
    let mut jpeg = Vec::new();
    Encoder::new(&mut jpeg, 90).encode(&samples, 320, 240, ColorType::Rgb).unwrap();
    jpeg
}

#[tokio::test]
async fn shows_and_downloads_a_kept_photo() {
    let page = Page::open().await;
    let (token, frame) = page.capture("ALWAYS").await;

    let shown = ok(page.post("/result", &json!({ "token": token })).await).await;
    assert_eq!(shown["results"]["status"], "captured");
    assert_eq!(shown["results"]["photos"][0]["label"], "Frente");
    let report = &shown["report"];
    assert_eq!((&report["outcome"], &report["environment"]), (&json!("accepted"), &json!("SANDBOX")), "{report}");
    assert_eq!((&report["valid"], &report["required_environment"]), (&json!(true), &json!("SANDBOX")), "{report}");
    assert_eq!(report["browser"]["photo_label"], "Frente");
    assert_eq!(report["frame_hash"], json!(FrameHash::of(&frame).hex()));

    let photo = page.post("/photo", &json!({ "token": token })).await;
    assert_eq!(photo.status(), StatusCode::OK);
    assert_eq!(photo.headers()["content-type"], "image/jpeg");
    assert_eq!(photo.headers()["content-disposition"], "attachment; filename=\"foto-autenticada.jpg\"");
    let photo = photo.bytes().await.unwrap();
    let anchors = lacre_proof::Anchors::from_pem(page.service.trust_anchors_pem()).unwrap();
    let seal_holder = page.service.variables().into_iter().find(|(name, _)| name == "SEAL_HOLDER").unwrap().1;
    let requirements =
        Requirements { seal_holder: Cnpj::parse(&seal_holder).ok(), ..Requirements::of(Environment::Sandbox) };
    let now = SystemTime::now().into();
    let verdict = check_with(&photo, &anchors, &Revocations::default(), &requirements, now);
    assert_eq!(verdict.report.outcome, Outcome::Accepted, "{}", verdict.report);
    assert_eq!(report["checks"], json!(verdict.report.checks), "the page shows all of them");
    assert_eq!(verdict.contents.unwrap().frame, frame);
}

/// The manifest in the photo has the digest that the service records.
#[tokio::test]
async fn only_its_own_log_proof_holds() {
    let page = Page::open_with(Options { follows_streams: true, ..Options::default() }).await;
    let (token, _) = page.capture("ALWAYS").await;
    let (another, _) = page.capture("ALWAYS").await;
    let photo = page.post("/photo", &json!({ "token": token })).await.bytes().await.unwrap();
    let anchors = lacre_proof::Anchors::from_pem(page.service.trust_anchors_pem()).unwrap();
    for (proof, outcome) in
        [(page.log_proof(&token).await, Outcome::NotPinned), (page.log_proof(&another).await, Outcome::Refused)]
    {
        let log = Some(LogEvidence::new(proof, page.service.log_key().parse().unwrap()));
        let requirements = Requirements { log, ..Requirements::of(Environment::Sandbox) };
        let now = SystemTime::now().into();
        let report = check_with(&photo, &anchors, &Revocations::default(), &requirements, now).report;
        assert_eq!(report.outcome, outcome, "{report}");
        assert_eq!(report.transparency_log.is_some(), outcome == Outcome::NotPinned, "{report}");
    }
}

#[tokio::test]
async fn unretained_photos_have_only_a_manifest() {
    let page = Page::open().await;
    let (token, _) = page.capture("NEVER").await;

    let shown = ok(page.post("/result", &json!({ "token": token })).await).await;
    assert_eq!(shown["report"], Value::Null);
    let photo = &shown["results"]["photos"][0];
    assert_eq!(photo["authenticated_jpeg_url"], Value::Null);
    let manifest = page.http.get(photo["manifest_url"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(manifest.status(), StatusCode::OK);

    let refused = page.post("/photo", &json!({ "token": token })).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    assert_eq!(refused.json::<Value>().await.unwrap(), json!({ "error": "O serviço não guardou esta foto" }));
}

#[tokio::test]
async fn checks_unkept_photos_of_the_page() {
    let page = Page::open().await;
    let signed = |receipt: &Value| STANDARD.decode(receipt["signed_image_base64"].as_str().unwrap()).unwrap();
    let (token, frame, receipt) = page.capture_with_receipt("NEVER").await;
    let photo = signed(&receipt);

    let shown = ok(page.verify(&token, photo.clone()).await).await;
    let result = ok(page.post("/result", &json!({ "token": token })).await).await;
    assert_eq!(unsigned(&shown["results"]), unsigned(&result["results"]));
    assert_eq!(shown["report"]["outcome"], "accepted", "{shown}");
    assert_eq!(shown["report"]["frame_hash"], json!(FrameHash::of(&frame).hex()));

    let mut changed = photo.clone();
    let middle = changed.len() - 100;
    changed[middle] ^= 1;
    for (spoiled, outcome) in [(changed, "refused"), (frame, "no_proof"), (Vec::new(), "no_proof")] {
        let report = ok(page.verify(&token, spoiled).await).await["report"].take();
        assert_eq!((&report["valid"], &report["outcome"]), (&json!(false), &json!(outcome)), "{report}");
    }

    let (other, _, receipt) = page.capture_with_receipt("NEVER").await;
    for (token, photo) in [(&other, photo), (&token, signed(&receipt))] {
        let refused = page.verify(token, photo).await;
        assert_eq!(refused.status(), StatusCode::CONFLICT);
        assert_eq!(refused.json::<Value>().await.unwrap(), json!({ "error": "A foto é de outra captura" }));
    }
    for unknown in ["", "token", "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b"] {
        let refused = page.verify(unknown, Vec::new()).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND);
        assert_eq!(refused.json::<Value>().await.unwrap(), json!({ "error": "Sessão não encontrada" }));
    }
    let largest = lacre_domain::limits::MAX_RESPONSE_BYTES;
    assert_eq!(page.verify(&token, vec![0; largest]).await.status(), StatusCode::OK);
    assert_eq!(page.verify(&token, vec![0; largest + 1]).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn sessions_disclose_no_api_key() {
    let page = Page::open().await;
    let keys = page.service.keys().clone();
    for (policy, license_key) in [("ALWAYS", &keys.license_key_always), ("NEVER", &keys.license_key)] {
        let session = ok(page.post("/sessions", &json!({ "policy": policy })).await).await;
        assert_eq!(session["license_key"], json!(license_key));
        let fields: BTreeSet<_> = session.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, BTreeSet::from(["expires_at", "license_key", "token"]));
    }
    let refused = page.post("/sessions", &json!({ "policy": "SOMETIMES" })).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);

    let config = ok(page.get("/config.json").await).await;
    assert_eq!(config["base_url"], json!(page.service.base_url()));
    assert_eq!(config["license_url"], json!(page.service.license_url()));
    assert!(!config.to_string().contains("svc_"), "{config}");
}

#[tokio::test]
async fn only_the_demo_uses_its_backend() {
    let page = Page::open().await;
    let (token, _) = page.capture("ALWAYS").await;
    let body = json!({ "policy": "ALWAYS", "token": token });
    let refusal = json!({ "error": "Só a página da demonstração pode pedir isto" });
    // DNS rebinding: a foreign DNS name that resolves to this machine also has the right port.
    let rebound = page.service.demo_url().replace("localhost", "evil.example");
    for path in ["/sessions", "/result", "/photo", "/verify"] {
        for origin in ["https://evil.example", "http://localhost:1", "null", &rebound] {
            let refused = page.post_from(origin, path, &body).await;
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{path} from {origin}");
            assert_eq!(refused.json::<Value>().await.unwrap(), refusal);
        }
        let nameless = page.request(Method::POST, path).json(&body).send().await.unwrap();
        assert_eq!(nameless.status(), StatusCode::FORBIDDEN);
    }
    let other_name = page.service.demo_url().replace("localhost", "127.0.0.1");
    assert_eq!(page.post_from(&other_name, "/sessions", &body).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn simulates_phones_only_for_the_demo() {
    let page = Page::open().await;
    let session = ok(page.post("/sessions", &json!({ "policy": "NEVER" })).await).await;
    let path = format!("/web/sessions/{}", session["token"].as_str().unwrap());
    let access = "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
    let refused = async |request: RequestBuilder| {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        response.json::<Value>().await.unwrap()
    };

    let direct = page.http.get(format!("{}{path}", page.service.base_url())).header("origin", page.service.demo_url());
    assert_eq!(refused(direct).await, json!({ "error": access }));
    for site in ["cross-site", "same-site", "none"] {
        let foreign = page.request(Method::GET, &format!("/phone{path}")).header("sec-fetch-site", site);
        assert_eq!(refused(foreign).await["block_reason"], "web_origin_not_allowed");
    }
    let foreign = page.request(Method::GET, &format!("/phone{path}")).header("origin", "https://evil.example");
    assert_eq!(refused(foreign).await["block_reason"], "web_origin_not_allowed");
    ok(page.get(&format!("/phone{path}")).await).await;
}

#[tokio::test]
async fn simulated_phones_reach_only_capture_routes() {
    let page = Page::open().await;
    let unknown = page.get("/phone/web/unknown").await;
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
    assert_eq!(unknown.text().await.unwrap(), r#"{"message":"Not Found"}"#);
    assert_eq!(page.get("/phone/validate").await.status(), StatusCode::NOT_FOUND);
    let create = page.post("/phone/web/sessions", &json!({ "policy": "NEVER" })).await;
    assert_eq!(create.status(), StatusCode::UNAUTHORIZED);
}

/// The page and the component work under the policies that an integrator's page needs.
#[tokio::test]
async fn serves_the_page_with_strict_policies() {
    let page = Page::open().await;
    for (path, kind, holds) in [
        ("/", "text/html", "<svc-camera"),
        ("/demo.js", "text/javascript", "svc-camera"),
        ("/demo.css", "text/css", "color-scheme"),
        ("/svc-camera/index.js", "text/javascript", "define.js"),
    ] {
        let response = page.get(path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(response.headers()["content-type"].to_str().unwrap().split(';').next(), Some(kind));
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert!(response.headers()["permissions-policy"].to_str().unwrap().contains("camera=(self)"));
        let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "), "{policy}");
        assert!(policy.ends_with("require-trusted-types-for 'script'"), "{policy}");
        for url in [page.service.base_url(), page.service.license_url()] {
            assert!(policy.contains(&url), "{policy}");
        }
        assert!(response.text().await.unwrap().contains(holds), "{path}");
    }
}

#[tokio::test]
async fn no_path_leaves_the_served_folders() {
    let page = Page::open().await;
    let address = page.service.demo_url().strip_prefix("http://").unwrap();
    for path in [
        "/../package.json",
        "/%2e%2e/package.json",
        "/..%2fpackage.json",
        "/svc-camera/../package.json",
        "/svc-camera/..%2f..%2fCargo.toml",
        "//etc/passwd",
        "/package.json",
    ] {
        // HTTP clients normalize such paths, so the request is written by hand.
        let mut connection = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn an_address_becomes_a_qr_code() {
    let page = Page::open().await;
    let code = page.get("/qr.svg?text=http%3A%2F%2Flocalhost%3A8702%2F").await;
    assert_eq!(code.status(), StatusCode::OK);
    assert_eq!(code.headers()["content-type"], "image/svg+xml");
    assert!(code.text().await.unwrap().contains("<svg"));
    let too_long = page.get(&format!("/qr.svg?text={}", "x".repeat(301))).await;
    assert_eq!(too_long.status(), StatusCode::BAD_REQUEST);
    assert_eq!(page.get("/qr.svg").await.status(), StatusCode::BAD_REQUEST);
}
