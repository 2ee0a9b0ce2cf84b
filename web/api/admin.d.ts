// Made from openapi/admin.yaml by scripts/generate.

export interface components {
    schemas: {
        /**
         * Format: uuid
         * @description A UUID in lower case
         */
        Id: string;
        /** @description The first characters of the hash; logs show 8 of them */
        KeyId: string;
        /** @description The last characters of the key; null for one of an earlier version */
        KeySuffix: string | null;
        MessageId: string;
        Sha256: string;
        /**
         * Format: date-time
         * @description UTC
         */
        Time: string;
        /** @example 2026-11 */
        Month: string;
        /** @enum {unknown} */
        Environment: "PRODUCTION" | "STAGING" | "SANDBOX";
        /** @description The cursor of the next page */
        Next: string | null;
        Origins: string[];
        Error: {
            /** @description For people, in English */
            error: string;
        };
        CarriedOut: {
            error: string;
            carried_out_at: components["schemas"]["Time"];
        };
        Overview: {
            at: components["schemas"]["Time"];
            /** @description Of every environment, production first; some seconds behind */
            captures: {
                environment: components["schemas"]["Environment"];
                /** @description Of the day, UTC */
                today: number;
                /** @description Of the calendar month, UTC */
                month: number;
            }[];
            open_alerts: components["schemas"]["Count"];
            failing_webhooks: components["schemas"]["Count"];
            /** @description Of each signer that is in force, the certificate of its chain that ends first */
            certificates: {
                environment: components["schemas"]["Environment"];
                /** @enum {unknown} */
                signer: "seal" | "claim";
                /** @description Null when the chain cannot be read */
                subject: string | null;
                not_after: components["schemas"]["Time"] | null;
                /** @description Whole days; negative after the end */
                days_left: number;
            }[];
        };
        Count: {
            count: number;
            more: boolean;
        };
        Client: {
            id: components["schemas"]["Id"];
            name: string;
            /** @enum {unknown} */
            status: "active" | "suspended";
        };
        ApiKey: {
            id: components["schemas"]["KeyId"];
            name: string;
            client_id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            /** @enum {unknown} */
            status: "active" | "revoked";
            /**
             * @description A suspended client's keys are refused
             * @enum {unknown}
             */
            client_status: "active" | "suspended";
            issued_at: components["schemas"]["Time"];
            /** @constant */
            key_prefix: "svc_api_";
            key_suffix: components["schemas"]["KeySuffix"];
        };
        NewApiKey: {
            api_key: string;
        } & components["schemas"]["ApiKey"];
        Terms: {
            expires_at?: components["schemas"]["Instant"];
            /** @description Captures a calendar month, UTC; the sandbox has none */
            volume_limit?: number | null;
            authorized_origins?: components["schemas"]["Origins"] | null;
            /** @description Exact; any makes a hosted license, which needs ALWAYS */
            redirect_origins?: components["schemas"]["Origins"] | null;
            /** @enum {unknown} */
            store_asset_policy?: "ALWAYS" | "NEVER" | "PER_SESSION" | null;
            /** @enum {unknown} */
            gps_mode?: "OFF" | "OBSERVE" | "REQUIRE" | null;
            gps_max_accuracy_m?: number | null;
            /** @enum {unknown} */
            recapture_gate?: "BLOCK" | "RECORD" | "OFF" | null;
            /** @description The evidence from which on a photo is HIGH */
            recapture_threshold?: number | null;
            /** @enum {unknown} */
            capture_resolution?: "SD" | "HD" | "FHD" | "MAX" | null;
            tsa_required?: boolean | null;
            /** @description Null is unlimited */
            max_captures_per_session?: number | null;
        };
        /**
         * Format: date-time
         * @description RFC 3339; in the answer it is in UTC
         */
        Instant: string | null;
        NewTerms: {
            expires_at: components["schemas"]["Instant"];
            /** @description Captures a calendar month, UTC; the sandbox has none */
            volume_limit?: number | null;
            authorized_origins?: components["schemas"]["Origins"] | null;
            /** @description Exact; any makes a hosted license, which needs ALWAYS */
            redirect_origins?: components["schemas"]["Origins"] | null;
            /** @enum {unknown} */
            store_asset_policy?: "ALWAYS" | "NEVER" | "PER_SESSION" | null;
            /** @enum {unknown} */
            gps_mode?: "OFF" | "OBSERVE" | "REQUIRE" | null;
            gps_max_accuracy_m?: number | null;
            /** @enum {unknown} */
            recapture_gate?: "BLOCK" | "RECORD" | "OFF" | null;
            /** @description The evidence from which on a photo is HIGH */
            recapture_threshold?: number | null;
            /** @enum {unknown} */
            capture_resolution?: "SD" | "HD" | "FHD" | "MAX" | null;
            tsa_required?: boolean | null;
            /** @description Null is unlimited */
            max_captures_per_session?: number | null;
            environment: components["schemas"]["Environment"];
        };
        License: {
            id: components["schemas"]["Id"];
            client_id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            /** @enum {unknown} */
            status: "active" | "revoked";
            expires_at: components["schemas"]["Time"];
            /** @description In the sandbox 9007199254740991, which is no limit */
            volume_limit: number;
            authorized_origins: components["schemas"]["Origins"];
            redirect_origins: components["schemas"]["Origins"];
            /** @enum {unknown} */
            store_asset_policy: "ALWAYS" | "NEVER" | "PER_SESSION";
            /** @enum {unknown} */
            gps_mode: "OFF" | "OBSERVE" | "REQUIRE";
            gps_max_accuracy_m: number;
            /** @enum {unknown} */
            recapture_gate: "BLOCK" | "RECORD" | "OFF";
            recapture_threshold: number;
            /** @enum {unknown} */
            capture_resolution: "SD" | "HD" | "FHD" | "MAX";
            tsa_required: boolean;
            /** @description Null is unlimited */
            max_captures_per_session: number | null;
            /** @enum {unknown} */
            integrity_enforcement: "BLOCK" | "WARN" | "IGNORE";
            issued_at: components["schemas"]["Time"];
            key_id: components["schemas"]["KeyId"];
            /** @enum {unknown} */
            key_prefix: "svc_live_" | "svc_stag_" | "svc_sand_";
            key_suffix: components["schemas"]["KeySuffix"];
            /** @description Counts up at every change */
            revision: number;
        };
        LicenseWithUsage: {
            usage: components["schemas"]["Usage"];
            /**
             * @description Why `POST /validate` refuses the license now, whatever page asks; absent while it does not
             * @enum {unknown}
             */
            refusal?: "REVOKED" | "CLIENT_SUSPENDED" | "EXPIRED" | "VOLUME_EXCEEDED";
        } & components["schemas"]["License"];
        ListedLicense: {
            /** @description Absent when the client does not exist */
            client_name?: string;
        } & components["schemas"]["LicenseWithUsage"];
        NewLicense: {
            license_key: string;
        } & components["schemas"]["License"];
        Usage: {
            month: components["schemas"]["Month"];
            captures_used: number;
        };
        HostedLicense: {
            client_id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            license_id: components["schemas"]["Id"];
        };
        WebhookSecret: {
            id: components["schemas"]["Id"];
            client_id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            /** @enum {unknown} */
            state: "live" | "ended";
            issued_at: components["schemas"]["Time"];
            ends_at: components["schemas"]["Time"] | null;
        };
        NewWebhookSecret: {
            webhook_secret: string;
        } & components["schemas"]["WebhookSecret"];
        /** @enum {unknown} */
        AttemptState: "pending" | "in_progress" | "delivered" | "failed" | "unknown";
        Attempt: {
            message_id: components["schemas"]["MessageId"];
            attempt: number;
            client_id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            /** @description An origin */
            receiver: string;
            state: components["schemas"]["AttemptState"];
            /** @enum {unknown} */
            result: "delivered" | "rejected" | "timed_out" | "unreachable" | "forbidden" | "unsigned" | "superseded" | null;
            /** @description Of the response */
            status: number | null;
            duration_ms: number | null;
            detail: string;
            requested_at: components["schemas"]["Time"];
            claimed_at: components["schemas"]["Time"] | null;
            expires_at: components["schemas"]["Time"];
        };
        /** @enum {unknown} */
        AlertKind: "VOLUME_70" | "VOLUME_90" | "VOLUME_100" | "REVOKED";
        Alert: {
            alert: components["schemas"]["AlertKind"];
            license_id: components["schemas"]["Id"];
            client_id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            month: components["schemas"]["Month"];
            raised_at: components["schemas"]["Time"];
            /** @description Of that moment; of volume only */
            captures_used?: number;
            /** @description Of that moment; of volume only */
            volume_limit?: number;
            published_at: components["schemas"]["Time"] | null;
            acknowledged_at: components["schemas"]["Time"] | null;
            /** @description The operator's ARN */
            acknowledged_by: string | null;
        };
        /** @description The record, without personal data and without places in storage */
        Capture: {
            capture_id: components["schemas"]["Sha256"];
            state: components["schemas"]["CustodyState"];
            environment: components["schemas"]["Environment"];
            client_id: components["schemas"]["Id"];
            license_id: components["schemas"]["Id"];
            month: components["schemas"]["Month"];
            photo_order: number;
            origin: string;
            frame_hash: components["schemas"]["Sha256"];
            frame_bytes: number;
            /** @enum {unknown} */
            store_asset_policy: "ALWAYS" | "NEVER" | "PER_SESSION";
            /** @enum {unknown} */
            gps_mode: "OFF" | "OBSERVE" | "REQUIRE";
            /** @enum {unknown} */
            gps_result: "NOT_CHECKED" | "NOT_OBTAINED" | "OBSERVED" | "ACCEPTED";
            ingested_at: components["schemas"]["Time"];
            /** @enum {unknown} */
            recapture_gate: "BLOCK" | "RECORD" | "OFF";
            /** @enum {unknown} */
            recapture_risk: "NONE" | "UNKNOWN" | "HIGH";
            recapture_scores: {
                [key: string]: number;
            };
            /** @description The threshold of its license then; absent where nothing was analysed */
            recapture_threshold?: number;
            signer_version: number;
            signature_policy: string;
            service_version: string;
            icp_brasil: boolean;
            manifest_sha256: components["schemas"]["Sha256"];
            jpeg_sha256: components["schemas"]["Sha256"];
            /** @description What the transparency log holds of the capture */
            log_entry?: components["schemas"]["Sha256"];
            /** @description What operators did; absent when nothing */
            acts?: {
                state: components["schemas"]["CustodyState"];
                at: components["schemas"]["Time"];
                reason: string;
                principal: string;
            }[];
        };
        /** @enum {unknown} */
        CustodyState: "held" | "withheld" | "erased";
        AuditEntry: {
            id: components["schemas"]["Id"];
            at: components["schemas"]["Time"];
            /** @enum {unknown} */
            operation: "client.create" | "client.suspend" | "client.resume" | "api_key.issue" | "api_key.revoke" | "license.issue" | "license.configure" | "license.rotate" | "license.revoke" | "license.host" | "license.recount" | "webhook_secret.issue" | "webhook_secret.rotate" | "webhook_secret.revoke" | "webhook.redeliver" | "alert.acknowledge" | "signer.import_a1" | "signer.install_claim_certificate" | "signer.timestamps" | "signer.activate" | "signer.revert" | "signer.discard" | "evidence.withhold" | "evidence.release" | "evidence.erase" | "evidence.restore" | "evidence.reconcile";
            /**
             * @description Only what is done changed something
             * @enum {unknown}
             */
            outcome: "done" | "refused" | "failed";
            /** @description The operator's ARN */
            principal: string;
            /** @enum {unknown} */
            via: "api" | "command_line";
            /** @description An IP address, or the name of a machine */
            source: string;
            client_id: components["schemas"]["Id"] | null;
            /** @description The id of a license, key, message, capture or environment */
            subject: string | null;
            /** @description What was set, or why it was refused */
            detail: string | null;
        };
    };
    responses: {
        /** @description Invalid input; nothing was changed */
        Invalid: {
            headers: {
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No such resource */
        NotFound: {
            headers: {
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The state does not allow it, it was changed meanwhile, or a request with this `idempotency-key` came before; with `carried_out_at` when that one was carried out */
        Conflict: {
            headers: {
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["CarriedOut"];
            };
        };
        /** @description The license has another revision than `if-match` names; nothing was changed */
        Stale: {
            headers: {
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An unreadable record, or an incomplete deployment; do not retry */
        Unreadable: {
            headers: {
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description AWS did not respond. The text says whether the change may have been applied */
        Unavailable: {
            headers: {
                "cache-control": components["headers"]["CacheControl"];
                "x-content-type-options": components["headers"]["ContentTypeOptions"];
                "x-request-id": components["headers"]["RequestId"];
                "apigw-requestid": components["headers"]["GatewayRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        ClientId: components["schemas"]["Id"];
        LicenseId: components["schemas"]["Id"];
        SecretId: components["schemas"]["Id"];
        KeyId: components["schemas"]["KeyId"];
        MessageId: components["schemas"]["MessageId"];
        AlertMonth: components["schemas"]["Month"];
        AlertKind: components["schemas"]["AlertKind"];
        /** @description The capture id, or its `session_id` */
        CaptureId: components["schemas"]["Sha256"] | components["schemas"]["Id"];
        /** @description The `idempotency-key` */
        RequestId: components["schemas"]["Id"];
        /** @description A new UUID for each intent, the same for each retry of it. A request that was carried out before is answered 409 with `carried_out_at`, and nothing is done twice; one that was refused before needs another id. */
        IdempotencyKey: components["schemas"]["Id"];
        /**
         * @description The license's `revision` that the change is for, in quotes
         * @example "3"
         */
        IfMatch: string;
        Limit: number;
        /** @description The `next` of the page before, of the same list */
        Cursor: string;
        /** @description The beginning of a name, case and accents aside; or a client's id */
        SearchClients: string;
        /** @description The beginning of a client's name, case and accents aside; a client's or license's id; or 8 to 64 characters of the hash of a key, as logs show it, also of a key that was replaced */
        SearchLicenses: string;
        AttemptState: components["schemas"]["AttemptState"];
        /** @description Without any other filter */
        AlertState: "open";
        LicenseFilter: components["schemas"]["Id"];
        ClientFilter: components["schemas"]["Id"];
        /** @description Instead of a month */
        AuditClient: components["schemas"]["Id"];
        /** @description The current one unless it is named */
        Month: components["schemas"]["Month"];
        Months: number;
        /** @description The integrator's; or `frame_hash` */
        ReferenceId: string;
        /** @description Or `reference_id` */
        FrameHash: components["schemas"]["Sha256"];
    };
    requestBodies: never;
    headers: {
        CacheControl: "no-store";
        ContentTypeOptions: "nosniff";
        /** @description The gateway's name for the request; logs have it */
        RequestId: string;
        /** @description The same */
        GatewayRequestId: string;
    };
    pathItems: never;
}
