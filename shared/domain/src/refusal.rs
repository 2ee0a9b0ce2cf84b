//! Every way in which the service says no: one variant per line of the contract's error tables.
//!
//! [`Refusal::status`], [`Refusal::block_reason`], [`Refusal::text`] and the extra fields are all that a client sees.

use std::borrow::Cow;

use crate::limits;

/// A refusal, as the contract names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    // POST /web/sessions
    /// The body is not a JSON object.
    CreatePayloadInvalid,
    /// `license_key` is missing or malformed.
    LicenseKeyMalformed,
    /// `reference_id` is missing or outside its rule.
    ReferenceIdInvalid,
    /// `x-api-key` is missing or unknown.
    ApiKeyInvalid,
    /// The API key was revoked, or its client is suspended.
    ApiKeyRevoked,
    /// `x-api-key` has another prefix.
    ApiKeyWrongPrefix,
    /// The license is not one that this client may use now.
    LicenseNotOwned,
    /// License and API key are of different environments.
    LicenseEnvironmentMismatch,
    /// The hour's creations are used up.
    CreationLimitReached {
        /// Seconds to the next hour.
        retry_after: u32,
    },
    /// The API key's record cannot be read.
    ApiKeyInconsistent,
    /// The license key's record cannot be read.
    LicenseInconsistent,
    /// A service behind this one failed for the moment.
    UpstreamUnavailable,

    // GET /web/sessions/:token, some of them at ingest and session results too
    /// The session's record cannot be read.
    SessionCorrupt,
    /// The page's origin is not on the license's allowlist.
    OriginNotAllowed,
    /// The license has no allowlist at all.
    OriginAllowlistEmpty,
    /// The session has no usable license.
    LicenseMissing,
    /// The session's license is not recognised or not in force.
    LicenseInvalid,
    /// The browser is not a supported one.
    AccessNotValidated,
    /// No such session.
    SessionNotFound,
    /// The session was used or has expired.
    SessionUsedOrExpired,
    /// The session was loaded too often.
    LoadLimitReached,
    /// The upload URL could not be made.
    PresignUnavailable,

    // POST /web/ingest
    /// The body is not what an ingest is.
    PayloadInvalid,
    /// An extra frame equals another one or the main frame.
    LivenessStatic,
    /// Fewer than two extra frames.
    LivenessInsufficient,
    /// An extra frame's hash is no SHA-256 in hexadecimal.
    LivenessMalformed,
    /// More than eight extra frames.
    LivenessTooMany,
    /// The label is too long or has characters that it may not have.
    LabelInvalid,
    /// The position is out of its ranges.
    LocationInvalid,
    /// The image is unreadable, not what the component produces, or not the one that was announced.
    ImageInvalid,
    /// The capture is not of the photo that is pending.
    PhotoOrderMismatch,
    /// The license was revoked, suspended or has expired since the session was made.
    LicenseRefused,
    /// The page that ingests is not the page that loaded.
    OriginSessionMismatch,
    /// The device's clock is off.
    ClockOutOfSync,
    /// No nonce.
    NonceMissing,
    /// Not a nonce.
    NonceMalformed,
    /// A nonce that was spent, never issued, or issued to another session.
    NonceReplay,
    /// Nothing was uploaded where the session said.
    ImageNotFound,
    /// The session is concluded.
    SessionAlreadyUsed,
    /// The frame was captured before.
    Duplicate,
    /// The session has expired.
    SessionExpired,
    /// The image is too large.
    AssetTooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        max_asset_bytes: u64,
    },
    /// A photo of a screen.
    RecaptureDetected,
    /// The license asks for a position, and there is none that is good enough.
    LocationNotValidated,
    /// The signing service did not answer; the signing may have happened.
    SignerUnavailable,
    /// The signing service refused; nothing was signed.
    SignerRejected,
    /// The signing service answered something that does not verify, or refused half-way.
    SignerResponseInvalid,
    /// The proof could not be stored.
    ProofStoreUnavailable,
    /// The URLs of the result could not be made.
    IngestPresignFailed,
    /// The credentials for the URLs of the result are missing.
    IngestPresignConfigFailed,
    /// The duplicate registry did not answer.
    HashStoreUnavailable,
    /// The uploaded image cannot be read, for good.
    RawReadFailed,
    /// The signed image would not fit the answer.
    SignedPayloadTooLarge,
    /// The session's license lacks what is needed to record the capture.
    LedgerClientIdUnauthoritative,
    /// The evidence could not be written after the signing.
    LedgerWriteFailed,
    /// The answer could not be built.
    ResponseSerializationFailed,
    /// Session, nonce or license could not be read for the moment.
    NonceStoreUnavailable,
    /// The uploaded image could not be read for the moment.
    RawStoreUnavailable,

    // GET /web/image/:session_id
    /// No such capture.
    CaptureNotFound,
    /// The capture's image was not retained.
    AssetNotRetained,
}

impl Refusal {
    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        self.row().0
    }

    /// The `block_reason`, where the contract has one.
    #[must_use]
    pub const fn block_reason(self) -> Option<&'static str> {
        let reason = self.row().1;
        if reason.is_empty() { None } else { Some(reason) }
    }

    /// The text for people, in Portuguese. `service_name` is the operator's name for the service.
    #[must_use]
    pub fn text(self, service_name: &str) -> Cow<'static, str> {
        match self {
            Self::AssetTooLarge { max_asset_bytes, .. } => {
                format!("Imagem acima do tamanho máximo aceito ({max_asset_bytes} bytes).").into()
            }
            Self::OriginNotAllowed | Self::OriginAllowlistEmpty => {
                self.row().2.replace("<service_name>", service_name).into()
            }
            _ => self.row().2.into(),
        }
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

    /// Status, block reason (empty where there is none) and text: the contract's tables.
    #[rustfmt::skip]
    const fn row(self) -> (u16, &'static str, &'static str) {
        const PAYLOAD: &str = "Payload inválido";
        const SESSION: &str = "Sessão inválida — recrie a sessão.";
        const LICENSE: &str = "License inválida — verifique a licença.";
        const ORIGIN: &str = "Origem não autorizada para esta licença — fale com a <service_name> para habilitar este domínio.";
        const NONCE: &str = "Sessão de captura inválida — recarregue a sessão";
        const EXTRA: &str = "Quadros adicionais inválidos";
        const MOMENT: &str = "Serviço temporariamente indisponível, tente novamente";
        match self {
            Self::CreatePayloadInvalid => (400, "web_create_payload_invalid", PAYLOAD),
            Self::LicenseKeyMalformed => (400, "web_license_key_malformed", PAYLOAD),
            Self::ReferenceIdInvalid => (400, "web_reference_id_invalid", PAYLOAD),
            Self::ApiKeyInvalid => (401, "", "API key inválida ou ausente"),
            Self::ApiKeyRevoked => (401, "", "API key inválida ou revogada"),
            Self::ApiKeyWrongPrefix => (401, "", "API key inválida — apenas svc_api_* aceito"),
            Self::LicenseNotOwned => (403, "", "License inválida para esta API key"),
            Self::LicenseEnvironmentMismatch => (403, "web_license_environment_mismatch", "License e API key pertencem a ambientes diferentes"),
            Self::CreationLimitReached { .. } => (429, "", "Limite de criação de sessões atingido — tente novamente mais tarde"),
            Self::ApiKeyInconsistent => (500, "", "Erro na validação de API Key"),
            Self::LicenseInconsistent => (500, "", "Erro na validação da license"),
            Self::UpstreamUnavailable => (503, "web_upstream_unavailable", MOMENT),

            Self::SessionCorrupt => (403, "web_session_corrupt", SESSION),
            Self::OriginNotAllowed => (403, "web_origin_not_allowed", ORIGIN),
            Self::OriginAllowlistEmpty => (403, "web_origin_allowlist_empty", ORIGIN),
            Self::LicenseMissing => (403, "web_license_missing", SESSION),
            Self::LicenseInvalid => (403, "web_license_invalid", LICENSE),
            Self::AccessNotValidated => (403, "", "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo."),
            Self::SessionNotFound => (404, "", "Sessão não encontrada"),
            Self::SessionUsedOrExpired => (410, "", "Sessão expirada ou já utilizada"),
            Self::LoadLimitReached => (429, "", "Limite de tentativas atingido para esta sessão"),
            Self::PresignUnavailable => (503, "web_presign_unavailable", MOMENT),

            Self::PayloadInvalid => (400, "", PAYLOAD),
            Self::LivenessStatic => (400, "web_liveness_static", EXTRA),
            Self::LivenessInsufficient => (400, "web_liveness_insufficient", EXTRA),
            Self::LivenessMalformed => (400, "web_liveness_malformed", EXTRA),
            Self::LivenessTooMany => (400, "web_liveness_too_many", EXTRA),
            Self::LabelInvalid => (400, "web_label_invalid", "Rótulo inválido"),
            Self::LocationInvalid => (400, "", "Localização inválida."),
            Self::ImageInvalid => (400, "", "Imagem ausente ou inválida"),
            Self::PhotoOrderMismatch => (400, "web_photo_order_mismatch", "photo_order não corresponde à foto pendente desta sessão."),
            Self::LicenseRefused => (403, "", LICENSE),
            Self::OriginSessionMismatch => (403, "web_origin_session_mismatch", "Sessão carregada de outra origem — recarregue a sessão."),
            Self::ClockOutOfSync => (403, "", "Relógio do dispositivo fora de sincronia — verifique data e hora"),
            Self::NonceMissing => (403, "web_nonce_missing", NONCE),
            Self::NonceMalformed => (403, "web_nonce_malformed", NONCE),
            Self::NonceReplay => (403, "web_nonce_replay", NONCE),
            Self::ImageNotFound => (404, "", "Imagem não encontrada — refaça o upload"),
            Self::SessionAlreadyUsed => (409, "", "Sessão já utilizada"),
            Self::Duplicate => (409, "web_duplicate", "Esta captura não pôde ser processada."),
            Self::SessionExpired => (410, "", "Sessão expirada"),
            Self::AssetTooLarge { .. } => (413, "web_asset_too_large", "Imagem acima do tamanho máximo aceito (… bytes)."),
            Self::RecaptureDetected => (422, "", "Imagem rejeitada — possível recaptura"),
            Self::LocationNotValidated => (422, "", "Não foi possível validar a localização da captura."),
            Self::SignerUnavailable => (502, "web_signer_unavailable", MOMENT),
            Self::SignerRejected => (502, "web_signer_rejected", MOMENT),
            Self::SignerResponseInvalid => (502, "web_signer_response_invalid", MOMENT),
            Self::ProofStoreUnavailable => (502, "web_prova_store_unavailable", MOMENT),
            Self::IngestPresignFailed => (502, "web_ingest_presign_failed", MOMENT),
            Self::IngestPresignConfigFailed => (502, "web_ingest_presign_config_failed", MOMENT),
            Self::HashStoreUnavailable => (502, "web_hash_store_unavailable", MOMENT),
            Self::RawReadFailed => (502, "web_raw_read_failed", MOMENT),
            Self::SignedPayloadTooLarge => (502, "web_signed_payload_too_large", "Imagem assinada acima do tamanho entregável"),
            Self::LedgerClientIdUnauthoritative => (502, "web_ledger_client_id_unauthoritative", MOMENT),
            Self::LedgerWriteFailed => (502, "web_ledger_write_failed", MOMENT),
            Self::ResponseSerializationFailed => (502, "web_response_serialization_failed", MOMENT),
            Self::NonceStoreUnavailable => (503, "web_nonce_store_unavailable", MOMENT),
            Self::RawStoreUnavailable => (503, "web_raw_store_unavailable", MOMENT),

            Self::CaptureNotFound => (404, "", "Captura não encontrada"),
            Self::AssetNotRetained => (404, "web_asset_not_retained", "Captura não encontrada"),
        }
    }
}
