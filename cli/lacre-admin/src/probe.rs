//! `lacre-admin signer probe`, and the probes before a signer profile comes into force.

use std::{sync::Arc, time::Duration};

use ::console::AdminApi;
use aws::Connection;
use domain::Environment;
use lacre_http::{StatusCode, SystemClock};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::{
    connect,
    failure::Failure,
    options::Options,
    output::{Output, word},
    variables::Variables,
};

/// How many probes in a row must work before a profile comes into force: AWS does not learn of a permission everywhere at once.
const IN_A_ROW: u32 = 3;
/// Before the next probe, after one that worked and after one that did not.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// What the function answers: `POST /signers/{environment}/probe` of the admin API.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Probed {
    environment: Environment,
    version: u32,
    /// The draft's, which comes into force unless it changes.
    pub(crate) draft_revision: Option<u32>,
    works: bool,
    checks: Vec<Check>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Check {
    check: String,
    fault: Option<String>,
}

/// The way to the function that signs.
pub(crate) struct Prober<'a> {
    pub(crate) options: &'a Options,
    pub(crate) connection: &'a Connection,
}

impl Prober<'_> {
    /// Probes until it works once, for at most `wait`, and shows the last outcome.
    ///
    /// # Errors
    /// [`Failure::Stopped`] when the function cannot sign.
    pub(crate) async fn probe(
        &self,
        environment: Environment,
        version: Option<u32>,
        wait: Duration,
        output: &Output,
    ) -> Result<(), Failure> {
        let probed = self.repeat(environment, version, wait, 1).await?;
        output.show(&probed, probed.to_string())?;
        probed.demand()
    }

    /// Probes until it works several times in a row, for at most `wait` after the first failure.
    ///
    /// # Errors
    /// [`Failure::Stopped`] when the function cannot sign. Why is printed beside standard output.
    pub(crate) async fn demand(
        &self,
        environment: Environment,
        version: Option<u32>,
        wait: Duration,
    ) -> Result<Probed, Failure> {
        let probed = self.repeat(environment, version, wait, IN_A_ROW).await?;
        probed.demand().inspect_err(|_| eprint!("{probed}"))?;
        Ok(probed)
    }

    async fn repeat(
        &self,
        environment: Environment,
        version: Option<u32>,
        wait: Duration,
        times: u32,
    ) -> Result<Probed, Failure> {
        let variables = Variables::of(self.options)?;
        let config = self.connection.config();
        let api = AdminApi::new(
            &connect::admin_url(&variables)?,
            config.region.clone(),
            connect::credentials(self.options, &variables, self.connection)?,
            config.ca_bundle.as_deref(),
            Arc::new(SystemClock),
        );
        let api = api.map_err(|error| Failure::Usage(error.to_string()))?;
        let end = Instant::now() + wait;
        let mut worked = 0;
        loop {
            let probed = ask(&api, environment, version).await?;
            worked = if probed.works { worked + 1 } else { 0 };
            if worked == times || (worked == 0 && Instant::now() >= end) {
                return Ok(probed);
            }
            sleep(PAUSES[usize::from(!probed.works)]).await;
        }
    }
}

/// Asks the function once.
async fn ask(api: &AdminApi, environment: Environment, version: Option<u32>) -> Result<Probed, Failure> {
    let path = format!("signers/{}/probe", environment.name());
    let query = version.map(|version| format!("version={version}"));
    let (status, body) = api.post(&path, query.as_deref()).await.map_err(Failure::Stopped)?;
    let unreadable = |_| Failure::Stopped(format!("the admin API answered with status {status}, and no JSON"));
    if status == StatusCode::OK {
        return serde_json::from_slice(&body).map_err(unreadable);
    }
    let answer: Value = serde_json::from_slice(&body).map_err(unreadable)?;
    let text = answer["error"].as_str().unwrap_or_default().to_owned();
    Err(match status {
        StatusCode::NOT_FOUND => administration::Error::NotFound(text).into(),
        StatusCode::BAD_REQUEST => administration::Error::Invalid(text).into(),
        _ => Failure::Stopped(text),
    })
}

impl Probed {
    fn demand(&self) -> Result<(), Failure> {
        match self.works {
            true => Ok(()),
            false => Err(Failure::Stopped("the function cannot sign with it".into())),
        }
    }
}

impl std::fmt::Display for Probed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = format!("{} version {}", word(&self.environment), self.version);
        self.checks.iter().try_for_each(|Check { check, fault }| match fault {
            None => writeln!(f, "ok       {of} {check}"),
            Some(fault) => writeln!(f, "BROKEN   {of} {check}: {fault}"),
        })
    }
}
