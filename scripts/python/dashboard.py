"""Reads the dashboard and the alarms of the flat template, and reports what would stay empty or without a recipient:
metrics that neither AWS nor our functions publish, dimension values that do not occur, alarms that do not notify
operators.

CloudWatch accepts any name and shows nothing for a wrong one. The metrics of our functions are read from their
source.

usage: dashboard.py TEMPLATE.json   (by scripts/check-template)"""

import json
import re
import sys
from pathlib import Path

from lacre_api import BLOCK_REASONS
from policy import text

ROOT = Path(__file__).resolve().parents[2]

# Metrics that AWS publishes, by namespace and dimension. The dimension's value is a resource of this type.
OF_AWS = {
    ("AWS/ApiGateway", "ApiId"): ("AWS::ApiGatewayV2::Api", {"4xx", "5xx", "Count", "Latency"}),
    ("AWS/Lambda", "FunctionName"): ("AWS::Lambda::Function", {
        "ConcurrentExecutions", "Duration", "Errors", "IteratorAge", "Throttles"}),
    ("AWS/DynamoDB", "TableName"): ("AWS::DynamoDB::Table", {"ReadThrottleEvents", "WriteThrottleEvents"}),
    ("AWS/SNS", "TopicName"): ("AWS::SNS::Topic", {"NumberOfNotificationsFailed"}),
    ("AWS/Events", "RuleName"): ("AWS::Events::Rule", {"FailedInvocations", "Invocations", "TriggeredRules"}),
    ("AWS/SQS", "QueueName"): ("AWS::SQS::Queue", {"ApproximateNumberOfMessagesVisible"}),
    ("AWS/S3", "BucketName"): ("AWS::S3::Bucket", {"BucketSizeBytes"}),
}
# An index has the same metrics as its table.
OF_INDEX = ["TableName", "GlobalSecondaryIndexName"]
# A bucket's size is published per storage class.
OF_STORAGE = ["BucketName", "StorageType"]
QUOTA = {"Service": "KMS", "Type": "API", "Class": "None"}
QUOTAS = {"CryptographicOperationsRsa", "CryptographicOperationsEcc"}

# Our own metrics that are not published per function; all others are.
OURS = {"CertificateDaysLeft": {"Stack", "Environment"}, "WebhooksDelivered": {"Stack", "Environment"},
        "WebhooksFailed": {"Stack", "Environment"}, "EvidenceChanged": {"Stack"}, "ExportFailures": {"Stack"}, "LogLeaves": {"Stack"},
        "LogDelay": {"Stack"}, "LogContradicted": {"Stack"}, "LogUndated": {"Stack"}, "EvidenceDaysLeft": {"Stack"},
        "RenewalFailed": {"Stack"}, "BundleLate": {"Stack"}, "RevocationStale": {"Stack"}, "SignerRevoked": {"Stack"},
        "CheckpointSignatures": {"Stack"},
        "ServerErrors": {"Stack"}, "CanarySucceeded": {"Stack", "Function"}, "CanaryDuration": {"Stack", "Function"},
        "Refusals": {"Stack", "Function", "BlockReason"}}
OF_A_FUNCTION = {"Stack", "Function"}

SEARCH = re.compile(r"SEARCH\('\{(?P<schema>[^}]+)\} (?P<terms>[^']+)', '(?P<statistic>\w+)', \d+\)")
TERM = re.compile(r'(\w+)=(\("[^)]*"\)|"[^"]*")')


def source(*folders):
    files = [file for folder in folders for file in (ROOT / folder).glob("**/src/**/*.rs")]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


class Known:
    """The names that exist: metrics in the functions' source, functions by folder, block reasons in the API."""

    def __init__(self, resources):
        self.types = {name: resource["Type"] for name, resource in resources.items()}
        self.indexes = {(name, index["IndexName"]) for name, resource in resources.items()
                        for index in resource.get("Properties", {}).get("GlobalSecondaryIndexes", [])}
        self.metrics = set(re.findall(r'Metric::new\(\s*"(\w+)"', source("shared", "functions")))
        # Metrics that only `ingest` publishes are defined in its source.
        # Metrics that one function emits, with that function.
        self.emitters = {metric: folder.name for folder in (ROOT / "functions").iterdir()
                         for metric in re.findall(r'Metric::new\(\s*"(\w+)"', source(f"functions/{folder.name}"))
                         if metric not in OURS}
        self.values = {
            "Stack": {"AWS::StackName"},
            "Function": {folder.parent.name for folder in (ROOT / "functions").glob("*/Cargo.toml")},
            "Environment": {"PRODUCTION", "STAGING", "SANDBOX"},
            "BlockReason": {"none", *BLOCK_REASONS},
        }

    def fault(self, namespace, metric, dimensions):
        """The fault of a metric, if any. A dimension value of None matches any."""
        if namespace == "Lacre":
            return self.fault_of_ours(metric, dimensions)
        if namespace == "AWS/Usage":
            quota = dimensions.get("Resource")
            is_known = metric == "CallCount" and quota in QUOTAS and dimensions == {**QUOTA, "Resource": quota}
            return None if is_known else "AWS has no such quota"
        if list(dimensions) == OF_INDEX:
            if tuple(dimensions.values()) not in self.indexes:
                return f"the index {' '.join(dimensions.values())} does not exist"
            dimensions = {"TableName": dimensions["TableName"]}
        if list(dimensions) == OF_STORAGE and dimensions["StorageType"] == "StandardStorage":
            dimensions = {"BucketName": dimensions["BucketName"]}
        wanted, metrics = OF_AWS.get((namespace, *dimensions), (None, set()))
        if metric not in metrics:
            return "AWS has no such metric with these dimensions"
        (value,) = dimensions.values()
        return None if self.types.get(value) == wanted else f"{value} is not of type {wanted}"

    def fault_of_ours(self, metric, dimensions):
        if metric not in self.metrics:
            return "no function has it"
        if dimensions.keys() != OURS.get(metric, OF_A_FUNCTION):
            return "it has other dimensions"
        emitter = self.emitters.get(metric)
        if emitter and dimensions["Function"] not in (None, emitter):
            return f"only {emitter} has it"
        unknown = [value for name, value in dimensions.items() if value and value not in self.values[name]]
        return f"{unknown[0]} does not exist" if unknown else None


def of_alarm(alarm):
    """The metrics that an alarm watches."""
    for metric in [query["MetricStat"]["Metric"] for query in alarm.get("Metrics", []) if "MetricStat" in query] or [alarm]:
        dimensions = {each["Name"]: text(each["Value"]).split(".")[0] for each in metric["Dimensions"]}
        yield metric["Namespace"], metric["MetricName"], dimensions


def of_line(line):
    """The metrics of one line of a widget, which are listed or searched for."""
    if isinstance(line[0], str):
        namespace, metric, *pairs = [each for each in line if isinstance(each, str)]
        yield namespace, metric, dict(zip(pairs[::2], pairs[1::2], strict=True))
        return
    search = SEARCH.fullmatch(line[0]["expression"])
    if not search:
        raise ValueError(f"{line[0]['expression']}: not a search as they are known here")
    namespace, *schema = search["schema"].split(",")
    terms = dict(TERM.findall(search["terms"]))
    named = {name: terms[name].strip('"') if name in terms else None for name in schema}
    for metric in re.findall(r'"(\w+)"', terms["MetricName"]):
        yield namespace, metric, named


def faults_of_alarm(name, alarm, known):
    for metric in of_alarm(alarm):
        if fault := known.fault(*metric):
            yield f"{name} watches {metric}: {fault}"
    queries = alarm.get("Metrics", [])
    ids = {query["Id"] for query in queries}
    for query in queries:
        expression = text(query.get("Expression", ""))
        used = set(re.findall(r"\b[a-z]\w*", re.sub(r"\$\{\w+\}", "", expression)))
        if not used <= ids:
            yield f"{name} reckons with {sorted(used - ids)}, which it does not watch"
    if text(alarm["AlarmActions"][0]) != "AlertsTopic":
        yield f"{name} has no recipient"


def faults_of_dashboard(dashboard, alarms, known):
    body = dashboard["DashboardBody"]["Fn::Sub"]
    widgets = json.loads(re.sub(r"\$\{([\w:]+)(\.\w+)?\}", r"\1", body.replace("${IngestConcurrency}", "1")))["widgets"]
    shown = [alarm for widget in widgets if widget["type"] == "alarm" for alarm in widget["properties"]["alarms"]]
    if sorted(shown) != sorted(alarms):
        yield f"the dashboard must show each alarm once; these differ: {sorted(set(shown) ^ set(alarms))}"
    taken = set()
    for widget in widgets:
        title, (x, y) = widget["properties"]["title"], (widget["x"], widget["y"])
        tiles = {(column, row) for column in range(x, x + widget["width"]) for row in range(y, y + widget["height"])}
        if tiles & taken or x + widget["width"] > 24:
            yield f"{title} overlaps another widget, or is outside"
        taken |= tiles
        for line in widget["properties"].get("metrics", []):
            for metric in of_line(line):
                if fault := known.fault(*metric):
                    yield f"{title} shows {metric}: {fault}"


def faults_of_certificate_alarms(resources):
    """Checks that each environment has alarms 30 and 7 days before a certificate expires, which notify operators."""
    for environment in ("PRODUCTION", "STAGING", "SANDBOX"):
        for days in (30, 7):
            name = f"{environment.capitalize()}CertificateEndsIn{days}Days"
            alarm = resources[name]["Properties"]
            dimensions = {each["Name"]: text(each["Value"]) for each in alarm["Dimensions"]}
            watched = (alarm["Namespace"], alarm["MetricName"], alarm["Statistic"], alarm["ComparisonOperator"],
                    alarm["Threshold"], dimensions, text(alarm["AlarmActions"][0]))
            if watched != ("Lacre", "CertificateDaysLeft", "Minimum", "LessThanOrEqualToThreshold", days,
                        {"Stack": "AWS::StackName", "Environment": environment}, "AlertsTopic"):
                yield f"{name} watches {watched}"


def main(path):
    with open(path, encoding="utf-8") as file:
        resources = json.load(file)["Resources"]
    known = Known(resources)
    alarms = {name: each["Properties"] for name, each in resources.items() if each["Type"] == "AWS::CloudWatch::Alarm"}
    faults = [fault for name, alarm in alarms.items() for fault in faults_of_alarm(name, alarm, known)]
    faults += faults_of_certificate_alarms(resources)
    faults += faults_of_dashboard(resources["Dashboard"]["Properties"], alarms, known)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(alarms)} alarms and the dashboard watch metrics that there are")


if __name__ == "__main__":
    main(sys.argv[1])
