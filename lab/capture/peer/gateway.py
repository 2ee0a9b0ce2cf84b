"""The HTTP server: converts a request to an event of API Gateway's payload format 2.0, handles it as the Lambda runtime
would, and returns the response. `gunicorn gateway:application` serves it."""

import json
import logging
import sys
import uuid

import ingest
import sessions

logging.basicConfig(stream=sys.stdout, level=logging.WARNING, format="%(message)s")
LOG = logging.getLogger("peer")
LOG.setLevel(logging.INFO)
ROUTES = {
    "POST /web/sessions": sessions.create,
    "GET /web/sessions/{token}": sessions.load,
    "POST /web/ingest": ingest.ingest,
    "GET /web/session-results/{token}": sessions.results,
}
HEADERS = {"content-type": "application/json; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff"}


def handler(event, _context):
    """The Lambda handler."""
    answer = ROUTES[event["routeKey"]](event)
    LOG.info(json.dumps({"level": "INFO", "message": "answered", "status": 200}))
    return {"statusCode": 200, "headers": HEADERS, "body": json.dumps(answer), "isBase64Encoded": False}


def event_of(environ):
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    headers["content-type"] = environ.get("CONTENT_TYPE", "")
    http = {"method": method, "path": path, "protocol": environ["SERVER_PROTOCOL"], "sourceIp": environ["REMOTE_ADDR"]}
    event = {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": environ["QUERY_STRING"],
        "headers": headers,
        "requestContext": {"http": http, "requestId": uuid.uuid4().hex, "stage": "$default"},
        "isBase64Encoded": False,
    }
    if method == "GET":
        place, token = path.rsplit("/", 1)
        event |= {"routeKey": f"GET {place}/{{token}}", "pathParameters": {"token": token}}
    if length := int(environ.get("CONTENT_LENGTH") or 0):
        event["body"] = environ["wsgi.input"].read(length).decode()
    return event


def application(environ, start_response):
    try:
        # API Gateway and the Lambda runtime exchange both as text, so both are serialized.
        event = json.loads(json.dumps(event_of(environ)))
        answer = json.loads(json.dumps(handler(event, None)))
    except Exception:
        # Like the Lambda runtime, logs the cause and returns a 500.
        LOG.exception("the handler failed")
        answer = {"statusCode": 500, "headers": HEADERS, "body": '{"message":"Internal Server Error"}'}
    start_response(f"{answer['statusCode']} Answered", list(answer["headers"].items()))
    return [answer["body"].encode()]
