//! String types with a defined format. Most are secrets, so their `Debug` does not show them. Bodies with personal data
//! have no `Debug`.

use serde::{Deserialize, Serialize};

/// Defines a string type for each row: doc comment, which describes the format; name; name and keywords of its JSON
/// schema.
macro_rules! texts {
    ($( $(#[doc = $doc:literal])+ $name:ident as $schema:literal { $($keyword:literal: $value:expr),* $(,)? } )*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }

        #[cfg(feature = "openapi")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let description = concat!($($doc),+).trim();
                schemars::json_schema!({ "type": "string", "description": description, $($keyword: $value),* })
            }
        }
    )*};
}

/// Defines an enumeration of words for each row: doc comment, name, and the values with their words.
macro_rules! words {
    ($( $(#[doc = $doc:literal])+ $name:ident { $( $(#[doc = $value_doc:literal])+ $value:ident = $word:literal, )+ } )*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
        pub enum $name {
            $( $(#[doc = $value_doc])+ #[serde(rename = $word)] $value, )+
        }

        impl $name {
            /// All values, in order.
            pub const ALL: &[Self] = &[$( Self::$value, )+];
            /// The words in the API, in the order of the values.
            pub const WORDS: &[&str] = &[$($word),+];

            /// The word in the API.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$value => $word, )+
                }
            }

            /// Parses a word of the API.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

pub(crate) use {texts, words};

texts! {
    /// A UUID v4 in lower case.
    Uuid as "Uuid" {
        "format": "uuid",
        "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
        "examples": ["5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b"],
    }
    /// A time in RFC 3339, in UTC with whole seconds.
    Time as "Time" { "format": "date-time", "pattern": "Z$", "examples": ["2026-11-20T12:30:00Z"] }
    /// A day in UTC.
    Day as "Day" { "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "examples": ["2026-11-30"] }
    /// An absolute URL.
    Url as "Url" { "format": "uri" }
    /// A license key: `svc_live_`, `svc_stag_` or `svc_sand_`, followed by 32 or 33 base58 characters.
    LicenseKeyText as "LicenseKey" { "pattern": "^svc_(live|stag|sand)_[1-9A-HJ-NP-Za-km-z]{32,33}$" }
    /// 32 bytes in base64url without padding.
    NonceText as "Nonce" { "pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$" }
    /// 64 hexadecimal characters of either case.
    Sha256Hex as "Sha256" { "pattern": "^[0-9A-Fa-f]{64}$" }
    /// ASCII letters, digits, space and `. _ : / @ # + -`, without a space at either end.
    Reference as "Reference" {
        "minLength": 1,
        "maxLength": crate::limits::REFERENCE_ID_BYTES,
        "pattern": "^[A-Za-z0-9._:/@#+-]([A-Za-z0-9 ._:/@#+-]*[A-Za-z0-9._:/@#+-])?$",
        "examples": ["sinistro-42"],
    }
}
