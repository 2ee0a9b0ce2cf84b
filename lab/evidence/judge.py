"""Lets pyHanko judge the timestamps in a folder that the test of thirty years wrote: each token as of the next timestamp,
with its authority's revocation list of that time. Prints their number; exits with 1 if one is not trusted.

usage: judge.py FOLDER"""

import asyncio
import sys
from datetime import datetime, timezone
from pathlib import Path

from asn1crypto import cms, crl, pem, x509
from pyhanko.sign.validation.generic_cms import validate_tst_signed_data
from pyhanko.sign.validation.status import TimestampSignatureStatus
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.authority import CertTrustAnchor


def parts(file, kind):
    """The DER of the parts of a PEM file that are of this kind."""
    return [der for found, _, der in pem.unarmor(file.read_bytes(), multiple=True) if found == kind]


async def judge(token):
    """Why pyHanko does not trust a token; nothing if it does."""
    roots = [x509.Certificate.load(der) for der in parts(token.with_suffix(".pem"), "CERTIFICATE")]
    lists = [crl.CertificateList.load(der) for der in parts(token.with_suffix(".pem"), "X509 CRL")]
    moment = datetime.fromtimestamp(int(token.with_suffix(".next").read_text(encoding="ascii")), timezone.utc)
    context = ValidationContext(
        trust_roots=[CertTrustAnchor(root) for root in roots], crls=lists, moment=moment,
        allow_fetching=False, revocation_mode="require")
    signed = cms.ContentInfo.load(token.read_bytes())["content"]
    imprint = bytes.fromhex(token.with_suffix(".sha256").read_text(encoding="ascii"))
    found = await validate_tst_signed_data(signed, context, {"sha256": imprint}.__getitem__)
    status = TimestampSignatureStatus(**found)
    if status.intact and status.valid and status.trusted:
        return None
    return f"{token.name}: {status.summary()}, {status.trust_problem_indic}"


def main(folder):
    tokens = sorted(Path(folder).glob("*.tst"))
    faults = [fault for token in tokens if (fault := asyncio.run(judge(token)))]
    print("\n".join(faults) or f"pyHanko: {len(tokens)} timestamps are trusted, and none is revoked")
    return 1 if faults or not tokens else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
