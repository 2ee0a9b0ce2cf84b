"""DynamoDB and S3 as a straightforward handler uses them: the same items, conditions and order of calls as the Rust
functions.

Clients are created once per process, with enough connections for all of its threads."""

import base64
import os
import secrets
from hashlib import sha256

import boto3
from boto3.dynamodb.types import TypeSerializer
from botocore.config import Config

SESSIONS, ACCOUNTS, FRAMES, EVIDENCE, PERSONAL, LOG, UPLOADS, PROOFS = (
    os.environ[name]
    for name in ("SESSIONS_TABLE", "ACCOUNTS_TABLE", "FRAMES_TABLE", "EVIDENCE_TABLE", "PERSONAL_TABLE", "LOG_TABLE",
                 "UPLOADS_BUCKET", "PROOFS_BUCKET")
)
CONFIG = Config(
    max_pool_connections=64,
    retries={"mode": "standard", "max_attempts": 3},
    s3={"addressing_style": "path"},
    signature_version="v4",
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
S3_CONFIG = CONFIG.merge(Config(signature_version="s3v4"))
DYNAMODB = boto3.client("dynamodb", config=CONFIG)
S3 = boto3.client("s3", config=S3_CONFIG)
# URLs signed by a role expire with the role's session, so the 7-day URLs are signed by a user.
READER = boto3.client(
    "s3",
    aws_access_key_id=os.environ["PRESIGNER_ACCESS_KEY_ID"],
    aws_secret_access_key=os.environ["PRESIGNER_SECRET_ACCESS_KEY"],
    config=S3_CONFIG,
)
SERIALIZER = TypeSerializer()
FORMAT = {"N": "1"}
VOLUME_SHARDS = 16
WEEK = 7 * 24 * 3600


def as_item(record):
    """Converts a record to an item with its format version. Fields without a value are left out."""
    record = {name: value for name, value in record.items() if value is not None}
    return {"v": FORMAT, **SERIALIZER.serialize(record)["M"]}


def read(table, *keys):
    """Reads items of one table. Returns them in the order of the keys."""
    return read_from({table: keys})[table]


def read_from(tables):
    """Reads items of tables by their keys, with strong consistency, in one call."""
    tables = {table: [{name: {"S": value} for name, value in key.items()} for key in keys] for table, keys in tables.items()}
    wanted = {table: {"Keys": keys, "ConsistentRead": True} for table, keys in tables.items()}
    found = DYNAMODB.batch_get_item(RequestItems=wanted)["Responses"]

    def first(table, key):
        return next((item for item in found.get(table, []) if key.items() <= item.items()), None)

    return {table: [first(table, key) for key in keys] for table, keys in tables.items()}


def read_session(token_hash):
    key = {"pk": {"S": f"session#{token_hash}"}}
    return DYNAMODB.get_item(TableName=SESSIONS, Key=key, ConsistentRead=True).get("Item")


def read_custody(client_id, capture_ids):
    """The client of captures, and what was ordered about each capture."""
    custody = [{"pk": f"custody#{capture}"} for capture in capture_ids]
    found = read_from({ACCOUNTS: [{"pk": f"client#{client_id}", "sk": "client"}], PERSONAL: custody})
    return found[ACCOUNTS][0], found[PERSONAL]


def read_leaves(capture_ids):
    """The leaves of captures in the transparency log."""
    return read(LOG, *({"pk": f"leaf#{capture}", "sk": "leaf"} for capture in capture_ids))


def put(table, item, **condition):
    DYNAMODB.put_item(TableName=table, Item=item, **condition)


def count(pk, attribute, identity, limit, ttl):
    """Adds an id to a set, unless the set has reached its limit."""
    DYNAMODB.update_item(
        TableName=SESSIONS,
        Key={"pk": {"S": pk}},
        UpdateExpression=f"ADD {attribute} :id SET #ttl = :ttl, v = :v",
        ConditionExpression=f"attribute_not_exists({attribute}) OR size({attribute}) < :limit OR contains({attribute}, :own)",
        ExpressionAttributeNames={"#ttl": "ttl"},
        ExpressionAttributeValues={
            ":id": {"SS": [identity]},
            ":own": {"S": identity},
            ":limit": {"N": str(limit)},
            ":ttl": {"N": str(ttl)},
            ":v": FORMAT,
        },
    )


def consume_nonce(nonce_hash, attempt):
    DYNAMODB.update_item(
        TableName=SESSIONS,
        Key={"pk": {"S": f"nonce#{nonce_hash}"}},
        UpdateExpression="SET consumed_by = :attempt",
        ConditionExpression="attribute_exists(pk) AND (attribute_not_exists(consumed_by) OR consumed_by = :attempt)",
        ExpressionAttributeValues={":attempt": {"S": attempt}},
    )


def reserve_frame(pk, attempt, now, expires_at):
    put(
        FRAMES,
        {"pk": {"S": pk}, "v": FORMAT, "attempt": {"S": attempt}, "expires_at": {"N": str(expires_at)}},
        ConditionExpression="attribute_not_exists(pk) OR (attempt = :attempt AND attribute_exists(expires_at))"
        " OR expires_at <= :now",
        ExpressionAttributeValues={":attempt": {"S": attempt}, ":now": {"N": str(now)}},
    )


def mark_signed(pk, attempt):
    DYNAMODB.update_item(
        TableName=FRAMES,
        Key={"pk": {"S": pk}},
        UpdateExpression="SET signed = :true REMOVE expires_at",
        ConditionExpression="attempt = :attempt",
        ExpressionAttributeValues={":true": {"BOOL": True}, ":attempt": {"S": attempt}},
    )


def commit(token_hash, evidence, personal, photo):
    """Writes the record, the personal item, the photo's conclusion and the count in one transaction."""
    concluded = f"photos[{evidence['photo_order'] - 1}].#capture"
    shard = secrets.randbelow(VOLUME_SHARDS)
    volume = {"pk": {"S": f"volume#{evidence['license_id']}#{shard:02}"}, "sk": {"S": f"volume#{evidence['month']}"}}
    put_evidence = {
        "TableName": EVIDENCE,
        "Item": as_item(evidence),
        "ConditionExpression": "attribute_not_exists(capture_id)",
    }
    put_personal = {
        "TableName": PERSONAL,
        "Item": as_item({**personal, "pk": f"personal#{evidence['capture_id']}"}),
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    conclude = {
        "TableName": SESSIONS,
        "Key": {"pk": {"S": f"session#{token_hash}"}},
        "UpdateExpression": f"SET {concluded} = :capture",
        "ConditionExpression": f"attribute_exists(pk) AND attribute_not_exists({concluded})",
        "ExpressionAttributeNames": {"#capture": "capture"},
        "ExpressionAttributeValues": {":capture": SERIALIZER.serialize(photo)},
    }
    add = {
        "TableName": ACCOUNTS,
        "Key": volume,
        "UpdateExpression": "ADD captures :one SET v = :v",
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":v": FORMAT},
    }
    puts = [{"Put": put_evidence}, {"Put": put_personal}]
    DYNAMODB.transact_write_items(TransactItems=[*puts, {"Update": conclude}, {"Update": add}])


def read_upload(key, max_bytes):
    answer = S3.get_object(Bucket=UPLOADS, Key=key)
    if answer["ContentLength"] > max_bytes:
        raise ValueError("the image is too large")
    return answer["Body"].read()


def store_manifest(key, manifest):
    checksum = base64.b64encode(sha256(manifest).digest()).decode()
    S3.put_object(Bucket=PROOFS, Key=key, Body=manifest, ContentType="application/c2pa", IfNoneMatch="*", ChecksumSHA256=checksum)


def delete_upload(key):
    S3.delete_object(Bucket=UPLOADS, Key=key)


def upload_url(key):
    parameters = {"Bucket": UPLOADS, "Key": key, "ContentType": "image/jpeg"}
    return S3.generate_presigned_url("put_object", Params=parameters, ExpiresIn=300)


def proof_url(key):
    return READER.generate_presigned_url("get_object", Params={"Bucket": PROOFS, "Key": key}, ExpiresIn=WEEK)
