//! The options of a service: addresses, clock, and AWS or its stand-ins.

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

/// The options.
pub struct Options {
    /// AWS: stand-ins, or an external endpoint.
    pub aws: Aws,
    /// Whether to start empty: the stand-ins' storage is cleared first.
    pub fresh: bool,
    /// The address on which everything listens, the stand-ins too.
    pub address: IpAddr,
    /// The base gateway's port; the others follow it. 0 takes free ones.
    pub port: u16,
    /// How phones reach the service, if they are to. The port follows the others.
    pub public: Option<Public>,
    /// Whether the tables' streams and the schedule invoke `alerts` and `webhooks`, as they do on AWS. Most tests call them
    /// themselves.
    pub follows_streams: bool,
    /// The functions' clock.
    pub clock: Arc<dyn Clock>,
    /// The analysis behind the recapture gate.
    pub analyse: Analyse,
    /// Overrides of the functions' environment: for tests of what a deployment may lack.
    pub environment: Vec<(String, String)>,
    /// The time budgets of the functions.
    pub budgets: TimeBudgets,
    /// How many instances of each function behind a gateway run at a time: for tests of what more requests get. `None` without
    /// a limit.
    pub concurrency: Option<usize>,
    /// When an invocation of such a function ends as failed. `None`: the gateway alone gives up.
    pub timeout: Option<Duration>,
}

/// AWS: stand-ins, or an external endpoint.
#[derive(Clone, Debug)]
pub enum Aws {
    /// The stand-ins of this crate.
    StandIns(Storage),
    /// Another implementation, at one endpoint. What is made there has names of its own for every start.
    External(ExternalAws),
}

/// Another implementation of AWS, with credentials that it knows.
#[derive(Clone, Debug)]
pub struct ExternalAws {
    /// `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and the others, as a function's environment has them.
    pub variables: Vec<(String, String)>,
    /// The data directory of an earlier start, whose tables, keys and accounts this AWS has; `None` makes new ones.
    pub data: Option<Storage>,
}

impl Default for Options {
    /// In memory, on free ports of loopback, quiet unless it is called, with the machine's clock and the service's own
    /// analysis.
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
    /// For tests: in memory on free ports, or against `LACRE_TEST_AWS_ENDPOINT` where the environment names one. A machine
    /// that is busy with other tests fails none of them.
    #[must_use]
    pub fn for_tests() -> Self {
        let aws = ExternalAws::from_env().map_or(Aws::StandIns(Storage::Memory), Aws::External);
        Self { aws, budgets: TimeBudgets::RELAXED, ..Self::default() }
    }
}

impl ExternalAws {
    /// What `LACRE_TEST_AWS_ENDPOINT` and the AWS variables of the environment set; `None` without an endpoint.
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

    /// The variables of one service. Services that share one AWS do not share tables and buckets, unless they are configured to.
    pub(crate) fn variables_of_a_service(&self) -> Vec<(String, String)> {
        let suffix = lacre_storage::attempt_id();
        let is_set = |name: &str| self.variables.iter().any(|(known, _)| known == name);
        let region = self.variables.iter().find(|(name, _)| name == "AWS_REGION").map_or("", |(_, region)| region);
        let names = Tables::VARIABLES.into_iter().chain(Buckets::VARIABLES);
        let names = names.map(|variable| (variable, format!("{}-{suffix}", name_of(variable))));
        let topic = ("ALERTS_TOPIC_ARN", format!("arn:aws:sns:{region}:000000000000:lacre-alerts-{suffix}"));
        let alias = |name| format!("arn:aws:kms:{region}:000000000000:alias/lacre-{name}-{suffix}");
        let keys = [("WEBHOOKS_KEY_ARN", alias("webhooks")), ("LOG_KEY_ARN", alias("log"))];
        let names = names.chain([topic]).chain(keys).filter(|(variable, _)| !is_set(variable));
        self.variables.iter().cloned().chain(names.map(|(variable, name)| (variable.to_owned(), name))).collect()
    }
}
