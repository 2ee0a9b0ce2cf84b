"""Evaluates the templates' policies as IAM does, including conditions: those of roles and users, and of buckets,
tables and keys.

Only what the templates use is supported: the elements of statements and the operators below. Anything else raises
an error."""

import fnmatch
import re

ELEMENTS = {"Sid", "Effect", "Principal", "Action", "Resource", "Condition"}


def listed(value):
    return value if isinstance(value, list) else [value]


def text(value):
    """The name that a reference refers to. A table's stream gets the ARN of one of its streams."""
    if isinstance(value, dict):
        value = value.get("Ref") or value.get("Fn::GetAtt") or value["Fn::Sub"]
    value = ".".join(value) if isinstance(value, list) else value
    return re.sub(r"^(\w+)\.StreamArn$", r"${\1.Arn}/stream/current", value)


def settled(template, **parameters):
    """The resources that exist with these parameters or their defaults, with every `Fn::If` resolved."""
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
    """Compares ARNs part by part, so that a wildcard does not match across a colon."""
    # Pseudo parameters contain colons, so they are replaced first.
    value, pattern = (re.sub(r"\$\{AWS::(\w+)\}", r"\1", arn).split(":", 5) for arn in (value, pattern))
    return len(value) == len(pattern) and all(map(fnmatch.fnmatchcase, value, pattern))


COMPARISONS = {"StringEquals": str.__eq__, "StringLike": fnmatch.fnmatchcase, "Bool": str.__eq__, "ArnLike": arn_like}


def holds(operator, wanted, said):
    """Whether one condition operator holds. `ForAllValues` and negated operators hold if the request lacks the key."""
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
    """Whether a statement applies to a request. Resources are in the template's form."""
    if unknown := statement.keys() - ELEMENTS:
        raise ValueError(f"{', '.join(sorted(unknown))} are not known here")
    return (any(fnmatch.fnmatchcase(action, pattern) for pattern in listed(statement["Action"]))
            and any(fnmatch.fnmatchcase(resource, text(pattern)) for pattern in listed(statement["Resource"]))
            and all(holds(operator, wanted, said) for operator, wanted in statement.get("Condition", {}).items()))


def grants(statement, action, resource, said):
    """Whether a statement of a role or user allows a request."""
    if statement["Effect"] != "Allow":
        raise ValueError("only the policies of buckets, tables and keys deny")
    return applies(statement, action, resource, said)


def statements_of(owner):
    """All policy statements of a role or user."""
    return [each for policy in owner["Properties"]["Policies"] for each in listed(policy["PolicyDocument"]["Statement"])]


def principals(resources):
    """Roles and users by name, with ARNs as CloudFormation could assign them."""
    account, kinds = "arn:${AWS::Partition}:iam::${AWS::AccountId}", {"AWS::IAM::Role": "role", "AWS::IAM::User": "user"}
    return {name: f"{account}:{kinds[resource['Type']]}/${{AWS::StackName}}-{name}-1A2B3C4D5E6F"
            for name, resource in resources.items() if resource["Type"] in kinds}


def whole(resource):
    """The bucket of an object or the table of a stream, as statements name it. Other resources stay unchanged."""
    return resource.removeprefix("${").split("}")[0] if resource.startswith("${") else resource


def guards(resources, resource):
    """The statements of a bucket's, table's or key's resource policy, without those for other services."""
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
            # Principals of the account, or everyone.
            yield from (statement for statement in listed(policy["Statement"])
                        if statement["Principal"] == "*" or "AWS" in statement["Principal"])


def refusals(resources, who, action, resource, said):
    """Names of the resource policy's statements that deny a role's or user's request."""
    said = {"aws:PrincipalArn": principals(resources)[who], **said}
    return [statement["Sid"] for statement in guards(resources, resource)
            if statement["Effect"] == "Deny" and applies(statement, action, resource, said)]


def allows(resources, who, action, resource, said, elsewhere=()):
    """Whether a role or user may make a request, by its own policies and the resource policy. A bucket in another
    account must allow it too."""
    said = {"aws:PrincipalArn": principals(resources)[who], **said}
    if not any(grants(statement, action, resource, said) for statement in statements_of(resources[who])):
        return False
    if whole(resource) in elsewhere and not any(
            statement["Effect"] == "Allow" and applies(statement, action, resource, said)
            for statement in guards(resources, resource)):
        return False
    return not refusals(resources, who, action, resource, said)
