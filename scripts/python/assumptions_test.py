"""Tests the page of assumptions and its checks with a fake AWS that responds as documented, differently, or not at all."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import assumptions

ROOT = assumptions.PAGE.parent.parent
PAGE = assumptions.PAGE.read_text(encoding="utf-8")
COMMON, FOUND = assumptions.assumptions(PAGE)
CHECKED = {assumption.sentence: assumption.checks[0] for assumption in FOUND if assumption.checks}

# Replaces aws, curl and openssl. The response to a command is in a file with its name: FILE.N for the N-th call,
# otherwise FILE. The file's first line is the exit status. A command without a file fails.
FAKE = r"""#!/bin/bash
case ${0##*/} in
    aws) name="$1 $2" ;;
    curl) name=curl ;;
    *) [[ $1 == s_client ]] || exec /usr/bin/env PATH="${PATH#*:}" openssl "$@"; name=openssl ;;
esac
[[ "$*" != *@-* && "$*" != */dev/stdin* ]] || cat >/dev/null
calls=$FAKE/calls.$name
echo >>"$calls"
answer=$FAKE/$name.$(wc -l <"$calls")
[[ -f $answer ]] || answer=$FAKE/$name
[[ -f $answer ]] || { echo "AccessDeniedException: not authorized to perform $name" >&2; exit 254; }
read -r code <"$answer"
tail -n +2 "$answer"
exit "$code"
"""

ARN = "arn:aws:cloudformation:sa-east-1:111122223333:stack/lacre-sandbox/id"


def refusal(text):
    return 254, text


def policy(*statements):
    return json.dumps({"Statement": list(statements)})


DENIAL = {"Sid": "NothingIsChangedOrDeleted", "Effect": "Deny"}
ALLOWANCE = {"Effect": "Allow", "Action": "kms:*", "Principal": {"AWS": "arn:aws:iam::111122223333:root"}}
TABLE = {"TableArn": "table", "LatestStreamArn": "stream",
         "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
FACTS_OF_LOG = {"time": "t", "request_id": "r", "route": "GET /", "status": "200", "latency_ms": "1", "function_ms": "1",
                "bytes": "2"}


def recovery(status, days=None):
    return {"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {
        "PointInTimeRecoveryStatus": status, "RecoveryPeriodInDays": days}}}


def mappings(number, destination=None):
    return {"EventSourceMappings": [{"FunctionArn": f"function-{each}", "DestinationConfig": {
        "OnFailure": {"Destination": destination}}} for each in range(number)]}


def filters(*images):
    return {"EventSourceMappings": [{"FilterCriteria": {"Filters": [
        {"Pattern": json.dumps({"dynamodb": {image: {"fingerprint": {"S": [{"exists": True}]}}}})} for image in images]}}]}


def lines(message, **event):
    return {"events": [{"message": json.dumps(message), **event}]}


def alarm(name, missing, actions=()):
    return {"AlarmName": name, "TreatMissingData": missing, "InsufficientDataActions": list(actions)}


def cloudfront(kind, name):
    return {kind: {f"{kind}Config": {"Name": name}}}


def key_of(**facts):
    return {"KeyMetadata": {"KeySpec": "ECC_NIST_EDWARDS25519", "SigningAlgorithms": ["ED25519_SHA_512"], **facts}}


def parameters(**given):
    return {"Stacks": [{"Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in given.items()]}]}


LOG_KEY = key_of()
RESERVED = "arn:aws:iam::1:role/aws-reserved/sso.amazonaws.com"
SEAL_KEY = key_of(KeySpec="RSA_2048", Origin="EXTERNAL", KeyUsage="SIGN_VERIFY")
# Responses of AWS if an assumption holds, and if it does not. A response is a value, text, or an exit status with text;
# a list contains those of successive calls. A check without the second kind cannot disprove its assumption.
PHYSICAL = {"cloudformation describe-stack-resource": {"StackResourceDetail": {"PhysicalResourceId": "name"}}}
CASES = {
    "A table's policy that is lifted": (
        {"dynamodb describe-table": {"Table": TABLE}, "dynamodb get-resource-policy": {"Policy": policy(DENIAL)}},
        {"dynamodb get-resource-policy": refusal("PolicyNotFoundException")}),
    "A denial in a table's policy": (
        {"dynamodb update-item": refusal("AccessDeniedException with an explicit deny in a resource-based policy")},
        {"dynamodb update-item": refusal("ConditionalCheckFailedException")}),
    "CloudFormation returns the deployed": (
        {"cloudformation get-template": {"TemplateBody": {"Resources": {"EvidenceTable": {"Properties": {"KeySchema": [{}]}}}}}},
        {"cloudformation get-template": {"TemplateBody": "Resources:"}}),
    "AWS gives policies back": (
        {"s3api get-bucket-policy": {"Policy": policy(
            {"Sid": "TlsOnly"}, {"Sid": "NothingIsReplaced"}, {"Sid": "OnlyCustodianDeletes"})}},
        {"s3api get-bucket-policy": {"Policy": policy({"Sid": "1"}, {"Sid": "2"}, {"Sid": "3"})}}),
    "A denial in a key policy": (
        {"kms sign": refusal("AccessDeniedException with an explicit deny in a resource-based policy")},
        {"kms sign": {"KeyId": "key", "Signature": "c2ln", "SigningAlgorithm": "ED25519_SHA_512"}}),
    "A session of Identity Center": (
        {"sts get-caller-identity": {"Arn": "arn:aws:sts::1:assumed-role/AWSReservedSSO_Operator/me"},
         "cloudformation describe-stacks": parameters(CustodianPermissionSet="Custodian"),
         "sts assume-role": refusal("AccessDenied")},
        {"sts assume-role": {"Credentials": {}}}),
    "The role of a permission set": (
        {"iam list-roles": {"Roles": [{"Arn": f"{RESERVED}/sa-east-1/AWSReservedSSO_Custodian_0123456789abcdef"},
                                      {"Arn": f"{RESERVED}/AWSReservedSSO_Custodian_0123456789abcdef"}]}},
        {"iam list-roles": {"Roles": [{"Arn": "arn:aws:iam::1:role/aws-reserved/AWSReservedSSO_Custodian_0123456789abcdef"}]}}),
    "EventBridge learns": (
        {"cloudtrail describe-trails": {"trailList": [{"TrailARN": "trail"}]},
         "cloudtrail get-trail-status": {"IsLogging": True},
         "cloudtrail get-event-selectors": {"TrailARN": "trail", "EventSelectors": [
             {"IncludeManagementEvents": True, "ReadWriteType": "All"}]}},
        {"cloudtrail get-event-selectors": {"TrailARN": "trail", "EventSelectors": [
            {"IncludeManagementEvents": True, "ReadWriteType": "All", "ExcludeManagementEventSources": ["kms.amazonaws.com"]}]}}),
    "A rule without a target": (
        {**PHYSICAL, "cloudwatch get-metric-statistics": {"Datapoints": [{"Sum": 2.0}]}},
        {"cloudwatch get-metric-statistics": [{"Datapoints": []}, {"Datapoints": [{"Sum": 2.0}]}]}),
    "A rule may publish": (
        {**PHYSICAL, "cloudwatch get-metric-statistics": [{"Datapoints": [{"Sum": 2.0}]}, {"Datapoints": []}]},
        {"cloudwatch get-metric-statistics": [{"Datapoints": [{"Sum": 2.0}]}, {"Datapoints": [{"Sum": 1.0}]}]}),
    "CloudTrail writes": (
        {"cloudtrail describe-trails": {"trailList": [{"TrailARN": "trail"}]},
         "cloudtrail get-trail-status": {"LatestDeliveryTime": 1.0}},
        {"cloudtrail get-trail-status": {"LatestDeliveryError": "InvalidRequest"}}),
    "CloudTrail records": (
        {"cloudtrail describe-trails": {"trailList": [{"TrailARN": "trail"}]},
         "cloudtrail get-event-selectors": {"TrailARN": "trail", "EventSelectors": [{"DataResources": []}]}},
        {"cloudtrail get-event-selectors": {"TrailARN": "trail", "AdvancedEventSelectors": [{"FieldSelectors": [
            {"Field": "eventCategory", "Equals": ["Data"]},
            {"Field": "resources.type", "Equals": ["AWS::DynamoDB::Table"]}]}]}}),
    "A strongly consistent read": (
        {"dynamodb put-item": "", "dynamodb delete-item": "", "dynamodb get-item": {"Item": {"pk": {"S": "it"}}}},
        {"dynamodb get-item": ""}),
    "An index lags": (
        {"dynamodb query": refusal("ValidationException: Consistent reads are not supported")},
        {"dynamodb query": {"Items": []}}),
    "TTL removes": (
        {"dynamodb scan": {"Count": 0}},
        {"dynamodb scan": [{"Count": 0}, {"Count": 1}]}),
    "An item has at most": (
        {"dynamodb put-item": ["", refusal("Item size has exceeded the maximum allowed size")], "dynamodb delete-item": ""},
        {"dynamodb put-item": ""}),
    "A transaction has up to": (
        {"dynamodb transact-write-items": ""},
        {"dynamodb transact-write-items": refusal("ValidationException: at most 25")}),
    "A transaction that is sent again": (
        {"dynamodb transact-write-items": ["", "", refusal("TransactionCanceledException [ConditionalCheckFailed]")],
         "dynamodb delete-item": ""},
        {"dynamodb transact-write-items": ["", refusal("TransactionCanceledException [ConditionalCheckFailed]")]}),
    "A table can be restored": (
        {"dynamodb describe-continuous-backups": recovery("ENABLED", 35)},
        {"dynamodb describe-continuous-backups": [recovery("ENABLED", 35), recovery("ENABLED", 7)]}),
    "A stream has each change": (
        {"dynamodb describe-table": {"Table": TABLE}},
        {"dynamodb describe-table": {"Table": {}}}),
    "What a function gives up": (
        {"dynamodb describe-table": {"Table": TABLE}, "lambda list-event-source-mappings": mappings(2, "queue")},
        {"lambda list-event-source-mappings": mappings(2)}),
    "Two functions may read": (
        {"dynamodb describe-table": {"Table": TABLE}, "lambda list-event-source-mappings": mappings(2)},
        {"lambda list-event-source-mappings": mappings(3)}),
    "A filter finds the records": (
        {"dynamodb describe-table": {"Table": TABLE}, "lambda list-event-source-mappings": filters("NewImage", "OldImage")},
        {"lambda list-event-source-mappings": filters("NewImage")}),
    "A new account runs": (
        {"lambda get-account-settings": {"AccountLimit": {
            "ConcurrentExecutions": 10, "UnreservedConcurrentExecutions": 10}}},
        {"lambda get-account-settings": {"AccountLimit": {
            "ConcurrentExecutions": 120, "UnreservedConcurrentExecutions": 60}}}),
    "The policy of a function": (
        {**PHYSICAL, "lambda get-policy": {"Policy": policy({"Sid": "one"})}},
        {"lambda get-policy": {"Policy": policy({"Sid": "x" * 20480})}}),
    "A function's clock": (
        {**PHYSICAL, "logs filter-log-events": lines({"_aws": {"Timestamp": 1000}}, ingestionTime=3000)},
        {"logs filter-log-events": lines({"_aws": {"Timestamp": 1000}}, ingestionTime=99000)}),
    "Lambda leaves out its own lines": (
        {**PHYSICAL, "logs filter-log-events": [lines({"_aws": {"Timestamp": 1000}}), {"events": []}]},
        {"logs filter-log-events": [lines({"_aws": {"Timestamp": 1000}}), lines({"type": "platform.report"})]}),
    "An invocation by a schedule": (
        {**PHYSICAL, "lambda get-function-event-invoke-config": {
            "MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": 60}},
        {"lambda get-function-event-invoke-config": {"MaximumRetryAttempts": 2, "MaximumEventAgeInSeconds": 60}}),
    "A route with settings": (
        {**PHYSICAL, "apigatewayv2 get-stage": {"RouteSettings": {"POST /validate": {"ThrottlingRateLimit": 70.0}}}},
        {"apigatewayv2 get-stage": [{"RouteSettings": {"GET /": {"ThrottlingRateLimit": 70.0}}}, {"RouteSettings": {}}]}),
    "A secret is resolved": (
        {**PHYSICAL, "apigatewayv2 get-stage": {"StageVariables": {"edge_key": "secret"}}},
        {"apigatewayv2 get-stage": {"StageVariables": {"edge_key": "{{resolve:secretsmanager:arn}}"}}}),
    "A gateway refuses a body": ({"curl": "413"}, {"curl": "404"}),
    "A gateway waits": (
        {**PHYSICAL, "apigatewayv2 get-integrations": {"Items": [{"TimeoutInMillis": 30000}]}},
        {"apigatewayv2 get-integrations": {"Items": [{"TimeoutInMillis": 29000}]}}),
    "The fields of the access logs": (
        {**PHYSICAL, "logs filter-log-events": lines(FACTS_OF_LOG)},
        {"logs filter-log-events": lines({**FACTS_OF_LOG, "function_ms": "-"})}),
    "A gateway speaks TLS": (
        {"openssl": (1, "tlsv1 alert protocol version")},
        {"openssl": "    Protocol  : TLSv1.1"}),
    "A read, and a listing": (
        {"s3api put-object": "", "s3api list-objects-v2": {"Contents": [{}]}, "s3api head-object": {"ETag": "e"},
         "s3api delete-object": ""},
        {"s3api list-objects-v2": ""}),
    "A put with If-None-Match": (
        {"s3api put-object": ["", refusal("PreconditionFailed")], "s3api delete-object": ""},
        {"s3api put-object": ""}),
    "A bucket's policy can demand": (
        {"s3api put-object": refusal("AccessDenied with an explicit deny")}, {"s3api put-object": ""}),
    "An upload URL": ({"curl": "200"}, {"curl": ["200", "412"]}),
    "A presigned URL": (
        {"s3 presign": "https://example", "curl": "<Code>AuthorizationQueryParametersError</Code><Message>a week</Message>"},
        {"curl": "<Code>NoSuchKey</Code><Message>none</Message>"}),
    "An object under Object Lock": (
        {"s3api get-bucket-versioning": {"Status": "Enabled"},
         "s3api get-object-lock-configuration": {"ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled"}}},
        {"s3api get-bucket-versioning": [{"Status": "Enabled"}, {}]}),
    "A key's policy": (
        {"kms get-key-policy": {"Policy": policy(ALLOWANCE)}},
        {"kms get-key-policy": {"Policy": policy({**ALLOWANCE, "Action": "kms:Sign"})}}),
    "KMS has Ed25519": ({"kms describe-key": LOG_KEY}, {"kms describe-key": SEAL_KEY}),
    "KMS imports RSA": (
        {"resourcegroupstaggingapi get-resources": {"ResourceTagMappingList": [{"ResourceARN": "key"}]},
         "kms describe-key": SEAL_KEY},
        {"kms describe-key": LOG_KEY}),
    "SERVICE_QUOTA gives": (
        {"cloudwatch get-metric-data": {"MetricDataResults": [{"Id": "quota", "Values": [60000.0]}]},
         "service-quotas list-service-quotas": {"Quotas": [{"Value": 1.0}, {"Value": 1000.0, "UsageMetric": {
             "MetricDimensions": {"Resource": "CryptographicOperationsRsa"}}}]}},
        {"cloudwatch get-metric-data": {"MetricDataResults": [{"Id": "quota", "Values": [1000.0]}]}}),
    "CloudWatch makes metrics": (
        {"cloudwatch list-metrics": {"Metrics": [{}]}}, {"cloudwatch list-metrics": {"Metrics": []}}),
    "An alarm treats": (
        {"cloudwatch describe-alarms": {"MetricAlarms": [alarm("quiet", "notBreaching"), alarm("alive", "missing", "t")]}},
        {"cloudwatch describe-alarms": {"MetricAlarms": [alarm("alive", "notBreaching", "t")]}}),
    "A schedule may fire": (
        {**PHYSICAL, "cloudwatch get-metric-statistics": {"Datapoints": [{"Sum": 12.0}]}}, None),
    "CloudFront puts its own header": (
        {**PHYSICAL, "apigatewayv2 get-stage": {"StageVariables": {"edge_key": "secret"}},
         "apigatewayv2 get-api": {"ApiEndpoint": "https://example"}, "curl": ["403", "404"]},
        {"curl": ["404", "404"]}),
    "CloudFront refuses TLS 1.2": (
        {"cloudformation describe-stacks": {"Stacks": [{"Parameters": [
            {"ParameterKey": "MinimumTls", "ParameterValue": "1.3"}]}]},
         "openssl": (1, "tlsv1 alert protocol version")},
        {"openssl": "    Protocol  : TLSv1.2"}),
    "S3 reports the size": (
        {"cloudwatch list-metrics": {"Metrics": [{"Dimensions": [{"Name": "StorageType", "Value": "StandardStorage"}]}]}},
        {"cloudwatch list-metrics": {"Metrics": [{"Dimensions": [{"Name": "StorageType", "Value": "StandardIAStorage"}]}]}}),
    "CloudFront's own policies": (
        {"cloudfront get-cache-policy": cloudfront("CachePolicy", "Managed-CachingDisabled"),
         "cloudfront get-origin-request-policy": cloudfront("OriginRequestPolicy", "Managed-AllViewerExceptHostHeader"),
         "cloudfront get-response-headers-policy": cloudfront("ResponseHeadersPolicy", "Managed-SimpleCORS")},
        {"cloudfront get-origin-request-policy": refusal("NoSuchOriginRequestPolicy")}),
}


def check_of(beginning):
    [sentence] = [sentence for sentence in CHECKED if sentence.startswith(beginning)]
    return CHECKED[sentence]


def outputs():
    """The outputs that every stack has, by name."""
    section = (ROOT / "template.yaml").read_text(encoding="utf-8").partition("\nOutputs:\n")[2]
    named = re.findall(r"^  (\w+):((?: .*)?\n(?:    .*\n)*)", section, re.MULTILINE)
    return [name for name, facts in named if "Condition:" not in facts]


def write(answer):
    code, text = answer if isinstance(answer, tuple) else (0, answer)
    return f"{code}\n{text if isinstance(text, str) else json.dumps(text)}\n"


@contextlib.contextmanager
def fake(answers):
    """An environment for the fake AWS, and a folder with the templates and the session of a walk-through."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "bin").mkdir()
        for name in ["aws", "curl", "openssl"]:
            (folder / "bin" / name).write_text(FAKE, encoding="utf-8")
            (folder / "bin" / name).chmod(0o755)
        for name, answer in answers.items():
            for number, each in enumerate(answer if isinstance(answer, list) else [], 1):
                (folder / f"{name}.{number}").write_text(write(each), encoding="utf-8")
            last = answer[-1] if isinstance(answer, list) else answer
            (folder / name).write_text(write(last), encoding="utf-8")
        (folder / "template.yaml").symlink_to(ROOT / "template.yaml")
        (folder / "infra").symlink_to(ROOT / "infra")
        (folder / "target/walk-through").mkdir(parents=True)
        (folder / "target/walk-through/session.json").write_text('{"upload_url": "https://example"}', encoding="utf-8")
        environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "FAKE": str(folder), "HOME": str(folder)}
        yield environment, folder


def described(stage="sandbox"):
    """Responses to describe-stacks: the stage, then the outputs."""
    named = "".join(f"{name}\t{value_of(name)}\n" for name in outputs())
    return {"cloudformation describe-stacks": [f"{stage}\n", f"StackId\t{ARN}\n{named}".rstrip()]}


def value_of(output):
    return f"https://{output.lower()}.example" if output.endswith("Url") else f"a-{output}"


def variables():
    """The output of scripts/stack-env for a sandbox."""
    answers = described()["cloudformation describe-stacks"]
    with fake({"cloudformation describe-stacks": answers[1]}) as (environment, _):
        command = [ROOT / "scripts/stack-env", "lacre-sandbox"]
        printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return dict(line.split("=", 1) for line in printed.splitlines())


VARIABLES = variables()


def outcome(beginning, answers):
    with fake(answers) as (environment, folder):
        command = ["bash", "-euo", "pipefail", "-c", COMMON + check_of(beginning)]
        run = subprocess.run(command, env={**environment, **VARIABLES}, cwd=folder, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False)
    return assumptions.state(run.returncode), run.stdout + run.stderr


class Page(unittest.TestCase):
    def test_every_assumption_has_its_parts(self):
        for sentence, text, checks in FOUND:
            with self.subTest(sentence):
                for part in ["Where", "Source", "If it is wrong"]:
                    self.assertEqual(text.count(f"- **{part}**: "), 1)
                self.assertEqual(text.count("- **Check**: "), len(checks))
                self.assertEqual(text.count("- **No check**: "), 1 - len(checks))

    def test_every_source_is_in_the_table_or_unconfirmed(self):
        table = set(re.findall(r"^\| (.+?) \| <https://[^ >]+> \|$", PAGE, re.MULTILINE))
        cited = set()
        for sentence, text, _ in FOUND:
            source = re.search(r"^- \*\*Source\*\*: (.*?)(?=^- \*\*)", text, re.MULTILINE | re.DOTALL).group(1)
            names = {" ".join(name.split()) for name in re.findall(r"\[([^\]]+)\]\(#sources\)", source)}
            self.assertTrue(names or "unconfirmed" in source, sentence)
            cited |= names
        self.assertEqual(cited, table)

    def test_every_block_is_bash(self):
        for sentence, check in CHECKED.items():
            parsed = subprocess.run(["bash", "-n", "-c", COMMON + check], capture_output=True, text=True, check=False)
            self.assertEqual((parsed.returncode, parsed.stderr), (0, ""), sentence)

    def test_a_check_knows_what_every_stack_has(self):
        for sentence, check in CHECKED.items():
            self.assertLessEqual(set(re.findall(r"\$\{?([A-Z][A-Z_]+)", check)), set(VARIABLES), sentence)


class Checks(unittest.TestCase):
    def test_every_check_has_its_case(self):
        self.assertEqual({check_of(beginning) for beginning in CASES}, set(CHECKED.values()))

    def test_all_hold_where_aws_is_as_documented(self):
        for beginning, (answers, _) in CASES.items():
            state, printed = outcome(beginning, answers)
            self.assertEqual(state, assumptions.HOLDS, f"{beginning}: {printed}")
            self.assertTrue(printed.strip(), beginning)

    def test_none_holds_where_aws_is_otherwise(self):
        for beginning, (answers, others) in CASES.items():
            if others is not None:
                state, printed = outcome(beginning, {**answers, **others})
                self.assertEqual(state, assumptions.FAILS, f"{beginning}: {printed}")

    def test_nothing_is_known_without_permission(self):
        for beginning in CASES:
            state, printed = outcome(beginning, {"curl": (6, ""), "openssl": (1, "connect:errno=111")})
            self.assertEqual(state, assumptions.UNKNOWN, f"{beginning}: {printed}")


class Script(unittest.TestCase):
    def run_on(self, answers):
        with fake({"curl": (6, ""), "openssl": (1, ""), **answers}) as (environment, _):
            command = [ROOT / "scripts/check-assumptions", "lacre-sandbox"]
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_reports_each_assumption_and_succeeds(self):
        run = self.run_on({**described(), "cloudwatch list-metrics": {"Metrics": []}, "dynamodb scan": {"Count": 0}})
        reported = re.findall(r"^(holds|does not hold|not checked here) +([^| ].*)$", run.stdout, re.MULTILINE)
        self.assertEqual([sentence for _, sentence in reported], [assumption.sentence for assumption in FOUND])
        self.assertIn("| 0 metrics", run.stdout)
        self.assertEqual(run.stdout.splitlines()[-1], f"1 hold, 1 do not, {len(FOUND) - 2} were not checked")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_refuses_what_is_no_sandbox(self):
        for answers in [{}, {"cloudformation describe-stacks": ""}, described("production")]:
            run = self.run_on(answers)
            self.assertEqual((run.returncode != 0, run.stdout), (True, ""))


if __name__ == "__main__":
    unittest.main()
