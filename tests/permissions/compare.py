"""Compares the roles of the flat template with the AWS calls recorded during the tests: each role must grant exactly
the calls of its function or person, and no bucket or table policy may refuse them. README.md explains how.

usage: compare.py TEMPLATE.json DIRECTORY   (by scripts/check-roles)"""

import copy
import itertools
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from policy import grants, listed, refusals, settled, statements_of, text, whole

# The signers of presigned URLs, by the access key ids of the local service and the call: the roles of the functions that
# presign uploads and evidence bundles, and the user that presigns results.
URL_SIGNERS = {("local-role", "s3:PutObject"): ("load-session", "ingest"), ("local-role", "s3:GetObject"): ("find-proof",),
               ("local-presigner", "s3:GetObject"): ("Presigner",)}
SEAL_TAG = {"aws:ResourceTag/lacre-seal": "AWS::StackName"}
# Every put creates a whole object, because multipart uploads are not used.
CREATION = {"s3:ObjectCreationOperation": "true"}
# Roles that people assume, by the application name of their programs.
PEOPLE = {"custodian": "CustodianRole"}
# Calls that read resource policies. They are never recorded, because the local service has no policies.
READS_OF_POLICIES = ("dynamodb:GetResourcePolicy", "kms:GetKeyPolicy", "s3:GetBucketPolicy", "s3:GetBucketPublicAccessBlock",
                     "s3:GetBucketVersioning", "s3:GetBucketObjectLockConfiguration")


@dataclass
class Call:
    """A request to AWS, with the resource's name in the template."""
    action: str
    resource: str
    conditions: dict = field(default_factory=dict)

    def __str__(self):
        return " ".join([self.action, "on", self.resource, *(f"{key}={value}" for key, value in self.conditions.items())])


def of_record(recorded):
    """Converts a recorded line to a call."""
    kind, _, rest = recorded["resource"].partition("/")
    name, _, detail = rest.partition("/")
    conditions = recorded["conditions"]
    match kind:
        case "table":
            table = f"{name.capitalize()}Table.Arn"
            # An index is a separate resource: `table/evidence/index/by_frame`.
            resource = f"${{{table}}}/{detail}" if detail else table
        case "bucket":
            bucket = f"{name.capitalize()}Bucket.Arn"
            resource = f"${{{bucket}}}/{detail}" if detail else bucket
            if recorded["action"] == "s3:PutObject":
                conditions = {**conditions, **CREATION}
        case "stream":
            resource = f"${{{name.capitalize()}Table.Arn}}/stream/current"
        case "key" if name == "claim":
            resource = f"{detail.capitalize()}ClaimKey.Arn"
        case "key" if name == "seal":
            resource, conditions = "arn:${AWS::Partition}:kms:${AWS::Region}:${AWS::AccountId}:key/seal", {**conditions, **SEAL_TAG}
        case "key":
            resource = f"{name.capitalize()}Key.Arn"
        case "topic" | "secret":
            resource = f"{name.capitalize()}{'Topic' if kind == 'topic' else 'Secret'}"
        case _:
            resource = recorded["resource"]
    return Call(recorded["action"], resource, conditions)


def missing(statements, calls):
    """Calls that no statement grants."""
    return [call for call in calls
            if not any(grants(statement, call.action, call.resource, call.conditions) for statement in statements)]


def split(statements):
    """Splits statements so that each has one action on one resource. Otherwise a permission needed on one resource
    would justify another."""
    for statement in statements:
        for action, resource in itertools.product(listed(statement["Action"]), listed(statement["Resource"])):
            yield {**copy.deepcopy(statement), "Action": action, "Resource": resource}


def values_of_conditions(statement):
    """The condition keys of a statement, with the lists of their values."""
    for wanted in statement.get("Condition", {}).values():
        for key in wanted:
            wanted[key] = listed(wanted[key])
            yield key, wanted[key]


def superfluous(statements, calls):
    """Parts of the statements that can be removed without any call being refused."""
    statements = list(split(statements))
    lacking = missing(statements, calls)
    for statement in statements:
        granted = f"{statement['Sid']}: {statement['Action']} on {text(statement['Resource'])}"
        if missing([other for other in statements if other is not statement], calls) == lacking:
            yield granted
            continue
        for key, values in values_of_conditions(statement):
            for place, value in enumerate(values):
                del values[place]
                if missing(statements, calls) == lacking:
                    yield f"{granted} with {key}={text(value)}"
                values.insert(place, value)


def functions(resources):
    """Functions by the application name of their AWS calls."""
    return {resource["Metadata"]["BuildProperties"]["Binary"]: (name, resource["Properties"])
            for name, resource in resources.items() if resource["Type"] == "AWS::Lambda::Function"}


def users(resources):
    return {name: name for name, resource in resources.items() if resource["Type"] == "AWS::IAM::User"}


def owners(resources):
    """The owners of the compared statements: functions and people by their roles, and users."""
    roles = {caller: text(function["Role"]).removesuffix(".Arn") for caller, (_, function) in functions(resources).items()}
    return users(resources) | roles | {caller: role for caller, role in PEOPLE.items() if role in resources}


def arn(value):
    """Converts a reference between resources to the form of a statement's resource."""
    return text(value) if "Fn::GetAtt" in value else f"{text(value)}.Arn"


def of_lambda(resources, caller):
    """Calls that the Lambda service makes with a function's role."""
    logical, function = functions(resources)[caller]
    # Writes the function's log.
    for action in ("logs:CreateLogStream", "logs:PutLogEvents"):
        yield Call(action, arn(function["LoggingConfig"]["LogGroup"]))
    # The X-Ray daemon sends traces.
    if function.get("TracingConfig") == {"Mode": "Active"}:
        for action in ("xray:PutTraceSegments", "xray:PutTelemetryRecords"):
            yield Call(action, "*")
    aliases = {name: text(each["Properties"]["FunctionName"]) for name, each in resources.items()
               if each["Type"] == "AWS::Lambda::Alias"}
    for mapping in (each["Properties"] for each in resources.values() if each["Type"] == "AWS::Lambda::EventSourceMapping"):
        called = text(mapping["FunctionName"])
        if aliases.get(called, called) != logical:
            continue
        if "DestinationConfig" not in mapping:
            # Receives messages from a queue.
            for action in ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"):
                yield Call(action, arn(mapping["EventSourceArn"]))
        else:
            # Reads the stream, and sends failed records to the queue. ListStreams has no resource.
            for action in ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"):
                yield Call(action, arn(mapping["EventSourceArn"]))
            yield Call("dynamodb:ListStreams", "*")
            yield Call("sqs:SendMessage", arn(mapping["DestinationConfig"]["OnFailure"]["Destination"]))


def on_behalf(resources, calls):
    """Calls that AWS makes with a role as a consequence of these calls. They are not among our own requests."""
    for call in calls:
        through = {"kms:ViaService": f"{call.action.split(':')[0]}.${{AWS::Region}}.amazonaws.com"}
        match call.action:
            # Secrets Manager decrypts an encrypted secret for the caller.
            case "secretsmanager:GetSecretValue":
                yield Call("kms:Decrypt", arn(resources[call.resource]["Properties"]["KmsKeyId"]), through)
            # SNS encrypts a message to an encrypted topic for the caller.
            case "sns:Publish":
                for action in ("kms:Decrypt", "kms:GenerateDataKey"):
                    yield Call(action, arn(resources[call.resource]["Properties"]["KmsMasterKeyId"]), through)
            # Without s3:ListBucket, S3 reports a missing object as forbidden.
            case "s3:GetObject":
                yield Call("s3:ListBucket", whole(call.resource))


def of_comparison():
    """Records of the calls by which `evidence compare` reads resource policies, including those of the seal keys that
    signer profiles name."""
    for action in READS_OF_POLICIES:
        yield {"caller": "custodian", "action": action, "resource": "*", "conditions": {}}
    for attribute in ("pk", "sk", "v", "environment", "seal", "claim"):
        yield {"caller": "custodian", "action": "dynamodb:BatchGetItem", "resource": "table/accounts", "conditions": {
            "dynamodb:LeadingKeys": ["signer#"], "dynamodb:Attributes": [attribute], "dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}


def callers(record):
    """Who may have made a call: its caller, or the signers of its URL."""
    if record["caller"] == "local-role" and record["resource"].startswith("bucket/dossiers"):
        return ("dossiers",)
    return URL_SIGNERS.get((record["caller"], record["action"]), (record["caller"],))


def complaints(resources, recorded):
    """The differences, one per line."""
    for caller, owner in owners(resources).items():
        calls = [of_record(each) for each in recorded if caller in callers(each)]
        for call in calls:
            yield from (f"{owner} is refused {call} by {sid}"
                        for sid in refusals(resources, owner, call.action, call.resource, call.conditions))
        if owner not in users(resources):
            calls += on_behalf(resources, calls)
        if caller in functions(resources):
            calls += of_lambda(resources, caller)
        statements = statements_of(resources[owner])
        yield from (f"{owner} lacks {call}" for call in missing(statements, calls))
        yield from (f"{owner} needs no {part}" for part in superfluous(statements, calls))


def read_records(directory):
    lines = {line for path in Path(directory).glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()}
    return [json.loads(line) for line in sorted(lines)]


def main(path, directory):
    template = json.loads(Path(path).read_text(encoding="utf-8"))
    recorded = read_records(directory)
    if not recorded:
        sys.exit(f"no calls were recorded in {directory}: run the tests with LACRE_CALLS={directory}")
    recorded += of_comparison()
    stacks = [settled(template, Tracing=tracing) for tracing in ("false", "true")]
    # A fault of both variants is reported once.
    faults = dict.fromkeys(fault for resources in stacks for fault in complaints(resources, recorded))
    if faults:
        sys.exit("\n".join(faults))
    print(f"template.yaml: the roles grant the {len(recorded)} kinds of recorded calls, and nothing else")


if __name__ == "__main__":
    main(*sys.argv[1:])
