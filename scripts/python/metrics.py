"""Reads the metrics that functions wrote to a log, and checks that CloudWatch would extract them.

The schema is that of the embedded metric format in the AWS documentation."""

import json

from jsonschema import Draft202012Validator

NAMES = {"type": "string", "minLength": 1, "maxLength": 1024}
SCHEMA = Draft202012Validator({
    "type": "object",
    "required": ["_aws"],
    "properties": {"_aws": {
        "type": "object",
        "required": ["Timestamp", "CloudWatchMetrics"],
        "properties": {
            "Timestamp": {"type": "integer", "minimum": 0, "maximum": 9999999999999},
            "CloudWatchMetrics": {"type": "array", "minItems": 1, "items": {
                "type": "object",
                "required": ["Namespace", "Dimensions", "Metrics"],
                "properties": {
                    "Namespace": NAMES,
                    "Dimensions": {"type": "array", "minItems": 1, "items": {
                        "type": "array", "minItems": 1, "maxItems": 30,
                        "items": {"type": "string", "minLength": 1, "maxLength": 250}}},
                    "Metrics": {"type": "array", "minItems": 1, "maxItems": 100, "items": {
                        "type": "object",
                        "required": ["Name", "Unit"],
                        "properties": {"Name": NAMES, "Unit": {"enum": ["Count", "Milliseconds", "Bytes"]}}}},
                },
            }},
        },
    }},
})

REQUEST = {"Duration", "AwsCalls", "AwsRetries"}
HTTP_REQUEST = REQUEST | {"RequestBytes", "ResponseBytes"}
INIT = {"InitDuration", "InitConnect"}
PHASES = ["PhaseSubmission", "PhaseImage", "PhaseChecks", "PhaseSign", "PhaseStore", "PhaseCommit"]


class Malformed(SystemExit):
    """A record that CloudWatch could not read, or an unexpected metric."""


def read(lines):
    """The metric records among the lines of a log."""
    records = [json.loads(line) for line in lines if line.startswith("{") and '"_aws"' in line]
    for record in records:
        for error in SCHEMA.iter_errors(record):
            raise Malformed(f"{error.json_path}: {error.message} in {record}")
        for directive in record["_aws"]["CloudWatchMetrics"]:
            for metric in directive["Metrics"]:
                if type(record.get(metric["Name"])) not in (int, float) or record[metric["Name"]] < 0:
                    raise Malformed(f"{metric['Name']} has no value in {record}")
            for name in sum(directive["Dimensions"], []):
                if not isinstance(record.get(name), str) or not record[name]:
                    raise Malformed(f"the dimension {name} has no value in {record}")
    return records


def series(records):
    """All metrics that CloudWatch would extract: namespace, dimension names, metric name."""
    return {(directive["Namespace"], tuple(sorted(dimensions)), metric["Name"])
            for record in records for directive in record["_aws"]["CloudWatchMetrics"]
            for dimensions in directive["Dimensions"] for metric in directive["Metrics"]}


def names(record):
    return {name for _, _, name in series([record])}


def check(lines, stacks):
    """Checks that every function emitted metrics of its cold start and requests under its stack, captures those of
    their phases, and refusals their reason."""
    records = read(lines)
    if {record["Stack"] for record in records} != set(stacks.values()):
        raise Malformed(f"the stacks are {stacks}, and the records say otherwise")
    of = {name: [record for record in records if record.get("Function") == name] for name in stacks}
    for name, emitted in of.items():
        starts = [record for record in emitted if names(record) == INIT]
        requests = [record for record in emitted if "Duration" in names(record)]
        if len(starts) != 1 or not requests or len(emitted) != 1 + len(requests):
            raise Malformed(f"{name} emitted {len(starts)} cold starts and {len(requests)} requests in {len(emitted)} records")
        # The hosted page is compiled in, so it needs no AWS call.
        if any(record["AwsCalls"] for record in requests) == (name == "capture-page"):
            raise Malformed(f"{name} called AWS for {'a' if name == 'capture-page' else 'no'} request")
        wanted = REQUEST if name in ("alerts", "canary", "export", "prints", "revocation", "sequencer", "webhooks") else HTTP_REQUEST
        if any(not wanted <= names(record) for record in requests):
            raise Malformed(f"{name} left out one of {sorted(wanted)}")
    if [record.get("CanarySucceeded") for record in of["canary"] if "Duration" in names(record)] != [1]:
        raise Malformed("the canary's run did not succeed")
    captures = [record for record in of["ingest"] if "PhaseCommit" in names(record)]
    if not captures or any("PhotoBytes" not in names(record) for record in captures):
        raise Malformed("no capture emitted its phases, or the size of its photo")
    for record in captures:
        if sum(record[phase] for phase in PHASES) > record["Duration"]:
            raise Malformed(f"the phases take longer than the request in {record}")
    refused = {(record["Function"], record["BlockReason"]) for record in records if "Refusals" in names(record)}
    if ("ingest", "none") not in refused:
        raise Malformed(f"the capture that was refused is not among {refused}")
    return records
