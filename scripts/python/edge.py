"""Runs the CloudFront function that separates the two domains behind the firewall, from infra/edge.yaml, in Node. Also
checks that each gateway behind CloudFront requires the key that CloudFront sends, so that nobody can bypass the
firewall.

usage: edge.py TEMPLATE.json   (transformed and flat)"""

import json
import re
import subprocess
import sys
from pathlib import Path

# Host, path, and the status with which the function responds itself; None if it passes the request on.
CASES = [
    ("photos.example.com", "/web/sessions", None),
    ("photos.example.com", "/web/sessions/none", None),
    ("photos.example.com", "/validate", 404),
    ("license.example.com", "/validate", None),
    ("License.Example.com", "/validate", None),
    ("license.example.com", "/web/sessions", 404),
    ("license.example.com", "/validate/", 404),
]
RUN = """
const requests = JSON.parse(process.argv[1]).map(([host, uri]) => ({ uri, headers: { host: { value: host } } }));
console.log(JSON.stringify(requests.map((request) => {
  const answer = handler({ request });
  return answer === request ? null : answer.statusCode;
})));
"""

KEY = "{{resolve:secretsmanager:${EdgeKey}}}"
HEADER = {"HeaderName": "x-edge-key", "HeaderValue": {"Fn::Sub": KEY}}


def of_type(resources, kind):
    return [resource["Properties"] for resource in resources.values() if resource["Type"] == kind]


def without_key(resources):
    """Gateways behind CloudFront whose stage does not require the key, or whose origin does not send it."""
    distributions = of_type(resources, "AWS::CloudFront::Distribution")
    sent = {}
    for origin in [origin for each in distributions for origin in each["DistributionConfig"]["Origins"]]:
        if gateway := re.match(r"\$\{(\w+)\}\.execute-api\.", str(origin["DomainName"].get("Fn::Sub"))):
            sent[gateway.group(1)] = origin.get("OriginCustomHeaders")
    demanded = {stage["ApiId"]["Ref"]: stage.get("StageVariables", {}).get("edge_key")
                for stage in of_type(resources, "AWS::ApiGatewayV2::Stage")}
    if not sent:
        raise SystemExit("no gateway is behind CloudFront")
    wanted = {"Fn::If": ["HasFirewall", {"Fn::Sub": KEY}, {"Ref": "AWS::NoValue"}]}
    return [name for name, headers in sent.items() if headers != [HEADER] or demanded[name] != wanted]


def main(template):
    resources = json.loads(Path(template).read_text(encoding="utf-8"))["Resources"]
    if open_gateways := without_key(resources):
        raise SystemExit(f"around the firewall: {open_gateways}")
    code = resources["EdgeRoutes"]["Properties"]["FunctionCode"]["Fn::Sub"].replace("${LicenseDomain}", "license.example.com")
    requests = json.dumps([case[:2] for case in CASES])
    statuses = json.loads(subprocess.check_output(["node", "--eval", code + RUN, requests], text=True))
    wrong = [(case, status) for case, status in zip(CASES, statuses, strict=True) if case[2] != status]
    if wrong:
        raise SystemExit(f"EdgeRoutes answers otherwise: {wrong}")
    print(f"infra/edge.yaml: behind the firewall {len(CASES)} requests to two domains are passed on or refused as they should be")


if __name__ == "__main__":
    main(sys.argv[1])
