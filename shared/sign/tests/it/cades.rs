//! Checks the CAdES signature byte by byte. No public tool checks the policy's hash in it, so these tests do.

use std::sync::Mutex;

use async_trait::async_trait;
use der::{Decode, Encode};
use lacre_domain::{FrameHash, SignError};
use lacre_photo::CheckedPhoto;
use lacre_proof::{Timestamps, certificates_of_file};
use lacre_proof_fixtures::{Sandbox, facts_at, synthetic};
use lacre_sign::DigestSigner;
use sha2::{Digest, Sha256};
use time::macros::datetime;
use x509_cert::Certificate;

/// An RSA key that records the digests that it signed.
struct Recording<'a>(&'a lacre_proof_fixtures::RsaKey, Mutex<Vec<[u8; 32]>>);

#[async_trait]
impl DigestSigner for Recording<'_> {
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError> {
        self.1.lock().unwrap().push(digest);
        self.0.sign(digest).await
    }
}

/// A DER value, encoded manually.
fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let head = match content.len() {
        length @ 0..=127 => vec![tag, length as u8],
        length @ 128..=255 => vec![tag, 0x81, length as u8],
        length => [&[tag, 0x82], &(length as u16).to_be_bytes()[..]].concat(),
    };
    [head, content].concat()
}

fn oid(hexadecimal: &str) -> Vec<u8> {
    tlv(0x06, &[&hex::decode(hexadecimal).unwrap()])
}

fn attribute(oid_hex: &str, value: &[u8]) -> Vec<u8> {
    tlv(0x30, &[&oid(oid_hex), &tlv(0x31, &[value])])
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

/// The CBOR of an assertion: the first CBOR box after its label.
fn assertion<'a>(manifest: &'a [u8], label: &str) -> &'a [u8] {
    let find = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).position(|window| window == part).unwrap();
    let behind = &manifest[find(manifest, &[label.as_bytes(), &[0]].concat())..];
    let at = find(behind, b"cbor");
    let length = u32::from_be_bytes(behind[at - 4..at].try_into().unwrap()) as usize;
    &behind[at + 4..at - 4 + length]
}

#[tokio::test]
async fn signed_attributes_match_ad_rb_exactly() {
    let sandbox = Sandbox::shared();
    let chain = Certificate::load_pem_chain(sandbox.profile.seal.chain_pem.as_bytes()).unwrap();
    let leaf = chain[0].to_der().unwrap();
    let frame = synthetic(240, 240, false);
    let hash = FrameHash::of(&frame);
    let key = Recording(&sandbox.rsa, Mutex::default());
    let now = datetime!(2026-11-20 12:34:56.789 UTC);
    let signers = sandbox.signers();
    let signature = signers.sign_frame(&hash, &facts_at(now), &key, Timestamps::None).await.unwrap();
    let jpeg = CheckedPhoto::check(frame.as_slice().into()).unwrap();
    let proof = signers.sign_manifest(&jpeg, &hash, &signature, &sandbox.ec, Timestamps::None, None).await.unwrap();

    let content_type = attribute("2a864886f70d010903", &oid("2a864886f70d010701"));
    let signing_time = attribute("2a864886f70d010905", b"\x17\x0d261120123456Z");
    let message_digest = attribute("2a864886f70d010904", &tlv(0x04, &[hash.as_bytes()]));
    let sha_256 = tlv(0x30, &[&oid("608648016503040201")]);
    let policy_hash = hex::decode("1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13").unwrap();
    let address = b"http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_4.der";
    let policy = attribute(
        "2a864886f70d010910020f",
        &tlv(
            0x30,
            &[
                // The OID 2.16.76.1.7.1.1.2.4.
                &oid("604c010701010204"),
                &tlv(0x30, &[&sha_256, &tlv(0x04, &[&policy_hash])]),
                &tlv(0x30, &[&tlv(0x30, &[&oid("2a864886f70d0109100501"), &tlv(0x16, &[address])])]),
            ],
        ),
    );
    let issuer = chain[0].tbs_certificate.issuer.to_der().unwrap();
    let serial = chain[0].tbs_certificate.serial_number.to_der().unwrap();
    let signing_certificate = attribute(
        "2a864886f70d010910022f",
        &tlv(
            0x30,
            &[&tlv(
                0x30,
                &[&tlv(
                    0x30,
                    &[
                        &tlv(0x04, &[&Sha256::digest(&leaf)]),
                        &tlv(0x30, &[&tlv(0x30, &[&tlv(0xA4, &[&issuer])]), &serial]),
                    ],
                )],
            )],
        ),
    );
    let mime_type = attribute("04008d450201", &tlv(0x0C, &[b"image/jpeg"]));
    let sealed = ["c2pa.actions.v2", "br.lacre.capture", "br.lacre.browser"].map(|label| {
        let hash = tlv(0x04, &[&Sha256::digest(assertion(&proof.manifest, label))]);
        tlv(0x30, &[&tlv(0x0C, &[label.as_bytes()]), &hash])
    });
    let claim_leaf = &certificates_of_file(&sandbox.profile.claim.chain_pem).unwrap()[0];
    let statements = attribute(
        // The OID 1.2.840.113556.1.8000.2554.56652.65237.28993.18444.33540.8321752.12080586.
        "2a864886f71401be40937a83ba4c83fd5581e24181900c82860483fbf55885e1ab4a",
        &tlv(
            0x30,
            &[
                &[0x02, 1, 1],
                &tlv(0x0C, &[b"SANDBOX"]),
                &tlv(0x30, &sealed.each_ref().map(Vec::as_slice)),
                &tlv(0x04, &[&Sha256::digest(claim_leaf)]),
            ],
        ),
    );
    let mut attributes =
        [content_type, signing_time, message_digest, policy, signing_certificate, mime_type, statements];
    // DER sorts the elements of a SET.
    attributes.sort();
    let attributes: Vec<&[u8]> = attributes.iter().map(Vec::as_slice).collect();

    let signed: [u8; 32] = Sha256::digest(tlv(0x31, &attributes)).into();
    assert_eq!(*key.1.lock().unwrap(), [signed], "the key signed the SET OF, once");
    assert!(contains(signature.der(), &tlv(0xA0, &attributes)), "the message carries the same attributes under [0]");
}

#[tokio::test]
async fn detached_message_embeds_the_whole_chain() {
    let sandbox = Sandbox::shared();
    let now = datetime!(2026-11-20 12:34:56 UTC);
    let (signers, hash) = (sandbox.signers(), FrameHash::of(b"a frame"));
    let signature = signers.sign_frame(&hash, &facts_at(now), &sandbox.rsa, Timestamps::None).await.unwrap();

    let message = cms::content_info::ContentInfo::from_der(signature.der()).unwrap();
    let message: cms::signed_data::SignedData = message.content.decode_as().unwrap();
    assert_eq!(message.encap_content_info.econtent, None);
    for certificate in Certificate::load_pem_chain(sandbox.profile.seal.chain_pem.as_bytes()).unwrap() {
        assert!(contains(signature.der(), &certificate.to_der().unwrap()));
    }
    // sha256WithRSAEncryption with NULL parameters, then 256 bytes of signature, and no unsigned attributes after them.
    let algorithm = hex::decode("300d06092a864886f70d01010b0500").unwrap();
    let tail = &signature.der()[signature.der().len() - 256 - 4 - algorithm.len()..];
    assert_eq!(tail[..algorithm.len() + 4], [&algorithm[..], &[0x04, 0x82, 0x01, 0x00]].concat());
}

#[tokio::test]
async fn uses_generalized_time_from_2050_on() {
    let sandbox = Sandbox::shared();
    let hash = FrameHash::of(b"a frame");
    let now = datetime!(2050-01-01 00:00:00 UTC);
    let signature = sandbox.signers().sign_frame(&hash, &facts_at(now), &sandbox.rsa, Timestamps::None).await.unwrap();
    assert!(contains(signature.der(), &attribute("2a864886f70d010905", b"\x18\x0f20500101000000Z")));
}
