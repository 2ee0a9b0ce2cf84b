//! Making the C2PA manifest, and the delivered file around it.
//!
//! The manifest is written here, by the few boxes and the one claim that a proof has, and not by the C2PA library: its path
//! for hashed data builds every manifest twice and costs a third of the whole signing of a 1920x1080 photo, its paths
//! that embed copy the file several times and rewrite some JPEGs. The tests hold the result against that library's
//! reader.

use ciborium::tag::Required;
use domain::FrameHash;
use serde::Serialize;
use serde_bytes::ByteBuf;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    DigestSigner, Facts, FrameSignature, Jpeg, Proof, SealError, Signers, Timestamps, app11,
    assertions::{
        ASSURANCE_LEVEL, Actions, Browser, Capture, EXCLUSION_NAME, Exclusion, HardBinding, SEAL_MEDIA_TYPE, SHA_256,
        Seal, timestamp,
    },
    claim::{ASSERTIONS, Claim},
    cose::{self, Unsigned},
    ecdsa,
    jumbf::{AssertionBox, Boxes, SALT},
};

impl Signers {
    /// Makes the manifest around the CAdES signature, signs its claim, with a timestamp where one is wanted, and puts the
    /// delivered file together: the second of the two signatures.
    ///
    /// `hash` is the SHA-256 of `frame`, which the caller has and which is not computed again.
    ///
    /// # Errors
    /// [`SealError::Unavailable`] when the key did not answer, [`SealError::InvalidResponse`] for everything else: the
    /// frame is signed already, so no refusal is a clean one any more. [`SealError::NotTimestamped`] when a timestamp is
    /// required and not there.
    pub async fn sign_manifest(
        &self,
        frame: &Jpeg<'_>,
        hash: &FrameHash,
        signature: &FrameSignature,
        facts: &Facts,
        key: &dyn DigestSigner,
        timestamps: Timestamps<'_>,
    ) -> Result<Proof, SealError> {
        // The claim is over the manifest's length, so the room for a token is there before the token is.
        let unsigned = if timestamps.are_wanted() { Unsigned::Room(None) } else { Unsigned::Empty };
        let draft = Draft::new(self, frame, hash, signature, facts, unsigned)
            .map_err(|cause| SealError::InvalidResponse(format!("the manifest cannot be made: {cause}")))?;
        let message = cose::to_be_signed(&self.claim_header, &draft.claim);
        let answer = key.sign(Sha256::digest(&message).into()).await.map_err(SealError::later)?;
        let fixed = ecdsa::fixed_from_der(&answer).filter(|_| self.claim.verifies(&message, &answer));
        let fixed = fixed
            .ok_or_else(|| SealError::InvalidResponse("the signature is not of the claim certificate's key".into()))?;
        let countersigned = cose::to_be_countersigned(&self.claim_header, &fixed);
        let token = timestamps.over(Sha256::digest(&countersigned).into()).await.map_err(SealError::NotTimestamped)?;
        let unsigned = token.as_ref().map_or(unsigned, |token| Unsigned::Room(Some(token.der())));
        let manifest = draft.manifest(&cose::sign1(&self.claim_header, unsigned, &fixed));
        Ok(Proof { jpeg: embed(frame, &manifest), manifest })
    }
}

/// A manifest that lacks its signature.
struct Draft {
    label: String,
    instance_id: String,
    salts: [[u8; SALT]; ASSERTIONS.len()],
    /// The assertions' CBOR, in the order of [`ASSERTIONS`].
    contents: [Vec<u8>; ASSERTIONS.len()],
    claim: Vec<u8>,
}

impl Draft {
    fn new(
        signers: &Signers,
        frame: &Jpeg<'_>,
        hash: &FrameHash,
        signature: &FrameSignature,
        facts: &Facts,
        unsigned: Unsigned<'_>,
    ) -> Result<Self, String> {
        let ingested_at = timestamp(facts.ingested_at).ok_or("the ingest time is out of range")?;
        let actions = cbor(&Actions::taken(Required(ingested_at.clone())))?;
        let capture = cbor(&Capture {
            assurance_level: ASSURANCE_LEVEL.into(),
            capture_id: facts.capture_id.clone(),
            environment: signers.environment,
            frame_hash: *hash,
            ingested_at,
            gps_result: facts.gps_result,
            recapture_risk: facts.recapture_risk,
            icp_brasil: signers.icp_brasil,
        })?;
        let seal = cbor(&Seal {
            policy: signature.policy.to_string(),
            media_type: SEAL_MEDIA_TYPE.into(),
            signature: ByteBuf::from(signature.der.clone()),
        })?;
        let browser = cbor(&Browser::of(facts))?;
        let mut draft = Self {
            label: format!("urn:c2pa:{}", random_uuid()?),
            instance_id: format!("xmp:iid:{}", random_uuid()?),
            salts: random()?,
            contents: [actions, capture, seal, browser, Vec::new()],
            claim: Vec::new(),
        };
        draft.bind(frame, hash, &cose::sign1(&signers.claim_header, unsigned, &[0; 64]))?;
        Ok(draft)
    }

    /// Writes the hard binding and the claim over it. The binding holds the length of the whole manifest, and a longer
    /// number makes the manifest longer: the length is looked for until it is its own. `placeholder` is as long as the claim
    /// signature.
    fn bind(&mut self, frame: &Jpeg<'_>, hash: &FrameHash, placeholder: &[u8]) -> Result<(), String> {
        let mut length = app11::SLICE;
        loop {
            let [.., binding] = &mut self.contents;
            *binding = cbor(&HardBinding {
                exclusions: [Exclusion { start: frame.manifest_offset() as u64, length: length as u64 }],
                name: EXCLUSION_NAME.into(),
                alg: SHA_256.into(),
                hash: ByteBuf::from(*hash.as_bytes()),
                pad: ByteBuf::new(),
            })?;
            let claim = Claim::new(&self.label, self.instance_id.clone(), &self.assertions());
            self.claim = cbor(&claim)?;
            let needed = app11::wrapped_length(self.manifest(placeholder).len());
            if needed == length {
                return Ok(());
            }
            length = needed;
        }
    }

    fn assertions(&self) -> Vec<AssertionBox<'_>> {
        let parts = self.salts.iter().zip(&self.contents);
        ASSERTIONS
            .iter()
            .zip(parts)
            .map(|((label, _), (salt, content))| AssertionBox { label, salt, content })
            .collect()
    }

    fn manifest(&self, signature: &[u8]) -> Vec<u8> {
        Boxes { label: &self.label, assertions: self.assertions(), claim: &self.claim, signature }.write()
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

fn cbor(value: &impl Serialize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Version 4.
fn random_uuid() -> Result<Uuid, String> {
    let [bytes] = random()?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

fn random<const N: usize>() -> Result<[[u8; 16]; N], String> {
    let mut bytes = [[0; 16]; N];
    getrandom::fill(bytes.as_flattened_mut()).map_err(|error| error.to_string())?;
    Ok(bytes)
}
