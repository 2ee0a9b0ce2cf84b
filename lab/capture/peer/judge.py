"""Verifies a delivered photo of the peer or of Lacre: the manifest with c2pa-python, the ICP-Brasil signature with
OpenSSL, and that both cover the uploaded frame. Prints nothing if everything is valid.

usage: judge.py PHOTO.jpg FRAME.jpg ANCHORS.pem"""

import base64
import json
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import c2pa

photo, frame, anchors = map(Path, sys.argv[1:])
trust = {"trust": {"trust_anchors": anchors.read_text(encoding="ascii")}, "verify": {"verify_trust": True}}
reader = c2pa.Reader(str(photo), context=c2pa.Context.from_dict(trust))
state = reader.get_validation_state()
if state != "Trusted":
    sys.exit(f"{photo}: {state}: {json.dumps(reader.get_validation_results())}")

manifests = json.loads(reader.detailed_json())
assertions = manifests["manifests"][manifests["active_manifest"]]["assertion_store"]
frame_hash = sha256(frame.read_bytes()).digest()
if base64.b64decode(assertions["c2pa.hash.data"]["hash"]) != frame_hash:
    sys.exit(f"{photo}: bound to other bytes than the frame")
if assertions["br.lacre.capture"]["frame_hash"] != frame_hash.hex():
    sys.exit(f"{photo}: states another frame's hash")

with tempfile.NamedTemporaryFile(suffix=".p7s") as signature:
    signature.write(base64.b64decode(assertions["br.lacre.seal"]["signature"]))
    signature.flush()
    command = "openssl cms -verify -cades -binary -inform DER -purpose any -out /dev/null".split()
    command += ["-in", signature.name, "-content", frame, "-CAfile", anchors]
    verified = subprocess.run(command, capture_output=True, text=True, check=False)
if verified.returncode != 0:
    sys.exit(f"{photo}: {verified.stderr}")
