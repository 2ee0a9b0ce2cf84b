//! The authority's key and certificates. With a data directory they are stored in a file, so that its root stays
//! trusted across starts.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    Error,
    provision::Hierarchies,
    stand_ins::{self, Storage, write_whole},
};

/// Name of the file in the data directory.
const FILE: &str = "timestamps.json";

/// The stored authority.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    /// The RSA private key: DER PKCS#8 in hexadecimal.
    pub(super) private_key: String,
    /// The leaf and the CA certificates above it, without the root.
    pub(super) chain_pem: String,
    pub(super) roots_pem: String,
}

impl Kept {
    /// Reads the stored authority, or creates one that is valid at `now`.
    pub(super) async fn of(storage: Option<&Storage>, now: OffsetDateTime) -> Result<Self, Error> {
        let file = storage.and_then(|storage| storage.file(FILE));
        if let Some(path) = file.as_ref().filter(|path| path.exists()) {
            let unreadable = |error: serde_json::Error| stand_ins::Error::Unreadable {
                path: path.clone(),
                cause: error.to_string(),
            };
            return Ok(serde_json::from_slice(&std::fs::read(path)?).map_err(unreadable)?);
        }
        let hierarchies = Hierarchies::at(now).await?;
        let kept = Self {
            private_key: hex::encode(&hierarchies.timestamper.pkcs8_der),
            chain_pem: hierarchies.timestamper.chain_pem.clone(),
            roots_pem: hierarchies.timestamp_roots_pem.clone(),
        };
        if let Some(path) = file {
            write_whole(&path, &[&serde_json::to_vec_pretty(&kept).map_err(std::io::Error::other)?])?;
        }
        Ok(kept)
    }
}
