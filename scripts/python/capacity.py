"""Computes which AWS limit is reached first, from the AWS calls of a capture: tests/capacity/capture.json.

A test records that file from the running service: DynamoDB units by partition key, signatures, objects. Here each of
them is compared with its limit, at 10, 100 and 1,000 captures a second, for one license and for a thousand, with and
without timestamps. Another table shows what an attacker's requests cost the operator in a day.

usage: capacity.py [--calls FILE] [--check PAGE | --write PAGE]   (by scripts/capacity)"""

import argparse
import json
import math
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from lacre_api import CREATIONS_PER_HOUR as CREATIONS_AN_HOUR

CALLS = Path(__file__).resolve().parents[2] / "tests/capacity/capture.json"
RATES = (10, 100, 1000)
LICENSES = (1, 1000)
# Limits that are reached at a higher rate, in captures a second, are left out.
HIGHEST = 3000
MARK = "<!-- scripts/capacity -->"

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
# Requests of a capture to each gateway, including preflights; /validate has its own gateway. Throttling counts requests
# (API Gateway Developer Guide, "Throttling requests to your HTTP API"), even if a long response is billed as several.
WEB_REQUESTS, LICENSE_REQUESTS = 6, 2
# Records in a batch of `alerts`, and the seconds that a batch waits to fill (template.yaml).
BATCH, WINDOW = 100, 5
# The same for `sequencer`. The log table's stream has one shard per partition, like any table's.
LOG_BATCH, LOG_WINDOW = 5000, 5
# Seconds of an invocation. These are assumptions; none was measured on AWS.
SECONDS = {"validate": 0.03, "create-session": 0.03, "load-session": 0.04, "ingest": 0.35, "session-results": 0.03,
           "alerts": 0.1, "export": 0.1, "sequencer": 0.5}
# Seconds of one timestamp; a capture requests two sequentially. This is an assumption, because authorities state no
# figures. The timeout is three seconds.
TIMESTAMP_SECONDS = 0.5
# Seconds of a request for an unknown session or an asset. This is an assumption.
REFUSAL_SECONDS = 0.01
MEMORY_GB = 0.5
# Size of the response to a refused request or a validation, including headers. This is an assumption.
ANSWER_BYTES = 1000
# Size of the hosted page's largest script for clients without gzip (functions/capture-page/assets).
ASSET_BYTES = 60_000
# Size of a photo of 1920 × 1080 pixels.
PHOTO_BYTES = 551_000
# Bytes of all logs for each request to a gateway: 7.8 GB for a million captures, which are nine million requests.
LOG_BYTES = 870
# Requests a second of an attack: the gateway's maximum.
ATTACK = REQUESTS_PER_SECOND
# Bytes a second of an attacker who downloads at 100 Mbit/s.
DOWNLOAD = 12_500_000
DAY = 86_400


@dataclass(frozen=True)
class Prices:
    """AWS prices of 2026 in US dollars, for sa-east-1 and for CloudFront in South America, without free tiers."""

    gigabyte: float = 0.15
    edge_gigabyte: float = 0.11
    log_gigabyte: float = 0.90
    million_reads: float = 0.1875
    million_gets: float = 0.56
    million_requests: float = 1.59
    million_edge_requests: float = 2.20
    million_firewall_requests: float = 0.60
    million_invocations: float = 0.20
    gigabyte_second: float = 0.0000133334


PRICES = Prices()


@dataclass(frozen=True)
class Request:
    """A request of an attack: the AWS calls that it causes, and how many of it the firewall lets one address send per
    window."""

    what: str
    reads: float
    seconds: float
    size: int
    of_address: int
    is_cached: bool = False


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


def headed(load):
    """The heading of a load's column."""
    said = ([f"{load.licenses:,} licenses"] if load.licenses > 1 else []) + (["timestamps"] if load.timestamps else [])
    return ", ".join([f"{load.rate:,}", *said])


def first_table(calls):
    """The limits that are reached first for one license, and how timestamps or a thousand licenses change them."""
    one, stamped, many = ({limit.what: limit for limit in limits(calls, *variant)}
                          for variant in ((1, False), (1, True), (1000, False)))
    body = [[what, *(number(variant[what].rate) for variant in (one, stamped, many)), limit.answer, limit.remedy]
            for what, limit in sorted(one.items(), key=lambda pair: pair[1].rate) if limit.rate <= HIGHEST]
    return rows(["Limit", "binds at", "with timestamps", "1,000 licenses", "Response", "To raise it"], body)


def partition_table(calls):
    """The busiest partitions: units a second, and their share of the limit."""
    of = [partitions(calls, load) for load in LOADS]
    body = []
    for (table, partition), (reads, writes) in sorted(of[2].items(), key=lambda pair: -share(*pair[1])):
        shares = (f"{100 * share(*one[table, partition]):.2g} %" for one in of)
        body.append([f"{table}: `{partition}`", f"{number(reads)} + {number(writes)}", *shares])
    return rows(["Partition", "units at 1,000", *map(headed, LOADS)], body)


def table_table(calls):
    """Units a second of each table, for reads and writes."""
    of = [tables(calls, load) for load in LOADS]
    body = [[table, *(f"{number(one[table][0])} + {number(one[table][1])}" for one in of)] for table in sorted(of[0])]
    return rows(["Table", *map(headed, LOADS)], body)


def need_table(calls):
    """The quotas and settings that an operator needs for a load."""
    loads = [Load(rate, 1, timestamps) for timestamps in (False, True) for rate in RATES]

    def row(what, value):
        return [what, *(number(value(load)) for load in loads)]

    each = concurrency(calls, loads[0])
    body = [
        row("API keys", lambda load: load.rate * 3600 / CREATIONS_AN_HOUR),
        row("`RequestsPerSecond`", lambda load: load.rate * WEB_REQUESTS),
        row("`RouteRequestsPerSecond`", lambda load: load.rate),
        row("KMS operations, RSA and ECC each", lambda load: load.rate),
        *(row(f"`{function}`, concurrent", lambda load, of=function: concurrency(calls, load)[of]) for function in each),
        row("all functions, concurrent", lambda load: sum(concurrency(calls, load).values())),
    ]
    return rows(["A second", *map(headed, loads)], body)


def requests(calls):
    """The requests of attacks, the most expensive first."""
    reads = sum(call["reads"] * call["times"] for call in calls["functions"]["validate"])
    return [
        Request("the hosted page's script, uncompressed", 0, REFUSAL_SECONDS, ASSET_BYTES, REQUESTS_PER_ADDRESS, is_cached=True),
        Request("`/validate` with a public license key", reads, SECONDS["validate"], ANSWER_BYTES, VALIDATIONS_PER_ADDRESS),
        Request("loads with tokens that do not exist", 1, REFUSAL_SECONDS, ANSWER_BYTES, REQUESTS_PER_ADDRESS),
    ]


def million_at_gateway(request):
    """The cost of a million such requests behind the gateway and at it, without their responses' data transfer."""
    compute = request.seconds * MEMORY_GB * PRICES.gigabyte_second * 1e6
    logs = LOG_BYTES / 1e3 * PRICES.log_gigabyte
    return PRICES.million_requests + PRICES.million_invocations + compute + request.reads * PRICES.million_reads + logs


def of_a_day(a_second, of_a_million):
    """Dollars a day."""
    return a_second * DAY / 1e6 * of_a_million


def direct(request, a_second):
    """Dollars a day for a rate of requests that reach the gateway directly and are answered over the internet."""
    return of_a_day(a_second, million_at_gateway(request) + request.size / 1e3 * PRICES.gigabyte)


def through_edge(request, passed):
    """Dollars a day of an attack of which the firewall passes a rate of requests.

    The firewall is charged for all requests, CloudFront for those that pass. The gateway rejects requests above a
    route's limit, and receives no request for an asset in CloudFront's cache."""
    at_edge = of_a_day(ATTACK, PRICES.million_firewall_requests)
    at_edge += of_a_day(passed, PRICES.million_edge_requests + request.size / 1e3 * PRICES.edge_gigabyte)
    behind = 0 if request.is_cached else min(passed, ROUTE_REQUESTS_PER_SECOND)
    return at_edge + of_a_day(behind, million_at_gateway(request))


def around_edge():
    """Dollars a day of requests to a gateway's own address. The function rejects them before it reads anything."""
    return direct(Request("", 0, REFUSAL_SECONDS, ANSWER_BYTES, 0), ROUTE_REQUESTS_PER_SECOND)


def attack_table(calls):
    """The daily cost of attacks: without route limits, with route limits only, and with the firewall."""
    body = [[request.what, *(number(dollars) for dollars in (
        direct(request, ATTACK), direct(request, ROUTE_REQUESTS_PER_SECOND),
        through_edge(request, min(ATTACK, request.of_address / FIREWALL_SECONDS)), through_edge(request, ATTACK), around_edge()))]
        for request in requests(calls)]
    photos = number(DOWNLOAD * DAY / 1e9 * PRICES.gigabyte + of_a_day(DOWNLOAD / PHOTO_BYTES, PRICES.million_gets))
    body.append(["a result URL, downloaded with 100 Mbit/s", *[photos] * 5])
    heads = ["before", "limits of routes", "firewall, one address", "firewall, many addresses", "around the firewall"]
    return rows(["Attack", *heads], body)


PARTS = [
    ("Captures a second at which each limit binds", first_table),
    ("Partitions: reads + writes, and the share of the limit", partition_table),
    ("What a load needs, without reserve", need_table),
    (f"Dollars a day of an attack of {ATTACK} requests a second", attack_table),
    ("Tables: reads + writes a second", table_table),
]
# The last part is printed only on request.
OF_PAGE = PARTS[:-1]


def report(calls, parts):
    """The tables with their titles."""
    return "\n".join(line for title, table in parts for line in ("", f"{title}:", "", *table(calls)))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--calls", type=Path, default=CALLS)
    arguments.add_argument("--check", type=Path, metavar="PAGE")
    arguments.add_argument("--write", type=Path, metavar="PAGE")
    options = arguments.parse_args()
    calls = json.loads(options.calls.read_text(encoding="utf-8"))
    page = options.check or options.write
    if not page:
        print(report(calls, PARTS))
        return 0
    text = page.read_text(encoding="utf-8")
    before, _, after = text.split(MARK)
    wanted = f"{before}{MARK}\n{report(calls, OF_PAGE)}\n\n{MARK}{after}"
    if options.write:
        page.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        print(f"{page}: its tables are not what is computed: scripts/capacity --write {page}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
