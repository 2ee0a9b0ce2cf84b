"""Evaluates the IAM policies of the flat template, including conditions, for requests with a known outcome. Policies
of roles and users are evaluated together with those of buckets, tables and keys. The AWS emulators of the other
tests ignore conditions.

The evaluation runs twice: with the export bucket in the stack, and with that of infra/export-bucket.yaml in
another account.

usage: cases.py TEMPLATE.json EXPORT_BUCKET.yaml   (by scripts/check-template)"""

import json
import sys

from policy import allows, grants, guards, listed, principals, settled, statements_of, text, whole

# Condition keys of a request: a single value, or a list if the key is multi-valued.
KEYS, ATTRIBUTES = "dynamodb:LeadingKeys", "dynamodb:Attributes"
SHARD = ["pk", "sk", "captures", "v"]
REBOUND = ["pk", "license_id", "photos"]
ERASED = ["pk", "photos", "reference_id"]
RSA = {"kms:SigningAlgorithm": "RSASSA_PKCS1_V1_5_SHA_256", "kms:MessageType": "DIGEST"}
EC = {"kms:SigningAlgorithm": "ECDSA_SHA_256", "kms:MessageType": "DIGEST"}
OURS, THEIRS = {"aws:ResourceTag/lacre-seal": "AWS::StackName"}, {"aws:ResourceTag/lacre-seal": "another"}

MESSAGE, SECRET = ({"kms:EncryptionContext:purpose": f"webhook-{what}"} for what in ("message", "secret"))
PRINTS_SECRET = {"kms:EncryptionContext:purpose": "prints"}
CONCLUDED = ["client_id", "attempt_id", "claim", "claimed_at", "outcome"]
FAILED = [*CONCLUDED, "failing"]
ACKNOWLEDGED = ["pk", "sk", "acknowledged_at", "acknowledged_by"]
# A read of some attributes, and the attributes of a signer profile that are not secret.
PART = {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}
PUBLIC = ["pk", "sk", "v", "environment", "seal", "claim"]

# Resources, as the template names them. Any key with the tag is a seal key.
ACCOUNTS, SESSIONS, EVIDENCE, CLAIM = "AccountsTable.Arn", "SessionsTable.Arn", "EvidenceTable.Arn", "ProductionClaimKey.Arn"
WEBHOOKS, WEBHOOKS_KEY = "WebhooksTable.Arn", "WebhooksKey.Arn"
SEAL = "arn:${AWS::Partition}:kms:${AWS::Region}:${AWS::AccountId}:key/seal"
PERSONAL, FRAMES, AUDIT = "PersonalTable.Arn", "FramesTable.Arn", "AuditTable.Arn"
PRINTS, PRINTS_KEY = "PrintsTable.Arn", "PrintsKey.Arn"
BY_FRAME, BY_REFERENCE = f"${{{EVIDENCE}}}/index/by_frame", f"${{{PERSONAL}}}/index/by_reference"
BY_FAILURE = f"${{{WEBHOOKS}}}/index/by_failure"
BY_MONTH, BY_CLIENT = f"${{{AUDIT}}}/index/by_month", f"${{{AUDIT}}}/index/by_client"
INDEXES = (BY_FRAME, BY_REFERENCE, BY_FAILURE, BY_MONTH, BY_CLIENT)
PROOFS, EXPORT = "ProofsBucket.Arn", "ExportBucket.Arn"
PROOF = "${ProofsBucket.Arn}/id/manifest.c2pa"
EXPORTED, ERASURE = "${ExportBucket.Arn}/records/id.json", "${ExportBucket.Arn}/erasures/id.json"
ENTRY = "${ExportBucket.Arn}/audit/id.json"
LOG, TILE, CHECKPOINT = "LogTable.Arn", "${LogBucket.Arn}/production/tile/0/000", "${LogBucket.Arn}/production/checkpoint"
TIMESTAMP, PENDING = "${LogBucket.Arn}/production/dated/2026-11-26/timestamp", "${LogBucket.Arn}/pending/production/0-1-00"
DOSSIER = "${DossiersBucket.Arn}/id/dossier.zip"
BUNDLE = "${LogBucket.Arn}/production/dated/2026-11-26/bundle.p7b"
RENEWAL = [f"${{LogBucket.Arn}}/production/renewals/1/{name}" for name in ("covered", "timestamp", "bundle.p7b")]

# Conditions of a put, of a put that does not overwrite, and of a write within a transaction.
PUT = {"s3:ObjectCreationOperation": "true", "aws:SecureTransport": "true"}
NEW = {**PUT, "s3:if-none-match": "*"}
IN_TRANSACTION = {"dynamodb:EnclosingOperation": "TransactWriteItems"}

# Trust of the custodian's role: who may assume it, without a trusted permission set and with the permission set
# `Custodian`.
IAM_OF_ACCOUNT = "arn:${AWS::Partition}:iam::${AWS::AccountId}"
IDENTITY_CENTER = f"{IAM_OF_ACCOUNT}:role/aws-reserved/sso.amazonaws.com"
CUSTODIANS = [
    ({"aws:PrincipalArn": f"{IAM_OF_ACCOUNT}:user/a", "aws:MultiFactorAuthPresent": "true"}, True, True),
    ({"aws:PrincipalArn": f"{IAM_OF_ACCOUNT}:user/a"}, False, False),
    ({"aws:PrincipalArn": f"{IDENTITY_CENTER}/sa-east-1/AWSReservedSSO_Custodian_0123456789abcdef"}, False, True),
    ({"aws:PrincipalArn": f"{IDENTITY_CENTER}/AWSReservedSSO_Custodian_0123456789abcdef"}, False, True),
    ({"aws:PrincipalArn": f"{IDENTITY_CENTER}/sa-east-1/AWSReservedSSO_Auditor_0123456789abcdef"}, False, False),
    ({"aws:PrincipalArn": f"{IAM_OF_ACCOUNT}:role/AWSReservedSSO_Custodian_0123456789abcdef"}, False, False),
]

# Each case: role, action, resource, condition keys of the request, whether the policies allow it.
CASES = [
    ("AlertsRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["alerts_of#a-license"]}, True),
    ("AlertsRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["alerts#2026-11"]}, True),
    ("AlertsRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["alerts_of#a-license"]}, True),
    ("AlertsRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: ["alerts#unpublished"]}, True),
    ("AlertsRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: ["alerts_of#a-license"]}, False),
    ("AlertsRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["license#a-license"]}, False),
    ("AlertsRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["license_key#a-hash"]}, False),
    ("AlertsRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    # The operators' list of open alerts and the counts that they see. The count by which captures are refused is not
    # included.
    ("AlertsRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["alerts#open"]}, True),
    ("AlertsRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: ["alerts#open"]}, False),
    ("AlertsRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["counted#1", "counted#2"]}, True),
    *[("AlertsRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: [key], ATTRIBUTES: SHARD}, may)
      for key, may in (("counted#1", True), ("captures#2026-11", True), ("license#1", False))],
    *[("AlertsRole", action, ACCOUNTS, {KEYS: [key]}, False) for key in ("counted#1", "captures#2026-11")
      for action in ("dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:Query")],
    *[("AdminRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: [key]}, may)
      for key, may in (("clients", True), ("licenses", True), ("license_keys", True), ("client#1", True), ("api_key#1", True),
                       ("license#1", True), ("license_key#1", True), ("alerts#2026-11", True), ("alerts#open", True),
                       ("alerts#unpublished", True), ("alerts_of#1", True), ("counted#1", False), ("captures#2026-11", False))],
    ("AdminRole", "dynamodb:ConditionCheckItem", ACCOUNTS, {KEYS: ["client#1"]}, True),
    ("AdminRole", "dynamodb:ConditionCheckItem", ACCOUNTS, {KEYS: ["license#1"]}, True),
    ("AdminRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["license#1", "signer#PRODUCTION"]}, False),
    ("AdminRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: ["license#1"]}, False),
    ("AdminRole", "dynamodb:GetItem", EVIDENCE, {}, False),
    ("AdminRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["client#1"], **IN_TRANSACTION}, True),
    *[("AdminRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: [key]}, False)
      for key in ("clients", "licenses", "license_keys", "license#1", "counted#1", "captures#2026-11")],
    # The admin role may acknowledge an alert, but change nothing else in it.
    *[("AdminRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: [key], ATTRIBUTES: attributes, **IN_TRANSACTION}, may)
      for key in ("alerts#2026-11", "alerts_of#1")
      for attributes, may in ((ACKNOWLEDGED, True), ([*ACKNOWLEDGED, "published_at"], False),
                              (["pk", "sk", "captures_used"], False))],
    *[("AdminRole", "dynamodb:DeleteItem", ACCOUNTS, {KEYS: [key], **IN_TRANSACTION}, key == "alerts#open")
      for key in ("alerts#open", "alerts#unpublished", "alerts#2026-11", "alerts_of#1", "licenses", "license_keys", "clients")],
    # Kits and senders are put and read. None is deleted, and what functions need of them they read by key.
    *[("AdminRole", action, ACCOUNTS, {KEYS: ["hosting#1#PRODUCTION"], **IN_TRANSACTION}, may) for action, may in (
        ("dynamodb:PutItem", True), ("dynamodb:BatchGetItem", True), ("dynamodb:Query", True), ("dynamodb:UpdateItem", False),
        ("dynamodb:DeleteItem", False), ("dynamodb:Scan", False))],
    *[(role, action, ACCOUNTS, {KEYS: ["hosting#1#PRODUCTION"]}, action == "dynamodb:BatchGetItem")
      for role in ("CreateSessionRole", "LoadSessionRole", "SessionStatusRole")
      for action in ("dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem")],
    *[(role, "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["hosting#1#PRODUCTION"]}, False)
      for role in ("IngestRole", "ValidateRole", "AlertsRole")],
    ("SessionStatusRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["client#1"]}, False),
    # Reads: a batch request is allowed only if all of its keys are.
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1", "license_key#1"]}, True),
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1", "client#1"]}, False),
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "client#1"]}, True),
    ("CreateSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    ("LoadSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "client#1"]}, True),
    ("LoadSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "signer#PRODUCTION"]}, False),
    ("LoadSessionRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1"]}, False),
    ("IngestRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license#1", "client#1", "signer#PRODUCTION", "staple#PRODUCTION"]}, True),
    *[("IngestRole", action, ACCOUNTS, {KEYS: ["staple#PRODUCTION"]}, False)
      for action in ("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem")],
    ("IngestRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license_key#1"]}, False),
    ("IngestRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["alerts_of#1"]}, False),
    ("ValidateRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license_key#1"]}, True),
    ("ValidateRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["api_key#1"]}, False),
    ("ValidateRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"]}, False),
    *[("AdminRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: keys}, may) for keys, may in (
        (["alerts_of#1", "alerts_of#2"], True), (["counted#1", "counted#2"], True), (["captures#2026-11"], True),
        (["webhook_secrets#1#SANDBOX"], False), (["signer#PRODUCTION"], False), (["client#1", "signer#PRODUCTION"], False))],
    # The certificates of a signer profile may be read, but not the timestamp authorities' addresses, which may
    # contain passwords.
    *[("AdminRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION", "signer#SANDBOX"], **said}, may)
      for said, may in (({ATTRIBUTES: PUBLIC, **PART}, True), ({ATTRIBUTES: [*PUBLIC, "timestamps"], **PART}, False),
                        ({ATTRIBUTES: ["timestamps"], **PART}, False), ({ATTRIBUTES: PUBLIC}, False),
                        ({"dynamodb:Select": "ALL_ATTRIBUTES"}, False))],
    *[("AdminRole", action, ACCOUNTS, {KEYS: ["signer#PRODUCTION"], ATTRIBUTES: PUBLIC, **PART}, False)
      for action in ("dynamodb:GetItem", "dynamodb:Query", "dynamodb:Scan", "dynamodb:PartiQLSelect")],
    *[("AdminRole", "dynamodb:Query", ACCOUNTS, {KEYS: [key]}, may) for key, may in (
        ("clients", True), ("licenses", True), ("license_keys", True), ("client#1", True), ("license#1", False),
        ("volume#1#00", True), ("alerts#open", True), ("alerts#2026-11", True), ("alerts_of#1", True), ("signer#PRODUCTION", False),
        ("counted#1", False), ("license_key#1", False))],
    # The function that asks authorities reads certificates, too. It writes OCSP responses and evidence bundles, and nothing else.
    *[("RevocationRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"], **said}, may)
      for said, may in (({ATTRIBUTES: PUBLIC, **PART}, True), ({"dynamodb:Select": "ALL_ATTRIBUTES"}, False))],
    *[("RevocationRole", "dynamodb:BatchWriteItem", ACCOUNTS, {KEYS: keys}, may) for keys, may in (
        (["staple#PRODUCTION", "staple#PRODUCTION#1"], True), (["signer#PRODUCTION"], False), (["license#1"], False))],
    *[("RevocationRole", "s3:PutObject", file, {}, True) for file in (BUNDLE, RENEWAL[2])],
    *[("RevocationRole", "s3:PutObject", file, {}, False) for file in (TIMESTAMP, CHECKPOINT, TILE, PENDING, *RENEWAL[:2])],
    *[("RevocationRole", "s3:GetObject", file, {}, may) for file, may in ((TIMESTAMP, True), (RENEWAL[1], True), (TILE, False), (PENDING, False))],
    # Operators may find captures by frame or reference, but never read a personal item.
    ("AdminRole", "dynamodb:BatchGetItem", EVIDENCE, {KEYS: ["id"]}, True),
    *[("AdminRole", "dynamodb:BatchGetItem", PERSONAL, {KEYS: keys}, may) for keys, may in (
        (["custody#1", "custody#2"], True), (["personal#1"], False), (["custody#1", "personal#1"], False))],
    *[("AdminRole", "dynamodb:Query", index, {KEYS: ["any"]}, True) for index in INDEXES],
    *[("AdminRole", "dynamodb:Scan", index, {}, False) for index in INDEXES],
    *[("AdminRole", "dynamodb:Query", table, {KEYS: ["any"]}, False) for table in (EVIDENCE, PERSONAL, AUDIT)],
    *[(role, "dynamodb:Query", index, {KEYS: ["any"]}, False)
      for role in ("ImageRole", "WebhooksRole", "IngestRole", "CustodianRole") for index in INDEXES],
    # The audit log: entries may be added and read.
    *[(role, "dynamodb:PutItem", AUDIT, {KEYS: ["id"], **enclosed}, True)
      for role in ("AdminRole", "CustodianRole") for enclosed in ({}, IN_TRANSACTION)],
    *[(role, "dynamodb:GetItem", AUDIT, {KEYS: ["id"]}, True) for role in ("AdminRole", "CustodianRole")],
    *[("AdminRole", action, AUDIT, {}, False) for action in ("dynamodb:Scan", "dynamodb:GetRecords")],
    ("AlertsRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["alerts#unpublished"]}, True),
    ("AlertsRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["clients"]}, False),
    ("AlertsRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["license_key#1"]}, False),
    ("CreateSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["creations#1#2"]}, True),
    ("CreateSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"]}, False),
    ("LoadSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"], ATTRIBUTES: REBOUND}, True),
    ("LoadSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"], ATTRIBUTES: [*REBOUND, "expires_at"]}, False),
    ("LoadSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["nonce#1"], ATTRIBUTES: REBOUND}, False),
    *[("LoadSessionRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: [key], ATTRIBUTES: attributes}, may)
      for key, attributes, may in (("nonce#1", ["pk", "consumed_by"], True), ("nonce#1", ["pk", "consumed_by", "photo"], False),
                                   ("session#1", ["pk", "consumed_by"], False))],
    *[(role, "dynamodb:PutItem", SESSIONS, {KEYS: [key]}, key == "nonce#1")
      for role in ("LoadSessionRole", "IngestRole") for key in ("nonce#1", "session#1")],
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
    *[("AdminRole", "dynamodb:UpdateItem", WEBHOOKS, {KEYS: ["a-client"], ATTRIBUTES: attributes, **IN_TRANSACTION}, may)
      for attributes, may in ((CONCLUDED, True), (["client_id", "attempt_id", "failing"], True), ([*FAILED, "url"], False))],
    ("AdminRole", "dynamodb:BatchGetItem", WEBHOOKS, {KEYS: ["a-client", "another"]}, True),
    ("AdminRole", "dynamodb:DeleteItem", WEBHOOKS, {KEYS: ["a-client"]}, False),
    ("WebhooksRole", "kms:Decrypt", WEBHOOKS_KEY, MESSAGE, True),
    ("WebhooksRole", "kms:Decrypt", WEBHOOKS_KEY, SECRET, True),
    ("WebhooksRole", "kms:Decrypt", WEBHOOKS_KEY, {}, False),
    ("WebhooksRole", "kms:GenerateDataKey", WEBHOOKS_KEY, MESSAGE, False),
    ("WebhooksRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["webhook_secrets#1#SANDBOX"]}, True),
    ("WebhooksRole", "dynamodb:Query", ACCOUNTS, {KEYS: ["client#1"]}, False),
    *[("WebhooksRole", "dynamodb:UpdateItem", WEBHOOKS, {KEYS: ["a-client"], ATTRIBUTES: attributes}, may)
      for attributes, may in ((CONCLUDED, True), (FAILED, True), ([*FAILED, "url"], False), ([*FAILED, "expires_at"], False))],
    ("WebhooksRole", "dynamodb:PutItem", WEBHOOKS, {KEYS: ["a-client"]}, False),
    ("WebhooksRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["session#1"]}, False),
    # The canary may read only its own secret, and no other role may read it.
    *[(role, "secretsmanager:GetSecretValue", secret, {}, (role == "CanaryRole") == (secret == "CanarySecret"))
      for role in ("CanaryRole", "IngestRole", "SessionResultsRole", "ImageRole") for secret in ("CanarySecret", "PresignerSecret")],
    *[("CanaryRole", "kms:Decrypt", "SecretsKey.Arn", said, may)
      for said, may in (({"kms:ViaService": "secretsmanager.${AWS::Region}.amazonaws.com"}, True), ({}, False))],
    ("CanaryRole", "kms:Decrypt", WEBHOOKS_KEY, MESSAGE, False),
    ("CanaryRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["session#1"]}, False),
    ("IngestRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["volume#1#03"], ATTRIBUTES: SHARD}, True),
    ("IngestRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: ["volume#1#03"], ATTRIBUTES: [*SHARD, "status"]}, False),
    *[("IngestRole", "dynamodb:UpdateItem", ACCOUNTS, {KEYS: [key], ATTRIBUTES: SHARD}, False)
      for key in ("client#1", "license#1", "license#1#3", "signer#PRODUCTION#1")],
    ("IngestRole", "dynamodb:PutItem", ACCOUNTS, {KEYS: ["volume#1#03"], ATTRIBUTES: SHARD}, False),
    ("IngestRole", "kms:Sign", CLAIM, EC, True),
    ("IngestRole", "kms:Sign", CLAIM, RSA, False),
    ("IngestRole", "kms:Sign", CLAIM, {**EC, "kms:MessageType": "RAW"}, False),
    ("IngestRole", "kms:Sign", SEAL, {**RSA, **OURS}, True),
    ("IngestRole", "kms:Sign", SEAL, {**RSA, **THEIRS}, False),
    ("IngestRole", "kms:Sign", SEAL, RSA, False),
    ("IngestRole", "kms:Sign", SEAL, {**EC, **OURS}, False),
    ("IngestRole", "kms:GetPublicKey", SEAL, OURS, True),
    ("IngestRole", "kms:GetPublicKey", SEAL, THEIRS, False),
    *[("DossiersRole", "kms:Sign", key, said, said == {**RSA, **OURS} and key == SEAL)
      for key in (SEAL, CLAIM, "LogKey.Arn") for said in ({**RSA, **OURS}, {**RSA, **THEIRS}, RSA, {**EC, **OURS})],
    ("IngestRole", "kms:GetPublicKey", CLAIM, {}, True),
    ("IngestRole", "dynamodb:GetItem", EVIDENCE, {KEYS: ["id"]}, True),
    ("IngestRole", "s3:PutObject", PROOF, {**NEW, "aws:SecureTransport": "false"}, False),
    ("ExportRole", "s3:PutObject", EXPORTED, {**NEW, "aws:SecureTransport": "false"}, False),
    *[(role, "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: [key]}, key == "client#1")
      for role in ("ImageRole", "SessionResultsRole", "CustodianRole") for key in ("client#1", "license#1")],
    ("ImageRole", "dynamodb:BatchGetItem", PERSONAL, {KEYS: ["custody#1", "personal#1"]}, False),
    ("Presigner", "s3:GetObject", PROOF, {}, True),
    ("Presigner", "s3:GetObject", EXPORTED, {}, False),
    *[("ExportRole", "s3:GetObject", stored, {}, True) for stored in (EXPORTED, ENTRY)],
    ("ExportRole", "s3:GetObject", ERASURE, {}, False),
    # The export adds waiting leaves. The sequencer assigns their positions and has no access to evidence.
    *[("ExportRole", "dynamodb:PutItem", LOG, {KEYS: [key]}, may) for key, may in (("leaf#id", True), ("head#PRODUCTION", False))],
    *[("SequencerRole", action, LOG, {KEYS: ["head#PRODUCTION"]}, may)
      for action, may in (("dynamodb:GetItem", True), ("dynamodb:PutItem", True), ("dynamodb:UpdateItem", True),
                          ("dynamodb:DeleteItem", False), ("dynamodb:BatchWriteItem", False))],
    *[("SequencerRole", action, LOG, {KEYS: ["leaf#id"]}, may)
      for action, may in (("dynamodb:BatchGetItem", True), ("dynamodb:BatchWriteItem", True), ("dynamodb:DeleteItem", False))],
    ("SequencerRole", "dynamodb:GetRecords", "${LogTable.Arn}/stream/current", {}, True),
    *[("SequencerRole", "dynamodb:GetRecords", f"${{{table}}}/stream/current", {}, False) for table in (EVIDENCE, PERSONAL, AUDIT)],
    *[("SequencerRole", "kms:Sign", key, {}, key == "LogKey.Arn") for key in ("LogKey.Arn", CLAIM, SEAL)],
    *[("SequencerRole", "s3:PutObject", stored, request, may)
      for stored, request, may in ((TILE, NEW, True), (TILE, PUT, False), (CHECKPOINT, PUT, True), (PROOF, NEW, False))],
    ("SequencerRole", "s3:DeleteObject", TILE, {}, False),
    *[("SequencerRole", "s3:PutObject", stored, request, may) for stored in (TIMESTAMP, BUNDLE, *RENEWAL)
      for request, may in ((NEW, True), (PUT, False))],
    *[("SequencerRole", "s3:DeleteObject", stored, {}, False) for stored in (BUNDLE, *RENEWAL)],
    *[("SequencerRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: [key]}, may) for key, may in (("signer#SANDBOX", True), ("license#1", False))],
    *[("SessionResultsRole", "dynamodb:BatchGetItem", LOG, {KEYS: [key]}, may)
      for key, may in (("leaf#id", True), ("head#PRODUCTION", False))],
    ("ExportRole", "s3:ListBucket", EXPORT, {}, True),
    ("ExportRole", "dynamodb:GetItem", EVIDENCE, {KEYS: ["id"]}, False),
    # The index of prints is written by one function and searched by another. The custodian searches and repairs it. Nobody
    # else has access to it or its key.
    *[("PrintsRole", action, PRINTS, {KEYS: [key]}, may) for action, key, may in (
        ("dynamodb:GetItem", "key#1#PRODUCTION", True), ("dynamodb:PutItem", "key#1#PRODUCTION", True),
        ("dynamodb:BatchWriteItem", "key#1#PRODUCTION", False), ("dynamodb:DeleteItem", "key#1#PRODUCTION", False),
        ("dynamodb:PutItem", "band#1", False), ("dynamodb:GetItem", "band#1", False), ("dynamodb:Query", "band#1", False))],
    *[("PrintsRole", "dynamodb:BatchWriteItem", PRINTS, {KEYS: keys}, may) for keys, may in (
        (["band#1", "band#2", "manifest#1"], True), (["band#1", "key#1#PRODUCTION"], False))],
    *[("FindProofRole", action, PRINTS, {KEYS: [key]}, may) for action, key, may in (
        ("dynamodb:GetItem", "key#1#PRODUCTION", True), ("dynamodb:GetItem", "band#1", False), ("dynamodb:Query", "band#1", True),
        ("dynamodb:Query", "manifest#1", True), ("dynamodb:Query", "key#1#PRODUCTION", False))],
    *[("FindProofRole", action, PRINTS, {KEYS: [key]}, False) for key in ("key#1#PRODUCTION", "band#1", "manifest#1")
      for action in ("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem")],
    *[(role, action, PRINTS, {KEYS: [key]}, False) for role in ("IngestRole", "AdminRole", "ImageRole", "WebhooksRole")
      for action in ("dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:BatchWriteItem")
      for key in ("key#1#PRODUCTION", "band#1")],
    *[("CustodianRole", action, PRINTS, {KEYS: [key]}, may) for action, key, may in (
        ("dynamodb:GetItem", "key#1#PRODUCTION", True), ("dynamodb:PutItem", "key#1#PRODUCTION", True),
        ("dynamodb:BatchWriteItem", "key#1#PRODUCTION", False), ("dynamodb:BatchGetItem", "key#1#PRODUCTION", False),
        ("dynamodb:DeleteItem", "key#1#PRODUCTION", False), ("dynamodb:Query", "key#1#PRODUCTION", False),
        ("dynamodb:PutItem", "band#1", False), ("dynamodb:Query", "band#1", True), ("dynamodb:Query", "manifest#1", False),
        ("dynamodb:BatchGetItem", "band#1", True), ("dynamodb:BatchWriteItem", "manifest#1", True))],
    ("CustodianRole", "dynamodb:Scan", PRINTS, {}, True),
    *[(role, action, PRINTS, {}, False) for role in ("PrintsRole", "FindProofRole") for action in ("dynamodb:Scan", "dynamodb:PartiQLSelect")],
    *[(role, action, PRINTS_KEY, said, said == PRINTS_SECRET and (role, action) != ("FindProofRole", "kms:GenerateDataKey"))
      for role in ("PrintsRole", "FindProofRole", "CustodianRole") for action in ("kms:Decrypt", "kms:GenerateDataKey")
      for said in (PRINTS_SECRET, SECRET, {})],
    *[(role, "kms:Decrypt", PRINTS_KEY, PRINTS_SECRET, False) for role in ("IngestRole", "AdminRole", "WebhooksRole")],
    *[(role, "kms:Decrypt", WEBHOOKS_KEY, PRINTS_SECRET, False) for role in ("PrintsRole", "FindProofRole")],
    *[("PrintsRole", "dynamodb:GetRecords", f"${{{table}}}/stream/current", {}, table == PERSONAL)
      for table in (EVIDENCE, PERSONAL, AUDIT)],
    *[(role, "dynamodb:GetItem", EVIDENCE, {KEYS: ["id"]}, True) for role in ("PrintsRole", "FindProofRole")],
    ("FindProofRole", "dynamodb:BatchGetItem", EVIDENCE, {KEYS: ["id"]}, True),
    *[("FindProofRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: [key]}, key in ("api_key#1", "client#1"))
      for key in ("api_key#1", "license_key#1", "client#1", "signer#PRODUCTION")],
    *[("FindProofRole", "dynamodb:BatchGetItem", PERSONAL, {KEYS: ["personal#1", "custody#1"]}, True)],
    *[("FindProofRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: [key]}, key == "lookups#1#2")
      for key in ("lookups#1#2", "creations#1#2", "session#1", "nonce#1")],
    ("FindProofRole", "dynamodb:GetItem", SESSIONS, {KEYS: ["session#1"]}, False),
    *[("FindProofRole", action, AUDIT, {KEYS: ["id"]}, action == "dynamodb:PutItem") for action in ("dynamodb:PutItem", "dynamodb:GetItem")],
    *[("FindProofRole", action, resource, {}, may) for action, resource, may in (
        ("s3:GetObject", PROOF, True), ("s3:ListBucket", PROOFS, True), ("s3:GetObject", EXPORTED, False),
        # It makes evidence from what is public of the log, and can neither change the log nor sign for it.
        *[("s3:GetObject", stored, stored != PENDING) for stored in (TILE, CHECKPOINT, TIMESTAMP, PENDING)],
        *[(action, TILE, False) for action in ("s3:PutObject", "s3:DeleteObject")],
        ("kms:GetPublicKey", "LogKey.Arn", True), ("kms:Sign", "LogKey.Arn", False))],
    *[("FindProofRole", action, LOG, {KEYS: [key]}, (action, key) == ("dynamodb:BatchGetItem", "leaf#id"))
      for action in ("dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:PutItem") for key in ("leaf#id", "head#PRODUCTION")],
    # Dossiers are made of what is recorded. The function changes none of it, and signs with keys of seals only.
    *[("DossiersRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: [key]}, key != "license_key#1")
      for key in ("api_key#1", "client#1", "license#1", "signer#PRODUCTION", "hosting#1#PRODUCTION", "license_key#1")],
    *[("DossiersRole", "dynamodb:Query", table, {KEYS: ["any"]}, False) for table in (EVIDENCE, PERSONAL, AUDIT)],
    *[("DossiersRole", action, table, {KEYS: ["personal#1"]}, False) for table in (EVIDENCE, PERSONAL, ACCOUNTS, LOG)
      for action in ("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:Scan")],
    *[("DossiersRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: [key]}, key == "lookups#1#2")
      for key in ("lookups#1#2", "creations#1#2", "session#1", "nonce#1")],
    *[("DossiersRole", action, resource, {}, may) for action, resource, may in (
        ("s3:GetObject", PROOF, True), ("s3:PutObject", PROOF, False), ("s3:GetObject", EXPORTED, False),
        ("s3:PutObject", DOSSIER, True), ("s3:GetObject", DOSSIER, True), ("s3:DeleteObject", DOSSIER, False),
        ("s3:PutObject", TILE, False), ("kms:GetPublicKey", "LogKey.Arn", True), ("kms:Sign", "LogKey.Arn", False))],
    # Refused photos: ingest records them, dossiers list them, and custodians erase them.
    *[(role, f"dynamodb:{action}", SESSIONS, {KEYS: ["refusals#1"]}, (role, action) in (
        ("IngestRole", "UpdateItem"), ("DossiersRole", "GetItem"), ("CustodianRole", "GetItem"), ("CustodianRole", "DeleteItem")))
      for role in ("IngestRole", "DossiersRole", "CustodianRole", "LoadSessionRole", "AdminRole", "SessionResultsRole")
      for action in ("GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan")],
    *[("CustodianRole", "dynamodb:DeleteItem", SESSIONS, {KEYS: [key]}, False) for key in ("session#1", "nonce#1", "lookups#1#2")],
    *[(role, "s3:GetObject", DOSSIER, {}, False) for role in ("IngestRole", "AdminRole", "ImageRole", "FindProofRole", "CustodianRole")],
    ("CustodianRole", "dynamodb:Scan", EVIDENCE, {}, True),
    # The custodian compares resource policies but may not change them.
    *[("CustodianRole", action, resource, {}, may)
      for action, resource, may in (("dynamodb:GetResourcePolicy", EVIDENCE, True), ("dynamodb:PutResourcePolicy", EVIDENCE, False),
                                    ("s3:GetBucketPolicy", PROOFS, True), ("s3:PutBucketPolicy", PROOFS, False),
                                    ("kms:GetKeyPolicy", SEAL, True), ("kms:PutKeyPolicy", SEAL, False))],
    *[("CustodianRole", "dynamodb:BatchGetItem", ACCOUNTS, {KEYS: ["signer#PRODUCTION"], ATTRIBUTES: attributes, **PART}, may)
      for attributes, may in ((PUBLIC, True), ([*PUBLIC, "timestamps"], False))],
    # An audit reads the log, and a restore repairs its table. Only the sequencer may write the log itself.
    *[("CustodianRole", action, LOG, {KEYS: ["leaf#id"]}, True)
      for action in ("dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:PutItem", "dynamodb:DeleteItem")],
    *[("CustodianRole", action, LOG, {KEYS: ["head#PRODUCTION"]}, action == "dynamodb:GetItem")
      for action in ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem")],
    *[("CustodianRole", "s3:GetObject", stored, {}, may) for stored, may in ((TILE, True), (TIMESTAMP, True), (PENDING, False))],
    *[("CustodianRole", "s3:PutObject", stored, NEW, False) for stored in (TILE, CHECKPOINT, TIMESTAMP)],
    *[("CustodianRole", action, "LogKey.Arn", {}, may) for action, may in (("kms:GetPublicKey", True), ("kms:Sign", False))],
    *[("CustodianRole", "dynamodb:GetRecords", f"${{{table}}}/stream/former", {}, may)
      for table, may in ((EVIDENCE, True), (PERSONAL, True), (WEBHOOKS, False))],
    ("AlertsRole", "dynamodb:GetRecords", "${EvidenceTable.Arn}/stream/current", {}, True),
    *[("ExportRole", "dynamodb:GetRecords", f"${{{table}}}/stream/current", {}, may)
      for table, may in ((EVIDENCE, True), (AUDIT, True), (PERSONAL, False), (WEBHOOKS, False))],
    ("AlertsRole", "dynamodb:GetRecords", "${AuditTable.Arn}/stream/current", {}, False),
    ("ExportRole", "dynamodb:GetItem", AUDIT, {KEYS: ["id"]}, False),
    *[("CustodianRole", "s3:ListBucketVersions", bucket, {}, True) for bucket in (PROOFS, EXPORT)],
    *[("CustodianRole", action, object, {}, True) for object in (PROOF, EXPORTED)
      for action in ("s3:GetObject", "s3:GetObjectVersion")],
    ("CustodianRole", "s3:GetObjectVersion", ERASURE, {}, True),
    ("CustodianRole", "s3:GetObject", ERASURE, {}, False),
    *[("CustodianRole", action, ENTRY, {}, False) for action in ("s3:GetObject", "s3:GetObjectVersion")],
    *[("CustodianRole", action, AUDIT, {}, False) for action in ("dynamodb:Query", "dynamodb:Scan", "dynamodb:BatchGetItem")],
    ("CustodianRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"], ATTRIBUTES: ERASED}, True),
    ("CustodianRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["session#1"], ATTRIBUTES: [*ERASED, "license_id"]}, False),
    ("CustodianRole", "dynamodb:UpdateItem", SESSIONS, {KEYS: ["nonce#1"], ATTRIBUTES: ERASED}, False),
    ("CustodianRole", "dynamodb:PutItem", FRAMES, {KEYS: ["id"]}, True),
    ("CustodianRole", "dynamodb:DeleteItem", FRAMES, {KEYS: ["id"]}, False),
    ("CustodianRole", "dynamodb:GetItem", ACCOUNTS, {KEYS: ["client#1"]}, False),
]


def attempts():
    """Named attempts to tamper with evidence or the audit log, to forge a signature, or to read personal data, each
    as action, resource and condition keys."""
    items = {"record": (EVIDENCE, "id"), "personal item": (PERSONAL, "personal#id"), "custody": (PERSONAL, "custody#id"),
             "audit entry": (AUDIT, "id")}
    for item, (table, key) in items.items():
        said = {KEYS: [key]}
        for write in ("PutItem", "UpdateItem", "DeleteItem"):
            yield f"{write} {item}", (f"dynamodb:{write}", table, said)
            yield f"{write} {item} in a transaction", (f"dynamodb:{write}", table, {**said, **IN_TRANSACTION})
        for write in ("BatchWriteItem", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"):
            yield f"{write} {item}", (f"dynamodb:{write}", table, said)
        reads = ("GetItem", "BatchGetItem", "Query", "PartiQLSelect")
        for read in reads if table == PERSONAL else ():
            yield f"{read} {item}", (f"dynamodb:{read}", table, said)
    yield "Query by reference", ("dynamodb:Query", BY_REFERENCE, {KEYS: ["a-reference"]})
    yield "Scan by reference", ("dynamodb:Scan", BY_REFERENCE, {})
    yield "Scan personal table", ("dynamodb:Scan", PERSONAL, {})
    yield "GetRecords of personal table", ("dynamodb:GetRecords", "${PersonalTable.Arn}/stream/current", {})
    for name, table in (("evidence table", EVIDENCE), ("personal table", PERSONAL), ("audit table", AUDIT)):
        for action in ("UpdateTimeToLive", "DeleteTable", "PutResourcePolicy", "DeleteResourcePolicy"):
            yield f"{action} {name}", (f"dynamodb:{action}", table, {})
    for name, stored in (("proof", PROOF), ("exported record", EXPORTED), ("erasure", ERASURE), ("exported entry", ENTRY)):
        yield f"replace {name}", ("s3:PutObject", stored, PUT)
        yield f"add {name}", ("s3:PutObject", stored, NEW)
        for action in ("DeleteObject", "DeleteObjectVersion", "BypassGovernanceRetention", "PutObjectRetention"):
            yield f"{action} {name}", (f"s3:{action}", stored, {})
    for name, bucket in (("proofs", PROOFS), ("export", EXPORT)):
        for action in ("PutLifecycleConfiguration", "PutBucketObjectLockConfiguration", "PutBucketPolicy",
                       "DeleteBucketPolicy"):
            yield f"{action} {name}", (f"s3:{action}", bucket, {})
    for name, key, form in (("production claim", CLAIM, EC), ("staging claim", "StagingClaimKey.Arn", EC),
                            ("sandbox claim", "SandboxClaimKey.Arn", EC), ("log", "LogKey.Arn", {})):
        yield f"sign with {name} key", ("kms:Sign", key, form)
        for action in ("PutKeyPolicy", "ScheduleKeyDeletion", "DisableKey"):
            yield f"{action} {name} key", (f"kms:{action}", key, {})


ATTEMPTS = dict(attempts())

# Attempts that IAM allows, because the code needs the permission for legitimate operations. The code itself prevents
# overwriting by a condition on each put; `lacre-admin evidence compare` finds violations. IAM refuses all other
# attempts.
#
# A role that may add audit entries can also overwrite one. This is detected: the stream contains a MODIFY of the
# entry, which `export` counts in EvidenceChanged and which raises an alarm. The original entry is in the export,
# where it cannot be overwritten.
AUDITED = {"PutItem audit entry", "PutItem audit entry in a transaction"}
CLAIMS = {f"sign with {environment} claim key" for environment in ("production", "staging", "sandbox")}
POSSIBLE = {
    "SequencerRole": {"sign with log key"},
    "IngestRole": {*CLAIMS, "BatchGetItem custody", "PutItem record in a transaction", "PutItem personal item in a transaction", "add proof"},
    "ExportRole": {"add exported record", "add exported entry"},
    # Operators find captures and see whether they are withheld or erased.
    "AdminRole": {"Query by reference", "BatchGetItem custody", *AUDITED},
    # Reads whether a capture is withheld or erased.
    "ImageRole": {"BatchGetItem custody"},
    "SessionResultsRole": {"BatchGetItem custody"},
    # Indexes the fingerprints that personal items have.
    "PrintsRole": {"GetRecords of personal table"},
    # Reads the fingerprints of the captures that it finds, and writes an audit entry for each search.
    "FindProofRole": {"BatchGetItem personal item", "BatchGetItem custody", *AUDITED},
    # Finds the captures of a reference, and reads their salts and custody.
    "DossiersRole": {"Query by reference", "BatchGetItem personal item", "BatchGetItem custody", *AUDITED},
    "CustodianRole": {
        # For `restore`.
        "PutItem record", "PutItem record in a transaction", "PutItem personal item", "PutItem personal item in a transaction",
        "GetRecords of personal table", "add exported record",
        # For `withhold`, `release` and `erase`.
        "PutItem custody", "PutItem custody in a transaction", "DeleteItem personal item",
        "DeleteItem personal item in a transaction", "DeleteObjectVersion proof", "BypassGovernanceRetention proof",
        "add erasure",
        # For `reconcile`.
        "DeleteObject proof",
        # For `show`, `find`, `compare` and `index`.
        "BatchGetItem personal item", "BatchGetItem custody",
        # All of these write audit entries.
        *AUDITED,
    },
}

# Attempts that only the bucket policies refuse.
REFUSED_BY_BUCKETS = {
    "IngestRole": {"replace proof"},
    "ExportRole": {"replace exported record", "replace exported entry"},
    "CustodianRole": {"replace exported record", "replace erasure"},
}

# A role whose own policies allow everything. It can remove the resource policies, but until then they apply to it
# too.
ADMINISTRATOR = {"Type": "AWS::IAM::Role", "Properties": {"Policies": [{"PolicyDocument": {
    "Statement": [{"Sid": "Everything", "Effect": "Allow", "Action": "*", "Resource": "*"}]}}]}}
POSSIBLE_FOR_ADMINISTRATORS = {
    name for name, (action, resource, _) in ATTEMPTS.items()
    # Reads are allowed. Tables are not: deletion protection covers DeleteTable.
    if action.split(":")[1] in ("GetItem", "BatchGetItem", "Query", "PartiQLSelect", "Scan", "GetRecords", "DeleteTable")
    or action.endswith(("ResourcePolicy", "BucketPolicy", "PutBucketObjectLockConfiguration"))
    # Extending a lock is allowed. Shortening it requires BypassGovernanceRetention.
    or action.endswith("PutObjectRetention")
    or name.startswith("add ") or name in AUDITED
    # Every action on a key except signing, so that the key stays manageable.
    or action.startswith("kms:") and action != "kms:Sign"
    or resource == PROOFS
    or resource == PROOF and action.split(":")[1] not in ("DeleteObject", "DeleteObjectVersion", "BypassGovernanceRetention")
    and name != "replace proof"
}


def faults_of_cases(resources, elsewhere):
    for who, action, resource, said, may in CASES:
        if allows(resources, who, action, resource, said, elsewhere) != may:
            yield f"{who} {'may not' if may else 'may'} {action} on {resource} with {said}"


def faults_of_attempts(resources, elsewhere):
    """Checks that no role or user can make an attempt beyond the listed exceptions. Their own policies must already
    refuse it, except for the attempts in REFUSED_BY_BUCKETS."""
    for who in sorted(principals(resources)):
        named = POSSIBLE.get(who, set())
        found = {name for name, attempt in ATTEMPTS.items() if allows(resources, who, *attempt, elsewhere)}
        yield from (f"{who} may tamper: {name}" for name in sorted(found - named))
        yield from (f"{who} is refused, and cases.py says that it is not: {name}" for name in sorted(named - found))
        alone = {name for name, attempt in ATTEMPTS.items() if allows({who: resources[who]}, who, *attempt)}
        if alone - found != REFUSED_BY_BUCKETS.get(who, set()):
            yield f"{who} may by its own policy, and only other policies refuse: {sorted(alone - found)}"


def faults_of_policies(resources, elsewhere):
    """Checks that the policies of buckets and tables also restrict principals whose own policies allow everything."""
    resources = {**resources, "Administrator": ADMINISTRATOR}
    for name, attempt in ATTEMPTS.items():
        possible = name in POSSIBLE_FOR_ADMINISTRATORS and whole(attempt[1]) not in elsewhere
        if allows(resources, "Administrator", *attempt, elsewhere) != possible:
            yield f"an administrator {'may not' if possible else 'may'}: {name}"


def faults_of_keys(resources):
    """Checks that each statement on a table with several kinds of records names the kinds that it applies to. A scan has
    no keys that IAM could compare."""
    for role, statement in ((name, each) for name, resource in resources.items() if resource["Type"] == "AWS::IAM::Role"
                            for each in statements_of(resource)):
        tables = {ACCOUNTS, SESSIONS, PERSONAL, PRINTS} & {text(name) for name in listed(statement["Resource"])}
        is_keyed = any(KEYS in wanted for wanted in statement.get("Condition", {}).values())
        if tables and not is_keyed and listed(statement["Action"]) != ["dynamodb:Scan"]:
            yield f"{role} may {statement['Action']} every item of {', '.join(sorted(tables))}"


def faults_of_tracing(template):
    """Checks that exactly the functions' roles may send traces, if the stack enables tracing."""
    functions = {text(each["Properties"]["Role"]).removesuffix(".Arn") for each in template["Resources"].values()
                 if each["Type"] == "AWS::Lambda::Function"}
    for tracing in ("false", "true"):
        resources = settled(template, Tracing=tracing)
        for who in principals(resources):
            for action in ("xray:PutTraceSegments", "xray:PutTelemetryRecords"):
                may = tracing == "true" and who in functions
                if allows(resources, who, action, "*", {}) != may:
                    yield f"{who} {'may not' if may else 'may'} {action} with Tracing={tracing}"


def faults_of_trust(template):
    """Checks who may assume the custodian's role, without CustodianPermissionSet and with it."""
    for place, given in enumerate(["", "Custodian"]):
        role = json.dumps(settled(template, CustodianPermissionSet=given)["CustodianRole"])
        role = json.loads(role.replace("${CustodianPermissionSet}", given))
        for said, *may in CUSTODIANS:
            let_in = any(grants({**statement, "Resource": "*"}, "sts:AssumeRole", "*", said)
                         for statement in role["Properties"]["AssumeRolePolicyDocument"]["Statement"])
            if let_in != may[place]:
                yield f"{said} {'may not' if may[place] else 'may'} assume CustodianRole with CustodianPermissionSet={given}"


def with_export_elsewhere(template, of_bucket):
    """The resources of both templates if the export bucket is in another account. The bucket has the same name in
    both; the names of its sources are those of the stack."""
    names = {"arn:${AWS::Partition}:s3:::${ExportBucketName}/": "${ExportBucket.Arn}/",
             "arn:${AWS::Partition}:s3:::${ExportBucketName}": "ExportBucket.Arn",
             "${SourceAccount}": "${AWS::AccountId}", "${SourceStack}": "${AWS::StackName}"}
    resources = json.dumps(settled(template, ExportBucketName="elsewhere") | settled(of_bucket))
    for name, known in names.items():
        resources = resources.replace(name, known)
    return json.loads(resources)


def denials(resources):
    return [statement for statement in guards(resources, EXPORT) if statement["Effect"] == "Deny"]


def faults(resources, elsewhere):
    yield from faults_of_cases(resources, elsewhere)
    yield from faults_of_attempts(resources, elsewhere)
    yield from faults_of_policies(resources, elsewhere)
    yield from faults_of_keys(resources)


def main(path, path_of_bucket):
    # cfnlint decodes CloudFormation's YAML tags. It is imported here because other importers of this module do not
    # need it.
    from cfnlint.decode import decode

    with open(path, encoding="utf-8") as source:
        template = json.load(source)
    of_bucket, unread = decode(path_of_bucket)
    if unread:
        sys.exit(f"{path_of_bucket}: {unread}")
    own, apart = settled(template), with_export_elsewhere(template, of_bucket)
    found = [*faults(own, ()), *(f"with {path_of_bucket}: {fault}" for fault in faults(apart, (EXPORT,))),
             *faults_of_tracing(template), *faults_of_trust(template)]
    if denials(own) != denials(apart):
        found.append(f"{path_of_bucket} does not deny what the stack's own export bucket denies")
    if found:
        sys.exit("\n".join(found))
    print(f"template.yaml: {len(CASES)} requests are allowed or refused as they should be, as are {len(ATTEMPTS)} attempts to "
          f"tamper with evidence and the audit log by each of {len(principals(own))} roles and users")


if __name__ == "__main__":
    main(*sys.argv[1:])
