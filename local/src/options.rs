//! Options of a local service: addresses, clock, and AWS or its stand-ins.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use lacre_domain::Clock;
use lacre_http::SystemClock;
use lacre_recapture::Analyse;
use lacre_storage::{Buckets, Tables, TimeBudgets};

use crate::{local_aws::name_of, public::Public, stand_ins::Storage};

/// Options of a local service.
pub struct Options {
    /// Which AWS implementation the service uses.
    pub aws: Aws,
    /// Whether to clear the stand-ins' storage first.
    pub fresh: bool,
    /// Address on which all servers listen, including the stand-ins.
    pub address: IpAddr,
    /// Port of the base gateway; the other ports follow it. 0 selects free ports.
    pub port: u16,
    /// How phones reach the service, if they do. The port follows the others.
    pub public: Option<Public>,
    /// Whether streams and schedules invoke `alerts`, `webhooks` and the other consumers, as on AWS. Most tests invoke
    /// these functions themselves.
    pub follows_streams: bool,
    /// The functions' clock.
    pub clock: Arc<dyn Clock>,
    /// The recapture analysis that `ingest` uses.
    pub analyse: Analyse,
    /// Overrides of the functions' environment variables, for tests of an incomplete deployment.
    pub environment: Vec<(String, String)>,
    /// Time budgets of the functions.
    pub budgets: TimeBudgets,
    /// Maximum concurrent invocations of each function behind a gateway, for tests of throttling. `None` means
    /// unlimited.
    pub concurrency: Option<usize>,
    /// Timeout of such an invocation. With `None`, only the gateway's own timeout applies.
    pub timeout: Option<Duration>,
}

/// Which AWS implementation the service uses.
#[derive(Clone, Debug)]
pub enum Aws {
    /// The stand-ins of this crate.
    StandIns(Storage),
    /// Another implementation at a single endpoint. Resources get new names on every start.
    External(ExternalAws),
}

/// Another AWS implementation, with credentials that it accepts.
#[derive(Clone, Debug)]
pub struct ExternalAws {
    /// The variables of a function's environment: `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and others.
    pub variables: Vec<(String, String)>,
    /// The data directory of an earlier start, whose tables, keys and accounts exist in this AWS; `None` creates new
    /// ones.
    pub data: Option<Storage>,
}

impl Default for Options {
    /// In memory, on free loopback ports, without streams and schedules, with the machine's clock and the production
    /// recapture analysis.
    fn default() -> Self {
        Self {
            aws: Aws::StandIns(Storage::Memory),
            fresh: false,
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            public: None,
            follows_streams: false,
            clock: Arc::new(SystemClock),
            analyse: lacre_recapture::analyse,
            environment: Vec::new(),
            budgets: TimeBudgets::PRODUCTION,
            concurrency: None,
            timeout: None,
        }
    }
}

impl Options {
    /// Options for tests: in memory on free ports, or against `LACRE_TEST_AWS_ENDPOINT` if it is set. Time budgets are
    /// generous, so that a busy machine fails no test.
    #[must_use]
    pub fn for_tests() -> Self {
        let aws = ExternalAws::from_env().map_or(Aws::StandIns(Storage::Memory), Aws::External);
        Self { aws, budgets: TimeBudgets::RELAXED, ..Self::default() }
    }
}

impl ExternalAws {
    /// Reads `LACRE_TEST_AWS_ENDPOINT` and the AWS variables from the environment; `None` without an endpoint.
    #[must_use]
    pub fn from_env() -> Option<Self> {
        const NAMES: [&str; 5] = [
            "AWS_REGION",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "PRESIGNER_ACCESS_KEY_ID",
            "PRESIGNER_SECRET_ACCESS_KEY",
        ];
        let endpoint = std::env::var("LACRE_TEST_AWS_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty())?;
        let variables = NAMES.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
        let variables = variables.chain([("AWS_ENDPOINT_URL".to_owned(), endpoint)]).collect();
        Some(Self { variables, data: None })
    }

    /// The variables of one service. Services that share one AWS get separate tables and buckets unless they are
    /// configured otherwise.
    pub(crate) fn variables_of_a_service(&self) -> Vec<(String, String)> {
        let suffix = lacre_storage::attempt_id();
        let is_set = |name: &str| self.variables.iter().any(|(known, _)| known == name);
        let region = self.variables.iter().find(|(name, _)| name == "AWS_REGION").map_or("", |(_, region)| region);
        let names = Tables::VARIABLES.into_iter().chain(Buckets::VARIABLES);
        let names = names.map(|variable| (variable, format!("{}-{suffix}", name_of(variable))));
        let topic = ("ALERTS_TOPIC_ARN", format!("arn:aws:sns:{region}:000000000000:lacre-alerts-{suffix}"));
        let alias = |name| format!("arn:aws:kms:{region}:000000000000:alias/lacre-{name}-{suffix}");
        let keys = [("WEBHOOKS_KEY_ARN", "webhooks"), ("PRINTS_KEY_ARN", "prints"), ("LOG_KEY_ARN", "log")];
        let keys = keys.map(|(variable, name)| (variable, alias(name)));
        let names = names.chain([topic]).chain(keys).filter(|(variable, _)| !is_set(variable));
        self.variables.iter().cloned().chain(names.map(|(variable, name)| (variable.to_owned(), name))).collect()
    }
}
