//! Making the C2PA manifest, and the delivered file around it.
//!
//! The library's own embedding is not used: it copies the file several times and rewrites some JPEGs. It makes the
//! manifest for a hash that we have already; the splice is ours.

use std::sync::Arc;

use c2pa::{Builder, Context, HashRange, Settings, assertions::DataHash};
use domain::FrameHash;
use serde_json::json;

use crate::{
    DigestSigner, Facts, FrameSignature, Jpeg, Proof, SealError, Signers, app11,
    assertions::{
        ACTIONS, ASSURANCE_LEVEL, Actions, BROWSER, Browser, CAPTURE, Capture, EXCLUSION_NAME, HARD_BINDING, SEAL,
        SEAL_MEDIA_TYPE, SHA_256, Seal, timestamp,
    },
    c2pa_signer::ClaimSigner,
};

/// Who makes the claims.
pub(crate) const GENERATOR: &str = "Lacre";
/// The version of the C2PA specification that the manifest follows.
const SPEC_VERSION: &str = "2.2.0";
/// A manifest on its own.
const SIDECAR: &str = "application/c2pa";

/// The library's settings: nothing is added on its own, nothing is fetched, nothing is verified while signing.
pub(crate) fn context() -> c2pa::Result<Arc<Context>> {
    let settings = json!({
        "verify": {"verify_after_sign": false, "remote_manifest_fetch": false},
        "builder": {
            "thumbnail": {"enabled": false},
            // The library looks for the label without its version.
            "created_assertion_labels": ["c2pa.actions", CAPTURE, SEAL],
        },
    });
    let settings = Settings::new().with_json(&settings.to_string())?;
    Ok(Context::new().with_settings(settings)?.into_shared())
}

impl Signers {
    /// Makes the manifest around the CAdES signature, signs its claim, and puts the delivered file together: the second of
    /// the two signatures.
    ///
    /// `hash` is the SHA-256 of `frame`, which the caller has and which is not computed again.
    ///
    /// # Errors
    /// [`SealError::Unavailable`] when the key did not answer, [`SealError::InvalidResponse`] for everything else: the
    /// frame is signed already, so no refusal is a clean one any more.
    pub async fn sign_manifest(
        &self,
        frame: &Jpeg<'_>,
        hash: &FrameHash,
        signature: &FrameSignature,
        facts: &Facts,
        key: &dyn DigestSigner,
    ) -> Result<Proof, SealError> {
        let signer = ClaimSigner::new(&self.claim, key);
        match self.signed_manifest(frame, hash, signature, facts, &signer).await {
            Ok(manifest) => Ok(Proof { jpeg: embed(frame, &manifest), manifest }),
            Err(error) => Err(signer.explain(&error)),
        }
    }

    async fn signed_manifest(
        &self,
        frame: &Jpeg<'_>,
        hash: &FrameHash,
        signature: &FrameSignature,
        facts: &Facts,
        signer: &ClaimSigner<'_>,
    ) -> c2pa::Result<Vec<u8>> {
        let mut builder = self.unsigned_manifest(hash, signature, facts)?;
        let binding = |length: usize| {
            let mut binding = DataHash::new(EXCLUSION_NAME, SHA_256);
            binding.add_exclusion(HashRange::new(frame.manifest_offset() as u64, length as u64));
            binding.set_hash(hash.as_bytes().to_vec());
            binding
        };
        // The library plans the manifest's size by this first binding, and pads the final one, whose length may take
        // fewer bytes, up to it.
        builder.add_assertion(HARD_BINDING, &binding(u32::MAX as usize))?;
        let placeholder = builder.data_hashed_placeholder(c2pa::AsyncSigner::reserve_size(signer), SIDECAR)?;
        let exact = binding(app11::wrapped_length(placeholder.len()));
        let manifest = builder.sign_data_hashed_embeddable_async(signer, &exact, SIDECAR).await?;
        if manifest.len() == placeholder.len() { Ok(manifest) } else { Err(c2pa::Error::JumbfCreationError) }
    }

    fn unsigned_manifest(&self, hash: &FrameHash, signature: &FrameSignature, facts: &Facts) -> c2pa::Result<Builder> {
        let ingested_at = timestamp(facts.ingested_at).ok_or(c2pa::Error::BadParam("the ingest time".into()))?;
        let mut builder = Builder::from_shared_context(&self.context).with_definition(json!({
            "claim_generator_info": [{
                "name": GENERATOR,
                "version": env!("CARGO_PKG_VERSION"),
                "specVersion": SPEC_VERSION,
            }],
        }))?;
        builder.add_assertion(ACTIONS, &Actions::taken(&ingested_at))?;
        let capture = Capture {
            assurance_level: ASSURANCE_LEVEL.into(),
            capture_id: facts.capture_id.clone(),
            environment: self.environment,
            frame_hash: *hash,
            ingested_at,
            gps_result: facts.gps_result,
            recapture_risk: facts.recapture_risk,
            icp_brasil: self.icp_brasil,
        };
        builder.add_assertion(CAPTURE, &capture)?;
        let seal = Seal {
            policy: signature.policy.to_string(),
            media_type: SEAL_MEDIA_TYPE.into(),
            signature: signature.der.clone(),
        };
        builder.add_assertion(SEAL, &seal)?;
        builder.add_assertion(BROWSER, &Browser::of(facts))?;
        Ok(builder)
    }
}

/// Puts the manifest's segments into the frame.
pub(crate) fn embed(frame: &Jpeg<'_>, manifest: &[u8]) -> Vec<u8> {
    let (head, tail) = frame.bytes().split_at(frame.manifest_offset());
    let mut file = Vec::with_capacity(frame.bytes().len() + app11::wrapped_length(manifest.len()));
    file.extend_from_slice(head);
    app11::wrap_into(&mut file, manifest);
    file.extend_from_slice(tail);
    file
}
