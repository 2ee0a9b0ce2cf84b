"""A second reader of dossiers, after docs/reference/dossier.md. It checks all but the photos themselves, whose hashes the index
has, the policy of the seal, and the signature of the timestamp.

usage: dossier_reader.py FOLDER: reads each valid-*.zip and refused-*.zip in it, with the roots in roots.pem, and fails if it
judges one otherwise."""

import json
import re
import struct
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import jsonschema
from cryptography import x509
from cryptography.exceptions import InvalidSignature

from reader import (
    MESSAGE_DIGEST, SIGNING_TIME, STATEMENTS, TIMESTAMP, Malformed, attributes, der, oid, read_cms, require, sealer_of, stamped_at,
    time_of)

SCHEMA = json.loads((Path(__file__).parent.parent.parent / "openapi" / "dossier.schema.json").read_text(encoding="utf-8"))
NAME = re.compile(r"(?=.{1,100}$)[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*")
MIME_TYPE, CONTENT_TYPE = "0.4.0.1733.2.1", "1.2.840.113549.1.9.3"
DOSSIER = b"application/vnd.lacre.dossier+json"
# The sizes of a local header and an entry of the directory without name, and of the directory's end.
LOCAL, ENTRY, END = 30, 46, 22
# Which of photo and manifest a dossier has, by the state.
HAS = {"included": (True, False), "not_retained": (False, True), "withheld": (False, False), "erased": (False, False)}


def read_archive(path):
    """Names and contents of the parts, in order."""
    with zipfile.ZipFile(path) as archive:
        end, directory = 0, 0
        for part in archive.infolist():
            name = part.orig_filename
            require(NAME.fullmatch(name), f"the name {name!r}")
            require(part.compress_type == zipfile.ZIP_STORED and not part.flag_bits & 1, f"{name} is compressed or encrypted")
            require(part.header_offset == end, f"{name} does not follow the part before it")
            end += LOCAL + len(name) + part.file_size
            directory += ENTRY + len(name)
        names = archive.namelist()
        require(len(set(names)) == len(names) <= 2000, "a part that is there twice, or too many")
        require(end + directory + END == path.stat().st_size, "bytes that belong to no part")
        return [(name, archive.read(name)) for name in names]


def is_issued(certificate, issuer):
    try:
        certificate.verify_directly_issued_by(issuer)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def leads_to(certificate, others, roots, at):
    """Whether a chain leads from a certificate to a root, and is valid at a time."""
    if not certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc:
        return False
    if any(is_issued(certificate, root) for root in roots):
        return True
    return any(leads_to(other, others, roots, at) for other in others if other != certificate and is_issued(certificate, other))


def check_seal(seal, index, made_at, roots):
    """The checks of the seal, and of its timestamp's imprint and time."""
    content, certificates, signer = read_cms(seal)
    require(oid(next(der(content))[1]) == "1.2.840.113549.1.7.1", "the content type")
    signed = next(whole for tag, _, whole in signer if tag == 0xA0)
    attested = attributes(next(der(signed))[1])
    unsigned = attributes(next((content for tag, content, _ in signer if tag == 0xA1), b""))
    require(len(attested) == 6 and STATEMENTS not in attested and CONTENT_TYPE in attested, "the signed attributes")
    require(attested[MIME_TYPE][1] == DOSSIER, "the mimeType")
    signature = [content for tag, content, _ in signer if tag == 0x04][-1]
    sealer = sealer_of(certificates, b"\x31" + signed[1:], signature)
    require(sealer is not None, "the signature")
    require(attested[MESSAGE_DIGEST][1] == sha256(index).digest(), "another index")
    require(time_of(*attested[SIGNING_TIME][:2]) == made_at, "another time than that of the index")
    judged_at = datetime.now(UTC)
    if TIMESTAMP in unsigned:
        token = unsigned[TIMESTAMP][2]
        require(sha256(signature).digest() in token, "the timestamp is over another signature")
        judged_at = stamped_at(token)
        require(timedelta(minutes=-1) <= judged_at - made_at <= timedelta(minutes=5), "the timestamp has another time")
    others = [x509.load_der_x509_certificate(each) for each in certificates]
    require(leads_to(sealer, others, roots, judged_at), "the seal's certificate leads to no root")


def check_index(index):
    """The rules that the schema cannot express."""
    jsonschema.validate(index, SCHEMA)
    hashes = {part["name"]: part["sha256"] for part in index["parts"]}
    require(len(hashes) == len(index["parts"]), "a part is named twice")
    require(len(index["photos"]) <= 2000, "too many photos")
    own = []
    for photo in index["photos"]:
        require(HAS[photo["state"]] == ("photo" in photo, "manifest" in photo), "the state of a photo")
        for name, recorded in (("photo", "jpeg_sha256"), ("manifest", "manifest_sha256")):
            require(name not in photo or hashes.get(photo[name]) == photo[recorded], "another hash than that of the record")
        single = [photo[name] for name in ("photo", "manifest", "log_proof") if name in photo]
        named = single + photo.get("evidence_records", []) + photo.get("evidence_bundles", [])
        require(set(named) <= hashes.keys(), "a part that is not listed")
        require(len(photo.get("evidence_records", [])) <= 2 and len(photo.get("evidence_bundles", [])) <= 62, "too many records or bundles")
        own += single + photo.get("evidence_records", [])
    require(len(set(own)) == len(own), "several photos have the same part")


def find_fault(path, roots):
    """What is wrong with a dossier; `None` if nothing."""
    try:
        parts = read_archive(path)
        contents = dict(parts)
        index = json.loads(contents["index.json"])
        made_at = datetime.fromisoformat(index["made_at"])
        check_seal(contents["index.p7s"], contents["index.json"], made_at, roots)
        check_index(index)
        found = [(name, len(data), sha256(data).hexdigest()) for name, data in parts]
        listed = [(part["name"], part["bytes"], part["sha256"]) for part in index["parts"]]
        require([name for name, _, _ in found[:2]] == ["index.json", "index.p7s"], "the first parts")
        require(found[2:] == listed, "other parts than those of the index")
    except (Malformed, jsonschema.ValidationError, zipfile.BadZipFile, NotImplementedError, LookupError, TypeError, ValueError,
            StopIteration, struct.error, OverflowError) as fault:
        return repr(fault)
    return None


def main(folder):
    roots = x509.load_pem_x509_certificates((folder / "roots.pem").read_bytes())
    cases = sorted(folder.glob("*.zip"))
    wrong = 0
    for case in cases:
        fault = find_fault(case, roots)
        if (fault is None) != case.name.startswith("valid-"):
            wrong += 1
            print(f"{case.name}: {fault}")
    refused = sum(case.name.startswith("refused-") for case in cases)
    print(f"{len(cases)} dossiers, {refused} of them refused, {wrong} judged otherwise")
    return 1 if wrong or not refused or refused == len(cases) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
