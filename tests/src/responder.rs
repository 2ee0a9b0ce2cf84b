//! An OCSP responder and a server of revocation lists on loopback, by `openssl`, for a claim certificate of the sandbox that
//! names them. The test controls what each says.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, StatusCode, header},
    routing::{get, post},
};
use lacre_domain::Environment;
use tokio::{net::TcpListener, task::AbortHandle};

use crate::{Service, openssl::Bench};

/// What a server says: in an OCSP response, or in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The certificate is not revoked.
    Good,
    /// The same, in a response that is current for this many minutes instead of 60.
    GoodFor(u8),
    /// "Good", signed a second after the request.
    Slow,
    /// "Good", in a list with a certificate that nobody signed with it.
    Stuffed,
    /// "Good" for this many days, in a list.
    GoodForDays(u8),
    /// The certificate was revoked.
    Revoked,
    /// "Good", signed by a certificate that is not for that.
    Forged,
    /// HTTP 503.
    Unavailable,
    /// A redirect to an address that would give a valid response.
    Redirects,
    /// A body that never ends.
    Endless,
    /// A body that is not a response.
    Garbage,
}

/// Both servers, which stop when this is dropped.
pub struct Responder {
    shared: Arc<Shared>,
    server: AbortHandle,
}

struct Shared {
    bench: Bench,
    serial: String,
    says: Mutex<Says>,
    lists: Mutex<Says>,
    asked: Mutex<usize>,
}

impl Drop for Responder {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The content type of a list.
const LIST: &str = "application/pkix-crl";

const ANSWERS: &str = "\
keyUsage=critical,digitalSignature
extendedKeyUsage=OCSPSigning
noCheck=ignored
authorityKeyIdentifier=keyid
";
const CLAIM: &str = "\
keyUsage=critical,digitalSignature
extendedKeyUsage=1.3.6.1.4.1.62558.2.1,emailProtection
authorityKeyIdentifier=keyid
subjectKeyIdentifier=none
";

impl Responder {
    /// Starts the servers, and puts a certificate that names them in force for the sandbox's claim key.
    pub async fn of(service: &Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let bench = Bench::open();
        bench.root("claim-root", "ec:P-256");
        bench.authority("claim-issuing", "ec:P-256", "claim-root");
        // A CA of the same name, with another key.
        bench.key("impostor", "ec:P-256");
        let usage = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
        bench.certificate("impostor", "/C=BR/O=ICP-Brasil/CN=claim-issuing", "claim-root", usage, 30);
        for (name, says) in [("responder", ANSWERS), ("stranger", "keyUsage=critical,digitalSignature\n")] {
            bench.key(name, "ec:P-256");
            bench.certificate(name, &format!("/C=BR/O=ICP-Brasil/CN={name}"), "claim-issuing", says, 30);
        }
        let mut chain = String::new();
        service
            .change_profile(Environment::Sandbox, |profile| {
                bench.write("before.pem", &profile.claim.chain_pem);
                chain = certified(&bench, &url);
                profile.claim.chain_pem.clone_from(&chain);
            })
            .await;
        let serial = bench.openssl("x509 -in claim.pem -noout -serial", &[]);
        let serial = serial.trim().trim_start_matches("serial=").to_owned();
        let shared = Shared {
            bench,
            serial,
            says: Mutex::new(Says::Good),
            lists: Mutex::new(Says::Good),
            asked: Mutex::default(),
        };
        let shared = Arc::new(shared);
        let router = Router::new()
            .route("/ocsp", post(answer))
            .route("/list.crl", get(list))
            .route(
                "/elsewhere",
                get(|State(shared): State<Arc<Shared>>| async move { reply(LIST, shared.list(Says::Good)) }).post(
                    |State(shared): State<Arc<Shared>>, query: Bytes| async move {
                        reply("application/ocsp-response", shared.respond(Says::Good, &query))
                    },
                ),
            )
            .with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() }).abort_handle();
        Self { shared, server }
    }

    /// Sets what the responder says from now on.
    pub fn says(&self, says: Says) {
        *self.shared.says.lock().unwrap() = says;
    }

    /// Sets what the lists say from now on.
    pub fn lists(&self, says: Says) {
        *self.shared.lists.lock().unwrap() = says;
    }

    /// Number of OCSP requests since the last call of this function.
    pub fn take_asked(&self) -> usize {
        std::mem::take(&mut self.shared.asked.lock().unwrap())
    }

    /// The root of the claim certificate, in PEM.
    pub fn root(&self) -> String {
        self.shared.bench.text("claim-root.pem")
    }
}

/// A certificate for the key of the certificate in `before.pem` that names both servers, with its issuer, in PEM.
fn certified(bench: &Bench, url: &str) -> String {
    bench.write("claim.pub", bench.openssl("x509 -in before.pem -noout -pubkey", &[]));
    // `-force_pubkey` puts the given key in the place of the request's.
    bench.key("request", "ec:P-256");
    bench.openssl("req -new -key request.key -out claim.csr", &["-subj", "/C=BR/O=Company/CN=Stapled"]);
    let servers = format!("authorityInfoAccess=OCSP;URI:{url}/ocsp\ncrlDistributionPoints=URI:{url}/list.crl\n");
    bench.write("claim.ext", format!("{CLAIM}{servers}"));
    let issuer = "-CA claim-issuing.pem -CAkey claim-issuing.key -CAcreateserial";
    let sign =
        format!("x509 -req -in claim.csr -force_pubkey claim.pub {issuer} -days 30 -extfile claim.ext -out claim.pem");
    bench.openssl(&sign, &[]);
    bench.chain(&["claim", "claim-issuing"])
}

impl Shared {
    /// The response of `openssl` to a request.
    fn respond(&self, says: Says, query: &[u8]) -> Bytes {
        self.bench.write("index.txt", self.entry(says));
        self.bench.write("query", query);
        let signer = if says == Says::Forged { "stranger" } else { "responder" };
        let minutes = says.minutes();
        let files = "-index index.txt -CA claim-issuing.pem -rother claim-issuing.pem -reqin query -respout answer";
        self.bench.openssl(&format!("ocsp {files} -rsigner {signer}.pem -rkey {signer}.key -nmin {minutes}"), &[]);
        self.bench.read("answer").into()
    }

    /// The list of the claim certificate's issuer, or of another CA of the same name.
    fn list(&self, says: Says) -> Bytes {
        let issuer = if says == Says::Forged { "impostor" } else { "claim-issuing" };
        let list = self.bench.revocation_list(issuer, &self.entry(says), says.minutes());
        if says == Says::Stuffed { stuffed(&list).into() } else { list.into() }
    }

    /// The line about the claim certificate in the database of `openssl ca`.
    fn entry(&self, says: Says) -> String {
        let (state, revoked) = if says == Says::Revoked { ("R", "260101000000Z,keyCompromise") } else { ("V", "") };
        format!("{state}\t400101000000Z\t{revoked}\t{}\tunknown\t/CN=Stapled\n", self.serial)
    }
}

/// A list in DER to which the field of certificates is added that only OCSP responses have, without a certificate.
fn stuffed(list: &[u8]) -> Vec<u8> {
    assert_eq!(list[..2], [0x30, 0x82], "a length of two bytes");
    let content = [&list[4..], &[0xA0, 2, 0x30, 0]].concat();
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
    [&[0x30, 0x82][..], &length, &content].concat()
}

impl Says {
    /// For how many minutes it is current.
    fn minutes(self) -> u32 {
        match self {
            Self::GoodFor(minutes) => minutes.into(),
            Self::GoodForDays(days) => u32::from(days) * 24 * 60,
            _ => 60,
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, headers: HeaderMap, query: Bytes) -> Response<Body> {
    *shared.asked.lock().unwrap() += 1;
    assert_eq!(headers[header::CONTENT_TYPE], "application/ocsp-request");
    let says = *shared.says.lock().unwrap();
    if says == Says::Slow {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
    respond(says, "application/ocsp-response", || shared.respond(says, &query))
}

async fn list(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let says = *shared.lists.lock().unwrap();
    respond(says, LIST, || shared.list(says))
}

/// The response of a server, with this content if it has any of its own.
fn respond(says: Says, content_type: &str, content: impl FnOnce() -> Bytes) -> Response<Body> {
    let with_status = |status: StatusCode| Response::builder().status(status);
    match says {
        Says::Unavailable => with_status(StatusCode::SERVICE_UNAVAILABLE).body(Body::empty()).unwrap(),
        Says::Redirects => {
            let elsewhere = with_status(StatusCode::TEMPORARY_REDIRECT).header(header::LOCATION, "/elsewhere");
            elsewhere.body(Body::empty()).unwrap()
        }
        Says::Endless => {
            let endless = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![0x30; 4096])));
            with_status(StatusCode::OK).body(Body::from_stream(endless)).unwrap()
        }
        Says::Garbage => reply(content_type, Bytes::from_static(b"\x30\x03\x02\x01\x00 and more")),
        _ => reply(content_type, content()),
    }
}

fn reply(content_type: &str, content: Bytes) -> Response<Body> {
    Response::builder().header(header::CONTENT_TYPE, content_type).body(content.into()).unwrap()
}
