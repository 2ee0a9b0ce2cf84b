"""Reads the policies of the templates as IAM does, conditions included: of roles and users, of buckets, tables and keys.

Only what the templates use is supported: the elements of statements and the operators below. Anything else raises an error.
"""

import fnmatch
import re

ELEMENTS = {"Sid", "Effect", "Principal", "Action", "Resource", "Condition"}


def listed(value):
    return value if isinstance(value, list) else [value]


def text(value):
    """A reference as the name that it refers to; a table's stream as one of those that it has had."""
    if isinstance(value, dict):
        value = value.get("Ref") or value.get("Fn::GetAtt") or value["Fn::Sub"]
    value = ".".join(value) if isinstance(value, list) else value
    return re.sub(r"^(\w+)\.StreamArn$", r"${\1.Arn}/stream/current", value)


def settled(template, **parameters):
    """The resources that there are with these parameters, or with their defaults, without any `Fn::If`."""
    given = {name: parameter.get("Default", "") for name, parameter in template.get("Parameters", {}).items()} | parameters

    def value(part):
        return str(given[part["Ref"]] if isinstance(part, dict) else part)

    def is_met(condition):
        ((kind, parts),) = condition.items()
        match kind:
            case "Condition":
                return is_met(template["Conditions"][parts])
            case "Fn::Not":
                return not is_met(parts[0])
            case "Fn::And":
                return all(map(is_met, parts))
            case "Fn::Or":
                return any(map(is_met, parts))
            case "Fn::Equals":
                return value(parts[0]) == value(parts[1])
        raise ValueError(f"{kind} is not known here")

    def chosen(part):
        if isinstance(part, list):
            return [each for each in map(chosen, part) if each != {"Ref": "AWS::NoValue"}]
        if not isinstance(part, dict):
            return part
        if part.keys() == {"Fn::If"}:
            name, when_met, otherwise = part["Fn::If"]
            return chosen(when_met if is_met({"Condition": name}) else otherwise)
        return {name: each for name, each in ((name, chosen(each)) for name, each in part.items())
                if each != {"Ref": "AWS::NoValue"}}

    return {name: chosen(resource) for name, resource in template["Resources"].items()
            if "Condition" not in resource or is_met({"Condition": resource["Condition"]})}


def arn_like(value, pattern):
    """Part by part, so that a wildcard does not reach into the next part."""
    # A pseudo parameter holds colons of its own.
    value, pattern = (re.sub(r"\$\{AWS::(\w+)\}", r"\1", arn).split(":", 5) for arn in (value, pattern))
    return len(value) == len(pattern) and all(map(fnmatch.fnmatchcase, value, pattern))


COMPARISONS = {"StringEquals": str.__eq__, "StringLike": fnmatch.fnmatchcase, "Bool": str.__eq__, "ArnLike": arn_like}


def holds(operator, wanted, said):
    """Whether one operator of a condition holds. `ForAllValues` and negations hold of a key that the request has not."""
    quantifier, _, comparison = operator.rpartition(":")
    for key, patterns in wanted.items():
        values, patterns = listed(said.get(key, [])), [text(pattern) for pattern in listed(patterns)]
        if comparison == "Null":
            held = not values if patterns == ["true"] else bool(values)
        elif comparison == "ArnNotLike":
            held = not any(arn_like(value, pattern) for value in values for pattern in patterns)
        else:
            matches = [any(COMPARISONS[comparison](value, pattern) for pattern in patterns) for value in values]
            held = any(matches) if quantifier == "ForAnyValue" else all(matches) and bool(matches or quantifier)
        if not held:
            return False
    return True


def applies(statement, action, resource, said):
    """Whether a statement is about a request; resources are as the template writes them."""
    if unknown := statement.keys() - ELEMENTS:
        raise ValueError(f"{', '.join(sorted(unknown))} are not known here")
    return (any(fnmatch.fnmatchcase(action, pattern) for pattern in listed(statement["Action"]))
            and any(fnmatch.fnmatchcase(resource, text(pattern)) for pattern in listed(statement["Resource"]))
            and all(holds(operator, wanted, said) for operator, wanted in statement.get("Condition", {}).items()))


def grants(statement, action, resource, said):
    """Whether a statement of a role or a user allows a request."""
    if statement["Effect"] != "Allow":
        raise ValueError("only the policies of buckets, tables and keys deny")
    return applies(statement, action, resource, said)


def statements_of(owner):
    """Every statement in the policies of a role or a user."""
    return [each for policy in owner["Properties"]["Policies"] for each in listed(policy["PolicyDocument"]["Statement"])]


def principals(resources):
    """The roles and users, by name, with the ARNs that CloudFormation might give them."""
    account, kinds = "arn:${AWS::Partition}:iam::${AWS::AccountId}", {"AWS::IAM::Role": "role", "AWS::IAM::User": "user"}
    return {name: f"{account}:{kinds[resource['Type']]}/${{AWS::StackName}}-{name}-1A2B3C4D5E6F"
            for name, resource in resources.items() if resource["Type"] in kinds}


def whole(resource):
    """The bucket of an object, or the table of a stream, as a statement names it; anything else is itself."""
    return resource.removeprefix("${").split("}")[0] if resource.startswith("${") else resource


def guards(resources, resource):
    """The statements of a bucket's, a table's or a key's own policy, those about other services left out."""
    for name, each in resources.items():
        properties = each.get("Properties", {})
        if each["Type"] == "AWS::S3::BucketPolicy":
            guarded, policy = f"{text(properties['Bucket'])}.Arn", properties["PolicyDocument"]
        elif each["Type"] == "AWS::DynamoDB::Table" and "ResourcePolicy" in properties:
            guarded, policy = f"{name}.Arn", properties["ResourcePolicy"]["PolicyDocument"]
        elif each["Type"] == "AWS::KMS::Key":
            guarded, policy = f"{name}.Arn", properties["KeyPolicy"]
        else:
            continue
        if guarded == whole(resource):
            # Of the account, or of everyone.
            yield from (statement for statement in listed(policy["Statement"])
                        if statement["Principal"] == "*" or "AWS" in statement["Principal"])


def refusals(resources, who, action, resource, said):
    """The names of those statements of a bucket's, table's or key's policy that deny a request to a role or user."""
    said = {"aws:PrincipalArn": principals(resources)[who], **said}
    return [statement["Sid"] for statement in guards(resources, resource)
            if statement["Effect"] == "Deny" and applies(statement, action, resource, said)]


def allows(resources, who, action, resource, said, elsewhere=()):
    """Whether a role or user may do something: by its own policies, and by that of the bucket, table or key. A bucket elsewhere,
    in another account, must allow it too."""
    said = {"aws:PrincipalArn": principals(resources)[who], **said}
    if not any(grants(statement, action, resource, said) for statement in statements_of(resources[who])):
        return False
    if whole(resource) in elsewhere and not any(
            statement["Effect"] == "Allow" and applies(statement, action, resource, said)
            for statement in guards(resources, resource)):
        return False
    return not refusals(resources, who, action, resource, said)
