//! The audit log: which operator did what, when, from where, and with which outcome.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{AuditOutcome, ClientId, Operation, Via, capture::month_of};

/// The idempotency id of an operator's request: a UUID in lower case. A request that repeats the id of an earlier one
/// is not carried out again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(String);

impl RequestId {
    /// Reads a UUID in lower case, with hyphens.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        uuid::Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text).then(|| Self(text.to_owned()))
    }

    /// A new id of random bytes.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(entropy).into_uuid().to_string())
    }

    /// The UUID.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The operator who makes a request, as AWS authenticated it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The ARN of the IAM principal; for a lookup `api-key/` and the id of the client's API key.
    pub principal: String,
    /// The tool or API through which the operator reaches the service.
    pub via: Via,
    /// Where the request comes from: an IP address, or a machine's name.
    pub source: String,
}

/// One entry of the audit log. An entry never changes once it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// The id of the operator's request.
    pub id: RequestId,
    /// The id of the attempt at the request that wrote this entry.
    pub attempt: String,
    /// When the operation was carried out, by the service's clock.
    #[serde(with = "crate::exact::millis")]
    pub at: OffsetDateTime,
    /// The calendar month of `at` in UTC, by which entries are listed.
    pub month: String,
    /// The operation.
    pub operation: Operation,
    /// How the operation ended.
    pub outcome: AuditOutcome,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
    /// The tool or API through which the operator reached the service.
    pub via: Via,
    /// Where the request came from: an IP address, or a machine's name.
    pub source: String,
    /// The client that the operation concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<ClientId>,
    /// The id of the license, key, message, capture or environment that the operation concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The values that were set, or the reason why the operation was refused. Holds neither secrets nor personal data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl AuditEntry {
    /// An entry for an operation that is being carried out now, without a client, subject or detail.
    #[must_use]
    pub fn of(id: RequestId, attempt: String, at: OffsetDateTime, operation: Operation, operator: Operator) -> Self {
        let Operator { principal, via, source } = operator;
        Self {
            id,
            attempt,
            at,
            month: month_of(at),
            operation,
            outcome: AuditOutcome::Done,
            principal,
            via,
            source,
            client_id: None,
            subject: None,
            detail: None,
        }
    }

    /// Adds the client that the operation concerns.
    #[must_use]
    pub fn for_client(self, client: &ClientId) -> Self {
        Self { client_id: Some(client.clone()), ..self }
    }

    /// Adds the id of the object that the operation concerns.
    #[must_use]
    pub fn about(self, subject: impl ToString) -> Self {
        Self { subject: Some(subject.to_string()), ..self }
    }

    /// Adds the values that the operation sets.
    #[must_use]
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// A copy with another outcome, and the reason for it as its detail.
    #[must_use]
    pub fn ended(&self, outcome: AuditOutcome, why: impl Into<String>) -> Self {
        Self { outcome, detail: Some(why.into()), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_ids_are_lowercase_uuids() {
        let id = "0b6e9c2e-1111-4222-8333-444455556666";
        assert_eq!(RequestId::parse(id).map(|id| id.to_string()).as_deref(), Some(id));
        for other in ["", "0B6E9C2E-1111-4222-8333-444455556666", "0b6e9c2e111142228333444455556666", "svc_api_x"] {
            assert_eq!(RequestId::parse(other), None, "{other}");
        }
        assert!(RequestId::parse(RequestId::from_entropy([7; 16]).as_str()).is_some());
    }
}
