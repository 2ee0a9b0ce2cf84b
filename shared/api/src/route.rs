//! The routes of the API, and the refusals of each.

use crate::{Refusal, limits};

/// Defines the enum and the properties of each route from one table. A row consists of: variant, the gateway that
/// serves it, method and path, identifier in the OpenAPI documents. The doc comment (one line) is the summary there.
macro_rules! routes {
    ($( #[doc = $doc:literal] $variant:ident => $address:ident, $name:literal, $id:literal; )*) => {
        /// A route of the API. The hosted flow's load and ingest are the same routes as the component's, at another
        /// address.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Route {
            $( #[doc = $doc] $variant, )*
        }

        impl Route {
            /// All routes.
            pub const ALL: [Self; [$($id),*].len()] = [$( Self::$variant, )*];

            /// The address that serves the route.
            #[must_use]
            pub const fn address(self) -> Address {
                match self {$( Self::$variant => Address::$address, )*}
            }

            /// Method and path: `GET /web/sessions/:token`. This is unique within an address.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$( Self::$variant => $name, )*}
            }

            /// The `operationId` in the OpenAPI documents.
            #[must_use]
            pub const fn operation_id(self) -> &'static str {
                match self {$( Self::$variant => $id, )*}
            }

            /// What the route does, in one sentence.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {$( Self::$variant => $doc.trim_ascii(), )*}
            }
        }
    };
}

routes! {
    /// An integrator's backend creates a capture session.
    CreateSession => Base, "POST /web/sessions", "createSession";
    /// The page loads its session, and gets a nonce and an upload URL.
    LoadSession => Base, "GET /web/sessions/:token", "loadSession";
    /// The page submits the capture that it has uploaded.
    Ingest => Base, "POST /web/ingest", "ingest";
    /// An integrator's backend reads the results of its session.
    SessionResults => Base, "GET /web/session-results/:token", "sessionResults";
    /// An integrator's backend renews the URL of a retained photo.
    Image => Base, "GET /web/image/:session_id", "image";
    /// An SDK asks whether its license may be used, and gets its policy.
    Validate => License, "POST /validate", "validate";
    /// An integrator's backend creates a hosted session, whose link it sends to its customer.
    CreateHostedSession => Capture, "POST /web/sessions", "createHostedSession";
    /// The hosted page asks whether its session's license may be used.
    ValidateSession => Capture, "POST /validate", "validateSession";
    /// The hosted page skips the pending photo, which is optional, and gets what the next one needs.
    Skip => Capture, "POST /web/skip", "skip";
    /// A second device follows the progress of a hosted session.
    SessionStatus => Capture, "GET /web/session-status/:token", "sessionStatus";
    /// An integrator's backend reads the results of its hosted session.
    HostedResults => Capture, "GET /web/session-results/:token", "hostedResults";
}

impl Route {
    /// The route's refusals in the order of its checks. A refusal of several checks is listed once, at the place of one
    /// of them.
    #[must_use]
    pub const fn refusals(self) -> &'static [Refusal] {
        use Refusal::*;
        match self {
            Self::CreateSession => &[
                ApiKeyWrongPrefix,
                ApiKeyInvalid,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                CreatePayloadInvalid,
                LicenseKeyMalformed,
                ReferenceIdInvalid,
                LicenseInconsistent,
                LicenseNotOwned,
                LicenseEnvironmentMismatch,
                CreationLimitReached { retry_after: 3600 },
                UpstreamUnavailable,
            ],
            Self::LoadSession => &[
                SessionNotFound,
                SessionCorrupt,
                SessionUsedOrExpired,
                AccessNotValidated,
                LicenseMissing,
                LicenseInvalid,
                OriginAllowlistEmpty,
                OriginNotAllowed,
                LoadLimitReached,
                PresignUnavailable,
                UpstreamUnavailable,
            ],
            Self::Ingest => &[
                PayloadInvalid,
                LocationInvalid,
                LabelInvalid,
                SessionNotFound,
                SessionCorrupt,
                SessionAlreadyUsed,
                SessionExpired,
                AccessNotValidated,
                LicenseMissing,
                LicenseRefused,
                LedgerClientIdUnauthoritative,
                OriginAllowlistEmpty,
                OriginNotAllowed,
                NonceMissing,
                NonceMalformed,
                NonceReplay,
                OriginSessionMismatch,
                ClockOutOfSync,
                LivenessInsufficient,
                LivenessTooMany,
                LivenessMalformed,
                LivenessStatic,
                PhotoOrderMismatch,
                ImageNotFound,
                NonceStoreUnavailable,
                RawStoreUnavailable,
                RawReadFailed,
                AssetTooLarge { bytes: limits::MAX_ASSET_BYTES + 1, max_asset_bytes: limits::MAX_ASSET_BYTES },
                ImageInvalid,
                LocationNotValidated,
                RecaptureDetected,
                HashStoreUnavailable,
                Duplicate,
                IngestPresignConfigFailed,
                IngestPresignFailed,
                SignerRejected,
                SignerUnavailable,
                SignerResponseInvalid,
                SignedPayloadTooLarge,
                ResponseSerializationFailed,
                ProofStoreUnavailable,
                LedgerWriteFailed,
            ],
            Self::SessionResults => &[SessionNotFound, SessionCorrupt, UpstreamUnavailable],
            Self::Image => &[
                CaptureNotFound,
                AssetNotRetained,
                AssetWithheld,
                AssetErased,
                UpstreamUnavailable,
                PresignUnavailable,
            ],
            Self::Validate => &[PayloadInvalid, UpstreamUnavailable],
            Self::CreateHostedSession => &[
                ApiKeyWrongPrefix,
                ApiKeyInvalid,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                CreatePayloadInvalid,
                FieldInvalid { field: "profile" },
                ReferenceIdInvalid,
                ProfileInvalid,
                RedirectUriInvalid,
                WebhookUrlInvalid,
                LicenseInconsistent,
                LicenseNotOwned,
                CreationLimitReached { retry_after: 3600 },
                UpstreamUnavailable,
            ],
            Self::ValidateSession => {
                &[PayloadInvalid, SessionNotFound, SessionCorrupt, SessionUsedOrExpired, UpstreamUnavailable]
            }
            Self::Skip => &[
                PayloadInvalid,
                SessionNotFound,
                SessionCorrupt,
                SessionUsedOrExpired,
                AccessNotValidated,
                LicenseMissing,
                LicenseInvalid,
                OriginNotAllowed,
                NonceMissing,
                NonceMalformed,
                NonceReplay,
                OriginSessionMismatch,
                PhotoOrderMismatch,
                PhotoRequired,
                PresignUnavailable,
                UpstreamUnavailable,
            ],
            Self::SessionStatus => &[SessionNotFound, SessionCorrupt, UpstreamUnavailable],
            Self::HostedResults => &[TokenMissing, SessionNotFound, SessionCorrupt, UpstreamUnavailable],
        }
    }
}

/// An address at which the API is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// `{base_url}`: the component's routes.
    Base,
    /// `{license_url}`: only `POST /validate`.
    License,
    /// `{capture_url}`: the hosted page and its routes.
    Capture,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolution;

    #[test]
    fn each_refusal_is_a_route_s() {
        let resolution = resolution::Route::ALL.iter().flat_map(|route| route.refusals());
        let listed: Vec<_> = Route::ALL.iter().flat_map(|route| route.refusals()).chain(resolution).collect();
        assert!(Refusal::ALL.iter().all(|refusal| listed.contains(&refusal)), "no route has it");
        assert!(listed.iter().all(|refusal| Refusal::ALL.contains(refusal)), "another example than its row's");
    }
}
