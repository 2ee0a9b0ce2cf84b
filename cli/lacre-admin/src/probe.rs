//! `lacre-admin signer probe`, and the probes before a signer profile comes into force.

use std::{sync::Arc, time::Duration};

use lacre_api::admin::{FaultBody, ProbedSigners, SignerCheck};
use lacre_console::AdminApi;
use lacre_domain::Environment;
use lacre_http::{StatusCode, SystemClock};
use lacre_storage::Connection;
use tokio::time::{Instant, sleep};

use crate::{
    connect,
    failure::Failure,
    options::Options,
    output::{Output, word},
    variables::Variables,
};

/// Consecutive probes that must succeed before a profile comes into force: IAM permissions reach AWS's servers at
/// different times.
const IN_A_ROW: u32 = 3;
/// Delays before the next probe: after a success, and after a failure.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// Access to the function that signs, through the admin API.
pub(crate) struct Prober<'a> {
    pub(crate) options: &'a Options,
    pub(crate) connection: &'a Connection,
}

impl Prober<'_> {
    /// Probes until one probe succeeds, for at most `wait`, and prints the last result.
    ///
    /// # Errors
    /// [`Failure::Stopped`] if the function cannot sign.
    pub(crate) async fn probe(
        &self,
        environment: Environment,
        version: Option<u32>,
        wait: Duration,
        output: &Output,
    ) -> Result<(), Failure> {
        let probed = self.repeat(environment, version, wait, 1).await?;
        output.show(&probed, text(&probed))?;
        check(&probed)
    }

    /// Probes until several consecutive probes succeed, for at most `wait` after the first failure.
    ///
    /// # Errors
    /// [`Failure::Stopped`] if the function cannot sign. The findings are printed to standard error.
    pub(crate) async fn demand(
        &self,
        environment: Environment,
        version: Option<u32>,
        wait: Duration,
    ) -> Result<ProbedSigners, Failure> {
        let probed = self.repeat(environment, version, wait, IN_A_ROW).await?;
        check(&probed).inspect_err(|_| eprint!("{}", text(&probed)))?;
        Ok(probed)
    }

    async fn repeat(
        &self,
        environment: Environment,
        version: Option<u32>,
        wait: Duration,
        times: u32,
    ) -> Result<ProbedSigners, Failure> {
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

/// Sends one probe to the function.
async fn ask(api: &AdminApi, environment: Environment, version: Option<u32>) -> Result<ProbedSigners, Failure> {
    let path = format!("signers/{}/probe", environment.name());
    let query = version.map(|version| format!("version={version}"));
    let (status, body) = api.post(&path, query.as_deref()).await.map_err(Failure::Stopped)?;
    let unreadable = |_| Failure::Stopped(format!("the admin API answered with status {status}, and no JSON"));
    if status == StatusCode::OK {
        return serde_json::from_slice(&body).map_err(unreadable);
    }
    let FaultBody { error: text } = serde_json::from_slice(&body).map_err(unreadable)?;
    Err(match status {
        StatusCode::NOT_FOUND => lacre_administration::Error::NotFound(text).into(),
        StatusCode::BAD_REQUEST => lacre_administration::Error::Invalid(text).into(),
        _ => Failure::Stopped(text),
    })
}

/// Fails if the signers did not work.
fn check(probed: &ProbedSigners) -> Result<(), Failure> {
    match probed.works {
        true => Ok(()),
        false => Err(Failure::Stopped("the function cannot sign with it".into())),
    }
}

/// The checks of a probe, one per line.
fn text(probed: &ProbedSigners) -> String {
    let of = format!("{} version {}", word(&probed.environment), probed.version);
    let line = |SignerCheck { check, fault }: &SignerCheck| match fault {
        None => format!("ok       {of} {check}\n"),
        Some(fault) => format!("BROKEN   {of} {check}: {fault}\n"),
    };
    probed.checks.iter().map(line).collect()
}
