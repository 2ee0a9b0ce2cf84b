"""Computes from the AWS calls of a capture what a million captures cost, and a day of an attack (by scripts/capacity)."""

import json
from dataclasses import dataclass
from pathlib import Path

import capacity
from capacity import (
    FIREWALL_SECONDS,
    REQUESTS_PER_ADDRESS,
    REQUESTS_PER_SECOND,
    ROUTE_REQUESTS_PER_SECOND,
    SECONDS,
    VALIDATIONS_PER_ADDRESS,
    Load,
    number,
    rows,
)

# The same recording of a capture under a license with the term `fingerprint: CODE`.
WITH_FINGERPRINT = Path(__file__).resolve().parents[2] / "tests/capacity/fingerprint.json"
# Rates at which the cost is computed: each capture alone in its batches, and batches that are shared.
LOADS = [Load(0.001), Load(10), Load(100)]
# Requests of a capture to both gateways. HTTP APIs are metered in steps of 512 KB; no response of the component's is
# larger.
# On Android the load of a session needs no preflight.
GATEWAY_REQUESTS = capacity.WEB_REQUESTS + capacity.LICENSE_REQUESTS - 1
# Requests to S3 that no function makes: the upload's preflight, and the backend's GET of the manifest.
OTHER_S3_REQUESTS = 2
# Bytes of a capture that leave AWS, headers included, measured at the local service with timestamps: 14 kB to the phone,
# nearly all of them the manifest, compressed, and 16 kB to the backend, the manifest again.
TRANSFER_BYTES = 30_000
# Memory of a function, in GB, and that of `ingest` (template.yaml).
MEMORY_GB, INGEST_MEMORY_GB = 0.5, 1.769
# Seconds of a request for an unknown session or an asset. This is an assumption.
REFUSAL_SECONDS = 0.01
# Size of the response to a refused request or a validation, including headers. This is an assumption.
ANSWER_BYTES = 1000
# Size of the hosted page's largest script for clients without gzip (functions/capture-page/assets).
ASSET_BYTES = 60_000
# Size of a photo of 1920 × 1080 pixels.
PHOTO_BYTES = 551_000
# Bytes of a line in the log of a gateway, and of the line with the metrics of an invocation, measured at the local service.
ACCESS_LOG_BYTES = 200
LOG_BYTES, INGEST_LOG_BYTES = 500, 1170
# Requests a second of an attack: the gateway's maximum.
ATTACK = REQUESTS_PER_SECOND
# Bytes a second of an attacker who downloads at 100 Mbit/s.
DOWNLOAD = 12_500_000
DAY = 86_400
# Seconds of an invocation of `prints`, which only captures with a fingerprint cause. This is an assumption.
INDEXING_SECONDS = 0.05
DURATIONS = {**SECONDS, "prints": INDEXING_SECONDS}


@dataclass(frozen=True)
class Prices:
    """AWS prices of 2026 in US dollars, for sa-east-1 and for CloudFront in South America, without free tiers."""

    gigabyte: float = 0.15
    edge_gigabyte: float = 0.11
    log_gigabyte: float = 0.90
    million_reads: float = 0.1875
    million_writes: float = 0.9375
    million_puts: float = 7.00
    million_gets: float = 0.56
    million_ecc: float = 15.00
    million_rsa: float = 3.00
    million_symmetric: float = 3.00
    million_requests: float = 1.59
    million_edge_requests: float = 2.20
    million_firewall_requests: float = 0.60
    million_invocations: float = 0.20
    gigabyte_second: float = 0.0000133334


PRICES = Prices()
# Dollars of a million operations of a KMS key, by the name of the key; `million_symmetric` for others.
SIGNATURES = {"claim": PRICES.million_ecc, "checkpoint": PRICES.million_ecc, "seal": PRICES.million_rsa}


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


def amounts(calls, load):
    """Amounts of one capture: read and write units, requests to S3, dollars of KMS per million, invocations, and logs."""
    found = dict.fromkeys(("reads", "writes", "puts", "gets", "kms", "kms dollars", "invocations", "gigabyte seconds", "logs"), 0.0)
    found["gets"] = OTHER_S3_REQUESTS
    found["logs"] = GATEWAY_REQUESTS * ACCESS_LOG_BYTES
    for function, each, for_each_license in capacity.invocations(calls, load):
        if function in DURATIONS:
            memory = INGEST_MEMORY_GB if function == "ingest" else MEMORY_GB
            found["invocations"] += each / load.rate
            found["logs"] += (INGEST_LOG_BYTES if function == "ingest" else LOG_BYTES) * each / load.rate
            found["gigabyte seconds"] += DURATIONS[function] * memory * each / load.rate
        for call in calls["functions"][function]:
            times = call["times"] * capacity.a_second(call, load, each, for_each_license) / load.rate
            if call["service"] == "dynamodb":
                found["reads"] += call["reads"] * times
                found["writes"] += call["writes"] * times
            elif call["service"] == "kms":
                found["kms"] += times
                found["kms dollars"] += SIGNATURES.get(call["key"], PRICES.million_symmetric) * times
            elif call["operation"] == "PutObject":
                found["puts"] += times
            elif call["operation"] != "DeleteObject":
                # Deletions are free.
                found["gets"] += times
    return found


def of_function(calls, function):
    """Units of one invocation of a function: reads, writes, S3 and KMS."""
    found = calls["functions"][function]
    reads, writes = (sum(call[kind] * call["times"] for call in found if call["service"] == "dynamodb") for kind in ("reads", "writes"))
    of_s3 = [call["operation"].removesuffix("Object").upper() for call in found if call["service"] == "s3" for _ in range(call["times"])]
    of_kms = [call["key"] or call["operation"] for call in found if call["service"] == "kms" for _ in range(call["times"])]
    return [number(reads) if reads else "", number(writes) if writes else "", counted(of_s3), counted(of_kms)]


def counted(names):
    """Names with how often each is there."""
    return ", ".join(f"{names.count(name)} {name}" if names.count(name) > 1 else name for name in sorted(set(names)))


def call_table(calls):
    """What one invocation of each function asks of AWS. `prints` is called for fingerprints only."""
    with_fingerprint = json.loads(WITH_FINGERPRINT.read_text(encoding="utf-8"))
    names = ["validate", "create-session", "load-session", "browser", "ingest", "session-results", "export", "alerts", "sequencer"]
    body = [[f"`{name}`" if name != "browser" else "the upload", *of_function(calls, name)] for name in names]
    body.append(["`prints`", *of_function(with_fingerprint, "prints")])
    return rows(["Function", "Read units", "Write units", "S3", "KMS"], body)


def services(calls, load):
    """The services with their units of a capture, and their dollars for a million captures."""
    of = amounts(calls, load)
    units = {name: number(amount) for name, amount in of.items()}
    return [
        ("transfer out", f"{TRANSFER_BYTES // 1000} kB", TRANSFER_BYTES / 1e3 * PRICES.gigabyte),
        ("DynamoDB, write units", units["writes"], of["writes"] * PRICES.million_writes),
        ("DynamoDB, read units", units["reads"], of["reads"] * PRICES.million_reads),
        ("KMS", units["kms"], of["kms dollars"]),
        ("S3, PUT", units["puts"], of["puts"] * PRICES.million_puts),
        ("S3, others", units["gets"], of["gets"] * PRICES.million_gets),
        ("API Gateway", number(GATEWAY_REQUESTS), GATEWAY_REQUESTS * PRICES.million_requests),
        ("Lambda, invocations", units["invocations"], of["invocations"] * PRICES.million_invocations),
        ("Lambda, GB-seconds", units["gigabyte seconds"], of["gigabyte seconds"] * 1e6 * PRICES.gigabyte_second),
        ("CloudWatch Logs", f"{of['logs'] / 1e3:.1f} kB", of["logs"] / 1e3 * PRICES.log_gigabyte),
    ]


def total(calls, load):
    """Dollars of a million captures."""
    return sum(dollars for _, _, dollars in services(calls, load))


def cost_table(calls):
    """What a million captures cost at each rate, by service; and what a fingerprint of each adds."""
    of = [services(calls, load) for load in LOADS]
    body = [[of[0][line][0], of[0][line][1], of[1][line][1], *(f"{one[line][2]:.2f}" for one in of)] for line in range(len(of[0]))]
    body.append(["**together**", "", "", *(f"**{total(calls, load):.2f}**" for load in LOADS)])
    with_fingerprint = json.loads(WITH_FINGERPRINT.read_text(encoding="utf-8"))
    body.append(["a fingerprint of each adds", "", "",
                 *(f"{total(with_fingerprint, load) - total(calls, load):.2f}" for load in LOADS)])
    heads = ["Service", "of one, alone", "of one, at 10", "alone", "10 a second", "100 a second"]
    return rows(heads, body)


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
    logs = (ACCESS_LOG_BYTES + LOG_BYTES) / 1e3 * PRICES.log_gigabyte
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
