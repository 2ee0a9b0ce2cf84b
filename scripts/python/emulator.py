"""Runs the functions' binaries under the Lambda runtime interface emulator, and checks their responses.

First each function gets its sample event from events/, whose keys were never issued; it must respond with a
documented refusal. Then one capture passes through the functions of each flow, with the keys of a local service.
Every response must conform to openapi/web.yaml. The first record is exported. The hosted session's webhook is sent
to a receiver here, which verifies it with the Standard Webhooks library. Finally a license reaches its volume and is
revoked: `admin` and `alerts` are checked for what is stored, published and acknowledged. The operator's changes must
be in the audit log and exported. The first capture gets its evidence once the log is dated. Some functions' traces of AWS
calls are checked.

usage: emulator.py EMULATOR TARGET   (by scripts/test-emulator)"""

import base64
import copy
import hashlib
import io
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
import zipfile
from contextlib import ExitStack
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import boto3
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

import metrics
from answers import PROOFS, REFUSALS, ROOT, check_body, check_schema, check_page, expect, sample, unwrap
from lacre_api import API_KEY_HEADER, LICENSE_KEY_HEADER
from runtime_api import INVOCATION, LAMBDA, TRACE, start

ORIGIN = "http://localhost:8080"


class XrayDaemon:
    """Collects the documents that the X-Ray daemon would receive."""

    def __init__(self):
        self.received, self.socket = [], socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        while True:
            self.received.append(self.socket.recv(65536).decode())


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Function:
    """A function's binary under its own emulator."""

    def __init__(self, emulator, binary, environment, log):
        self.name = binary.name
        self.address = f"127.0.0.1:{free_port()}"
        self.process = subprocess.Popen(
            [emulator, "--log-level", "error", "--runtime-interface-emulator-address", self.address,
             "--runtime-api-address", f"127.0.0.1:{free_port()}", str(binary)],
            env={"PATH": os.environ["PATH"], **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self):
        host, port = self.address.split(":")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                socket.create_connection((host, int(port)), timeout=1).close()
                return self
            except OSError:
                self.process.poll()
                if self.process.returncode is not None:
                    break
                time.sleep(0.02)
        raise SystemExit(f"the emulator of {self.name} did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def invoke(self, event):
        """The function's result for one event."""
        request = urllib.request.Request(f"http://{self.address}/2015-03-31/functions/function/invocations",
                                         data=json.dumps(event).encode())
        with urllib.request.urlopen(request, timeout=40) as response:
            return json.load(response)

    def answer(self, event):
        """Status and JSON body of the response to a request."""
        return unwrap(self.name, self.invoke(event))

    def documented_answer(self, event):
        """The same, and checks that the response conforms to openapi/web.yaml."""
        status, body = self.answer(event)
        check_schema(event, status, body)
        return status, body


def event(name, body=None, headers=None, hosted=False, **path):
    """The sample event with another body, headers or path parameters, optionally as the hosted flow's API sends it."""
    changed = copy.deepcopy(sample(name))
    if hosted:
        changed["stageVariables"] = {"flow": "hosted"}
    changed["headers"].update(headers or {})
    if body is not None:
        changed["body"] = json.dumps(body)
        changed["headers"]["content-length"] = str(len(changed["body"]))
    if path:
        changed["pathParameters"] = path
        route = changed["routeKey"].split(" ")[1]
        changed["rawPath"] = changed["requestContext"]["http"]["path"] = route.format(**path)
    return changed


def check_refusals(functions):
    for name, status, body in REFUSALS:
        expect(name, functions[name].documented_answer(sample(name)), (status, body))
        print(f"ok   {name}: {status} for its sample event")


def succeed(functions, name, sent, wanted=200):
    status, body = functions[name].documented_answer(sent)
    expect(f"{name}: status, with body {body}", status, wanted)
    print(f"ok   {name}: {wanted}{', hosted' if 'stageVariables' in sent else ''}")
    return body


def fresh_frame():
    """The sample photo with a random comment segment, so that it is not a duplicate."""
    photo = (ROOT / "events" / "frame.jpg").read_bytes()
    comment = secrets.token_hex(8).encode()
    return photo[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + photo[2:]


def upload(frame, loaded):
    """Uploads a frame to a loaded session's upload URL, and returns the body of its ingest."""
    put = urllib.request.Request(loaded["upload_url"], data=frame, method=loaded["upload_method"],
                                 headers=loaded["upload_headers"])
    with urllib.request.urlopen(put, timeout=10) as response:
        expect("upload: status", response.status, 200)
    hashes = [hashlib.sha256(secrets.token_bytes(8)).hexdigest() for _ in range(2)]
    return {
        "token": loaded["token"], "nonce": loaded["nonce"], "photo_order": loaded["photo_order"],
        "image_key": loaded["image_key"], "frame_hash": hashlib.sha256(frame).hexdigest(), "extra_frame_hashes": hashes,
        "gps_lat": -23.55, "gps_lon": -46.63, "gps_accuracy": 12.5, "captured_at_ms": loaded["server_time_ms"],
    }


class Receiver(HTTPServer):
    """Stores received webhooks byte for byte."""

    def __init__(self):
        self.received = received = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                received.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        """Its URL; an unresolvable one if the functions cannot connect to this machine."""
        own_machine = "FUNCTION_ENVIRONMENTS" not in os.environ
        return f"http://127.0.0.1:{self.server_port}/lacre" if own_machine else "https://hooks.invalid/"


def check_webhook(functions, receiver, session_id):
    """Checks that the session's message is attempted once, by the function here or by the local service's own."""
    clients = done(functions["admin"], 200, "GET", "/clients")["clients"]
    client = next(client["id"] for client in clients if client["name"] == "Lacre Development")
    attempt_of = lambda: done(functions["admin"], 200, "GET", "/clients/{client_id}/webhooks", client_id=client)["webhooks"][0]
    sent = sample("webhooks")
    record = json.loads(sent["Records"][0]["body"])
    record["dynamodb"]["Keys"] = {"client_id": {"S": client}, "attempt_id": {"S": f"{attempt_of()['message_id']}#0001"}}
    sent["Records"][0]["body"] = json.dumps(record)
    for _ in range(2):
        expect("webhooks: answer to the queue", functions["webhooks"].invoke(sent), None)
    deadline = time.monotonic() + 60
    while (attempt := attempt_of())["state"] == "in_progress" and time.monotonic() < deadline:
        time.sleep(0.5)
    if "FUNCTION_ENVIRONMENTS" in os.environ:
        expect("webhooks: to a name without an address", (attempt["state"], attempt["result"]), ("failed", "unreachable"))
        return
    expect("webhooks: state", (attempt["state"], attempt["status"]), ("delivered", 204))
    [(headers, body)] = receiver.received
    secret = Webhook(os.environ["WEBHOOK_SECRET"])
    expect("webhooks: session_id", secret.verify(body, headers)["session_id"], session_id)
    old = str(int(headers["webhook-timestamp"]) - 600)
    for changed_headers, changed_body in [(headers, body + b" "), ({**headers, "webhook-timestamp": old}, body)]:
        try:
            secret.verify(changed_body, changed_headers)
        except WebhookVerificationError:
            continue
        raise SystemExit("FAILED: standardwebhooks accepts a message that was changed")
    print("ok   webhooks: one message, which standardwebhooks accepts, and refuses when it is changed")


def secret_of_canary():
    """The content that scripts/canary-up writes to the canary's secret, with the keys of the local service."""
    return json.dumps({"api_key": os.environ["API_KEY"], "license_key": os.environ["LICENSE_KEY"], "origin": ORIGIN,
                       "roots_pem": Path(os.environ["TRUST_ANCHORS"]).read_text(encoding="utf-8")})


class Secrets(HTTPServer):
    """A stand-in for Secrets Manager with one secret, used if the local service is the only AWS."""

    def __init__(self, value):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                body = json.dumps({"SecretString": value}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/x-amz-json-1.1")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def check_hosted_capture(functions):
    """Captures three photos of a hosted session, under the license that its link names."""
    receiver = Receiver()
    page = {"origin": f"https://{sample('load-session')['headers']['host']}"}
    order = {"reference_id": "emulator", "profile": "real_estate", "redirect_uri": "http://localhost:3000/done",
             "webhook_url": receiver.url()}
    created = succeed(functions, "create-session", event(
        "create-session", order, {API_KEY_HEADER: os.environ["API_KEY"]}, hosted=True), 201)
    token, license_key = created["token"], os.environ["LICENSE_KEY_HOSTED_OTHER"]
    asked = {"token": token, "license_key": license_key}
    policy = succeed(functions, "validate", event("validate", asked, page, hosted=True))
    expect("validate: resolution", policy["capture_resolution"], "HD")
    for photo in (1, 2, 3):
        keyed = {**page, LICENSE_KEY_HEADER: license_key}
        loaded = succeed(functions, "load-session", event("load-session", None, keyed, hosted=True, token=token))
        sent = upload(fresh_frame(), loaded)
        ingested = succeed(functions, "ingest", event("ingest", sent, page, hosted=True))
        expect("ingest: complete", (ingested["complete"], ingested["photo_order"]), (photo == 3, photo))
        progress = succeed(functions, "session-status", event("session-status", hosted=True, token=token))
        expect("session-status", progress["captured_count"], photo)
    results = succeed(functions, "session-results", event("session-results", hosted=True, token=token))
    expect("session-results", (results["status"], results["profile"]), ("captured", "real_estate"))
    check_webhook(functions, receiver, results["photos"][-1]["session_id"])
    return [token, license_key, *(photo["session_id"] for photo in results["photos"])]


def check_capture(functions):
    frame = fresh_frame()
    frame_hash = hashlib.sha256(frame).hexdigest()
    page = {"origin": ORIGIN}
    license_key = os.environ["LICENSE_KEY_ALWAYS"]

    policy = succeed(functions, "validate", event("validate", {"license_key": license_key}, page))
    expect("validate: verdict", (policy["valid"], policy["environment"]), (True, "SANDBOX"))

    created = succeed(functions, "create-session", event(
        "create-session", {"reference_id": "emulator", "license_key": license_key}, {API_KEY_HEADER: os.environ["API_KEY"]}))
    expect("create-session: fields", sorted(created), ["expires_at", "token"])
    token = created["token"]

    loaded = succeed(functions, "load-session", event("load-session", None, page, token=token))
    sent = upload(frame, loaded)
    ingested = succeed(functions, "ingest", event("ingest", sent, page))
    expect("ingest: complete", (ingested["complete"], ingested["photo_order"]), (True, 1))

    results = succeed(functions, "session-results", event("session-results", token=token))
    photo = results["photos"][0]
    expect("session-results", (results["status"], results["captured_count"], photo["frame_hash_hex"], photo["session_id"]),
           ("captured", 1, frame_hash, ingested["session_id"]))

    image = succeed(functions, "image", event("image", session_id=ingested["session_id"]))
    expect("image: fields", sorted(image), ["authenticated_jpeg_url", "expires_at", "session_id"])

    expect("ingest again", functions["ingest"].documented_answer(event("ingest", sent, page)), (409, {"error": "Sessão já utilizada"}))
    print("ok   ingest: 409 for a session that is concluded")
    check_export(functions, ingested["session_id"])
    session_id = ingested["session_id"]
    return session_id, [os.environ["API_KEY"], license_key, token, loaded["nonce"], loaded["upload_url"], session_id,
                        ingested["manifest_url"], image["authenticated_jpeg_url"]]


def aws(service):
    """An SDK client for the AWS in the environment."""
    return boto3.client(service, region_name=os.environ["AWS_REGION"])


def operate(admin, method, route, body=None, query=None, photo=None, **path):
    """Status and body of one call of the admin API. A photo is sent as API Gateway passes bytes on."""
    sent = event("admin-create-client", {} if body is None else body)
    route_key = f"{method} {route}"
    sent["routeKey"] = sent["requestContext"]["routeKey"] = route_key
    sent["rawPath"] = sent["requestContext"]["http"]["path"] = route.format(**path)
    sent["requestContext"]["http"]["method"] = method
    sent["pathParameters"] = path
    sent["rawQueryString"] = urllib.parse.urlencode(query or {})
    sent["queryStringParameters"] = query or {}
    if body is None:
        del sent["body"]
    if photo is not None:
        sent["headers"]["content-type"] = "image/jpeg"
        sent |= {"body": base64.b64encode(photo).decode(), "isBase64Encoded": True}
    return admin.answer(sent)


def done(admin, status, *call, **arguments):
    found, body = operate(admin, *call, **arguments)
    expect(f"admin: {call[0]} {call[1]}, with body {body}", found, status)
    print(f"ok   admin: {status} for {call[0]} {call[1]}")
    return body


class Subscriber:
    """Reads published messages, from the SNS stand-in or from a queue that another SNS delivers to."""

    def __init__(self):
        self.stand_in, self.queue, self.read = os.environ.get("AWS_ENDPOINT_URL_SNS"), None, []
        if self.stand_in:
            return
        self.sqs = aws("sqs")
        self.queue = self.sqs.create_queue(QueueName="subscriber")["QueueUrl"]
        arn = self.sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        deliver = {"Effect": "Allow", "Principal": {"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage", "Resource": arn}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [deliver]})
        self.sqs.set_queue_attributes(QueueUrl=self.queue, Attributes={"Policy": policy})
        aws("sns").subscribe(TopicArn=os.environ["ALERTS_TOPIC_ARN"], Protocol="sqs", Endpoint=arn,
                             Attributes={"RawMessageDelivery": "true"})

    def published(self):
        """The messages so far."""
        if self.stand_in:
            with urllib.request.urlopen(f"{self.stand_in}/published", timeout=10) as response:
                return [json.loads(message["message"]) for message in json.load(response)]
        while messages := self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                self.read.append(json.loads(message["Body"]))
                self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
        return self.read


def check_alerts(functions):
    """Issues a license, uses its volume and revokes it; checks that each alert is stored and published once."""
    admin, alerts, subscriber = functions["admin"], functions["alerts"], Subscriber()
    expect("admin: a license that was never issued", admin.answer(sample("admin-show-license"))[0], 404)
    client = done(admin, 201, "POST", "/clients", json.loads(sample("admin-create-client")["body"]))["id"]
    terms = {"environment": "STAGING", "volume_limit": 10, "expires_at": "2099-12-31T00:00:00Z",
             "authorized_origins": ["https://app.example.com"]}
    issued = done(admin, 201, "POST", "/clients/{client_id}/licenses", terms, client_id=client)
    license_id, month = issued["id"], time.strftime("%Y-%m", time.gmtime())

    aws("dynamodb").update_item(
        TableName=os.environ["ACCOUNTS_TABLE"], UpdateExpression="SET captures = :ten, v = :v",
        Key={"pk": {"S": f"volume#{license_id}#00"}, "sk": {"S": f"volume#{month}"}},
        ExpressionAttributeValues={":ten": {"N": "10"}, ":v": {"N": "1"}})
    captured = sample("alerts-stream")
    captured["Records"][0]["dynamodb"]["NewImage"].update(
        license_id={"S": license_id}, client_id={"S": client}, month={"S": month})
    for _ in range(2):
        expect("alerts: answer to the stream", alerts.invoke(captured), {"batchItemFailures": []})
    done(admin, 200, "POST", "/licenses/{license_id}/revoke", license_id=license_id)
    expect("alerts: answer to the schedule", alerts.invoke(sample("alerts-schedule")), None)

    stored = done(admin, 200, "GET", "/alerts", query={"license": license_id})["alerts"]
    kinds = ["REVOKED", "VOLUME_100", "VOLUME_70", "VOLUME_90"]
    expect("alerts: stored", sorted(alert["alert"] for alert in stored), kinds)
    expect("alerts: not published", [alert["alert"] for alert in stored if not alert["published_at"]], [])
    published = sorted(message["alert"] for message in subscriber.published() if message["license_id"] == license_id)
    expect("alerts: published", published, kinds)
    print("ok   alerts: stored, and published once")
    place = {"license_id": license_id, "month": month, "alert": "REVOKED"}
    acknowledged = done(admin, 200, "POST", "/licenses/{license_id}/alerts/{month}/{alert}/acknowledge", **place)
    operator = sample("admin-create-client")["requestContext"]["authorizer"]["iam"]["userArn"]
    expect("alerts: acknowledged", acknowledged["acknowledged_by"], operator)
    still_open = done(admin, 200, "GET", "/alerts", query={"state": "open"})["alerts"]
    found = sorted(alert["alert"] for alert in still_open if alert["license_id"] == license_id)
    expect("alerts: open", found, [kind for kind in kinds if kind != "REVOKED"])
    check_audit(functions, client, operator)
    return [issued["license_key"]]


def check_audit(functions, client, operator):
    """Checks that an operator's changes are in the audit log, latest first, and exported once, and that a replaced
    entry is reported in the log as a change."""
    admin, export, dynamodb = functions["admin"], functions["export"], aws("dynamodb")
    entries = done(admin, 200, "GET", "/audit", query={"client": client})["audit"]
    did = [(entry["operation"], entry["outcome"], entry["principal"]) for entry in entries]
    operations = ("alert.acknowledge", "license.revoke", "license.issue", "client.create")
    expect("audit: what the operator did", did, [(operation, "done", operator) for operation in operations])
    [entry, *_] = entries
    expect("audit: the entry by itself", done(admin, 200, "GET", "/audit/{request_id}", request_id=entry["id"]), entry)

    written, key = sample("audit-stream"), {"id": {"S": entry["id"]}}
    change = written["Records"][0]["dynamodb"]
    change["Keys"] = key
    change["NewImage"] = dynamodb.get_item(TableName=os.environ["AUDIT_TABLE"], Key=key, ConsistentRead=True)["Item"]
    for _ in range(2):
        expect("export: answer to an entry", export.invoke(written), {"batchItemFailures": []})
    stored = aws("s3").get_object(Bucket=os.environ["EXPORT_BUCKET"], Key=f"audit/{entry['id']}.json")
    exported = json.load(stored["Body"])
    expect("export: entry", {name: exported[name] for name in ("id", "operation", "principal")},
           {name: entry[name] for name in ("id", "operation", "principal")})
    change["OldImage"] = change["NewImage"]
    change["NewImage"] = {**change["OldImage"], "principal": {"S": "arn:aws:iam::123456789012:user/another"}}
    written["Records"][0]["eventName"] = "MODIFY"
    expect("export: answer to a replaced entry", export.invoke(written), {"batchItemFailures": []})
    print("ok   export: one entry of the audit log, and word of its replacement")


def check_export(functions, session_id):
    """Checks that a record is exported once, and that its removal is reported in the log as a change of evidence."""
    export, dynamodb = functions["export"], aws("dynamodb")
    key = {"capture_id": {"S": hashlib.sha256(session_id.encode()).hexdigest()}}
    captured = sample("alerts-stream")
    change = captured["Records"][0]["dynamodb"]
    change["Keys"] = key
    change["NewImage"] = dynamodb.get_item(TableName=os.environ["EVIDENCE_TABLE"], Key=key, ConsistentRead=True)["Item"]
    for _ in range(2):
        expect("export: answer to the stream", export.invoke(captured), {"batchItemFailures": []})
    stored = aws("s3").get_object(Bucket=os.environ["EXPORT_BUCKET"], Key=f"records/{key['capture_id']['S']}.json")
    expect("export: record", json.load(stored["Body"])["capture_id"], key["capture_id"]["S"])
    change["OldImage"] = change.pop("NewImage")
    captured["Records"][0]["eventName"] = "REMOVE"
    expect("export: answer to a removal", export.invoke(captured), {"batchItemFailures": []})
    print("ok   export: one record, and word of its removal")


def check_prints(functions):
    """Indexes a capture as if it had the sample's fingerprint, and looks it up: the index has it, but the capture's own
    personal item does not, so it is not found."""
    items = aws("dynamodb").scan(TableName=os.environ["PERSONAL_TABLE"])["Items"]
    captured, asked = sample("personal-stream"), sample("find-proof")
    change = captured["Records"][0]["dynamodb"]
    fingerprint, manifest_id = change["NewImage"]["fingerprint"], {"S": "urn:c2pa:00000000-0000-4000-8000-000000000000"}
    item = next(item for item in items if item["pk"]["S"].startswith("personal#"))
    change["NewImage"] = item | {"fingerprint": fingerprint, "manifest_id": manifest_id}
    for _ in range(2):
        expect("prints: answer", functions["prints"].invoke(captured), None)
    entries = aws("dynamodb").scan(TableName=os.environ["PRINTS_TABLE"])["Items"]
    expect("prints: a secret and 17 entries", len(entries), 18)
    expect("find-proof: an unknown key", functions["find-proof"].answer(asked)[0], 401)
    asked["headers"]["authorization"] = f"Bearer {os.environ['API_KEY']}"
    expect("find-proof: a fingerprint of no capture", functions["find-proof"].answer(asked), (200, {"matches": []}))
    record = aws("dynamodb").scan(TableName=os.environ["EVIDENCE_TABLE"])["Items"][0]
    place = {name: record[name]["S"] for name in ("client_id", "environment")}
    call = functions["find-proof"], "POST", "/clients/{client_id}/captures/{environment}/matches"
    expect("find-proof: an operator without a photo", operate(*call, **place)[0], 400)
    found = operate(*call, photo=(ROOT / "events" / "frame.jpg").read_bytes(), **place)
    expect("find-proof: an operator's photo of no capture", found, (200, {"matches": [], "truncated": False}))
    print("ok   prints, find-proof: indexed once, and judged by the personal item")


def add_leaf(sequencer, capture_id, entry):
    """Has the leaf of a capture added, twice. Returns its key."""
    waiting = sample("log-stream")
    change = waiting["Records"][0]["dynamodb"]
    change["Keys"] = key = {"pk": {"S": f"leaf#{capture_id}"}, "sk": {"S": "leaf"}}
    change["NewImage"].update(key, entry={"S": entry})
    for _ in range(2):
        expect("sequencer: answer", sequencer.invoke(waiting), None)
    return key


def check_leaf(sequencer, origin):
    """Checks that a waiting leaf is added once, with a proof for a signed checkpoint, and that the log serves its entry
    and is dated."""
    entry = secrets.token_bytes(32)
    key = add_leaf(sequencer, secrets.token_hex(32), entry.hex())
    leaf = aws("dynamodb").get_item(TableName=os.environ["LOG_TABLE"], Key=key, ConsistentRead=True)["Item"]
    index = int(leaf["index"]["N"])
    with urllib.request.urlopen(f"{os.environ['LOG_URL']}/checkpoint", timeout=10) as response:
        size = response.read().decode().split("\n")[1]
    width = min(256, int(size) - index // 256 * 256)
    bundle = f"tile/entries/{index // 256:03}" + (f".p/{width}" if width < 256 else "")
    with urllib.request.urlopen(f"{os.environ['LOG_URL']}/{bundle}", timeout=10) as response:
        found = response.read()[index % 256 * 34:][:34]
    expect("sequencer: entry", found, b"\0\x20" + entry)
    expect("sequencer: origin", leaf["note"]["S"].split("\n")[0], f"{origin}/sandbox")
    # The local service may already have dated its log.
    day, parts = f"dated/{datetime.now(timezone.utc):%Y-%m-%d}", ("checkpoint", "timestamp")
    for part in parts:
        aws("s3").delete_object(Bucket=os.environ["LOG_BUCKET"], Key=f"sandbox/{day}/{part}")
    for _ in range(2):
        expect("sequencer: answer to the schedule", sequencer.invoke(sample("alerts-schedule")), None)
    files = []
    for part in parts:
        with urllib.request.urlopen(f"{os.environ['LOG_URL']}/{day}/{part}", timeout=10) as response:
            files.append(response.read())
    expect("sequencer: dated", files[0].decode().split("\n")[0], f"{origin}/sandbox")
    imprint = hashlib.sha256(files[0].split(b"\n\n")[0] + b"\n").digest()
    expect("sequencer: the timestamp is over the checkpoint", imprint in files[1], True)
    print("ok   sequencer: one leaf, its proof, the public entry, the checkpoint of the day")


def check_evidence(find_proof, session_id):
    """Checks that a capture's client, and no other key, gets its evidence once the day's checkpoint covers it."""
    asked = event("evidence", None, {"authorization": f"Bearer {os.environ['API_KEY']}"}, session_id=session_id)
    status, body = find_proof.answer(asked)
    expect("find-proof: evidence", (status, body.get("bundles")), (200, []))
    check_body(PROOFS, ("get", "/evidence/{session_id}"), status, body)
    asked["headers"]["authorization"] = f"Bearer {os.environ['API_KEY_LIVE']}"
    expect("find-proof: evidence of another environment", find_proof.answer(asked), (404, {"error": "Captura não encontrada"}))
    print("ok   find-proof: the evidence of a capture, for its client")


def check_dossier(dossiers):
    """Checks that a client gets a dossier of its photos, which is stored, and whose seal openssl accepts."""
    asked = sample("dossiers")
    expect("dossiers: an unknown key", dossiers.answer(asked)[0], 401)
    asked["headers"]["authorization"] = f"Bearer {os.environ['API_KEY']}"
    asked["body"] = json.dumps({"reference_id": "emulator"})
    status, body = dossiers.answer(asked)
    check_body(PROOFS, ("post", "/dossiers"), status, body)
    stored = aws("s3").get_object(Bucket=os.environ["DOSSIERS_BUCKET"], Key=f"{body['sha256']}/dossier.zip")["Body"].read()
    expect("dossiers: the archive", hashlib.sha256(stored).hexdigest(), body["sha256"])
    with zipfile.ZipFile(io.BytesIO(stored)) as archive:
        index = json.loads(archive.read("index.json"))
        expect("dossiers: its photos", len(index["photos"]), body["photos"])
        expect("dossiers: its first parts", archive.namelist()[:3], ["index.json", "index.p7s", "report.html"])
    print(f"ok   dossiers: {body['photos']} photos of a reference")


def environments(names):
    """The environment of each function: all variables of the local service, or those in FUNCTION_ENVIRONMENTS."""
    path = os.environ.get("FUNCTION_ENVIRONMENTS")
    if path:
        deployed = json.loads(Path(path).read_text(encoding="utf-8"))
        arn = deployed["canary"]["CANARY_SECRET_ARN"]
        aws("secretsmanager").put_secret_value(SecretId=arn, SecretString=secret_of_canary())
        return deployed
    secrets_manager = f"http://127.0.0.1:{Secrets(secret_of_canary()).server_port}"
    canary = {**os.environ, "AWS_ENDPOINT_URL_SECRETS_MANAGER": secrets_manager, "CANARY_SECRET_ARN": "canary"}
    return {**dict.fromkeys(names, os.environ), "canary": canary}


def check_log(log, seen, stacks):
    """Checks that every function emitted its metrics under its stack, and that no log line contains a key, token,
    identifier or URL signature."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    if not any('"refused"' in line for line in lines):
        raise SystemExit(f"FAILED: the functions logged no refusal in {log}")
    if not any(line.startswith("{") and '"CertificateDaysLeft":' in line for line in lines):
        raise SystemExit(f"FAILED: no metric of the certificates in {log}")
    # One removed record and one replaced audit entry.
    if sum(line.startswith("{") and '"EvidenceChanged":' in line for line in lines) != 2:
        raise SystemExit(f"FAILED: {log} must have one metric of the changed evidence and one of the changed audit log")
    measured = metrics.check(lines, stacks)
    for secret in seen:
        secret = secret.split("X-Amz-Signature=")[-1][:64]
        if any(secret in line for line in lines):
            raise SystemExit(f"FAILED: {log} holds a secret")
    print(f"ok   {len(lines)} lines of log without any of {len(seen)} secrets, {len(measured)} of them with metrics")


def shape(value):
    """The structure of a document, with types in place of values."""
    return {name: shape(part) for name, part in value.items()} if isinstance(value, dict) else type(value)


def trace_of_sdk(daemon):
    """The subsegment that AWS's own SDK records for a read of a table."""
    os.environ |= {"LAMBDA_TASK_ROOT": "/var/task", "_X_AMZN_TRACE_ID": f"{TRACE};Sampled=1", "AWS_XRAY_DAEMON_ADDRESS": daemon.address}
    # The module reads its environment when it is imported.
    from aws_xray_sdk.core import patch

    patch(["botocore"])
    read, before = aws("dynamodb"), len(daemon.received)
    read.get_item(TableName=os.environ["SESSIONS_TABLE"], Key={"pk": {"S": "session#none"}})
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for received in daemon.received[before:]:
            if '"annotations"' not in received:
                return json.loads(received.partition("\n")[2])
        time.sleep(0.01)
    raise SystemExit("FAILED: AWS's SDK sent no trace")


def check_traces(binaries, given, log):
    """Checks that AWS calls are traced as AWS's SDK does, under the invocation's segment if its trace is sampled. The
    emulator samples no traces, so these functions run without it."""
    daemon, idle, documents = XrayDaemon(), XrayDaemon(), []
    called = {"create-session": "BatchGetItem", "session-results": "GetItem", "alerts": "Query"}
    for name in called:
        sent = sample("alerts-schedule" if name == "alerts" else name)
        for sampled, at in ((False, idle), (True, daemon)):
            variables = {**LAMBDA, "AWS_LAMBDA_FUNCTION_NAME": name, **given[name], "AWS_XRAY_DAEMON_ADDRESS": at.address}
            start(binaries / name, variables, sent, log, sampled)
    theirs = trace_of_sdk(daemon)
    # S3's extended request id, which ministack also sends for DynamoDB.
    theirs["aws"].pop("id_2", None)
    expect("trace: of what is not sampled", idle.received, [])
    for received in daemon.received:
        header, _, document = received.partition("\n")
        expect("trace: header", json.loads(header), {"format": "json", "version": 1})
        documents.append(json.loads(document))
    expect("trace: unique ids", len({document["id"] for document in documents}), len(documents))
    ours = [document for document in documents if document["id"] != theirs["id"]]
    for document in ours:
        expect("trace: ids", (document["type"], document["namespace"], f"Root={document['trace_id']};Parent={document['parent_id']}"),
               ("subsegment", "aws", TRACE))
    expect("trace: operations", set(called.values()) - {document["aws"]["operation"] for document in ours}, set())
    expect("trace: the gateway's id", {document["annotations"]["request_id"] for document in ours},
           {sample("session-results")["requestContext"]["requestId"], INVOCATION["lambda-runtime-aws-request-id"]})
    [read] = [document for document in ours if document["aws"]["operation"] == "GetItem"]
    found, wanted = shape(read), shape(theirs)
    # Our subsegments are always complete, and additional fields are optional.
    del wanted["in_progress"]
    common = {name: found.get(name) for name in wanted} | {"aws": {name: found["aws"].get(name) for name in wanted["aws"]}}
    expect("trace: as AWS's SDK makes it", common, wanted)
    expect("trace: beside it", sorted(found.keys() - wanted.keys()), ["annotations", "error", "fault", "throttle"])
    print(f"ok   {len(ours)} subsegments of X-Ray, as AWS's SDK makes them")


def main(emulator, target):
    names = [name for name, _, _ in REFUSALS] + [
        "capture-page", "admin", "alerts", "canary", "export", "find-proof", "prints", "revocation", "sequencer", "webhooks",
        "dossiers",
    ]
    given = environments(names)
    log_path = target / "emulator.log"
    with log_path.open("w", encoding="utf-8") as log, ExitStack() as running:
        functions = {
            name: running.enter_context(Function(emulator, target / "debug" / name, given[name], log)) for name in names
        }
        check_refusals(functions)
        check_page(functions["capture-page"].invoke(sample("capture-page")))
        expect("canary", functions["canary"].invoke(sample("alerts-schedule")), {"result": "succeeded"})
        print("ok   canary: a capture, verified")
        session_id, seen = check_capture(functions)
        seen += check_hosted_capture(functions) + check_alerts(functions)
        check_prints(functions)
        capture_id = hashlib.sha256(session_id.encode()).hexdigest()
        record = aws("dynamodb").get_item(TableName=os.environ["EVIDENCE_TABLE"], Key={"capture_id": {"S": capture_id}})
        add_leaf(functions["sequencer"], capture_id, record["Item"]["log_entry"]["S"])
        check_leaf(functions["sequencer"], given["sequencer"]["LOG_ORIGIN"])
        check_evidence(functions["find-proof"], session_id)
        check_dossier(functions["dossiers"])
        expect("revocation: answer to the schedule", functions["revocation"].invoke(sample("alerts-schedule")), None)
        print("ok   revocation: the development certificates name a responder that does not exist")
    # These functions are stopped after their response, so whether they emit metrics varies.
    with (target / "traced.log").open("w", encoding="utf-8") as log:
        check_traces(target / "debug", given, log)
    check_log(log_path, seen, {name: variables["STACK_NAME"] for name, variables in given.items()})
    print("runtime emulator: all answers are as openapi/ says")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve())
