"""Uploads the sample photo in a session of its own, as the backend and the page do, for hooks of schemathesis."""

import hashlib
import os
import secrets
import time
from pathlib import Path

import requests

from lacre_api import API_KEY_HEADER

ROOT = Path(__file__).resolve().parent.parent.parent
PHOTO = (ROOT / "events" / "frame.jpg").read_bytes()
BASE_URL = os.environ["BASE_URL"]
SAFARI = ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
          "Version/17.4.1 Mobile/15E148 Safari/604.1")
# An origin of the sandbox, and one of the other environments.
PAGE, LIVE_PAGE = "http://localhost:5173", "https://app.example.com"


class Upload:
    """An upload that was not submitted yet, of a frame that was never captured, with its open session."""

    def __init__(self, license_key, api_key="API_KEY", page=PAGE):
        order = {"reference_id": "schemathesis", "license_key": license_key}
        created = requests.post(f"{BASE_URL}/web/sessions", json=order, timeout=30,
                                headers={API_KEY_HEADER: os.environ[api_key]})
        created.raise_for_status()
        self.token = created.json()["token"]
        self.page = {"origin": page, "user-agent": SAFARI}
        loaded = requests.get(f"{BASE_URL}/web/sessions/{self.token}", headers=self.page, timeout=30)
        loaded.raise_for_status()
        self.loaded = loaded.json()
        comment = secrets.token_hex(8).encode()
        frame = PHOTO[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + PHOTO[2:]
        self.frame_hash = hashlib.sha256(frame).hexdigest()
        upload = requests.put(self.loaded["upload_url"], data=frame, headers=self.loaded["upload_headers"], timeout=30)
        upload.raise_for_status()

    def ingested(self):
        """The response to the photo, which is submitted."""
        submission = {
            "token": self.token, "frame_hash": self.frame_hash, "captured_at_ms": int(time.time() * 1000),
            "extra_frame_hashes": [secrets.token_hex(32), secrets.token_hex(32)],
            "gps_lat": -23.55052, "gps_lon": -46.633308, "gps_accuracy": 12.5,
        } | {field: self.loaded[field] for field in ("nonce", "photo_order", "image_key")}
        ingested = requests.post(f"{BASE_URL}/web/ingest", json=submission, headers=self.page, timeout=60)
        ingested.raise_for_status()
        return ingested.json()

    def manifest(self):
        """The manifest of the photo, which is submitted."""
        manifest = requests.get(self.ingested()["manifest_url"], timeout=30)
        manifest.raise_for_status()
        return manifest.content
