// Made from openapi/hosted.yaml by scripts/generate.

export interface components {
    schemas: {
        /**
         * @description The browser is not supported.
         * @constant
         */
        AccessNotValidated: {
            error: "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
        };
        /** @description A photo of the session. */
        AnnouncedPhoto: {
            /** @description The URL of the signed JPEG, valid for 7 days; null if the photo is not retained or is withheld. */
            authenticated_jpeg_url: components["schemas"]["Url"] | null;
            /** @description SHA-256 of the frame, in lower case. */
            frame_hash_hex: string;
            /** @description The label from the ingest, if the session was created with a kit or for single steps. */
            label?: string;
            /** @description The URL of the C2PA manifest, valid for 7 days; null if the photo is withheld. */
            manifest_url: components["schemas"]["Url"] | null;
            /** @description The photo's place in the session, from 1. */
            order: number;
            /** @description The risk that the photo shows a screen. */
            recapture_risk: components["schemas"]["RecaptureRisk"];
            /** @description The id of the capture. Whoever has it can get the photo, so it is a secret. */
            session_id: components["schemas"]["Uuid"];
            /**
             * @description The step that the photo was asked for as, if the session was created with a kit or for single steps. It does not
             *     say what the photo shows.
             */
            step?: components["schemas"]["StepId"];
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
        /** @description A photo that a hosted session asks for, as the page shows it. */
        AskedPhoto: {
            /** @description What the customer is told about this photo. */
            note?: components["schemas"]["StepNote"];
            /** @description Whether the photo was captured. */
            state: components["schemas"]["AskedState"];
            /** @description The step of the kit. */
            step: components["schemas"]["KitStep"];
        };
        /** @description Whether a photo that a session asks for was captured. */
        AskedState: "pending" | "captured" | "skipped";
        /** @description The upload is too large. The text states the limit. The body also has `bytes` and `max_asset_bytes`. */
        AssetTooLarge: {
            /** @constant */
            block_reason: "web_asset_too_large";
            /** @example Imagem acima do tamanho máximo aceito (4194304 bytes). */
            error: unknown;
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
        /** @description A hosted session to be created. */
        CreateHostedSession: {
            /**
             * @description What to photograph: a profile, or the name of one of the client's kits. A kit's name alone means its current
             *     version; `auto-previa@3` means that version.
             */
            profile: components["schemas"]["ProfileText"];
            /**
             * @description The URL to which the page redirects the browser after the last photo: https without credentials and fragment,
             *     with an origin that is one of the license's `redirect_origins`. In the sandbox also http to localhost and
             *     127.0.0.1.
             */
            redirect_uri: components["schemas"]["Url"];
            /** @description The integrator's reference to its case. */
            reference_id: components["schemas"]["Reference"];
            /**
             * @description The steps that the session asks for, in the kit's order, if it does not ask for all of them: those that a case
             *     still lacks, or that are to be photographed again.
             */
            steps?: components["schemas"]["RequestedStep"][] | null;
            /**
             * @description The URL at which the result is announced, once: https without credentials and fragment, on port 443 or a port
             *     above 1024, and with a host name or a public IP address.
             */
            webhook_url: components["schemas"]["Url"];
        };
        /**
         * @description The body is not a JSON object.
         * @constant
         */
        CreatePayloadInvalid: {
            block_reason: "web_create_payload_invalid";
            error: "Payload inválido";
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
        /** @description The field named in the text is missing, or does not have the documented form; `steps` also if it names no step, a step that the kit does not have, or a step twice, or has a malformed note. */
        FieldInvalid: {
            /** @enum {unknown} */
            error: "Payload inválido: reference_id" | "Payload inválido: redirect_uri" | "Payload inválido: webhook_url" | "Payload inválido: profile" | "Payload inválido: steps";
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
            /**
             * @description In a hosted session, the photo that is pending now, so that the page needs no load for it. If it is absent
             *     although the session is not complete, load the session.
             */
            next?: components["schemas"]["NextPhoto"];
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
            /**
             * @description In a hosted session, the photo that is pending now, so that the page needs no load for it. If it is absent
             *     although the session is not complete, load the session.
             */
            next?: components["schemas"]["NextPhoto"];
            /** @description The photo's place in the session, from 1. */
            photo_order: number;
            /** @description The id of the capture. Whoever has it can get the photo, so it is a secret. */
            session_id: components["schemas"]["Uuid"];
            /** @description The signed JPEG. If the license does not retain photos, this is the only copy. */
            signed_image_base64: string;
        };
        /** @description How the native SDKs treat a compromised device. The web routes ignore it. */
        IntegrityEnforcement: "BLOCK" | "WARN" | "IGNORE";
        /** @description What the page tells the customer before the first photo. */
        Introduction: {
            /** @description Who asks for the photos; absent if the operator has not said so. */
            sender?: components["schemas"]["Sender"];
            /** @description The titles of the photos that the session asks for, without the skipped ones. */
            titles: components["schemas"]["TranslationsOfStepTitle"][];
        };
        /** @description A step of a kit: one photo. */
        KitStep: {
            /** @description What the photo shows, in a word or two. It is the photo's label. */
            title: components["schemas"]["TranslationsOfStepTitle"];
            /** @description Whether the photo shows a display, such as a digital odometer. Default: `false`. */
            display_expected?: boolean;
            /** @description The aspect ratio to which the photo is cropped. */
            framing: components["schemas"]["Framing"];
            /** @description The step's id, which no other step of the kit has. */
            id: components["schemas"]["StepId"];
            /** @description What the customer is to do. */
            instruction: components["schemas"]["TranslationsOfStepInstruction"];
            /** @description The length of the photo's shorter side, in pixels, below which the page warns. It never prevents a photo. */
            min_short_side?: number;
            /** @description Whether the customer may skip the photo. The last step of a kit cannot be skipped. Default: `false`. */
            optional?: boolean;
            /** @description The lines that the page draws over the picture. Default: none. */
            outline?: components["schemas"]["OutlinePath"][];
            /**
             * @description The sharpness below which the page warns: the smaller it is, the more blurred a photo may be. It never prevents a
             *     photo.
             */
            sharpness_floor?: number;
            /** @description The kind of picture. Default: `object`. */
            subject?: components["schemas"]["Subject"];
            /** @description What makes the photo a good one. */
            tip?: components["schemas"]["TranslationsOfStepTip"];
            /** @description Whether the page recommends the phone's light. Default: `off`. */
            torch?: components["schemas"]["Torch"];
        };
        /**
         * @description The name and the version of a kit, separated by `@`.
         * @example auto-previa@3
         */
        KitVersion: string;
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
            /** @description The photos that a hosted session asks for, in order: the first has order 1. */
            readonly steps?: components["schemas"]["AskedPhoto"][];
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
        /** @description The pending photo of a hosted session, and the upload for it. */
        NextPhoto: {
            /** @description The number of captured photos. */
            captured_count: number;
            /** @description The key of the upload, which the ingest has to repeat. */
            image_key: string;
            /** @description The nonce, which one ingest can use. */
            nonce: components["schemas"]["Nonce"];
            /** @description The place of the pending photo, from 1. */
            photo_order: number;
            /** @description The service's time, in milliseconds of the Unix epoch. */
            server_time_ms: number;
            /** @description The number of photos that the session asks for, without the skipped ones. */
            total_photos: number;
            /** @description When the upload URL expires, after 5 minutes. */
            upload_expires_at: components["schemas"]["Time"];
            /** @description The URL to upload the frame to, with the method and the headers of the load. */
            upload_url: components["schemas"]["Url"];
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
        /** @description A line of an outline. */
        OutlinePath: {
            /** @description The line. */
            d: components["schemas"]["PathData"];
        };
        /**
         * @description SVG path data of absolute commands: `M`, `L`, `H`, `V`, `C`, `S`, `Q`, `T`, `A` and `Z`.
         * @example M100 380H900V520H100Z
         */
        PathData: string;
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
        /**
         * @description The pending photo cannot be skipped, because its step is not optional.
         * @constant
         */
        PhotoRequired: {
            block_reason: "web_photo_required";
            error: "Esta foto é obrigatória.";
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
         * @description The profile does not exist, and the client has no such kit, or the kit is retired.
         * @constant
         */
        ProfileInvalid: {
            error: "profile inválido — use vehicle_inspection, real_estate, high_value_item ou demo";
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
        /** @description The risk that a photo shows a screen, by the recapture analysis; lowest first. */
        RecaptureRisk: "NONE" | "UNKNOWN" | "HIGH";
        /**
         * @description `redirect_uri` is invalid, or its origin is not one of the license's redirect origins.
         * @constant
         */
        RedirectUriInvalid: {
            error: "redirect_uri inválida";
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
        /** @description A step that a session asks for. */
        RequestedStep: {
            /** @description The step's id in its kit. */
            id: components["schemas"]["StepId"];
            /** @description What the customer is told about this photo, such as what was wrong with the last one. */
            note?: components["schemas"]["StepNote"] | null;
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
         * @description Who asks for the photos, with what the Brazilian data protection law (LGPD, Lei 13.709/2018, art. 9) has the customer
         *     told before any data is collected.
         */
        Sender: {
            /** @description The company's name, as its customers know it. */
            name: components["schemas"]["SenderName"];
            /**
             * @description What depends on the photos, if a product or a service does, and how to exercise one's rights nevertheless
             *     (art. 9, § 3).
             */
            condition?: components["schemas"]["TranslationsOfSenderText"];
            /** @description How to reach the controller: an e-mail address, a phone number or a web address (art. 9, IV). */
            contact: components["schemas"]["SenderName"];
            /** @description The controller: the name and the number of the company that decides about the data (art. 9, III). */
            controller: components["schemas"]["SenderName"];
            /** @description How the data is processed, and for how long it is kept (art. 9, II). */
            duration: components["schemas"]["TranslationsOfSenderText"];
            /** @description The company's logo: a PNG of at most 16 KiB and 512 by 512 pixels, in base64. */
            logo?: string;
            /** @description The https address of the complete privacy notice. */
            notice_url?: components["schemas"]["Url"];
            /** @description What the photos are for (art. 9, I). */
            purpose: components["schemas"]["TranslationsOfSenderText"];
            /** @description Who is responsible for what among those who process the data (art. 9, VI). */
            responsibilities: components["schemas"]["TranslationsOfSenderText"];
            /** @description With whom the data is shared, and what for (art. 9, V). */
            sharing: components["schemas"]["TranslationsOfSenderText"];
        };
        /** @description 1 to 100 characters, without control and format characters and without `<` and `>`. */
        SenderName: string;
        /** @description 1 to 400 characters, without control and format characters and without `<` and `>`. */
        SenderText: string;
        /**
         * @description The session is concluded, possibly by a concurrent ingest.
         * @constant
         */
        SessionAlreadyUsed: {
            error: "Sessão já utilizada";
        };
        /** @description The body of the webhook. The fields before `photos` describe the last photo. */
        SessionCaptured: {
            /** @description The URL of the signed JPEG, valid for 7 days; null if the license does not retain photos. */
            authenticated_jpeg_url: components["schemas"]["Url"] | null;
            /** @description Whether the seal was made with a certificate of ICP-Brasil. */
            icp_brasil: boolean;
            /** @description The version of the kit, if the session was created with one. */
            kit?: components["schemas"]["KitVersion"];
            /** @description All photos that are not erased, in order. */
            photos: components["schemas"]["AnnouncedPhoto"][];
            /** @description When the last photo was signed. */
            processed_at: components["schemas"]["Time"];
            /** @description The highest risk of all photos. */
            recapture_risk: components["schemas"]["RecaptureRisk"];
            /** @description The reference from the creation of the session. */
            reference_id: string;
            /** @description The id of the last capture. Whoever has it can get the photo, so it is a secret. */
            session_id: components["schemas"]["Uuid"];
            /**
             * @description Always `signed`.
             * @constant
             */
            status: "signed";
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
            /** @description The step that the photo was asked for as, if the session was created with a kit or for single steps. */
            step?: string;
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
            /** @description The step that the photo was asked for as, if the session was created with a kit or for single steps. */
            step?: string;
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
            /** @description The step that the photo was asked for as, if the session was created with a kit or for single steps. */
            step?: string;
        } | {
            /** @constant */
            custody: "erased";
            /** @constant */
            label: "";
            /** @description Its position in the session, from 1. */
            order: number;
            /** @constant */
            status: "captured";
            /** @description The step that the photo was asked for as, if the session was created with a kit or for single steps. */
            step?: string;
        };
        /** @description The progress of a hosted session. Nothing in it identifies the session or its photos. */
        SessionProgress: {
            /** @description The number of captured photos. */
            captured_count: number;
            /** @description When the token expires. */
            expires_at: components["schemas"]["Time"];
            /** @description What the page shows before the first photo, if the request has `introduction=true`. */
            readonly introduction?: components["schemas"]["Introduction"];
            /** @description The version of the kit, if the session was created with one. */
            kit?: components["schemas"]["KitVersion"];
            /** @description The status of the session. */
            status: components["schemas"]["SessionStatus"];
            /** @description The pending step, if the session was created with a kit or for single steps, and is not concluded. */
            step?: components["schemas"]["StepId"];
            /** @description The number of photos that the session asks for. */
            total_photos: number;
        };
        /** @description The results of a session, or its progress. */
        SessionResults: {
            /** @description The number of captured photos. */
            captured_count: number;
            /** @description When the session was created. */
            created_at: components["schemas"]["Time"];
            /** @description The version of the kit, if the session was created with one. */
            kit?: components["schemas"]["KitVersion"];
            /** @description The photos in order. */
            photos: components["schemas"]["SessionPhoto"][];
            /** @description The profile of a hosted session, or the name of its kit. */
            profile: components["schemas"]["ProfileText"];
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
        /** @description What the page submits to skip a photo. Unknown fields are ignored. */
        SkipRequest: {
            /** @description The nonce from the load, or from the ingest of the photo before. It can be used once. */
            nonce: components["schemas"]["Nonce"];
            /** @description The photo that was pending at the load: its place in the session, from 1. */
            photo_order: number;
            /** @description The session's token. */
            token: components["schemas"]["Uuid"];
        };
        /**
         * @description A lower-case letter, followed by at most 31 lower-case letters, digits and hyphens.
         * @example chassi
         */
        StepId: string;
        /** @description At most 160 characters, without control and format characters and without `<` and `>`. */
        StepInstruction: string;
        /** @description At most 160 characters, without control and format characters and without `<` and `>`. */
        StepNote: string;
        /** @description At most 120 characters, without control and format characters and without `<` and `>`. */
        StepTip: string;
        /** @description At most 64 bytes in UTF-8, without control and format characters and without `<>&"'` and backtick. */
        StepTitle: string;
        /** @description The kind of picture that a step asks for. */
        Subject: "object" | "detail" | "text" | "document" | "display" | "room" | "building";
        /**
         * Format: date-time
         * @description A time in RFC 3339, in UTC with whole seconds.
         * @example 2026-11-20T12:30:00Z
         */
        Time: string;
        /**
         * @description The path has no token.
         * @constant
         */
        TokenMissing: {
            error: "token ausente no path";
        };
        /** @description Whether the page recommends the phone's light. */
        Torch: "off" | "suggest";
        /** @description A text in the languages of the page. */
        TranslationsOfSenderText: {
            /** @description In English. */
            en?: components["schemas"]["SenderText"];
            /** @description In Spanish. */
            es?: components["schemas"]["SenderText"];
            /** @description In Brazilian Portuguese. It is shown, too, where the text in the page's language is missing. */
            "pt-BR": components["schemas"]["SenderText"];
        };
        /** @description A text in the languages of the page. */
        TranslationsOfStepInstruction: {
            /** @description In English. */
            en?: components["schemas"]["StepInstruction"];
            /** @description In Spanish. */
            es?: components["schemas"]["StepInstruction"];
            /** @description In Brazilian Portuguese. It is shown, too, where the text in the page's language is missing. */
            "pt-BR": components["schemas"]["StepInstruction"];
        };
        /** @description A text in the languages of the page. */
        TranslationsOfStepTip: {
            /** @description In English. */
            en?: components["schemas"]["StepTip"];
            /** @description In Spanish. */
            es?: components["schemas"]["StepTip"];
            /** @description In Brazilian Portuguese. It is shown, too, where the text in the page's language is missing. */
            "pt-BR": components["schemas"]["StepTip"];
        };
        /** @description A text in the languages of the page. */
        TranslationsOfStepTitle: {
            /** @description In English. */
            en?: components["schemas"]["StepTitle"];
            /** @description In Spanish. */
            es?: components["schemas"]["StepTitle"];
            /** @description In Brazilian Portuguese. It is shown, too, where the text in the page's language is missing. */
            "pt-BR": components["schemas"]["StepTitle"];
        };
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
        /** @description The request of the hosted page on `{capture_url}`. */
        ValidateSessionRequest: {
            /** @description The license key in the page's address, if it has one. */
            license_key?: components["schemas"]["LicenseKey"];
            /** @description The session's token. */
            token: components["schemas"]["Uuid"];
        };
        /**
         * @description `webhook_url` is invalid.
         * @constant
         */
        WebhookUrlInvalid: {
            error: "webhook_url inválida";
        };
    };
    responses: never;
    parameters: {
        /**
         * @description With `true`, the response has what the page shows before the first photo. Any other value has no effect.
         * @example true
         */
        Introduction: unknown;
        /**
         * @description The license key that the page's address names: another license of the same client for this session.
         * @example svc_live_4VqjZkXW7mZb1w7cF3Rk9pTtYhNn2sUu
         */
        LicenseKey: string;
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
        /** @description Responses carry capabilities. */
        CacheControl: "no-store";
        ContentTypeOptions: "nosniff";
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
