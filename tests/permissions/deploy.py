"""Creates a user with the policies of each role and user of the flat template, and prints the functions' environments
as JSON.

Tables, buckets and keys are those of the local service on the same AWS emulator. Users replace roles because the
emulator supports users' access keys. Conditions are removed, because the emulator does not know the condition keys
of KMS and DynamoDB. The test therefore shows that the allowed actions and resources suffice, and that none of them
can tamper with evidence except as cases.py lists. Two permissions are not tested: s3:ListBucket, without which S3
reports a missing object as forbidden, and kms:Decrypt, which Secrets Manager needs.

usage: deploy.py TEMPLATE.json > ENVIRONMENTS.json   (by scripts/test-roles)"""

import json
import os
import re
import sys

import boto3
from botocore.exceptions import ClientError

from cases import ATTEMPTS, KEYS, POSSIBLE
from policy import principals, settled, whole

REGION, ACCOUNT = os.environ["AWS_REGION"], "000000000000"
BUCKETS = {"UploadsBucket": "UPLOADS_BUCKET", "ProofsBucket": "PROOFS_BUCKET", "ExportBucket": "EXPORT_BUCKET",
           "LogBucket": "LOG_BUCKET", "DossiersBucket": "DOSSIERS_BUCKET"}
CLAIM_KEYS = {"ProductionClaimKey": "PRODUCTION", "StagingClaimKey": "STAGING", "SandboxClaimKey": "SANDBOX"}


def client(service, **credentials):
    return boto3.client(service, endpoint_url=os.environ["LACRE_TEST_AWS_ENDPOINT"], region_name=REGION, **credentials)


def deploy(template):
    """Creates the users. Replaces the template's references with values of this emulator."""
    known = {"AWS::Partition": "aws", "AWS::Region": REGION, "AWS::AccountId": ACCOUNT, "AWS::StackName": "lacre"}
    # Environment variables are text, so CloudFormation converts numbers.
    known |= {name: str(parameter.get("Default", "")) for name, parameter in template["Parameters"].items()}
    for name, resource in template["Resources"].items():
        if resource["Type"] != "AWS::DynamoDB::Table":
            continue
        # `SESSIONS_TABLE` holds the name of `SessionsTable`.
        known[name] = os.environ[re.sub(r"\B([A-Z])", r"_\1", name).upper()]
        known[f"{name}.Arn"] = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{known[name]}"
        known[f"{name}.StreamArn"] = f"{known[f'{name}.Arn']}/stream/*"
        # The name of the partition key. CloudFormation has no such attribute.
        known[f"{name}.Key"] = next(key["AttributeName"] for key in resource["Properties"]["KeySchema"] if key["KeyType"] == "HASH")
    for name, variable in BUCKETS.items():
        known[name] = os.environ[variable]
        known[f"{name}.Arn"] = f"arn:aws:s3:::{known[name]}"
        known[f"{name}.RegionalDomainName"] = f"{known[name]}.s3.{REGION}.amazonaws.com"
    for name, environment in CLAIM_KEYS.items():
        key = {"pk": {"S": f"signer#{environment}"}, "sk": {"S": "profile"}}
        profile = client("dynamodb").get_item(TableName=os.environ["ACCOUNTS_TABLE"], Key=key)["Item"]
        known[f"{name}.Arn"] = profile["claim"]["M"]["key_arn"]["S"]
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::Logs::LogGroup":
            known[name] = name
            known[f"{name}.Arn"] = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{name}:*"
    for name, variable in {"WebhooksKey": "WEBHOOKS_KEY_ARN", "LogKey": "LOG_KEY_ARN", "PrintsKey": "PRINTS_KEY_ARN"}.items():
        key = client("kms").describe_key(KeyId=os.environ[variable])
        known[f"{name}.Arn"] = key["KeyMetadata"]["Arn"]
    known["AlertsTopic"] = os.environ["ALERTS_TOPIC_ARN"]
    known["AlertsKey.Arn"] = client("kms").create_key()["KeyMetadata"]["Arn"]
    # Lambda uses these queues with the functions' roles.
    known["UnreadCaptures.Arn"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:unread-captures"
    known["UnexportedCaptures.Arn"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:unexported-captures"
    known["UnsequencedCaptures.Arn"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:unsequenced-captures"
    known["UnindexedCaptures.Arn"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:unindexed-captures"
    known["WebhookAttempts.Arn"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:webhook-attempts"
    known["LostWebhooks.Arn"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:lost-webhooks"
    secrets_key = client("kms").create_key()["KeyMetadata"]
    known["SecretsKey.Arn"] = secrets_key["Arn"]
    presigner = {"access_key_id": os.environ["PRESIGNER_ACCESS_KEY_ID"],
                 "secret_access_key": os.environ["PRESIGNER_SECRET_ACCESS_KEY"]}
    known["PresignerSecret"] = client("secretsmanager").create_secret(
        Name="presigner", KmsKeyId=secrets_key["Arn"], SecretString=json.dumps(presigner))["ARN"]
    known["CanarySecret"] = client("secretsmanager").create_secret(
        Name="canary", KmsKeyId=secrets_key["Arn"], SecretString="{}")["ARN"]
    # Values of the local service, which has already named its log.
    known["LogBucket.RegionalDomainName"] = os.environ["LOG_ORIGIN"]
    known["WebApi.ApiEndpoint"], known["LicenseApi.ApiEndpoint"] = os.environ["BASE_URL"], os.environ["LICENSE_URL"]
    return known


def resolve(value, known):
    """Replaces the references in a value of the template."""
    if isinstance(value, list):
        return [resolve(item, known) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"Ref"}:
        return known[value["Ref"]]
    if value.keys() == {"Fn::GetAtt"}:
        return known[".".join(value["Fn::GetAtt"])]
    if value.keys() == {"Fn::Sub"}:
        return re.sub(r"\$\{([^}]+)\}", lambda match: known[match.group(1)], value["Fn::Sub"])
    return {name: resolve(item, known) for name, item in value.items()}


def user_with(name, owner, known):
    """Creates a user with the permissions of a role or user, and returns its access key."""
    iam = client("iam")
    iam.create_user(UserName=name)
    for policy in resolve(owner["Properties"]["Policies"], known):
        document = policy["PolicyDocument"]
        for statement in document["Statement"]:
            statement.pop("Condition", None)
        iam.put_user_policy(UserName=name, PolicyName=policy["PolicyName"], PolicyDocument=json.dumps(document))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


def calls(key):
    """A trial call for each action: on a table with an item's key, or on a bucket with an object's key."""
    credentials = {"aws_access_key_id": key["AWS_ACCESS_KEY_ID"], "aws_secret_access_key": key["AWS_SECRET_ACCESS_KEY"]}
    dynamodb, s3 = client("dynamodb", **credentials), client("s3", **credentials)
    return {
        "dynamodb:GetItem": lambda table, item: dynamodb.get_item(TableName=table, Key=item),
        "dynamodb:BatchGetItem": lambda table, item: dynamodb.batch_get_item(RequestItems={table: {"Keys": [item]}}),
        "dynamodb:Scan": lambda table, _: dynamodb.scan(TableName=table),
        "dynamodb:PutItem": lambda table, item: dynamodb.put_item(TableName=table, Item=item),
        "dynamodb:UpdateItem": lambda table, item: dynamodb.update_item(TableName=table, Key=item),
        "dynamodb:DeleteItem": lambda table, item: dynamodb.delete_item(TableName=table, Key=item),
        "dynamodb:BatchWriteItem": lambda table, item: dynamodb.batch_write_item(
            RequestItems={table: [{"DeleteRequest": {"Key": item}}]}),
        "s3:PutObject": lambda bucket, name: s3.put_object(Bucket=bucket, Key=name, Body=b"forged"),
        "s3:DeleteObject": lambda bucket, name: s3.delete_object(Bucket=bucket, Key=name),
        "s3:DeleteObjectVersion": lambda bucket, name: s3.delete_object(Bucket=bucket, Key=name, VersionId="any"),
    }


def target(resource, said, known):
    """The target of a trial call: a table with an item's key, or a bucket with an object's key."""
    name = whole(resource).removesuffix(".Arn")
    if whole(resource) != resource:
        return known[name], resource.partition("/")[2]
    (key,) = said.get(KEYS, ["any"])
    return known[name], {known[f"{name}.Key"]: {"S": key}}


def assert_evidence_is_out_of_reach(owner, key, known):
    """Checks that tampering with evidence and reading personal data fail. The exceptions of cases.py are not tried,
    because without conditions they are allowed in every form."""
    tried = calls(key)
    possible = {ATTEMPTS[name][:2] for name in POSSIBLE.get(owner, ())}
    for name, (action, resource, said) in ATTEMPTS.items():
        if action not in tried or (action, resource) in possible:
            continue
        try:
            tried[action](*target(resource, said, known))
        except ClientError as error:
            if error.response["Error"]["Code"] in ("AccessDenied", "AccessDeniedException"):
                continue
            raise
        sys.exit(f"FAILED {owner} may tamper: {name}")


def main(path):
    with open(path, encoding="utf-8") as source:
        template = json.load(source)
    resources, known = settled(template), deploy(template)
    keys, environments = {}, {}
    for owner in principals(resources):
        keys[owner] = user_with(owner, resources[owner], known)
        assert_evidence_is_out_of_reach(owner, keys[owner], known)
    for resource in resources.values():
        if resource["Type"] != "AWS::Lambda::Function":
            continue
        role = resource["Properties"]["Role"]["Fn::GetAtt"][0]
        variables = resolve(resource["Properties"]["Environment"]["Variables"], known)
        environments[resource["Metadata"]["BuildProperties"]["Binary"]] = {
            "AWS_ENDPOINT_URL": os.environ["LACRE_TEST_AWS_ENDPOINT"], "AWS_REGION": REGION, **variables, **keys[role]}
    json.dump(environments, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
