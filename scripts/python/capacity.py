"""Computes which AWS limit is reached first, from the AWS calls of a capture: tests/capacity/capture.json.

A test records that file from the running service: DynamoDB units by partition key, signatures, objects. Here each of
them is compared with its limit, at 10, 100 and 1,000 captures a second, for one license and for a thousand, with and
without timestamps. cost.py computes what they cost, and capacity_page.py prints the tables (scripts/capacity)."""

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from lacre_api import CREATIONS_PER_HOUR as CREATIONS_AN_HOUR

CALLS = Path(__file__).resolve().parents[2] / "tests/capacity/capture.json"
RATES = (10, 100, 1000)
LICENSES = (1, 1000)

# Units a second of one partition (DynamoDB Developer Guide, "Best practices for designing and using partition keys").
PARTITION_READS, PARTITION_WRITES = 3000, 1000
# Units a second that a new table takes at once (same guide, "DynamoDB on-demand capacity mode").
NEW_TABLE_READS, NEW_TABLE_WRITES = 12_000, 4_000
# Default quota of units a second of one on-demand table (same guide, "Quotas in Amazon DynamoDB").
TABLE_UNITS = 40_000
# Operations a second of an account and region (KMS Developer Guide, "Request quotas"); older accounts have 500 and 300.
KMS = {"seal": ("RSA", 1000), "claim": ("ECC", 1000)}
# Writes a second of one prefix (S3 User Guide, "Best practices design patterns").
S3_WRITES = 3500
# Requests a second of an account and region (API Gateway Developer Guide, "Quotas").
GATEWAY = 10_000
# Concurrent executions of an account and region (Lambda Developer Guide, "Lambda quotas").
CONCURRENCY = 1000
# Defaults of RequestsPerSecond, RouteRequestsPerSecond and IngestConcurrency in template.yaml.
REQUESTS_PER_SECOND, ROUTE_REQUESTS_PER_SECOND, INGEST_CONCURRENCY = 200, 70, 50
# Defaults of RequestsPerAddress and ValidationsPerAddress in infra/firewall.yaml, and the length of their window in
# seconds.
REQUESTS_PER_ADDRESS, VALIDATIONS_PER_ADDRESS, FIREWALL_SECONDS = 3000, 1000, 300
# Requests of a capture on an iPhone to each gateway, including preflights; /validate has its own gateway. Throttling
# counts requests (API Gateway Developer Guide, "Throttling requests to your HTTP API"), even if a long response is
# billed as several.
WEB_REQUESTS, LICENSE_REQUESTS = 6, 2
# Records in a batch of `alerts`, and the seconds that a batch waits to fill (template.yaml).
BATCH, WINDOW = 100, 20
# The same for `sequencer`. The log table's stream has one shard per partition, like any table's.
LOG_BATCH, LOG_WINDOW = 5000, 20
# Seconds of an invocation. These are assumptions; none was measured on AWS.
SECONDS = {"validate": 0.03, "create-session": 0.03, "load-session": 0.04, "ingest": 0.35, "session-results": 0.03,
           "alerts": 0.1, "export": 0.1, "sequencer": 0.5}
# Seconds of one timestamp; a capture requests two sequentially. This is an assumption, because authorities state no
# figures. The timeout is three seconds.
TIMESTAMP_SECONDS = 0.5

@dataclass(frozen=True)
class Load:
    """A rate of captures a second, spread evenly over a number of licenses, each of a separate client."""

    rate: float
    licenses: int = 1
    timestamps: bool = False


@dataclass(frozen=True)
class Limit:
    """A limit, and the rate in captures a second at which it is reached."""

    rate: float
    what: str
    answer: str
    remedy: str


LOADS = [Load(rate, licenses) for licenses in LICENSES for rate in RATES]


def shards_of_stream(calls, table, rate):
    """Number of shards of a stream: one per partition of its table. A new table has four."""
    of_table = (call for function in calls["functions"].values() for call in function if call.get("table") == table)
    records = sum(call["writes"] * call["times"] for call in of_table)
    return max(NEW_TABLE_WRITES // PARTITION_WRITES, math.ceil(rate * records / PARTITION_WRITES))


def batches(shards, rate, size, window):
    """Batches of a stream a second: full ones, or those that the batching window ends."""
    of_shard = rate / shards
    return shards * max(of_shard / size, min(of_shard, 1 / window))


def licenses_of(load, captures):
    """Number of distinct licenses among so many captures."""
    return load.licenses * (1 - (1 - 1 / load.licenses) ** captures)


def invocations(calls, load):
    """For each function, how often a second it makes its calls, and how often its calls per license."""
    alerts = batches(shards_of_stream(calls, "evidence", load.rate), load.rate, BATCH, WINDOW)
    sequencer = batches(shards_of_stream(calls, "log", load.rate), load.rate, LOG_BATCH, LOG_WINDOW)
    each = {"alerts": (alerts, alerts * licenses_of(load, load.rate / alerts)), "sequencer": (sequencer, sequencer)}
    for function in calls["functions"]:
        yield function, *each.get(function, (load.rate, load.rate))


def a_second(call, load, each, for_each_license):
    """How often a second a call is made: once per batch, or for each license or capture in it."""
    names = set(re.findall(r"{(\w+)}", call.get("partition", "")))
    if "capture" in names:
        return load.rate
    return for_each_license if {"client", "license"} & names else each


def partitions(calls, load):
    """Reads and writes a second of one partition of each kind. Partitions of single captures are far below any limit
    and left out."""
    found = defaultdict(lambda: [0.0, 0.0])
    many = {"client": load.licenses, "license": load.licenses, "license_key": load.licenses,
            "replica": calls["replicas"], "shard": calls["shards"], "environment": 1, "month": 1}
    for function, each, for_each_license in invocations(calls, load):
        for call in calls["functions"][function]:
            names = re.findall(r"{(\w+)}", call.get("partition", ""))
            if call["service"] != "dynamodb" or not set(names) <= set(many):
                continue
            often = a_second(call, load, each, for_each_license)
            spread = math.prod(many[name] for name in names)
            for kind, units in enumerate((call["reads"], call["writes"])):
                found[call["table"], call["partition"]][kind] += units * call["times"] * often / spread
    return dict(found)


def share(reads, writes):
    """Used share of a partition's capacity, which reads and writes share."""
    return reads / PARTITION_READS + writes / PARTITION_WRITES


def tables(calls, load):
    """Reads and writes a second of each table and index."""
    found = defaultdict(lambda: [0.0, 0.0])
    for function, each, for_each_license in invocations(calls, load):
        for call in calls["functions"][function]:
            if call["service"] == "dynamodb":
                often = a_second(call, load, each, for_each_license)
                for kind, units in enumerate((call["reads"], call["writes"])):
                    found[call["table"]][kind] += units * call["times"] * often
    return dict(found)


def seconds(function, timestamps):
    """Duration of an invocation in seconds."""
    return SECONDS[function] + (2 * TIMESTAMP_SECONDS if timestamps and function == "ingest" else 0)


def concurrency(calls, load):
    """Concurrent executions of each function, by Little's law."""
    return {function: seconds(function, load.timestamps) * each
            for function, each, _ in invocations(calls, load) if function in SECONDS}


def operations(calls, of):
    """Operations of a key, or writes to a bucket, per capture."""
    found = (call for function in calls["functions"].values() for call in function)
    return sum(call["times"] for call in found if of(call))


def limits(calls, licenses, timestamps):
    """All limits with the rate at which they are reached, in captures a second. What grows with the load is calculated
    at 1,000 a second."""
    load = Load(1000, licenses, timestamps)
    yield Limit(CREATIONS_AN_HOUR / 3600, "one API key: 100 sessions an hour ([limit](api.md#hourly-limit))", "429", "more API keys")
    yield Limit(REQUESTS_PER_SECOND / WEB_REQUESTS, f"`RequestsPerSecond` {REQUESTS_PER_SECOND}, web", "429", "the parameter")
    yield Limit(ROUTE_REQUESTS_PER_SECOND, f"`RouteRequestsPerSecond` {ROUTE_REQUESTS_PER_SECOND}, each route", "429", "the parameter")
    yield Limit(REQUESTS_PER_SECOND / LICENSE_REQUESTS, f"`RequestsPerSecond` {REQUESTS_PER_SECOND}, licenses", "429", "the parameter")
    yield Limit(INGEST_CONCURRENCY / seconds("ingest", timestamps), f"`IngestConcurrency` {INGEST_CONCURRENCY}", "503", "the parameter")
    yield Limit(GATEWAY / (WEB_REQUESTS + LICENSE_REQUESTS), f"API Gateway: {GATEWAY:,} requests a second", "429", "Service Quotas")
    everything = sum(concurrency(calls, load).values()) / load.rate
    yield Limit(CONCURRENCY / everything, f"Lambda: {CONCURRENCY:,} concurrent executions", "503", "Service Quotas")
    for key, (kind, quota) in KMS.items():
        signatures = operations(calls, lambda call, key=key: call.get("key") == key)
        yield Limit(quota / signatures, f"KMS: {quota:,} {kind} operations a second", "502", "Service Quotas")
    for bucket in ("uploads", "proofs", "export"):
        puts = operations(calls, lambda call, bucket=bucket: call.get("bucket") == bucket and call["operation"] == "PutObject")
        yield Limit(S3_WRITES / puts, f"S3: {S3_WRITES:,} writes a second of {bucket}, one prefix", "502, 503", "S3 divides it in time")
    for (table, partition), units in partitions(calls, load).items():
        yield Limit(load.rate / share(*units), f"{table}: one partition, `{partition}`", "5xx", "more replicas or shards")
    for table, (reads, writes) in tables(calls, load).items():
        new = max(reads / NEW_TABLE_READS, writes / NEW_TABLE_WRITES)
        yield Limit(load.rate / new, f"a new table: {table}", "5xx", "[warm it](#prepare)")
        yield Limit(load.rate * TABLE_UNITS / max(reads, writes), f"{table}: {TABLE_UNITS:,} units a second", "5xx", "Service Quotas")


def number(value):
    """Formats a number for a table, rounded to meaningful digits."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def rows(heads, body, right=1):
    """A Markdown table. Columns from `right` on contain numbers."""
    rule = ["---" if column < right else "---:" for column in range(len(heads))]
    return ["| " + " | ".join(row) + " |" for row in [heads, rule, *body]]
