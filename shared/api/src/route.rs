//! The routes of the API, and the refusals of each.

use crate::{Refusal, limits};

/// Makes the enum and what is known of each route from one table. A row is: variant, address, method and path,
/// identifier in the OpenAPI documents. Its doc comment is the summary there.
macro_rules! routes {
    ($( #[doc = $doc:literal] $variant:ident => $address:ident, $name:literal, $id:literal; )*) => {
        /// A route: what a client asks for. The hosted flow's load and ingest are the component's, at another address.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Route {
            $( #[doc = $doc] $variant, )*
        }

        impl Route {
            /// Every route.
            pub const ALL: [Self; [$($id),*].len()] = [$( Self::$variant, )*];

            /// The address that serves it.
            #[must_use]
            pub const fn address(self) -> Address {
                match self {$( Self::$variant => Address::$address, )*}
            }

            /// Method and path: `GET /web/sessions/:token`. An address serves each name once.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$( Self::$variant => $name, )*}
            }

            /// The `operationId` in the OpenAPI documents.
            #[must_use]
            pub const fn operation_id(self) -> &'static str {
                match self {$( Self::$variant => $id, )*}
            }

            /// What it is for, in one sentence.
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
    /// The page loads its session and learns where to upload.
    LoadSession => Base, "GET /web/sessions/:token", "loadSession";
    /// The page submits what it captured and uploaded.
    Ingest => Base, "POST /web/ingest", "ingest";
    /// An integrator's backend reads how its session ended.
    SessionResults => Base, "GET /web/session-results/:token", "sessionResults";
    /// An integrator's backend renews the URL of a retained photo.
    Image => Base, "GET /web/image/:session_id", "image";
    /// An SDK asks whether its license may be used, and for its policy.
    Validate => License, "POST /validate", "validate";
    /// An integrator's backend creates a hosted session, whose link it sends to its customer.
    CreateHostedSession => Capture, "POST /web/sessions", "createHostedSession";
    /// The hosted page asks whether its session's license may be used.
    ValidateSession => Capture, "POST /validate", "validateSession";
    /// A second device follows a hosted session.
    SessionStatus => Capture, "GET /web/session-status/:token", "sessionStatus";
    /// An integrator's backend reads how its hosted session ended.
    HostedResults => Capture, "GET /web/session-results/:token", "hostedResults";
}

impl Route {
    /// Its refusals in the order of its checks. One that several checks make stands once, where one of them does.
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
            Self::SessionStatus => &[SessionNotFound, SessionCorrupt, UpstreamUnavailable],
            Self::HostedResults => &[TokenMissing, SessionNotFound, SessionCorrupt, UpstreamUnavailable],
        }
    }
}

/// The address that serves a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// `{base_url}`: the component's routes.
    Base,
    /// `{license_url}`: `POST /validate` alone.
    License,
    /// `{capture_url}`: the hosted page and its routes.
    Capture,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_is_a_route_s() {
        let listed: Vec<_> = Route::ALL.iter().flat_map(|route| route.refusals()).collect();
        assert!(Refusal::ALL.iter().all(|refusal| listed.contains(&refusal)), "no route has it");
        assert!(listed.iter().all(|refusal| Refusal::ALL.contains(refusal)), "another example than its row's");
    }
}
