"""Tests that compare.py reports missing and superfluous permissions, and nothing else."""

import unittest

from compare import complaints

TABLE = {"Fn::GetAtt": ["AccountsTable", "Arn"]}
FRAMES = {"Fn::GetAtt": ["FramesTable", "Arn"]}


def statement(sid, action, resource=TABLE, **condition):
    return {"Sid": sid, "Effect": "Allow", "Action": action, "Resource": resource, "Condition": condition}


def template(*statements):
    """A template with a function `caller` that has these statements and those for its log."""
    log = statement("Log", ["logs:CreateLogStream", "logs:PutLogEvents"], {"Fn::GetAtt": ["CallerLog", "Arn"]})
    policy = {"PolicyDocument": {"Statement": [log, *statements]}}
    properties = {"Role": {"Fn::GetAtt": ["CallerRole", "Arn"]}, "LoggingConfig": {"LogGroup": {"Ref": "CallerLog"}}}
    metadata = {"BuildProperties": {"Binary": "caller"}}
    return {
        "CallerFunction": {"Type": "AWS::Lambda::Function", "Properties": properties, "Metadata": metadata},
        "CallerRole": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [policy]}},
        "PresignerSecret": {"Type": "AWS::SecretsManager::Secret",
                            "Properties": {"KmsKeyId": {"Fn::GetAtt": ["SecretsKey", "Arn"]}}},
    }


def recorded(action, resource="table/accounts", caller="caller", **conditions):
    return {"caller": caller, "action": action, "resource": resource, "conditions": conditions}


class Complaints(unittest.TestCase):
    PUT = recorded("dynamodb:PutItem", **{"dynamodb:LeadingKeys": ["alerts#"]})
    PUTS = "dynamodb:PutItem on AccountsTable.Arn"
    OF_ALERTS = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["alerts#*"]}}

    def complaints(self, statements, *calls):
        return list(complaints(template(*statements), calls))

    def test_what_is_called_and_granted_has_no_complaint(self):
        self.assertEqual(self.complaints([statement("Put", "dynamodb:PutItem", **self.OF_ALERTS)], self.PUT), [])

    def test_a_call_of_an_unknown_caller_needs_no_role(self):
        self.assertEqual(self.complaints([], recorded("dynamodb:Scan", caller="lacre-admin")), [])

    def test_a_call_that_is_not_granted_is_missing(self):
        wanted = ["CallerRole lacks dynamodb:PutItem on AccountsTable.Arn dynamodb:LeadingKeys=['alerts#']"]
        self.assertEqual(self.complaints([], self.PUT), wanted)

    def test_a_call_that_its_condition_refuses_is_missing(self):
        license = recorded("dynamodb:PutItem", **{"dynamodb:LeadingKeys": ["license#"]})
        found = self.complaints([statement("Put", "dynamodb:PutItem", **self.OF_ALERTS)], self.PUT, license)
        self.assertEqual(found, ["CallerRole lacks dynamodb:PutItem on AccountsTable.Arn dynamodb:LeadingKeys=['license#']"])

    def test_lambda_traces_where_its_tracing_is_active(self):
        trace = statement("Trace", ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*")
        wanted = {"Active": [[f"CallerRole lacks {action} on *" for action in trace["Action"]], []],
                  "PassThrough": [[], [f"CallerRole needs no Trace: {action} on *" for action in trace["Action"]]]}
        for mode, (without, granted) in wanted.items():
            for statements, found in (([], without), ([trace], granted)):
                resources = template(*statements)
                resources["CallerFunction"]["Properties"]["TracingConfig"] = {"Mode": mode}
                self.assertEqual(list(complaints(resources, [])), found)

    def test_an_action_that_was_never_used_is_too_much(self):
        found = self.complaints([statement("Put", ["dynamodb:PutItem", "dynamodb:DeleteItem"])], self.PUT)
        self.assertEqual(found, ["CallerRole needs no Put: dynamodb:DeleteItem on AccountsTable.Arn"])

    def test_a_value_of_a_condition_that_was_never_used_is_too_much(self):
        condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["alerts#*", "license#*"]}}
        found = self.complaints([statement("Put", "dynamodb:PutItem", **condition)], self.PUT)
        self.assertEqual(found, [f"CallerRole needs no Put: {self.PUTS} with dynamodb:LeadingKeys=license#*"])

    def test_a_value_that_one_action_alone_used_is_too_much_for_another(self):
        condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["alerts#*", "license#*"]}}
        update = recorded("dynamodb:UpdateItem", **{"dynamodb:LeadingKeys": ["license#"]})
        both = statement("Write", ["dynamodb:PutItem", "dynamodb:UpdateItem"], **condition)
        wanted = [f"CallerRole needs no Write: {self.PUTS} with dynamodb:LeadingKeys=license#*",
                  "CallerRole needs no Write: dynamodb:UpdateItem on AccountsTable.Arn with dynamodb:LeadingKeys=alerts#*"]
        self.assertEqual(self.complaints([both], self.PUT, update), wanted)

    def test_a_resource_that_one_action_alone_used_is_too_much_for_another(self):
        read = recorded("dynamodb:GetItem", "table/frames")
        both = statement("Both", ["dynamodb:PutItem", "dynamodb:GetItem"], [TABLE, FRAMES])
        wanted = ["CallerRole needs no Both: dynamodb:PutItem on FramesTable.Arn",
                  "CallerRole needs no Both: dynamodb:GetItem on AccountsTable.Arn"]
        self.assertEqual(self.complaints([both], self.PUT, read), wanted)

    def test_keys_that_are_requested_together_are_needed_together(self):
        condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["client#*", "license#*"]}}
        read = recorded("dynamodb:BatchGetItem", **{"dynamodb:LeadingKeys": ["client#", "license#"]})
        self.assertEqual(self.complaints([statement("Read", "dynamodb:BatchGetItem", **condition)], read), [])

    def test_what_is_granted_twice_is_too_much(self):
        found = self.complaints([statement("Put", "dynamodb:PutItem"), statement("Again", "dynamodb:PutItem")], self.PUT)
        self.assertEqual(found, [f"CallerRole needs no {sid}: {self.PUTS}" for sid in ("Put", "Again")])

    def test_a_resource_that_was_never_requested_is_too_much(self):
        found = self.complaints([statement("Put", "dynamodb:PutItem", [TABLE, FRAMES])], self.PUT)
        self.assertEqual(found, ["CallerRole needs no Put: dynamodb:PutItem on FramesTable.Arn"])

    def test_an_index_is_not_its_table(self):
        read = recorded("dynamodb:Query", "table/accounts/index/by_name")
        of_index = statement("Find", "dynamodb:Query", {"Fn::Sub": "${AccountsTable.Arn}/index/by_name"})
        self.assertEqual(self.complaints([of_index], read), [])
        self.assertEqual(self.complaints([statement("Find", "dynamodb:Query")], read),
                         ["CallerRole lacks dynamodb:Query on ${AccountsTable.Arn}/index/by_name",
                          "CallerRole needs no Find: dynamodb:Query on AccountsTable.Arn"])

    def test_a_read_of_a_part_needs_no_permission_for_the_whole(self):
        part = {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "v"]},
                "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}
        read = recorded("dynamodb:BatchGetItem", **{"dynamodb:Attributes": ["pk", "v"], "dynamodb:Select": ["SPECIFIC_ATTRIBUTES"]})
        granted = statement("Read", "dynamodb:BatchGetItem", **part)
        self.assertEqual(self.complaints([granted], read), [])
        self.assertEqual(self.complaints([granted], read, recorded("dynamodb:BatchGetItem")),
                         ["CallerRole lacks dynamodb:BatchGetItem on AccountsTable.Arn"])

    def test_reading_a_secret_needs_decryption(self):
        read = recorded("secretsmanager:GetSecretValue", "secret/presigner")
        found = self.complaints([statement("Read", "secretsmanager:GetSecretValue", {"Ref": "PresignerSecret"})], read)
        through = "kms:ViaService=secretsmanager.${AWS::Region}.amazonaws.com"
        self.assertEqual(found, [f"CallerRole lacks kms:Decrypt on SecretsKey.Arn {through}"])


class ThePolicyOfATable(unittest.TestCase):
    """A table policy that allows puts only to the caller's role."""
    PUT = recorded("dynamodb:PutItem")

    def complaints(self, role):
        resources = template(statement("Put", "dynamodb:PutItem"))
        name = f"arn:${{AWS::Partition}}:iam::${{AWS::AccountId}}:role/${{AWS::StackName}}-{role}-*"
        others = {"ArnNotLike": {"aws:PrincipalArn": {"Fn::Sub": name}}}
        deny = {**statement("Others", "dynamodb:PutItem", "*", **others), "Effect": "Deny", "Principal": "*"}
        resources["AccountsTable"] = {
            "Type": "AWS::DynamoDB::Table", "Properties": {"ResourcePolicy": {"PolicyDocument": {"Statement": [deny]}}}}
        return list(complaints(resources, [self.PUT]))

    def test_a_call_that_it_lets_through_has_no_complaint(self):
        self.assertEqual(self.complaints("CallerRole"), [])

    def test_a_call_that_it_denies_is_refused(self):
        self.assertEqual(self.complaints("OtherRole"), ["CallerRole is refused dynamodb:PutItem on AccountsTable.Arn by Others"])


class TheRoleOfAPerson(unittest.TestCase):
    """A role without a function has no log, and no stream that Lambda reads for it."""
    PRESENT = [{"Fn::GetAtt": ["EvidenceTable", "StreamArn"]}, {"Fn::GetAtt": ["PersonalTable", "StreamArn"]}]
    ALL = [{"Fn::Sub": "${EvidenceTable.Arn}/stream/*"}, {"Fn::Sub": "${PersonalTable.Arn}/stream/*"}]
    STORED = {"Fn::Sub": "${ExportBucket.Arn}/records/*"}
    EXPORT = {"Fn::GetAtt": ["ExportBucket", "Arn"]}

    def complaints(self, statements, *calls):
        role = {"Type": "AWS::IAM::Role", "Properties": {"Policies": [{"PolicyDocument": {"Statement": statements}}]}}
        found = [recorded(action, resource, "custodian", **conditions) for action, resource, conditions in calls]
        return list(complaints({"CustodianRole": role}, found))

    def test_a_stream_is_its_tables_present_or_former_one(self):
        read = [("dynamodb:GetRecords", f"stream/{name}", {}) for name in ("evidence", "personal")]
        for streams in (self.PRESENT, self.ALL):
            granted = statement("Streams", "dynamodb:GetRecords", streams)
            self.assertEqual(self.complaints([granted], *read), [])
            (found,) = self.complaints([granted], read[0])
            self.assertIn("needs no Streams: dynamodb:GetRecords on ${PersonalTable.Arn}/stream/", found)
            self.assertEqual(self.complaints([{**granted, "Resource": streams[:1]}], *read),
                             ["CustodianRole lacks dynamodb:GetRecords on ${PersonalTable.Arn}/stream/current"])

    def test_reading_an_object_needs_to_list_its_bucket(self):
        read = ("s3:GetObject", "bucket/export/records/id.json", {})
        found = self.complaints([statement("Read", "s3:GetObject", self.STORED)], read)
        self.assertEqual(found, ["CustodianRole lacks s3:ListBucket on ExportBucket.Arn"])
        listing = statement("List", "s3:ListBucket", self.EXPORT)
        self.assertEqual(self.complaints([statement("Read", "s3:GetObject", self.STORED), listing], read), [])

    def test_a_condition_of_an_enclosing_transaction_is_needed(self):
        condition = {"ForAnyValue:StringEquals": {"dynamodb:EnclosingOperation": "TransactWriteItems"}}
        inside = ("dynamodb:PutItem", "table/accounts", {"dynamodb:EnclosingOperation": ["TransactWriteItems"]})
        put = statement("Put", "dynamodb:PutItem", **condition)
        self.assertEqual(self.complaints([put], inside), [])
        found = self.complaints([put], inside, ("dynamodb:PutItem", "table/accounts", {}))
        self.assertEqual(found, ["CustodianRole lacks dynamodb:PutItem on AccountsTable.Arn"])

    def test_an_object_that_could_replace_another_is_refused(self):
        put = statement("Put", "s3:PutObject", self.STORED)
        deny = {**statement("New", "s3:PutObject", {"Fn::Sub": "${ExportBucket.Arn}/*"},
                            Null={"s3:if-none-match": "true"}, Bool={"s3:ObjectCreationOperation": "true"}),
                "Effect": "Deny", "Principal": "*"}
        resources = {
            "CustodianRole": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [{"PolicyDocument": {"Statement": [put]}}]}},
            "ExportBucketPolicy": {"Type": "AWS::S3::BucketPolicy", "Properties": {
                "Bucket": {"Ref": "ExportBucket"}, "PolicyDocument": {"Statement": [deny]}}}}
        found = [recorded("s3:PutObject", "bucket/export/records/id.json", "custodian", **conditions)
                 for conditions in ({"s3:if-none-match": ["*"]}, {})]
        refused = ["CustodianRole is refused s3:PutObject on ${ExportBucket.Arn}/records/id.json "
                   "s3:ObjectCreationOperation=true by New"]
        self.assertEqual(list(complaints(resources, found[:1])), [])
        self.assertEqual(list(complaints(resources, found)), refused)


if __name__ == "__main__":
    unittest.main()
