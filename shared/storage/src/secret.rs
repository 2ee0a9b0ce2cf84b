//! Secrets in Secrets Manager, each a JSON object.

use serde::de::DeserializeOwned;

use crate::{
    Connection, Error,
    budgets::InTime,
    error::{is_final_refusal, unavailable},
};

impl Connection {
    /// Reads a secret.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] when it has no value of this form, or may not be read; [`Error::Unavailable`] when it cannot be
    /// fetched.
    pub async fn read_secret<T: DeserializeOwned>(&self, arn: &str) -> Result<T, Error> {
        let answer = self.secrets_manager().get_secret_value().secret_id(arn).send().in_time().await;
        let answer = answer.map_err(|error| match is_final_refusal(&error) {
            // A secret without a value, or one that this function may not read: waiting does not help.
            true => Error::Misconfigured("the secret cannot be read"),
            false => unavailable("GetSecretValue", &error),
        })?;
        // The fault that serde names could hold a part of it.
        let secret = answer.secret_string().and_then(|text| serde_json::from_str(text).ok());
        secret.ok_or(Error::Misconfigured("the secret is not the JSON that it should be"))
    }
}
