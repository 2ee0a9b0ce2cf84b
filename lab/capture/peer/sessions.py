"""Creating a session, loading it, and reading its results."""

import json
import re
import secrets
import time
import uuid

import stores
from checks import (
    check_browser, check_license, check_origin, check_session, hash_of, number, require, rfc3339, session_id, text, token_hash
)

API_KEY = re.compile(r"svc_api_[1-9A-HJ-NP-Za-km-z]+")
LICENSE_KEY = re.compile(r"svc_(live|stag|sand)_[1-9A-HJ-NP-Za-km-z]{32,33}")
REFERENCE = re.compile(r"(?! )[A-Za-z0-9 ._:/@#+-]{1,512}(?<! )")
SESSION_SECONDS, RETENTION_SECONDS = 30 * 60, 24 * 3600
CREATIONS_PER_HOUR, LOADS_PER_SESSION = 100, 20
MAX_ASSET_BYTES = 4 * 1024 * 1024


def create(event):
    now = int(time.time())
    api_key = event["headers"].get("x-api-key", "")
    require(API_KEY.fullmatch(api_key), "the API key is malformed")
    body = json.loads(event["body"])
    require(LICENSE_KEY.fullmatch(body["license_key"]), "the license key is malformed")
    require(REFERENCE.fullmatch(body["reference_id"]), "the reference is malformed")
    api_key_hash = hash_of(api_key)
    key, license_key = stores.read(
        stores.ACCOUNTS,
        {"pk": f"api_key#{api_key_hash}", "sk": "api_key"},
        {"pk": f"license_key#{hash_of(body['license_key'])}", "sk": "license_key"},
    )
    check_keys(key, license_key, now)
    token, expires_at = str(uuid.uuid4()), now + SESSION_SECONDS
    session_hash = hash_of(token)
    stores.count(f"creations#{api_key_hash}#{now // 3600}", "creations", session_hash[:16], CREATIONS_PER_HOUR, now + 7200)
    session = {
        "client_id": text(license_key, "client_id"),
        "license_id": text(license_key, "license_id"),
        "environment": text(license_key, "environment"),
        "reference_id": body["reference_id"],
        "created_at": now,
        "expires_at": expires_at,
        "photos": [{}],
        "pk": f"session#{session_hash}",
        "ttl": expires_at + RETENTION_SECONDS,
    }
    stores.put(stores.SESSIONS, stores.as_item(session))
    return {"token": token, "expires_at": rfc3339(expires_at)}


def check_keys(key, license_key, now):
    require(key and license_key, "no such key")
    for record in (key, license_key):
        require(text(record, "status") == "active" and text(record, "client_status") == "active", "the key is revoked")
    require(text(license_key, "license_status") == "active", "the license is revoked")
    require(text(license_key, "client_id") == text(key, "client_id"), "another client's license")
    require(text(license_key, "environment") == text(key, "environment"), "another environment's license")
    require(now * 1000 < number(license_key, "expires_at"), "the license has expired")


def load(event):
    now, headers = time.time(), event["headers"]
    token = event["pathParameters"]["token"]
    session_hash = token_hash(token)
    session = stores.read_session(session_hash)
    check_session(session, now)
    check_browser(headers)
    license, client = stores.read(
        stores.ACCOUNTS,
        {"pk": f"license#{text(session, 'license_id')}", "sk": "license"},
        {"pk": f"client#{text(session, 'client_id')}", "sk": "client"},
    )
    check_license(license, client, session, now)
    origin = check_origin(license, headers)
    nonce, image_key, expires_at = secrets.token_urlsafe(32), f"{secrets.token_hex(16)}.jpg", number(session, "expires_at")
    nonce_hash, url = hash_of(nonce), stores.upload_url(image_key)
    stores.count(f"loads#{session_hash}", "loads", nonce_hash[:16], LOADS_PER_SESSION, expires_at)
    issued = {
        "session": session_hash,
        "origin": origin,
        "image_key": image_key,
        "issued_at": int(now * 1000),
        "pk": f"nonce#{nonce_hash}",
        "ttl": expires_at,
    }
    stores.put(stores.SESSIONS, stores.as_item(issued))
    return {
        "token": token,
        "status": "pending",
        "expires_at": rfc3339(expires_at),
        "total_photos": 1,
        "captured_count": 0,
        "photo_order": 1,
        "nonce": nonce,
        "upload_url": url,
        "upload_method": "PUT",
        "upload_headers": {"content-type": "image/jpeg"},
        "upload_expires_at": rfc3339(now + 300),
        "image_key": image_key,
        "max_asset_bytes": MAX_ASSET_BYTES,
        "capture_resolution": text(license, "capture_resolution"),
        "server_time_ms": int(now * 1000),
    }


def results(event):
    now, token = time.time(), event["pathParameters"]["token"]
    session = stores.read_session(token_hash(token))
    require(session and now < number(session, "ttl"), "no such session")
    captures = [photo["M"].get("capture") for photo in session["photos"]["L"]]
    check_custody(token, session, captures)
    photos = [photo_result(token, order, capture) for order, capture in enumerate(captures, 1)]
    captured = sum(photo["status"] == "captured" for photo in photos)
    expired = now >= number(session, "expires_at")
    return {
        "reference_id": text(session, "reference_id"),
        "status": "captured" if captured == len(photos) else "expired" if expired else "pending",
        "total_photos": len(photos),
        "captured_count": captured,
        "created_at": rfc3339(number(session, "created_at")),
        "photos": photos,
    }


def check_custody(token, session, captures):
    """Checks that no capture is erased or withheld. Reads the log as the service does, whose proofs of it are not made."""
    ids = [hash_of(session_id(token, order)) for order, capture in enumerate(captures, 1) if capture]
    if ids:
        client, custody = stores.read_custody(text(session, "client_id"), ids)
        require(text(client, "status") == "active" and not any(custody), "the capture is withheld or erased")
        stores.read_leaves(ids)


def photo_result(token, order, capture):
    if capture is None:
        return {"order": order, "label": "", "status": "pending"}
    capture = capture["M"]
    position = capture["position"]["M"]
    heading = {"heading": float(text(capture, "heading"))} if "heading" in capture else {}
    return {
        "order": order,
        "label": text(capture, "label") or "",
        "status": "captured",
        "custody": "held",
        "session_id": session_id(token, order),
        **heading,
        "gps_lat": float(text(position, "latitude")),
        "gps_lon": float(text(position, "longitude")),
        "gps_accuracy": float(text(position, "accuracy")),
        "captured_at_ms": number(capture, "captured_at_ms"),
        "frame_hash_hex": text(capture, "frame_hash"),
        "authenticated_jpeg_url": None,
        "authenticated_jpeg_sha256": text(capture, "jpeg_sha256"),
        "manifest_url": stores.proof_url(text(capture, "manifest_key")),
    }
