//! Tests the order of checks. Each route has a list of its checks in the documented order. The test breaks each check
//! together with all later ones, and expects the refusal of that check.

mod create_hosted_session;
mod create_session;
mod image;
mod ingest;
mod load_session;
mod session_results;
mod skip;
mod validate;
mod validate_session;
mod walk;

use std::{collections::BTreeMap, sync::Arc};

use lacre_domain::{Clock, License, SessionToken};
use lacre_http::{Endpoint, Request};
use lacre_tests::{Fault, Faults, Service, Storage, service::Loaded};
use serde_json::Value;
use walk::{Outcome, Place, refuses, walk};

/// The environment and the AWS faults of one request.
#[derive(Default)]
struct Deployment {
    variables: BTreeMap<&'static str, &'static str>,
    faults: Vec<(&'static str, Fault)>,
}

impl Deployment {
    fn set(&mut self, variable: &'static str, value: &'static str) {
        self.variables.insert(variable, value);
    }

    /// Adds a fault by the call's name. If two rules match, the later one takes effect.
    fn strike(&mut self, call: &'static str, fault: Fault) {
        self.faults.push((call, fault));
    }

    /// A connection through separate fault proxies.
    async fn connect(&self, service: &Service) -> lacre_storage::Connection {
        let doors = Faults::before(service).await;
        for (call, fault) in self.faults.iter().rev() {
            doors.always(call, *fault);
        }
        let endpoints = doors.endpoints();
        let variable = |name: &str| self.variables.get(name).map(|value| (*value).to_owned());
        lacre_storage::Connection::new(service.config(|name| variable(name).or_else(|| endpoints.get(name).cloned())))
            .unwrap()
    }
}

/// The response of an endpoint.
async fn ask(endpoint: impl Endpoint, request: Request) -> Outcome {
    let response = endpoint.handle(request).await;
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    (response.status().as_u16(), body)
}

fn clock(service: &Service) -> Arc<dyn Clock> {
    Arc::clone(&service.clock) as Arc<dyn Clock>
}

/// What is wrong with a session.
#[derive(Default)]
struct SessionPlan {
    unknown: bool,
    corrupt: bool,
    concluded: bool,
    expired: bool,
    without_license: bool,
}

/// What is wrong with its license.
#[derive(Default)]
struct LicensePlan {
    changes: Vec<fn(&mut License)>,
    deleted: bool,
    unreadable: bool,
}

impl LicensePlan {
    /// Stores a valid license with the planned changes.
    async fn put(&self, service: &Service, mut license: License) {
        self.changes.iter().for_each(|change| change(&mut license));
        service.put_license(&license).await;
        let item = [("pk", format!("license#{}", license.id)), ("sk", "license".to_owned())];
        if self.unreadable {
            Storage::of(service).damage("ACCOUNTS_TABLE", &item, "environment").await;
        }
        if self.deleted {
            Storage::of(service).delete("ACCOUNTS_TABLE", &item).await;
        }
    }
}

/// A session under a new license, loaded by two pages of one browser.
struct Opened {
    license: License,
    loaded: Loaded,
    other: Loaded,
}

impl Opened {
    async fn new(service: &Service) -> Self {
        let (key, license) = service.license_like("LICENSE_KEY", |_| {}).await;
        let loaded = service.open_with(&key).await;
        let other = service.reload(&loaded.token).await;
        Self { license, loaded, other }
    }

    /// The token to send.
    fn token(&self, plan: &SessionPlan) -> String {
        match plan.unknown {
            true => SessionToken::from_entropy(lacre_storage::entropy()).expose(),
            false => self.loaded.token.clone(),
        }
    }

    /// Breaks the session and license. The caller moves the clock and sets it back.
    async fn break_it(self, service: &Service, session: &SessionPlan, license: &LicensePlan) {
        let storage = Storage::of(service);
        if session.concluded {
            assert_eq!(service.capture_in(&self.other, &lacre_tests::frame::fresh()).await.status, 200);
        }
        let hash = SessionToken::parse(&self.loaded.token).unwrap().hash();
        let item = [("pk", format!("session#{}", hash.as_str()))];
        if session.corrupt {
            storage.damage("SESSIONS_TABLE", &item, "reference_id").await;
        }
        if session.without_license {
            storage.damage("SESSIONS_TABLE", &item, "license_id").await;
        }
        license.put(service, self.license).await;
    }
}
