//! Creates the client of the captures, with licenses and as many API keys as the hourly limit of sessions per key
//! requires.

use std::sync::Arc;

use lacre_administration::{Administration, Caller, signer::SignerAdministration};
use lacre_domain::{
    Client, Environment, FingerprintMode, Moment, NamedTerms, Operator, RecaptureGate, StoreAssetPolicy, Via, limits,
};
use lacre_http::SystemClock;
use lacre_storage::{Config, Connection};
use time::{Duration, OffsetDateTime};

use crate::Failure;

/// Origin of the page that captures.
pub(crate) const PAGE: &str = "http://localhost:5173";

/// A client of the service.
pub(crate) struct Accounts {
    administration: Administration,
    client: Client,
    /// Key of a license without optional terms.
    pub(crate) without_terms: String,
    /// Key of a license whose recapture gate blocks.
    pub(crate) with_gate: String,
    /// Key of a license whose recapture gate blocks, and which retains photos.
    pub(crate) with_gate_and_storage: String,
    /// Key of a license whose photos get a fingerprint.
    pub(crate) with_fingerprint: String,
}

impl Accounts {
    /// Issues the client and its licenses, and removes the timestamp authority, so that no handler requests timestamps.
    pub(crate) async fn new(variables: &[(String, String)]) -> Result<Self, Failure> {
        let connection = connection(variables)?;
        let administration = Administration::new(&connection, Arc::new(SystemClock), caller());
        SignerAdministration::new(&connection, Arc::new(SystemClock), caller())
            .set_timestamps(Environment::Sandbox, None)
            .await?;
        let client = administration.clients.create("Benchmark").await?;
        let license = async |terms: NamedTerms| -> Result<String, Failure> {
            let terms = NamedTerms {
                expires_at: Some(Moment(OffsetDateTime::now_utc() + Duration::DAY)),
                authorized_origins: Some(vec![PAGE.to_owned()]),
                recapture_gate: Some(terms.recapture_gate.unwrap_or(RecaptureGate::Off)),
                ..terms
            };
            Ok(administration.licenses.issue(&client.id, Environment::Sandbox, &terms).await?.license_key)
        };
        let with_gate = NamedTerms { recapture_gate: Some(RecaptureGate::Block), ..NamedTerms::default() };
        let with_gate_and_storage =
            NamedTerms { store_asset_policy: Some(StoreAssetPolicy::Always), ..with_gate.clone() };
        let with_fingerprint = NamedTerms { fingerprint: Some(FingerprintMode::Code), ..NamedTerms::default() };
        Ok(Self {
            without_terms: license(NamedTerms::default()).await?,
            with_gate: license(with_gate).await?,
            with_gate_and_storage: license(with_gate_and_storage).await?,
            with_fingerprint: license(with_fingerprint).await?,
            administration,
            client,
        })
    }

    /// Issues enough API keys for this many sessions. Each key is listed as often as it may be used in an hour.
    pub(crate) async fn api_keys(&self, sessions: usize) -> Result<Vec<String>, Failure> {
        let mut keys = Vec::with_capacity(sessions);
        while keys.len() < sessions {
            let issued = self.administration.api_keys.issue(&self.client.id, Environment::Sandbox, "benchmark").await?;
            keys.extend((0..limits::CREATIONS_PER_HOUR).map(|_| issued.api_key.clone()));
        }
        Ok(keys)
    }
}

/// A connection to the stand-ins that printed these variables.
pub(crate) fn connection(variables: &[(String, String)]) -> Result<Connection, Failure> {
    let variable = |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    Ok(Connection::new(Config::from_lookup(variable)?)?)
}

pub(crate) fn caller() -> Caller {
    let principal = "arn:aws:iam::000000000000:user/benchmark".to_owned();
    Caller::of(Operator { principal, via: Via::CommandLine, source: "localhost".to_owned() })
}
