"""Measures cold starts of the functions' release binaries, pairwise with a function that only says hello.

Three ways, each start followed by one of the hello's: under the emulator of Lambda's runtime interface, whose own work is
in both times, as Lambda's is; straight from exec, where nothing else is in them; and straight from exec with a TLS front
before DynamoDB, for the CPU. Stand-ins answer the functions' calls, and their time counts: the hello makes no call. A fourth
time each start is traced by X-Ray, and followed by one of the same function that is not.

The events are the samples in events/. Their keys were never issued, so each is refused after one read of DynamoDB: what is
measured is the start, with one call to connect and warm up in it and another to answer. The workers do what their samples say.

usage: cold_start.py EMULATOR RELEASE HELLO [--runs N] [--only FUNCTION]   (by lab/scripts/bench-cold-start)
"""

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
# Function, sample event, the status that it is answered with; workers answer without one.
STARTS = [(name, name, status) for name, status, _ in REFUSALS] + [
    ("capture-page", "capture-page", 200), ("admin", "admin-show-license", 404), ("alerts", "alerts-schedule", None),
    ("canary", "alerts-schedule", None), ("export", "audit-stream", None), ("sequencer", "log-stream", None), ("webhooks", "webhooks", None)]
RATIO = dict.fromkeys(
    ["create-session", "load-session", "session-results", "session-status", "image", "validate"], 1.5) | {"ingest": 2.8}
MORE_CPU_MS = 8


@dataclass
class Bench:
    """What all measurements share."""

    emulator: str
    release: Path
    hello: Path
    runs: int
    log: object

    def binary(self, name):
        return self.hello if name == HELLO else self.release / name

    def environment(self, name, changes):
        """What a function finds in its environment."""
        kept = {name: value for name, value in os.environ.items() if name != "AWS_CA_BUNDLE"}
        return {**kept, **LAMBDA, "AWS_LAMBDA_FUNCTION_NAME": name, **changes}

    def under_emulator(self, name, sent, status, _):
        """Milliseconds from the first invocation, which starts the binary, to its answer."""
        with Function(self.emulator, self.binary(name), self.environment(name, {}), self.log) as function:
            began = time.perf_counter_ns()
            answer = function.invoke(sent)
            took = (time.perf_counter_ns() - began) / 1e6
        check(name, answer, status)
        return took

    def from_exec(self, name, sent, status, changes) -> Start:
        """One start straight from exec."""
        sampled = "AWS_XRAY_DAEMON_ADDRESS" in changes
        started = start(self.binary(name), self.environment(name, changes), sent, self.log, sampled)
        check(name, started.answer, status)
        return started

    def pairs(self, measure, name, sent, status, changes=None):
        """The measurements of a function, and those of the hello in between."""
        greeted = sample("image") if status is None else sent
        return self.alternating(
            lambda: measure(name, sent, status, changes or {}), lambda: measure(HELLO, greeted, 200, {}))

    def alternating(self, measure, measure_other):
        """Both measurements, in turn."""
        both = [], []
        # The first pair fills the machine's caches, and does not count.
        for run in range(self.runs + 1):
            pair = measure(), measure_other()
            if run:
                for measured, one in zip(both, pair, strict=True):
                    measured.append(one)
        return both


def check(name, answer, status):
    """A start that is answered otherwise than expected measures something else."""
    answer = answer or {}
    if answer.get("statusCode") != status or "errorMessage" in answer:
        raise SystemExit(f"FAILED {name}: wanted {status}, found {json.dumps(answer)}")


def table(title, heads, rows):
    """Prints a table in Markdown."""
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    print(f"\n{title}\n")
    for first, *others in [heads, rule, *rows]:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        print(f"| {' | '.join(cells)} |")


class Verdicts:
    """Says ok or over, and remembers what was over."""

    def __init__(self):
        self.over = []

    def of(self, what, value, limit):
        if value <= limit:
            return "ok"
        self.over.append(what)
        return "over"


def median(measured, field=None):
    """Of the values, or of one field of theirs."""
    return statistics.median(getattr(one, field) if field else one for one in measured)


def time_row(bench, name, sent, status, verdicts):
    """The row of the times, and the starts straight from exec: the function's and the hello's."""
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
    """The row of memory and CPU, by starts that were measured already and others through the TLS front."""
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
    """The row of what a trace takes: starts with one, and starts without."""
    traced, plain = bench.alternating(lambda: bench.from_exec(name, sent, status, {"AWS_XRAY_DAEMON_ADDRESS": sink}),
                                      lambda: bench.from_exec(name, sent, status, {}))
    ratios = (median(traced, field) / median(plain, field) for field in ("answered", "cpu"))
    return [name, *(f"{ratio:.3f}" for ratio in ratios), f"{median(traced, 'cpu') - median(plain, 'cpu'):.2f}"]


def main(emulator, release, hello, runs, only):
    """Measures, prints the tables, and says what is over its limit."""
    verdicts, times, costs, traces = Verdicts(), [], [], []
    with (release / "cold-start.log").open("w", encoding="utf-8") as log, \
            tls_front(os.environ["AWS_ENDPOINT_URL_DYNAMODB"]) as front, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        # Nobody reads it: what does not fit is lost, as at a daemon.
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
