//! Every way in which the admin API says no.

use serde::{Deserialize, Serialize};

use crate::Time;

/// The text of [`Fault::Unreadable`].
pub const UNREADABLE: &str = "A record cannot be read, or the deployment is incomplete. The log has the cause.";
/// The text of [`Fault::Unavailable`] where it is certain that nothing was changed.
pub const NOTHING_CHANGED: &str = "AWS did not respond. Nothing was changed.";
/// The text of [`Fault::Unavailable`] otherwise.
pub const OUTCOME_UNKNOWN: &str = "AWS did not respond; the change may have been applied. Check before retrying.";

/// Makes the enum and what is known of its variants from one table. A row is: doc comment, which is the documentation for
/// clients too; variant; status; and the texts, where the fault has no others.
macro_rules! faults {
    ($( $(#[doc = $doc:literal])+ $variant:ident => $status:literal, [$($text:ident),*]; )*) => {
        /// Why a request was not carried out. The routes that can answer so are in the table of [`Route`](super::Route).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $( $(#[doc = $doc])+ $variant, )*
        }

        impl Fault {
            /// Every fault.
            pub const ALL: &[Self] = &[$( Self::$variant, )*];

            /// The HTTP status. Each fault has another one.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self {$( Self::$variant => $status, )*}
            }

            /// Its only texts; empty where the text names the cause.
            #[must_use]
            pub const fn texts(self) -> &'static [&'static str] {
                match self {$( Self::$variant => &[$($text),*], )*}
            }

            /// Its name in the OpenAPI document.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$( Self::$variant => stringify!($variant), )*}
            }

            /// Its cause, for people who integrate the API.
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
    /// The state does not allow it, it was changed meanwhile, or a request with this `idempotency-key` came before; with
    /// `carried_out_at` when that one was carried out.
    Conflict => 409, [];
    /// The license has another revision than `if-match` names. Nothing was changed.
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
    /// A text for people, in English.
    pub error: String,
}

/// The body of the error that a request was carried out before. Nothing is done twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CarriedOut {
    /// A text for people, in English.
    pub error: String,
    /// When the request was carried out.
    pub carried_out_at: Time,
}
