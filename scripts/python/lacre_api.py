"""Limits and names of the API. Generated from shared/api by scripts/generate."""

# Maximum number of sessions that an API key may create in an hour of the UTC clock.
CREATIONS_PER_HOUR = 100

# Maximum number of loads of one session, the first included.
LOADS_PER_SESSION = 20

# The API key of an integrator's backend.
API_KEY_HEADER = "x-api-key"

# The license key in a hosted page's address, which replaces the session's own license.
LICENSE_KEY_HEADER = "x-svc-license-key"

# Every `block_reason`.
BLOCK_REASONS = [
    "web_create_payload_invalid",
    "web_license_key_malformed",
    "web_reference_id_invalid",
    "web_license_environment_mismatch",
    "web_upstream_unavailable",
    "web_session_corrupt",
    "web_origin_not_allowed",
    "web_origin_allowlist_empty",
    "web_license_missing",
    "web_license_invalid",
    "web_presign_unavailable",
    "web_liveness_static",
    "web_liveness_insufficient",
    "web_liveness_malformed",
    "web_liveness_too_many",
    "web_label_invalid",
    "web_photo_order_mismatch",
    "web_photo_required",
    "web_origin_session_mismatch",
    "web_nonce_missing",
    "web_nonce_malformed",
    "web_nonce_replay",
    "web_duplicate",
    "web_asset_too_large",
    "web_signer_unavailable",
    "web_signer_rejected",
    "web_signer_response_invalid",
    "web_prova_store_unavailable",
    "web_ingest_presign_failed",
    "web_ingest_presign_config_failed",
    "web_hash_store_unavailable",
    "web_raw_read_failed",
    "web_signed_payload_too_large",
    "web_ledger_client_id_unauthoritative",
    "web_ledger_write_failed",
    "web_response_serialization_failed",
    "web_nonce_store_unavailable",
    "web_raw_store_unavailable",
    "web_asset_not_retained",
    "web_asset_withheld",
    "web_asset_erased",
    "web_picture_unreadable",
    "web_picture_type_unsupported",
    "web_evidence_pending",
    "web_dossier_too_large",
]
