//! A stand-in for Secrets Manager with one secret. By default it holds the key that signs result URLs.

use serde_json::json;

use crate::Service;

pub(super) const ARN: &str = "arn:aws:secretsmanager:sa-east-1:000000000000:secret:presigner";

/// The secret's value in the template's format.
pub(super) fn of_presigner(service: &Service) -> String {
    json!({
        "access_key_id": service.variable("PRESIGNER_ACCESS_KEY_ID"),
        "secret_access_key": service.variable("PRESIGNER_SECRET_ACCESS_KEY"),
    })
    .to_string()
}
