"""Simulates the transparency log: leaves a second, time from commit to inclusion, requests and cost for a million captures.

The model is log_model.py.

usage: simulate_log.py [--rate RATE] [--seconds N] [--settings NAME=VALUE,…]    one load (by lab/scripts/simulate-log)
       simulate_log.py --write PAGE           the loads of the documentation, and what is assumed
       simulate_log.py --check PAGE           whether the page is of this model; its small loads are simulated again
"""

import argparse
import hashlib
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path

import capacity
import day_limits
import day_model
import log_model as model

MARK = "<!-- lab/scripts/simulate-log -->"
SOURCES = [capacity.CALLS, *(Path(module.__file__) for module in (day_limits, model))]
MINUTES = (0, 1, 2, 3, 5, 8, 11, 14, 17, 20, 23, 26)
# The log keeps up if at most this many captures wait, in seconds of their rate.
KEPT_UP = capacity.LOG_WINDOW + 15


@dataclass(frozen=True)
class Scenario:
    """A load in the documentation."""

    name: str
    load: model.Load
    settings: model.Settings = model.Settings()
    # Whether its requests are shown, and its backlog over time.
    is_priced: bool = False
    has_course: bool = False


SLOW = model.Settings(slower=2.0)
SCENARIOS = [
    Scenario("1 a second", model.steady(1.0, 1800), is_priced=True),
    Scenario("25", model.steady(25.0, 900), is_priced=True),
    Scenario("100", model.steady(100.0, 600), is_priced=True),
    Scenario("1,000", model.steady(1000.0, 600), is_priced=True),
    Scenario("25, from 2:00 on 1,000", model.Load(((0.0, 25.0), (120.0, 1000.0)), 600), has_course=True),
    Scenario("100; `sequencer` fails from 1:00 to 11:00", model.Load(((0.0, 100.0),), 1570, (60.0, 660.0)), has_course=True),
    Scenario("1,000; the same", model.Load(((0.0, 1000.0),), 1570, (60.0, 660.0)), has_course=True),
    Scenario("1,000; calls take twice as long", model.steady(1000.0, 600), SLOW),
    Scenario("1,000; the same, `export` copies one record at a time", model.steady(1000.0, 600), replace(SLOW, export_at_once=1)),
    Scenario("1,000; a shard of `export` has one batch at a time", model.steady(1000.0, 600), model.Settings(lanes=1)),
    Scenario("1,000; batches of 1,000 leaves", model.steady(1000.0, 600), model.Settings(batch=1000)),
    Scenario("1,000; the same, and one that is throttled comes again after 0.25 s", model.steady(1000.0, 600),
             model.Settings(batch=1000, first_wait=0.25, longest_wait=0.25)),
    Scenario("2,000", model.steady(2000.0, 300)),
]
# Loads that `--check` simulates again.
QUICK = SCENARIOS[:3]


def assumptions():
    """The assumptions: name, value, source."""
    calls = ", ".join(f"{name} {seconds:g}" for name, seconds in model.CALLS.items())
    template = model.Settings()
    return [
        ("Seconds of a call", calls, "assumed: none was measured on AWS"),
        ("Spread of these", f"even, ± {100 * model.SPREAD:g} %", "assumed"),
        ("Upload to S3", f"{model.UPLOAD / 1e6:g} MB a second", "assumed"),
        ("Processor", f"{1e3 * model.LEAF_SECONDS:g} ms for a leaf, {1e3 * model.CALL_SECONDS:g} ms for a call",
         "assumed; hashes and paths by `lab/log`"),
        ("Tree at the beginning", f"{model.TREE:,} leaves", "assumed"),
        ("Evidence's stream", f"a shard has {template.lanes} batches of {capacity.BATCH} at a time, {template.export_at_once} records of each",
         "`template.yaml`, `functions/export`"),
        ("Log's stream", f"a shard has one batch of {template.batch:,} leaves or {template.window} s; one instance", "`template.yaml`"),
        ("At a time", f"{template.batches_at_once} batches of {model.READS} reads or {model.WRITES} writes, {model.CONCURRENT_OBJECTS} objects",
         "`shared/storage/src/log`"),
        ("Polls of a shard", f"{model.POLLS} a second, up to {model.POLL_LEAVES} leaves each", "as for the day; 1,000 records, two for each leaf"),
        ("A batch that is throttled or fails", f"comes again after {template.first_wait:g} s, doubled up to {template.longest_wait:g} s",
         "assumed: AWS states none"),
        ("Shards", "of tables warmed for twice the rate; evidence "
         f"{shard_count('evidence', 100)} at 100, {shard_count('evidence', 1000)} at 1,000; log {shard_count('log', 1000)}", "`scripts/capacity`"),
        ("Throughput of the log's table", f"{capacity.PARTITION_WRITES:,} writes a second of each, and {day_limits.PARTITION_BURST} s of burst capacity",
         "as for the day"),
    ]


def calls():
    """The recorded calls of a capture."""
    return json.loads(capacity.CALLS.read_text(encoding="utf-8"))


def shard_count(table, rate):
    """Number of shards of a table's stream."""
    return model.shards(calls(), table, float(rate))


def assumption_table():
    """The assumptions as a Markdown table."""
    return capacity.rows(["Assumption", "Value", "Source"], [list(row) for row in assumptions()], right=3)


# --- The report ---


def kept_up(scenario, outcome):
    """When the backlog of a fault is gone; otherwise the captures that wait at the end, in seconds of their rate."""
    load = scenario.load
    end, waiting = outcome.backlog[-1]
    if waiting > KEPT_UP * load.rate(end):
        return f"{waiting / load.rate(end):.0f} s at the end"
    if load.outage[1]:
        seconds = outcome.caught_up(load.outage[1], KEPT_UP / 2 * load.rate(end))
        return f"gone after {seconds / 60:.1f} min"
    return "steady"


def summary(scenario, outcome):
    """A load as one table row."""
    load = scenario.load
    rate = outcome.rate(0.75 * load.seconds, load.seconds)
    times = (f"{outcome.quantile(share):.1f} s" for share in (0.5, 0.99, 1.0))
    exported = max(seconds for _, seconds in outcome.exported)
    return [scenario.name, capacity.number(rate), *times, f"{exported:.1f} s", f"{outcome.most():,}", kept_up(scenario, outcome),
            f"{100 * outcome.busy / load.seconds:.0f} %"]


SUMMARY = ["Captures a second", "leaves a second", "commit to inclusion, median", "99 %", "longest", "to export, longest", "waiting at most",
           "backlog", "instance busy"]
COURSE = ["Captures that wait, at minute", *map(str, MINUTES)]
PRICED = ["A million captures at", "batches", "DynamoDB writes", "reads", "PUT", "GET", "KMS", "Lambda, s", "cost"]


def course(scenario, outcome):
    """The backlog over time."""
    last = outcome.backlog[-1][0]
    return [scenario.name, *(f"{outcome.waiting(60 * minute):,}" if 60 * minute <= last else "" for minute in MINUTES)]


def priced(scenario, outcome):
    """Requests and cost of a million captures."""
    requests, scale = outcome.requests, 1e6 / outcome.leaves()
    names = ("invocations", "writes", "reads", "PutObject", "GetObject", "Sign", "seconds")
    return [scenario.name, *(f"{requests[name] * scale:,.0f}" for name in names), f"{outcome.cost():.2f}"]


def rendered(scenario):
    """The rows of a load: one per table, or None."""
    outcome = model.Model(calls(), scenario.load, scenario.settings).run()
    return (summary(scenario, outcome), course(scenario, outcome) if scenario.has_course else None,
            priced(scenario, outcome) if scenario.is_priced else None)


def tables(found):
    """The tables of several loads."""
    shown = ((heads, [row for row in body if row]) for heads, body in zip((SUMMARY, COURSE, PRICED), zip(*found)))
    return "\n\n".join("\n".join(capacity.rows(heads, body)) for heads, body in shown if body)


# --- The page ---


def digest():
    """A digest of everything that the documentation's loads depend on."""
    shared = (day_model.BATCH_AGAIN, day_model.BATCH_WAIT, day_model.POLLS, day_model.SPREAD)
    found = hashlib.sha256("\n".join([repr(SCENARIOS), repr(shared), *assumption_table()]).encode())
    for source in SOURCES:
        found.update(source.read_bytes())
    return found.hexdigest()[:16]


def write(page):
    """Simulates the documentation's loads and writes their tables."""
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(rendered, SCENARIOS))
    before, _, after = page.read_text(encoding="utf-8").split(MARK)
    block = [MARK, f"<!-- of {digest()} -->", "", tables(found), "", *assumption_table(), "", MARK]
    page.write_text(before + "\n".join(block) + after, encoding="utf-8")


def check(page):
    """Whether the page was written with this model and these assumptions."""
    block = page.read_text(encoding="utf-8").split(MARK)[1]
    lines = set(block.splitlines())
    wanted = [f"<!-- of {digest()} -->", *assumption_table()]
    if lines.issuperset(wanted):
        rows = (row for scenario in QUICK for row in rendered(scenario) if row)
        if lines.issuperset("| " + " | ".join(row) + " |" for row in rows):
            return 0
    print(f"{page}: its loads are of another model or other assumptions: lab/scripts/simulate-log --write {page}")
    return 1


# --- Options ---


def settings_of(text):
    """NAME=VALUE,…"""
    types = {field.name: field.type for field in fields(model.Settings)}
    pairs = (pair.split("=") for pair in text.split(",") if pair)
    return model.Settings(**{name: types[name](value) for name, value in pairs})


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=1000.0, help="captures a second")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--settings", type=settings_of, default=model.Settings(), metavar="NAME=VALUE,…",
                        help=", ".join(field.name for field in fields(model.Settings)))
    parser.add_argument("--check", type=Path, metavar="PAGE")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    given = parser.parse_args()
    if given.check:
        return check(given.check)
    if given.write:
        write(given.write)
        return 0
    load = model.steady(given.rate, given.seconds)
    print(tables([rendered(Scenario("this", load, given.settings, is_priced=True))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
