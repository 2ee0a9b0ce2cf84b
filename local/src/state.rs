//! What a first start makes and issues, and the file that keeps it for the next one.

use std::{path::Path, sync::Arc};

use admin::Administration;
use aws::Connection;
use domain::Clock;
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    clients::Clients,
    provision,
    seed::{self, Keys},
    stand_ins::{self, Storage, write_whole},
};

/// The file, in the data directory.
const FILE: &str = "service.json";

/// Keys and certificates that were issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) keys: Keys,
    /// The roots of both development hierarchies.
    pub(crate) trust_anchors_pem: String,
}

impl State {
    /// What an earlier start issued, or what this one does. The file is written last, so a start that broke off is made
    /// again.
    pub(crate) async fn of(
        storage: Option<&Storage>,
        connection: &Connection,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let Some(file) = storage.and_then(|storage| storage.file(FILE)) else {
            return Self::issue(connection, clock).await;
        };
        if file.exists() {
            return Self::read(&file);
        }
        let state = Self::issue(connection, clock).await?;
        let text = serde_json::to_vec_pretty(&state).map_err(std::io::Error::other)?;
        write_whole(&file, &[&text])?;
        Ok(state)
    }

    async fn issue(connection: &Connection, clock: &Arc<dyn Clock>) -> Result<Self, Error> {
        let (administration, now) = (Administration::new(connection, Arc::clone(clock)), clock.now());
        let clients = Clients::new(connection.config());
        provision::storage(&clients, connection.config()).await?;
        let (trust_anchors_pem, keys) =
            tokio::join!(provision::signers(connection, clock), seed::seed(&administration, now));
        Ok(Self { trust_anchors_pem: trust_anchors_pem?, keys: keys? })
    }

    fn read(file: &Path) -> Result<Self, Error> {
        let read = serde_json::from_slice(&std::fs::read(file)?);
        let unreadable = |error: serde_json::Error| stand_ins::Error::Unreadable {
            path: file.to_owned(),
            cause: format!("{error}; --fresh starts without it"),
        };
        Ok(read.map_err(unreadable)?)
    }
}
