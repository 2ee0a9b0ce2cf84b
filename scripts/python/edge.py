"""Runs the function that separates the two domains behind the firewall, as infra/edge.yaml holds it, in Node.

usage: edge.py TEMPLATE.json   (transformed and flat)
"""

import json
import subprocess
import sys
from pathlib import Path

# Host, path, and the status that the function answers itself; None where it passes the request on.
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


def main(template):
    resources = json.loads(Path(template).read_text(encoding="utf-8"))["Resources"]
    code = resources["EdgeRoutes"]["Properties"]["FunctionCode"]["Fn::Sub"].replace("${LicenseDomain}", "license.example.com")
    requests = json.dumps([case[:2] for case in CASES])
    statuses = json.loads(subprocess.check_output(["node", "--eval", code + RUN, requests], text=True))
    wrong = [(case, status) for case, status in zip(CASES, statuses, strict=True) if case[2] != status]
    if wrong:
        raise SystemExit(f"EdgeRoutes answers otherwise: {wrong}")
    print(f"infra/edge.yaml: behind the firewall {len(CASES)} requests to two domains are passed on or refused as they should be")


if __name__ == "__main__":
    main(sys.argv[1])
