"""Replays the vectors through the Python bindings against the service of `service.py`: replay.py BINDINGS VECTORS."""

import json
import os
import pathlib
import secrets
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, sys.argv[1])
import license_client as lc  # noqa: E402

APP = "com.example.sinistros"


class Watch(lc.Clock):
    def __init__(self):
        self.wall_ms = int(time.time() * 1000)
        self.monotonic_ms = 77_000

    def now(self):
        return lc.Moment(wall_ms=self.wall_ms, monotonic_ms=self.monotonic_ms)

    def wait(self, ms):
        self.wall_ms += ms
        self.monotonic_ms += ms


class Store(lc.RecordStore):
    def __init__(self, path):
        self.file = lc.FileStore(str(path))
        self.is_broken = False

    def read(self):
        return self.file.read()

    def write(self, record):
        if self.is_broken:
            raise lc.StoreError.Failed("broken")
        self.file.write(record)

    def erase(self):
        self.file.erase()

    def tamper(self):
        record = self.file.read()
        if record:
            place = secrets.randbelow(len(record))
            self.file.write(record[:place] + bytes([record[place] ^ 1]) + record[place + 1:])


class Network(lc.Transport):
    """HTTP by the library, over a network that may be slow by the device's clock."""

    def __init__(self, clock):
        self.clock = clock
        self.http = lc.HttpTransport()
        self.is_late = False
        self.asked = 0

    def post(self, url, body, timeout_ms):
        self.asked += 1
        if self.is_late:
            self.clock.wait(timeout_ms)
        return self.http.post(url, body, timeout_ms)


class Device:
    def __init__(self, platform, folder):
        self.platform = {"android": lc.Platform.ANDROID, "ios": lc.Platform.IOS}[platform]
        self.record_key = secrets.token_bytes(32)
        self.clock = Watch()
        self.store = Store(pathlib.Path(folder) / "record")
        self.network = Network(self.clock)
        self.call(f"{os.environ['REPLAY_SERVICE']}/scenes", {})
        self.start()

    def call(self, url, body):
        request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            self.scene = json.load(answer)

    def start(self):
        self.client = lc.LicenseClient(self.platform, self.record_key, self.store, self.network, self.clock)

    def play(self, step):
        integrity = lc.DeviceIntegrity[step.get("integrity", "intact").upper()]
        match step["do"]:
            case "configure":
                key = self.scene["keys"][step.get("license", "first")]
                arguments = self.scene["license_url"], key, step.get("app", APP)
                self.expect(step, lambda: lc.Permit(policy=self.client.configure(*arguments), risk=None))
            case "begin":
                self.expect(step, lambda: self.client.begin_capture(integrity))
            case "finish":
                self.expect(step, lambda: self.client.finish_capture(integrity))
            case "reset":
                self.client.reset()
            case "network_available":
                self.client.network_available()
            case "restart":
                self.clock.monotonic_ms = 1_000
                self.start()
            case "tamper":
                self.store.tamper()
            case "wait":
                self.clock.wait(step["seconds"] * 1000)
            case "set_clock":
                self.clock.wall_ms += step["seconds"] * 1000
            case "network":
                self.network.is_late = step["state"] == "late"
                self.call(f"{self.scene['license_url']}/network", {"state": step["state"]})
            case "license":
                self.call(f"{self.scene['license_url']}/license", {"change": step["change"]})
            case "store":
                self.store.is_broken = step["state"] == "broken"
            case other:
                raise ValueError(f"no step {other}")

    def expect(self, step, ask):
        asked = self.network.asked
        found = {}
        try:
            permit = ask()
            found["expect"] = "permit"
            if permit.risk:
                found["risk"] = permit.risk.name
            if "capture_resolution" in step:
                found["capture_resolution"] = permit.policy.capture_resolution.name
        except lc.LicenseError as error:
            found["expect"] = error.code()
            if isinstance(error, lc.LicenseError.Invalid):
                found["reason"] = error.reason.name
        found["asked"] = self.network.asked > asked
        names = ("expect", "capture_resolution", "risk", "reason", "asked")
        expected = {name: step[name] for name in names if name in step}
        assert found == expected, f"found {found}"


played = 0
for file in sorted(pathlib.Path(sys.argv[2]).glob("*.json")):
    for vector in json.loads(file.read_text())["vectors"]:
        with tempfile.TemporaryDirectory() as folder:
            device = Device(vector["platform"], folder)
            for number, step in enumerate(vector["steps"]):
                try:
                    device.play(step)
                except Exception as error:
                    sys.exit(f"{file.name}: {vector['name']}: step {number}, {json.dumps(step)}: {error!r}")
        played += 1
assert played > 100, played
print(f"Python: {played} vectors")
