"""Checks that each route of the public gateways has its own limit, and that each limit belongs to a route.

API Gateway accepts a route without settings, which then shares its gateway's rate, and rejects settings of a missing
route only during deployment. HEAD routes need no limit: their responses are empty, and captures do not use them.

usage: routes.py TEMPLATE.json   (transformed and flat)"""

import json
import sys
from pathlib import Path

OPERATORS = "AdminApi"


def routes(api):
    """Route keys in an API's OpenAPI body, without OPTIONS, which CORS handles."""
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
        faults += [f"{api}: {route} has a limit but does not exist" for route in sorted(limited - there)]
        number += len(limited)
    if faults or not number:
        sys.exit("\n".join(faults) or "no route has a limit")
    print(f"{number} routes have a limit of their own")


if __name__ == "__main__":
    main(sys.argv[1])
