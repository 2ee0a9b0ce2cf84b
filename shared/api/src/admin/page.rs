//! Paginated lists.

use serde::{Deserialize, Serialize};

use super::{
    AlertView, ApiKeyView, AttemptView, AuditView, CaptureView, Client, HostedLicenseView, KitView, ListedLicense,
    Usage, WebhookSecretView,
};

/// Defines a type for each row, for numbers that are sent as text in query parameters: doc comment, name, default,
/// maximum.
macro_rules! numbers {
    ($( $(#[doc = $doc:literal])+ $name:ident: $default:expr, $most:expr; )*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        #[cfg(feature = "openapi")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "integer", "minimum": 1, "maximum": $most, "default": $default })
            }
        }
    )*};
}

numbers! {
    /// A number of entries.
    LimitText: super::limits::PAGE_ENTRIES, super::limits::PAGE_ENTRIES_MAX;
    /// A number of months.
    MonthsText: super::limits::USAGE_MONTHS, super::limits::USAGE_MONTHS_MAX;
}

/// The position at which a page of a list starts. It is opaque to clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Cursor(#[cfg_attr(feature = "openapi", schemars(length(max = super::limits::CURSOR_CHARS)))] pub String);

/// The requested page of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Maximum number of entries on the page.
    pub limit: Option<LimitText>,
    /// The `next` of the previous page of the same list.
    pub cursor: Option<Cursor>,
}

/// A search, and the requested page of its results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchParameters {
    /// The beginning of a client's name, ignoring case and accents, or a client's id. For licenses also a license's id,
    /// or the first 8 to 64 characters of a key's hash, as logs show it; this also finds keys that were replaced.
    #[serde(default)]
    pub search: String,
    /// Maximum number of entries on the page.
    pub limit: Option<LimitText>,
    /// The `next` of the previous page of the same list.
    pub cursor: Option<Cursor>,
}

/// Defines the body of a list for each row: doc comment, name, and the field with the type of its entries.
macro_rules! pages {
    ($( $(#[doc = $doc:literal])+ $name:ident { $field:ident: $entry:ty } )*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
        pub struct $name {
            /// The entries of the page.
            pub $field: Vec<$entry>,
            /// The cursor of the next page; null on the last page.
            pub next: Option<String>,
        }
    )*};
}

pages! {
    /// A page of clients.
    ClientPage { clients: Client }
    /// A page of API keys.
    ApiKeyPage { api_keys: ApiKeyView }
    /// A page of licenses.
    LicensePage { licenses: ListedLicense }
    /// A page of kits.
    KitPage { kits: KitView }
    /// A page of attempts at webhooks.
    AttemptPage { webhooks: AttemptView }
    /// A page of alerts.
    AlertPage { alerts: AlertView }
    /// A page of captures.
    CapturePage { captures: CaptureView }
    /// A page of the audit log.
    AuditPage { audit: AuditView }
}

/// The licenses of a client's hosted sessions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct HostedLicenses {
    /// At most one license for each environment.
    pub hosted_licenses: Vec<HostedLicenseView>,
}

/// The webhook secrets of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct WebhookSecrets {
    /// All webhook secrets, ordered by environment and then by age, oldest first.
    pub webhook_secrets: Vec<WebhookSecretView>,
}

/// The captures of a license by month.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct UsageByMonth {
    /// The months, the current one last.
    pub usage: Vec<Usage>,
}
