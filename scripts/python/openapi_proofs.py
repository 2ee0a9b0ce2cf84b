"""Hooks of schemathesis for lookups: replace well-formed codes and ids with real ones, send pictures as copies, and take
turns with API keys, each of which has 60 lookups in an hour. Evidence is of a capture in production, whose log has no leaf
before: there, the day's checkpoint covers it within a minute."""

import atexit
import base64
import os
import re
import sys
import time
from collections import Counter
from datetime import datetime, timezone
from itertools import cycle
from urllib.parse import unquote

import requests
import schemathesis
from hypothesis import strategies

from upload import LIVE_PAGE, PHOTO, Upload

MANIFEST_ID = re.compile(r"urn:c2pa:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SESSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
REFERENCE = re.compile(r"[A-Za-z0-9._:/@#+-]([A-Za-z0-9 ._:/@#+-]*[A-Za-z0-9._:/@#+-])?")
VALUE = re.compile(r"[A-Za-z0-9+/]{46,}={0,2}")
# The Image-Code of the sample photo.
CODE = base64.b64encode(
    bytes.fromhex("2107" "949766189beb6a49b6259db267585a4633e3493437c9e632c856a9876cf33689")).decode()
# Pictures of one pixel, which have no code.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WEBP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

schemathesis.openapi.media_type("image/jpeg", strategies.just(PHOTO))
schemathesis.openapi.media_type("image/png", strategies.just(base64.b64decode(PNG)))
schemathesis.openapi.media_type("image/webp", strategies.just(base64.b64decode(WEBP)))

answers = Counter()
api_keys = cycle(os.environ[name] for name in ("API_KEY", "API_KEY_STAGING", "API_KEY_LIVE"))
turns = cycle(range(3))


def found():
    """The id of the manifest of a photo that was captured now, once the index has followed."""
    manifest = Upload(os.environ["LICENSE_KEY_FINGERPRINT"]).manifest()
    manifest_id = MANIFEST_ID.search(manifest.decode("latin-1")).group()
    headers = {"authorization": f"Bearer {os.environ['API_KEY']}"}
    for _ in range(120):
        response = requests.get(f"{os.environ['PROOFS_URL']}/c2pa/v1/manifests/{manifest_id}", headers=headers, timeout=30)
        if response.content == manifest:
            return manifest_id
        time.sleep(0.5)
    sys.exit("the index did not follow the capture")


def dated():
    """The session id of a photo that was captured in production now, once its log has a checkpoint with a timestamp."""
    session_id = Upload(os.environ["LICENSE_KEY_LIVE"], "API_KEY_LIVE", LIVE_PAGE).ingested()["session_id"]
    log = os.environ["LOG_URL"].replace("/sandbox", "/production")
    for _ in range(240):
        if requests.get(f"{log}/dated/{datetime.now(timezone.utc):%Y-%m-%d}/timestamp", timeout=30).ok:
            return session_id
        time.sleep(0.5)
    sys.exit("the log of production was not dated")


captured, held = found(), dated()


def is_like(shape, value):
    return isinstance(value, str) and shape.fullmatch(value)


@schemathesis.hook
def before_call(context, case, kwargs):
    for binding in (case.query, case.body):
        if isinstance(binding, dict) and is_like(VALUE, binding.get("value")):
            binding["value"] = CODE
    # The key of the sandbox finds photos of this reference, which uploads have.
    if isinstance(case.body, dict) and is_like(REFERENCE, case.body.get("reference_id")) and next(turns) != 2:
        case.body["reference_id"] = "schemathesis"
    manifest_id = (case.path_parameters or {}).get("manifest_id")
    # A generated id is percent-encoded already.
    if isinstance(manifest_id, str) and is_like(MANIFEST_ID, unquote(manifest_id)) and next(turns) != 2:
        case.path_parameters["manifest_id"] = captured
    # A check also sends requests without the key, or with another one.
    if case.headers.get("authorization") != f"Bearer {os.environ['API_KEY']}":
        return
    session_id = (case.path_parameters or {}).get("session_id")
    if is_like(SESSION_ID, session_id) and next(turns) != 2:
        case.path_parameters["session_id"] = held
        case.headers["authorization"] = f"Bearer {os.environ['API_KEY_LIVE']}"
    elif case.operation.path.startswith(("/c2pa/v1/matches/", "/evidence")):
        case.headers["authorization"] = f"Bearer {next(api_keys)}"


@schemathesis.hook
def after_call(context, case, response):
    answers[f"{case.operation.method.upper()} {case.operation.path}", response.status_code] += 1


@atexit.register
def report():
    for (name, status), count in sorted(answers.items()):
        print(f"{name}: {count} times {status}")
    failed = [name for name, _ in answers if not answers[name, 200] or answers[name, 429]]
    if failed:
        print(f"FAILED: never answered 200, or reached the limit: {', '.join(sorted(set(failed)))}")
        sys.stdout.flush()
        # The only way to fail a process that is already exiting.
        os._exit(1)
