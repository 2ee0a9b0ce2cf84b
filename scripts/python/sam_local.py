"""Runs the functions that `sam build` made by `sam local`, in containers, against a local service's stand-ins for AWS.

As a test: first every event in events/, by `sam local invoke`; then the walk-through of README.md, by `sam local
start-api`: a whole capture, whose JPEG must verify.

usage: sam_local.py BUILT --test | ARGUMENTS of `sam local`...   (by scripts/sam-local)
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

from samcli.yamlhelper import yaml_parse

from answers import REFUSALS, ROOT, check_schema, check_page, expect, sample, unwrap

# Event, function, and the status that it is answered; or what the function returns, where no gateway invokes it. The license
# of the capture in the stream does not exist, so `alerts` asks for it again. Its record is not whole: `export` says so, and goes on.
# The entry of the audit log is whole. `prints` skips a capture without a record.
BY_STATUS = [("admin-create-client", "admin", 201), ("admin-show-license", "admin", 404), ("find-proof", "find-proof", 401),
             ("evidence", "find-proof", 401), ("dossiers", "dossiers", 401)]
UNREAD = {"batchItemFailures": [{"itemIdentifier": "100000000000000000001"}]}
READ = {"batchItemFailures": []}
FROM_AWS = [("alerts-schedule", "alerts", None), ("alerts-stream", "alerts", UNREAD), ("alerts-stream", "export", READ),
            ("audit-stream", "export", READ), ("alerts-schedule", "revocation", None), ("log-stream", "sequencer", None), ("personal-stream", "prints", None), ("webhooks", "webhooks", None), ("alerts-schedule", "canary", {"result": "not_set_up"})]


class Sam:
    """`sam local`, for one build."""

    def __init__(self, built):
        environment = function_environment()
        template = built / "template-with-endpoints.json"
        template.write_text(json.dumps(naming(environment, built / "template.yaml")), encoding="utf-8")
        variables = built / "environment.json"
        variables.write_text(json.dumps({"Parameters": environment}), encoding="utf-8")
        bootstrap = built / "LoadSessionFunction" / "bootstrap"
        image = subprocess.check_output([ROOT / "scripts/lambda-image", bootstrap], text=True)
        self.options = ["--template-file", template, "--env-vars", variables, "--parameter-overrides",
                        f"Architecture={built.name}", "--skip-pull-image", "--invoke-image", image.strip()]

    def command(self, *arguments):
        return [Path(sys.executable).parent / "sam", "local", *arguments, *self.options]

    def invoke(self, event, function):
        """What a function returns for an event in events/."""
        name = "".join(part.capitalize() for part in function.split("-")) + "Function"
        command = self.command("invoke", name, "--event", ROOT / "events" / f"{event}.json")
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"FAILED {event}: sam local invoke\n{done.stderr}")
        return json.loads(done.stdout)


def function_environment():
    """A function's variables from the local service; SAM itself passes region and credentials on."""
    variables = {name: value for name, value in os.environ.items()
            if name.startswith(("AWS_ENDPOINT_URL", "PRESIGNER_")) or name.endswith(("_TABLE", "_BUCKET", "_TOPIC_ARN")) or name in ("WEBHOOKS_KEY_ARN", "LOG_KEY_ARN", "PRINTS_KEY_ARN", "LOG_ORIGIN")}
    return {**variables, "PRESIGNER_SECRET_ARN": "", "CANARY_SECRET_ARN": ""}


def naming(environment, template):
    """The template with variables that it does not name, which SAM would not pass on, and without the hosted flow: SAM serves
    all APIs at one address, with the stage variables of one of them. It does not know a function by its alias."""
    whole = json.dumps(yaml_parse(template.read_text(encoding="utf-8")))
    parsed = json.loads(re.sub(r"\$\{(\w+)Aliaslive\}", r"${\1.Arn}", whole))
    variables = parsed["Globals"]["Function"]["Environment"]["Variables"]
    parsed["Globals"]["Function"]["Environment"]["Variables"] = {**dict.fromkeys(environment, ""), **variables}
    resources = parsed["Resources"]
    del resources["CaptureApi"]
    for resource in resources.values():
        events = resource.get("Properties", {}).get("Events", {})
        for name in [name for name, event in events.items() if event["Properties"].get("ApiId") == {"Ref": "CaptureApi"}]:
            del events[name]
    return parsed


def check_events(sam):
    """Each event in events/ is answered as its function answers it."""
    known = {"capture-page", *(name for name, *_ in [*REFUSALS, *BY_STATUS, *FROM_AWS])}
    expect("the files of events/", sorted(known), sorted(path.stem for path in (ROOT / "events").glob("*.json")))
    for name, status, body in REFUSALS:
        found = unwrap(name, sam.invoke(name, name))
        expect(name, found, (status, body))
        check_schema(sample(name), *found)
        print(f"ok   sam local invoke: {name}: {status}", flush=True)
    check_page(sam.invoke("capture-page", "capture-page"))
    print("ok   sam local invoke: capture-page", flush=True)
    for name, function, status in BY_STATUS:
        expect(name, unwrap(name, sam.invoke(name, function))[0], status)
        print(f"ok   sam local invoke: {name}: {status}", flush=True)
    for name, function, returned in FROM_AWS:
        expect(f"{name}: {function}", sam.invoke(name, function), returned)
        print(f"ok   sam local invoke: {name}: {function}", flush=True)


class Api:
    """`sam local start-api`, which answers for all APIs but the hosted flow's."""

    def __init__(self, sam, built):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.address = listener.getsockname()
        self.log = built / "functions.log"
        self.log.unlink(missing_ok=True)
        self.output = (built / "start-api.log").open("w", encoding="utf-8")
        self.process = subprocess.Popen(
            sam.command("start-api", "--port", str(self.address[1]), "--warm-containers", "LAZY", "--log-file", self.log),
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output)

    def __enter__(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(self.address, timeout=1).close()
                return self
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise SystemExit(f"FAILED sam local start-api: see {self.output.name}")

    def __exit__(self, *_):
        # It removes its containers.
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.output.close()

    def walk_through(self):
        url = f"http://127.0.0.1:{self.address[1]}"
        environment = {**os.environ, "BASE_URL": url, "LICENSE_URL": url, "SERVICE_LOG": str(self.log)}
        done = subprocess.run([ROOT / "scripts/test-readme"], env=environment, cwd=ROOT, check=False)
        expect("the walk-through by sam local start-api", done.returncode, 0)


def by_hand(sam, arguments):
    variables = Path(os.environ["SERVICE_LOG"]).with_name("service.env")
    print(f"keys, and the addresses of the service around it: {variables}", file=sys.stderr, flush=True)
    os.chdir(ROOT)
    # In this process's place, so that an interrupt reaches SAM alone, which then removes its containers.
    command = sam.command(*arguments)
    os.execv(command[0], command)


def main(built, *arguments):
    sam = Sam(built)
    if arguments != ("--test",):
        by_hand(sam, arguments)
    check_events(sam)
    with Api(sam, built) as api:
        api.walk_through()
    print("sam local: every event is answered, and a capture is delivered and verified")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
