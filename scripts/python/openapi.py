"""Hooks of schemathesis that insert real values into generated requests, so that valid requests reach the end of a
route.

Generated keys, tokens, nonces and hashes are at best well-formed, but were never issued. The hooks replace
well-formed values with real ones; malformed values and all other fields stay. At the end they print how often each
route returned each status, and fail the run if a route never returned 200."""

import atexit
import os
import re
import sys
import time
import unicodedata
from collections import Counter
from itertools import cycle

import schemathesis

from lacre_api import LOADS_PER_SESSION
from upload import PAGE, SAFARI, Upload

# The origin of sessions that schemathesis creates, which are in staging.
STAGING_PAGE = "https://app.example.com"

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
LICENSE_KEY = re.compile(r"svc_(live|stag|sand)_[1-9A-HJ-NP-Za-km-z]{32,33}")
NONCE = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
SHA256 = re.compile(r"[0-9A-Fa-f]{64}")

answers = Counter()


class Capture(Upload):
    """An open session of the hooks, with an upload that was not submitted yet."""

    def __init__(self):
        super().__init__(os.environ["LICENSE_KEY_ALWAYS"])
        self.loads_left = LOADS_PER_SESSION - 1

    def submission(self):
        """Fields that an ingest of this upload must contain: pattern and value of each."""
        return {
            "token": (is_like(UUID), self.token),
            "nonce": (is_like(NONCE), self.loaded["nonce"]),
            "photo_order": (is_count, self.loaded["photo_order"]),
            "image_key": (lambda value: isinstance(value, str) and value, self.loaded["image_key"]),
            "frame_hash": (is_like(SHA256), self.frame_hash),
            "captured_at_ms": (is_count, int(time.time() * 1000)),
        }


class Sessions:
    """The sessions that requests may refer to."""

    def __init__(self):
        self.open = None
        self.created = set()
        self.captured = []

    def to_capture(self):
        self.open = self.open or Capture()
        return self.open

    def to_load(self):
        capture = self.to_capture()
        capture.loads_left -= 1
        if capture.loads_left < 0:
            self.open = Capture()
        return self.open.token

    def conclude(self, session_id):
        self.captured.append((self.open.token, session_id))
        self.open = None


sessions = Sessions()
license_keys = cycle(os.environ[name] for name in (
    "LICENSE_KEY", "LICENSE_KEY_LIVE", "LICENSE_KEY_REVOKED", "LICENSE_KEY_SUSPENDED", "LICENSE_KEY_EXPIRED",
    "LICENSE_KEY_NO_ORIGIN", "LICENSE_KEY_OVER_VOLUME"))
turns = cycle(range(3))


def is_like(shape):
    return lambda value: isinstance(value, str) and shape.fullmatch(value)


def is_count(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1 and value == int(value)


def fits_in_a_label(value):
    """The part of a label's rule that a schema cannot express."""
    return len(value.encode()) <= 64 and not any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in value)


def route(case):
    return f"{case.operation.method.upper()} {case.operation.path}"


@schemathesis.hook
def filter_body(context, body):
    """Drops bodies that only the schema considers valid: a label of too many bytes, or the same hash in different case."""
    if context.operation.path != "/web/ingest" or not isinstance(body, dict):
        return True
    label, frames = body.get("label"), body.get("extra_frame_hashes")
    repeats = isinstance(frames, list) and all(map(is_like(SHA256), frames)) and len({f.lower() for f in frames}) < len(frames)
    return (not isinstance(label, str) or fits_in_a_label(label)) and not repeats


@schemathesis.hook
def before_call(context, case, kwargs):
    body, path, headers = case.body, case.path_parameters, case.headers
    page = PAGE
    match route(case):
        case "POST /web/sessions" if isinstance(body, dict) and is_like(LICENSE_KEY)(body.get("license_key")):
            body["license_key"] = os.environ["LICENSE_KEY_STAGING"]
        case "POST /validate" if isinstance(body, dict) and is_like(LICENSE_KEY)(body.get("license_key")):
            body["license_key"] = next(license_keys)
        case "GET /web/sessions/{token}" | "GET /web/session-results/{token}":
            token = path["token"]
            if token in sessions.created:
                page = STAGING_PAGE
            elif is_like(UUID)(token):
                turn = next(turns)
                if turn == 1 and sessions.captured:
                    path["token"] = sessions.captured[-1][0]
                elif turn != 2:
                    path["token"] = sessions.to_load()
        case "GET /web/image/{session_id}":
            if is_like(UUID)(path["session_id"]) and next(turns) != 2 and sessions.captured:
                path["session_id"] = sessions.captured[-1][1]
        case "POST /web/ingest" if isinstance(body, dict):
            for field, (fits, real) in sessions.to_capture().submission().items():
                if fits(body.get(field)):
                    # Keeps the type: an integer may be generated as a float.
                    body[field] = type(body[field])(real)
    if case.operation.path in ("/web/sessions/{token}", "/web/ingest"):
        headers.setdefault("origin", page)
        headers.setdefault("user-agent", SAFARI)


@schemathesis.hook
def after_call(context, case, response):
    answers[route(case), response.status_code] += 1
    if response.status_code == 200 and route(case) == "POST /web/sessions":
        sessions.created.add(response.json()["token"])
    if route(case) == "POST /web/ingest":
        if response.status_code == 200:
            sessions.conclude(response.json()["session_id"])
        elif sessions.open and "web_nonce_replay" in response.text:
            sessions.open = None


@atexit.register
def report():
    for (name, status), count in sorted(answers.items()):
        print(f"{name}: {count} times {status}")
    missed = {name for name, _ in answers if not answers[name, 200]}
    if missed:
        print(f"FAILED: never answered 200: {', '.join(sorted(missed))}")
        sys.stdout.flush()
        # The only way to fail a process that is already exiting.
        os._exit(1)
