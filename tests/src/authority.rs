//! A faulty timestamp authority: a proxy in front of the local authority whose responses the test controls.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{Response, StatusCode, header},
    routing::post,
};
use lacre_domain::{Environment, SignerProfile, Timestamping};
use lacre_storage::SignerProfiles;
use tokio::{net::TcpListener, task::AbortHandle};

use crate::{Service, TestClock, operator::entry};

/// How the authority responds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// With a valid timestamp.
    Honest,
    /// With a valid timestamp after a delay.
    Late(Duration),
    /// It never responds.
    Hangs,
    /// With HTTP 503.
    ServiceUnavailable,
    /// With a redirect to an address that would return a timestamp.
    Redirects,
    /// With a body that is not a timestamp response.
    Garbage,
    /// With a body that never ends.
    Endless,
    /// With an earlier timestamp, for another message.
    Replays,
    /// With a timestamp whose signature was changed.
    Forges,
    /// With a timestamp from a clock that is ahead by this much.
    Off(time::Duration),
}

/// A proxy in front of the authority, which stops when it is dropped.
pub struct Authority {
    url: String,
    proxy: Arc<Proxy>,
    server: AbortHandle,
}

struct Proxy {
    behind: String,
    clock: Arc<TestClock>,
    http: reqwest::Client,
    behavior: Mutex<Behavior>,
    asked: Mutex<usize>,
    first_answer: Mutex<Option<Bytes>>,
}

impl Drop for Authority {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Authority {
    /// Starts a proxy in front of the service's authority.
    pub async fn before(service: &Service) -> Self {
        let proxy = Arc::new(Proxy {
            behind: service.variable("TSA_URL").to_owned(),
            clock: Arc::clone(&service.clock),
            http: service.http.clone(),
            behavior: Mutex::new(Behavior::Honest),
            asked: Mutex::default(),
            first_answer: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/tsa", listener.local_addr().unwrap());
        let router = Router::new().route("/tsa", post(answer)).with_state(Arc::clone(&proxy));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() }).abort_handle();
        Self { url, proxy, server }
    }

    /// Its URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sets how it responds from now on.
    pub fn set_behavior(&self, behavior: Behavior) {
        *self.proxy.behavior.lock().unwrap() = behavior;
    }

    /// Number of requests since the last call of this function.
    pub fn take_asked(&self) -> usize {
        std::mem::take(&mut self.proxy.asked.lock().unwrap())
    }
}

impl Service {
    /// Changes the timestamp settings of an environment's signer profile, and returns the profile.
    pub async fn change_timestamps(
        &self,
        environment: Environment,
        change: impl FnOnce(&mut Option<Timestamping>),
    ) -> SignerProfile {
        self.change_profile(environment, |profile| change(&mut profile.timestamps)).await
    }

    /// Puts a changed signer profile of an environment in force, and returns it.
    pub async fn change_profile(
        &self,
        environment: Environment,
        change: impl FnOnce(&mut SignerProfile),
    ) -> SignerProfile {
        let profiles = SignerProfiles::new(self.connection());
        let before = profiles.state(environment).await.unwrap();
        let mut profile = before.profile.clone().unwrap();
        change(&mut profile);
        profile.version += 1;
        assert!(profiles.put_in_force(&before, &profile, &entry()).await.unwrap());
        profile
    }

    /// Sets the authorities of the sandbox, in this order.
    pub async fn ask(&self, authorities: &[&Authority]) {
        let addresses = authorities.iter().map(|authority| authority.url.clone()).collect();
        self.change_timestamps(Environment::Sandbox, |timestamps| timestamps.as_mut().unwrap().authorities = addresses)
            .await;
    }
}

async fn answer(State(proxy): State<Arc<Proxy>>, query: Bytes) -> Response<Body> {
    *proxy.asked.lock().unwrap() += 1;
    let behavior = *proxy.behavior.lock().unwrap();
    match behavior {
        Behavior::Honest => reply(proxy.ask(query).await),
        Behavior::Late(delay) => {
            tokio::time::sleep(delay).await;
            reply(proxy.ask(query).await)
        }
        Behavior::Hangs => std::future::pending().await,
        Behavior::ServiceUnavailable => with_status(StatusCode::SERVICE_UNAVAILABLE).body(Body::empty()).unwrap(),
        Behavior::Redirects => {
            let elsewhere = with_status(StatusCode::TEMPORARY_REDIRECT).header(header::LOCATION, &proxy.behind);
            elsewhere.body(Body::empty()).unwrap()
        }
        Behavior::Garbage => reply(Bytes::from_static(b"\x30\x03\x02\x01\x00 and more")),
        Behavior::Endless => {
            let endless = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![0x30; 4096])));
            with_status(StatusCode::OK).body(Body::from_stream(endless)).unwrap()
        }
        Behavior::Replays => {
            let known = proxy.first_answer.lock().unwrap().clone();
            reply(match known {
                Some(known) => known,
                None => proxy.ask(query).await,
            })
        }
        Behavior::Off(by) => {
            proxy.clock.advance(by);
            let answer = proxy.ask(query).await;
            proxy.clock.advance(-by);
            reply(answer)
        }
        Behavior::Forges => {
            let mut answer = proxy.ask(query).await.to_vec();
            // A token ends with the signature value.
            *answer.last_mut().unwrap() ^= 1;
            reply(answer.into())
        }
    }
}

impl Proxy {
    async fn ask(&self, query: Bytes) -> Bytes {
        let request = self.http.post(&self.behind).header("content-type", "application/timestamp-query").body(query);
        let answer = request.send().await.unwrap().error_for_status().unwrap().bytes().await.unwrap();
        self.first_answer.lock().unwrap().get_or_insert_with(|| answer.clone());
        answer
    }
}

fn reply(answer: Bytes) -> Response<Body> {
    with_status(StatusCode::OK).header("content-type", "application/timestamp-reply").body(answer.into()).unwrap()
}

fn with_status(status: StatusCode) -> axum::http::response::Builder {
    Response::builder().status(status)
}
