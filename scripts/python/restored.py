"""Simulates losses in tables, and checks that tables were restored. `note` writes the state of a table to a JSON file:
its items, and its settings in template.yaml except deletion protection, which sandboxes lack. `compare` compares
tables with such files. `lose` deletes an item like someone who may remove the table's policy.

usage: restored.py note DIRECTORY TABLE...      (all by scripts/test-restore)
       restored.py compare DIRECTORY TABLE...
       restored.py lose TABLE KEY"""

import difflib
import json
import sys

import boto3
from botocore.exceptions import ClientError

DYNAMODB = boto3.client("dynamodb")
INDEX = ["IndexName", "KeySchema", "Projection"]


def policy(arn):
    try:
        return json.loads(DYNAMODB.get_resource_policy(ResourceArn=arn)["Policy"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "PolicyNotFoundException":
            raise
        return None


def state(name):
    """The state of a table as lines of JSON."""
    table = DYNAMODB.describe_table(TableName=name)["Table"]
    arn = table["TableArn"]
    pages = DYNAMODB.get_paginator("scan").paginate(TableName=name, ConsistentRead=True)
    items = [item for page in pages for item in page["Items"]]
    recovery = DYNAMODB.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    settings = {
        "attributes": sorted(table["AttributeDefinitions"], key=lambda each: each["AttributeName"]),
        "billing": table["BillingModeSummary"]["BillingMode"],
        "encryption": table.get("SSEDescription"),
        "expiry": DYNAMODB.describe_time_to_live(TableName=name)["TimeToLiveDescription"].get("AttributeName"),
        "indexes": [{key: index[key] for key in INDEX} for index in table.get("GlobalSecondaryIndexes", [])],
        "keys": table["KeySchema"],
        "policy": policy(arn),
        "recovery": recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
        "stream": (table.get("StreamSpecification") or {}).get("StreamViewType"),
        "tags": sorted((tag["Key"], tag["Value"]) for tag in DYNAMODB.list_tags_of_resource(ResourceArn=arn)["Tags"]
                       if not tag["Key"].startswith("aws:")),
    }
    lines = [json.dumps({name: value}, sort_keys=True) for name, value in settings.items()]
    return lines + sorted(json.dumps(item, sort_keys=True, default=repr) for item in items)


def note(directory, *tables):
    for table in tables:
        with open(f"{directory}/{table}.json", "w", encoding="utf-8") as file:
            json.dump(state(table), file)


def compare(directory, *tables):
    for table in tables:
        with open(f"{directory}/{table}.json", encoding="utf-8") as file:
            differences = list(difflib.unified_diff(json.load(file), state(table), "before", "after", lineterm="", n=0))
        if differences:
            sys.exit("\n".join([f"{table} differs from what it was before:", *differences]))


def lose(table, key):
    arn = DYNAMODB.describe_table(TableName=table)["Table"]["TableArn"]
    kept = policy(arn)
    if kept:
        DYNAMODB.delete_resource_policy(ResourceArn=arn)
    lost = DYNAMODB.delete_item(TableName=table, Key=json.loads(key), ReturnValues="ALL_OLD")
    if kept:
        DYNAMODB.put_resource_policy(ResourceArn=arn, Policy=json.dumps(kept))
    if "Attributes" not in lost:
        sys.exit(f"{table} has no {key}")


if __name__ == "__main__":
    {"note": note, "compare": compare, "lose": lose}[sys.argv[1]](*sys.argv[2:])
