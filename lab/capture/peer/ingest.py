"""The ingest: checks, both signatures, storing, the commit, in the order of functions/ingest."""

import base64
import hmac
import io
import json
import secrets
import time
from datetime import UTC, datetime
from hashlib import sha256

from PIL import Image

import proof
import stores
from checks import (
    check_browser, check_clock, check_license, check_origin, check_session, hash_of, number, require, session_id, text, token_hash
)

MAX_ASSET_BYTES = 4 * 1024 * 1024
RESERVATION_SECONDS = 600
POSITION = (("latitude", "gps_lat"), ("longitude", "gps_lon"), ("accuracy", "gps_accuracy"))


def ingest(event):
    now, attempt = datetime.now(UTC), secrets.token_hex(16)
    payload = json.loads(event["body"])
    session, license, signer, origin = check_submission(payload, event["headers"], now.timestamp())
    frame = read_image(payload, attempt)
    reservation = f"{text(session, 'environment')}#{text(session, 'client_id')}#{payload['frame_hash']}"
    check_image(frame)
    seconds = int(now.timestamp())
    stores.reserve_frame(reservation, attempt, seconds, seconds + RESERVATION_SECONDS)

    signers = proof.signers_of(signer)
    signers.check_dates(now)
    identity = session_id(payload["token"], payload["photo_order"])
    facts = capture_facts(payload, session, license, signers, identity, now)
    seal = signers.sign_frame(bytes.fromhex(payload["frame_hash"]), now)
    delivered, manifest = signers.sign_manifest(frame, seal, facts, browser_facts(payload))
    manifest_key = f"{facts['capture_id']}/{attempt}/manifest.c2pa"
    answer = {
        "session_id": identity,
        "photo_order": payload["photo_order"],
        "authenticated_jpeg_url": None,
        "manifest_url": stores.proof_url(manifest_key),
        "complete": True,
        "signed_image_base64": base64.b64encode(delivered).decode(),
    }
    stores.store_manifest(manifest_key, manifest)
    stores.mark_signed(reservation, attempt)
    personal, photo = remembered(payload, session, manifest_key)
    evidence = record(session, license, signers, facts, origin, (frame, manifest, delivered), photo, attempt, now)
    evidence["commitments"] = commitments(personal)
    logged, evidence["log_entry"] = log_entry(personal, evidence)
    photo |= {"jpeg_sha256": evidence["jpeg_sha256"], "logged": logged}
    stores.commit(token_hash(payload["token"]), evidence, personal, photo)
    stores.delete_upload(payload["image_key"])
    return answer


def check_submission(payload, headers, now):
    """All checks that do not need the image."""
    check_position(payload)
    token, nonce = token_hash(payload["token"]), payload["nonce"]
    require(len(base64.urlsafe_b64decode(nonce + "=")) == 32, "the nonce is malformed")
    session, issued = stores.read(stores.SESSIONS, {"pk": f"session#{token}"}, {"pk": f"nonce#{hash_of(nonce)}"})
    check_session(session, now)
    check_browser(headers)
    license, client, signer = stores.read(
        stores.ACCOUNTS,
        {"pk": f"license#{text(session, 'license_id')}", "sk": "license"},
        {"pk": f"client#{text(session, 'client_id')}", "sk": "client"},
        {"pk": f"signer#{text(session, 'environment')}", "sk": "profile"},
    )
    check_license(license, client, session, now)
    origin = check_origin(license, headers)
    require(issued and text(issued, "session") == token and "consumed_by" not in issued, "the nonce is spent")
    require(text(issued, "origin") == origin, "another page's nonce")
    check_clock(payload["captured_at_ms"], number(issued, "issued_at"), now)
    extra = payload["extra_frame_hashes"]
    require(2 <= len(extra) <= 8 and len({payload["frame_hash"], *extra}) == len(extra) + 1, "the extra frames repeat")
    require(all(len(bytes.fromhex(text)) == 32 for text in (payload["frame_hash"], *extra)), "a hash is malformed")
    require(payload["photo_order"] == 1, "another photo is due")
    require(text(issued, "image_key") == payload["image_key"], "another load's image")
    require(not license["tsa_required"]["BOOL"] and signer, "no signer")
    return session, license, signer, origin


def check_position(payload):
    require(-90 <= payload["gps_lat"] <= 90 and -180 <= payload["gps_lon"] <= 180, "the position is none")
    require(0 <= payload["gps_accuracy"] < float("inf"), "the accuracy is none")


def read_image(payload, attempt):
    stores.consume_nonce(hash_of(payload["nonce"]), attempt)
    frame = stores.read_upload(payload["image_key"], MAX_ASSET_BYTES)
    require(sha256(frame).hexdigest() == payload["frame_hash"], "another image was uploaded")
    return frame


def check_image(frame):
    """Decodes the image as the service does: to luma and chroma at full size."""
    with Image.open(io.BytesIO(frame), formats=["JPEG"]) as image:
        image.draft("YCbCr", image.size)
        image.load()


def capture_facts(payload, session, license, signers, identity, now):
    obtained = tuple(payload[field] for _, field in POSITION) != (0, 0, 9999)
    require(text(license, "gps_mode") == "OBSERVE", "the bench's licenses observe positions")
    return {
        "version": 1,
        "assurance_level": "fraud_deterrence",
        "capture_id": hash_of(identity),
        "environment": text(session, "environment"),
        "frame_hash": payload["frame_hash"],
        "ingested_at": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "gps_result": "OBSERVED" if obtained else "NOT_OBTAINED",
        "recapture_risk": "UNKNOWN",
        "icp_brasil": signers.icp_brasil,
    }


def browser_facts(payload):
    names = ("captured_at_ms", "gps_lat", "gps_lon", "gps_accuracy", "heading", "user_agent", "extra_frame_hashes")
    return {name: payload[name] for name in names if payload.get(name) is not None}


def remembered(payload, session, manifest_key):
    """The personal item, and what the session stores about the photo. The browser's numbers are stored as text, without
    rounding."""
    claims = {
        "position": {name: repr(payload[field]) for name, field in POSITION},
        "captured_at_ms": payload["captured_at_ms"],
    }
    if payload.get("heading") is not None:
        claims["heading"] = repr(payload["heading"])
    personal = {
        **claims,
        "reference_id": text(session, "reference_id"),
        "extra_frames": payload["extra_frame_hashes"],
        "user_agent": payload.get("user_agent"),
        "salt": secrets.token_hex(32),
        "session": token_hash(payload["token"]),
    }
    photo = {**claims, "frame_hash": payload["frame_hash"], "recapture_risk": "UNKNOWN", "manifest_key": manifest_key}
    return personal, photo


def commitments(personal):
    """Salted commitments to the personal fields, including missing ones."""
    fields = {
        "captured_at_ms": str(personal["captured_at_ms"]),
        "extra_frames": " ".join(personal["extra_frames"]),
        "fingerprint": None,
        "header_user_agent": None,
        "heading": personal.get("heading"),
        "label": None,
        "position": " ".join(personal["position"].values()),
        "reference_id": personal["reference_id"],
        "stream_settings": None,
        "user_agent": personal["user_agent"],
    }
    salt = bytes.fromhex(personal["salt"])

    def commit(name, value):
        field_salt = hmac.digest(salt, name.encode(), "sha256")
        return hmac.digest(field_salt, b"\0" if value is None else b"\1" + value.encode(), "sha256").hex()

    return {name: commit(name, value) for name, value in fields.items()}


def log_entry(personal, evidence):
    """What the transparency log's proof will state, and the entry in the log."""
    salt = hmac.digest(bytes.fromhex(personal["salt"]), b"transparency log", "sha256")
    digest = sha256(json.dumps(evidence, separators=(",", ":")).encode()).digest()
    entry = sha256(b"lacre.capture.v1\0" + salt + bytes.fromhex(evidence["manifest_sha256"]) + digest)
    return {"salt": salt.hex(), "record": digest.hex()}, entry.hexdigest()


def record(session, license, signers, facts, origin, files, photo, attempt, now):
    """The evidence record."""
    frame, manifest, delivered = files
    return {
        **{name: facts[name] for name in ("capture_id", "environment", "gps_result", "recapture_risk", "icp_brasil")},
        **{name: photo[name] for name in ("frame_hash", "manifest_key")},
        **{name: text(license, name) for name in ("gps_mode", "recapture_gate", "store_asset_policy")},
        "attempt": attempt,
        "client_id": text(session, "client_id"),
        "license_id": text(license, "id"),
        "month": f"{now:%Y-%m}",
        "photo_order": 1,
        "origin": origin,
        "frame_bytes": len(frame),
        "ingested_at": int(now.timestamp() * 1000),
        "recapture_scores": {},
        "signer_version": signers.version,
        "signature_policy": signers.policy,
        "service_version": "peer",
        "manifest_sha256": sha256(manifest).hexdigest(),
        "jpeg_sha256": sha256(delivered).hexdigest(),
    }
