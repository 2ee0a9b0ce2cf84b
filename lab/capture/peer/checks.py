"""Checks of a request, in the order of docs/reference/api.md#order-of-checks. A failed check raises an exception; the
peer has no documented error responses."""

import re
import time
import uuid
from hashlib import sha256
from urllib.parse import urlsplit

BROWSER = re.compile(
    r"Mozilla/5\.0 \((iPhone|iPad|Linux; Android )[^)]*\) AppleWebKit/\S+ \(KHTML, like Gecko\) "
    r"((Version|Chrome)/\S+ )(Mobile(/\S+)? )?Safari/\S+"
)
CLOCK_TOLERANCE_MS = 120_000


class Refused(Exception):
    """A request that the service would refuse."""


def require(holds, what):
    if not holds:
        raise Refused(what)


def hash_of(secret):
    return sha256(secret.encode()).hexdigest()


def token_hash(token):
    require(str(uuid.UUID(token)) == token, "the token is not canonical")
    return hash_of(token)


def session_id(token, order):
    digest = sha256(b"lacre/session-id/v1" + uuid.UUID(token).bytes + order.to_bytes(4, "big")).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def text(item, name):
    value = item.get(name)
    return value and value["S"]


def number(item, name):
    return int(item[name]["N"])


def is_concluded(session):
    return all("capture" in photo["M"] for photo in session["photos"]["L"])


def check_session(session, now):
    require(session and session["v"] == {"N": "1"} and now < number(session, "ttl"), "no such session")
    require(not is_concluded(session) and now < number(session, "expires_at"), "the session is over")


def check_browser(headers):
    require(BROWSER.fullmatch(headers.get("user-agent", "")), "the browser is not supported")


def check_license(license, client, session, now):
    require(license and client, "no such license")
    require(text(license, "status") == "active" and text(client, "status") == "active", "the license is not active")
    require(int(now * 1000) < number(license, "expires_at"), "the license has expired")
    require(text(license, "client_id") == text(session, "client_id"), "another client's license")


def check_origin(license, headers):
    """Checks that a pattern of the license allows the page's origin."""
    origin = headers.get("origin", "")
    page = urlsplit(origin)
    for pattern in (entry["S"] for entry in license["authorized_origins"]["L"]):
        any_port = pattern.endswith(":*")
        allowed = urlsplit(pattern.removesuffix(":*"))
        same_host = page.hostname == allowed.hostname
        if (allowed.hostname or "").startswith("*."):
            same_host = (page.hostname or "").endswith(allowed.hostname[1:])
        if page.scheme == allowed.scheme and same_host and (any_port or page.port == allowed.port):
            return origin
    raise Refused("the origin is not allowed")


def check_clock(captured_at_ms, issued_at_ms, now):
    earliest, latest = issued_at_ms - CLOCK_TOLERANCE_MS, int(now * 1000) + CLOCK_TOLERANCE_MS
    require(earliest <= captured_at_ms <= latest, "the device's clock is off")


def rfc3339(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
