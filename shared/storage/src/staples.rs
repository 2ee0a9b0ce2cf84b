//! The OCSP responses about the claim certificates in force, in the `Accounts` table: one for each environment, which the
//! manifests of its captures carry.
//!
//! A response is replicated like the other records that every capture reads, but its replicas are written without a
//! transaction: whoever uses one checks it.

use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, WriteRequest};
use lacre_domain::Environment;
use serde::{Deserialize, Serialize};

use crate::{
    Connection, Error,
    account_keys::{Key, key_item, replicas, staple_key},
    error::incomplete,
    item::{batch_write, encode, text},
};

pub(crate) const STAPLE: &str = "staple";

/// A response in its stored form.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredStaple {
    /// An `OCSPResponse` in DER.
    #[serde(with = "serde_bytes")]
    pub(crate) response: Vec<u8>,
}

/// Writes the responses.
#[derive(Clone, Debug)]
pub struct Staples {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Staples {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.accounts.read() }
    }

    /// Stores an environment's response (`OCSPResponse` in DER) in place of the one before.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some replicas may have been written.
    pub async fn put(&self, environment: Environment, response: &[u8]) -> Result<(), Error> {
        let stored = StoredStaple { response: response.to_vec() };
        let put = |(pk, sk): Key| {
            let item = encode(STAPLE, &stored, [("pk", text(pk)), ("sk", text(sk))])?;
            let put = PutRequest::builder().set_item(Some(item)).build().map_err(incomplete)?;
            Ok(WriteRequest::builder().put_request(put).build())
        };
        self.write(environment, put).await
    }

    /// Deletes an environment's response, if there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some replicas may have been deleted.
    pub async fn remove(&self, environment: Environment) -> Result<(), Error> {
        let delete = |(pk, sk): Key| {
            let delete = DeleteRequest::builder().set_key(Some(key_item(&pk, &sk))).build().map_err(incomplete)?;
            Ok(WriteRequest::builder().delete_request(delete).build())
        };
        self.write(environment, delete).await
    }

    async fn write(
        &self,
        environment: Environment,
        write: impl Fn(Key) -> Result<WriteRequest, Error>,
    ) -> Result<(), Error> {
        let writes = replicas(&staple_key(environment)).into_iter().map(write).collect::<Result<_, _>>()?;
        batch_write(&self.client, &self.table, writes).await
    }
}
