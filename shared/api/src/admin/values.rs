//! Identifiers and other texts with a defined format.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::limits::KEY_ID_CHARS;
use crate::values::texts;

/// Why a text is not an id. It does not contain the text, which may be a pasted key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MalformedId {
    /// The id of a client, license, webhook secret or request must be a UUID; the field says which.
    Uuid(&'static str),
    /// The text is not the id of an API key.
    ApiKey,
    /// The text is not the id of a webhook message.
    Message,
}

impl fmt::Display for MalformedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uuid(what) => write!(f, "the id of a {what} must be a UUID"),
            Self::ApiKey => write!(f, "an API key's id must be {KEY_ID_CHARS} hexadecimal characters"),
            Self::Message => f.write_str("the id of a message must be msg_ and 32 hexadecimal characters"),
        }
    }
}

impl std::error::Error for MalformedId {}

/// Defines a type for each row, for UUIDs in lower case: doc comment, name, and what it identifies. None of these ids
/// gives access to anything.
macro_rules! ids {
    ($( $(#[doc = $doc:literal])+ $name:ident: $what:literal; )*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses an id.
            ///
            /// # Errors
            /// [`MalformedId`] unless the text is a UUID in lower case, with hyphens.
            pub fn parse(text: &str) -> Result<Self, MalformedId> {
                if is_uuid(text) { Ok(Self(text.to_owned())) } else { Err(MalformedId::Uuid($what)) }
            }

            /// The id with these 128 bits.
            #[must_use]
            pub fn from_u128(bits: u128) -> Self {
                Self(uuid(bits))
            }

            /// The UUID.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = MalformedId;

            fn try_from(text: String) -> Result<Self, MalformedId> {
                Self::parse(&text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        #[cfg(feature = "openapi")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "format": "uuid",
                    "pattern": UUID,
                    "description": concat!($($doc),+).trim(),
                })
            }
        }
    )*};
}

ids! {
    /// The id of a client: a UUID in lower case.
    ClientId: "client";
    /// The id of a license, which stays the same when its key is rotated: a UUID in lower case.
    LicenseId: "license";
    /// The id of a webhook secret: a UUID in lower case.
    WebhookSecretId: "webhook secret";
}

/// The pattern of a UUID in lower case.
#[cfg(feature = "openapi")]
const UUID: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

fn is_uuid(text: &str) -> bool {
    let is_right = |(place, byte)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    text.len() == 36 && text.bytes().enumerate().all(is_right)
}

fn uuid(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

texts! {
    /// The id of a request or of a webhook secret: a UUID in lower case.
    Id as "Id" { "format": "uuid", "pattern": UUID }
    /// The first 16 hexadecimal characters of a key's SHA-256. Logs show the first 8 of them.
    KeyIdText as "KeyId" { "pattern": "^[0-9a-f]{16}$" }
    /// The last four characters of a key.
    KeySuffix as "KeySuffix" { "minLength": 4, "maxLength": 4 }
    /// The id of a webhook message, which the header `webhook-id` contains.
    MessageIdText as "MessageId" { "pattern": "^msg_[0-9a-f]{32}$" }
    /// A SHA-256 digest as 64 hexadecimal characters in lower case.
    Digest as "Digest" { "pattern": "^[0-9a-f]{64}$" }
    /// A calendar month, UTC.
    Month as "Month" { "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$", "examples": ["2026-11"] }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ids_are_lowercase_uuids() {
        let id = "0b6e9c2e-1111-4222-8333-444455556666";
        assert_eq!(ClientId::parse(id).unwrap(), ClientId::from_u128(0x0b6e_9c2e_1111_4222_8333_4444_5555_6666));
        assert_eq!(LicenseId::from_u128(1).as_str(), "00000000-0000-0000-0000-000000000001");
        for other in
            ["", "0B6E9C2E-1111-4222-8333-444455556666", "0b6e9c2e111142228333444455556666", "svc_api_x", &id[1..]]
        {
            assert_eq!(ClientId::parse(other), Err(MalformedId::Uuid("client")), "{other}");
        }
    }

    #[test]
    fn deserializing_an_id_parses_it() {
        let id = LicenseId::from_u128(7);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{id}\""));
        assert_eq!(serde_json::from_str::<LicenseId>(&json).unwrap(), id);
        let error = serde_json::from_str::<LicenseId>("\"svc_live_x\"").unwrap_err().to_string();
        assert_eq!(error, "the id of a license must be a UUID");
    }
}
