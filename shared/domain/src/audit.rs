//! The audit log: which operator did what, when, from where, and with which outcome.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{AuditOutcome, ClientId, Operation, Via, capture::month_of};

/// The id of a request for an operation: a UUID in lower case. A request with the id of an earlier one is not carried out.
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

/// An operator, as AWS names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The ARN of the IAM principal.
    pub principal: String,
    /// How it reaches the service.
    pub via: Via,
    /// From where: an IP address, or the name of a machine.
    pub source: String,
}

/// One entry of the audit log. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// The request.
    pub id: RequestId,
    /// The attempt at the request that wrote the entry.
    pub attempt: String,
    /// The service's time.
    #[serde(with = "crate::exact::millis")]
    pub at: OffsetDateTime,
    /// The calendar month of that, UTC.
    pub month: String,
    /// What was done.
    pub operation: Operation,
    /// How it ended.
    pub outcome: AuditOutcome,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
    /// How the operator reached the service.
    pub via: Via,
    /// From where: an IP address, or the name of a machine.
    pub source: String,
    /// The client that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<ClientId>,
    /// The id of the license, key, message, capture or environment that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The values that were set, or why it was refused. No secret, and nothing of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl AuditEntry {
    /// An entry about an operation that is carried out now.
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

    /// The same about a client.
    #[must_use]
    pub fn for_client(self, client: &ClientId) -> Self {
        Self { client_id: Some(client.clone()), ..self }
    }

    /// The same about a thing with an id.
    #[must_use]
    pub fn about(self, subject: impl ToString) -> Self {
        Self { subject: Some(subject.to_string()), ..self }
    }

    /// The same with the values that are set.
    #[must_use]
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// The same, not carried out.
    #[must_use]
    pub fn ended(&self, outcome: AuditOutcome, why: impl Into<String>) -> Self {
        Self { outcome, detail: Some(why.into()), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_id_is_a_uuid_in_lower_case() {
        let id = "0b6e9c2e-1111-4222-8333-444455556666";
        assert_eq!(RequestId::parse(id).map(|id| id.to_string()).as_deref(), Some(id));
        for other in ["", "0B6E9C2E-1111-4222-8333-444455556666", "0b6e9c2e111142228333444455556666", "svc_api_x"] {
            assert_eq!(RequestId::parse(other), None, "{other}");
        }
        assert!(RequestId::parse(RequestId::from_entropy([7; 16]).as_str()).is_some());
    }
}
