"""Measures cold starts of the functions' release binaries, alternating with a minimal function, "hello".

Each start is followed by one of "hello". There are three variants: under the Lambda runtime interface emulator,
whose own work is included in both times, like Lambda's; directly from exec, which excludes it; and directly from
exec with a TLS server in front of DynamoDB, to measure CPU time. The stand-ins' response times are included; "hello"
makes no calls. In a fourth variant, each start is traced by X-Ray and followed by an untraced start of the same
function.

The events are the samples in events/. Their keys were never issued, so each request is refused after one read of
DynamoDB. The start is therefore measured with one call that connects and one that is needed for the response.
Functions without requests process their sample event.

usage: cold_start.py EMULATOR RELEASE HELLO [--runs N] [--only FUNCTION]   (by lab/scripts/bench-cold-start)"""

import argparse
import json
import os
import socket
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from answers import REFUSALS, sample
from emulator import Function
from runtime_api import LAMBDA, Start, start
from tls_front import tls_front

HELLO = "hello"
# Function, sample event, and expected status. Functions that no gateway invokes have no status.
STARTS = [(name, name, status) for name, status, _ in REFUSALS] + [
    ("capture-page", "capture-page", 200), ("admin", "admin-show-license", 404), ("alerts", "alerts-schedule", None),
    ("canary", "alerts-schedule", None), ("export", "audit-stream", None), ("sequencer", "log-stream", None), ("webhooks", "webhooks", None)]
RATIO = dict.fromkeys(
    ["create-session", "load-session", "session-results", "session-status", "image", "validate"], 1.5) | {"ingest": 2.8}
MORE_CPU_MS = 8


@dataclass
class Bench:
    """Settings that all measurements share."""

    emulator: str
    release: Path
    hello: Path
    runs: int
    log: object

    def binary(self, name):
        return self.hello if name == HELLO else self.release / name

    def environment(self, name, changes):
        """The environment of a function."""
        kept = {name: value for name, value in os.environ.items() if name != "AWS_CA_BUNDLE"}
        return {**kept, **LAMBDA, "AWS_LAMBDA_FUNCTION_NAME": name, **changes}

    def under_emulator(self, name, sent, status, _):
        """Milliseconds from the first invocation, which starts the binary, to its response."""
        with Function(self.emulator, self.binary(name), self.environment(name, {}), self.log) as function:
            began = time.perf_counter_ns()
            answer = function.invoke(sent)
            took = (time.perf_counter_ns() - began) / 1e6
        check(name, answer, status)
        return took

    def from_exec(self, name, sent, status, changes) -> Start:
        """One start directly from exec."""
        sampled = "AWS_XRAY_DAEMON_ADDRESS" in changes
        started = start(self.binary(name), self.environment(name, changes), sent, self.log, sampled)
        check(name, started.answer, status)
        return started

    def pairs(self, measure, name, sent, status, changes=None):
        """Measurements of a function, alternating with "hello"."""
        greeted = sample("image") if status is None else sent
        return self.alternating(
            lambda: measure(name, sent, status, changes or {}), lambda: measure(HELLO, greeted, 200, {}))

    def alternating(self, measure, measure_other):
        """Alternates two measurements."""
        both = [], []
        # The first pair fills the machine's caches and is discarded.
        for run in range(self.runs + 1):
            pair = measure(), measure_other()
            if run:
                for measured, one in zip(both, pair, strict=True):
                    measured.append(one)
        return both


def check(name, answer, status):
    """Fails if the response is not the expected one, because then something else was measured."""
    answer = answer or {}
    if answer.get("statusCode") != status or "errorMessage" in answer:
        raise SystemExit(f"FAILED {name}: wanted {status}, found {json.dumps(answer)}")


def table(title, heads, rows):
    """Prints a Markdown table."""
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    print(f"\n{title}\n")
    for first, *others in [heads, rule, *rows]:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        print(f"| {' | '.join(cells)} |")


class Verdicts:
    """Reports `ok` or `over` for each limit, and remembers what exceeded its limit."""

    def __init__(self):
        self.over = []

    def of(self, what, value, limit):
        if value <= limit:
            return "ok"
        self.over.append(what)
        return "over"


def median(measured, field=None):
    """The median of the values, or of one of their fields."""
    return statistics.median(getattr(one, field) if field else one for one in measured)


def time_row(bench, name, sent, status, verdicts):
    """The row of times, with the starts directly from exec of the function and of "hello"."""
    emulated, emulated_hello = bench.pairs(bench.under_emulator, name, sent, status)
    straight, hello = bench.pairs(bench.from_exec, name, sent, status)
    ratio = median(emulated) / median(emulated_hello)
    limit = RATIO.get(name)
    judged = [f"{ratio:.2f}", *([f"{limit}", verdicts.of(f"{name}'s time", ratio, limit)] if limit else ["", ""])]
    answered, hello_answered = median(straight, "answered"), median(hello, "answered")
    figures = [
        median(straight, "asked"), answered, min(one.answered for one in straight), hello_answered, answered / hello_answered,
    ]
    row = [name, str(status or ""), f"{median(emulated):.2f}", f"{median(emulated_hello):.2f}", *judged,
           *(f"{figure:.2f}" for figure in figures)]
    return row, straight, hello


def cost_row(bench, name, sent, status, plain, hello, front, verdicts):
    """The row of memory and CPU, from the given starts and from further ones with TLS."""
    address, root = front
    changes = {"AWS_ENDPOINT_URL_DYNAMODB": address, "AWS_CA_BUNDLE": root}
    tls, tls_hello = bench.pairs(bench.from_exec, name, sent, status, changes)
    more = median(tls, "cpu") - median(tls_hello, "cpu")
    figures = [
        median(plain, "memory"), median(hello, "memory"), median(plain, "cpu"), median(hello, "cpu"), median(tls, "cpu"), more,
    ]
    verdict = verdicts.of(f"{name}'s CPU", more, MORE_CPU_MS)
    return [name, *(f"{figure:.1f}" for figure in figures), str(MORE_CPU_MS), verdict]


def traced_row(bench, name, sent, status, sink):
    """The row of the cost of tracing: traced and untraced starts."""
    traced, plain = bench.alternating(lambda: bench.from_exec(name, sent, status, {"AWS_XRAY_DAEMON_ADDRESS": sink}),
                                      lambda: bench.from_exec(name, sent, status, {}))
    ratios = (median(traced, field) / median(plain, field) for field in ("answered", "cpu"))
    return [name, *(f"{ratio:.3f}" for ratio in ratios), f"{median(traced, 'cpu') - median(plain, 'cpu'):.2f}"]


def main(emulator, release, hello, runs, only):
    """Runs all measurements, prints the tables, and reports what exceeds its limit."""
    verdicts, times, costs, traces = Verdicts(), [], [], []
    with (release / "cold-start.log").open("w", encoding="utf-8") as log, \
            tls_front(os.environ["AWS_ENDPOINT_URL_DYNAMODB"]) as front, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        # Nothing reads this socket; like at the X-Ray daemon, excess datagrams are lost.
        sink.bind(("127.0.0.1", 0))
        bench = Bench(emulator, release, hello, runs, log)
        for name, event, status in STARTS:
            if only not in (None, name):
                continue
            sent = sample(event)
            row, plain, greeted = time_row(bench, name, sent, status, verdicts)
            times.append(row)
            costs.append(cost_row(bench, name, sent, status, plain, greeted, front, verdicts))
            traces.append(traced_row(bench, name, sent, status, f"127.0.0.1:{sink.getsockname()[1]}"))
    table(f"Time to the first answer in ms, medians of {runs} starts: under the emulator, and straight from exec",
          ["function", "status", "emulator", "hello's", "ratio", "limit", "verdict",
           "init", "exec", "least", "hello's", "ratio"], times)
    table("Peak of memory in MB, CPU in ms until the first answer: DynamoDB by HTTP, and by HTTPS",
          ["function", "memory", "hello's", "CPU", "hello's", "HTTPS", "over hello's", "limit", "verdict"], costs)
    table("A trace by X-Ray, against none: time to the first answer, CPU, and CPU in ms", ["function", "time", "CPU", "more"], traces)
    print(f"\ncold start: {'over its limit: ' + ', '.join(verdicts.over) if verdicts.over else 'all limits are kept'}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("emulator")
    arguments.add_argument("release", type=Path)
    arguments.add_argument("hello", type=Path)
    arguments.add_argument("--runs", type=int, default=40)
    arguments.add_argument("--only", metavar="FUNCTION")
    options = arguments.parse_args()
    main(options.emulator, options.release.resolve(), options.hello.resolve(), options.runs, options.only)
