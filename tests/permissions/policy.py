"""Reads the policies of the transformed template as IAM does, conditions included.

Only what template.yaml uses is supported: Allow statements, and the operators below. Anything else raises an error.
"""

import fnmatch


def listed(value):
    return value if isinstance(value, list) else [value]


def text(value):
    """A reference as the name that it refers to."""
    if isinstance(value, dict):
        value = value.get("Ref") or value.get("Fn::GetAtt") or value["Fn::Sub"]
    return ".".join(value) if isinstance(value, list) else value


def holds(operator, wanted, said):
    """Whether one operator of a condition holds. `ForAllValues` holds of a key that the request does not have."""
    for_all, _, comparison = operator.rpartition(":")
    equal = {"StringEquals": str.__eq__, "StringLike": fnmatch.fnmatchcase}[comparison]
    for key, patterns in wanted.items():
        values = listed(said.get(key, []))
        matches = [any(equal(value, text(pattern)) for pattern in listed(patterns)) for value in values]
        if not all(matches) or (not for_all and not values):
            return False
    return True


def grants(statement, action, resource, said):
    """Whether a statement allows a request; resources are as the template writes them."""
    if statement["Effect"] != "Allow":
        raise ValueError("only Allow statements are known here")
    return (action in listed(statement["Action"])
            and any(fnmatch.fnmatchcase(resource, text(pattern)) for pattern in listed(statement["Resource"]))
            and all(holds(operator, wanted, said) for operator, wanted in statement.get("Condition", {}).items()))


def statements_of(owner):
    """Every statement in the policies of a role or a user."""
    return [each for policy in owner["Properties"]["Policies"] for each in listed(policy["PolicyDocument"]["Statement"])]
