//! The place where sequences run, one after the other: a service, its stores, and separate functions whose AWS calls
//! can fail without affecting others.

use std::{collections::BTreeSet, sync::Arc};

use aws_sdk_s3::primitives::ByteStream;
use lacre_create_session::CreateSession;
use lacre_domain::Clock;
use lacre_http::{Endpoint, Request};
use lacre_ingest::Ingest;
use lacre_load_session::LoadSession;
use lacre_storage::TimeBudgets;
use lacre_tests::{Answer, Fault, Faults, Service, Storage, event::event, records::Records, service::SAFARI};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{
    accounts::origin,
    call::Call,
    client::Client,
    fate::{AFTERMATH, Place},
    frames,
};

/// Divisor of the time budgets in functions with faults, so that a hanging call takes little time.
const LESS_PATIENT: u32 = 5;

/// A service with its stores.
pub(crate) struct Stage {
    pub(crate) service: Service,
    pub(crate) accounts: lacre_storage::Accounts,
    pub(crate) records: Records,
    s3: aws_sdk_s3::Client,
}

impl Stage {
    pub(crate) async fn open() -> Self {
        let options = local::Options { analyse: frames::analyse, ..local::Options::for_tests() };
        let service = Service::start_with(options).await;
        let accounts = lacre_storage::Accounts::new(service.connection());
        let (records, s3) = (service.records(), Storage::of(&service).s3);
        Self { service, accounts, records, s3 }
    }

    /// Sets the service's clock.
    pub(crate) fn set_clock(&self, time: OffsetDateTime) {
        self.service.clock.advance(time - self.service.clock.now());
    }

    /// Uploads a frame to the image key of a load. It does not use the upload URL, because that carries the service's
    /// time, which may differ from AWS's.
    pub(crate) async fn upload(&self, image_key: &str, frame: &[u8]) {
        let body = ByteStream::from(frame.to_vec());
        let put = self.s3.put_object().bucket(self.service.variable("UPLOADS_BUCKET")).key(image_key);
        put.content_type(lacre_storage::UPLOAD_CONTENT_TYPE).body(body).send().await.unwrap();
    }

    /// The keys of all proofs.
    pub(crate) async fn proofs(&self) -> BTreeSet<String> {
        Storage::of(&self.service).keys("PROOFS_BUCKET").await.into_iter().collect()
    }

    /// Reads a proof.
    pub(crate) async fn proof(&self, key: &str) -> Vec<u8> {
        let get = self.s3.get_object().bucket(self.service.variable("PROOFS_BUCKET")).key(key);
        get.send().await.unwrap().body.collect().await.unwrap().to_vec()
    }
}

/// Functions whose AWS calls pass through fault proxies.
pub(crate) struct Faulty {
    faults: Faults,
    create: CreateSession,
    load: LoadSession,
    ingest: Ingest,
}

impl Faulty {
    pub(crate) async fn open(stage: &Stage) -> Self {
        let faults = Faults::before(&stage.service).await;
        let mut config = faults.config(&stage.service);
        config.budgets = TimeBudgets::PRODUCTION.divided_by(LESS_PATIENT);
        let connection = lacre_storage::Connection::new(config).unwrap();
        let clock = || Arc::clone(&stage.service.clock) as Arc<dyn Clock>;
        let ingest = Ingest::new(&connection, clock()).with_analysis(frames::analyse);
        Box::pin(ingest.warm_up()).await;
        Self {
            faults,
            create: CreateSession::new(&connection, clock()),
            load: LoadSession::new(&connection, clock()),
            ingest,
        }
    }

    /// Executes a call with a fault at one of its AWS calls.
    pub(crate) async fn perform(
        &self,
        client: &Client<'_>,
        call: &Call,
        (place, fault, always): (Place, Fault, bool),
        aftermath: bool,
    ) -> Answer {
        self.faults.strike(place.row().0, 1, if always { usize::MAX } else { 1 }, fault);
        if aftermath {
            AFTERMATH.iter().for_each(|call| self.faults.always(call, fault));
        }
        let answer = match *call {
            Call::Create { client: who, .. } => {
                let key = [("x-api-key", client.accounts.api_key(who))];
                let order = client.order(call).to_string();
                answer(&self.create, event("create-session", &key, Some(order), None)).await
            }
            Call::Load { session, page, .. } => {
                let headers = [("origin", origin(page)), ("user-agent", SAFARI)];
                let token = client.sessions[&session].token.expose();
                answer(&self.load, event("load-session", &headers, None, Some(("token", &token)))).await
            }
            Call::Ingest(ingest) => {
                let headers = [("origin", origin(ingest.page)), ("user-agent", SAFARI)];
                let body = client.sent[&ingest.id].body.to_string();
                answer(&self.ingest, event("ingest", &headers, Some(body), None)).await
            }
            _ => unreachable!("{call:?} has no fault"),
        };
        self.faults.clear();
        answer
    }
}

async fn answer(endpoint: &impl Endpoint, request: Request) -> Answer {
    let response = Box::pin(endpoint.handle(request)).await;
    let text = |value: &lambda_http::http::HeaderValue| value.to_str().unwrap().to_owned();
    let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    Answer { status: response.status().as_u16(), body, headers }
}
