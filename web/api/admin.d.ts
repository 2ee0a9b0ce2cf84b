// Made from openapi/admin.yaml by scripts/generate.

export interface components {
    schemas: {
        /** @description A custody act of an operator on a capture. */
        Act: {
            /** @description When the act took place, by the service's clock. */
            at: components["schemas"]["Time"];
            /** @description The ARN of the operator's IAM principal. */
            principal: string;
            /** @description The operator's reason. */
            reason: string;
            /** @description The state that the act led to. */
            state: components["schemas"]["CustodyState"];
        };
        /** @description An alert as operators see it. */
        Alert: {
            /** @description When an operator acknowledged the alert; null until then. */
            acknowledged_at: components["schemas"]["Time"] | null;
            /** @description The ARN of the IAM principal of the operator who acknowledged the alert. */
            acknowledged_by: string | null;
            /** @description The kind of the alert. */
            alert: components["schemas"]["AlertKind"];
            /** @description The month's captures when the alert was raised; only for alerts about the volume. */
            captures_used?: number;
            /** @description The client that the license belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment of the license. */
            environment: components["schemas"]["Environment"];
            /** @description The license that the alert is about. */
            license_id: components["schemas"]["LicenseId"];
            /** @description The month for which the alert was raised. */
            month: components["schemas"]["Month"];
            /** @description When the alert was published; null until then. */
            published_at: components["schemas"]["Time"] | null;
            /** @description When the alert was raised. */
            raised_at: components["schemas"]["Time"];
            /** @description The volume limit when the alert was raised; only for alerts about the volume. */
            volume_limit?: number;
        };
        /** @description The kind of an alert. */
        AlertKind: "VOLUME_70" | "VOLUME_90" | "VOLUME_100" | "REVOKED";
        /** @description A page of alerts. */
        AlertPage: {
            /** @description The entries of the page. */
            alerts: components["schemas"]["Alert"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description The state by which alerts can be filtered. */
        AlertState: "open";
        /** @description An API key as operators see it, without the key itself. */
        ApiKey: {
            /** @description The name that operators gave the key. */
            name: string;
            /** @description The client that the key was issued to. */
            client_id: components["schemas"]["ClientId"];
            /** @description Whether the client is suspended, in which case the key is refused. */
            client_status: components["schemas"]["ClientStatus"];
            /** @description The environment in which the key creates sessions. */
            environment: components["schemas"]["Environment"];
            /** @description The beginning of the SHA-256 of the key. */
            id: components["schemas"]["KeyId"];
            /** @description When the key was issued. */
            issued_at: components["schemas"]["Time"];
            /**
             * @description The first characters of the key.
             * @constant
             */
            key_prefix: "svc_api_";
            /** @description The last characters of the key; null for keys that were issued before they were stored. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description Whether the key is active. */
            status: components["schemas"]["KeyStatus"];
        };
        /** @description A page of API keys. */
        ApiKeyPage: {
            /** @description The entries of the page. */
            api_keys: components["schemas"]["ApiKey"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description An API key to be issued. */
        ApiKeyRequest: {
            /** @description A name for operators, without control characters. */
            name: string;
            /** @description The environment in which the key creates sessions. */
            environment: components["schemas"]["Environment"];
        };
        /**
         * @description The step of a client's kit that a photo was asked for as: what the customer was asked to photograph, never what the photo
         *     shows.
         */
        AskedFor: {
            /** @description The version of the kit. */
            version: number;
            /** @description The name of the kit. */
            kit: components["schemas"]["KitName"];
            /** @description SHA-256 of the kit's canonical JSON. */
            sha256: components["schemas"]["Digest"];
            /** @description The id of the step. */
            step: components["schemas"]["StepId"];
        };
        /** @description An attempt as operators see it, without its message, which gives access to photos. */
        Attempt: {
            /** @description The number of the attempt, from 1. */
            attempt: number;
            /** @description When the attempt was started; null until then. */
            claimed_at: components["schemas"]["Time"] | null;
            /** @description The client that the session belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The beginning of an error response's body, or the cause of a failure. */
            detail: string;
            /** @description How long the attempt took, in milliseconds; null until it ended. */
            duration_ms: number | null;
            /** @description The environment of the session. */
            environment: components["schemas"]["Environment"];
            /** @description When the message expires and can no longer be delivered. */
            expires_at: components["schemas"]["Time"];
            /** @description The id of the message. */
            message_id: components["schemas"]["MessageId"];
            /** @description The receiver's origin. The rest of its URL may contain a secret of the integrator. */
            receiver: string;
            /** @description When the attempt was requested. */
            requested_at: components["schemas"]["Time"];
            /** @description How the attempt ended; null until then, and if that is unknown. */
            result: components["schemas"]["DeliveryResult"] | null;
            /** @description The state of the attempt. */
            state: components["schemas"]["AttemptState"];
            /** @description The HTTP status of the response; null if there was none. */
            status: number | null;
        };
        /** @description A page of attempts at webhooks. */
        AttemptPage: {
            /** @description The entries of the page. */
            webhooks: components["schemas"]["Attempt"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description The state of an attempt. */
        AttemptState: "pending" | "in_progress" | "delivered" | "failed" | "unknown";
        /** @description An entry of the audit log. */
        AuditEntry: {
            /** @description When the operation was carried out, by the service's clock. */
            at: components["schemas"]["Time"];
            /** @description The client that the operation concerns. */
            client_id: components["schemas"]["ClientId"] | null;
            /** @description The values that were set, or the reason for the refusal. */
            detail: string | null;
            /** @description The id of the request: its `idempotency-key`, if it sent one. */
            id: components["schemas"]["Id"];
            /** @description The operation. */
            operation: components["schemas"]["Operation"];
            /** @description How the operation ended. */
            outcome: components["schemas"]["AuditOutcome"];
            /** @description The ARN of the operator's IAM principal; for a lookup `api-key/` and the id of the client's API key. */
            principal: string;
            /** @description Where the request came from: an IP address, or the name of a machine. */
            source: string;
            /** @description The id of the license, key, message, capture or environment that the operation concerns. */
            subject: string | null;
            /** @description How the operator reached the service. */
            via: components["schemas"]["Via"];
        };
        /** @description How an operation ended. Only `done` means that something was changed. */
        AuditOutcome: "done" | "refused" | "failed";
        /** @description A page of the audit log. */
        AuditPage: {
            /** @description The entries of the page. */
            audit: components["schemas"]["AuditEntry"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description The record of a capture, without personal data and storage locations. */
        Capture: {
            /** @description The custody acts of operators, oldest first; absent if there are none. */
            acts?: components["schemas"]["Act"][];
            /** @description The step of a client's kit that the photo was asked for as; absent if the session had no such kit. */
            asked_for?: components["schemas"]["AskedFor"];
            /** @description The id of the capture: the SHA-256 of its `session_id`. */
            capture_id: components["schemas"]["Digest"];
            /** @description The client that the license belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment of the license. */
            environment: components["schemas"]["Environment"];
            /** @description The frame's size in bytes. */
            frame_bytes: number;
            /** @description SHA-256 of the frame. */
            frame_hash: components["schemas"]["Digest"];
            /** @description The license's location policy. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description The result of the location check. */
            gps_result: components["schemas"]["GpsResult"];
            /** @description Whether the seal was made with a certificate of ICP-Brasil. */
            icp_brasil: boolean;
            /** @description When the service processed the ingest, by its own clock. */
            ingested_at: components["schemas"]["Time"];
            /** @description SHA-256 of the signed JPEG. */
            jpeg_sha256: components["schemas"]["Digest"];
            /** @description The license under which the photo was captured. */
            license_id: components["schemas"]["LicenseId"];
            /** @description The capture's entry in the transparency log, a salted hash. */
            log_entry?: components["schemas"]["Digest"];
            /** @description SHA-256 of the manifest. */
            manifest_sha256: components["schemas"]["Digest"];
            /** @description The month in which the capture counts against the volume limit. */
            month: components["schemas"]["Month"];
            /** @description The origin of the page that captured the photo. */
            origin: string;
            /** @description The photo's place in its session, from 1. */
            photo_order: number;
            /** @description The license's policy on photos of a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The result of the recapture analysis. */
            recapture_risk: components["schemas"]["RecaptureRisk"];
            /** @description The scores from which the risk was concluded, by name. */
            recapture_scores: {
                [key: string]: number;
            };
            /** @description The license's threshold at the time of the capture; absent if the photo was not analysed. */
            recapture_threshold?: number;
            /** @description The version of the service that checked and signed the photo. */
            service_version: string;
            /** @description The OID of the signature policy that the ICP-Brasil signature names. */
            signature_policy: string;
            /** @description The version of the signer profile that signed the photo. */
            signer_version: number;
            /** @description The custody of the capture. */
            state: components["schemas"]["CustodyState"];
            /** @description The license's storage policy at the time of the capture. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
        };
        /** @description A page of captures. */
        CapturePage: {
            /** @description The entries of the page. */
            captures: components["schemas"]["Capture"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description The resolution that the component requests from the camera. */
        CaptureResolution: "SD" | "HD" | "FHD" | "MAX";
        /** @description The captures of an environment. */
        Captures: {
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description The captures of the current calendar month, UTC. */
            month: number;
            /** @description The captures of the current day, UTC. */
            today: number;
        };
        /** @description The body of the error for a request that was carried out before. Nothing is done twice. */
        CarriedOut: {
            /** @description When the request was carried out. */
            carried_out_at: components["schemas"]["Time"];
            /** @description An English text for people. */
            error: string;
        };
        /** @description When a signer's certificate chain expires: the certificate in it that expires first. */
        CertificateEnd: {
            /** @description Whole days until expiry; negative afterwards, 0 if the chain cannot be parsed. */
            days_left: number;
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description The last second of the certificate's validity; null if the chain cannot be parsed. */
            not_after: components["schemas"]["Time"] | null;
            /** @description The signer. */
            signer: components["schemas"]["Signer"];
            /** @description The certificate's subject (RFC 4514); null if the chain cannot be parsed. */
            subject: string | null;
        };
        /** @description A client: the company that integrates the service. */
        Client: {
            /** @description The client's name for people. */
            name: string;
            /** @description The client's id. */
            id: components["schemas"]["ClientId"];
            /** @description Whether the client may use the service. */
            status: components["schemas"]["ClientStatus"];
        };
        /**
         * Format: uuid
         * @description The id of a client: a UUID in lower case.
         */
        ClientId: string;
        /** @description A page of clients. */
        ClientPage: {
            /** @description The entries of the page. */
            clients: components["schemas"]["Client"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description Whether a client may use the service. */
        ClientStatus: "active" | "suspended";
        /** @description A capture that a copy of a photo may show. */
        CopyMatch: {
            /** @description The capture. */
            capture: components["schemas"]["Capture"];
            /** @description The similarity of the fingerprints, from 0 to 100, where 100 is an equal one. */
            similarity_score: number;
        };
        /** @description The captures that a copy of a photo may show. */
        CopyMatches: {
            /** @description The captures, the most similar first. */
            matches: components["schemas"]["CopyMatch"][];
            /** @description Whether captures may be missing, because too many photos look like the copy. */
            truncated: boolean;
        };
        /** @description A count, up to 100. */
        Count: {
            /** @description The number. */
            count: number;
            /** @description Whether there are more than the count. */
            more: boolean;
        };
        /** @description The custody of a captured photo. */
        CustodyState: "held" | "withheld" | "erased";
        /** @description How an attempt ended. */
        DeliveryResult: "delivered" | "rejected" | "timed_out" | "unreachable" | "forbidden" | "unsigned" | "superseded";
        /** @description A SHA-256 digest as 64 hexadecimal characters in lower case. */
        Digest: string;
        /** @description The environment of a key, a license, a session and a proof. Environments are strictly separated. */
        Environment: "PRODUCTION" | "STAGING" | "SANDBOX";
        /** @description The body of an error. */
        Error: {
            /** @description An English text for people. */
            error: string;
        };
        /** @description Whether the service keeps a fingerprint of each photo, by which a copy leads back to it. */
        FingerprintMode: "OFF" | "CODE";
        /** @description The aspect ratio to which a photo is cropped. */
        Framing: "landscape" | "portrait" | "square";
        /** @description How positions are checked. */
        GpsMode: "OFF" | "OBSERVE" | "REQUIRE";
        /** @description The result of the location check, which is signed into the manifest. */
        GpsResult: "NOT_CHECKED" | "NOT_OBTAINED" | "OBSERVED" | "ACCEPTED";
        /** @description The license for a client's hosted sessions in an environment. */
        HostedLicense: {
            /** @description The id of the client. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description The id of the license. */
            license_id: components["schemas"]["LicenseId"];
        };
        /** @description The licenses of a client's hosted sessions. */
        HostedLicenses: {
            /** @description At most one license for each environment. */
            hosted_licenses: components["schemas"]["HostedLicense"][];
        };
        /**
         * Format: uuid
         * @description The id of a request or of a webhook secret: a UUID in lower case.
         */
        Id: string;
        /** @description How the native SDKs treat a compromised device. The web routes ignore it. */
        IntegrityEnforcement: "BLOCK" | "WARN" | "IGNORE";
        /** @description The first 16 hexadecimal characters of a key's SHA-256. Logs show the first 8 of them. */
        KeyId: string;
        /** @description Whether a key is active. */
        KeyStatus: "active" | "revoked";
        /** @description The last four characters of a key. */
        KeySuffix: string;
        /** @description A capture kit: the photos that a customer is asked for. */
        Kit: {
            /** @description The name by which a session asks for the kit. The names of the profiles are reserved. */
            name: components["schemas"]["KitName"];
            /** @description The photos, in the order in which they are asked for. */
            steps: components["schemas"]["KitStep"][];
        };
        /**
         * @description A lower-case letter, followed by at most 31 lower-case letters, digits and hyphens.
         * @example auto-previa
         */
        KitName: string;
        /** @description A page of kits. */
        KitPage: {
            /** @description The entries of the page. */
            kits: components["schemas"]["ListedKit"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description A kit to be put. */
        KitRequest: {
            /** @description The environment in which sessions may use the kit. */
            environment: components["schemas"]["Environment"];
            /** @description The kit. All rules that it breaks are answered at once. */
            kit: components["schemas"]["Kit"];
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
        /** @description A version of a kit. */
        KitVersion: {
            /** @description The version that is shown. A version never changes, and is never deleted. */
            version: number;
            /** @description The kit's name. */
            name: components["schemas"]["KitName"];
            /** @description The client that the kit belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The version of new sessions that name no version. */
            current_version: number;
            /** @description The environment in which sessions may use the kit. */
            environment: components["schemas"]["Environment"];
            /** @description The kit in canonical form. */
            kit: components["schemas"]["Kit"];
            /** @description When the version was put. */
            put_at: components["schemas"]["Time"];
            /** @description Whether the kit is retired: new sessions are refused, whatever version they name. Open sessions keep it. */
            retired: boolean;
            /** @description The SHA-256 of the kit's canonical JSON. */
            sha256: components["schemas"]["Digest"];
        };
        /** @description A license as operators see it. In the sandbox `volume_limit` is 9007199254740991, which means unlimited. */
        License: {
            /** @description The origins of pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that the license was issued to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment in which the license is valid. */
            environment: components["schemas"]["Environment"];
            /** @description When the agreement ends. It may be changed later; a time in the past ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description Whether the service keeps a fingerprint of each photo, by which a copy that lost its proof leads back to it. A fingerprint is personal data. */
            fingerprint: components["schemas"]["FingerprintMode"];
            /** @description The maximum accuracy radius in metres. Used only if the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description The id of the license. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When the license was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the SHA-256 of the license's key. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description The first characters of the key.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description The last characters of the key; null for keys that were issued before they were stored. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description Maximum number of photos in one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The origins of pages to which hosted sessions may redirect, without wildcards. Any of them makes the license a hosted one, which must store photos. */
            redirect_origins: string[];
            /** @description A counter that every change increments. */
            revision: number;
            /** @description Whether the license is active. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a trusted timestamp is required: if so, a capture without one is refused. */
            tsa_required: boolean;
            /** @description Maximum captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /**
         * Format: uuid
         * @description The id of a license, which stays the same when its key is rotated: a UUID in lower case.
         */
        LicenseId: string;
        /** @description A license key: `svc_live_`, `svc_stag_` or `svc_sand_`, followed by 32 or 33 base58 characters. */
        LicenseKey: string;
        /** @description A page of licenses. */
        LicensePage: {
            /** @description The entries of the page. */
            licenses: components["schemas"]["ListedLicense"][];
            /** @description The cursor of the next page; null on the last page. */
            next: string | null;
        };
        /** @description Whether a license is active. Revocation is irreversible. */
        LicenseStatus: "active" | "revoked";
        /** @description A license with its usage. */
        LicenseWithUsage: {
            /** @description The origins of pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that the license was issued to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment in which the license is valid. */
            environment: components["schemas"]["Environment"];
            /** @description When the agreement ends. It may be changed later; a time in the past ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description Whether the service keeps a fingerprint of each photo, by which a copy that lost its proof leads back to it. A fingerprint is personal data. */
            fingerprint: components["schemas"]["FingerprintMode"];
            /** @description The maximum accuracy radius in metres. Used only if the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description The id of the license. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When the license was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the SHA-256 of the license's key. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description The first characters of the key.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description The last characters of the key; null for keys that were issued before they were stored. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description Maximum number of photos in one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The origins of pages to which hosted sessions may redirect, without wildcards. Any of them makes the license a hosted one, which must store photos. */
            redirect_origins: string[];
            /**
             * @description The reason for which `POST /validate` refuses the license now, for requests from any page; absent if it does not
             *     refuse it.
             * @enum {string}
             */
            refusal?: "REVOKED" | "CLIENT_SUSPENDED" | "EXPIRED" | "VOLUME_EXCEEDED";
            /** @description A counter that every change increments. */
            revision: number;
            /** @description Whether the license is active. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a trusted timestamp is required: if so, a capture without one is refused. */
            tsa_required: boolean;
            /** @description The captures under the license in this month. */
            usage: components["schemas"]["Usage"];
            /** @description Maximum captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /** @description A kit of a client, without its steps. */
        ListedKit: {
            /** @description The kit's name. */
            name: components["schemas"]["KitName"];
            /** @description The client that the kit belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The version of new sessions that name no version. */
            current_version: number;
            /** @description The environment in which sessions may use the kit. */
            environment: components["schemas"]["Environment"];
            /** @description Whether the kit is retired: new sessions are refused, whatever version they name. Open sessions keep it. */
            retired: boolean;
        };
        /** @description A license in a list. */
        ListedLicense: {
            /** @description The origins of pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that the license was issued to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The name of the license's client; absent if the client does not exist. */
            client_name?: string;
            /** @description The environment in which the license is valid. */
            environment: components["schemas"]["Environment"];
            /** @description When the agreement ends. It may be changed later; a time in the past ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description Whether the service keeps a fingerprint of each photo, by which a copy that lost its proof leads back to it. A fingerprint is personal data. */
            fingerprint: components["schemas"]["FingerprintMode"];
            /** @description The maximum accuracy radius in metres. Used only if the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description The id of the license. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When the license was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the SHA-256 of the license's key. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description The first characters of the key.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description The last characters of the key; null for keys that were issued before they were stored. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description Maximum number of photos in one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The origins of pages to which hosted sessions may redirect, without wildcards. Any of them makes the license a hosted one, which must store photos. */
            redirect_origins: string[];
            /**
             * @description The reason for which `POST /validate` refuses the license now, for requests from any page; absent if it does not
             *     refuse it.
             * @enum {string}
             */
            refusal?: "REVOKED" | "CLIENT_SUSPENDED" | "EXPIRED" | "VOLUME_EXCEEDED";
            /** @description A counter that every change increments. */
            revision: number;
            /** @description Whether the license is active. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a trusted timestamp is required: if so, a capture without one is refused. */
            tsa_required: boolean;
            /** @description The captures under the license in this month. */
            usage: components["schemas"]["Usage"];
            /** @description Maximum captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /** @description The id of a webhook message, which the header `webhook-id` contains. */
        MessageId: string;
        /**
         * @description A calendar month, UTC.
         * @example 2026-11
         */
        Month: string;
        /** @description A new API key. This response is the only one that shows the key. */
        NewApiKey: {
            /** @description The name that operators gave the key. */
            name: string;
            /** @description The key itself. */
            api_key: string;
            /** @description The client that the key was issued to. */
            client_id: components["schemas"]["ClientId"];
            /** @description Whether the client is suspended, in which case the key is refused. */
            client_status: components["schemas"]["ClientStatus"];
            /** @description The environment in which the key creates sessions. */
            environment: components["schemas"]["Environment"];
            /** @description The beginning of the SHA-256 of the key. */
            id: components["schemas"]["KeyId"];
            /** @description When the key was issued. */
            issued_at: components["schemas"]["Time"];
            /**
             * @description The first characters of the key.
             * @constant
             */
            key_prefix: "svc_api_";
            /** @description The last characters of the key; null for keys that were issued before they were stored. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description Whether the key is active. */
            status: components["schemas"]["KeyStatus"];
        };
        /** @description A client to be created. */
        NewClient: {
            /** @description The client's name for people, without control characters. */
            name: string;
        };
        /** @description A license with its new key. This response is the only one that shows the key. */
        NewLicense: {
            /** @description The origins of pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that the license was issued to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment in which the license is valid. */
            environment: components["schemas"]["Environment"];
            /** @description When the agreement ends. It may be changed later; a time in the past ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description Whether the service keeps a fingerprint of each photo, by which a copy that lost its proof leads back to it. A fingerprint is personal data. */
            fingerprint: components["schemas"]["FingerprintMode"];
            /** @description The maximum accuracy radius in metres. Used only if the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description The id of the license. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When the license was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the SHA-256 of the license's key. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description The first characters of the key.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description The last characters of the key; null for keys that were issued before they were stored. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description The key itself. */
            license_key: components["schemas"]["LicenseKey"];
            /** @description Maximum number of photos in one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The origins of pages to which hosted sessions may redirect, without wildcards. Any of them makes the license a hosted one, which must store photos. */
            redirect_origins: string[];
            /** @description A counter that every change increments. */
            revision: number;
            /** @description Whether the license is active. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a trusted timestamp is required: if so, a capture without one is refused. */
            tsa_required: boolean;
            /** @description Maximum captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /** @description A license that is to be issued: the terms that are named. The others get their defaults. */
        NewTerms: {
            /** @description The origins of pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins?: string[] | null;
            /** @description The resolution that the component requests from the camera. */
            capture_resolution?: components["schemas"]["CaptureResolution"] | null;
            environment: components["schemas"]["Environment"];
            /**
             * Format: date-time
             * @description When the agreement ends. It may be changed later; a time in the past ends the agreement at once.
             */
            expires_at: string | null;
            /** @description Whether the service keeps a fingerprint of each photo, by which a copy that lost its proof leads back to it. A fingerprint is personal data. */
            fingerprint?: components["schemas"]["FingerprintMode"] | null;
            /** @description The maximum accuracy radius in metres. Used only if the position is required. */
            gps_max_accuracy_m?: number | null;
            /** @description How the position is checked. */
            gps_mode?: components["schemas"]["GpsMode"] | null;
            /** @description Maximum number of photos in one session. */
            max_captures_per_session?: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate?: components["schemas"]["RecaptureGate"] | null;
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold?: number | null;
            /** @description The origins of pages to which hosted sessions may redirect, without wildcards. Any of them makes the license a hosted one, which must store photos. */
            redirect_origins?: string[] | null;
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy?: components["schemas"]["StoreAssetPolicy"] | null;
            /** @description Whether a trusted timestamp is required: if so, a capture without one is refused. */
            tsa_required?: boolean | null;
            /** @description Maximum captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit?: number | null;
        } & unknown;
        /** @description A new webhook secret. This response is the only one that shows the secret. */
        NewWebhookSecret: {
            /** @description The client whose webhooks the secret signs. */
            client_id: components["schemas"]["ClientId"];
            /** @description When the secret stops signing, or stopped; null until it is rotated or revoked. */
            ends_at: components["schemas"]["Time"] | null;
            /** @description The environment whose webhooks the secret signs. */
            environment: components["schemas"]["Environment"];
            /** @description The id of the secret. */
            id: components["schemas"]["Id"];
            /** @description When the secret was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description Whether the secret signs. */
            state: components["schemas"]["WebhookSecretState"];
            /** @description The secret itself, in base64. */
            webhook_secret: string;
        };
        /** @description The operations that change something, and lookups of copies and of evidence. Other reading is not recorded. */
        Operation: "client.create" | "client.suspend" | "client.resume" | "api_key.issue" | "api_key.revoke" | "license.issue" | "license.configure" | "license.rotate" | "license.revoke" | "license.host" | "license.recount" | "webhook_secret.issue" | "webhook_secret.rotate" | "webhook_secret.revoke" | "webhook.redeliver" | "kit.put" | "kit.retire" | "sender.set" | "alert.acknowledge" | "signer.import_a1" | "signer.install_claim_certificate" | "signer.timestamps" | "signer.activate" | "signer.revert" | "signer.discard" | "evidence.withhold" | "evidence.release" | "evidence.erase" | "evidence.erase_refused" | "evidence.find" | "evidence.get" | "dossier.make" | "evidence.index" | "evidence.restore" | "evidence.reconcile" | "log.restore";
        /** @description A line of an outline. */
        OutlinePath: {
            /** @description The line. */
            d: components["schemas"]["PathData"];
        };
        /** @description The state of the service. */
        Overview: {
            /** @description When the state was read. */
            at: components["schemas"]["Time"];
            /** @description The captures of all environments, production first. They may lag by some seconds. */
            captures: components["schemas"]["Captures"][];
            /** @description For each signer in force, the certificate of its chain that expires first. */
            certificates: components["schemas"]["CertificateEnd"][];
            /** @description The failed attempts at webhooks that were not followed by a redelivery. */
            failing_webhooks: components["schemas"]["Count"];
            /** @description The alerts that no operator has acknowledged. */
            open_alerts: components["schemas"]["Count"];
        };
        /**
         * @description SVG path data of absolute commands: `M`, `L`, `H`, `V`, `C`, `S`, `Q`, `T`, `A` and `Z`.
         * @example M100 380H900V520H100Z
         */
        PathData: string;
        /** @description The probed signer profile, and the results of its checks. */
        ProbedSigners: {
            /** @description The version that the draft would get, or the requested version. */
            version: number;
            /** @description The checks that were made. */
            checks: components["schemas"]["SignerCheck"][];
            /** @description The draft's revision; null if a version was requested. */
            draft_revision: number | null;
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description Whether all checks succeeded. */
            works: boolean;
        };
        /** @description What happens to a photo that probably shows a screen. */
        RecaptureGate: "BLOCK" | "RECORD" | "OFF";
        /** @description The risk that a photo shows a screen, by the recapture analysis; lowest first. */
        RecaptureRisk: "NONE" | "UNKNOWN" | "HIGH";
        /** @description A request to end a webhook secret. */
        RevocationRequest: {
            /**
             * @description Confirms that a secret may be ended although no other one signs.
             * @default false
             */
            last: boolean;
        };
        /** @description Another webhook secret of an environment, to be issued. */
        RotationRequest: {
            /** @description The environment whose webhooks the secret signs. */
            environment: components["schemas"]["Environment"];
            /**
             * @description How long earlier secrets continue to sign, in hours.
             * @default 24
             */
            overlap_hours: number | null;
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
        /** @description The sender of a client's hosted sessions in an environment. */
        SenderOfClient: {
            /** @description The client. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description The sender in canonical form, as customers see it. */
            sender: components["schemas"]["Sender"];
            /** @description When the sender was set. */
            set_at: components["schemas"]["Time"];
            /** @description The SHA-256 of the sender's canonical JSON. */
            sha256: components["schemas"]["Digest"];
        };
        /** @description A sender to be set. */
        SenderRequest: {
            /** @description The environment whose hosted sessions show the sender. */
            environment: components["schemas"]["Environment"];
            /** @description The sender, who asks customers for photos. All rules that it breaks are answered at once. */
            sender: components["schemas"]["Sender"];
        };
        /** @description 1 to 400 characters, without control and format characters and without `<` and `>`. */
        SenderText: string;
        /** @description The signers of a signer profile. */
        Signer: "seal" | "claim";
        /** @description A check of a signer profile. */
        SignerCheck: {
            /** @description The check. */
            check: components["schemas"]["SignerPart"];
            /** @description The fault that was found; null if the check succeeded. */
            fault: string | null;
        };
        /** @description The checks of a signer profile. */
        SignerPart: "profile" | "dates" | "seal" | "claim" | "timestamps";
        /**
         * @description A lower-case letter, followed by at most 31 lower-case letters, digits and hyphens.
         * @example chassi
         */
        StepId: string;
        /** @description At most 160 characters, without control and format characters and without `<` and `>`. */
        StepInstruction: string;
        /** @description At most 120 characters, without control and format characters and without `<` and `>`. */
        StepTip: string;
        /** @description At most 64 bytes in UTF-8, without control and format characters and without `<>&"'` and backtick. */
        StepTitle: string;
        /** @description Whether the service stores the signed JPEG. */
        StoreAssetPolicy: "ALWAYS" | "NEVER" | "PER_SESSION";
        /** @description The kind of picture that a step asks for. */
        Subject: "object" | "detail" | "text" | "document" | "display" | "room" | "building";
        /** @description The terms that are named: at issue the others get their defaults, later they stay. */
        Terms: {
            /** @description The origins of pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins?: string[] | null;
            /** @description The resolution that the component requests from the camera. */
            capture_resolution?: components["schemas"]["CaptureResolution"] | null;
            /**
             * Format: date-time
             * @description When the agreement ends. It may be changed later; a time in the past ends the agreement at once.
             */
            expires_at?: string | null;
            /** @description Whether the service keeps a fingerprint of each photo, by which a copy that lost its proof leads back to it. A fingerprint is personal data. */
            fingerprint?: components["schemas"]["FingerprintMode"] | null;
            /** @description The maximum accuracy radius in metres. Used only if the position is required. */
            gps_max_accuracy_m?: number | null;
            /** @description How the position is checked. */
            gps_mode?: components["schemas"]["GpsMode"] | null;
            /** @description Maximum number of photos in one session. */
            max_captures_per_session?: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate?: components["schemas"]["RecaptureGate"] | null;
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold?: number | null;
            /** @description The origins of pages to which hosted sessions may redirect, without wildcards. Any of them makes the license a hosted one, which must store photos. */
            redirect_origins?: string[] | null;
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy?: components["schemas"]["StoreAssetPolicy"] | null;
            /** @description Whether a trusted timestamp is required: if so, a capture without one is refused. */
            tsa_required?: boolean | null;
            /** @description Maximum captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit?: number | null;
        };
        /**
         * Format: date-time
         * @description A time in RFC 3339, in UTC with whole seconds.
         * @example 2026-11-20T12:30:00Z
         */
        Time: string;
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
         * Format: uri
         * @description An absolute URL.
         */
        Url: string;
        /** @description The captures of a license in a month. */
        Usage: {
            /** @description The number of captures. */
            captures_used: number;
            /** @description The month. */
            month: components["schemas"]["Month"];
        };
        /** @description The captures of a license by month. */
        UsageByMonth: {
            /** @description The months, the current one last. */
            usage: components["schemas"]["Usage"][];
        };
        /** @description How an operator reaches the service. */
        Via: "api" | "command_line" | "resolution_api";
        /** @description A webhook secret as operators see it, without the secret itself. */
        WebhookSecret: {
            /** @description The client whose webhooks the secret signs. */
            client_id: components["schemas"]["ClientId"];
            /** @description When the secret stops signing, or stopped; null until it is rotated or revoked. */
            ends_at: components["schemas"]["Time"] | null;
            /** @description The environment whose webhooks the secret signs. */
            environment: components["schemas"]["Environment"];
            /** @description The id of the secret. */
            id: components["schemas"]["Id"];
            /** @description When the secret was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description Whether the secret signs. */
            state: components["schemas"]["WebhookSecretState"];
        };
        /** @description The first webhook secret of an environment, to be issued. */
        WebhookSecretRequest: {
            /** @description The environment whose webhooks the secret signs. */
            environment: components["schemas"]["Environment"];
        };
        /** @description Whether a webhook secret signs messages. */
        WebhookSecretState: "live" | "ended";
        /** @description The webhook secrets of a client. */
        WebhookSecrets: {
            /** @description All webhook secrets, ordered by environment and then by age, oldest first. */
            webhook_secrets: components["schemas"]["WebhookSecret"][];
        };
    };
    responses: {
        /** @description The current state does not allow the operation, it was changed concurrently, or an earlier request has the same `idempotency-key`; if that request was carried out, the body has `carried_out_at`. */
        Conflict: {
            headers: {
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "client 019a9e3c-5c1a-7d20-9b1f-6a2f0c7d4e10 is suspended; resume it first"
                 *     }
                 */
                "application/json": components["schemas"]["Error"] | components["schemas"]["CarriedOut"];
            };
        };
        /** @description The input is invalid. Nothing was changed. */
        Invalid: {
            headers: {
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "a name has 1 to 100 characters and no line breaks"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The resource does not exist. */
        NotFound: {
            headers: {
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "client 019a9e3c-5c1a-7d20-9b1f-6a2f0c7d4e10 does not exist"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The license's revision differs from the one in `if-match`. Nothing was changed. */
        Stale: {
            headers: {
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "the license has revision 4, not 3: another operator changed it; read it again"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description AWS did not respond. The text says whether the change may have been applied. */
        Unavailable: {
            headers: {
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "AWS did not respond. Nothing was changed."
                 *     }
                 */
                "application/json": {
                    /** @enum {unknown} */
                    error?: "AWS did not respond. Nothing was changed." | "AWS did not respond; the change may have been applied. Check before retrying.";
                } & components["schemas"]["Error"];
            };
        };
        /** @description A record cannot be read, or the deployment is incomplete. Do not retry. */
        Unreadable: {
            headers: {
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "A record cannot be read, or the deployment is incomplete. The log has the cause."
                 *     }
                 */
                "application/json": {
                    /** @enum {unknown} */
                    error?: "A record cannot be read, or the deployment is incomplete. The log has the cause.";
                } & components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        name: components["schemas"]["KitName"];
        alert: components["schemas"]["AlertKind"];
        /** @description The capture id, or its `session_id`. */
        capture_id: components["schemas"]["Digest"] | components["schemas"]["Id"];
        client_id: components["schemas"]["ClientId"];
        environment: components["schemas"]["Environment"];
        /**
         * @description A new UUID for each intent, the same for each retry of it. A request that was carried out before is answered 409 with `carried_out_at`, and nothing is done twice; one that was refused before needs another id.
         * @example 0b6e9c2e-1111-4222-8333-444455556666
         */
        "idempotency-key": components["schemas"]["Id"];
        /**
         * @description The license's `revision` that the change is for, in quotes.
         * @example "3"
         */
        "if-match": string;
        key_id: components["schemas"]["KeyId"];
        license_id: components["schemas"]["LicenseId"];
        message_id: components["schemas"]["MessageId"];
        month: components["schemas"]["Month"];
        /** @description The `idempotency-key` of the request. */
        request_id: components["schemas"]["Id"];
        secret_id: components["schemas"]["Id"];
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
    };
    pathItems: never;
}
