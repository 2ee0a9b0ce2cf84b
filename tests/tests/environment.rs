//! Tests that the variables that `template.yaml` gives each function are those that its code reads.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use lacre_admin_api::Api;
use lacre_alerts::Alerts;
use lacre_canary::Canary;
use lacre_create_session::CreateSession;
use lacre_dossiers::Dossiers;
use lacre_export::ExportEvidence;
use lacre_find_proof::FindProof;
use lacre_http::make;
use lacre_image::Image;
use lacre_ingest::Ingest;
use lacre_load_session::LoadSession;
use lacre_prints::IndexPrints;
use lacre_revocation::Revocation;
use lacre_sequencer::Sequencer;
use lacre_session_results::SessionResults;
use lacre_session_status::SessionStatusRoute;
use lacre_storage::{Config, ConfigError, Connection};
use lacre_validate::Validate;
use lacre_webhooks::Webhooks;
use local::CapturePage;
use serde_json::Value;

type Make = fn(&Connection) -> Result<(), ConfigError>;

/// Every function of the template, constructed as at its start.
const FUNCTIONS: [(&str, Make); 18] = [
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
    ("RevocationFunction", |connection| make(connection, Revocation::new).map(drop)),
    ("SequencerFunction", |connection| make(connection, Sequencer::new).map(drop)),
    ("WebhooksFunction", |connection| make(connection, Webhooks::new).map(drop)),
    ("PrintsFunction", |connection| make(connection, IndexPrints::new).map(drop)),
    ("DossiersFunction", |connection| make(connection, Dossiers::new).map(drop)),
    ("FindProofFunction", |connection| make(connection, FindProof::new).map(drop)),
    ("CanaryFunction", |connection| make(connection, Canary::new).map(drop)),
];

/// Template variables that are not read as settings. `lacre_http::start_log` reads `RUST_LOG`. `PRESIGNER_KEY` is not
/// read at all: changing it makes Lambda replace processes, which cache the presigner's secret.
const NOT_SETTINGS: [&str; 2] = ["RUST_LOG", "PRESIGNER_KEY"];

/// Variables that are always set in this test: those that Lambda sets, and the secret that makes the canary need no
/// addresses.
const ALWAYS: [&str; 4] = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "CANARY_SECRET_ARN"];

/// The template, without YAML tags.
fn template() -> Value {
    serde_saphyr::from_str(include_str!("../../template.yaml")).unwrap()
}

/// Names of the environment variables in a function's properties or in the globals.
fn variables(properties: &Value) -> impl Iterator<Item = &str> {
    properties["Environment"]["Variables"].as_object().unwrap().keys().map(String::as_str)
}

/// A connection of a function with these variables.
fn connection(set: &[&str]) -> Connection {
    let value = |name: &str| set.iter().chain(&ALWAYS).any(|known| *known == name).then(|| "1".to_owned());
    Connection::new(Config::from_lookup(value).unwrap()).unwrap()
}

/// The variables that a function reads.
fn reads(make: Make) -> Vec<&'static str> {
    let connection = connection(&[]);
    let _ = make(&connection);
    connection.config().reads.variables()
}

#[test]
fn the_template_sets_what_functions_read() {
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
fn a_start_names_every_missing_variable() {
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
