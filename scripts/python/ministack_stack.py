"""Creates a stack from the flat template in ministack, with the parameters and tags of a stage of samconfig.toml.

What ministack does not support is replaced, or left out and reported. Its CloudFormation creates no access keys (the
presigner's comes from scripts/with-ministack), no alarms with metric math and no CodeDeploy. It sets no policy, TTL
or point-in-time recovery of tables (set afterwards), reads no routes from an API's OpenAPI body (they become
resources), and resolves a secret's reference to its name. Its IAM does not know the condition keys of KMS and of key
tags, so these conditions are left out, and it knows no ARNs of streams. In STS and S3, a caller's aws:PrincipalArn
is the session instead of the role. It uses HTTP, so buckets do not require TLS. Rules also match the events that
rules.py sends, and are ENABLED, since it knows no state for read-only management events. The functions are binaries of
this machine, which ministack runs with their roles' credentials.

With RELEASE the stack is updated: each function gets RELEASE in a variable, so that it publishes a new version.

usage: ministack_stack.py TEMPLATE.json BINARIES STAGE [RELEASE]   (by scripts/test-sandbox)"""

import io
import json
import os
import re
import sys
import tomllib
import zipfile

import boto3

from rules import SOURCE_OF_DRILL

BUCKET = "artifacts"
OVERRIDES = ["AlertsEmail=operators@example.com", "CustodianPermissionSet=Custodian"]


def client(service):
    return boto3.client(service, endpoint_url=os.environ["LACRE_TEST_AWS_ENDPOINT"], region_name=os.environ["AWS_REGION"])


def routes(name, api):
    """The integrations and routes in an API's OpenAPI body, as resources."""
    for path, operations in api["Properties"].pop("Body")["paths"].items():
        for method, operation in operations.items():
            if method == "options":
                continue
            alias = re.search(r"\$\{(\w+)\}/invocations", json.dumps(operation)).group(1)
            verb = "ANY" if method == "x-amazon-apigateway-any-method" else method.upper()
            key, of_api = re.sub(r"\W", "", f"{name}{verb}{path}"), {"ApiId": {"Ref": name}}
            yield f"{key}Integration", {"Type": "AWS::ApiGatewayV2::Integration", "Properties": {
                **of_api, "IntegrationType": "AWS_PROXY", "PayloadFormatVersion": "2.0",
                "IntegrationUri": {"Ref": alias}}}
            yield f"{key}Route", {"Type": "AWS::ApiGatewayV2::Route", "Properties": {
                **of_api, "RouteKey": f"{verb} {path}", "Target": {"Fn::Sub": f"integrations/${{{key}Integration}}"},
                "AuthorizationType": "AWS_IAM" if operation.get("security") else "NONE"}}


def without_unknown(conditions):
    """The conditions of a statement that ministack can evaluate."""
    known = {operator: {key: value for key, value in keys.items() if not key.startswith(("kms:", "aws:ResourceTag/"))}
             for operator, keys in conditions.items()}
    return {operator: keys for operator, keys in known.items() if keys}


def with_sessions(part):
    """Adds the ARNs of a role's sessions to conditions on the role's ARN."""
    if isinstance(part, list):
        return [with_sessions(each) for each in part]
    if not isinstance(part, dict):
        return part
    of_role = re.compile(r"iam::(\$\{AWS::AccountId\}):role/(aws-reserved/sso\.amazonaws\.com\*/)?")
    with_theirs = {key: with_sessions(each) for key, each in part.items()}
    if "aws:PrincipalArn" in part:
        arns = part["aws:PrincipalArn"] if isinstance(part["aws:PrincipalArn"], list) else [part["aws:PrincipalArn"]]
        with_theirs["aws:PrincipalArn"] = arns + json.loads(of_role.sub(r"sts::\1:assumed-role/", json.dumps(arns)))
    return with_theirs


def released(template, release):
    """The template of a later release. SAM names a function's version after its content."""
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function":
            resource["Properties"]["Environment"]["Variables"]["RELEASE"] = release
    versions = [name for name, resource in template["Resources"].items() if resource["Type"] == "AWS::Lambda::Version"]
    return json.loads(re.sub(f'"({"|".join(versions)})"', rf'"\g<1>r{release}"', json.dumps(template)))


def adapted(template):
    """The template adapted to ministack, and a list of what was left out."""
    resources, left_out = {}, []
    for name, resource in with_sessions(template["Resources"]).items():
        properties = resource.get("Properties", {})
        match resource["Type"]:
            case "AWS::IAM::AccessKey" | "AWS::CodeDeploy::Application" | "AWS::CodeDeploy::DeploymentGroup":
                left_out.append(name)
                continue
            case "AWS::Lambda::Alias":
                del resource["UpdatePolicy"]
            case "AWS::CloudWatch::Alarm" if "Metrics" in properties:
                left_out.append(name)
                continue
            case "AWS::ApiGatewayV2::Api":
                resources.update(routes(name, resource))
                properties |= {"Name": {"Fn::Sub": f"${{AWS::StackName}}-{name}"}, "ProtocolType": "HTTP"}
            case "AWS::IAM::Role":
                # The statement for tracing is inside an `Fn::If` and has no condition.
                for statement in (each for policy in properties["Policies"] for each in policy["PolicyDocument"]["Statement"]
                                  if "Sid" in each):
                    statement["Condition"] = without_unknown(statement.get("Condition", {}))
                    if "dynamodb:DescribeStream" in statement["Action"]:
                        statement["Resource"] = "*"
            case "AWS::Events::Rule" if "EventPattern" in properties:
                sources = properties["EventPattern"]["source"]
                sources += [each.replace("aws.", SOURCE_OF_DRILL) for each in sources]
                properties["State"] = "ENABLED"
            case "AWS::S3::BucketPolicy":
                document = properties["PolicyDocument"]
                document["Statement"] = [each for each in document["Statement"] if each.get("Sid") != "TlsOnly"]
            case "AWS::SecretsManager::Secret" if name == "PresignerSecret":
                properties["SecretString"] = json.dumps({"access_key_id": os.environ["PRESIGNER_ACCESS_KEY_ID"],
                                                         "secret_access_key": os.environ["PRESIGNER_SECRET_ACCESS_KEY"]})
            case "AWS::Lambda::Function":
                binary = resource["Metadata"]["BuildProperties"]["Binary"]
                properties["Code"] = {"S3Bucket": BUCKET, "S3Key": f"{binary}.zip"}
                properties["Environment"]["Variables"]["AWS_ENDPOINT_URL"] = os.environ["LACRE_TEST_AWS_ENDPOINT"]
        resources[name] = resource
    # On AWS, `Ref` of a secret is its ARN.
    whole = json.dumps(template | {"Resources": resources})
    for secret in [name for name, resource in resources.items() if resource["Type"] == "AWS::SecretsManager::Secret"]:
        whole = whole.replace(json.dumps({"Ref": secret}), json.dumps({"Fn::GetAtt": [secret, "Id"]}))
    return json.loads(whole), left_out


def upload(template, binaries):
    s3 = client("s3")
    if BUCKET not in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]:
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": os.environ["AWS_REGION"]})
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function":
            code = io.BytesIO()
            with zipfile.ZipFile(code, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.write(os.path.join(binaries, resource["Metadata"]["BuildProperties"]["Binary"]), "bootstrap")
            s3.put_object(Bucket=BUCKET, Key=resource["Properties"]["Code"]["S3Key"], Body=code.getvalue())
    s3.put_object(Bucket=BUCKET, Key="template.json", Body=json.dumps(template))
    return f"{os.environ['LACRE_TEST_AWS_ENDPOINT']}/{BUCKET}/template.json"


def set_up_tables(template, stack):
    """Sets the properties of tables that cannot be set at their creation."""
    dynamodb = client("dynamodb")
    found = client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    names = {each["LogicalResourceId"]: each["PhysicalResourceId"] for page in found for each in page["StackResourceSummaries"]}
    for name, resource in template["Resources"].items():
        if resource["Type"] != "AWS::DynamoDB::Table":
            continue
        table, properties = names[name], resource["Properties"]
        if recovery := properties.get("PointInTimeRecoverySpecification"):
            dynamodb.update_continuous_backups(TableName=table, PointInTimeRecoverySpecification=recovery)
        if expiry := properties.get("TimeToLiveSpecification"):
            dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=expiry)
        if policy := properties.get("ResourcePolicy"):
            arn = dynamodb.describe_table(TableName=table)["Table"]["TableArn"]
            values = {"AWS::Partition": "aws", "AWS::AccountId": arn.split(":")[4], "AWS::StackName": stack}
            text = re.sub(r'\{"Fn::Sub": ("[^"]*")\}', r"\1", json.dumps(policy["PolicyDocument"]))
            dynamodb.put_resource_policy(ResourceArn=arn, Policy=re.sub(r"\$\{([^}]+)\}", lambda found: values[found[1]], text))


def pairs(assignments, key, value):
    return [{key: name, value: assigned} for name, _, assigned in (each.partition("=") for each in assignments)]


def main(path, binaries, stage, release=None):
    with open(path, encoding="utf-8") as source:
        template, left_out = adapted(json.load(source))
    if release:
        template = released(template, release)
    with open("samconfig.toml", "rb") as source:
        config = tomllib.load(source)[stage]
    name, deploy = config["global"]["parameters"]["stack_name"], config["deploy"]["parameters"]
    cloudformation = client("cloudformation")
    put, done = ((cloudformation.update_stack, "stack_update_complete") if release
                 else (cloudformation.create_stack, "stack_create_complete"))
    put(StackName=name, TemplateURL=upload(template, binaries), Capabilities=[deploy["capabilities"]],
        Parameters=pairs([*deploy["parameter_overrides"], *OVERRIDES], "ParameterKey", "ParameterValue"),
        Tags=pairs(deploy["tags"], "Key", "Value"))
    cloudformation.get_waiter(done).wait(StackName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    set_up_tables(template, name)
    print(f"ministack: {name} is deployed, without {', '.join(left_out)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
