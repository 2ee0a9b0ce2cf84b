"""Matches calls, as CloudTrail reports them, against the flat template's rules as EventBridge does. Reports calls that
match unexpected rules, and rules that do not notify the operators.

Only the operators that the templates use are supported. Anything else raises an error.

With --drill the same calls are sent to the rules of a stack in an EventBridge emulator. A subscriber's queue must
get one message for each rule that a call should match, and no others. Event buses do not accept events with AWS's
own sources from callers, so the drill's events have a source that scripts/python/ministack_stack.py adds to the
rules.

usage: rules.py TEMPLATE.json                   (by scripts/check-template)
       rules.py --drill STACK QUEUE_URL         (by scripts/test-sandbox)"""

import collections
import fnmatch
import json
import sys
import time

STACK = "lacre-production"
BY_DEPLOYMENT = "cloudformation.amazonaws.com"
INGEST = f"arn:aws:sts::1:assumed-role/{STACK}-IngestRole-1A2B/{STACK}-IngestFunction-3C4D"
SEQUENCER = f"arn:aws:sts::1:assumed-role/{STACK}-SequencerRole-1A2B/{STACK}-SequencerFunction-3C4D"
PRETENDER = f"arn:aws:sts::1:assumed-role/another/{STACK}-IngestRole-1A2B"
TABLE = {"resourceArn": f"arn:aws:dynamodb:sa-east-1:1:table/{STACK}-EvidenceTable-1A2B"}
OTHERS_TABLE = {"resourceArn": "arn:aws:dynamodb:sa-east-1:1:table/another-Table"}
BUCKET, FUNCTION = {"bucketName": f"{STACK}-proofsbucket-1a2b"}, {"functionName": f"{STACK}-IngestFunction-1A2B"}
FUNCTION_ARN = {"functionName": f"arn:aws:lambda:sa-east-1:1:function:{STACK}-IngestFunction-1A2B"}
ALARM = {"alarmNames": [f"{STACK}-ObservabilityStack-1A2B-EvidenceChanged-3C4D"]}
RULE = {"name": f"{STACK}-InsidersStack-1A2B-AlarmsChange-3C4D"}

# Prefix of the sources of drill events. Like AWS, the emulator accepts no source with the prefix `aws.` from callers.
SOURCE_OF_DRILL = "drill."

# Rules that only count through their metrics and notify nobody.
COUNTING = {"SealsSigned", "ClaimsSigned", "CheckpointsSigned"}

# Service, call, parameters, further fields of the event, and the rules that must match.
CALLS = [
    *[("dynamodb", call, TABLE, {}, {"TablesChange"}) for call in ("PutResourcePolicy", "DeleteResourcePolicy")],
    ("dynamodb", "DeleteResourcePolicy", TABLE, {"sourceIPAddress": BY_DEPLOYMENT}, {"TablesChange"}),
    ("dynamodb", "PutResourcePolicy", OTHERS_TABLE, {}, set()),
    *[("dynamodb", call, {"tableName": f"{STACK}-EvidenceTable-1A2B"}, {}, {"TablesChange"})
      for call in ("UpdateTable", "UpdateContinuousBackups", "UpdateTimeToLive", "DeleteTable")],
    ("dynamodb", "UpdateTable", {"tableName": "another"}, {}, set()),
    *[("s3", call, BUCKET, {}, {"BucketsChange"})
      for call in ("PutBucketPolicy", "DeleteBucketPolicy", "PutBucketPublicAccessBlock", "DeleteBucketPublicAccessBlock",
                   "PutBucketVersioning", "PutBucketObjectLockConfiguration", "PutBucketLifecycle", "DeleteBucket")],
    ("s3", "PutBucketPolicy", {"bucketName": "another"}, {}, set()),
    ("s3", "PutBucketTagging", BUCKET, {}, set()),
    *[("kms", call, {"keyId": "1"}, {}, {"KeysChange"})
      for call in ("PutKeyPolicy", "DisableKey", "ScheduleKeyDeletion", "DeleteImportedKeyMaterial")],
    ("kms", "CreateGrant", {"keyId": "1", "operations": ["Verify", "Sign"]}, {}, {"GrantsToSign"}),
    ("kms", "CreateGrant", {"keyId": "1", "operations": ["Decrypt"]}, {}, set()),
    *[("kms", "Sign", {"keyId": "1", "signingAlgorithm": algorithm}, {"userIdentity": {"arn": arn}}, rung) for arn, algorithm, rung in (
        (INGEST, "RSASSA_PKCS1_V1_5_SHA_256", {"SealsSigned"}), (INGEST, "ECDSA_SHA_256", {"ClaimsSigned"}),
        (SEQUENCER, "ED25519_SHA_512", {"CheckpointsSigned"}), (PRETENDER, "ECDSA_SHA_256", {"OthersSign"}),
        ("arn:aws:iam::1:user/insider", "ECDSA_SHA_256", {"OthersSign"}))],
    ("kms", "Sign", {"keyId": "1"}, {"userIdentity": {}}, {"OthersSign"}),
    # A refused call made no signature.
    ("kms", "Sign", {"keyId": "1", "signingAlgorithm": "ECDSA_SHA_256"},
     {"userIdentity": {"arn": INGEST}, "errorCode": "ThrottlingException"}, set()),
    ("kms", "Sign", {"keyId": "1"}, {"userIdentity": {"arn": "arn:aws:iam::1:root"}, "errorCode": "AccessDenied"}, {"OthersSign"}),
    *[("lambda", call, said, {}, {"FunctionsChange"}) for said in (FUNCTION, FUNCTION_ARN)
      for call in ("UpdateFunctionCode20150331v2", "UpdateFunctionConfiguration20150331v2", "UpdateAlias20150331",
                   "AddPermission20150331v2")],
    ("lambda", "DeleteEventSourceMapping20150331", {"uUID": "1"}, {}, {"FunctionsChange"}),
    ("lambda", "UpdateFunctionCode20150331v2", FUNCTION, {"sourceIPAddress": BY_DEPLOYMENT}, set()),
    ("lambda", "UpdateAlias20150331", FUNCTION, {"sourceIPAddress": "codedeploy.amazonaws.com"}, set()),
    ("lambda", "UpdateFunctionCode20150331v2", {"functionName": "another"}, {}, set()),
    ("lambda", "DeleteFunctionCodeSigningConfig20200422", FUNCTION, {}, {"FunctionsChange"}),
    ("lambda", "UpdateCodeSigningConfig20200422", {"codeSigningConfigArn": "1"}, {}, {"FunctionsChange"}),
    *[("monitoring", call, ALARM, {}, {"AlarmsChange"}) for call in ("DeleteAlarms", "DisableAlarmActions", "SetAlarmState")],
    ("monitoring", "PutMetricAlarm", {"alarmName": ALARM["alarmNames"][0]}, {"sourceIPAddress": BY_DEPLOYMENT}, set()),
    ("sns", "Unsubscribe", {"subscriptionArn": "1"}, {}, {"AlarmsChange"}),
    # Two rules watch the rules, because a disabled rule cannot report that it was disabled.
    *[("events", call, RULE, {}, {"AlarmsChange", "TrailChanges"})
      for call in ("DisableRule", "DeleteRule", "PutRule", "RemoveTargets")],
    ("events", "PutRule", RULE, {"sourceIPAddress": BY_DEPLOYMENT}, set()),
    *[("cloudtrail", call, {"name": "trail"}, {}, {"TrailChanges"})
      for call in ("StopLogging", "DeleteTrail", "UpdateTrail", "PutEventSelectors")],
]


def named(part):
    """Replaces the stack's name in the texts of a part of the template."""
    match part:
        case {"Fn::Sub": text}:
            return text.replace("${AWS::StackName}", STACK)
        case dict():
            return {name: named(each) for name, each in part.items()}
        case list():
            return [named(each) for each in part]
    return part


def meets(value, wanted):
    """Whether a value matches one of a field's alternatives. None means that the event lacks the field."""
    match wanted:
        case {"exists": exists}:
            return (value is not None) == exists
        case _ if value is None:
            return False
        case str():
            return value == wanted
        case {"prefix": {"equals-ignore-case": prefix}}:
            return value.lower().startswith(prefix.lower())
        case {"prefix": str(prefix)}:
            return value.startswith(prefix)
        case {"wildcard": str(pattern)}:
            return fnmatch.fnmatchcase(value, pattern)
        case {"anything-but": {"wildcard": list(patterns)}}:
            return not any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns)
        case {"anything-but": list(others)}:
            return value not in others
    raise ValueError(f"{wanted} is not known here")


def matches(pattern, event):
    """Whether an event matches a pattern. For a field with several values, one match suffices."""
    for name, wanted in pattern.items():
        if name == "$or":
            held = any(matches(each, event) for each in wanted)
        elif isinstance(wanted, dict):
            held = matches(wanted, event.get(name, {}))
        else:
            values = event.get(name)
            held = any(meets(value, each) for each in wanted for value in (values if isinstance(values, list) else [values]))
        if not held:
            return False
    return True


def event_of(service, call, parameters, said):
    return {"source": f"aws.{service}", "detail-type": "AWS API Call via CloudTrail", "detail": {
        "eventSource": f"{service}.amazonaws.com", "eventName": call, "requestParameters": parameters,
        "sourceIPAddress": "192.0.2.1", "userIdentity": {"arn": "arn:aws:iam::1:user/insider"}, **said}}


def faults(rules):
    rung = set()
    for service, call, parameters, said, expected in CALLS:
        event = event_of(service, call, parameters, said)
        found = {name for name, rule in rules.items() if matches(rule["EventPattern"], event)}
        rung |= found
        if found != expected:
            yield f"{call} of {parameters} with {said} rings {sorted(found)}, and not {sorted(expected)}"
    yield from (f"no call rings {name}" for name in sorted(rules.keys() - rung))
    for name, rule in rules.items():
        if name not in COUNTING and [target["Arn"] for target in rule["Targets"]] != [{"Ref": "AlertsTopic"}]:
            yield f"{name} does not reach the operators"


def messages(sqs, queue, wanted, patience=30):
    """The event ids in the queue's messages, once all wanted ones have arrived or `patience` seconds have passed."""
    seen, end = collections.Counter(), time.monotonic() + patience
    while seen.total() < wanted and time.monotonic() < end:
        for message in sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1).get("Messages", []):
            text = json.loads(message["Body"])["Message"]
            seen[text.rpartition("event: ")[2].rstrip('"')] += 1
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    return seen


def drill(stack, queue):
    from ministack_stack import client

    wanted, events, entries = collections.Counter(), client("events"), []
    for number, (service, call, parameters, said, expected) in enumerate(CALLS):
        event = event_of(service, call, parameters, {"eventTime": "2026-11-29T12:00:00Z", "eventID": f"drill-{number}", **said})
        detail = json.dumps(event["detail"]).replace(STACK, stack)
        entries.append({"Source": SOURCE_OF_DRILL + service, "DetailType": event["detail-type"], "Detail": detail})
        if rung := len(expected - COUNTING):
            wanted[f"drill-{number}"] = rung
    for begin in range(0, len(entries), 10):
        answer = events.put_events(Entries=entries[begin:begin + 10])
        assert not answer["FailedEntryCount"], answer
    found = messages(client("sqs"), queue, wanted.total())
    found += messages(client("sqs"), queue, 1, patience=2)
    if wrong := [f"{CALLS[int(each.rpartition('-')[2])][:3]}: {found[each]} messages, and not {wanted[each]}"
                 for each in sorted(wanted.keys() | found.keys()) if found[each] != wanted[each]]:
        sys.exit("\n".join(wrong))
    print(f"{wanted.total()} messages about {len(wanted)} of {len(CALLS)} calls reach the operators")


def main(path):
    with open(path, encoding="utf-8") as file:
        resources = json.load(file)["Resources"]
    rules = {name: named(each["Properties"]) for name, each in resources.items()
             if each["Type"] == "AWS::Events::Rule" and "EventPattern" in each["Properties"]}
    if found := list(faults(rules)):
        sys.exit("\n".join(found))
    print(f"{len(rules)} rules notify operators of {len(CALLS)} calls as they should")


if __name__ == "__main__":
    if sys.argv[1] == "--drill":
        drill(*sys.argv[2:])
    else:
        main(sys.argv[1])
