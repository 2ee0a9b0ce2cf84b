"""A minimal Lambda Runtime API for one start: a process requests an event and responds to it.

There is no proxy in between, so times are accurate to tens of microseconds."""

import json
import os
import select
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 20
READ_LOG = "cold-start.log beside its binary may say why"
# The environment that Lambda sets for every function, as far as a runtime reads it.
LAMBDA = {
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512", "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST", "AWS_LAMBDA_LOG_GROUP_NAME": "cold",
    "AWS_LAMBDA_LOG_STREAM_NAME": "cold", "STACK_NAME": "cold",
}
TRACE = "Root=1-65a1b2c3-0123456789abcdef01234567;Parent=0123456789abcdef"
INVOCATION = {
    "lambda-runtime-aws-request-id": "8476a536-e9f4-11e8-9739-2dfe598c3fcd",
    "lambda-runtime-invoked-function-arn": "arn:aws:lambda:sa-east-1:123456789012:function:cold",
}


@dataclass
class Start:
    """Measurements of one start: milliseconds since exec, milliseconds of CPU, and peak memory in megabytes."""

    asked: float
    answered: float
    cpu: float
    memory: float
    answer: dict


class Connection:
    """One of the process's connections."""

    def __init__(self, accepted):
        self.accepted, self.read = accepted, b""

    def request(self):
        """Reads more data; returns the method, path and body of a request once it is complete."""
        part = self.accepted.recv(65536)
        if not part:
            raise SystemExit(f"the function hung up: {READ_LOG}")
        self.read += part
        head, blank, body = self.read.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        length = next((int(line.split(":")[1]) for line in lines if line.startswith("content-length:")), 0)
        if "transfer-encoding: chunked" in lines:
            raise SystemExit("the runtime answers in chunks, which is not understood here")
        if not blank or len(body) < length:
            return None
        self.read = body[length:]
        method, path, _ = lines[0].split(" ")
        return method, path, body[:length]

    def reply(self, status, headers, body=b""):
        """Writes a response."""
        fields = "".join(f"{name}: {value}\r\n" for name, value in {**headers, "content-length": len(body)}.items())
        self.accepted.sendall(f"HTTP/1.1 {status}\r\n{fields}\r\n".encode() + body)


def requests(listener):
    """The requests of one process on all its connections, in order of arrival."""
    connections = {}
    try:
        while True:
            ready, _, _ = select.select([listener, *connections], [], [], TIMEOUT)
            if not ready:
                raise SystemExit(f"no request from the function within {TIMEOUT} seconds: {READ_LOG}")
            for one in ready:
                if one is listener:
                    accepted, _ = listener.accept()
                    connections[accepted] = Connection(accepted)
                elif request := connections[one].request():
                    yield connections[one], *request
    finally:
        for accepted in connections:
            accepted.close()


def cpu(pid):
    """CPU time of a process's threads so far, in milliseconds."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def peak_memory(pid):
    """Peak memory of a process, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) * 1024 / 1e6


def converse(listener, pid, started, event, sampled):
    """Sends the event, and measures until the response has arrived."""
    asked = None
    for connection, method, path, body in requests(listener):
        now = (time.perf_counter_ns() - started) / 1e6
        if path.endswith("/error"):
            raise SystemExit(f"the function failed: {body.decode()}")
        if method == "get":
            asked = now
            own = {"lambda-runtime-deadline-ms": int(time.time() * 1000) + 30_000, "content-type": "application/json",
                   "lambda-runtime-trace-id": f"{TRACE};Sampled={int(sampled)}"}
            connection.reply("200 OK", {**INVOCATION, **own}, json.dumps(event).encode())
        else:
            measured = Start(asked, now, cpu(pid), peak_memory(pid), json.loads(body))
            connection.reply("202 Accepted", {})
            return measured


def start(binary, environment, event, log, sampled=False):
    """Starts a function's binary, sends it one event, optionally with a sampled trace, and stops it after its response."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        variables = {**environment, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{listener.getsockname()[1]}"}
        output = [(os.POSIX_SPAWN_DUP2, log.fileno(), 1), (os.POSIX_SPAWN_DUP2, log.fileno(), 2)]
        started = time.perf_counter_ns()
        pid = os.posix_spawn(binary, [binary], variables, file_actions=output)
        try:
            return converse(listener, pid, started, event, sampled)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
