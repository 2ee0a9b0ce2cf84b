"""Updates the trust lists of shared/verify/lists and prints the changes.

A list is a PEM file. Comments at its start give its title, date, source and what could not be checked; comments
before each certificate give its name, fingerprint, validity and where it was found. The line `Found in` of a
certificate that stays, and all lines at the start except the date, are kept unchanged.

usage: trust_lists.py [--from FOLDER] [--date YYYY-MM-DD] [--check] [--lists FOLDER]   (by
scripts/update-trust-lists)"""

import argparse
import binascii
import functools
import hashlib
import http.client
import os
import re
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "shared/verify/lists"
ITI = "http://acraiz.icpbrasil.gov.br/credenciadas/RAIZ/"
C2PA = "https://raw.githubusercontent.com/c2pa-org/conformance-public/main/trust-list/"
MAX_BYTES = 1_000_000  # maximum size of one source
SECONDS = 30  # timeout of one source
BEGIN, END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
BLOCK = re.compile(f"{BEGIN}[A-Za-z0-9+/=\\s]*{END}")
COMPARE = ("Compare every fingerprint above with a second source before you commit: ITI's files come over plain http, "
           "which does not prove where they come from.")


class Refused(Exception):
    """A source or list is malformed."""


@dataclass(frozen=True)
class Published:
    """A list: its file, the start of a new file, and the addresses of its source."""

    file: str
    title: str
    source: str
    addresses: tuple
    roots: bool  # each file of the source contains one self-signed CA


LISTS = [
    Published("icp-brasil.pem", "ICP-Brasil root certificates",
              f"ITI, AC Raiz of ICP-Brasil, {ITI}",
              tuple(f"{ITI}ICP-Brasilv{version}.crt" for version in (2, 5, 10, 11, 12, 13)), True),
    Published("c2pa.pem", "C2PA trust list",
              "C2PA Conformance Program, trust-list/C2PA-TRUST-LIST.pem of c2pa-org/conformance-public",
              (f"{C2PA}C2PA-TRUST-LIST.pem",), False),
    Published("c2pa-timestamps.pem", "C2PA timestamp authority trust list",
              "C2PA Conformance Program, trust-list/C2PA-TSA-TRUST-LIST.pem of c2pa-org/conformance-public",
              (f"{C2PA}C2PA-TSA-TRUST-LIST.pem",), False),
]


@dataclass(frozen=True)
class Certificate:
    der: bytes
    name: str
    start: date
    end: date
    ca: bool

    @property
    def fingerprint(self):
        return hashlib.sha256(self.der).hexdigest()

    @property
    def validity(self):
        return f"{self.start} to {self.end}"


def openssl(*arguments, given=b""):
    return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=False)


@functools.cache
def parsed(der):
    """Parses a DER certificate, which openssl must read completely; None if it is not one."""
    shown = openssl("x509", "-inform", "DER", "-dates", "-subject", "-nameopt", "multiline,utf8,-esc_msb",
                    "-ext", "basicConstraints", given=der)
    text = shown.stdout.decode("utf-8", "replace")
    if shown.returncode != 0 or BLOCK.search(text).group() != ssl.DER_cert_to_PEM_cert(der).strip():
        return None
    names = dict(re.findall(r"^ +(\w+) += (.*)$", text, re.MULTILINE))
    name = names.get("commonName") or names.get("organizationName") or "without a name"
    dates = dict(re.findall(r"^(notBefore|notAfter)=(.*)$", text, re.MULTILINE))
    start, end = (datetime.fromtimestamp(ssl.cert_time_to_seconds(dates[key]), timezone.utc).date()
                  for key in ("notBefore", "notAfter"))
    ca = re.search(r"^X509v3 Basic Constraints: .*\n +CA:TRUE", text, re.MULTILINE) is not None
    return Certificate(der, name.replace("Autoridade Certificadora Raiz", "AC Raiz"), start, end, ca)


def certificate(der, where):
    found = parsed(der)
    if not found:
        raise Refused(f"{where}: not a certificate")
    return found


def certificates(content, where):
    """The certificates of a PEM file, or the one of a DER file."""
    text = content.decode("utf-8", "replace")
    if BEGIN not in text and END not in text:
        if not text.strip():
            raise Refused(f"{where}: no certificate")
        return [certificate(content, where)]
    blocks = BLOCK.findall(text)
    if not len(blocks) == text.count(BEGIN) == text.count(END):
        raise Refused(f"{where}: not a certificate")
    try:
        return [certificate(ssl.PEM_cert_to_DER_cert(block), where) for block in blocks]
    except binascii.Error:
        raise Refused(f"{where}: not a certificate") from None


def require_root(found, where):
    if not found.ca:
        raise Refused(f"{where}: {found.name} is not a CA")
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(ssl.DER_cert_to_PEM_cert(found.der))
        file.flush()
        if openssl("verify", "-no_check_time", "-check_ss_sig", "-trusted", file.name, file.name).returncode != 0:
            raise Refused(f"{where}: {found.name} is not self-signed")


def content_of(where):
    try:
        if isinstance(where, Path):
            return where.read_bytes()
        with urllib.request.urlopen(where, timeout=SECONDS) as answer:
            content = answer.read(MAX_BYTES + 1)
    except (OSError, http.client.HTTPException) as reason:
        raise Refused(f"{where}: cannot be reached: {reason}") from None
    if len(content) > MAX_BYTES:
        raise Refused(f"{where}: more than {MAX_BYTES} bytes")
    return content


def sourced(published, folder):
    """The certificates of a list's source, each with the text for `Found in`."""
    found = []
    for address in published.addresses:
        file = address.rsplit("/", 1)[1]
        where = folder / file if folder else address
        here = certificates(content_of(where), where)
        if published.roots:
            if len(here) != 1:
                raise Refused(f"{where}: {len(here)} certificates instead of one")
            require_root(here[0], where)
        for each in here:
            if each in (earlier for earlier, _ in found):
                raise Refused(f"{where}: {each.name} occurs twice, SHA-256 {each.fingerprint}")
            found.append((each, f"{file} read by --from" if folder else address))
    return found


@dataclass
class Listed:
    """The content of a list: the lines at its start by key, and its certificates with the text of `Found in`."""

    start: dict
    found: list

    @classmethod
    def read(cls, path):
        if not path.exists():
            return None
        start, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
        lines = dict(re.findall(r"^# (\w+): (.+)$", start, re.MULTILINE))
        places = re.findall(rf"^# Found in: (.+)\n{BEGIN}$", rest, re.MULTILINE)
        listed = certificates(rest.encode(), path)
        if not {"Title", "Date", "Source"} <= lines.keys() or len(places) != len(listed):
            raise Refused(f"{path}: not a trust list; its comments are incomplete")
        return cls(lines, list(zip(listed, places)))

    def text(self):
        keys = [key for key in ("Title", "Date", "Source", "Unchecked") if key in self.start]
        parts = ["".join(f"# {key}: {self.start[key]}\n" for key in keys)]
        for each, place in self.found:
            expired = f" (expired {each.end.year})" if each.end < date.fromisoformat(self.start["Date"]) else ""
            parts.append(f"# {each.name}{expired}\n# SHA-256: {each.fingerprint}\n# Valid: {each.validity}\n"
                         f"# Found in: {place}\n{ssl.DER_cert_to_PEM_cert(each.der)}")
        return "\n".join(parts)


def differences(before, after):
    """Pairs of a certificate before and after; both have the same name if it changed, and one is None if it was added
    or removed."""
    removed = [each for each in before if each not in after]
    pairs = []
    for each in after:
        if each not in before:
            old = next((one for one in removed if one.name == each.name), None)
            if old:
                removed.remove(old)
            pairs.append((old, each))
    return pairs + [(each, None) for each in removed]


def show(file, pairs):
    added = sum(old is None for old, _ in pairs)
    removed = sum(new is None for _, new in pairs)
    print(f"{file}: {added} added, {removed} removed, {len(pairs) - added - removed} changed")
    for old, new in pairs:
        words = ("changed from", "changed to") if old and new else ("removed", "added")
        for word, each in zip(words, (old, new)):
            if each:
                print(f"  {word:12}  {each.name}, valid {each.validity}, SHA-256 {each.fingerprint}")


def updated(published, path, folder, given_date):
    """Prints the changes of a list. Returns its new text, or None if it is unchanged, and whether certificates change."""
    before = Listed.read(path)
    found = sourced(published, folder)
    places = dict(before.found) if before else {}
    pairs = differences(list(places), [each for each, _ in found])
    start = dict(before.start) if before else {"Title": published.title, "Source": published.source}
    if given_date or pairs:
        start["Date"] = (given_date or date.today()).isoformat()
    text = Listed(start, [(each, places.get(each, place)) for each, place in found]).text()
    if pairs:
        show(published.file, pairs)
        if "Unchecked" in start:
            print(f"{published.file}: its line `Unchecked` stays; correct it by hand if it no longer holds")
    elif before and path.read_bytes() == text.encode():
        print(f"{published.file}: unchanged")
        return None, False
    else:
        print(f"{published.file}: the same certificates; its date, order or format changes")
    return text, bool(pairs)


def write(texts):
    """Writes all files under temporary names first, then renames them."""
    written = {}
    try:
        for path, text in texts.items():
            with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
                written[path] = file.name
                file.write(text.encode())
            os.chmod(file.name, 0o644)
        for path, name in written.items():
            os.replace(name, path)
    finally:
        for name in written.values():
            Path(name).unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(prog="update-trust-lists", allow_abbrev=False)
    parser.add_argument("--from", dest="folder", type=Path, help="folder with the files of the sources, PEM or DER")
    parser.add_argument("--date", type=date.fromisoformat, help="date of all lists, YYYY-MM-DD")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where something would change")
    parser.add_argument("--lists", type=Path, default=FOLDER, help="folder of the lists")
    arguments = parser.parse_args()
    texts, compare = {}, False
    try:
        for published in LISTS:
            path = arguments.lists / published.file
            text, differs = updated(published, path, arguments.folder, arguments.date)
            if text:
                texts[path] = text
            compare |= differs
        if compare:
            print(COMPARE)
        if not arguments.check:
            write(texts)
    except (Refused, OSError) as reason:
        sys.exit(f"{reason}\nnothing was written")
    sys.exit(1 if arguments.check and texts else 0)


if __name__ == "__main__":
    main()
