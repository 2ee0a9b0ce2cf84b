//! The routes of the admin API.

use super::Fault;

/// Defines the enum and the properties of each route from one table. A row consists of: variant, method, path,
/// identifier in the OpenAPI document, status and description of success, and the faults that not every route has. The
/// doc comment becomes the route's documentation there.
macro_rules! routes {
    ($( $(#[doc = $doc:literal])+ $variant:ident => $method:literal, $path:literal, $id:literal,
        $status:literal, $success:literal, [$($fault:ident),*]; )*) => {
        /// A route of the admin API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Route {
            $( $(#[doc = $doc])+ $variant, )*
        }

        impl Route {
            /// All routes.
            pub const ALL: [Self; [$($id),*].len()] = [$( Self::$variant, )*];

            /// The HTTP method, in upper case.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self {$( Self::$variant => $method, )*}
            }

            /// The path, with parameters in braces.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self {$( Self::$variant => $path, )*}
            }

            /// Method and path in the form of API Gateway's route keys: `GET /clients/{client_id}`.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self {$( Self::$variant => concat!($method, " ", $path), )*}
            }

            /// The `operationId` in the OpenAPI document.
            #[must_use]
            pub const fn operation_id(self) -> &'static str {
                match self {$( Self::$variant => $id, )*}
            }

            /// The documentation: a sentence that says what the route does, then further information.
            #[must_use]
            pub const fn documentation(self) -> &'static str {
                match self {$( Self::$variant => concat!($($doc),+).trim_ascii(), )*}
            }

            /// The HTTP status of success, and a description of the response.
            #[must_use]
            pub const fn success(self) -> (u16, &'static str) {
                match self {$( Self::$variant => ($status, $success), )*}
            }

            /// Whether the route can fail with this fault.
            #[must_use]
            pub fn has(self, fault: Fault) -> bool {
                let of_some_routes: &[Fault] = match self {$( Self::$variant => &[$( Fault::$fault, )*], )*};
                matches!(fault, Fault::Invalid | Fault::Unreadable | Fault::Unavailable) || of_some_routes.contains(&fault)
            }
        }
    };
}

routes! {
    /// Shows the state of the service at a glance.
    Overview => "GET", "/overview", "overview", 200, "The state.", [];
    /// Lists clients by name.
    ListClients => "GET", "/clients", "listClients", 200, "A page.", [];
    /// Creates a client.
    CreateClient => "POST", "/clients", "createClient", 201, "The client.", [Conflict];
    /// Shows a client.
    Client => "GET", "/clients/{client_id}", "client", 200, "The client.", [NotFound];
    /// Suspends a client: its API keys and licenses are refused until it is resumed. Repeating the request completes an
    /// interrupted one.
    SuspendClient => "POST", "/clients/{client_id}/suspend", "suspendClient", 200, "The client.", [NotFound, Conflict];
    /// Resumes a client: its API keys and licenses work again.
    ResumeClient => "POST", "/clients/{client_id}/resume", "resumeClient", 200, "The client.", [NotFound, Conflict];
    /// Lists a client's API keys, oldest first.
    ListApiKeys => "GET", "/clients/{client_id}/api-keys", "listApiKeys", 200, "A page.", [NotFound];
    /// Issues an API key.
    IssueApiKey => "POST", "/clients/{client_id}/api-keys",
    "issueApiKey", 201, "The API key. The key itself is shown this once.", [NotFound, Conflict];
    /// Revokes an API key permanently. Sessions that it created continue.
    RevokeApiKey => "POST", "/clients/{client_id}/api-keys/{key_id}/revoke", "revokeApiKey", 200, "The API key.",
    [NotFound, Conflict];
    /// Lists a client's licenses, oldest first, with usage that may lag by some seconds.
    ListLicenses => "GET", "/clients/{client_id}/licenses", "listLicenses", 200, "A page.", [NotFound];
    /// Issues a license.
    IssueLicense => "POST", "/clients/{client_id}/licenses", "issueLicense", 201, "The license. Its key is shown this once.",
    [NotFound, Conflict];
    /// Lists the license of hosted sessions in each environment that has one.
    ListHostedLicenses => "GET", "/clients/{client_id}/hosted-licenses",
    "listHostedLicenses", 200, "At most one license for each environment.", [NotFound];
    /// Lists a client's kits in an environment by name.
    ListKits => "GET", "/clients/{client_id}/kits", "listKits", 200, "A page.", [NotFound];
    /// Puts a kit: its first version, or its next one, which becomes the current version. A kit that was retired can be
    /// used again. The kit must differ from the current version.
    PutKit => "POST", "/clients/{client_id}/kits", "putKit", 201, "The version.", [NotFound, Conflict];
    /// Shows a kit: its current version, or another one.
    Kit => "GET", "/clients/{client_id}/kits/{environment}/{name}", "kit", 200, "The version.", [NotFound];
    /// Retires a kit: new sessions cannot use it, until another version is put. Open sessions keep it.
    RetireKit => "POST", "/clients/{client_id}/kits/{environment}/{name}/retire", "retireKit", 200, "The kit.",
    [NotFound, Conflict];
    /// Sets the sender of a client's hosted sessions in an environment, replacing the previous one. Open sessions show the
    /// new one.
    SetSender => "POST", "/clients/{client_id}/senders", "setSender", 200, "The sender.", [NotFound, Conflict];
    /// Shows the sender of a client's hosted sessions in an environment.
    Sender => "GET", "/clients/{client_id}/senders/{environment}", "sender", 200, "The sender.", [NotFound];
    /// Lists a client's webhook secrets, by environment and then oldest first.
    ListWebhookSecrets => "GET", "/clients/{client_id}/webhook-secrets", "listWebhookSecrets", 200, "All of them.",
    [NotFound];
    /// Issues the first webhook secret in an environment.
    IssueWebhookSecret => "POST", "/clients/{client_id}/webhook-secrets",
    "issueWebhookSecret", 201, "The secret, which is shown this once.", [NotFound, Conflict];
    /// Issues another webhook secret. Earlier secrets continue to sign, besides the new one, for an overlap.
    RotateWebhookSecret => "POST", "/clients/{client_id}/webhook-secrets/rotate",
    "rotateWebhookSecret", 201, "The secret, which is shown this once.", [NotFound, Conflict];
    /// Ends a webhook secret at once. Ending the last one that signs in its environment requires `last`.
    RevokeWebhookSecret => "POST", "/clients/{client_id}/webhook-secrets/{secret_id}/revoke",
    "revokeWebhookSecret", 200, "The secret.", [NotFound, Conflict];
    /// Lists a client's attempts at webhooks, newest first. A page that is filtered by state may be empty without being
    /// the last.
    ListWebhooks => "GET", "/clients/{client_id}/webhooks", "listWebhooks", 200, "A page.", [NotFound];
    /// Makes another attempt at a webhook, once the last one has ended. It is refused while the client is suspended,
    /// and if a photo of the message is withheld or erased.
    RedeliverWebhook => "POST", "/clients/{client_id}/webhooks/{message_id}/redeliver", "redeliverWebhook", 201, "The attempt.",
    [NotFound, Conflict];
    /// Lists the failed attempts of all clients that were not followed by a redelivery, newest first.
    ListFailingWebhooks => "GET", "/webhooks", "listFailingWebhooks", 200, "A page.", [];
    /// Lists licenses of all clients, ordered by the client's name and then oldest first, with usage that may lag by
    /// some seconds.
    FindLicenses => "GET", "/licenses", "findLicenses", 200, "A page.", [];
    /// Shows a license, with the exact usage of this month.
    License => "GET", "/licenses/{license_id}", "license", 200, "The license.", [NotFound];
    /// Changes the given terms of a license. The others stay as they are.
    ConfigureLicense => "PATCH", "/licenses/{license_id}", "configureLicense", 200, "The license.",
    [NotFound, Conflict, Stale];
    /// Lists the captures of each of the last months, the current one last.
    Usage => "GET", "/licenses/{license_id}/usage", "usage", 200, "The months.", [NotFound];
    /// Replaces a license's key. The old key stops working at once.
    RotateLicenseKey => "POST", "/licenses/{license_id}/rotate",
    "rotateLicenseKey", 200, "The license. Its new key is shown this once.", [NotFound, Conflict, Stale];
    /// Revokes a license permanently.
    RevokeLicense => "POST", "/licenses/{license_id}/revoke", "revokeLicense", 200, "The license.",
    [NotFound, Conflict, Stale];
    /// Selects this license for new hosted sessions of its client and environment.
    HostLicense => "POST", "/licenses/{license_id}/host", "hostLicense", 200, "The license of hosted sessions.",
    [NotFound, Conflict, Stale];
    /// Acknowledges an alert, which then no longer counts as open.
    AcknowledgeAlert => "POST", "/licenses/{license_id}/alerts/{month}/{alert}/acknowledge",
    "acknowledgeAlert", 200, "The alert.", [NotFound, Conflict];
    /// Lists open alerts, newest first; or those of a month, by client and license; or, on a single page, those of a
    /// license or client, oldest first.
    ListAlerts => "GET", "/alerts", "listAlerts", 200, "A page.", [NotFound];
    /// Finds captures by their reference or frame. Erased captures cannot be found by their reference.
    FindCaptures => "GET", "/captures", "findCaptures", 200, "A page.", [];
    /// Shows a capture, without personal data.
    Capture => "GET", "/captures/{capture_id}", "capture", 200, "The capture.", [NotFound];
    /// Finds the captures of a client in an environment that a copy of a photo may show. The body is the copy, with its
    /// media type: a JPEG, PNG or WebP of at most 4,194,304 bytes and 40 megapixels. Captures without a fingerprint, and
    /// those that are withheld or erased, are not found. The lookup is recorded in the audit log, without the copy.
    FindCopy => "POST", "/clients/{client_id}/captures/{environment}/matches", "findCopy", 200, "The captures.", [NotFound];
    /// Lists the operations of operators in a month, or about a client, newest first.
    ListAudit => "GET", "/audit", "listAudit", 200, "A page.", [NotFound];
    /// Shows the outcome of a request. It is not found if the request was not carried out and no attempt at it has
    /// ended.
    Request => "GET", "/audit/{request_id}", "request", 200, "The entry.", [NotFound];
    /// Probes whether the ingest function can sign with the draft of an environment's signer profile, or with a version
    /// of it. The function signs test messages under its own role, and requests a timestamp if the profile names
    /// authorities. Nothing is changed.
    ProbeSigners => "POST", "/signers/{environment}/probe", "probeSigners", 200, "What was probed.", [NotFound];
}

impl Route {
    /// Finds a route by API Gateway's route key.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.key() == key)
    }

    /// Whether the route changes something. Such requests take an `idempotency-key`, and are recorded in the audit log.
    #[must_use]
    pub fn is_change(self) -> bool {
        self.has(Fault::Conflict)
    }

    /// Whether the request may state the license's expected revision in `if-match`.
    #[must_use]
    pub fn takes_revision(self) -> bool {
        self.has(Fault::Stale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_route_by_gateway_key() {
        for route in Route::ALL {
            assert_eq!(Route::parse(route.key()), Some(route));
            assert_eq!(route.key(), format!("{} {}", route.method(), route.path()));
        }
        assert_eq!(Route::parse("GET /clients/"), None);
    }
}
