//! Identifiers and other texts with a defined format.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::values::texts;

/// Defines a type for each row, for UUIDs in lower case: doc comment and name. None of these ids gives access to
/// anything.
macro_rules! ids {
    ($( $(#[doc = $doc:literal])+ $name:ident; )*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

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
                    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
                    "description": concat!($($doc),+).trim(),
                })
            }
        }
    )*};
}

ids! {
    /// The id of a client: a UUID in lower case.
    ClientId;
    /// The id of a license, which stays the same when its key is rotated: a UUID in lower case.
    LicenseId;
    /// The id of a request or of a webhook secret: a UUID in lower case.
    Id;
}

texts! {
    /// The first 16 hexadecimal characters of a key's SHA-256. Logs show the first 8 of them.
    KeyId as "KeyId" { "pattern": "^[0-9a-f]{16}$" }
    /// The last four characters of a key.
    KeySuffix as "KeySuffix" { "minLength": 4, "maxLength": 4 }
    /// The id of a webhook message, which the header `webhook-id` contains.
    MessageIdText as "MessageId" { "pattern": "^msg_[0-9a-f]{32}$" }
    /// A SHA-256 digest as 64 hexadecimal characters in lower case.
    Digest as "Digest" { "pattern": "^[0-9a-f]{64}$" }
    /// A calendar month, UTC.
    Month as "Month" { "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$", "examples": ["2026-11"] }
}
