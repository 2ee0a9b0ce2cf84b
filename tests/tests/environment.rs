//! The environment of each function: the variables that `template.yaml` gives it are those that its code reads.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use lacre_admin_api::Api;
use lacre_alerts::Alerts;
use lacre_canary::Canary;
use lacre_create_session::CreateSession;
use lacre_export::ExportEvidence;
use lacre_http::make;
use lacre_image::Image;
use lacre_ingest::Ingest;
use lacre_load_session::LoadSession;
use lacre_sequencer::Sequencer;
use lacre_session_results::SessionResults;
use lacre_session_status::SessionStatusRoute;
use lacre_storage::{Config, ConfigError, Connection};
use lacre_validate::Validate;
use lacre_webhooks::Webhooks;
use local::CapturePage;
use serde_json::Value;

type Make = fn(&Connection) -> Result<(), ConfigError>;

/// Every function of the template, made as at its start.
const FUNCTIONS: [(&str, Make); 14] = [
    ("CreateSessionFunction", |connection| make(connection, CreateSession::new).map(drop)),
    ("LoadSessionFunction", |connection| make(connection, LoadSession::new).map(drop)),
    ("IngestFunction", |connection| make(connection, Ingest::new).map(drop)),
    ("SessionResultsFunction", |connection| make(connection, SessionResults::new).map(drop)),
    ("ImageFunction", |connection| make(connection, Image::new).map(drop)),
    ("ValidateFunction", |connection| make(connection, Validate::new).map(drop)),
    ("CapturePageFunction", |connection| make(connection, CapturePage::new).map(drop)),
    ("SessionStatusFunction", |connection| make(connection, SessionStatusRoute::new).map(drop)),
    ("AdminFunction", |connection| make(connection, Api::new).map(drop)),
    ("AlertsFunction", |connection| make(connection, Alerts::new).map(drop)),
    ("ExportFunction", |connection| make(connection, ExportEvidence::new).map(drop)),
    ("SequencerFunction", |connection| make(connection, Sequencer::new).map(drop)),
    ("WebhooksFunction", |connection| make(connection, Webhooks::new).map(drop)),
    ("CanaryFunction", |connection| make(connection, Canary::new).map(drop)),
];

/// Variables of the template that are not read as settings. `RUST_LOG` is read by `lacre_http::start_log`. Nothing reads
/// `PRESIGNER_KEY`: a new value makes Lambda replace the processes, which keep the presigner's secret.
const NOT_SETTINGS: [&str; 2] = ["RUST_LOG", "PRESIGNER_KEY"];

/// Always set in this test: what Lambda sets, and the secret without which the canary needs no addresses.
const ALWAYS: [&str; 4] = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "CANARY_SECRET_ARN"];

/// The template, whose tags are left out.
fn template() -> Value {
    serde_saphyr::from_str(include_str!("../../template.yaml")).unwrap()
}

/// The names of the variables in the properties of a function, or of all functions.
fn variables(properties: &Value) -> impl Iterator<Item = &str> {
    properties["Environment"]["Variables"].as_object().unwrap().keys().map(String::as_str)
}

/// A connection for a function with these variables.
fn connection(set: &[&str]) -> Connection {
    let value = |name: &str| set.iter().chain(&ALWAYS).any(|known| *known == name).then(|| "1".to_owned());
    Connection::new(Config::from_lookup(value).unwrap()).unwrap()
}

/// What a function reads.
fn reads(make: Make) -> Vec<&'static str> {
    let connection = connection(&[]);
    let _ = make(&connection);
    connection.config().reads.variables()
}

#[test]
fn the_template_gives_what_is_read() {
    let template = template();
    let functions = template["Resources"].as_object().unwrap().iter();
    let functions = functions.filter(|(_, resource)| resource["Type"] == "AWS::Serverless::Function");
    let names: BTreeSet<_> = functions.map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(FUNCTIONS.map(|(name, _)| name)));
    let mut of_no_setting = BTreeSet::new();
    for (name, make) in FUNCTIONS {
        let own = &template["Resources"][name]["Properties"];
        let given = variables(&template["Globals"]["Function"]).chain(variables(own));
        let (not_read, settings): (BTreeSet<_>, _) = given.partition(|variable| NOT_SETTINGS.contains(variable));
        assert_eq!(settings, BTreeSet::from_iter(reads(make)), "{name}: given, and read");
        of_no_setting.extend(not_read);
    }
    assert_eq!(of_no_setting, BTreeSet::from(NOT_SETTINGS));
}

#[test]
fn a_start_names_all_that_it_lacks() {
    for (name, make) in FUNCTIONS {
        let lacks = |set: &[&str]| make(&connection(set)).map_err(|error| error.to_string());
        let error = lacks(&[]).unwrap_err();
        let named: Vec<_> = error.strip_prefix("environment: ").unwrap().split(", ").collect();
        let needs: Vec<_> = named.iter().map(|fault| fault.strip_suffix(" is not set").unwrap()).collect();
        let read = reads(make);
        assert!(needs.iter().all(|variable| read.contains(variable)), "{name}: {error}");
        assert_eq!(lacks(&needs), Ok(()), "{name}");
        for (n, variable) in needs.iter().enumerate() {
            let others = [&needs[..n], &needs[n + 1..]].concat();
            assert_eq!(lacks(&others), Err(format!("environment: {variable} is not set")), "{name}");
        }
    }
}
