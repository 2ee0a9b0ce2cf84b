"""Simulates a day of captures of thousands of clients: what is throttled, when, and what is lost.

What a capture asks of AWS is capacity.py's, tests/capacity/capture.json; the model is day_model.py, its limits day_limits.py.

usage: simulate_day.py [OPTIONS]              one day: its report (by lab/scripts/simulate-day)
       simulate_day.py --assumptions          what is assumed, with sources
       simulate_day.py --write PAGE           the days of the documentation, and what is assumed
       simulate_day.py --check PAGE           whether the page is of this model, and of these assumptions
"""

import argparse
import dataclasses
import hashlib
import json
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import capacity
import day_limits as limits
import day_model as model

MARK = "<!-- lab/scripts/simulate-day -->"
# A page leaves out limits that refuse fewer calls per capture than this and cause no lost capture.
NOTABLE = 0.001
# Maximum number of limits shown for a day.
ROWS = 6
SOURCES = [capacity.CALLS, *(Path(module.__file__) for module in (limits, model))]


@dataclass(frozen=True)
class Scenario:
    """A day in the documentation. With a reserve its parameters are `raised`; 0 means the defaults."""

    name: str
    day: model.Day
    reserve: float = 0
    changes: tuple = ()


CAMPAIGN = {"hours": (14, 16), "campaign": (100.0, 14 * 60 + 30), "sample": 2}
SCENARIOS = [
    Scenario("25 a second, defaults", model.Day(peak=25.0, sample=12)),
    Scenario("100, defaults", model.Day(sample=12)),
    Scenario("100, raised", model.Day(sample=24), 2),
    Scenario("100, raised, timestamps", model.Day(sample=24, timestamps=True), 2),
    Scenario("1,000, raised", model.Day(peak=1000.0, sample=120), 2),
    Scenario("1,000, raised without reserve", model.Day(peak=1000.0, sample=120), 1),
    Scenario("1,000 at once at 10:00, raised, new tables", model.Day(peak=1000.0, hours=(10, 11), sample=60), 2, (("warm", {}),)),
    Scenario("100, raised; one client's 100 from 14:30", model.Day(**CAMPAIGN), 2),
    Scenario("the same, with API keys for it", model.Day(**CAMPAIGN), 2, (("CreationsAnHour", 1e6),)),
]


def assumptions():
    """The assumptions: name, value, source."""
    day, default = model.Day(), model.Parameters()
    guide = {"api": "API Gateway Developer Guide", "lambda": "Lambda Developer Guide", "db": "DynamoDB Developer Guide"}
    curve = ", ".join(f"{100 * share:g}" for share in model.CURVE)
    durations = ", ".join(f"`{name}` {seconds:g}" for name, seconds in capacity.SECONDS.items())
    waits = f"{model.CALL_WAIT:g} s, doubled, at most {model.CALL_LONGEST:g} s, full jitter"
    return [
        ("What a capture asks", "recorded calls", "`tests/capacity/capture.json`, by a test of the service"),
        ("Clients, each with one license", f"{day.clients:,}", "assumed"),
        ("Skew: a client's share", f"1 / rank to the power of {day.zipf:g}", "assumed: Zipf's law"),
        ("Captures by hour, % of the peak, from 0:00", curve, "assumed: business hours in Brazil; linear between their middles"),
        ("Arrivals", "a Poisson process", "assumed: people act independently"),
        ("Part that is simulated", f"of each {model.STEP_MINUTES} minutes one in `--sample`, default {day.sample}, every call",
         "assumed: it stands for the rest; photo, upload and burst capacity are divided alike, creations of the rest count; "
         "cold starts and the change of hours are overstated"),
        ("API keys of a client", f"{model.KEY_RESERVE} times its peak hour's need, in turn", "assumed"),
        ("Creations of one API key", f"{default.CreationsAnHour:g} in each hour of the clock", "[the API](api.md#hourly-limit)"),
        ("Campaign", f"client {model.CAMPAIGN_RANK} by rank, {model.CAMPAIGN_MINUTES} minutes, at once", "assumed"),
        ("A person who fails tries again", f"{model.PERSON.attempts} attempts from the load on, {model.PERSON.least:g} to "
         f"{model.PERSON.most:g} s before the second, doubled", "assumed: the component does not retry (`web/src/attempt.js`)"),
        ("An integrator's backend tries again", f"{model.BACKEND.attempts} attempts, up to {model.BACKEND.most:g} s before the second, "
         "doubled; not when creations are used up", "assumed, by `Retry-After`"),
        ("Photo, upload", f"{model.PHOTO_SECONDS:g} s, {model.UPLOAD_SECONDS:g} s", "assumed"),
        ("Duration of an invocation, s", durations, "assumed: none was measured on AWS"),
        ("Both timestamps", f"{2 * capacity.TIMESTAMP_SECONDS:g} s", "assumed: authorities state none"),
        ("Spread of durations", f"even, ± {100 * model.SPREAD:g} %", "assumed"),
        ("`RequestsPerSecond`, `RequestBurst`, each gateway", f"{default.RequestsPerSecond:g}, {default.RequestBurst:g}: a token bucket",
         f"`template.yaml`; {guide['api']}, \"Throttling requests to your HTTP API\""),
        ("Requests, preflights included", f"web {sum(n for name, n in model.REQUESTS.values() if name == 'web')}, licenses "
         f"{model.REQUESTS['validate'][1]}", "the same: a token counts for a request, however long its response"),
        ("API Gateway, account", f"{default.Gateway:,} requests a second, {limits.GATEWAY_BURST:,} at once", f"{guide['api']}, \"Quotas\""),
        ("`IngestConcurrency`", f"{default.IngestConcurrency:g} reserved", "`template.yaml`"),
        ("Lambda, account", f"{default.Concurrency:,} concurrent executions", f"{guide['lambda']}, \"Lambda quotas\""),
        ("Requests for each unit of concurrency", f"{limits.REQUESTS_OF_CONCURRENCY} a second",
         f"{guide['lambda']}, \"Understanding Lambda function scaling\""),
        ("New environments of a function", f"{limits.SCALING_ENVIRONMENTS:,} in {limits.SCALING_SECONDS} s, refilled continuously",
         f"{guide['lambda']}, \"Lambda scaling behavior\""),
        ("Cold start, idle environment", f"adds {model.COLD_SECONDS:g} s; ends after {model.IDLE_SECONDS} s", "assumed: AWS states none"),
        ("Event source mappings", f"{model.POLLS} polls of a shard a second; batches of {capacity.BATCH}, one at a time, `alerts` after "
         f"{capacity.WINDOW} s; `sequencer` {capacity.LOG_BATCH:,} after {capacity.LOG_WINDOW} s", f"{guide['lambda']}, \"Using AWS Lambda with Amazon DynamoDB\"; `template.yaml`"),
        ("A batch that fails", f"comes again after {model.BATCH_AGAIN:g} s", "assumed"),
        ("Shards of the stream", "one for each partition of a new or warmed table", f"{guide['db']}, \"Change data capture for DynamoDB Streams\""),
        ("One partition", f"{capacity.PARTITION_READS:,} reads or {capacity.PARTITION_WRITES:,} writes a second, or a share of each",
         f"{guide['db']}, \"Best practices for designing and using partition keys\"; re:Post Knowledge Center, on-demand throttling"),
        ("Burst capacity of a partition", f"{default.PartitionBurst} s of what was unused",
         f"{guide['db']}, \"DynamoDB burst and adaptive capacity\""),
        ("Adaptive capacity, split of a hot partition", "none: keys lie by a hash in as few partitions as the throughput needs",
         "assumed: AWS promises no time"),
        ("A new table or index", f"{capacity.NEW_TABLE_READS:,} reads and {capacity.NEW_TABLE_WRITES:,} writes a second",
         f"{guide['db']}, \"DynamoDB on-demand capacity mode\""),
        ("Its growth", f"{limits.PEAK_FACTOR} times the peak of {limits.PEAK_MINUTES} minutes ago, by means of {model.STEP_MINUTES} minutes",
         "the same"),
        ("One table, quota", f"{default.TableUnits:,} reads, and as many writes a second", f"{guide['db']}, \"Quotas in Amazon DynamoDB\""),
        ("A transaction holds its items", f"{model.TRANSACTION_SECONDS:g} s; another one is refused as a conflict",
         f"{guide['db']}, \"Amazon DynamoDB Transactions\"; assumed: the time"),
        ("A call that is refused", "takes no units", "assumed"),
        ("KMS", f"{default.KmsRsa:,} RSA and {default.KmsEcc:,} ECC operations a second", "KMS Developer Guide, \"Request quotas\""),
        ("S3", f"{default.S3Writes:,} writes a second of a bucket, deletes included; reads are not limited",
         "S3 User Guide, \"Best practices design patterns\"; assumed: one prefix"),
        ("The SDK tries again", f"{model.CALL_ATTEMPTS} attempts, {waits}; its retry quota is not reached",
         "`shared/storage/src/connection.rs`; assumed: the quota"),
        ("Unprocessed keys of a batch", f"{model.BATCH_ROUNDS} rounds, {2 * model.BATCH_WAIT:g} s, doubled", "`shared/storage/src/item.rs`"),
        ("A transaction is tried again", f"within {model.COMMIT_SECONDS:g} s, `alerts` {model.TRANSACTION_ROUNDS} times; up to "
         f"{2 * model.TRANSACTION_WAIT:g} s, doubled", "`shared/storage/src/transaction.rs`, `budgets.rs`"),
        ("`raised`", "`--reserve` times, default 2, what `scripts/capacity` computes for the peak; tables warmed likewise", "`scripts/capacity`"),
    ]


def assumption_table():
    """The assumptions as a Markdown table."""
    body = [[what, value, source] for what, value, source in assumptions()]
    return capacity.rows(["Assumption", "Value", "Source"], body, right=3)


# --- The report ---


def spans(hours):
    """Hours as spans: 8 to 11 means from 8:00 until 11:00."""
    found = []
    for hour in sorted(hours):
        if found and found[-1][1] == hour:
            found[-1][1] = hour + 1
        else:
            found.append([hour, hour + 1])
    return ", ".join(f"{begin} to {end}" for begin, end in found)


def total(counts, sample):
    """The total of a day's count."""
    return f"{sum(counts.values()) * sample:,}"


def percent(counts, outcome):
    """A count as a share of all captures."""
    share = 100 * sum(counts.values()) / max(1, sum(outcome.captures.values()))
    return f"{share:.2g} %" if share < 99.5 else f"{share:.0f} %"


def quantile(added, share):
    """A quantile of the delay that limits added to completed captures, in seconds."""
    return f"{sorted(added)[int(share * len(added))]:.2f} s" if added else ""


def lost(outcome):
    """Captures that were given up, by hour."""
    return sum(outcome.lost.values(), type(outcome.captures)())


def summary(name, day, outcome):
    """A day as one table row."""
    share, table = outcome.fullest
    behind = max(outcome.behind.values(), default=0)
    return [name, total(outcome.captures, day.sample), percent(lost(outcome), outcome), percent(outcome.unread, outcome),
            quantile(outcome.added, 0.5), quantile(outcome.added, 0.99), f"{100 * share:.0f} %, {table}", f"{behind:.1f} s"]


SUMMARY = ["Day", "captures", "lost", "results unread", "added, median", "added, 99 %", "fullest partition", "stream behind"]


def throttled(name, day, outcome, notable):
    """Limits of a day that refuse at least `notable` calls per capture, in descending order."""
    for limit, hours in sorted(outcome.throttled.items(), key=lambda pair: -sum(pair[1].values())):
        if not outcome.lost[limit] and sum(hours.values()) < notable * sum(outcome.captures.values()):
            continue
        worst = max(hours, key=hours.get)
        yield [name, limit, spans(hours), str(worst), total(hours, day.sample), total(outcome.lost[limit], day.sample)]


THROTTLED = ["Day", "Limit", "Hours", "most at", "calls refused", "captures lost"]


def hourly(day, outcome):
    """Captures and refused calls by hour."""
    by = sorted(outcome.throttled)
    heads = ["Hour", "captures", "done", "lost", "unread", *by]
    counters = [outcome.captures, outcome.done, lost(outcome), outcome.unread, *(outcome.throttled[limit] for limit in by)]
    body = [[str(hour), *(f"{counter[hour] * day.sample:,}" for counter in counters)] for hour in range(*day.hours)]
    return capacity.rows(heads, body)


def days_tables(results, notable=0.0, most=None):
    """The tables of several days, given as (name, day, outcome)."""
    rows = [row for result in results for row in islice(throttled(*result, notable), most)]
    return [*capacity.rows(SUMMARY, [summary(*result) for result in results]), "", *capacity.rows(THROTTLED, rows, right=3)]


# --- The page ---


def digest():
    """A digest of everything that the documentation's days depend on."""
    found = hashlib.sha256("\n".join([repr(SCENARIOS), *assumption_table()]).encode())
    for source in SOURCES:
        found.update(source.read_bytes())
    return found.hexdigest()[:16]


def simulated(scenario):
    """Simulates a day of the documentation."""
    calls = json.loads(capacity.CALLS.read_text(encoding="utf-8"))
    parameters = model.raised(calls, scenario.day, scenario.reserve) if scenario.reserve else model.Parameters()
    outcome = model.Model(calls, scenario.day, dataclasses.replace(parameters, **dict(scenario.changes))).run()
    return scenario.name, scenario.day, outcome


def write(page):
    """Simulates the documentation's days and writes their tables."""
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(simulated, SCENARIOS))
    before, _, after = page.read_text(encoding="utf-8").split(MARK)
    block = [MARK, f"<!-- of {digest()} -->", "", *days_tables(results, NOTABLE, ROWS), "", *assumption_table(), "", MARK]
    page.write_text(before + "\n".join(block) + after, encoding="utf-8")


def check(page):
    """Whether the page was written with this model and these assumptions."""
    block = page.read_text(encoding="utf-8").split(MARK)[1]
    if f"<!-- of {digest()} -->" in block and "\n".join(assumption_table()) in block:
        return 0
    print(f"{page}: its days are of another model or other assumptions: lab/scripts/simulate-day --write {page}")
    return 1


# --- Options ---


def hours(text):
    """Parses 9-11 as from 9:00 until 11:00."""
    begin, end = map(int, text.split("-"))
    if not 0 <= begin < end <= 24:
        raise ValueError(text)
    return begin, end


def campaign(text):
    """Parses RATE@HH:MM."""
    rate, hour, minute = re.fullmatch(r"([\d.]+)@(\d+):(\d\d)", text).groups()
    return float(rate), int(hour) * 60 + int(minute)


def parameters_of(texts, calls, day, reserve):
    """Parses `default` or `raised`, then NAME=VALUE, and TABLE=READS/WRITES for a pre-warmed table."""
    found = model.Parameters()
    for text in (part for each in texts for part in each.split(",")):
        name, _, value = text.partition("=")
        if text in ("default", "raised"):
            found = model.Parameters() if text == "default" else model.raised(calls, day, reserve)
        elif "/" in value:
            reads, writes = map(float, value.split("/"))
            found = dataclasses.replace(found, warm={**found.warm, name: (reads, writes)})
        else:
            found = dataclasses.replace(found, **{name: float(value)})
    return found


def options():
    """The command line options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    load = parser.add_mutually_exclusive_group()
    load.add_argument("--peak", type=float, default=100.0, help="captures a second at the peak")
    load.add_argument("--captures", type=float, help="captures of the whole day")
    parser.add_argument("--clients", type=int, default=3000)
    parser.add_argument("--zipf", type=float, default=model.ZIPF, help="exponent of the skew")
    parser.add_argument("--burst", type=campaign, default=(), metavar="RATE@HH:MM", help="a campaign of one client")
    parser.add_argument("--timestamps", action="store_true")
    parser.add_argument("--parameters", action="append", default=[], metavar="raised|default|NAME=VALUE,…",
                        help=", ".join(field.name for field in dataclasses.fields(model.Parameters) if field.name != "warm")
                        + "; TABLE=READS/WRITES")
    parser.add_argument("--reserve", type=float, default=2.0, help="of raised parameters")
    parser.add_argument("--hours", type=hours, default=(0, 24), metavar="9-11")
    parser.add_argument("--sample", type=int, default=10, help="one in so many seconds is simulated; 1 is all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=Path, default=capacity.CALLS)
    parser.add_argument("--assumptions", action="store_true")
    parser.add_argument("--check", type=Path, metavar="PAGE")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    return parser.parse_args()


def main():
    """Runs the command."""
    given = options()
    if given.assumptions:
        print("\n".join(assumption_table()))
        return 0
    if given.check:
        return check(given.check)
    if given.write:
        write(given.write)
        return 0
    day = model.Day(peak=given.peak, clients=given.clients, zipf=given.zipf, timestamps=given.timestamps, hours=given.hours,
                    campaign=given.burst, sample=given.sample, seed=given.seed)
    if given.captures:
        day = dataclasses.replace(day, peak=given.captures / day.captures_of_peak())
    calls = json.loads(given.calls.read_text(encoding="utf-8"))
    outcome = model.Model(calls, day, parameters_of(given.parameters, calls, day, given.reserve)).run()
    print("\n".join([*days_tables([("this", day, outcome)]), "", *hourly(day, outcome)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
