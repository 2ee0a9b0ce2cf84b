//! The errors of the admin API.

use serde::{Deserialize, Serialize};

use crate::Time;

/// The text of [`Fault::Unreadable`].
pub const UNREADABLE: &str = "A record cannot be read, or the deployment is incomplete. The log has the cause.";
/// The text of [`Fault::Unavailable`] if it is certain that nothing was changed.
pub const NOTHING_CHANGED: &str = "AWS did not respond. Nothing was changed.";
/// The text of [`Fault::Unavailable`] in all other cases.
pub const OUTCOME_UNKNOWN: &str = "AWS did not respond; the change may have been applied. Check before retrying.";

/// Defines the enum and the properties of its variants from one table. A row consists of: doc comment, which also
/// documents the error for clients; variant; status; and all its texts, unless they depend on the cause.
macro_rules! faults {
    ($( $(#[doc = $doc:literal])+ $variant:ident => $status:literal, [$($text:ident),*]; )*) => {
        /// Why a request failed. The table of [`Route`](super::Route) says which routes can fail this way.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $( $(#[doc = $doc])+ $variant, )*
        }

        impl Fault {
            /// All faults.
            pub const ALL: &[Self] = &[$( Self::$variant, )*];

            /// The HTTP status, which is different for each fault.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self {$( Self::$variant => $status, )*}
            }

            /// All texts of the fault; empty if the text depends on the cause.
            #[must_use]
            pub const fn texts(self) -> &'static [&'static str] {
                match self {$( Self::$variant => &[$($text),*], )*}
            }

            /// The name in the OpenAPI document.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$( Self::$variant => stringify!($variant), )*}
            }

            /// The documentation of the fault for integrators.
            #[must_use]
            pub const fn cause(self) -> &'static str {
                match self {$( Self::$variant => concat!($($doc),+).trim_ascii(), )*}
            }
        }
    };
}

faults! {
    /// The input is invalid. Nothing was changed.
    Invalid => 400, [];
    /// The resource does not exist.
    NotFound => 404, [];
    /// The current state does not allow the operation, it was changed concurrently, or an earlier request has the same
    /// `idempotency-key`; if that request was carried out, the body has `carried_out_at`.
    Conflict => 409, [];
    /// The license's revision differs from the one in `if-match`. Nothing was changed.
    Stale => 412, [];
    /// A record cannot be read, or the deployment is incomplete. Do not retry.
    Unreadable => 500, [UNREADABLE];
    /// AWS did not respond. The text says whether the change may have been applied.
    Unavailable => 503, [NOTHING_CHANGED, OUTCOME_UNKNOWN];
}

/// The body of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Error", deny_unknown_fields))]
pub struct FaultBody {
    /// An English text for people.
    pub error: String,
}

/// The body of the error for a request that was carried out before. Nothing is done twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CarriedOut {
    /// An English text for people.
    pub error: String,
    /// When the request was carried out.
    pub carried_out_at: Time,
}
