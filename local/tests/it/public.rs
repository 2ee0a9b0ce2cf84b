//! Tests the port for phones, behind a TLS-terminating tunnel and on the local network: both flows, and attacks by
//! strangers.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use aws_sdk_s3::{
    config::{BehaviorVersion, Credentials, Region},
    primitives::ByteStream,
};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::HeaderMap,
    response::{IntoResponse, Response as Answer},
};
use lacre_domain::{FrameHash, Origin};
use local::{Aws, Options, Public, ServerName, Service, Storage};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName as TlsName},
    },
};

use crate::demo::{frame, ok};

const HOST: &str = "phone.example";
const ORIGIN: &str = "https://phone.example";
const PHONE: &str =
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";

fn proxied() -> Options {
    Options { public: Some(Public::Proxied(Origin::parse(ORIGIN).unwrap())), ..Options::default() }
}

/// Which `Host` a tunnel forwards.
#[derive(Clone, Copy)]
enum HandedOn {
    /// The host that the phone sent.
    AsSent,
    /// The host of the tunnel's own connection.
    OfThePort,
}

/// A phone that reaches the service through a tunnel.
struct Phone {
    service: Service,
    tunnel: String,
    http: Client,
}

impl Phone {
    async fn behind_a_tunnel(host: HandedOn) -> Self {
        let service = Service::start(proxied()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let tunnel = format!("http://{}", listener.local_addr().unwrap());
        let (http, port) = (Client::new(), service.tunnel_target().unwrap());
        let router = Router::new().fallback(move |request| hand_on(http.clone(), port.clone(), host, request));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let http = Client::builder().user_agent(PHONE).build().unwrap();
        Self { service, tunnel, http }
    }

    /// A request to the tunnel as a page of this origin sends it: `Origin` only with a POST.
    fn request(&self, method: Method, url: &str) -> RequestBuilder {
        let path = url.strip_prefix(ORIGIN).unwrap_or_else(|| panic!("{url} leads elsewhere"));
        let request = self.http.request(method.clone(), format!("{}{path}", self.tunnel)).header("host", HOST);
        let request = request.header("sec-fetch-site", "same-origin");
        if method == Method::GET { request } else { request.header("origin", ORIGIN) }
    }

    async fn get(&self, url: &str) -> Response {
        self.request(Method::GET, url).send().await.unwrap()
    }

    async fn post(&self, url: &str, body: &Value) -> Response {
        self.request(Method::POST, url).json(body).send().await.unwrap()
    }

    /// Loads a session, uploads a frame and submits it.
    async fn capture(&self, base_url: &str, token: &str) -> (Vec<u8>, Value) {
        let loaded = ok(self.get(&format!("{base_url}/web/sessions/{token}")).await).await;
        let frame = frame();
        let upload = self.request(Method::PUT, loaded["upload_url"].as_str().unwrap());
        let uploaded = upload.header("content-type", "image/jpeg").body(frame.clone()).send().await.unwrap();
        assert_eq!(uploaded.status(), StatusCode::OK, "{}", uploaded.text().await.unwrap());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let submission = json!({
            "token": token, "nonce": loaded["nonce"], "photo_order": 1, "image_key": loaded["image_key"],
            "frame_hash": FrameHash::of(&frame).hex(),
            "extra_frame_hashes": [FrameHash::of(b"second").hex(), FrameHash::of(b"third").hex()],
            "gps_lat": -23.5505, "gps_lon": -46.6333, "gps_accuracy": 12.5,
            "captured_at_ms": u64::try_from(now.as_millis()).unwrap(), "label": "Frente",
        });
        let receipt = ok(self.post(&format!("{base_url}/web/ingest"), &submission).await).await;
        (frame, receipt)
    }

    async fn bytes(&self, url: &Value) -> Vec<u8> {
        let response = self.get(url.as_str().unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.bytes().await.unwrap().into()
    }
}

async fn hand_on(http: Client, port: String, host: HandedOn, request: Request) -> Answer {
    let (head, body) = request.into_parts();
    let mut headers: HeaderMap = head.headers;
    if matches!(host, HandedOn::OfThePort) {
        headers.remove(header::HOST);
    }
    headers.insert("x-forwarded-proto", "https".parse().unwrap());
    headers.insert("x-forwarded-host", HOST.parse().unwrap());
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let answer = http.request(head.method, format!("{port}{}", head.uri)).headers(headers).body(body);
    let answer = answer.send().await.unwrap();
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    headers.remove(header::TRANSFER_ENCODING);
    (status, headers, Body::from(answer.bytes().await.unwrap())).into_response()
}

#[tokio::test]
async fn captures_by_the_api_behind_tunnels() {
    for host in [HandedOn::AsSent, HandedOn::OfThePort] {
        let phone = Phone::behind_a_tunnel(host).await;
        let (base_url, keys) = (format!("{ORIGIN}/api"), phone.service.keys().clone());
        let create =
            phone.request(Method::POST, &format!("{base_url}/web/sessions")).header("x-api-key", &keys.api_key);
        let body = json!({ "reference_id": "claim 1", "license_key": keys.license_key_always });
        let session = ok(create.json(&body).send().await.unwrap()).await;
        let license = json!({ "license_key": keys.license_key_always });
        let verdict = ok(phone.post(&format!("{base_url}/validate"), &license).await).await;
        assert_eq!(verdict["valid"], true, "{verdict}");

        let token = session["token"].as_str().unwrap();
        let (frame, receipt) = phone.capture(&base_url, token).await;
        let results = ok(phone.get(&format!("{base_url}/web/session-results/{token}")).await).await;
        let photo = &results["photos"][0];
        assert_eq!(photo["frame_hash_hex"], json!(FrameHash::of(&frame).hex()));
        let signed = phone.bytes(&photo["authenticated_jpeg_url"]).await;
        let session_id = receipt["session_id"].as_str().unwrap();
        let image = ok(phone.get(&format!("{base_url}/web/image/{session_id}")).await).await;
        assert_eq!(phone.bytes(&image["authenticated_jpeg_url"]).await, signed);
        assert!(!phone.bytes(&photo["manifest_url"]).await.is_empty());
        assert!(!phone.bytes(&receipt["manifest_url"]).await.is_empty());
    }
}

#[tokio::test]
async fn both_flows_capture_behind_a_tunnel() {
    let phone = Phone::behind_a_tunnel(HandedOn::OfThePort).await;
    let demo = phone.service.public_url().unwrap();
    assert_eq!(demo, format!("{ORIGIN}/demo/"));
    let config = ok(phone.get(&format!("{demo}config.json")).await).await;
    let api = format!("{ORIGIN}/api");
    assert_eq!(config, json!({ "base_url": api, "license_url": api, "upload_url": ORIGIN }));

    let session = ok(phone.post(&format!("{demo}sessions"), &json!({ "policy": "ALWAYS" })).await).await;
    let token = session["token"].as_str().unwrap();
    phone.capture(&api, token).await;
    let shown = ok(phone.post(&format!("{demo}result"), &json!({ "token": token })).await).await;
    assert_eq!(shown["report"]["valid"], true, "{shown}");
    let photo = phone.post(&format!("{demo}photo"), &json!({ "token": token })).await;
    assert_eq!(photo.headers()["content-type"], "image/jpeg");

    let created = ok(phone.post(&format!("{demo}hosted-sessions"), &json!({ "profile": "demo" })).await).await;
    let link = created["link"].as_str().unwrap();
    let token = link.strip_prefix(&format!("{ORIGIN}/?token=")).unwrap();
    let page = phone.get(link).await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains(&format!("connect-src 'self' {ORIGIN};")), "{policy}");
    let loaded = ok(phone.get(&format!("{ORIGIN}/web/sessions/{token}")).await).await;
    let redirect = loaded["redirect_uri"].as_str().unwrap();
    assert!(redirect.starts_with(&demo), "{redirect}");
    phone.capture(ORIGIN, token).await;
    let results = ok(phone.post(&format!("{demo}hosted-results"), &json!({ "token": token })).await).await;
    assert_eq!(results["status"], "captured");
    assert!(!phone.bytes(&results["photos"][0]["authenticated_jpeg_url"]).await.is_empty());
}

#[tokio::test]
async fn serves_the_files_of_the_pages() {
    let phone = Phone::behind_a_tunnel(HandedOn::AsSent).await;
    for (path, holds) in [
        ("/demo", "<svc-camera"),
        ("/demo/", "svc-camera/index.js"),
        ("/demo/backend.js", "config.json"),
        ("/demo/svc-camera/index.js", "define.js"),
        ("/demo/qr.svg?text=x", "<svg"),
        ("/", "/assets/"),
    ] {
        let response = phone.get(&format!("{ORIGIN}{path}")).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert!(response.text().await.unwrap().contains(holds), "{path}");
    }
}

#[tokio::test]
async fn accepts_public_origins_only_while_configured() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(folder.path().join("data"));
    for (public, expected) in
        [(proxied().public, StatusCode::OK), (None, StatusCode::FORBIDDEN), (proxied().public, StatusCode::OK)]
    {
        let options = Options { aws: Aws::StandIns(storage.clone()), public, ..Options::default() };
        let service = Service::start(options).await.unwrap();
        let keys = service.keys();
        let create = Client::new().post(format!("{}/web/sessions", service.base_url()));
        let body = json!({ "reference_id": "claim 1", "license_key": keys.license_key });
        let session = ok(create.header("x-api-key", &keys.api_key).json(&body).send().await.unwrap()).await;
        let load = format!("{}/web/sessions/{}", service.base_url(), session["token"].as_str().unwrap());
        let load = Client::new().get(load).header("user-agent", PHONE);
        assert_eq!(load.header("origin", ORIGIN).send().await.unwrap().status(), expected);
        drop(service);
        storage.closed().await;
    }
}

/// Sends a raw request and returns the status line.
async fn status_of(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A server that rejects a request may close the connection before everything is read.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

/// The routes that strangers may reach are those of both flows and the demo, and none of operators or of AWS.
#[tokio::test]
async fn strangers_reach_neither_operators_nor_aws() {
    let service = Service::start(proxied()).await.unwrap();
    let port = service.tunnel_target().unwrap().strip_prefix("http://").unwrap().to_owned();
    let variables = service.variables();
    let variable = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).unwrap().1.clone();
    let inner: Vec<_> = ["ADMIN_URL", "CONSOLE_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_DYNAMODB"]
        .map(|name| variable(name).split('/').nth(2).unwrap().to_owned())
        .into();
    let hosts = [HOST, &inner[0], &inner[2], "localhost"];

    let mut targets: Vec<(&str, String)> = Vec::new();
    for route in lacre_admin_api::Route::ALL {
        let path = route.path().replace(['{', '}'], "");
        targets.extend(["", "/api", "/demo"].map(|below| (route.method(), format!("{below}{path}"))));
    }
    let buckets = ["UPLOADS_BUCKET", "PROOFS_BUCKET", "EXPORT_BUCKET", "LOG_BUCKET"].map(variable);
    for bucket in &buckets {
        for method in ["GET", "PUT", "DELETE", "POST", "HEAD"] {
            for suffix in ["", "/", "?list-type=2", "/?uploads", "/?policy", "/?delete", "/sandbox/checkpoint"] {
                targets.push((method, format!("/{bucket}{suffix}")));
            }
        }
        targets.extend(["POST", "DELETE"].map(|method| (method, format!("/{bucket}/key.jpg"))));
    }
    let (uploads, proofs) = (&buckets[0], &buckets[1]);
    targets.push(("GET", format!("/{uploads}/key.jpg")));
    targets.push(("PUT", format!("/{proofs}/capture/attempt/photo.jpg")));
    targets.push(("OPTIONS", format!("/{uploads}/key.jpg")));
    targets.push(("OPTIONS", format!("/{proofs}/capture/attempt/photo.jpg")));
    for path in [
        "/open?code=1",
        "/api/open",
        "/published",
        "/api/published",
        "/phone/web/sessions",
        "/demo/phone/web/sessions",
        "/demo/webhook",
        "/webhook",
        "/service.env",
        "/demo/service.env",
        "/demo/../../target/local/service.env",
        "/demo/..%2f..%2fCargo.toml",
        "/demo/svc-camera/..%2f..%2fCargo.toml",
        "/demo/svc-camera/../../../Cargo.toml",
        "/api/../admin",
        "/api/%2e%2e/admin",
        "//lacre-uploads",
        "/%2flacre-uploads/key.jpg",
        "/lacre-proofs/../lacre-uploads/a/b",
        "/lacre-proofs/%2e%2e/lacre-export/a",
        "/lacre-proofs/a%2fb/c/d",
        "/lacre-uploads/..",
        "/lacre-uploads/.",
        "/log/sandbox/checkpoint",
        "/roots.pem",
        "*",
    ] {
        targets.extend(["GET", "POST", "PUT"].map(|method| (method, path.to_owned())));
    }
    // The request target and the method may also name another server.
    for host in &inner {
        targets.push(("GET", format!("http://{host}/admin/clients")));
        targets.push(("CONNECT", host.clone()));
    }

    for host in hosts {
        for (method, target) in &targets {
            // Headers and bodies by which DynamoDB, KMS, SNS and STS select the operation.
            let aws = "x-amz-target: DynamoDB_20120810.ListTables\r\ncontent-type: application/x-amz-json-1.0\r\n";
            let request = format!(
                "{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\norigin: {ORIGIN}\r\n{aws}\
                 content-length: 2\r\n\r\n{{}}"
            );
            let status = status_of(TcpStream::connect(&port).await.unwrap(), &request).await;
            // S3 implements `OPTIONS` only as preflight.
            let refusals = ["400", "401", "403", "404", "405", "501"];
            let refused = refusals.iter().any(|code| status.contains(&format!(" {code} ")));
            assert!(refused, "{method} {target} as {host}: {status}");
        }
    }
    let root = format!("POST / HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    assert!(status_of(TcpStream::connect(&port).await.unwrap(), &root).await.contains(" 404 "), "query APIs are at /");
}

/// Even with the functions' own key, a signature in a header or for another bucket gives no access.
#[tokio::test]
async fn a_signed_request_opens_no_bucket() {
    let service = Service::start(proxied()).await.unwrap();
    let port = service.tunnel_target().unwrap();
    let variables = service.variables();
    let variable = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).unwrap().1.clone();
    let client = |secret: &str, endpoint: &str| {
        let key = Credentials::new(variable("AWS_ACCESS_KEY_ID"), secret, None, None, "test");
        let config = aws_sdk_s3::Config::builder().behavior_version(BehaviorVersion::latest()).force_path_style(true);
        let config = config.region(Region::new(variable("AWS_REGION"))).credentials_provider(key);
        let http = aws_smithy_http_client::Builder::new().build_http();
        aws_sdk_s3::Client::from_conf(config.endpoint_url(endpoint).http_client(http).build())
    };
    let (uploads, proofs, key) = (variable("UPLOADS_BUCKET"), variable("PROOFS_BUCKET"), "capture/attempt/photo.jpg");
    let secret = variable("AWS_SECRET_ACCESS_KEY");
    let body = || ByteStream::from_static(b"x");
    let inside = client(&secret, &variable("AWS_ENDPOINT_URL_S3"));
    inside.put_object().bucket(&proofs).key(key).body(body()).send().await.unwrap();

    let outside = client(&secret, &port);
    assert!(outside.list_buckets().send().await.is_err());
    for bucket in [&uploads, &proofs] {
        assert!(outside.list_objects_v2().bucket(bucket).send().await.is_err());
        assert!(outside.delete_object().bucket(bucket).key(key).send().await.is_err());
    }
    assert!(outside.get_object().bucket(&proofs).key(key).send().await.is_err());
    assert!(outside.put_object().bucket(&proofs).key("a/b/c").body(body()).send().await.is_err());
    assert!(outside.put_object().bucket(&uploads).key("x.jpg").body(body()).send().await.is_err());

    // The key that an earlier version had in its source code.
    let known = client("local-role-secret", ORIGIN);
    let expiry = aws_sdk_s3::presigning::PresigningConfig::expires_in(std::time::Duration::from_secs(60)).unwrap();
    let forged = known.get_object().bucket(&proofs).key(key).presigned(expiry).await.unwrap();
    let forged = forged.uri().replace(ORIGIN, &port);
    assert_eq!(Client::new().get(forged).send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

/// A presigned upload URL writes only its object; headers cannot turn it into a copy of another.
#[tokio::test]
async fn an_upload_url_copies_no_object() {
    let phone = Phone::behind_a_tunnel(HandedOn::AsSent).await;
    let keys = phone.service.keys().clone();
    let base_url = format!("{ORIGIN}/api");
    let create = phone.request(Method::POST, &format!("{base_url}/web/sessions")).header("x-api-key", &keys.api_key);
    let body = json!({ "reference_id": "claim 1", "license_key": keys.license_key_always });
    let token = ok(create.json(&body).send().await.unwrap()).await["token"].as_str().unwrap().to_owned();
    let loaded = ok(phone.get(&format!("{base_url}/web/sessions/{token}")).await).await;
    let url = loaded["upload_url"].as_str().unwrap();
    let put = |url: &str| phone.request(Method::PUT, url).header("content-type", "image/jpeg");

    let other = url.replacen(".jpg", "0.jpg", 1);
    assert_eq!(put(&other).body("x").send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let too_large = put(url).body(vec![0; 8 * 1024 * 1024 + 1]).send().await.unwrap();
    assert_eq!(too_large.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let copied = put(url).header("x-amz-copy-source", "/lacre-proofs/a").body("mine").send().await.unwrap();
    assert_eq!(copied.status(), StatusCode::OK);
    let stored = lacre_storage::Uploads::new(phone.service.connection());
    let stored = stored.read(loaded["image_key"].as_str().unwrap()).await.unwrap();
    assert_eq!(stored, b"mine");
    assert_eq!(phone.get(url).await.status(), StatusCode::NOT_FOUND, "it is not for reading");
}

/// Requests from a page of another site to the demo's backend are refused.
#[tokio::test]
async fn other_sites_reach_no_demo_backend() {
    let phone = Phone::behind_a_tunnel(HandedOn::AsSent).await;
    let session = ok(phone.post(&format!("{ORIGIN}/demo/sessions"), &json!({ "policy": "NEVER" })).await).await;
    assert!(!session.to_string().contains(&phone.service.keys().api_key));
    for path in ["/demo/sessions", "/demo/hosted-sessions", "/demo/result", "/demo/photo"] {
        let other = phone.http.post(format!("{}{path}", phone.tunnel)).header("origin", "https://evil.example");
        let refused = other.json(&json!({ "policy": "NEVER", "profile": "demo", "token": session["token"] }));
        assert_eq!(refused.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{path}");
    }
    let load = format!("{}/api/web/sessions/{}", phone.tunnel, session["token"].as_str().unwrap());
    let cross_site = phone.http.get(&load).header("sec-fetch-site", "cross-site").send().await.unwrap();
    assert_eq!(cross_site.status(), StatusCode::FORBIDDEN);
    let other = phone.http.get(&load).header("origin", "https://evil.example").send().await.unwrap();
    assert_eq!(other.json::<Value>().await.unwrap()["block_reason"], "web_origin_not_allowed");
    // Safari before 16.4 sends no `Sec-Fetch-Site`.
    assert_eq!(phone.http.get(&load).send().await.unwrap().status(), StatusCode::FORBIDDEN);
    ok(phone.http.get(&load).header("x-svc-touch-points", "5").send().await.unwrap()).await;
}

/// A client that trusts the CA certificate that it downloaded from the trust page.
async fn trusting(service: &Service) -> TlsConnector {
    let trust = service.trust().unwrap();
    let page = reqwest::get(&trust.url).await.unwrap().text().await.unwrap();
    assert!(page.contains(&trust.fingerprint) && page.contains(&service.public_url().unwrap()), "{page}");
    let certificate = reqwest::get(format!("{}/lacre-authority.crt", trust.url)).await.unwrap();
    assert_eq!(certificate.headers()["content-type"], "application/x-x509-ca-cert");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(certificate.bytes().await.unwrap().to_vec())).unwrap();
    let config =
        ClientConfig::builder_with_provider(ring::default_provider().into()).with_safe_default_protocol_versions();
    TlsConnector::from(Arc::new(config.unwrap().with_root_certificates(roots).with_no_client_auth()))
}

#[tokio::test]
async fn serves_https_that_phones_can_trust() {
    let folder = tempfile::tempdir().unwrap();
    let public = || Public::Https { host: ServerName::parse("127.0.0.1"), directory: folder.path().join("https") };
    let service = Service::start(Options { public: Some(public()), ..Options::default() }).await.unwrap();
    let url = service.public_url().unwrap();
    let address = url.strip_prefix("https://").and_then(|url| url.strip_suffix("/demo/")).unwrap().to_owned();
    let request = format!("GET /demo/ HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    let connector = trusting(&service).await;
    // A client that stays silent during the handshake does not delay others.
    let _silent = TcpStream::connect(&address).await.unwrap();
    for name in ["127.0.0.1", "localhost"] {
        let name = TlsName::try_from(name).unwrap();
        let stream = connector.connect(name, TcpStream::connect(&address).await.unwrap()).await.unwrap();
        assert!(status_of(stream, &request).await.contains(" 200 "));
    }
    let other = TlsName::try_from("phone.example").unwrap();
    assert!(connector.connect(other, TcpStream::connect(&address).await.unwrap()).await.is_err());
    let admin = reqwest::get(format!("{}/admin/clients", service.trust().unwrap().url)).await.unwrap();
    assert_eq!(admin.status(), StatusCode::NOT_FOUND);

    let fingerprint = service.trust().unwrap().fingerprint.clone();
    drop(service);
    let again = Service::start(Options { public: Some(public()), ..Options::default() }).await.unwrap();
    assert_eq!(again.trust().unwrap().fingerprint, fingerprint, "a phone trusts the next start, too");
}
