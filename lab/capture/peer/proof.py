"""Both signatures: CAdES with asn1crypto and C2PA with c2pa-python, each with a KMS key.

Data that the captures of a profile share is computed once per profile version, as in `Signers` of shared/sign."""

import base64
import io
import json
import os
from hashlib import sha256

import boto3
import c2pa
from asn1crypto import algos, cms, core, pem, tsp, x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import stores

KMS = boto3.client("kms", config=stores.CONFIG)
# With `tuned`, disables what the C2PA library does by default and the service does not: creating a thumbnail, and
# reading back its own output. With `plain`, uses the library's defaults.
TUNED = os.environ["PEER"] == "tuned"
CONTEXT = c2pa.Context.from_dict({
    "builder": {"thumbnail": {"enabled": False}},
    "verify": {"verify_after_sign": False},
}) if TUNED else None
DIGITAL_CAPTURE = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
POLICY_URI = "1.2.840.113549.1.9.16.5.1"


class PolicyQualifier(core.Sequence):
    _fields = [("id", core.ObjectIdentifier), ("uri", core.IA5String)]


class PolicyQualifiers(core.SequenceOf):
    _child_spec = PolicyQualifier


class SignaturePolicy(core.Sequence):
    """RFC 5126, 5.8.1. A digest with its algorithm has the structure of PKCS#1's DigestInfo."""

    _fields = [("id", core.ObjectIdentifier), ("hash", algos.DigestInfo), ("qualifiers", PolicyQualifiers)]


class SignaturePolicies(core.SetOf):
    _child_spec = SignaturePolicy


cms.CMSAttributeType._map["1.2.840.113549.1.9.16.2.15"] = "signature_policy"
cms.CMSAttribute._oid_specs["signature_policy"] = SignaturePolicies


class Signers:
    """The two signers of an environment."""

    def __init__(self, profile):
        self.version = int(profile["version"]["N"])
        seal, claim = profile["seal"]["M"], profile["claim"]["M"]
        self.icp_brasil = seal["icp_brasil"]["BOOL"]
        self.seal_key, self.claim_key = seal["key_arn"]["S"], claim["key_arn"]["S"]
        self.seal_chain, claim_chain = certificates(seal["chain_pem"]["S"]), certificates(claim["chain_pem"]["S"])
        self.all = self.seal_chain + claim_chain
        self.seal_public = public_key(self.seal_chain[0], self.seal_key)
        self.claim_public = public_key(claim_chain[0], self.claim_key)
        policy = {name: value["S"] for name, value in seal["policy"]["M"].items()}
        self.policy = policy["oid"]
        self.fixed_attributes = fixed_attributes(self.seal_chain[0], policy)
        self.c2pa_signer = c2pa.Signer.from_callback(self.sign_claim, c2pa.C2paSigningAlg.ES256, claim["chain_pem"]["S"])

    def check_dates(self, now):
        for certificate in self.all:
            if not certificate.not_valid_before <= now < certificate.not_valid_after:
                raise ValueError("a certificate is not valid now")

    def sign_frame(self, frame_hash, now):
        """Makes the detached CAdES signature over a frame."""
        attributes = cms.CMSAttributes([
            *self.fixed_attributes,
            attribute("signing_time", cms.Time({"utc_time": now.replace(microsecond=0)})),
            attribute("message_digest", frame_hash),
        ])
        signed = attributes.dump()
        signature = sign(self.seal_key, "RSASSA_PKCS1_V1_5_SHA_256", signed)
        self.seal_public.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
        leaf = self.seal_chain[0]
        signer = {
            "version": "v1",
            "sid": {"issuer_and_serial_number": {"issuer": leaf.issuer, "serial_number": leaf.serial_number}},
            "digest_algorithm": {"algorithm": "sha256"},
            "signed_attrs": attributes.untag(),
            "signature_algorithm": {"algorithm": "sha256_rsa"},
            "signature": signature,
        }
        signed_data = {
            "version": "v1",
            "digest_algorithms": [{"algorithm": "sha256"}],
            "encap_content_info": {"content_type": "data"},
            "certificates": self.seal_chain,
            "signer_infos": [signer],
        }
        return cms.ContentInfo({"content_type": "signed_data", "content": signed_data}).dump()

    def sign_claim(self, data):
        """Signs with ES256 in COSE's format: r and s, 32 bytes each."""
        der = sign(self.claim_key, "ECDSA_SHA_256", data)
        self.claim_public.verify(der, data, ec.ECDSA(hashes.SHA256()))
        return b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(der))

    def sign_manifest(self, frame, seal, capture, browser):
        """Returns the delivered JPEG, and its manifest alone."""
        statements = [
            ("c2pa.actions.v2", taken(capture["ingested_at"]), True),
            ("br.lacre.capture", capture, True),
            ("br.lacre.seal", sealed(self.policy, seal), True),
            ("br.lacre.browser", browser, False),
        ]
        manifest = {
            "claim_generator_info": [{"name": "Python peer", "version": "1"}],
            "assertions": [{"label": label, "data": data, "created": created} for label, data, created in statements],
        }
        delivered = io.BytesIO()
        with c2pa.Builder(json.dumps(manifest), context=CONTEXT) as builder:
            manifest = builder.sign(self.c2pa_signer, "image/jpeg", io.BytesIO(frame), delivered)
        return delivered.getvalue(), manifest


def taken(when):
    action = {"action": "c2pa.created", "when": when, "digitalSourceType": DIGITAL_CAPTURE}
    return {"actions": [action], "allActionsIncluded": True}


def sealed(policy, signature):
    # The C2PA library takes assertions as JSON, which has no byte strings.
    signature = base64.b64encode(signature).decode()
    return {"policy": policy, "media_type": "application/pkcs7-signature", "signature": signature}


def sign(key, algorithm, data):
    digest = sha256(data).digest()
    return KMS.sign(KeyId=key, MessageType="DIGEST", SigningAlgorithm=algorithm, Message=digest)["Signature"]


def certificates(chain_pem):
    return [x509.Certificate.load(der) for _, _, der in pem.unarmor(chain_pem.encode(), multiple=True)]


def public_key(leaf, arn):
    """The leaf's public key, which must match the KMS key."""
    der = leaf.public_key.dump()
    if KMS.get_public_key(KeyId=arn)["PublicKey"] != der:
        raise ValueError("the certificate does not match its KMS key")
    return serialization.load_der_public_key(der)


def attribute(kind, value):
    return cms.CMSAttribute({"type": kind, "values": [value]})


def fixed_attributes(leaf, policy):
    """The signed attributes that are the same in every signature."""
    certificate = tsp.ESSCertIDv2({
        "cert_hash": sha256(leaf.dump()).digest(),
        "issuer_serial": {
            "issuer": [x509.GeneralName("directory_name", leaf.issuer)],
            "serial_number": leaf.serial_number,
        },
    })
    policy = SignaturePolicy({
        "id": policy["oid"],
        "hash": {"digest_algorithm": {"algorithm": "sha256"}, "digest": bytes.fromhex(policy["hash_hex"])},
        "qualifiers": [{"id": POLICY_URI, "uri": policy["uri"]}],
    })
    attributes = [
        attribute("content_type", "data"),
        attribute("signing_certificate_v2", tsp.SigningCertificateV2({"certs": [certificate]})),
        attribute("signature_policy", policy),
    ]
    # Parsed attributes are written from their original bytes. Constructed ones would be encoded again each time, which
    # takes 8 milliseconds a signature.
    return [cms.CMSAttribute.load(made.dump()) for made in attributes] if TUNED else attributes


PARSED = {}


def signers_of(profile):
    """The signers of a profile, parsed once per version and process."""
    environment, version = profile["environment"]["S"], int(profile["version"]["N"])
    known = PARSED.get(environment)
    if known is None or known.version != version:
        known = PARSED[environment] = Signers(profile)
    return known
