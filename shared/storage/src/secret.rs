//! Secrets in Secrets Manager, each a JSON object.

use serde::de::DeserializeOwned;

use crate::{
    Connection, SetupError,
    budgets::InTime,
    error::{is_final_refusal, unavailable},
};

impl Connection {
    /// Reads a secret.
    ///
    /// # Errors
    /// [`SetupError::Misconfigured`] if its value does not have the expected form, or reading it is not permitted;
    /// [`SetupError::Aws`] if it cannot be fetched.
    pub async fn read_secret<T: DeserializeOwned>(&self, arn: &str) -> Result<T, SetupError> {
        let answer = self.secrets_manager().get_secret_value().secret_id(arn).send().in_time().await;
        let answer = answer.map_err(|error| match is_final_refusal(&error) {
            // The secret has no value, or this function may not read it. A retry would not help.
            true => SetupError::Misconfigured("the secret cannot be read"),
            false => unavailable("GetSecretValue", &error).into(),
        })?;
        // serde's error message could quote a part of the secret, so it is dropped.
        let secret = answer.secret_string().and_then(|text| serde_json::from_str(text).ok());
        secret.ok_or(SetupError::Misconfigured("the secret does not have the expected JSON form"))
    }
}
