//! Lists, which come a page at a time.

use serde::{Deserialize, Serialize};

use super::{
    AlertView, ApiKeyView, AttemptView, AuditView, CaptureView, Client, HostedLicenseView, ListedLicense, Usage,
    WebhookSecretView,
};

/// Makes a type of numbers that addresses have as text for each row: doc comment, name, default, and most.
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

/// The place in a list where a page begins. Only the service can read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Cursor(#[cfg_attr(feature = "openapi", schemars(length(max = super::limits::CURSOR_CHARS)))] pub String);

/// Which page of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Most entries of the page.
    pub limit: Option<LimitText>,
    /// The `next` of the page before, of the same list.
    pub cursor: Option<Cursor>,
}

/// Which page of what a search finds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchParameters {
    /// The beginning of a client's name, case and accents aside, or a client's id. Of licenses also a license's id, or 8 to
    /// 64 characters of the hash of a key, as logs show it, also of a key that was replaced.
    #[serde(default)]
    pub search: String,
    /// Most entries of the page.
    pub limit: Option<LimitText>,
    /// The `next` of the page before, of the same list.
    pub cursor: Option<Cursor>,
}

/// Makes the body of a list for each row: doc comment, name, and its field with the type of the entries.
macro_rules! pages {
    ($( $(#[doc = $doc:literal])+ $name:ident { $field:ident: $entry:ty } )*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
        pub struct $name {
            /// The entries.
            pub $field: Vec<$entry>,
            /// The cursor of the next page; null on the last.
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
    /// At most one for each environment.
    pub hosted_licenses: Vec<HostedLicenseView>,
}

/// The webhook secrets of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct WebhookSecrets {
    /// All of them, by environment, the oldest first.
    pub webhook_secrets: Vec<WebhookSecretView>,
}

/// The captures of a license by month.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct UsageByMonth {
    /// The months, the current one last.
    pub usage: Vec<Usage>,
}
