//! An attacker with a claim key, who puts a genuine seal into a manifest with arbitrary statements, written by the C2PA
//! library.

#![allow(missing_docs, unreachable_pub, dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use c2pa::{
    Builder, Context, DigitalSourceType, HashRange, Signer, SigningAlg,
    assertions::{Action, Actions, DataHash},
};
use cms::{content_info::ContentInfo, signed_data::SignedData};
use der::Decode;
use lacre_domain::FrameHash;
use lacre_photo::Jpeg;
use lacre_proof::{Anchors, Timestamps, certificates_of_file};
use lacre_proof_fixtures::{EcKey, Sandbox, authority::Authority};
use lacre_sign::Facts;
use lacre_verify::{BrowserAssertion, CaptureAssertion, check};
use p256::ecdsa::signature::Signer as _;
use serde::Serialize;
use serde_bytes::ByteBuf;
use time::OffsetDateTime;

/// The statements of a manifest.
#[derive(Clone)]
pub struct Stated {
    pub capture: CaptureAssertion,
    pub browser: BrowserAssertion,
    pub policy: String,
    pub seal: Vec<u8>,
}

#[derive(Serialize)]
struct SealAssertion<'a> {
    policy: &'a str,
    media_type: &'a str,
    signature: ByteBuf,
}

/// The holder of a claim key.
pub struct Claimant<'a> {
    pub key: &'a EcKey,
    pub chain: Vec<Vec<u8>>,
    /// What the manifest carries in the place of an OCSP response.
    pub staple: Option<Vec<u8>>,
}

impl Signer for Claimant<'_> {
    fn sign(&self, data: &[u8]) -> c2pa::Result<Vec<u8>> {
        let signature: p256::ecdsa::Signature = self.key.0.sign(data);
        Ok(signature.normalize_s().unwrap_or(signature).to_der().as_bytes().to_vec())
    }

    fn alg(&self) -> SigningAlg {
        SigningAlg::Es256
    }

    fn certs(&self) -> c2pa::Result<Vec<Vec<u8>>> {
        Ok(self.chain.clone())
    }

    fn reserve_size(&self) -> usize {
        self.chain.iter().chain(&self.staple).map(Vec::len).sum::<usize>() + 1024
    }

    fn ocsp_val(&self) -> Option<Vec<u8>> {
        self.staple.clone()
    }
}

impl<'a> Claimant<'a> {
    pub fn of(sandbox: &'a Sandbox) -> Self {
        let chain = certificates_of_file(&sandbox.profile.claim.chain_pem).unwrap();
        Self { key: &sandbox.ec, chain, staple: None }
    }

    /// The delivered file with the given statements.
    pub fn wrap(&self, frame: &[u8], stated: &Stated) -> Vec<u8> {
        self.wrap_stating(frame, stated, &stated.capture)
    }

    /// The delivered file in the next version of the format, whose capture assertion has an additional field.
    pub fn wrap_newer(&self, frame: &[u8], stated: &Stated) -> Vec<u8> {
        let mut capture = serde_json::to_value(&stated.capture).unwrap();
        (capture["version"], capture["weather"]) = (2.into(), "sunny".into());
        self.wrap_stating(frame, stated, &capture)
    }

    /// The delivered file with this capture assertion in place of the stated one.
    pub fn wrap_stating(&self, frame: &[u8], stated: &Stated, capture: &impl Serialize) -> Vec<u8> {
        let settings = serde_json::json!({
            "builder": { "created_assertion_labels": ["c2pa.actions", "br.lacre.capture", "br.lacre.seal"] },
            "verify": { "verify_after_sign": false },
        });
        let context = Arc::new(Context::new().with_settings(settings.to_string()).unwrap());
        let generator = serde_json::json!({ "name": "Lacre", "version": "0.1.0", "specVersion": "2.4.0" });
        let definition = serde_json::json!({ "claim_generator_info": [generator] });
        let action = Action::new("c2pa.created")
            .set_when(stated.capture.ingested_at.as_str())
            .set_source_type(DigitalSourceType::DigitalCapture);
        let mut actions = Actions::new().add_action(action);
        actions.all_actions_included = Some(true);
        let seal = SealAssertion {
            policy: &stated.policy,
            media_type: "application/pkcs7-signature",
            signature: ByteBuf::from(stated.seal.as_slice()),
        };
        let offset = Jpeg::parse(frame).unwrap().manifest_offset();
        let binding = |length: u64| {
            let mut binding = DataHash::new("jumbf manifest", "sha256");
            binding.set_hash(FrameHash::of(frame).as_bytes().to_vec());
            binding.add_exclusion(HashRange::new(offset as u64, length));
            binding
        };
        let mut builder = Builder::from_shared_context(&context).with_definition(definition).unwrap();
        builder.add_assertion("c2pa.actions.v2", &actions).unwrap();
        builder.add_assertion("br.lacre.capture", capture).unwrap();
        builder.add_assertion("br.lacre.seal", &seal).unwrap();
        builder.add_assertion("br.lacre.browser", &stated.browser).unwrap();
        // A guess whose CBOR integer has as many bytes as the final length, so that the library adds no padding.
        let guess = if self.reserve_size() < 0xA000 { 0xA000 } else { 0x1_A000 };
        builder.add_assertion("c2pa.hash.data", &binding(guess)).unwrap();
        let placeholder = builder.data_hashed_placeholder(self.reserve_size(), "image/jpeg").unwrap();
        let binding = binding(placeholder.len() as u64);
        let segments = builder.sign_data_hashed_embeddable(self, &binding, "image/jpeg").unwrap();
        let (head, tail) = frame.split_at(offset);
        [head, &segments, tail].concat()
    }
}

pub async fn stated(frame: &[u8], facts: &Facts) -> Stated {
    stated_with(frame, facts, Timestamps::None).await
}

pub async fn stated_with(frame: &[u8], facts: &Facts, timestamps: Timestamps<'_>) -> Stated {
    stated_by(Sandbox::shared(), frame, facts, timestamps).await
}

/// What a photo of these signers states.
pub async fn stated_by(sandbox: &Sandbox, frame: &[u8], facts: &Facts, timestamps: Timestamps<'_>) -> Stated {
    let proof = sandbox.seal_with(frame, facts, timestamps).await.unwrap();
    let anchors = format!("{}{}", sandbox.anchors_pem, Authority::shared().anchors_pem);
    let verdict = check(&proof.jpeg, &Anchors::from_pem(&anchors).unwrap(), OffsetDateTime::now_utc());
    let (report, contents) = (verdict.report, verdict.contents.unwrap());
    assert!(report.valid, "{report}");
    Stated {
        capture: report.capture.unwrap(),
        browser: report.browser.unwrap(),
        policy: report.seal.unwrap().policy,
        seal: contents.signature,
    }
}

/// A seal with a changed signature value.
pub fn broken(seal: &[u8]) -> Vec<u8> {
    let message: SignedData = ContentInfo::from_der(seal).unwrap().content.decode_as().unwrap();
    let value = message.signer_infos.0.get(0).unwrap().signature.as_bytes();
    let at = seal.windows(value.len()).position(|window| window == value).unwrap();
    let mut seal = seal.to_vec();
    seal[at + 100] ^= 1;
    seal
}
