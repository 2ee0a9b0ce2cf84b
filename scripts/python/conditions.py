"""Reads the roles' policies of the transformed template as IAM does, conditions included, and compares what they allow with
what they are meant to. The emulator of AWS that the other tests use leaves conditions out.

Only what template.yaml uses is known: Allow statements, and the operators below. Anything else ends this with an error.

usage: conditions.py TEMPLATE.json   (by scripts/check-template)
"""

import fnmatch
import json
import sys

# What a request looks like to a condition: one value, or a list where the key has several.
KEYS, ATTRIBUTES = "dynamodb:LeadingKeys", "dynamodb:Attributes"
SHARD = ["pk", "sk", "captures", "v"]
RSA = {"kms:SigningAlgorithm": "RSASSA_PKCS1_V1_5_SHA_256", "kms:MessageType": "DIGEST"}
EC = {"kms:SigningAlgorithm": "ECDSA_SHA_256", "kms:MessageType": "DIGEST"}
OURS, THEIRS = {"aws:ResourceTag/lacre-seal": "AWS::StackName"}, {"aws:ResourceTag/lacre-seal": "another"}

# Role, action, the resource's name in the template, what the request says, whether it may.
CASES = [
    ("AlertsRole", "dynamodb:PutItem", "AccountsTable", {KEYS: ["alerts_of#a-license"]}, True),
    ("AlertsRole", "dynamodb:PutItem", "AccountsTable", {KEYS: ["alerts#2026-11"]}, True),
    ("AlertsRole", "dynamodb:UpdateItem", "AccountsTable", {KEYS: ["alerts_of#a-license"]}, True),
    ("AlertsRole", "dynamodb:DeleteItem", "AccountsTable", {KEYS: ["alerts#unpublished"]}, True),
    ("AlertsRole", "dynamodb:DeleteItem", "AccountsTable", {KEYS: ["alerts_of#a-license"]}, False),
    ("AlertsRole", "dynamodb:PutItem", "AccountsTable", {KEYS: ["license#a-license"]}, False),
    ("AlertsRole", "dynamodb:UpdateItem", "AccountsTable", {KEYS: ["license_key#a-hash"]}, False),
    ("AlertsRole", "dynamodb:UpdateItem", "AccountsTable", {KEYS: ["signer#PRODUCTION"]}, False),
    *[("AdminRole", "dynamodb:PutItem", "AccountsTable", {KEYS: [key]}, True)
      for key in ("clients", "client#1", "api_key#1", "license#1", "license_key#1", "alerts#2026-11", "alerts_of#1")],
    ("AdminRole", "dynamodb:ConditionCheckItem", "AccountsTable", {KEYS: ["client#1"]}, True),
    ("AdminRole", "dynamodb:PutItem", "AccountsTable", {KEYS: ["signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:UpdateItem", "AccountsTable", {KEYS: ["license#1", "signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:DeleteItem", "AccountsTable", {KEYS: ["license#1"]}, False),
    ("AdminRole", "dynamodb:GetItem", "EvidenceTable", {}, False),
    ("IngestRole", "dynamodb:UpdateItem", "AccountsTable", {KEYS: ["license#1"], ATTRIBUTES: SHARD}, True),
    ("IngestRole", "dynamodb:UpdateItem", "AccountsTable", {KEYS: ["license#1"], ATTRIBUTES: [*SHARD, "status"]}, False),
    ("IngestRole", "dynamodb:UpdateItem", "AccountsTable", {KEYS: ["client#1"], ATTRIBUTES: SHARD}, False),
    ("IngestRole", "dynamodb:PutItem", "AccountsTable", {KEYS: ["license#1"], ATTRIBUTES: SHARD}, False),
    ("IngestRole", "kms:Sign", "ProductionClaimKey", EC, True),
    ("IngestRole", "kms:Sign", "ProductionClaimKey", RSA, False),
    ("IngestRole", "kms:Sign", "ProductionClaimKey", {**EC, "kms:MessageType": "RAW"}, False),
    ("IngestRole", "kms:Sign", "key", {**RSA, **OURS}, True),
    ("IngestRole", "kms:Sign", "key", {**RSA, **THEIRS}, False),
    ("IngestRole", "kms:Sign", "key", RSA, False),
    ("IngestRole", "kms:Sign", "key", {**EC, **OURS}, False),
    ("IngestRole", "kms:GetPublicKey", "key", OURS, True),
    ("IngestRole", "kms:GetPublicKey", "key", THEIRS, False),
    ("IngestRole", "kms:GetPublicKey", "ProductionClaimKey", {}, True),
]


def listed(value):
    return value if isinstance(value, list) else [value]


def text(value):
    """A reference as the name that it refers to."""
    if isinstance(value, dict):
        value = value.get("Ref") or value.get("Fn::GetAtt") or value["Fn::Sub"]
    return ".".join(value) if isinstance(value, list) else value


def holds(operator, wanted, said):
    """Whether one operator of a condition holds. `ForAllValues` holds of a key that the request does not have."""
    for_all, _, comparison = operator.rpartition(":")
    equal = {"StringEquals": str.__eq__, "StringLike": fnmatch.fnmatchcase}[comparison]
    for key, patterns in wanted.items():
        values = listed(said.get(key, []))
        matches = [any(equal(value, text(pattern)) for pattern in listed(patterns)) for value in values]
        if not all(matches) or (not for_all and not values):
            return False
    return True


def allows(statement, action, resource, said):
    if statement["Effect"] != "Allow":
        raise ValueError("only Allow statements are known here")
    names = [text(name).split("/")[-2 if text(name).endswith("/*") else -1] for name in listed(statement["Resource"])]
    is_named = any(resource in (name, name.removesuffix(".Arn")) or name.endswith(f":{resource}") for name in names)
    condition = statement.get("Condition", {})
    return (action in listed(statement["Action"]) and is_named
            and all(holds(operator, wanted, said) for operator, wanted in condition.items()))


def faults_of_roles(resources):
    for role, action, resource, said, may in CASES:
        policies = resources[role]["Properties"]["Policies"]
        statements = [each for policy in policies for each in policy["PolicyDocument"]["Statement"]]
        if any(allows(statement, action, resource, said) for statement in statements) != may:
            yield f"{role} {'may not' if may else 'may'} {action} on {resource} with {said}"


def faults_of_alarms(resources):
    """Each environment has an alarm of its own, 30 and 7 days before a certificate ends, which tells operators."""
    for environment in ("PRODUCTION", "STAGING", "SANDBOX"):
        for days in (30, 7):
            name = f"{environment.capitalize()}CertificateEndsIn{days}Days"
            alarm = resources[name]["Properties"]
            dimensions = {each["Name"]: text(each["Value"]) for each in alarm["Dimensions"]}
            told = (alarm["Namespace"], alarm["MetricName"], alarm["Statistic"], alarm["ComparisonOperator"],
                    alarm["Threshold"], dimensions, text(alarm["AlarmActions"][0]))
            if told != ("Lacre", "CertificateDaysLeft", "Minimum", "LessThanOrEqualToThreshold", days,
                        {"Stack": "AWS::StackName", "Environment": environment}, "AlertsTopic"):
                yield f"{name} watches {told}"


def main(path):
    with open(path, encoding="utf-8") as source:
        resources = json.load(source)["Resources"]
    faults = [*faults_of_roles(resources), *faults_of_alarms(resources)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"template.yaml: {len(CASES)} requests are allowed or refused as they should be, and 6 alarms tell of certificates")


if __name__ == "__main__":
    main(sys.argv[1])
