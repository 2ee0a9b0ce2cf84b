// Made from openapi/admin.yaml by scripts/generate.

export interface components {
    schemas: {
        /** @description An operator's act on a capture. */
        Act: {
            /** @description The service's time of the act. */
            at: components["schemas"]["Time"];
            /** @description The ARN of the operator's IAM principal. */
            principal: string;
            /** @description Why. */
            reason: string;
            /** @description The state that it led to. */
            state: components["schemas"]["CustodyState"];
        };
        /** @description An alert as operators see it. */
        Alert: {
            /** @description When an operator acknowledged it; null until then. */
            acknowledged_at: components["schemas"]["Time"] | null;
            /** @description The ARN of that operator's IAM principal. */
            acknowledged_by: string | null;
            /** @description Its kind. */
            alert: components["schemas"]["AlertKind"];
            /** @description The month's captures at that time; only of alerts about the volume. */
            captures_used?: number;
            /** @description The client whose license that is. */
            client_id: components["schemas"]["ClientId"];
            /** @description The license's environment. */
            environment: components["schemas"]["Environment"];
            /** @description The license that it is about. */
            license_id: components["schemas"]["LicenseId"];
            /** @description The month that it belongs to. */
            month: components["schemas"]["Month"];
            /** @description When it was published; null until then. */
            published_at: components["schemas"]["Time"] | null;
            /** @description When it was raised. */
            raised_at: components["schemas"]["Time"];
            /** @description The volume limit at that time; only of alerts about the volume. */
            volume_limit?: number;
        };
        /** @description The kind of an alert. */
        AlertKind: "VOLUME_70" | "VOLUME_90" | "VOLUME_100" | "REVOKED";
        /** @description A page of alerts. */
        AlertPage: {
            /** @description The entries. */
            alerts: components["schemas"]["Alert"][];
            /** @description The cursor of the next page; null on the last. */
            next: string | null;
        };
        /** @description The one state by which alerts are listed. */
        AlertState: "open";
        /** @description An API key as operators see it: never the key itself. */
        ApiKey: {
            /** @description The name that operators see. */
            name: string;
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description Whether its client is suspended, and the key refused. */
            client_status: components["schemas"]["ClientStatus"];
            /** @description The environment that it is for. */
            environment: components["schemas"]["Environment"];
            /** @description The beginning of the key's hash. */
            id: components["schemas"]["KeyId"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /**
             * @description How the key begins.
             * @constant
             */
            key_prefix: "svc_api_";
            /** @description How the key ends; null for one of an earlier version. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description Whether it is in force. */
            status: components["schemas"]["KeyStatus"];
        };
        /** @description A page of API keys. */
        ApiKeyPage: {
            /** @description The entries. */
            api_keys: components["schemas"]["ApiKey"][];
            /** @description The cursor of the next page; null on the last. */
            next: string | null;
        };
        /** @description An API key that is to be issued. */
        ApiKeyRequest: {
            /** @description The name that operators see: without control characters. */
            name: string;
            /** @description The environment that it is for. */
            environment: components["schemas"]["Environment"];
        };
        /** @description An attempt as operators see it: not its message, which opens photos. */
        Attempt: {
            /** @description The number of the attempt, from 1. */
            attempt: number;
            /** @description When it began; null until then. */
            claimed_at: components["schemas"]["Time"] | null;
            /** @description The client. */
            client_id: components["schemas"]["ClientId"];
            /** @description The beginning of a response that refused, or the cause of a failure. */
            detail: string;
            /** @description How long it took, in milliseconds; null before its end. */
            duration_ms: number | null;
            /** @description The environment of the session. */
            environment: components["schemas"]["Environment"];
            /** @description When the message can no longer be delivered. */
            expires_at: components["schemas"]["Time"];
            /** @description The message. */
            message_id: components["schemas"]["MessageId"];
            /** @description The receiver's origin. The rest of its URL may hold a secret of the integrator. */
            receiver: string;
            /** @description When it was asked for. */
            requested_at: components["schemas"]["Time"];
            /** @description How it ended; null before, and where that is not known. */
            result: components["schemas"]["DeliveryResult"] | null;
            /** @description Where it stands. */
            state: components["schemas"]["AttemptState"];
            /** @description The HTTP status of the response; null where none came. */
            status: number | null;
        };
        /** @description A page of attempts at webhooks. */
        AttemptPage: {
            /** @description The entries. */
            webhooks: components["schemas"]["Attempt"][];
            /** @description The cursor of the next page; null on the last. */
            next: string | null;
        };
        /** @description Where an attempt stands. */
        AttemptState: "pending" | "in_progress" | "delivered" | "failed" | "unknown";
        /** @description An entry of the audit log. */
        AuditEntry: {
            /** @description The service's time. */
            at: components["schemas"]["Time"];
            /** @description The client that it concerns. */
            client_id: components["schemas"]["ClientId"] | null;
            /** @description The values that were set, or why it was refused. */
            detail: string | null;
            /** @description The request: its `idempotency-key`, where it named one. */
            id: components["schemas"]["Id"];
            /** @description What was done. */
            operation: components["schemas"]["Operation"];
            /** @description How it ended. */
            outcome: components["schemas"]["AuditOutcome"];
            /** @description The ARN of the operator's IAM principal. */
            principal: string;
            /** @description From where: an IP address, or the name of a machine. */
            source: string;
            /** @description The id of the license, key, message, capture or environment that it concerns. */
            subject: string | null;
            /** @description How the operator reached the service. */
            via: components["schemas"]["Via"];
        };
        /** @description How an operation ended. Only what is done changed something. */
        AuditOutcome: "done" | "refused" | "failed";
        /** @description A page of the audit log. */
        AuditPage: {
            /** @description The entries. */
            audit: components["schemas"]["AuditEntry"][];
            /** @description The cursor of the next page; null on the last. */
            next: string | null;
        };
        /** @description The record of a capture, without personal data and without places in storage. */
        Capture: {
            /** @description What operators did with it, the first act first; absent where they did nothing. */
            acts?: components["schemas"]["Act"][];
            /** @description Its identity: the SHA-256 of its `session_id`. */
            capture_id: components["schemas"]["Digest"];
            /** @description The client. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment of the license. */
            environment: components["schemas"]["Environment"];
            /** @description The frame's size in bytes. */
            frame_bytes: number;
            /** @description SHA-256 of the frame. */
            frame_hash: components["schemas"]["Digest"];
            /** @description The license's rule on positions. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description What the location gate found. */
            gps_result: components["schemas"]["GpsResult"];
            /** @description Whether the seal is made with a certificate of ICP-Brasil. */
            icp_brasil: boolean;
            /** @description The service's time of the ingest. */
            ingested_at: components["schemas"]["Time"];
            /** @description SHA-256 of the signed JPEG. */
            jpeg_sha256: components["schemas"]["Digest"];
            /** @description The license. */
            license_id: components["schemas"]["LicenseId"];
            /** @description What the transparency log holds of the capture. */
            log_entry?: components["schemas"]["Digest"];
            /** @description SHA-256 of the manifest. */
            manifest_sha256: components["schemas"]["Digest"];
            /** @description The month in which it counts. */
            month: components["schemas"]["Month"];
            /** @description The origin of the page that captured. */
            origin: string;
            /** @description Its position in its session, from 1. */
            photo_order: number;
            /** @description The license's rule on photos of a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The result of the recapture analysis. */
            recapture_risk: components["schemas"]["RecaptureRisk"];
            /** @description The scores behind the risk, by name. */
            recapture_scores: {
                [key: string]: number;
            };
            /** @description The threshold of the license at that time; absent where nothing was analysed. */
            recapture_threshold?: number;
            /** @description The version of the service, whose checks the photo passed. */
            service_version: string;
            /** @description The OID of the signature policy that the ICP-Brasil signature names. */
            signature_policy: string;
            /** @description The version of the signer profile that signed. */
            signer_version: number;
            /** @description What became of it. */
            state: components["schemas"]["CustodyState"];
            /** @description The license's storage policy at that time. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
        };
        /** @description A page of captures. */
        CapturePage: {
            /** @description The entries. */
            captures: components["schemas"]["Capture"][];
            /** @description The cursor of the next page; null on the last. */
            next: string | null;
        };
        /** @description The resolution that the component asks the camera for. */
        CaptureResolution: "SD" | "HD" | "FHD" | "MAX";
        /** @description The captures of an environment. */
        Captures: {
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description Those of the calendar month, UTC. */
            month: number;
            /** @description Those of the day, UTC. */
            today: number;
        };
        /** @description The body of the error that a request was carried out before. Nothing is done twice. */
        CarriedOut: {
            /** @description When the request was carried out. */
            carried_out_at: components["schemas"]["Time"];
            /** @description A text for people, in English. */
            error: string;
        };
        /** @description When a signer's chain ends: its certificate that ends first. */
        CertificateEnd: {
            /** @description Whole days left; negative after the end, 0 when the chain cannot be read. */
            days_left: number;
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description The last second of its validity; null when the chain cannot be read. */
            not_after: components["schemas"]["Time"] | null;
            /** @description The signer. */
            signer: components["schemas"]["Signer"];
            /** @description The subject (RFC 4514); null when the chain cannot be read. */
            subject: string | null;
        };
        /** @description A client: the company that integrates the service. */
        Client: {
            /** @description Its name, for people. */
            name: string;
            /** @description Its identity. */
            id: components["schemas"]["ClientId"];
            /** @description Whether it may use the service. */
            status: components["schemas"]["ClientStatus"];
        };
        /**
         * Format: uuid
         * @description The identity of a client: a UUID in lower case.
         */
        ClientId: string;
        /** @description A page of clients. */
        ClientPage: {
            /** @description The entries. */
            clients: components["schemas"]["Client"][];
            /** @description The cursor of the next page; null on the last. */
            next: string | null;
        };
        /** @description Whether a client may use the service. */
        ClientStatus: "active" | "suspended";
        /** @description A count that ends at 100. */
        Count: {
            /** @description The number. */
            count: number;
            /** @description Whether there are more. */
            more: boolean;
        };
        /** @description What became of a captured photo. */
        CustodyState: "held" | "withheld" | "erased";
        /** @description How an attempt ended. */
        DeliveryResult: "delivered" | "rejected" | "timed_out" | "unreachable" | "forbidden" | "unsigned" | "superseded";
        /** @description A SHA-256 digest as 64 hexadecimal characters in lower case. */
        Digest: string;
        /** @description The environment of a key, a license, a session and a proof. The three never mix. */
        Environment: "PRODUCTION" | "STAGING" | "SANDBOX";
        /** @description The body of an error. */
        Error: {
            /** @description A text for people, in English. */
            error: string;
        };
        /** @description How a license checks positions. */
        GpsMode: "OFF" | "OBSERVE" | "REQUIRE";
        /** @description What the location gate found; signed into the manifest. */
        GpsResult: "NOT_CHECKED" | "NOT_OBTAINED" | "OBSERVED" | "ACCEPTED";
        /** @description The license that hosted sessions of a client use in an environment. */
        HostedLicense: {
            /** @description The client. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description The license. */
            license_id: components["schemas"]["LicenseId"];
        };
        /** @description The licenses of a client's hosted sessions. */
        HostedLicenses: {
            /** @description At most one for each environment. */
            hosted_licenses: components["schemas"]["HostedLicense"][];
        };
        /**
         * Format: uuid
         * @description The identity of a request or of a webhook secret: a UUID in lower case.
         */
        Id: string;
        /** @description How the native SDKs treat a compromised device. The web routes ignore it. */
        IntegrityEnforcement: "BLOCK" | "WARN" | "IGNORE";
        /** @description The first 16 hexadecimal characters of a key's SHA-256. Logs name the first 8 of them. */
        KeyId: string;
        /** @description Whether a key is in force. */
        KeyStatus: "active" | "revoked";
        /** @description The last four characters of a key. */
        KeySuffix: string;
        /** @description A license as operators see it. In the sandbox its `volume_limit` is 9007199254740991, which is no limit. */
        License: {
            /** @description The pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment that it is for. */
            environment: components["schemas"]["Environment"];
            /** @description The end of the agreement. It may be moved later, also into the past, which ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description The largest radius of accuracy, in metres. It counts where the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description Its identity. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the key's hash. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description How the key begins.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description How the key ends; null for one of an earlier version. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description The most photos of one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The pages to which hosted sessions may redirect: exact origins. Any of them makes the license a hosted one, which requires that photos are stored. */
            redirect_origins: string[];
            /** @description Counts up at every change. */
            revision: number;
            /** @description Whether it is in force. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a proof requires a trusted timestamp: if so, no photo is made without one. */
            tsa_required: boolean;
            /** @description Captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /**
         * Format: uuid
         * @description The identity of a license, which the rotation of its key does not change: a UUID in lower case.
         */
        LicenseId: string;
        /** @description `svc_live_`, `svc_stag_` or `svc_sand_`, and 32 or 33 base58 characters. */
        LicenseKey: string;
        /** @description A page of licenses. */
        LicensePage: {
            /** @description The entries. */
            licenses: components["schemas"]["ListedLicense"][];
            /** @description The cursor of the next page; null on the last. */
            next: string | null;
        };
        /** @description Whether a license is in force. Revocation is irreversible. */
        LicenseStatus: "active" | "revoked";
        /** @description A license with its usage. */
        LicenseWithUsage: {
            /** @description The pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment that it is for. */
            environment: components["schemas"]["Environment"];
            /** @description The end of the agreement. It may be moved later, also into the past, which ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description The largest radius of accuracy, in metres. It counts where the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description Its identity. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the key's hash. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description How the key begins.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description How the key ends; null for one of an earlier version. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description The most photos of one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The pages to which hosted sessions may redirect: exact origins. Any of them makes the license a hosted one, which requires that photos are stored. */
            redirect_origins: string[];
            /**
             * @description Why `POST /validate` refuses it now, whatever page asks; absent while it does not.
             * @enum {string}
             */
            refusal?: "REVOKED" | "CLIENT_SUSPENDED" | "EXPIRED" | "VOLUME_EXCEEDED";
            /** @description Counts up at every change. */
            revision: number;
            /** @description Whether it is in force. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a proof requires a trusted timestamp: if so, no photo is made without one. */
            tsa_required: boolean;
            /** @description The captures under it in this month. */
            usage: components["schemas"]["Usage"];
            /** @description Captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /** @description A license in a list. */
        ListedLicense: {
            /** @description The pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The name of its client; absent when the client does not exist. */
            client_name?: string;
            /** @description The environment that it is for. */
            environment: components["schemas"]["Environment"];
            /** @description The end of the agreement. It may be moved later, also into the past, which ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description The largest radius of accuracy, in metres. It counts where the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description Its identity. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the key's hash. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description How the key begins.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description How the key ends; null for one of an earlier version. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description The most photos of one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The pages to which hosted sessions may redirect: exact origins. Any of them makes the license a hosted one, which requires that photos are stored. */
            redirect_origins: string[];
            /**
             * @description Why `POST /validate` refuses it now, whatever page asks; absent while it does not.
             * @enum {string}
             */
            refusal?: "REVOKED" | "CLIENT_SUSPENDED" | "EXPIRED" | "VOLUME_EXCEEDED";
            /** @description Counts up at every change. */
            revision: number;
            /** @description Whether it is in force. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a proof requires a trusted timestamp: if so, no photo is made without one. */
            tsa_required: boolean;
            /** @description The captures under it in this month. */
            usage: components["schemas"]["Usage"];
            /** @description Captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /** @description The identity of a webhook message, which the header `webhook-id` has. */
        MessageId: string;
        /**
         * @description A calendar month, UTC.
         * @example 2026-11
         */
        Month: string;
        /** @description An API key that was issued: the one time at which the key is shown. */
        NewApiKey: {
            /** @description The name that operators see. */
            name: string;
            /** @description The key itself. */
            api_key: string;
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description Whether its client is suspended, and the key refused. */
            client_status: components["schemas"]["ClientStatus"];
            /** @description The environment that it is for. */
            environment: components["schemas"]["Environment"];
            /** @description The beginning of the key's hash. */
            id: components["schemas"]["KeyId"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /**
             * @description How the key begins.
             * @constant
             */
            key_prefix: "svc_api_";
            /** @description How the key ends; null for one of an earlier version. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description Whether it is in force. */
            status: components["schemas"]["KeyStatus"];
        };
        /** @description A client that is to be created. */
        NewClient: {
            /** @description Its name, for people: without control characters. */
            name: string;
        };
        /** @description A license with the key that was issued for it: the one time at which the key is shown. */
        NewLicense: {
            /** @description The pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins: string[];
            /** @description The resolution that the component requests from the camera. */
            capture_resolution: components["schemas"]["CaptureResolution"];
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description The environment that it is for. */
            environment: components["schemas"]["Environment"];
            /** @description The end of the agreement. It may be moved later, also into the past, which ends the agreement at once. */
            expires_at: components["schemas"]["Time"];
            /** @description The largest radius of accuracy, in metres. It counts where the position is required. */
            gps_max_accuracy_m: number;
            /** @description How the position is checked. */
            gps_mode: components["schemas"]["GpsMode"];
            /** @description Its identity. */
            id: components["schemas"]["LicenseId"];
            /** @description How the native SDKs treat a compromised device, which depends on the environment. */
            integrity_enforcement: components["schemas"]["IntegrityEnforcement"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description The beginning of the key's hash. */
            key_id: components["schemas"]["KeyId"];
            /**
             * @description How the key begins.
             * @enum {string}
             */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            /** @description How the key ends; null for one of an earlier version. */
            key_suffix: components["schemas"]["KeySuffix"] | null;
            /** @description The key itself. */
            license_key: components["schemas"]["LicenseKey"];
            /** @description The most photos of one session. */
            max_captures_per_session: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate: components["schemas"]["RecaptureGate"];
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold: number;
            /** @description The pages to which hosted sessions may redirect: exact origins. Any of them makes the license a hosted one, which requires that photos are stored. */
            redirect_origins: string[];
            /** @description Counts up at every change. */
            revision: number;
            /** @description Whether it is in force. */
            status: components["schemas"]["LicenseStatus"];
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy: components["schemas"]["StoreAssetPolicy"];
            /** @description Whether a proof requires a trusted timestamp: if so, no photo is made without one. */
            tsa_required: boolean;
            /** @description Captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit: number;
        };
        /** @description A license that is to be issued: the terms that are named. The others get their defaults. */
        NewTerms: {
            /** @description The pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins?: string[] | null;
            /** @description The resolution that the component requests from the camera. */
            capture_resolution?: components["schemas"]["CaptureResolution"] | null;
            environment: components["schemas"]["Environment"];
            /**
             * Format: date-time
             * @description The end of the agreement. It may be moved later, also into the past, which ends the agreement at once.
             */
            expires_at: string | null;
            /** @description The largest radius of accuracy, in metres. It counts where the position is required. */
            gps_max_accuracy_m?: number | null;
            /** @description How the position is checked. */
            gps_mode?: components["schemas"]["GpsMode"] | null;
            /** @description The most photos of one session. */
            max_captures_per_session?: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate?: components["schemas"]["RecaptureGate"] | null;
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold?: number | null;
            /** @description The pages to which hosted sessions may redirect: exact origins. Any of them makes the license a hosted one, which requires that photos are stored. */
            redirect_origins?: string[] | null;
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy?: components["schemas"]["StoreAssetPolicy"] | null;
            /** @description Whether a proof requires a trusted timestamp: if so, no photo is made without one. */
            tsa_required?: boolean | null;
            /** @description Captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit?: number | null;
        } & unknown;
        /** @description A webhook secret that was issued: the one time at which it is shown. */
        NewWebhookSecret: {
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description When it stops signing, or stopped; null until it is rotated or revoked. */
            ends_at: components["schemas"]["Time"] | null;
            /** @description The environment that it signs for. */
            environment: components["schemas"]["Environment"];
            /** @description Its identity. */
            id: components["schemas"]["Id"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description Whether it signs. */
            state: components["schemas"]["WebhookSecretState"];
            /** @description The secret itself, in base64. */
            webhook_secret: string;
        };
        /** @description What operators do. Reading is not among it. */
        Operation: "client.create" | "client.suspend" | "client.resume" | "api_key.issue" | "api_key.revoke" | "license.issue" | "license.configure" | "license.rotate" | "license.revoke" | "license.host" | "license.recount" | "webhook_secret.issue" | "webhook_secret.rotate" | "webhook_secret.revoke" | "webhook.redeliver" | "alert.acknowledge" | "signer.import_a1" | "signer.install_claim_certificate" | "signer.timestamps" | "signer.activate" | "signer.revert" | "signer.discard" | "evidence.withhold" | "evidence.release" | "evidence.erase" | "evidence.restore" | "evidence.reconcile" | "log.restore";
        /** @description The state of the service. */
        Overview: {
            /** @description When it was read. */
            at: components["schemas"]["Time"];
            /** @description The captures of every environment, production first. They may be some seconds behind. */
            captures: components["schemas"]["Captures"][];
            /** @description Of each signer that is in force, the certificate of its chain that ends first. */
            certificates: components["schemas"]["CertificateEnd"][];
            /** @description The failed attempts at webhooks that no redelivery followed. */
            failing_webhooks: components["schemas"]["Count"];
            /** @description The alerts that nobody has acknowledged. */
            open_alerts: components["schemas"]["Count"];
        };
        /** @description What was probed, and what came of it. */
        ProbedSigners: {
            /** @description The version that the draft becomes, or the one that was named. */
            version: number;
            /** @description The checks that were made. */
            checks: components["schemas"]["SignerCheck"][];
            /** @description The draft's revision; null for a version that was named. */
            draft_revision: number | null;
            /** @description The environment. */
            environment: components["schemas"]["Environment"];
            /** @description Whether no check has a fault. */
            works: boolean;
        };
        /** @description What happens to a likely photo of a screen. */
        RecaptureGate: "BLOCK" | "RECORD" | "OFF";
        /** @description The risk that a photo is one of a screen, by the recapture analysis; the lowest first. */
        RecaptureRisk: "NONE" | "UNKNOWN" | "HIGH";
        /** @description A webhook secret's end. */
        RevocationRequest: {
            /**
             * @description Whether the caller knows that no other secret signs.
             * @default false
             */
            last: boolean;
        };
        /** @description Another webhook secret of an environment, which is to be issued. */
        RotationRequest: {
            /** @description The environment that it signs for. */
            environment: components["schemas"]["Environment"];
            /**
             * @description How long the secrets before it sign beside it, in hours.
             * @default 24
             */
            overlap_hours: number | null;
        };
        /** @description What a signer signs. */
        Signer: "seal" | "claim";
        /** @description A check of a signer profile. */
        SignerCheck: {
            /** @description What is checked. */
            check: components["schemas"]["SignerPart"];
            /** @description What is wrong with it; null where nothing is. */
            fault: string | null;
        };
        /** @description What is checked of a signer profile. */
        SignerPart: "profile" | "dates" | "seal" | "claim" | "timestamps";
        /** @description Whether the service keeps the signed JPEG. */
        StoreAssetPolicy: "ALWAYS" | "NEVER" | "PER_SESSION";
        /** @description The terms that are named: at issue the others get their defaults, later they stay. */
        Terms: {
            /** @description The pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also `http://localhost:*`. */
            authorized_origins?: string[] | null;
            /** @description The resolution that the component requests from the camera. */
            capture_resolution?: components["schemas"]["CaptureResolution"] | null;
            /**
             * Format: date-time
             * @description The end of the agreement. It may be moved later, also into the past, which ends the agreement at once.
             */
            expires_at?: string | null;
            /** @description The largest radius of accuracy, in metres. It counts where the position is required. */
            gps_max_accuracy_m?: number | null;
            /** @description How the position is checked. */
            gps_mode?: components["schemas"]["GpsMode"] | null;
            /** @description The most photos of one session. */
            max_captures_per_session?: number | null;
            /** @description What happens to a photo that seems to show a screen. */
            recapture_gate?: components["schemas"]["RecaptureGate"] | null;
            /** @description The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio. */
            recapture_threshold?: number | null;
            /** @description The pages to which hosted sessions may redirect: exact origins. Any of them makes the license a hosted one, which requires that photos are stored. */
            redirect_origins?: string[] | null;
            /** @description Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored. */
            store_asset_policy?: components["schemas"]["StoreAssetPolicy"] | null;
            /** @description Whether a proof requires a trusted timestamp: if so, no photo is made without one. */
            tsa_required?: boolean | null;
            /** @description Captures per calendar month, in UTC. The sandbox has no limit. */
            volume_limit?: number | null;
        };
        /**
         * Format: date-time
         * @description A time by RFC 3339, in UTC with whole seconds.
         * @example 2026-11-20T12:30:00Z
         */
        Time: string;
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
        Via: "api" | "command_line";
        /** @description A webhook secret as operators see it: never the secret itself. */
        WebhookSecret: {
            /** @description The client that it belongs to. */
            client_id: components["schemas"]["ClientId"];
            /** @description When it stops signing, or stopped; null until it is rotated or revoked. */
            ends_at: components["schemas"]["Time"] | null;
            /** @description The environment that it signs for. */
            environment: components["schemas"]["Environment"];
            /** @description Its identity. */
            id: components["schemas"]["Id"];
            /** @description When it was issued. */
            issued_at: components["schemas"]["Time"];
            /** @description Whether it signs. */
            state: components["schemas"]["WebhookSecretState"];
        };
        /** @description The first webhook secret of an environment, which is to be issued. */
        WebhookSecretRequest: {
            /** @description The environment that it signs for. */
            environment: components["schemas"]["Environment"];
        };
        /** @description Whether a webhook secret signs. */
        WebhookSecretState: "live" | "ended";
        /** @description The webhook secrets of a client. */
        WebhookSecrets: {
            /** @description All of them, by environment, the oldest first. */
            webhook_secrets: components["schemas"]["WebhookSecret"][];
        };
    };
    responses: {
        /** @description The state does not allow it, it was changed meanwhile, or a request with this `idempotency-key` came before; with `carried_out_at` when that one was carried out. */
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
        /** @description The license has another revision than `if-match` names. Nothing was changed. */
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
                 *       "error": "the license is of revision 4, and not 3: another operator changed it meanwhile"
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
