"""Prints the protection of the flat template's tables, buckets and keys in the format that `lacre-admin evidence
compare` reads: policies, and settings of buckets. Resource names are replaced with the variables that hold them,
named as by scripts/stack-env.

usage: protection.py TEMPLATE.json             (prints)
       protection.py TEMPLATE.json FILE        (compares FILE with it; by scripts/check-template)"""

import json
import re
import sys
from pathlib import Path

from policy import settled, text

PSEUDO = ("AWS::Partition", "AWS::Region", "AWS::AccountId", "AWS::StackName")
# Statements that exist only with some parameters. The resources that they name are not compared.
OPTIONAL = {"OnlyItsDistribution"}
# Resources without evidence, whose names lacre-admin does not know.
LEFT_OUT = {"VerifyPageBucket", "AlertsKey", "SecretsKey"}


def variable(name):
    """The variable of a resource, such as EVIDENCE_TABLE for EvidenceTable."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


class Names:
    def __init__(self, resources):
        self.types = {name: resource["Type"] for name, resource in resources.items()}

    def named(self, reference):
        """Replaces a reference with its variable, or with `${?}` if lacre-admin does not know it."""
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
                # The retention of proofs is a parameter and may be absent.
                yield guard("bucket", bucket, properties["PolicyDocument"], names,
                            versioned="VersioningConfiguration" in of_bucket, object_lock=bool(lock), default_retention="Rule" in lock)


def main(path, expected=None):
    with open(path, encoding="utf-8") as file:
        printed = json.dumps(sorted(protection(json.load(file)), key=lambda each: each["variable"]), indent=1) + "\n"
    if expected is None:
        sys.stdout.write(printed)
    elif Path(expected).read_text(encoding="utf-8") != printed:
        sys.exit(f"{expected} does not match the template's resources: run scripts/generate")


if __name__ == "__main__":
    main(*sys.argv[1:])
