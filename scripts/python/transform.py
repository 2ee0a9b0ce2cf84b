"""Prints the template that SAM makes of another one; with --flat, nested stacks are replaced with their resources.

CloudFormation treats nested stacks as separate stacks. Programs that read the whole service (tests of policies,
alarms and dashboard; ministack, which does not support nested stacks) read the flat template. In it each resource
keeps its name and condition, and parameters are replaced with what they refer to.

usage: transform.py TEMPLATE.yaml [--flat]   (by scripts/transform-template)"""

import json
import re
import sys
from pathlib import Path

from samcli.yamlhelper import yaml_parse
from samtranslator.translator.transform import transform

STACK = "AWS::CloudFormation::Stack"


class NoManagedPolicies:
    """All roles in the template are explicit, so SAM needs no managed policies."""

    def load(self):
        return {}


def parsed(path):
    # Converting through JSON copies what YAML anchors share, because the transformation modifies the template in place.
    return json.loads(json.dumps(yaml_parse(path.read_text(encoding="utf-8"))))


def transformed(template):
    # The transformation requires uploaded code. Its location does not matter to a linter.
    for resource in template["Resources"].values():
        if "CodeUri" in resource["Properties"]:
            resource["Properties"]["CodeUri"] = "s3://bucket/code.zip"
    return transform(template, {}, NoManagedPolicies())


def with_values(part, values):
    """Replaces references in a part of a template. Keys of `values` are `Name` or `Name.Attribute`."""
    def in_text(match):
        match values.get(match.group(1), {"Ref": match.group(1)}):
            case {"Ref": name}:
                return f"${{{name}}}"
            case {"Fn::GetAtt": [name, attribute]}:
                return f"${{{name}.{attribute}}}"
            case value:
                raise ValueError(f"{match.group(1)} is {value}, which cannot be put into a text")

    if isinstance(part, list):
        return [with_values(each, values) for each in part]
    if not isinstance(part, dict):
        return part
    match part:
        case {"Ref": name} if name in values:
            return values[name]
        case {"Fn::GetAtt": [name, attribute]} if f"{name}.{attribute}" in values:
            return values[f"{name}.{attribute}"]
        case {"Fn::Sub": str(text)}:
            return {"Fn::Sub": re.sub(r"\$\{([\w:.]+)\}", in_text, text)}
    return {name: with_values(each, values) for name, each in part.items()}


def merged(ours, theirs, kind):
    """Merges two sections. Entries of the same name must be equal."""
    different = [name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]]
    if different:
        raise ValueError(f"{kind} of two templates differ: {', '.join(sorted(different))}")
    return ours | theirs


def flat(template, folder):
    """The template with nested stacks replaced by their resources."""
    stacks = {name: resource for name, resource in template["Resources"].items() if resource["Type"] == STACK}
    outputs = {}
    for name, stack in stacks.items():
        nested = parsed(folder / stack["Properties"]["TemplateURL"])
        values = stack["Properties"]["Parameters"]
        if nested["Parameters"].keys() != values.keys():
            raise ValueError(f"{name} is given other parameters: {sorted(nested['Parameters'].keys() ^ values.keys())}")
        if "AWS::StackName" in json.dumps(nested):
            raise ValueError(f"{name} has a name of its own, which AWS::StackName is in it")
        parts = {part: with_values(nested.get(part, {}), values) for part in ("Conditions", "Resources", "Outputs")}
        for resource in parts["Resources"].values():
            if "Condition" in stack and "Condition" not in resource:
                resource["Condition"] = stack["Condition"]
        outputs |= {f"{name}.Outputs.{output}": each["Value"] for output, each in parts["Outputs"].items()}
        template["Conditions"] = merged(template["Conditions"], parts["Conditions"], "Conditions")
        template["Mappings"] = merged(template.get("Mappings", {}), nested.get("Mappings", {}), "Mappings")
        del template["Resources"][name]
        template["Resources"] = merged(template["Resources"], parts["Resources"], "Resources")
    return with_values(template, outputs)


def main(path, *options):
    template = transformed(parsed(Path(path)))
    if options == ("--flat",):
        template = flat(template, Path(path).parent)
    print(json.dumps(template, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
