"""Prints what protects the tables, buckets and keys of the flat template, as `lacre-admin evidence compare` expects it: policies, and
the settings of buckets. Names of resources become the variables that hold them, as scripts/stack-env names them.

usage: protection.py TEMPLATE.json             (prints)
       protection.py TEMPLATE.json FILE        (compares FILE with it; by scripts/check-template)
"""

import json
import re
import sys
from pathlib import Path

from policy import settled, text

PSEUDO = ("AWS::Partition", "AWS::Region", "AWS::AccountId", "AWS::StackName")
# Statements that there are with some parameters only. What they name is not compared.
OPTIONAL = {"OnlyItsDistribution"}
# Whose names lacre-admin does not know, and where nothing of evidence lies.
LEFT_OUT = {"VerifyPageBucket", "AlertsKey", "SecretsKey"}


def variable(name):
    """EvidenceTable is EVIDENCE_TABLE."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


class Names:
    def __init__(self, resources):
        self.types = {name: resource["Type"] for name, resource in resources.items()}

    def named(self, reference):
        """A reference with a variable in its place, or `${?}` for what lacre-admin does not know."""
        name, _, attribute = reference.partition(".")
        if reference in PSEUDO:
            return f"${{{reference}}}"
        if name == "SigningOperators":
            return f"${{{variable(name)}}}"
        if self.types.get(name) == "AWS::S3::Bucket":
            return f"{'arn:${AWS::Partition}:s3:::' if attribute == 'Arn' else ''}${{{variable(name)}}}"
        return "${?}"

    def written(self, part):
        match part:
            case {"Fn::Sub": str(sub)}:
                return re.sub(r"\$\{([\w:.]+)\}", lambda match: self.named(match.group(1)), sub)
            case {"Ref": _} | {"Fn::GetAtt": _}:
                return self.named(text(part))
            case dict():
                return {name: self.written(each) for name, each in part.items()}
            case list():
                return [self.written(each) for each in part]
        return part


def guard(kind, name, policy, names, **settings):
    statements = [{**names.written(each), **({"optional": True} if each["Sid"] in OPTIONAL else {})} for each in policy["Statement"]]
    suffix = "_ARN" if kind == "key" else ""
    return {"kind": kind, "variable": variable(name) + suffix, "statements": statements, **settings}


def protection(template):
    resources = settled(template, SigningOperators="some", PublicLog="true")
    names = Names(resources)
    for name, resource in resources.items():
        properties = resource.get("Properties", {})
        if name in LEFT_OUT:
            continue
        match resource["Type"]:
            case "AWS::DynamoDB::Table" if "ResourcePolicy" in properties:
                yield guard("table", name, properties["ResourcePolicy"]["PolicyDocument"], names)
            case "AWS::KMS::Key":
                yield guard("key", name, properties["KeyPolicy"], names)
            case "AWS::S3::BucketPolicy":
                bucket = text(properties["Bucket"])
                if bucket in LEFT_OUT:
                    continue
                of_bucket = resources[bucket]["Properties"]
                lock = of_bucket.get("ObjectLockConfiguration", {})
                # A lock of proofs has its days by a parameter, which may be none.
                yield guard("bucket", bucket, properties["PolicyDocument"], names,
                            versioned="VersioningConfiguration" in of_bucket, object_lock=bool(lock), default_retention="Rule" in lock)


def main(path, expected=None):
    with open(path, encoding="utf-8") as file:
        printed = json.dumps(sorted(protection(json.load(file)), key=lambda each: each["variable"]), indent=1) + "\n"
    if expected is None:
        sys.stdout.write(printed)
    elif Path(expected).read_text(encoding="utf-8") != printed:
        sys.exit(f"{expected} is not what protects the template's resources: scripts/generate")


if __name__ == "__main__":
    main(*sys.argv[1:])
