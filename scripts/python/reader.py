#!/usr/bin/env python3
"""Reads proofs according to docs/reference/manifest.md alone, and compares its findings with the test vectors.

It checks the form, the claim, the hashes, the seal, the statements and the times. It does not check certificate
chains, timestamp signatures, policies, or which certificate the seal names as its signer's. For vectors that fail
only for these reasons it must find nothing.

Usage: reader.py FOLDER"""

import json
import re
import struct
import sys
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

VERSION = 1
CAPTURE, SEAL, BROWSER = "br.lacre.capture", "br.lacre.seal", "br.lacre.browser"
ACTIONS, HARD_BINDING = "c2pa.actions.v2", "c2pa.hash.data"
SEALED = [ACTIONS, CAPTURE, BROWSER]
MESSAGE_DIGEST, SIGNING_TIME = "1.2.840.113549.1.9.4", "1.2.840.113549.1.9.5"
STATEMENTS = "1.2.840.113556.1.8000.2554.56652.65237.28993.18444.33540.8321752.12080586"
TIMESTAMP = "1.2.840.113549.1.9.16.2.14"
JUDGED = [
    "form", "claim", "statements", "hard binding", "hashes agree", "seal signature", "sealed environment", "sealed statements",
    "sealed claim certificate", "times agree",
]


class Malformed(Exception):
    """The file does not have the form of a proof."""


def require(condition, what):
    if not condition:
        raise Malformed(what)


# The JPEG: the frame, and the manifest in consecutive APP11 segments.


def take_apart(file):
    """Returns the frame, the manifest, and the offset and length of its segments."""
    require(file[:2] == b"\xff\xd8", "not a JPEG")
    at, start, end, manifest = 2, None, None, b""
    while True:
        require(file[at : at + 1] == b"\xff" and at + 4 <= len(file), "no marker")
        marker = file[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xDA:
            break
        length = struct.unpack(">H", file[at + 2 : at + 4])[0]
        content = file[at + 4 : at + 2 + length]
        if marker == 0xEB:
            require(content[:2] == b"JP" and end in (None, at), "the segments are not consecutive")
            # Each segment repeats the box header (length and type).
            manifest += content[8:] if start is None else content[16:]
            start, end = at if start is None else start, at + 2 + length
        at += 2 + length
    require(start is not None, "no manifest")
    return file[:start] + file[end:], manifest, (start, end - start)


# JUMBF (ISO 19566-5): nested boxes. A superbox begins with its description box.


def boxes(data):
    while data:
        length, kind = struct.unpack(">I4s", data[:8])
        require(8 <= length <= len(data), "a box's length")
        yield kind, data[8:length]
        data = data[length:]


def superbox(content):
    """Returns the label of a superbox, and the boxes after its description."""
    (kind, description), *inner = boxes(content)
    require(kind == b"jumd", "a superbox without a description")
    return description[17:].split(b"\0")[0].decode(), inner


def read_manifest(manifest):
    """Returns the assertions (each with its complete box), the claim and the signature."""
    ((kind, store),) = boxes(manifest)
    require(kind == b"jumb", "no manifest store")
    _, ((_, only),) = superbox(store)
    label, parts = superbox(only)
    parts = dict((name, inner) for name, inner in (superbox(content) for _, content in parts))
    assertions = {}
    for _, content in parts["c2pa.assertions"]:
        name, (box, *_) = superbox(content)
        assertions[name] = (content, box[1])
    ((_, claim),), ((_, signature),) = parts["c2pa.claim.v2"], parts["c2pa.signature"]
    return label, assertions, claim, signature


# CBOR (RFC 8949), limited to what a proof contains.


def cbor(data):
    value, rest = cbor_item(data)
    require(not rest, "bytes behind the CBOR")
    return value


def cbor_item(data):
    major, info = data[0] >> 5, data[0] & 31
    if major == 7:
        simple = {20: False, 21: True, 22: None}
        if info in simple:
            return simple[info], data[1:]
        length = {25: 2, 26: 4, 27: 8}[info]
        return struct.unpack({2: ">e", 4: ">f", 8: ">d"}[length], data[1 : 1 + length])[0], data[1 + length :]
    size = {24: 1, 25: 2, 26: 4, 27: 8}.get(info, 0)
    number = int.from_bytes(data[1 : 1 + size], "big") if size else info
    data = data[1 + size :]
    require(major not in (2, 3) or number <= len(data), "a string that is cut")
    match major:
        case 0:
            return number, data
        case 1:
            return -1 - number, data
        case 2:
            return data[:number], data[number:]
        case 3:
            return data[:number].decode(), data[number:]
        case 4:
            items = []
            for _ in range(number):
                item, data = cbor_item(data)
                items.append(item)
            return items, data
        case 5:
            entries = {}
            for _ in range(number):
                key, data = cbor_item(data)
                entries[key], data = cbor_item(data)
            return entries, data
    return cbor_item(data)  # a tag: its content


def cbor_bytes(value):
    """Encodes a byte string of 24 to 65,535 bytes, the lengths of a claim and its protected header."""
    return (struct.pack(">BH", 0x59, len(value)) if len(value) > 255 else struct.pack(">BB", 0x58, len(value))) + value


# DER, limited to what a CMS signature contains.


def der(data):
    """The elements of a DER value: tag, content, and complete encoding."""
    at = 0
    while at < len(data):
        tag, length, head = data[at], data[at + 1], 2
        if length > 127:
            head = 2 + length - 128
            length = int.from_bytes(data[at + 2 : at + head], "big")
        require(at + head + length <= len(data), "a DER value that is cut")
        yield tag, data[at + head : at + head + length], data[at : at + head + length]
        at += head + length


def oid(content):
    arcs, number = [], 0
    for byte in content:
        number = number << 7 | byte & 127
        if byte < 128:
            arcs.append(number)
            number = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, [first, arcs[0] - 40 * first, *arcs[1:]]))


def attributes(content):
    found = {}
    for _, attribute, _ in der(content):
        (_, kind, _), (_, values, _) = der(attribute)
        found[oid(kind)] = next(der(values))
    return found


def read_cms(signature):
    """Returns the content, the first certificate and the only signer of a CMS SignedData."""
    (_, info, _), = der(signature)
    _, (_, wrapped, _) = der(info)
    (_, signed_data, _), = der(wrapped)
    parts = list(der(signed_data))
    certificates = [whole for tag, content, _ in parts if tag == 0xA0 for _, _, whole in der(content)]
    (_, signer, _), = der(parts[-1][1])
    return parts[2][1], certificates, list(der(signer))


def time_of(tag, content):
    text = content.decode().rstrip("Z")
    text = text if tag == 0x18 else ("19" if text[0] >= "5" else "20") + text
    whole, _, fraction = text.partition(".")
    return datetime.strptime(whole, "%Y%m%d%H%M%S").replace(tzinfo=UTC) + timedelta(seconds=float("0." + (fraction or "0")))


def stamped_at(token):
    """Returns the time of an RFC 3161 token."""
    content, _, _ = read_cms(token)
    _, (_, wrapped, _) = der(content)
    (_, octets, _), = der(wrapped)
    (_, info, _), = der(octets)
    return next(time_of(tag, content) for tag, content, _ in der(info) if tag == 0x18)


# The names in `asked_for`, the step of a client's kit.


def require_asked_for(asked):
    """Checks the form of the step that a photo was asked for as."""
    require(set(asked) == {"kit", "version", "sha256", "step"}, "the fields of asked_for")
    names = (asked["kit"], asked["step"])
    require(all(re.fullmatch("[a-z][a-z0-9-]{0,31}", name) for name in names), "the names in asked_for")
    require(type(asked["version"]) is int and 1 <= asked["version"] <= 999_999_999, "the version in asked_for")
    require(len(bytes.fromhex(asked["sha256"])) == 32, "the hash in asked_for")


# The checks.


def find_faults(file):
    """Returns the names of the failed checks; `newer` if the proof has a newer version, `None` if there is no proof."""
    if not any(label.encode() in file for label in (CAPTURE, SEAL, BROWSER)):
        return None
    try:
        frame, manifest, segments = take_apart(file)
        label, assertions, claim, signature = read_manifest(manifest)
        contents = {name: cbor(content) for name, (_, content) in assertions.items()}
        capture = contents[CAPTURE]
        if capture["version"] > VERSION:
            return "newer"
        require(list(assertions) == [ACTIONS, CAPTURE, SEAL, BROWSER, HARD_BINDING], "other assertions")
        require(file.endswith(b"\xff\xd9"), "bytes behind the picture")
        protected, unprotected, _, raw = cbor(signature)
        chain = cbor(protected)[33]
        leaf = x509.load_der_x509_certificate(chain[0] if isinstance(chain, list) else chain)
        _, certificates, signer = read_cms(contents[SEAL]["signature"])
        signed = next((content, whole) for tag, content, whole in signer if tag == 0xA0)
        unsigned = next((attributes(content) for tag, content, _ in signer if tag == 0xA1), {})
        attested = attributes(signed[0])
        _, (_, environment, _), (_, sealed, _), (_, of_claim, _) = der(attested[STATEMENTS][1])
        hashed = {
            item["url"].split("/")[-1]: item["hash"]
            for kind in ("created_assertions", "gathered_assertions")
            for item in cbor(claim).get(kind, [])
        }
        ingest = datetime.strptime(capture["ingested_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
        taken = datetime.fromtimestamp(contents[BROWSER]["captured_at_ms"] / 1000, UTC)
        binding, actions = contents[HARD_BINDING], contents[ACTIONS]
        (exclusion,), (action,) = binding["exclusions"], actions["actions"]
        excluded = (exclusion["start"], exclusion["length"])
        is_sha256 = binding["alg"] == "sha256" and not binding["pad"]
        is_capture = (
            action["action"] == "c2pa.created"
            and action["when"] == capture["ingested_at"]
            and action["digitalSourceType"].endswith("/digitalCapture")
            and actions["allActionsIncluded"]
            and capture["assurance_level"] == "fraud_deterrence"
            and (not capture["icp_brasil"] or capture["environment"] == "PRODUCTION")
        )
        frame_hashes = [bytes.fromhex(capture["frame_hash"]), contents[HARD_BINDING]["hash"], attested[MESSAGE_DIGEST][1]]
        require(len(bytes.fromhex(capture["capture_id"])) == 32, "the capture_id")
        if "asked_for" in capture:
            require_asked_for(capture["asked_for"])
        tokens = [stamped_at(unsigned[TIMESTAMP][2])] if TIMESTAMP in unsigned else []
        tokens += [stamped_at(token["val"]) for token in unprotected.get("sigTst2", {}).get("tstTokens", [])]
    except (Malformed, LookupError, TypeError, ValueError, OverflowError, StopIteration, struct.error) as fault:
        return {"form": repr(fault)}

    faults = {}

    def check(name, holds):
        if not holds:
            faults[name] = "does not hold"

    listed = {name: sha256(box).digest() for name, (box, _) in assertions.items()}
    check("claim", hashed == listed and claim_holds(leaf, protected, claim, raw))

    check("hard binding", excluded == segments and is_sha256)
    check("hashes agree", all(stated == sha256(frame).digest() for stated in frame_hashes))
    check("statements", is_capture)

    octets = [content for tag, content, _ in signer if tag == 0x04]
    sealer = sealer_of(certificates, b"\x31" + signed[1][1:], octets[-1])
    check("seal signature", sealer is not None)
    check("sealed environment", environment.decode() == capture["environment"])
    stated = [tuple(part for _, part, _ in der(content)) for _, content, _ in der(sealed)]
    check("sealed statements", stated == [(name.encode(), sha256(assertions[name][1]).digest()) for name in SEALED])
    check("sealed claim certificate", of_claim == sha256(chain[0] if isinstance(chain, list) else chain).digest())

    check("times agree", (
        time_of(attested[SIGNING_TIME][0], attested[SIGNING_TIME][1]) == ingest.replace(microsecond=0)
        and timedelta(minutes=-32) <= taken - ingest <= timedelta(minutes=2)
        and all(timedelta(seconds=-60) <= token - ingest <= timedelta(minutes=5) for token in tokens)
        and all(signer.not_valid_before_utc <= ingest < signer.not_valid_after_utc + timedelta(seconds=1) for signer in (leaf, sealer) if signer)
    ))
    return faults


def claim_holds(leaf, protected, claim, raw):
    """Verifies a COSE_Sign1 with ES256, whose signature is `r` and `s` of 32 bytes each."""
    message = b"\x84\x6aSignature1" + cbor_bytes(protected) + b"\x40" + cbor_bytes(claim)
    der_form = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        leaf.public_key().verify(der_form, message, ec.ECDSA(SHA256()))
    except (InvalidSignature, TypeError, ValueError):
        return False  # also of a key of another kind
    return True


def sealer_of(certificates, message, signature):
    """Finds the certificate whose key made the seal (RSA PKCS#1 v1.5 with SHA-256)."""
    for der_form in certificates:
        try:
            certificate = x509.load_der_x509_certificate(der_form)
            certificate.public_key().verify(signature, message, padding.PKCS1v15(), SHA256())
        except (InvalidSignature, ValueError):
            continue
        return certificate
    return None


def compare(folder):
    wrong = 0
    cases = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    # The other cases have the frame and its manifest in two files.
    cases = [case for case in cases if "manifest" not in case]
    for case in cases:
        found = find_faults((folder / case["photo"]).read_bytes())
        expected = {"no_proof": None, "newer_version": "newer"}.get(case["outcome"], {name for name in case["failed"] if name in JUDGED})
        if case["failed"] == ["form"]:
            # This reader is less strict about the form: for any faulty vector, at least one check must fail.
            agrees = isinstance(found, dict) and bool(found)
        else:
            agrees = (set(found) if isinstance(found, dict) else found) == expected
        if not agrees:
            wrong += 1
            print(f"{case['photo']}: found {found}, expected {expected}")
    print(f"{len(cases)} vectors, {wrong} judged otherwise")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if compare(Path(sys.argv[1])) else 0)
