"""Checks that each route of the public gateways has a limit of its own, and that each limit is one of a route.

API Gateway takes a route without settings, which then shares the rate of its gateway, and refuses settings of a route that does
not exist when the stack is deployed. HEAD needs none: its answers are empty, and no capture asks for one.

usage: routes.py TEMPLATE.json   (transformed and flat)
"""

import json
import sys
from pathlib import Path

OPERATORS = "AdminApi"


def routes(api):
    """The route keys of an API's OpenAPI body; CORS answers OPTIONS."""
    return {f"{method.upper()} {path}" for path, methods in api["Properties"]["Body"]["paths"].items()
            for method in methods if method != "options"}


def main(template):
    resources = json.loads(Path(template).read_text(encoding="utf-8"))["Resources"]
    faults, number = [], 0
    for stage in (each["Properties"] for each in resources.values() if each["Type"] == "AWS::ApiGatewayV2::Stage"):
        api = stage["ApiId"]["Ref"]
        there, limited = routes(resources[api]), stage.get("RouteSettings", {}).keys()
        wanted = set() if api == OPERATORS else {route for route in there if not route.startswith("HEAD ")}
        faults += [f"{api}: {route} has no limit" for route in sorted(wanted - limited)]
        faults += [f"{api}: {route} has a limit, and is no route" for route in sorted(limited - there)]
        number += len(limited)
    if faults or not number:
        sys.exit("\n".join(faults) or "no route has a limit")
    print(f"{number} routes have a limit of their own")


if __name__ == "__main__":
    main(sys.argv[1])
