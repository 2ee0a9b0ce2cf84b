//! Every refusal of the service.
//!
//! A refusal is one row of a table: status, `block_reason` and text. Responses, the OpenAPI documents and the tables in
//! `docs/` are made from it. [`Route::refusals`](crate::Route::refusals) lists the refusals of a route.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Profile, RecaptureRisk, limits};

const PAYLOAD: &str = "Payload inválido";
const SESSION: &str = "Sessão inválida — recrie a sessão.";
const LICENSE: &str = "License inválida — verifique a licença.";
const ORIGIN: &str = "Origem não autorizada para esta licença — fale com a <service_name> para habilitar este domínio.";
const ACCESS: &str = "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
const NONCE: &str = "Sessão de captura inválida — recarregue a sessão";
const EXTRA: &str = "Quadros adicionais inválidos";
const MOMENT: &str = "Serviço temporariamente indisponível, tente novamente";

/// Defines the enum and the properties of its variants from one table. A row consists of: doc comment, which also
/// documents the refusal for clients; variant; status; `block_reason`, which may be empty; and text. Each field has an
/// example value.
macro_rules! refusals {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident $({ $( $(#[$field_doc:meta])* $field:ident: $figure:ty = $example:expr, )* })?
        => $status:literal, $reason:literal, $text:expr;
    )*) => {
        /// A documented error of the API, with its status and text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Refusal {
            $( $(#[doc = $doc])+ $variant $({ $( $(#[$field_doc])* $field: $figure, )* })?, )*
        }

        impl Refusal {
            /// All refusals, with example values.
            pub const ALL: &[Self] = &[$( Self::$variant $({ $( $field: $example, )* })?, )*];

            const fn row(self) -> Row {
                match self {$(
                    Self::$variant $({ $( $field: _, )* })? => Row {
                        status: $status, block_reason: $reason, text: $text,
                    },
                )*}
            }

            /// The name in the OpenAPI documents.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$( Self::$variant $({ $( $field: _, )* })? => stringify!($variant), )*}
            }

            /// The cause, for integrators.
            #[must_use]
            pub const fn cause(self) -> &'static str {
                match self {$( Self::$variant $({ $( $field: _, )* })? => concat!($($doc),+).trim_ascii(), )*}
            }
        }
    };
}

/// A row of the table.
struct Row {
    status: u16,
    block_reason: &'static str,
    text: &'static str,
}

refusals! {
    // POST /web/sessions
    /// The body is not a JSON object.
    CreatePayloadInvalid => 400, "web_create_payload_invalid", PAYLOAD;
    /// `license_key` is missing or malformed.
    LicenseKeyMalformed => 400, "web_license_key_malformed", PAYLOAD;
    /// `reference_id` is invalid; on `{base_url}` also if it is missing.
    ReferenceIdInvalid => 400, "web_reference_id_invalid", PAYLOAD;
    /// The API key is missing, empty or unknown.
    ApiKeyInvalid => 401, "", "API key inválida ou ausente";
    /// The API key was revoked, or its client is suspended.
    ApiKeyRevoked => 401, "", "API key inválida ou revogada";
    /// The API key does not start with `svc_api_`.
    ApiKeyWrongPrefix => 401, "", "API key inválida — apenas svc_api_* aceito";
    /// The license is unknown, another client's, revoked, expired or suspended; in the hosted flow: the client has no
    /// license that can serve the session. All of these have the same response, so that keys cannot be probed.
    LicenseNotOwned => 403, "", "License inválida para esta API key";
    /// The license and the API key belong to different environments.
    LicenseEnvironmentMismatch => 403, "web_license_environment_mismatch", "License e API key pertencem a ambientes diferentes";
    /// The API key created 100 sessions in this hour of the UTC clock. `Retry-After` is the rest of the hour.
    CreationLimitReached {
        /// Seconds until the next hour.
        retry_after: u32 = 3600,
    } => 429, "", "Limite de criação de sessões atingido — tente novamente mais tarde";
    /// The record of the API key is corrupt. A retry does not help.
    ApiKeyInconsistent => 500, "", "Erro na validação de API Key";
    /// The record of the license, or of the kit, is corrupt. A retry does not help.
    LicenseInconsistent => 500, "", "Erro na validação da license";
    /// A service that this one depends on failed temporarily.
    UpstreamUnavailable => 503, "web_upstream_unavailable", MOMENT;

    // POST {capture_url}/web/sessions
    /// The field named in the text is missing, or does not have the documented form; `steps` also if it names no step, a step that the kit
    /// does not have, or a step twice, or has a malformed note.
    FieldInvalid {
        /// The field's name.
        field: &'static str = "profile",
    } => 400, "", "Payload inválido: <field>";
    /// The profile does not exist, and the client has no such kit, or the kit is retired.
    ProfileInvalid => 400, "", "profile inválido — use <profiles>";
    /// `redirect_uri` is invalid, or its origin is not one of the license's redirect origins.
    RedirectUriInvalid => 400, "", "redirect_uri inválida";
    /// `webhook_url` is invalid.
    WebhookUrlInvalid => 400, "", "webhook_url inválida";

    // GET {capture_url}/web/session-results/:token
    /// The path has no token.
    TokenMissing => 400, "", "token ausente no path";

    // GET /web/sessions/:token, some of them at ingest and session results too
    /// The record of the session is corrupt.
    SessionCorrupt => 403, "web_session_corrupt", SESSION;
    /// The page's origin is not on the license's allowlist; in the hosted flow: it is not the service's own page. The text
    /// names the operator.
    OriginNotAllowed => 403, "web_origin_not_allowed", ORIGIN;
    /// The license's allowlist is empty. The text names the operator.
    OriginAllowlistEmpty => 403, "web_origin_allowlist_empty", ORIGIN;
    /// The session has no license.
    LicenseMissing => 403, "web_license_missing", SESSION;
    /// The license is revoked, expired, suspended or unknown, or the session may not use the license that the page
    /// names.
    LicenseInvalid => 403, "web_license_invalid", LICENSE;
    /// The browser is not supported.
    AccessNotValidated => 403, "", ACCESS;
    /// The token is unknown or malformed, or the session was deleted.
    SessionNotFound => 404, "", "Sessão não encontrada";
    /// The session is concluded or has expired. Both have the same response.
    SessionUsedOrExpired => 410, "", "Sessão expirada ou já utilizada";
    /// The session has reached its limit of loads. Waiting does not help.
    LoadLimitReached => 429, "", "Limite de tentativas atingido para esta sessão";
    /// The upload URL could not be created.
    PresignUnavailable => 503, "web_presign_unavailable", MOMENT;

    // POST /web/ingest
    /// The body is not a JSON object; at the ingest also if a field without a refusal of its own is missing, of another
    /// type or out of range.
    PayloadInvalid => 400, "", PAYLOAD;
    /// An extra frame equals another one or the frame itself.
    LivenessStatic => 400, "web_liveness_static", EXTRA;
    /// There are fewer than 2 extra frames.
    LivenessInsufficient => 400, "web_liveness_insufficient", EXTRA;
    /// The hash of an extra frame is not 64 hexadecimal characters.
    LivenessMalformed => 400, "web_liveness_malformed", EXTRA;
    /// There are more than 8 extra frames.
    LivenessTooMany => 400, "web_liveness_too_many", EXTRA;
    /// The label is not a string, or is invalid.
    LabelInvalid => 400, "web_label_invalid", "Rótulo inválido";
    /// `gps_lat`, `gps_lon` or `gps_accuracy` is missing, not a number, or out of range.
    LocationInvalid => 400, "", "Localização inválida.";
    /// The upload's hash differs from the announced one, or it is not a JPEG as browsers encode it.
    ImageInvalid => 400, "", "Imagem ausente ou inválida";
    /// Another photo of the session is pending.
    PhotoOrderMismatch => 400, "web_photo_order_mismatch", "photo_order não corresponde à foto pendente desta sessão.";
    /// The pending photo cannot be skipped, because its step is not optional.
    PhotoRequired => 409, "web_photo_required", "Esta foto é obrigatória.";
    /// The license was revoked, suspended or expired after the session was loaded.
    LicenseRefused => 403, "", LICENSE;
    /// The session was loaded by a page of another origin.
    OriginSessionMismatch => 403, "web_origin_session_mismatch", "Sessão carregada de outra origem — recarregue a sessão.";
    /// The device's clock differs by more than 120 seconds.
    ClockOutOfSync => 403, "", "Relógio do dispositivo fora de sincronia — verifique data e hora";
    /// `nonce` is missing.
    NonceMissing => 403, "web_nonce_missing", NONCE;
    /// The nonce is malformed.
    NonceMalformed => 403, "web_nonce_malformed", NONCE;
    /// The nonce was already used, was never issued, or was issued to another session.
    NonceReplay => 403, "web_nonce_replay", NONCE;
    /// Nothing was uploaded under this key, or the key is not the one of this load.
    ImageNotFound => 404, "", "Imagem não encontrada — refaça o upload";
    /// The session is concluded, possibly by a concurrent ingest.
    SessionAlreadyUsed => 409, "", "Sessão já utilizada";
    /// The frame was already captured, or is being captured now.
    Duplicate => 409, "web_duplicate", "Esta captura não pôde ser processada.";
    /// The session has expired.
    SessionExpired => 410, "", "Sessão expirada";
    /// The upload is too large. The text states the limit. The body also has `bytes` and `max_asset_bytes`.
    AssetTooLarge {
        /// The size of the upload.
        bytes: u64 = limits::MAX_ASSET_BYTES + 1,
        /// The size limit.
        max_asset_bytes: u64 = limits::MAX_ASSET_BYTES,
    } => 413, "web_asset_too_large", "Imagem acima do tamanho máximo aceito (<max_asset_bytes> bytes).";
    /// The photo probably shows a screen. The body also has `recapture_risk`: `HIGH`.
    RecaptureDetected => 422, "", "Imagem rejeitada — possível recaptura";
    /// The license requires a position, which is missing or not accurate enough.
    LocationNotValidated => 422, "", "Não foi possível validar a localização da captura.";
    /// The signing service did not respond. A signature may exist, and then the frame is refused as a duplicate for ten
    /// minutes.
    SignerUnavailable => 502, "web_signer_unavailable", MOMENT;
    /// The signing service refused to sign. Nothing was signed.
    SignerRejected => 502, "web_signer_rejected", MOMENT;
    /// The signature is invalid, or one of the two signatures was refused. The frame may be refused as a duplicate for
    /// ten minutes.
    SignerResponseInvalid => 502, "web_signer_response_invalid", MOMENT;
    /// The proof could not be stored.
    ProofStoreUnavailable => 502, "web_prova_store_unavailable", MOMENT;
    /// The URLs of the result could not be created.
    IngestPresignFailed => 502, "web_ingest_presign_failed", MOMENT;
    /// The credentials for the URLs of the result are missing. Nothing was signed.
    IngestPresignConfigFailed => 502, "web_ingest_presign_config_failed", MOMENT;
    /// The registry of duplicates did not respond.
    HashStoreUnavailable => 502, "web_hash_store_unavailable", MOMENT;
    /// The upload cannot be read, and this submission never succeeds. Load the session again.
    RawReadFailed => 502, "web_raw_read_failed", MOMENT;
    /// The signed image is too large for a response. Nothing was stored.
    SignedPayloadTooLarge => 502, "web_signed_payload_too_large", "Imagem assinada acima do tamanho entregável";
    /// The license lacks data that is needed to record a capture. Nothing was signed.
    LedgerClientIdUnauthoritative => 502, "web_ledger_client_id_unauthoritative", MOMENT;
    /// The photo was signed but could not be recorded, so it was not delivered. From now on the frame is refused as a
    /// duplicate.
    LedgerWriteFailed => 502, "web_ledger_write_failed", MOMENT;
    /// The response could not be built. Retry once.
    ResponseSerializationFailed => 502, "web_response_serialization_failed", MOMENT;
    /// A record that the checks need, such as the session or the license, cannot be read now. Nothing was signed.
    NonceStoreUnavailable => 503, "web_nonce_store_unavailable", MOMENT;
    /// The upload cannot be read now, and this submission never succeeds. Load the session again.
    RawStoreUnavailable => 503, "web_raw_store_unavailable", MOMENT;

    // GET /web/image/:session_id
    /// The capture is unknown, or its id is malformed.
    CaptureNotFound => 404, "", "Captura não encontrada";
    /// The license does not retain photos.
    AssetNotRetained => 404, "web_asset_not_retained", "Captura não encontrada";
    /// The operator withholds the capture, or the client is suspended.
    AssetWithheld => 404, "web_asset_withheld", "Captura não encontrada";
    /// The capture was erased permanently.
    AssetErased => 404, "web_asset_erased", "Captura não encontrada";

    // {proofs_url}
    /// The file is damaged, is not a picture, or has more than 40 megapixels.
    PictureUnreadable => 400, "web_picture_unreadable", "A imagem não pode ser lida";
    /// The file is not sent as JPEG, PNG or WebP.
    PictureTypeUnsupported => 415, "web_picture_type_unsupported", "Envie a imagem como JPEG, PNG ou WebP";
    /// The API key made 60 lookups in this hour of the UTC clock. `Retry-After` is the rest of the hour.
    LookupLimitReached {
        /// Seconds until the next hour.
        retry_after: u32 = 3600,
    } => 429, "", "Limite de consultas atingido — tente novamente mais tarde";
    /// No day's checkpoint with a timestamp covers the capture yet. `Retry-After` is the time until one is expected: until
    /// 02:00 (UTC) of the day after the capture, and then until the next hour.
    EvidencePending {
        /// Seconds until a timestamp is expected.
        retry_after: u32 = 86_400,
    } => 409, "web_evidence_pending", "A captura ainda aguarda o carimbo do tempo do registro público — tente novamente mais tarde";
    /// The reference has more photos than a dossier can contain: 100.
    DossierTooLarge => 409, "web_dossier_too_large", "A referência tem mais fotos do que um dossiê comporta";
}

impl Refusal {
    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        self.row().status
    }

    /// The `block_reason`, a stable code for programs; `None` if the refusal has none.
    #[must_use]
    pub const fn block_reason(self) -> Option<&'static str> {
        let reason = self.row().block_reason;
        if reason.is_empty() { None } else { Some(reason) }
    }

    /// The text for people, in Portuguese. `service_name` is the operator's name.
    #[must_use]
    pub fn text(self, service_name: &str) -> Cow<'static, str> {
        match self {
            Self::AssetTooLarge { max_asset_bytes, .. } => {
                self.row().text.replace("<max_asset_bytes>", &max_asset_bytes.to_string()).into()
            }
            Self::FieldInvalid { field } => self.row().text.replace("<field>", field).into(),
            Self::ProfileInvalid => {
                self.row().text.replace("<profiles>", &one_of(&Profile::ALL.map(Profile::name))).into()
            }
            Self::OriginNotAllowed | Self::OriginAllowlistEmpty => {
                self.row().text.replace("<service_name>", service_name).into()
            }
            _ => self.row().text.into(),
        }
    }

    /// The value of `Retry-After` in seconds, if waiting helps.
    #[must_use]
    pub const fn retry_after(self) -> Option<u32> {
        match self {
            Self::CreationLimitReached { retry_after }
            | Self::LookupLimitReached { retry_after }
            | Self::EvidencePending { retry_after } => Some(retry_after),
            _ if self.status() == 503 => Some(limits::RETRY_AFTER_SECONDS),
            _ => None,
        }
    }

    /// The body of the response. `service_name` is the operator's name.
    #[must_use]
    pub fn body(self, service_name: &str) -> RefusalBody {
        let (bytes, max_asset_bytes) = match self {
            Self::AssetTooLarge { bytes, max_asset_bytes } => (Some(bytes), Some(max_asset_bytes)),
            _ => (None, None),
        };
        RefusalBody {
            error: self.text(service_name).into_owned(),
            block_reason: self.block_reason().map(str::to_owned),
            recapture_risk: (self == Self::RecaptureDetected).then_some(RecaptureRisk::High),
            bytes,
            max_asset_bytes,
        }
    }
}

/// Joins names in Portuguese: `a, b ou c`.
fn one_of(names: &[&str]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} ou {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// The body of every refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Error", deny_unknown_fields))]
pub struct RefusalBody {
    /// A Portuguese text for people.
    pub error: String,
    /// A stable code for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^web_[a-z_]+$")))]
    pub block_reason: Option<String>,
    /// The recapture risk for which the photo was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(with = "String", extend("const" = RecaptureRisk::High)))]
    pub recapture_risk: Option<RecaptureRisk>,
    /// The size of the upload in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub bytes: Option<u64>,
    /// The size limit of uploads in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub max_asset_bytes: Option<u64>,
}
