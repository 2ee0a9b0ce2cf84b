//! API keys, by which backends of clients authenticate.

use lacre_api::Refusal;
use lacre_domain::{ApiKey, ApiKeyRecord, keys::ApiKeyFault};
use time::OffsetDateTime;

/// Parses an API key from a header's value.
///
/// # Errors
/// [`Refusal::ApiKeyWrongPrefix`], [`Refusal::ApiKeyInvalid`].
pub fn parse_api_key(text: Option<&str>) -> Result<ApiKey, Refusal> {
    ApiKey::parse(text.unwrap_or_default()).map_err(|fault| match fault {
        ApiKeyFault::WrongPrefix => Refusal::ApiKeyWrongPrefix,
        ApiKeyFault::Missing | ApiKeyFault::Malformed => Refusal::ApiKeyInvalid,
    })
}

/// Checks the record of an API key.
///
/// # Errors
/// [`Refusal::ApiKeyInvalid`] if there is none, [`Refusal::ApiKeyRevoked`].
pub fn check_api_key(record: Option<ApiKeyRecord>) -> Result<ApiKeyRecord, Refusal> {
    let record = record.ok_or(Refusal::ApiKeyInvalid)?;
    if record.is_usable() { Ok(record) } else { Err(Refusal::ApiKeyRevoked) }
}

/// Seconds until the hour in which an API key's requests are counted is over.
#[must_use]
pub fn seconds_to_next_hour(now: OffsetDateTime) -> u32 {
    3600 - u32::from(now.minute()) * 60 - u32::from(now.second())
}
