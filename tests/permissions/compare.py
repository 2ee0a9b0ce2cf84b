"""Compares the roles of the flat template with the calls that were recorded while the tests ran: a role grants what
its function, or its person, called, and nothing else; and no bucket or table refuses it. README.md explains how.

usage: compare.py TEMPLATE.json DIRECTORY   (by scripts/check-roles)
"""

import copy
import itertools
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from policy import grants, listed, refusals, settled, statements_of, text, whole

# Who signed a URL, by the access keys of the local service: the role of the function that presigns uploads, and the user that
# presigns results.
URL_SIGNERS = {"local-role": "load-session", "local-presigner": "Presigner"}
SEAL_TAG = {"aws:ResourceTag/lacre-seal": "AWS::StackName"}
# No upload of ours has parts.
CREATION = {"s3:ObjectCreationOperation": "true"}
# The roles of people, by the names that their program calls AWS under.
PEOPLE = {"custodian": "CustodianRole"}
# What reads policies back, which the local service has none of, so that no call is recorded.
READS_OF_POLICIES = ("dynamodb:GetResourcePolicy", "kms:GetKeyPolicy", "s3:GetBucketPolicy", "s3:GetBucketPublicAccessBlock",
                     "s3:GetBucketVersioning", "s3:GetBucketObjectLockConfiguration")


@dataclass
class Call:
    """A request to AWS; the resource by its name in the template."""
    action: str
    resource: str
    conditions: dict = field(default_factory=dict)

    def __str__(self):
        return " ".join([self.action, "on", self.resource, *(f"{key}={value}" for key, value in self.conditions.items())])


def of_record(recorded):
    """A line of the records as a call."""
    kind, _, rest = recorded["resource"].partition("/")
    name, _, detail = rest.partition("/")
    conditions = recorded["conditions"]
    match kind:
        case "table":
            table = f"{name.capitalize()}Table.Arn"
            # An index is a resource of its own: `table/evidence/index/by_frame`.
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
    """The calls that no statement grants."""
    return [call for call in calls
            if not any(grants(statement, call.action, call.resource, call.conditions) for statement in statements)]


def split(statements):
    """The same statements, with one action on one resource in each. An action that is needed on one resource does not excuse another."""
    for statement in statements:
        for action, resource in itertools.product(listed(statement["Action"]), listed(statement["Resource"])):
            yield {**copy.deepcopy(statement), "Action": action, "Resource": resource}


def values_of_conditions(statement):
    """The keys of a statement's conditions, with the lists that hold their values."""
    for wanted in statement.get("Condition", {}).values():
        for key in wanted:
            wanted[key] = listed(wanted[key])
            yield key, wanted[key]


def superfluous(statements, calls):
    """What can be removed without any call being refused."""
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
    """The functions by the names that they call AWS under."""
    return {resource["Metadata"]["BuildProperties"]["Binary"]: (name, resource["Properties"])
            for name, resource in resources.items() if resource["Type"] == "AWS::Lambda::Function"}


def users(resources):
    return {name: name for name, resource in resources.items() if resource["Type"] == "AWS::IAM::User"}


def owners(resources):
    """Whose statements are compared: functions and people, by their roles, and users."""
    roles = {caller: text(function["Role"]).removesuffix(".Arn") for caller, (_, function) in functions(resources).items()}
    return users(resources) | roles | {caller: role for caller, role in PEOPLE.items() if role in resources}


def arn(value):
    """A reference, by which resources name each other, as a statement names its resource."""
    return text(value) if "Fn::GetAtt" in value else f"{text(value)}.Arn"


def of_lambda(resources, caller):
    """What Lambda calls under a function's role."""
    logical, function = functions(resources)[caller]
    # It writes the function's log.
    for action in ("logs:CreateLogStream", "logs:PutLogEvents"):
        yield Call(action, arn(function["LoggingConfig"]["LogGroup"]))
    # X-Ray's daemon, which it runs, sends what is traced.
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
            # It takes messages from a queue.
            for action in ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"):
                yield Call(action, arn(mapping["EventSourceArn"]))
        else:
            # It reads the stream, and sends records that failed to the queue. Listing knows no resource.
            for action in ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"):
                yield Call(action, arn(mapping["EventSourceArn"]))
            yield Call("dynamodb:ListStreams", "*")
            yield Call("sqs:SendMessage", arn(mapping["DestinationConfig"]["OnFailure"]["Destination"]))


def on_behalf(resources, calls):
    """What AWS calls under a role because of these calls; no request of ours shows it."""
    for call in calls:
        through = {"kms:ViaService": f"{call.action.split(':')[0]}.${{AWS::Region}}.amazonaws.com"}
        match call.action:
            # An encrypted secret is decrypted for the caller.
            case "secretsmanager:GetSecretValue":
                yield Call("kms:Decrypt", arn(resources[call.resource]["Properties"]["KmsKeyId"]), through)
            # A message to an encrypted topic is encrypted for the caller.
            case "sns:Publish":
                for action in ("kms:Decrypt", "kms:GenerateDataKey"):
                    yield Call(action, arn(resources[call.resource]["Properties"]["KmsMasterKeyId"]), through)
            # S3 distinguishes a missing object from a forbidden one only for callers that may list the bucket.
            case "s3:GetObject":
                yield Call("s3:ListBucket", whole(call.resource))


def of_comparison():
    """The records of what `evidence compare` calls to read policies back: also those of seal keys, which signer profiles name."""
    for action in READS_OF_POLICIES:
        yield {"caller": "custodian", "action": action, "resource": "*", "conditions": {}}
    for attribute in ("pk", "sk", "v", "environment", "seal", "claim"):
        yield {"caller": "custodian", "action": "dynamodb:BatchGetItem", "resource": "table/accounts", "conditions": {
            "dynamodb:LeadingKeys": ["signer#"], "dynamodb:Attributes": [attribute], "dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}


def complaints(resources, recorded):
    """The differences, one line each."""
    for caller, owner in owners(resources).items():
        calls = [of_record(each) for each in recorded if URL_SIGNERS.get(each["caller"], each["caller"]) == caller]
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
    # A fault of both is said once.
    faults = dict.fromkeys(fault for resources in stacks for fault in complaints(resources, recorded))
    if faults:
        sys.exit("\n".join(faults))
    print(f"template.yaml: the roles grant the {len(recorded)} kinds of recorded calls, and nothing else")


if __name__ == "__main__":
    main(*sys.argv[1:])
