//! Tests of key material: it is checked completely, installed as a draft and activated, or changes nothing.

mod claim;
mod doctor;
mod faults;
mod seal;
mod staged;
mod timestamps;

use std::{collections::HashMap, sync::Arc};

use aws_sdk_dynamodb::types::AttributeValue;
use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_administration::signer::{SealImport, SignerAdministration};
use lacre_domain::{Environment, SignaturePolicy, SignerProfile};
use lacre_storage::{Config, Connection, OperatorKeys, SignerProfiles, WrappingKey};
use lacre_tests::{Faults, Service, Storage, TestClock, frame, verifiers};
use lacre_verify::Report;

/// A service, and an operator whose AWS calls are recorded and can fail.
struct Desk {
    service: Service,
    faults: Faults,
    clock: Arc<TestClock>,
    signer: SignerAdministration,
}

impl Desk {
    async fn open() -> Self {
        let service = Service::start_anew().await;
        let faults = Faults::before(&service).await;
        let clock = Arc::clone(&service.clock);
        let signer = operator(faults.config(&service), &clock);
        Self { service, faults, clock, signer }
    }

    /// Changes the operator's configuration.
    fn configure(&mut self, change: impl FnOnce(&mut Config)) {
        let mut config = self.faults.config(&self.service);
        change(&mut config);
        self.signer = operator(config, &self.clock);
    }

    /// The profile in force.
    async fn profile(&self, environment: Environment) -> SignerProfile {
        let state = SignerProfiles::new(self.service.connection()).state(environment).await.unwrap();
        state.profile.unwrap()
    }

    /// Creates an unused claim key, as a stack does.
    async fn claim_key(&self) -> String {
        OperatorKeys::new(self.service.connection()).create_claim_key("test").await.unwrap()
    }

    /// All stored items about signers, including versions and drafts.
    async fn signers(&self) -> Vec<HashMap<String, AttributeValue>> {
        let mut items = Storage::of(&self.service).items("ACCOUNTS_TABLE").await;
        items.retain(|item| item["pk"].as_s().unwrap().starts_with("signer#"));
        items.sort_by_key(|item| (item["pk"].as_s().unwrap().clone(), item["sk"].as_s().unwrap().clone()));
        items
    }

    /// Removes all signers of an environment, as if it had never had any.
    async fn forget(&self, environment: Environment) {
        let storage = Storage::of(&self.service);
        for item in self.signers().await {
            let [pk, sk] = ["pk", "sk"].map(|name| item[name].as_s().unwrap().clone());
            if pk.split('#').nth(1) == Some(environment.name()) {
                storage.delete("ACCOUNTS_TABLE", &[("pk", pk), ("sk", sk)]).await;
            }
        }
    }

    /// The changes that the operator requested from AWS since the last call, without the audit log.
    fn changes(&self) -> Vec<String> {
        let mut calls = self.faults.take_calls();
        let reads =
            ["GetPublicKey", "DescribeKey", "BatchGetItem", "GetItem", "Sign", "ListResourceTags", "GetKeyPolicy"];
        calls.retain(|call| call != "PutItem audit" && !reads.iter().any(|read| call.starts_with(read)));
        calls
    }

    /// Captures a photo in the sandbox, and verifies it with the service's roots and another one.
    async fn capture(&self, another_root: &str) -> Report {
        let (_, answer) = self.service.capture("LICENSE_KEY", &frame::fresh()).await;
        let jpeg = BASE64_STANDARD.decode(answer.ok()["signed_image_base64"].as_str().unwrap()).unwrap();
        let anchors = format!("{}{another_root}", self.service.trust_anchors());
        verifiers::ours(&jpeg, &anchors).0
    }
}

fn operator(config: Config, clock: &Arc<TestClock>) -> SignerAdministration {
    SignerAdministration::new(
        &Connection::new(config).unwrap(),
        Arc::clone(clock) as _,
        lacre_tests::operator::caller(lacre_tests::vault::CUSTODIAN),
    )
}

/// Import settings of the tests: the sandbox, and a wrapping key that the stand-in generates quickly.
fn import(environment: Environment) -> SealImport {
    SealImport {
        environment,
        stack: "a-stack".into(),
        policy: SignaturePolicy::ad_rb_v2_4(),
        icp_brasil_roots_pem: None,
        allow_development: false,
        wrapping: WrappingKey::Rsa2048,
    }
}
