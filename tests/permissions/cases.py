"""Evaluates the roles' policies of the transformed template, conditions included, for requests whose outcome is known. The
emulators of AWS that the other tests use leave conditions out.

usage: cases.py TEMPLATE.json   (by scripts/check-template)
"""

import json
import sys

from policy import grants, listed, statements_of, text

# What a request looks like to a condition: one value, or a list where the key has several.
KEYS, ATTRIBUTES = "dynamodb:LeadingKeys", "dynamodb:Attributes"
SHARD = ["pk", "sk", "captures", "v"]
REBOUND = ["pk", "license_id", "photos"]
RSA = {"kms:SigningAlgorithm": "RSASSA_PKCS1_V1_5_SHA_256", "kms:MessageType": "DIGEST"}
EC = {"kms:SigningAlgorithm": "ECDSA_SHA_256", "kms:MessageType": "DIGEST"}
OURS, THEIRS = {"aws:ResourceTag/lacre-seal": "AWS::StackName"}, {"aws:ResourceTag/lacre-seal": "another"}

MESSAGE, SECRET = ({"kms:EncryptionContext:purpose": f"webhook-{what}"} for what in ("message", "secret"))
CONCLUDED = ["client_id", "attempt_id", "claim", "claimed_at", "outcome"]

# Resources, as the template writes them. A seal key is any key with the tag.
ACCOUNTS, SESSIONS, EVIDENCE, CLAIM = "AccountsTable.Arn", "SessionsTable.Arn", "EvidenceTable.Arn", "ProductionClaimKey.Arn"
WEBHOOKS, WEBHOOKS_KEY = "WebhooksTable.Arn", "WebhooksKey.Arn"
SEAL = "arn:${AWS::Partition}:kms:${AWS::Region}:${AWS::AccountId}:key/seal"

# Role, action, resource, condition keys of the request, whether the policy allows it.
CASES = [
    ("AlertsRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["alerts_of#a-license"]}, True),
    ("AlertsRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["alerts#2026-11"]}, True),
    ("AlertsRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["alerts_of#a-license"]}, True),
    ("AlertsRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: ["alerts#unpublished"]}, True),
    ("AlertsRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: ["alerts_of#a-license"]}, False),
    ("AlertsRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["license#a-license"]}, False),
    ("AlertsRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["license_key#a-hash"]}, False),
    ("AlertsRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    *[("AdminRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: [key]}, True)
      for key in ("clients", "client#1", "api_key#1", "license#1", "license_key#1", "alerts#2026-11", "alerts_of#1")],
    ("AdminRole", "dynamodb:ConditionCheckItem", ACCOUNTS, {KEYS: ["client#1"]}, True),
    ("AdminRole", "dynamodb:ConditionCheckItem", ACCOUNTS, {KEYS: ["license#1"]}, True),
    ("AdminRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["license#1", "signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: ["license#1"]}, False),
    ("AdminRole", "dynamodb:GetItem", EVIDENCE, {}, False),
    *[("AdminRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: [key]}, False)
      for key in ("clients", "license#1", "alerts#2026-11", "alerts_of#1")],
    # Reads: the keys of one request are allowed together or not at all.
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1", "license_key#1"]}, True),
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1", "client#1"]}, False),
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "client#1"]}, True),
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    ("LoadSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "client#1"]}, True),
    ("LoadSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "signer#PRODUCTION"]}, False),
    ("LoadSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1"]}, False),
    ("IngestRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "client#1", "signer#PRODUCTION"]}, True),
    ("IngestRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license_key#1"]}, False),
    ("IngestRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["alerts_of#1"]}, False),
    ("ValidateRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license_key#1"]}, True),
    ("ValidateRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1"]}, False),
    ("ValidateRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["clients"]}, True),
    ("AdminRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    ("AlertsRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["alerts#unpublished"]}, True),
    ("AlertsRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["clients"]}, False),
    ("AlertsRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license_key#1"]}, False),
    ("CreateSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["creations#1#2"]}, True),
    ("CreateSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"]}, False),
    ("LoadSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"], ATTRIBUTES: REBOUND}, True),
    ("LoadSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"], ATTRIBUTES: [*REBOUND, "expires_at"]}, False),
    ("LoadSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["nonce#1"], ATTRIBUTES: REBOUND}, False),
    ("SessionStatusRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["session#1"]}, True),
    ("SessionStatusRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["nonce#1"]}, False),
    ("ValidateRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["session#1"]}, True),
    ("ValidateRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"], ATTRIBUTES: REBOUND}, False),
    ("SessionResultsRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["session#1"]}, True),
    ("SessionResultsRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["nonce#1"]}, False),
    ("IngestRole", "kms:GenerateDataKey", WEBHOOKS_KEY, MESSAGE, True),
    ("IngestRole", "kms:GenerateDataKey", WEBHOOKS_KEY, SECRET, False),
    ("IngestRole", "kms:Decrypt", WEBHOOKS_KEY, MESSAGE, False),
    ("IngestRole", "dynamodb:PutItem", WEBHOOKS, {KEYS: ["a-client"]}, True),
    ("IngestRole", "dynamodb:Query", WEBHOOKS, {KEYS: ["a-client"]}, False),
    ("AdminRole", "kms:GenerateDataKey", WEBHOOKS_KEY, SECRET, True),
    ("AdminRole", "kms:GenerateDataKey", WEBHOOKS_KEY, MESSAGE, False),
    ("AdminRole", "kms:Decrypt", WEBHOOKS_KEY, SECRET, False),
    ("AdminRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["webhook_secrets#1#SANDBOX"]}, True),
    ("AdminRole", "dynamodb:UpdateItem", WEBHOOKS, {KEYS: ["a-client"], ATTRIBUTES: [*CONCLUDED, "url"]}, False),
    ("WebhooksRole", "kms:Decrypt", WEBHOOKS_KEY, MESSAGE, True),
    ("WebhooksRole", "kms:Decrypt", WEBHOOKS_KEY, SECRET, True),
    ("WebhooksRole", "kms:Decrypt", WEBHOOKS_KEY, {}, False),
    ("WebhooksRole", "kms:GenerateDataKey", WEBHOOKS_KEY, MESSAGE, False),
    ("WebhooksRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["webhook_secrets#1#SANDBOX"]}, True),
    ("WebhooksRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["client#1"]}, False),
    ("WebhooksRole", "dynamodb:UpdateItem", WEBHOOKS, {KEYS: ["a-client"], ATTRIBUTES: CONCLUDED}, True),
    ("WebhooksRole", "dynamodb:UpdateItem", WEBHOOKS, {KEYS: ["a-client"], ATTRIBUTES: [*CONCLUDED, "url"]}, False),
    ("WebhooksRole", "dynamodb:PutItem", WEBHOOKS, {KEYS: ["a-client"]}, False),
    ("WebhooksRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["session#1"]}, False),
    ("IngestRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["license#1"], ATTRIBUTES: SHARD}, True),
    ("IngestRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["license#1"], ATTRIBUTES: [*SHARD, "status"]}, False),
    ("IngestRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["client#1"], ATTRIBUTES: SHARD}, False),
    ("IngestRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["license#1"], ATTRIBUTES: SHARD}, False),
    ("IngestRole", "kms:Sign", CLAIM, EC, True),
    ("IngestRole", "kms:Sign", CLAIM, RSA, False),
    ("IngestRole", "kms:Sign", CLAIM, {**EC, "kms:MessageType": "RAW"}, False),
    ("IngestRole", "kms:Sign", SEAL, {**RSA, **OURS}, True),
    ("IngestRole", "kms:Sign", SEAL, {**RSA, **THEIRS}, False),
    ("IngestRole", "kms:Sign", SEAL, RSA, False),
    ("IngestRole", "kms:Sign", SEAL, {**EC, **OURS}, False),
    ("IngestRole", "kms:GetPublicKey", SEAL, OURS, True),
    ("IngestRole", "kms:GetPublicKey", SEAL, THEIRS, False),
    ("IngestRole", "kms:GetPublicKey", CLAIM, {}, True),
]


def faults_of_roles(resources):
    for role, action, resource, said, may in CASES:
        if any(grants(statement, action, resource, said) for statement in statements_of(resources[role])) != may:
            yield f"{role} {'may not' if may else 'may'} {action} on {resource} with {said}"


def faults_of_keys(resources):
    """Where kinds of records lie side by side in a table, each statement says which it is for."""
    for role, statement in ((name, each) for name, resource in resources.items() if resource["Type"] == "AWS::IAM::Role"
                            for each in statements_of(resource)):
        tables = {ACCOUNTS, SESSIONS} & {text(name) for name in listed(statement["Resource"])}
        if tables and not any(KEYS in wanted for wanted in statement.get("Condition", {}).values()):
            yield f"{role} may {statement['Action']} every item of {', '.join(sorted(tables))}"


def main(path):
    with open(path, encoding="utf-8") as source:
        resources = json.load(source)["Resources"]
    faults = [*faults_of_roles(resources), *faults_of_keys(resources)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"template.yaml: {len(CASES)} requests are allowed or refused as they should be")


if __name__ == "__main__":
    main(sys.argv[1])
