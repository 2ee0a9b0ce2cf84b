//! Every way in which the service says no: one variant per line of the contract's error tables.
//!
//! [`Refusal::status`], [`Refusal::block_reason`], [`Refusal::text`] and the extra fields are all that a client sees.

use std::borrow::Cow;

use crate::{Route, limits};

const PAYLOAD: &str = "Payload inválido";
const SESSION: &str = "Sessão inválida — recrie a sessão.";
const LICENSE: &str = "License inválida — verifique a licença.";
const ORIGIN: &str = "Origem não autorizada para esta licença — fale com a <service_name> para habilitar este domínio.";
const ACCESS: &str = "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
const NONCE: &str = "Sessão de captura inválida — recarregue a sessão";
const EXTRA: &str = "Quadros adicionais inválidos";
const MOMENT: &str = "Serviço temporariamente indisponível, tente novamente";

/// Makes the enum and everything that is known of its variants from one table. A row is: variant, status, `block_reason`
/// (empty without one), text, and the routes that can answer so. A field has an example of its figure.
macro_rules! refusals {
    ($(
        $(#[$doc:meta])*
        $variant:ident $({ $( $(#[$field_doc:meta])* $field:ident: $figure:ty = $example:expr, )* })?
        => $status:literal, $reason:literal, $text:expr, [$($route:ident),+];
    )*) => {
        /// A refusal, as the contract names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Refusal {
            $( $(#[$doc])* $variant $({ $( $(#[$field_doc])* $field: $figure, )* })?, )*
        }

        impl Refusal {
            /// Every refusal, with examples for figures.
            pub const ALL: &[Self] = &[$( Self::$variant $({ $( $field: $example, )* })?, )*];

            const fn row(self) -> Row {
                match self {$(
                    Self::$variant $({ $( $field: _, )* })? => Row {
                        status: $status, block_reason: $reason, text: $text, routes: &[$( Route::$route, )+],
                    },
                )*}
            }
        }
    };
}

/// A row of the refusal table.
struct Row {
    status: u16,
    block_reason: &'static str,
    text: &'static str,
    routes: &'static [Route],
}

refusals! {
    // POST /web/sessions
    /// The body is not a JSON object.
    CreatePayloadInvalid => 400, "web_create_payload_invalid", PAYLOAD, [CreateSession, CreateHostedSession];
    /// `license_key` is missing or malformed.
    LicenseKeyMalformed => 400, "web_license_key_malformed", PAYLOAD, [CreateSession];
    /// `reference_id` is missing or outside its rule.
    ReferenceIdInvalid => 400, "web_reference_id_invalid", PAYLOAD, [CreateSession, CreateHostedSession];
    /// `x-api-key` is missing or unknown.
    ApiKeyInvalid => 401, "", "API key inválida ou ausente", [CreateSession, CreateHostedSession];
    /// The API key was revoked, or its client is suspended.
    ApiKeyRevoked => 401, "", "API key inválida ou revogada", [CreateSession, CreateHostedSession];
    /// `x-api-key` has another prefix.
    ApiKeyWrongPrefix => 401, "", "API key inválida — apenas svc_api_* aceito", [CreateSession, CreateHostedSession];
    /// The license is not one that this client may use now.
    LicenseNotOwned => 403, "", "License inválida para esta API key", [CreateSession, CreateHostedSession];
    /// License and API key are of different environments.
    LicenseEnvironmentMismatch => 403, "web_license_environment_mismatch", "License e API key pertencem a ambientes diferentes", [CreateSession];
    /// The hour's creations are used up.
    CreationLimitReached {
        /// Seconds to the next hour.
        retry_after: u32 = 3600,
    } => 429, "", "Limite de criação de sessões atingido — tente novamente mais tarde", [CreateSession, CreateHostedSession];
    /// The API key's record cannot be read.
    ApiKeyInconsistent => 500, "", "Erro na validação de API Key", [CreateSession, CreateHostedSession];
    /// The license key's record cannot be read.
    LicenseInconsistent => 500, "", "Erro na validação da license", [CreateSession, CreateHostedSession];
    /// A service behind this one failed for the moment.
    UpstreamUnavailable => 503, "web_upstream_unavailable", MOMENT, [CreateSession, LoadSession, SessionResults, Image, Validate, CreateHostedSession, ValidateSession, SessionStatus, HostedResults];

    // POST {capture_url}/web/sessions
    /// A field is missing or of another type.
    FieldInvalid {
        /// The field's name.
        field: &'static str = "profile",
    } => 400, "", "Payload inválido: <field>", [CreateHostedSession];
    /// No such profile.
    ProfileInvalid => 400, "", "profile inválido — use vehicle_inspection, real_estate, high_value_item ou demo", [CreateHostedSession];
    /// `redirect_uri` breaks its rule, or its origin is not one of the license's.
    RedirectUriInvalid => 400, "", "redirect_uri inválida", [CreateHostedSession];
    /// `webhook_url` breaks its rule.
    WebhookUrlInvalid => 400, "", "webhook_url inválida", [CreateHostedSession];

    // GET {capture_url}/web/session-results/:token
    /// The path has no token.
    TokenMissing => 400, "", "token ausente no path", [HostedResults];

    // GET /web/sessions/:token, some of them at ingest and session results too
    /// The session's record cannot be read.
    SessionCorrupt => 403, "web_session_corrupt", SESSION, [LoadSession, Ingest, SessionResults, ValidateSession, SessionStatus, HostedResults];
    /// The page's origin is not on the license's allowlist.
    OriginNotAllowed => 403, "web_origin_not_allowed", ORIGIN, [LoadSession, Ingest];
    /// The license has no allowlist at all.
    OriginAllowlistEmpty => 403, "web_origin_allowlist_empty", ORIGIN, [LoadSession, Ingest];
    /// The session has no usable license.
    LicenseMissing => 403, "web_license_missing", SESSION, [LoadSession, Ingest];
    /// The session's license is not recognised or not in force.
    LicenseInvalid => 403, "web_license_invalid", LICENSE, [LoadSession];
    /// The browser is not a supported one.
    AccessNotValidated => 403, "", ACCESS, [LoadSession, Ingest];
    /// No such session.
    SessionNotFound => 404, "", "Sessão não encontrada", [LoadSession, Ingest, SessionResults, ValidateSession, SessionStatus, HostedResults];
    /// The session was used or has expired.
    SessionUsedOrExpired => 410, "", "Sessão expirada ou já utilizada", [LoadSession, ValidateSession];
    /// The session was loaded too often.
    LoadLimitReached => 429, "", "Limite de tentativas atingido para esta sessão", [LoadSession];
    /// The upload URL could not be made.
    PresignUnavailable => 503, "web_presign_unavailable", MOMENT, [LoadSession, Image];

    // POST /web/ingest
    /// The body is not what an ingest is.
    PayloadInvalid => 400, "", PAYLOAD, [Ingest, Validate, ValidateSession];
    /// An extra frame equals another one or the main frame.
    LivenessStatic => 400, "web_liveness_static", EXTRA, [Ingest];
    /// Fewer than two extra frames.
    LivenessInsufficient => 400, "web_liveness_insufficient", EXTRA, [Ingest];
    /// An extra frame's hash is not a SHA-256 in hexadecimal.
    LivenessMalformed => 400, "web_liveness_malformed", EXTRA, [Ingest];
    /// More than eight extra frames.
    LivenessTooMany => 400, "web_liveness_too_many", EXTRA, [Ingest];
    /// The label is too long or has characters that it may not have.
    LabelInvalid => 400, "web_label_invalid", "Rótulo inválido", [Ingest];
    /// The position is out of its ranges.
    LocationInvalid => 400, "", "Localização inválida.", [Ingest];
    /// The image is unreadable, not what the component produces, or not the one that was announced.
    ImageInvalid => 400, "", "Imagem ausente ou inválida", [Ingest];
    /// The capture is not of the photo that is pending.
    PhotoOrderMismatch => 400, "web_photo_order_mismatch", "photo_order não corresponde à foto pendente desta sessão.", [Ingest];
    /// The license was revoked, suspended or has expired since the session was made.
    LicenseRefused => 403, "", LICENSE, [Ingest];
    /// The page that ingests is not the page that loaded.
    OriginSessionMismatch => 403, "web_origin_session_mismatch", "Sessão carregada de outra origem — recarregue a sessão.", [Ingest];
    /// The device's clock is off.
    ClockOutOfSync => 403, "", "Relógio do dispositivo fora de sincronia — verifique data e hora", [Ingest];
    /// No nonce.
    NonceMissing => 403, "web_nonce_missing", NONCE, [Ingest];
    /// Not a nonce.
    NonceMalformed => 403, "web_nonce_malformed", NONCE, [Ingest];
    /// A nonce that was spent, never issued, or issued to another session.
    NonceReplay => 403, "web_nonce_replay", NONCE, [Ingest];
    /// The upload does not exist.
    ImageNotFound => 404, "", "Imagem não encontrada — refaça o upload", [Ingest];
    /// The session is concluded.
    SessionAlreadyUsed => 409, "", "Sessão já utilizada", [Ingest];
    /// The frame was captured before.
    Duplicate => 409, "web_duplicate", "Esta captura não pôde ser processada.", [Ingest];
    /// The session has expired.
    SessionExpired => 410, "", "Sessão expirada", [Ingest];
    /// The image is too large.
    AssetTooLarge {
        /// Its size.
        bytes: u64 = limits::MAX_ASSET_BYTES + 1,
        /// The limit.
        max_asset_bytes: u64 = limits::MAX_ASSET_BYTES,
    } => 413, "web_asset_too_large", "Imagem acima do tamanho máximo aceito (<max_asset_bytes> bytes).", [Ingest];
    /// A photo of a screen.
    RecaptureDetected => 422, "", "Imagem rejeitada — possível recaptura", [Ingest];
    /// The license requires a position, which is missing or too inaccurate.
    LocationNotValidated => 422, "", "Não foi possível validar a localização da captura.", [Ingest];
    /// The signing service did not answer; the signing may have happened.
    SignerUnavailable => 502, "web_signer_unavailable", MOMENT, [Ingest];
    /// The signing service refused; nothing was signed.
    SignerRejected => 502, "web_signer_rejected", MOMENT, [Ingest];
    /// The signing service answered something that does not verify, or refused one of two signatures.
    SignerResponseInvalid => 502, "web_signer_response_invalid", MOMENT, [Ingest];
    /// The proof could not be stored.
    ProofStoreUnavailable => 502, "web_prova_store_unavailable", MOMENT, [Ingest];
    /// The URLs of the result could not be made.
    IngestPresignFailed => 502, "web_ingest_presign_failed", MOMENT, [Ingest];
    /// The credentials for the URLs of the result are missing.
    IngestPresignConfigFailed => 502, "web_ingest_presign_config_failed", MOMENT, [Ingest];
    /// The duplicate registry did not answer.
    HashStoreUnavailable => 502, "web_hash_store_unavailable", MOMENT, [Ingest];
    /// The uploaded image can never be read.
    RawReadFailed => 502, "web_raw_read_failed", MOMENT, [Ingest];
    /// The signed image would not fit the answer.
    SignedPayloadTooLarge => 502, "web_signed_payload_too_large", "Imagem assinada acima do tamanho entregável", [Ingest];
    /// The session's license lacks what is needed to record the capture.
    LedgerClientIdUnauthoritative => 502, "web_ledger_client_id_unauthoritative", MOMENT, [Ingest];
    /// The evidence could not be written after the signing.
    LedgerWriteFailed => 502, "web_ledger_write_failed", MOMENT, [Ingest];
    /// The answer could not be built.
    ResponseSerializationFailed => 502, "web_response_serialization_failed", MOMENT, [Ingest];
    /// Session, nonce or license could not be read for the moment.
    NonceStoreUnavailable => 503, "web_nonce_store_unavailable", MOMENT, [Ingest];
    /// The uploaded image could not be read for the moment.
    RawStoreUnavailable => 503, "web_raw_store_unavailable", MOMENT, [Ingest];

    // GET /web/image/:session_id
    /// No such capture.
    CaptureNotFound => 404, "", "Captura não encontrada", [Image];
    /// The capture's image was not retained.
    AssetNotRetained => 404, "web_asset_not_retained", "Captura não encontrada", [Image];
    /// The capture is withheld, or its client is suspended.
    AssetWithheld => 404, "web_asset_withheld", "Captura não encontrada", [Image];
    /// The capture was erased.
    AssetErased => 404, "web_asset_erased", "Captura não encontrada", [Image];
}

impl Refusal {
    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        self.row().status
    }

    /// The `block_reason`, where the contract has one.
    #[must_use]
    pub const fn block_reason(self) -> Option<&'static str> {
        let reason = self.row().block_reason;
        if reason.is_empty() { None } else { Some(reason) }
    }

    /// The text for people, in Portuguese. `service_name` is the operator's name for the service.
    #[must_use]
    pub fn text(self, service_name: &str) -> Cow<'static, str> {
        match self {
            Self::AssetTooLarge { max_asset_bytes, .. } => {
                self.row().text.replace("<max_asset_bytes>", &max_asset_bytes.to_string()).into()
            }
            Self::FieldInvalid { field } => self.row().text.replace("<field>", field).into(),
            Self::OriginNotAllowed | Self::OriginAllowlistEmpty => {
                self.row().text.replace("<service_name>", service_name).into()
            }
            _ => self.row().text.into(),
        }
    }

    /// The routes that can answer so.
    #[must_use]
    pub const fn routes(self) -> &'static [Route] {
        self.row().routes
    }

    /// The `Retry-After` in seconds, where waiting helps.
    #[must_use]
    pub const fn retry_after(self) -> Option<u32> {
        match self {
            Self::CreationLimitReached { retry_after } => Some(retry_after),
            _ if self.status() == 503 => Some(limits::RETRY_AFTER_SECONDS),
            _ => None,
        }
    }
}
