"""The network between a replayed vector and the local service: a proxy of `/validate` that fails as a vector says, and an
operator who changes licenses by `lacre-admin`.

Usage: service.py LACRE_ADMIN COMMAND... It runs the command with its address in REPLAY_SERVICE, and ends with it. Each vector
begins with `POST /scenes`; `POST /scenes/ID/network` and `/scenes/ID/license` take its steps. Each of them answers
`{"license_url", "keys"}`.
"""

import http.client
import json
import os
import subprocess
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POLICY = ["--storage", "ALWAYS", "--expires-at", "2035-12-31", "--resolution", "FHD", "--tsa-required", "false", "--max-captures-per-session", "unlimited"]
CONFIGURATIONS = {
    "expire": ["--expires-at", "2020-01-01T00:00:00Z"],
    "exhaust": ["--volume-limit", "0"],
    "resolution": ["--resolution", "HD"],
    "tsa_required": ["--tsa-required", "true"],
    "max_captures": ["--max-captures-per-session", "3"],
    "volume": ["--volume-limit", "200"],
}


class Operator:
    def __init__(self, lacre_admin):
        self.lacre_admin = lacre_admin
        self.first = None
        others = self.administer("client", "create", "Replay")["id"]
        self.keys = {name: self.issue(others, environment)["license_key"]
                     for name, environment in [("second", "staging"), ("sandbox", "sandbox"), ("live", "live")]}
        self.keys["malformed"] = "svc_stag_x"
        # Of the right form, and issued by nobody.
        self.keys["unknown"] = "svc_stag_" + "".join(reversed(self.keys["second"].removeprefix("svc_stag_")))

    def administer(self, *arguments):
        command = [self.lacre_admin, *arguments, "--json"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout or "{}")

    def issue(self, client, environment):
        volume = [] if environment == "sandbox" else ["--volume-limit", "100"]
        return self.administer("license", "issue", "--client", client, "--environment", environment, *POLICY, *volume)

    def unchanged(self):
        """The license `first` of a client of its own, which no vector has changed."""
        if self.first is None:
            client = self.administer("client", "create", "Replay")["id"]
            self.first = {"client": client, **self.issue(client, "staging")}
        return self.first

    def change(self, license, change):
        self.first = None
        match change:
            case "revoke":
                self.administer("license", "revoke", license["id"], "--yes")
            case "suspend" | "resume":
                self.administer("client", change, license["client"])
            case "rotate":
                return self.administer("license", "rotate", license["id"])["license_key"]
            case _:
                self.administer("license", "configure", license["id"], *CONFIGURATIONS[change])


class Scene:
    def __init__(self, operator):
        self.operator = operator
        self.license = operator.unchanged()
        self.keys = {"first": self.license["license_key"], **operator.keys}
        self.network = "up"

    def change(self, change):
        rotated = self.operator.change(self.license, change)
        if rotated:
            self.keys["rotated"] = rotated


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = self.rfile.read(int(self.headers.get("content-length", 0)))
        match self.path.strip("/").split("/"):
            case ["scenes"]:
                scenes = self.server.scenes
                scenes.append(Scene(self.server.operator))
                self.describe(len(scenes) - 1)
            case ["scenes", number, "network"]:
                self.server.scenes[int(number)].network = json.loads(request)["state"]
                self.describe(number)
            case ["scenes", number, "license"]:
                self.server.scenes[int(number)].change(json.loads(request)["change"])
                self.describe(number)
            case ["scenes", number, "validate"]:
                self.validate(self.server.scenes[int(number)].network, request)
            case _:
                self.answer(404, b"")

    def describe(self, number):
        scene = {"license_url": f"{self.server.address}/scenes/{number}", "keys": self.server.scenes[int(number)].keys}
        self.answer(200, json.dumps(scene).encode())

    def validate(self, network, request):
        if network == "down":
            self.close_connection = True
            return
        status, body = self.forward(request)
        match network:
            case "up" | "late":
                self.answer(status, body)
            case "cut":
                self.answer(status, body[:len(body) // 2], length=len(body))
                self.close_connection = True
            case "garbage":
                self.answer(200, b"<html>Log in to the network</html>")
            case "unknown_policy":
                self.answer(status, json.dumps({**json.loads(body), "environment": "MOON"}).encode())
            case "unknown_reason":
                self.answer(200, b'{"valid": false, "reason": "MOON"}')
            case "no_valid":
                self.answer(200, b"{}")
            case "html_error":
                self.answer(502, b"<html>Bad gateway</html>")
            case "redirect":
                self.answer(302, b"")
            case _:
                self.answer(int(network.removeprefix("http_")), body)

    def forward(self, request):
        """The local service's own answer, asked as an SDK does: without an origin."""
        url = urllib.parse.urlsplit(os.environ["LICENSE_URL"])
        connection = http.client.HTTPConnection(url.netloc, timeout=30)
        connection.request("POST", f"{url.path.rstrip('/')}/validate", request, {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def answer(self, status, body, length=None):
        self.send_response(status)
        if status == 302:
            self.send_header("location", os.environ["LICENSE_URL"])
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    lacre_admin, *command = sys.argv[1:]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.address = f"http://127.0.0.1:{server.server_port}"
    server.operator = Operator(lacre_admin)
    server.scenes = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.exit(subprocess.run(command, env={**os.environ, "REPLAY_SERVICE": server.address}).returncode)


main()
