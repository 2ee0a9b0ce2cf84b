"""Finds the proof of a copy as a client does that knows only openapi/proofs.yaml: looks the copy up by its content until
the index has followed, and gets each manifest that was found. Validates each response against the document. Reads the
manifests with c2pa-python, which must give them the ids by which they were found.

Usage: find_proof.py PROOFS_URL API_KEY COPY.jpg MANIFEST.c2pa, which must be one of the manifests found
"""

import io
import json
import sys
import time
import urllib.request
from pathlib import Path

import c2pa

from answers import PROOFS, check_body, expect

PATHS = {operation["operationId"]: (path, method)
         for path, item in PROOFS["paths"].items() for method, operation in item.items()}
# The index follows a capture within seconds.
SECONDS = 60


class Client:
    def __init__(self, url, api_key):
        self.url, self.api_key = url, api_key

    def call(self, operation, body=None, media_type=None, **variables):
        """The body of the successful response of an operation, which is validated if it is JSON."""
        path, method = PATHS[operation]
        request = urllib.request.Request(self.url + path.format(**variables), body, method=method.upper())
        request.add_header("authorization", f"Bearer {self.api_key}")
        if media_type:
            request.add_header("content-type", media_type)
        with urllib.request.urlopen(request, timeout=60) as response:
            content, kind = response.read(), response.headers.get_content_type()
            documented = PROOFS["paths"][path][method]["responses"][str(response.status)]["content"]
            expect(f"{operation}: media type", kind in documented, True)
            if kind != "application/json":
                return content
            found = json.loads(content)
            check_body(PROOFS, (method, path), response.status, found)
            return found

    def find(self, copy):
        """The ids of the manifests that a copy leads to."""
        for _ in range(SECONDS):
            matches = self.call("findByContent", copy, "image/jpeg")["matches"]
            if matches:
                return [match["manifestId"] for match in matches]
            time.sleep(1)
        raise SystemExit(f"FAILED: {SECONDS} lookups found nothing")


def main():
    url, api_key, copy, manifest = sys.argv[1:]
    client = Client(url, api_key)
    for operation in ("discovery", "capabilities", "supportedAlgorithms", "status"):
        client.call(operation)
    found = {}
    for id in client.find(Path(copy).read_bytes()):
        found[id] = client.call("manifest", manifest_id=id)
        reader = c2pa.Reader("application/c2pa", io.BytesIO(found[id]))
        expect("the id of the manifest in c2pa-python", json.loads(reader.json())["active_manifest"], id)
    expect("the capture's manifest is found", Path(manifest).read_bytes() in found.values(), True)
    print(f"c2pa-python: the copy leads to {len(found)} manifests, one of which is the capture's")


if __name__ == "__main__":
    main()
