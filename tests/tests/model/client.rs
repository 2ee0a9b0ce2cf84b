//! The client of one sequence: it remembers the service's responses, resolves operations to calls, and sends the
//! requests.

use std::collections::BTreeMap;

use lacre_domain::{FrameHash, SessionToken};
use lacre_tests::{Answer, service::SAFARI};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::{
    accounts::{Accounts, origin},
    call::{Call, Frame, Id, Ingest, Page},
    frames::Frames,
    model::{Model, OWNERS},
    operation::{Act, Back, Request},
    stage::Stage,
};

/// What the client knows.
pub(crate) struct Client<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) accounts: Accounts,
    pub(crate) frames: Frames,
    pub(crate) sessions: BTreeMap<Id, Opened>,
    pub(crate) loads: BTreeMap<Id, Loaded>,
    pub(crate) sent: BTreeMap<Id, Sent>,
    /// Responses of successful ingests.
    pub(crate) delivered: Vec<(Ingest, Value)>,
    /// Number of ids that were assigned.
    named: Id,
}

/// A created session.
pub(crate) struct Opened {
    pub(crate) token: SessionToken,
    pub(crate) expires_at: String,
    pub(crate) license: usize,
}

/// A completed load, and its last upload.
pub(crate) struct Loaded {
    pub(crate) session: Id,
    pub(crate) page: Page,
    pub(crate) nonce: Value,
    pub(crate) image_key: Value,
    uploaded: Option<Frame>,
}

/// An ingest that was sent.
pub(crate) struct Sent {
    pub(crate) ingest: Ingest,
    pub(crate) body: Value,
}

impl<'a> Client<'a> {
    pub(crate) fn new(stage: &'a Stage, accounts: Accounts) -> Self {
        Self {
            stage,
            accounts,
            frames: Frames::new(),
            sessions: BTreeMap::new(),
            loads: BTreeMap::new(),
            sent: BTreeMap::new(),
            delivered: Vec::new(),
            named: 0,
        }
    }

    fn name(&mut self) -> Id {
        self.named += 1;
        self.named
    }

    /// Resolves a request to a call. `None` if its subject does not exist.
    pub(crate) fn aim(&mut self, request: &Request, model: &Model) -> Option<Call> {
        Some(match *request {
            Request::Create { license, key, foreign } => {
                let client = if foreign { 1 - OWNERS[license] } else { OWNERS[license] };
                Call::Create { session: self.name(), client, license, key: self.key(license, key) }
            }
            Request::Load { session, page } => {
                Call::Load { session: nth_back(&self.sessions, session)?, load: self.name(), page }
            }
            Request::Upload { load, frame } => Call::Upload { load: nth_back(&self.loads, load)?, frame },
            Request::Ingest { load, frame, session, image, page, clock } => {
                let load = nth_back(&self.loads, load)?;
                let image = image.and_then(|image| nth_back(&self.loads, image)).unwrap_or(load);
                let session = session.and_then(|session| nth_back(&self.sessions, session));
                let ingest = Ingest {
                    id: self.name(),
                    session: session.unwrap_or(self.loads[&load].session),
                    load,
                    image,
                    frame: frame.or(self.loads[&load].uploaded).unwrap_or(Frame::Photo(0)),
                    page: page.unwrap_or(self.loads[&load].page),
                    captured_at: model.now + clock,
                };
                let body = self.submission(&ingest, model);
                self.sent.insert(ingest.id, Sent { ingest, body });
                Call::Ingest(ingest)
            }
            Request::Replay { ingest } => Call::Ingest(self.sent[&nth_back(&self.sent, ingest)?].ingest),
            Request::Results { session } => Call::Results { session: nth_back(&self.sessions, session)? },
            Request::Image { session } => Call::Image { session: nth_back(&self.sessions, session)? },
            Request::Validate { license, key, page } => Call::Validate { license, key: self.key(license, key), page },
        })
    }

    /// An earlier key of the license, or its first.
    fn key(&self, license: usize, back: Back) -> usize {
        self.accounts.last_key(license).saturating_sub(back)
    }

    /// The body of an ingest.
    fn submission(&self, ingest: &Ingest, model: &Model) -> Value {
        let captured_at = model.time() + time::Duration::minutes(ingest.captured_at - model.now);
        json!({
            "token": self.sessions[&ingest.session].token.expose(),
            "nonce": self.loads[&ingest.load].nonce,
            "image_key": self.loads[&ingest.image].image_key,
            "photo_order": 1,
            "frame_hash": FrameHash::of(self.frames.bytes(ingest.frame)).hex(),
            "extra_frame_hashes": [FrameHash::of(b"second").hex(), FrameHash::of(b"third").hex()],
            "gps_lat": -23.5505, "gps_lon": -46.6333, "gps_accuracy": 12.5,
            "captured_at_ms": lacre_domain::clock::epoch_millis(captured_at),
            "label": format!("ingest {}", ingest.id),
        })
    }

    /// Executes a call; returns the response if it has one.
    pub(crate) async fn perform(&self, call: &Call) -> Option<Answer> {
        let service = &self.stage.service;
        Some(match *call {
            Call::Create { client, .. } => service.create_with(self.accounts.api_key(client), self.order(call)).await,
            Call::Load { session, page, .. } => {
                let path = format!("/web/sessions/{}", self.sessions[&session].token.expose());
                self.send_from(service.request(Method::GET, &path), page).await
            }
            Call::Upload { load, frame } => {
                let key = self.loads[&load].image_key.as_str().unwrap();
                self.stage.upload(key, self.frames.bytes(frame)).await;
                return None;
            }
            Call::Ingest(ingest) => {
                let request = service.request(Method::POST, "/web/ingest").json(&self.sent[&ingest.id].body);
                self.send_from(request, ingest.page).await
            }
            Call::Results { session } => service.results(&self.sessions[&session].token.expose()).await,
            Call::Image { session } => service.image(&self.sessions[&session].token.session_id(1).expose()).await,
            Call::Validate { license, key, page } => {
                let body = json!({ "license_key": self.accounts.license_key(license, key) });
                service.validate_with(body.to_string(), page.map(origin)).await
            }
            Call::Wait { minutes } => {
                service.clock.advance(time::Duration::minutes(minutes));
                return None;
            }
            Call::Revoke { .. } | Call::Suspend { .. } | Call::Rotate { .. } => {
                unreachable!("an operator's, not a client's")
            }
        })
    }

    /// The body of a creation.
    pub(crate) fn order(&self, call: &Call) -> Value {
        let Call::Create { session, license, key, .. } = *call else { unreachable!("{call:?}") };
        json!({ "reference_id": reference(session), "license_key": self.accounts.license_key(license, key) })
    }

    async fn send_from(&self, request: RequestBuilder, page: Page) -> Answer {
        self.stage.service.send(request.header("origin", origin(page)).header("user-agent", SAFARI)).await
    }

    /// Remembers the content of a response.
    pub(crate) fn learn(&mut self, call: &Call, answer: Option<&Answer>) {
        let body = answer.filter(|answer| answer.status == 200).map(|answer| &answer.body);
        match (*call, body) {
            (Call::Create { session, license, .. }, Some(body)) => {
                let token = SessionToken::parse(body["token"].as_str().unwrap()).unwrap();
                let expires_at = body["expires_at"].as_str().unwrap().to_owned();
                self.sessions.insert(session, Opened { token, expires_at, license });
            }
            (Call::Load { load, session, page }, Some(body)) => {
                let (nonce, image_key) = (body["nonce"].clone(), body["image_key"].clone());
                self.loads.insert(load, Loaded { session, page, nonce, image_key, uploaded: None });
            }
            (Call::Upload { load, frame }, _) => {
                self.loads.entry(load).and_modify(|load| load.uploaded = Some(frame));
            }
            (Call::Ingest(ingest), Some(body)) => self.delivered.push((ingest, body.clone())),
            _ => {}
        }
    }
}

impl Act {
    /// The operator's action as a call.
    pub(crate) fn call(&self) -> Call {
        match *self {
            Self::Wait { minutes } => Call::Wait { minutes },
            Self::Revoke { license } => Call::Revoke { license },
            Self::Suspend { client, suspended } => Call::Suspend { client, suspended },
            Self::Rotate { license } => Call::Rotate { license },
        }
    }
}

/// The `reference_id` of a session.
pub(crate) fn reference(session: Id) -> String {
    format!("session {session}")
}

fn nth_back<T>(known: &BTreeMap<Id, T>, back: Back) -> Option<Id> {
    known.keys().nth_back(back.min(known.len().checked_sub(1)?)).copied()
}
