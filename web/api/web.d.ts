// Made from openapi/web.yaml by scripts/generate.

export interface components {
    schemas: {
        /**
         * @description The browser is not supported.
         * @constant
         */
        AccessNotValidated: {
            error: "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
        };
        /**
         * @description The record of the API key is corrupt. A retry does not help.
         * @constant
         */
        ApiKeyInconsistent: {
            error: "Erro na validação de API Key";
        };
        /**
         * @description The API key is missing, empty or unknown.
         * @constant
         */
        ApiKeyInvalid: {
            error: "API key inválida ou ausente";
        };
        /**
         * @description The API key was revoked, or its client is suspended.
         * @constant
         */
        ApiKeyRevoked: {
            error: "API key inválida ou revogada";
        };
        /**
         * @description The API key does not start with `svc_api_`.
         * @constant
         */
        ApiKeyWrongPrefix: {
            error: "API key inválida — apenas svc_api_* aceito";
        };
        /**
         * @description The capture was erased permanently.
         * @constant
         */
        AssetErased: {
            block_reason: "web_asset_erased";
            error: "Captura não encontrada";
        };
        /**
         * @description The license does not retain photos.
         * @constant
         */
        AssetNotRetained: {
            block_reason: "web_asset_not_retained";
            error: "Captura não encontrada";
        };
        /** @description The upload is too large. The text states the limit. The body also has `bytes` and `max_asset_bytes`. */
        AssetTooLarge: {
            /** @constant */
            block_reason: "web_asset_too_large";
            /** @example Imagem acima do tamanho máximo aceito (4194304 bytes). */
            error: unknown;
        };
        /**
         * @description The operator withholds the capture, or the client is suspended.
         * @constant
         */
        AssetWithheld: {
            block_reason: "web_asset_withheld";
            error: "Captura não encontrada";
        };
        /**
         * @description The capture is unknown, or its id is malformed.
         * @constant
         */
        CaptureNotFound: {
            error: "Captura não encontrada";
        };
        /** @description The resolution that the component requests from the camera. */
        CaptureResolution: "SD" | "HD" | "FHD" | "MAX";
        /**
         * @description The device's clock differs by more than 120 seconds.
         * @constant
         */
        ClockOutOfSync: {
            error: "Relógio do dispositivo fora de sincronia — verifique data e hora";
        };
        /**
         * @description The body is not a JSON object.
         * @constant
         */
        CreatePayloadInvalid: {
            block_reason: "web_create_payload_invalid";
            error: "Payload inválido";
        };
        /** @description A component session to be created. */
        CreateSession: {
            /** @description The key of a license of the same client and environment as the API key. */
            license_key: components["schemas"]["LicenseKey"];
            /** @description The integrator's reference to its case. */
            reference_id: components["schemas"]["Reference"];
        };
        /** @description A new session. */
        CreatedSession: {
            /** @description When the token expires, after 30 minutes. */
            expires_at: components["schemas"]["Time"];
            /** @description The session's token, for the page and for the backend. */
            token: components["schemas"]["Uuid"];
        };
        /**
         * @description The API key created 100 sessions in this hour of the UTC clock. `Retry-After` is the rest of the hour.
         * @constant
         */
        CreationLimitReached: {
            error: "Limite de criação de sessões atingido — tente novamente mais tarde";
        };
        /**
         * @description The frame was already captured, or is being captured now.
         * @constant
         */
        Duplicate: {
            block_reason: "web_duplicate";
            error: "Esta captura não pôde ser processada.";
        };
        /** @description The environment of a key, a license, a session and a proof. Environments are strictly separated. */
        Environment: "PRODUCTION" | "STAGING" | "SANDBOX";
        /** @description The body of every refusal. */
        Error: {
            /** @description A stable code for programs. */
            block_reason?: string;
            /** @description The size of the upload in bytes. */
            bytes?: number;
            /** @description A Portuguese text for people. */
            error: string;
            /** @description The size limit of uploads in bytes. */
            max_asset_bytes?: number;
            /**
             * @description The recapture risk for which the photo was refused.
             * @constant
             */
            recapture_risk?: "HIGH";
        };
        /** @description The aspect ratio to which a photo is cropped. */
        Framing: "landscape" | "portrait" | "square";
        /**
         * @description The registry of duplicates did not respond.
         * @constant
         */
        HashStoreUnavailable: {
            block_reason: "web_hash_store_unavailable";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The upload's hash differs from the announced one, or it is not a JPEG as browsers encode it.
         * @constant
         */
        ImageInvalid: {
            error: "Imagem ausente ou inválida";
        };
        /**
         * @description Nothing was uploaded under this key, or the key is not the one of this load.
         * @constant
         */
        ImageNotFound: {
            error: "Imagem não encontrada — refaça o upload";
        };
        /**
         * @description The credentials for the URLs of the result are missing. Nothing was signed.
         * @constant
         */
        IngestPresignConfigFailed: {
            block_reason: "web_ingest_presign_config_failed";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The URLs of the result could not be created.
         * @constant
         */
        IngestPresignFailed: {
            block_reason: "web_ingest_presign_failed";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /** @description What the page submits after it has uploaded a frame. Unknown fields are ignored. */
        IngestRequest: {
            /**
             * @description The device's clock at the shutter, in milliseconds of the Unix epoch: at most 120 s before the nonce was issued,
             *     and at most 120 s after now.
             */
            captured_at_ms: number;
            /**
             * @description SHA-256 of later frames of the camera, all different from each other and from `frame_hash`. Only this and their
             *     format is checked, because the frames themselves are not sent.
             */
            extra_frame_hashes: components["schemas"]["Sha256"][];
            /** @description SHA-256 of the uploaded bytes. */
            frame_hash: components["schemas"]["Sha256"];
            /** @description Accuracy radius in metres. */
            gps_accuracy: number;
            /**
             * @description Latitude in degrees north, as the browser reports it. Exactly `0, 0, 9999` in the three fields means that there
             *     is no position.
             */
            gps_lat: number;
            /** @description Longitude in degrees east. */
            gps_lon: number;
            /** @description The compass heading in degrees. */
            heading?: number | null;
            /** @description The `image_key` from the same load as the nonce. */
            image_key: string;
            /** @description A name for the photo in UTF-8, without control and format characters and without `<>&"'` and backtick. */
            label?: string | null;
            /**
             * @description Telemetry of the camera's video track: `width`, `height` and `frameRate`. No value causes a refusal.
             * @example {
             *       "frameRate": 30,
             *       "height": 1080,
             *       "width": 1920
             *     }
             */
            media_stream_settings?: unknown;
            /** @description The nonce from the load. It can be used once. */
            nonce: components["schemas"]["Nonce"];
            /** @description The photo that was pending at the load: its place in the session, from 1. */
            photo_order: number;
            /** @description The session's token. */
            token: components["schemas"]["Uuid"];
            /**
             * @description The browser's `navigator.userAgent`. It is signed without control and format characters, cut at 512 bytes. A
             *     `User-Agent` header that differs is recorded; it never causes a refusal.
             */
            user_agent?: string | null;
        };
        /**
         * @description A photo that was signed and recorded, with its manifest: the response to a request with `x-svc-photo: manifest`. The
         *     page has the frame, and puts the manifest into it.
         */
        IngestedManifest: {
            /** @description SHA-256 of the signed JPEG, in lower-case hexadecimal: of the frame with the manifest in it. */
            authenticated_jpeg_sha256: string;
            /** @description The URL of the signed JPEG, valid for 7 days; null if the license does not retain photos. */
            authenticated_jpeg_url: components["schemas"]["Url"] | null;
            /** @description Whether all photos of the session are captured. */
            complete: boolean;
            /** @description The C2PA manifest, which `manifest_url` leads to as well. */
            manifest_base64: string;
            /** @description The URL of the C2PA manifest, valid for 7 days: fetch the manifest and keep it. */
            manifest_url: components["schemas"]["Url"];
            /** @description The photo's place in the session, from 1. */
            photo_order: number;
            /** @description The id of the capture. Whoever has it can get the photo, so it is a secret. */
            session_id: components["schemas"]["Uuid"];
        };
        /** @description A photo that was signed and recorded, with the signed JPEG. */
        IngestedPhoto: {
            /** @description The URL of the signed JPEG, valid for 7 days; null if the license does not retain photos. */
            authenticated_jpeg_url: components["schemas"]["Url"] | null;
            /** @description Whether all photos of the session are captured. */
            complete: boolean;
            /** @description The URL of the C2PA manifest, valid for 7 days: fetch the manifest and keep it. */
            manifest_url: components["schemas"]["Url"];
            /** @description The photo's place in the session, from 1. */
            photo_order: number;
            /** @description The id of the capture. Whoever has it can get the photo, so it is a secret. */
            session_id: components["schemas"]["Uuid"];
            /** @description The signed JPEG. If the license does not retain photos, this is the only copy. */
            signed_image_base64: string;
        };
        /** @description How the native SDKs treat a compromised device. The web routes ignore it. */
        IntegrityEnforcement: "BLOCK" | "WARN" | "IGNORE";
        /**
         * @description The label is not a string, or is invalid.
         * @constant
         */
        LabelInvalid: {
            block_reason: "web_label_invalid";
            error: "Rótulo inválido";
        };
        /**
         * @description The license lacks data that is needed to record a capture. Nothing was signed.
         * @constant
         */
        LedgerClientIdUnauthoritative: {
            block_reason: "web_ledger_client_id_unauthoritative";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The photo was signed but could not be recorded, so it was not delivered. From now on the frame is refused as a duplicate.
         * @constant
         */
        LedgerWriteFailed: {
            block_reason: "web_ledger_write_failed";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The license and the API key belong to different environments.
         * @constant
         */
        LicenseEnvironmentMismatch: {
            block_reason: "web_license_environment_mismatch";
            error: "License e API key pertencem a ambientes diferentes";
        };
        /**
         * @description The record of the license, or of the kit, is corrupt. A retry does not help.
         * @constant
         */
        LicenseInconsistent: {
            error: "Erro na validação da license";
        };
        /**
         * @description The license is revoked, expired, suspended or unknown, or the session may not use the license that the page names.
         * @constant
         */
        LicenseInvalid: {
            block_reason: "web_license_invalid";
            error: "License inválida — verifique a licença.";
        };
        /** @description A license key: `svc_live_`, `svc_stag_` or `svc_sand_`, followed by 32 or 33 base58 characters. */
        LicenseKey: string;
        /**
         * @description `license_key` is missing or malformed.
         * @constant
         */
        LicenseKeyMalformed: {
            block_reason: "web_license_key_malformed";
            error: "Payload inválido";
        };
        /**
         * @description The session has no license.
         * @constant
         */
        LicenseMissing: {
            block_reason: "web_license_missing";
            error: "Sessão inválida — recrie a sessão.";
        };
        /**
         * @description The license is unknown, another client's, revoked, expired or suspended; in the hosted flow: the client has no license that can serve the session. All of these have the same response, so that keys cannot be probed.
         * @constant
         */
        LicenseNotOwned: {
            error: "License inválida para esta API key";
        };
        /**
         * @description The license was revoked, suspended or expired after the session was loaded.
         * @constant
         */
        LicenseRefused: {
            error: "License inválida — verifique a licença.";
        };
        /** @description The verdict on a license: its policy, or why it may not be used. */
        LicenseVerdict: components["schemas"]["Policy"] | components["schemas"]["NoPolicy"];
        /**
         * @description There are fewer than 2 extra frames.
         * @constant
         */
        LivenessInsufficient: {
            block_reason: "web_liveness_insufficient";
            error: "Quadros adicionais inválidos";
        };
        /**
         * @description The hash of an extra frame is not 64 hexadecimal characters.
         * @constant
         */
        LivenessMalformed: {
            block_reason: "web_liveness_malformed";
            error: "Quadros adicionais inválidos";
        };
        /**
         * @description An extra frame equals another one or the frame itself.
         * @constant
         */
        LivenessStatic: {
            block_reason: "web_liveness_static";
            error: "Quadros adicionais inválidos";
        };
        /**
         * @description There are more than 8 extra frames.
         * @constant
         */
        LivenessTooMany: {
            block_reason: "web_liveness_too_many";
            error: "Quadros adicionais inválidos";
        };
        /**
         * @description The session has reached its limit of loads. Waiting does not help.
         * @constant
         */
        LoadLimitReached: {
            error: "Limite de tentativas atingido para esta sessão";
        };
        /** @description A loaded session, with the upload URL for the pending photo. */
        LoadedSession: {
            /** @description The resolution to request from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The number of captured photos. */
            captured_count: number;
            /** @description When the token expires. */
            expires_at: components["schemas"]["Time"];
            /** @description The shape of a hosted session's pending photo. */
            framing?: components["schemas"]["Framing"];
            /** @description The key of the upload, which the ingest has to repeat. */
            image_key: string;
            /** @description The largest upload that is accepted, in bytes. */
            max_asset_bytes: number;
            /** @description The nonce of this load, which one ingest can use. */
            nonce: components["schemas"]["Nonce"];
            /** @description The place of the pending photo, from 1. */
            photo_order: number;
            /**
             * @description Whether the license requires a position. An ingest without one is then refused, so ask the person for it before
             *     the photo.
             * @default false
             */
            position_required: boolean;
            /** @description The profile of a hosted session, or the name of its kit. */
            profile?: components["schemas"]["ProfileText"];
            /** @description The URL to which the page of a hosted session redirects the browser after the last photo. */
            redirect_uri?: components["schemas"]["Url"];
            /** @description The service's time, in milliseconds of the Unix epoch. */
            server_time_ms: number;
            /**
             * @description The status of the session.
             * @enum {unknown}
             */
            status: components["schemas"]["SessionStatus"];
            /** @description The session's token. */
            token: components["schemas"]["Uuid"];
            /** @description The number of photos that the session asks for. */
            total_photos: number;
            /** @description When the upload URL expires, after 5 minutes. */
            upload_expires_at: components["schemas"]["Time"];
            /**
             * @description The headers of the upload. Send exactly these, because the URL's signature covers them.
             * @constant
             */
            upload_headers: {
                "content-type": "image/jpeg";
            };
            /**
             * @description Always `PUT`.
             * @constant
             */
            upload_method: "PUT";
            /** @description The URL to upload the frame to. */
            upload_url: components["schemas"]["Url"];
        };
        /**
         * @description `gps_lat`, `gps_lon` or `gps_accuracy` is missing, not a number, or out of range.
         * @constant
         */
        LocationInvalid: {
            error: "Localização inválida.";
        };
        /**
         * @description The license requires a position, which is missing or not accurate enough.
         * @constant
         */
        LocationNotValidated: {
            error: "Não foi possível validar a localização da captura.";
        };
        /** @description Why a license may not be used. */
        NoPolicy: {
            /** @description The first reason that applies. */
            reason: components["schemas"]["Reason"];
            /**
             * @description Always false.
             * @constant
             */
            valid: false;
        };
        /** @description 32 bytes in base64url without padding. */
        Nonce: string;
        /**
         * @description The nonce is malformed.
         * @constant
         */
        NonceMalformed: {
            block_reason: "web_nonce_malformed";
            error: "Sessão de captura inválida — recarregue a sessão";
        };
        /**
         * @description `nonce` is missing.
         * @constant
         */
        NonceMissing: {
            block_reason: "web_nonce_missing";
            error: "Sessão de captura inválida — recarregue a sessão";
        };
        /**
         * @description The nonce was already used, was never issued, or was issued to another session.
         * @constant
         */
        NonceReplay: {
            block_reason: "web_nonce_replay";
            error: "Sessão de captura inválida — recarregue a sessão";
        };
        /**
         * @description A record that the checks need, such as the session or the license, cannot be read now. Nothing was signed.
         * @constant
         */
        NonceStoreUnavailable: {
            block_reason: "web_nonce_store_unavailable";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /** @description The license's allowlist is empty. The text names the operator. */
        OriginAllowlistEmpty: {
            /** @constant */
            block_reason: "web_origin_allowlist_empty";
            /** @example Origem não autorizada para esta licença — fale com a Lacre para habilitar este domínio. */
            error: unknown;
        };
        /** @description The page's origin is not on the license's allowlist; in the hosted flow: it is not the service's own page. The text names the operator. */
        OriginNotAllowed: {
            /** @constant */
            block_reason: "web_origin_not_allowed";
            /** @example Origem não autorizada para esta licença — fale com a Lacre para habilitar este domínio. */
            error: unknown;
        };
        /**
         * @description The session was loaded by a page of another origin.
         * @constant
         */
        OriginSessionMismatch: {
            block_reason: "web_origin_session_mismatch";
            error: "Sessão carregada de outra origem — recarregue a sessão.";
        };
        /**
         * @description The body is not a JSON object; at the ingest also if a field without a refusal of its own is missing, of another type or out of range.
         * @constant
         */
        PayloadInvalid: {
            error: "Payload inválido";
        };
        /**
         * @description Another photo of the session is pending.
         * @constant
         */
        PhotoOrderMismatch: {
            block_reason: "web_photo_order_mismatch";
            error: "photo_order não corresponde à foto pendente desta sessão.";
        };
        /** @description The policy of a valid license, for SDKs. */
        Policy: {
            /** @description The resolution to request from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description Captures in the current calendar month, UTC. */
            captures_used: number;
            /** @description The environment of the license. */
            environment: components["schemas"]["Environment"];
            /** @description When the license's agreement ends. */
            expires_at: components["schemas"]["Time"];
            /** @description How the native SDKs treat a compromised device. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description Maximum number of photos of one session; null if unlimited. */
            max_captures_per_session: number | null;
            /** @description Whether a capture without a trusted timestamp is refused. */
            tsa_required: boolean;
            /**
             * @description Always true.
             * @constant
             */
            valid: true;
            /** @description Maximum captures per calendar month. */
            volume_limit: number;
        };
        /**
         * @description The upload URL could not be created.
         * @constant
         */
        PresignUnavailable: {
            block_reason: "web_presign_unavailable";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description `vehicle_inspection`, `real_estate`, `high_value_item`, `demo`, or the name of a kit with or without a version.
         * @example demo
         * @example auto-previa
         * @example auto-previa@3
         */
        ProfileText: string;
        /**
         * @description The proof could not be stored.
         * @constant
         */
        ProofStoreUnavailable: {
            block_reason: "web_prova_store_unavailable";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The upload cannot be read, and this submission never succeeds. Load the session again.
         * @constant
         */
        RawReadFailed: {
            block_reason: "web_raw_read_failed";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The upload cannot be read now, and this submission never succeeds. Load the session again.
         * @constant
         */
        RawStoreUnavailable: {
            block_reason: "web_raw_store_unavailable";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /** @description Why a license may not be used, in order of precedence. */
        Reason: "INVALID_KEY" | "REVOKED" | "CLIENT_SUSPENDED" | "EXPIRED" | "ORIGIN_NOT_ALLOWED" | "VOLUME_EXCEEDED";
        /**
         * @description The photo probably shows a screen. The body also has `recapture_risk`: `HIGH`.
         * @constant
         */
        RecaptureDetected: {
            error: "Imagem rejeitada — possível recaptura";
            recapture_risk: "HIGH";
        };
        /**
         * @description ASCII letters, digits, space and `. _ : / @ # + -`, without a space at either end.
         * @example sinistro-42
         */
        Reference: string;
        /**
         * @description `reference_id` is invalid; on `{base_url}` also if it is missing.
         * @constant
         */
        ReferenceIdInvalid: {
            block_reason: "web_reference_id_invalid";
            error: "Payload inválido";
        };
        /** @description A new URL of a retained photo. */
        RenewedImage: {
            /** @description The URL of the signed JPEG. */
            authenticated_jpeg_url: components["schemas"]["Url"];
            /** @description When the URL expires, after 7 days. */
            expires_at: components["schemas"]["Time"];
            /** @description The id of the capture. */
            session_id: components["schemas"]["Uuid"];
        };
        /**
         * @description The response could not be built. Retry once.
         * @constant
         */
        ResponseSerializationFailed: {
            block_reason: "web_response_serialization_failed";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The session is concluded, possibly by a concurrent ingest.
         * @constant
         */
        SessionAlreadyUsed: {
            error: "Sessão já utilizada";
        };
        /**
         * @description The record of the session is corrupt.
         * @constant
         */
        SessionCorrupt: {
            block_reason: "web_session_corrupt";
            error: "Sessão inválida — recrie a sessão.";
        };
        /**
         * @description The session has expired.
         * @constant
         */
        SessionExpired: {
            error: "Sessão expirada";
        };
        /**
         * @description The token is unknown or malformed, or the session was deleted.
         * @constant
         */
        SessionNotFound: {
            error: "Sessão não encontrada";
        };
        /** @description A photo of a session. */
        SessionPhoto: {
            /** @constant */
            label: "";
            /** @description Its position in the session, from 1. */
            order: number;
            /** @constant */
            status: "pending";
        } | {
            /** @description SHA-256 of the signed JPEG, in lower case; absent for photos that were captured before results had this field. */
            authenticated_jpeg_sha256?: string;
            /** @description A new URL of the signed JPEG, valid for 7 days; null if the photo is not retained or is withheld. */
            authenticated_jpeg_url: components["schemas"]["Url"] | null;
            /** @description The time of capture by the device's clock, as sent, in milliseconds of the Unix epoch. */
            captured_at_ms: number;
            /** @constant */
            custody: "held";
            /** @description SHA-256 of the frame, in lower case. */
            frame_hash_hex: string;
            /** @description Accuracy radius in metres, as sent. */
            gps_accuracy: number;
            /** @description Latitude in degrees north, as sent. */
            gps_lat: number;
            /** @description Longitude in degrees east, as sent. */
            gps_lon: number;
            /** @description The compass heading in degrees; absent if none was sent. */
            heading?: number;
            /** @description As sent at the ingest, or empty. */
            label: string;
            /** @description A new URL of the C2PA manifest, valid for 7 days; null if the photo is withheld. */
            manifest_url: components["schemas"]["Url"];
            /** @description Its position in the session, from 1. */
            order: number;
            /** @description The id of the capture. Whoever has it can get the photo, so it is a secret. */
            session_id: components["schemas"]["Uuid"];
            /** @constant */
            status: "captured";
            /**
             * @description The proof that the capture is in the transparency log; absent until it is, some seconds after the capture. Keep
             *     it together with the photo.
             */
            transparency_proof?: string;
        } | {
            /** @description SHA-256 of the signed JPEG, in lower case; absent for photos that were captured before results had this field. */
            authenticated_jpeg_sha256?: string;
            authenticated_jpeg_url: null;
            /** @description The time of capture by the device's clock, as sent, in milliseconds of the Unix epoch. */
            captured_at_ms: number;
            /** @constant */
            custody: "withheld";
            /** @description SHA-256 of the frame, in lower case. */
            frame_hash_hex: string;
            /** @description Accuracy radius in metres, as sent. */
            gps_accuracy: number;
            /** @description Latitude in degrees north, as sent. */
            gps_lat: number;
            /** @description Longitude in degrees east, as sent. */
            gps_lon: number;
            /** @description The compass heading in degrees; absent if none was sent. */
            heading?: number;
            /** @description As sent at the ingest, or empty. */
            label: string;
            manifest_url: null;
            /** @description Its position in the session, from 1. */
            order: number;
            /** @description The id of the capture. Whoever has it can get the photo, so it is a secret. */
            session_id: components["schemas"]["Uuid"];
            /** @constant */
            status: "captured";
        } | {
            /** @constant */
            custody: "erased";
            /** @constant */
            label: "";
            /** @description Its position in the session, from 1. */
            order: number;
            /** @constant */
            status: "captured";
        };
        /** @description The results of a session, or its progress. */
        SessionResults: {
            /** @description The number of captured photos. */
            captured_count: number;
            /** @description When the session was created. */
            created_at: components["schemas"]["Time"];
            /** @description The photos in order. */
            photos: components["schemas"]["SessionPhoto"][];
            /** @description The reference from the creation of the session; `erased` once all photos are erased. */
            reference_id: string;
            /** @description The status of the session. Treat other values as unknown. */
            status: components["schemas"]["SessionStatus"];
            /** @description The number of photos that the session asks for. */
            total_photos: number;
        };
        /** @description The status of a session. */
        SessionStatus: "pending" | "partial" | "captured" | "expired";
        /**
         * @description The session is concluded or has expired. Both have the same response.
         * @constant
         */
        SessionUsedOrExpired: {
            error: "Sessão expirada ou já utilizada";
        };
        /** @description 64 hexadecimal characters of either case. */
        Sha256: string;
        /**
         * @description The signed image is too large for a response. Nothing was stored.
         * @constant
         */
        SignedPayloadTooLarge: {
            block_reason: "web_signed_payload_too_large";
            error: "Imagem assinada acima do tamanho entregável";
        };
        /**
         * @description The signing service refused to sign. Nothing was signed.
         * @constant
         */
        SignerRejected: {
            block_reason: "web_signer_rejected";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The signature is invalid, or one of the two signatures was refused. The frame may be refused as a duplicate for ten minutes.
         * @constant
         */
        SignerResponseInvalid: {
            block_reason: "web_signer_response_invalid";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * @description The signing service did not respond. A signature may exist, and then the frame is refused as a duplicate for ten minutes.
         * @constant
         */
        SignerUnavailable: {
            block_reason: "web_signer_unavailable";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * Format: date-time
         * @description A time in RFC 3339, in UTC with whole seconds.
         * @example 2026-11-20T12:30:00Z
         */
        Time: string;
        /**
         * @description A service that this one depends on failed temporarily.
         * @constant
         */
        UpstreamUnavailable: {
            block_reason: "web_upstream_unavailable";
            error: "Serviço temporariamente indisponível, tente novamente";
        };
        /**
         * Format: uri
         * @description An absolute URL.
         */
        Url: string;
        /**
         * Format: uuid
         * @description A UUID v4 in lower case.
         * @example 5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b
         */
        Uuid: string;
        /** @description The request of an SDK on `{license_url}`. */
        ValidateRequest: {
            /** @description The license's key. Any other JSON object is answered with `INVALID_KEY`. */
            license_key: components["schemas"]["LicenseKey"];
        };
    };
    responses: never;
    parameters: {
        /**
         * @description The page's origin. With one that the license does not list, the verdict is `ORIGIN_NOT_ALLOWED`.
         * @example https://app.example.com
         */
        JudgedOrigin: string;
        /**
         * @description The page's origin, which browsers send. A same-origin GET without it is recognized by `Sec-Fetch-Site`.
         * @example https://app.example.com
         */
        Origin: string;
        /**
         * @description With `manifest`, the response has the manifest instead of the signed photo. Other values have no effect.
         * @example manifest
         */
        Photo: string;
        SessionId: components["schemas"]["Uuid"];
        Token: components["schemas"]["Uuid"];
        /**
         * @description The number of touch points of the screen. More than 1 identifies an iPad that presents itself as a Macintosh.
         * @example 5
         */
        TouchPoints: string;
        /**
         * @description The browser's. It must be a supported one.
         * @example Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1
         */
        UserAgent: string;
    };
    requestBodies: never;
    headers: {
        /** @description For a request with an `Origin`. Any page may read any response. */
        AllowOrigin: "*";
        /** @description Responses carry capabilities. */
        CacheControl: "no-store";
        ContentTypeOptions: "nosniff";
        /** @description For a request with an `Origin`. */
        ExposeHeaders: "retry-after,x-request-id,apigw-requestid";
        /** @description The same. */
        GatewayRequestId: string;
        /** @description The gateway's identifier of the request, which log lines have too. */
        RequestId: string;
        /** @description Seconds. */
        RetryAfter: number;
        /** @description Seconds to the next hour. */
        RetryAfterTheHour: number;
    };
    pathItems: never;
}
