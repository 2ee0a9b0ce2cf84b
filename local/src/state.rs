//! Keys and credentials that the first start issues, and the file that stores them.

use std::{path::Path, sync::Arc};

use lacre_administration::Administration;
use lacre_domain::{Clock, Origin};
use lacre_storage::Connection;
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    clients::Clients,
    provision,
    seed::{self, Keys},
    stand_ins::{self, Storage, write_whole},
    timestamps::Authority,
};

/// Name of the file in the data directory.
const FILE: &str = "service.json";

/// Format version of the data directory. Data of another version is an error.
const FORMAT: u32 = 6;

/// The issued keys and certificates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    #[serde(default)]
    format: u32,
    pub(crate) keys: Keys,
    /// Root certificates of the development hierarchies, in PEM.
    pub(crate) trust_anchors_pem: String,
    /// URL of the timestamp authority when the signer profiles were last updated.
    tsa_url: String,
    /// Public origin that the demo's licenses allow.
    #[serde(default)]
    public: Option<Origin>,
}

impl State {
    /// Reads what an earlier start issued, or issues it. The file is written last, so an interrupted first start is
    /// repeated.
    pub(crate) async fn of(
        storage: Option<&Storage>,
        connection: &Connection,
        clock: &Arc<dyn Clock>,
        authority: &Authority,
        public: Option<&Origin>,
    ) -> Result<Self, Error> {
        let file = storage.and_then(|storage| storage.file(FILE));
        let write = |state: &Self| file.as_ref().map_or(Ok(()), |file| state.write(file));
        let mut state = match &file {
            Some(file) if file.exists() => Self::read(file)?,
            _ => {
                let state = Self::issue(connection, clock, authority).await?;
                write(&state)?;
                state
            }
        };
        if state.tsa_url != authority.url() {
            provision::authority_moved(connection, clock, &state.tsa_url, &authority.url()).await?;
            state.tsa_url = authority.url();
            write(&state)?;
        }
        if state.public.as_ref() != public {
            let administration = Administration::new(connection, Arc::clone(clock), seed::caller());
            seed::admit(&administration, &state.keys, public).await?;
            state.public = public.cloned();
            write(&state)?;
        }
        Ok(state)
    }

    async fn issue(connection: &Connection, clock: &Arc<dyn Clock>, authority: &Authority) -> Result<Self, Error> {
        let (administration, now) = (Administration::new(connection, Arc::clone(clock), seed::caller()), clock.now());
        let clients = Clients::new(connection.config());
        provision::storage(&clients, connection.config()).await?;
        let timestamps = authority.timestamping();
        let (trust_anchors_pem, keys) =
            tokio::join!(provision::signers(connection, clock, &timestamps), seed::seed(&administration, now));
        Ok(Self {
            format: FORMAT,
            trust_anchors_pem: trust_anchors_pem?,
            keys: keys?,
            tsa_url: authority.url(),
            public: None,
        })
    }

    fn write(&self, file: &Path) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::other)?;
        Ok(write_whole(file, &[&text])?)
    }

    fn read(file: &Path) -> Result<Self, Error> {
        let unreadable = |cause: String| stand_ins::Error::Unreadable {
            path: file.to_owned(),
            cause: format!("{cause}; --fresh starts without it"),
        };
        let state: Self =
            serde_json::from_slice(&std::fs::read(file)?).map_err(|error| unreadable(error.to_string()))?;
        match state.format {
            FORMAT => Ok(state),
            _ => Err(unreadable("it was written by another version".to_owned()).into()),
        }
    }
}
