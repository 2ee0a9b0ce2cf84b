"""Checks functions' responses against the schemas of openapi/, and contains the expected responses to the sample
events, whose keys were never issued."""

import base64
import gzip
import json
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator, FormatChecker

ROOT = Path(__file__).resolve().parent.parent.parent
WEB = yaml.safe_load((ROOT / "openapi/web.yaml").read_text(encoding="utf-8"))
HOSTED = yaml.safe_load((ROOT / "openapi/hosted.yaml").read_text(encoding="utf-8"))
PROOFS = yaml.safe_load((ROOT / "openapi/proofs.yaml").read_text(encoding="utf-8"))
HEADERS = {"cache-control": "no-store", "content-type": "application/json; charset=utf-8", "x-content-type-options": "nosniff"}

# Expected responses to the sample events: function, status, body.
REFUSALS = [
    ("create-session", 401, {"error": "API key inválida ou ausente"}),
    ("load-session", 404, {"error": "Sessão não encontrada"}),
    ("ingest", 404, {"error": "Sessão não encontrada"}),
    ("session-results", 404, {"error": "Sessão não encontrada"}),
    ("session-status", 404, {"error": "Sessão não encontrada"}),
    ("image", 404, {"error": "Captura não encontrada"}),
    ("validate", 200, {"valid": False, "reason": "INVALID_KEY"}),
]


def check_page(answer):
    """Checks the hosted page: compressed HTML, with a Content-Security-Policy that allows no third party."""
    headers = {name.lower(): value for name, value in answer["headers"].items()}
    page = gzip.decompress(base64.b64decode(answer["body"])).decode()
    expect("capture-page", (answer["statusCode"], headers["content-type"], answer["isBase64Encoded"], page[:15]),
           (200, "text/html; charset=utf-8", True, "<!doctype html>"))
    expect("capture-page: policy", headers["content-security-policy"].split(";")[0], "default-src 'none'")


def sample(name):
    """Reads the event with this name from events/."""
    return json.loads((ROOT / "events" / f"{name}.json").read_text(encoding="utf-8"))


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"FAILED {what}\n  wanted {wanted!r}\n  found  {found!r}")


def unwrap(name, answer):
    """Status and JSON body of a function's response to the gateway."""
    headers = {name.lower(): value for name, value in answer["headers"].items()}
    expect(f"{name}: headers", {name: headers.get(name) for name in HEADERS}, HEADERS)
    return answer["statusCode"], json.loads(answer["body"])


def check_schema(event, status, body):
    """Validates a body against the schema in openapi/web.yaml or openapi/hosted.yaml for an event's route and this
    status."""
    method, path = event["routeKey"].split(" ")
    check_body(HOSTED if "stageVariables" in event else WEB, (method.lower(), path), status, body)


def check_body(document, operation, status, body):
    """Validates a body against a document's schema for an operation (method and path) and this status."""
    method, path = operation
    response = document["paths"][path][method]["responses"].get(str(status))
    if response is None:
        raise SystemExit(f"FAILED {method} {path}: {document['info']['title']} knows no status {status}")
    # The components are included so that references to them resolve.
    schema = {"components": document["components"], **response["content"]["application/json"]["schema"]}
    errors = [error.message for error in Draft202012Validator(schema, format_checker=FormatChecker()).iter_errors(body)]
    expect(f"{method} {path}: {status} by {document['info']['title']}", errors, [])
