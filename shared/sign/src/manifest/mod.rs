//! Makes the C2PA manifest and the delivered file.
//!
//! The C2PA library writes the manifest's boxes, its claim and its COSE signature. It gets only the frame's hash, and
//! neither the frame nor the delivered file, so that it does not copy or rewrite them; this module inserts the
//! manifest's segments into the frame. Before anything is returned, the embedded assertions are compared with those
//! that the seal covers.

mod claim_key;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use c2pa::{Builder, ClaimGeneratorInfo, Context, HashRange, assertions::DataHash};
use ciborium::Value;
use lacre_domain::FrameHash;
use lacre_photo::CheckedPhoto;
use lacre_proof::{
    MAX_TOKEN, Timestamps,
    app11::{self, embed},
    assertions::{
        ACTIONS, ASSERTIONS, BROWSER, CAPTURE, EXCLUSION_NAME, GENERATOR, HARD_BINDING, SEAL, SEAL_MEDIA_TYPE, SHA_256,
        SPEC_VERSION, SealAssertion,
    },
    jumbf::Boxes,
    revocation::Staple,
};
use serde_bytes::ByteBuf;
use serde_json::json;
use uuid::Uuid;

use self::claim_key::ClaimKey;
use crate::{DigestSigner, FrameSignature, ProofFailure, Signers, statements::Statement};

/// The format of a manifest on its own, without the segments of an image format.
const SIDECAR: &str = "application/c2pa";
/// The space that is reserved in the claim signature beside the longest token that may come, in bytes: for the token's
/// header, and so that more than 256 bytes remain free, because then the library needs a single padding field.
const BESIDE_TOKEN: usize = 512;
/// How much longer the claim's token may be than the seal's, in bytes. Tokens of one authority differ by a few bytes;
/// another one may answer if the first fails between the two requests.
const TOKEN_MARGIN: usize = 512;

/// A finished proof.
pub struct SignedPhoto {
    /// The frame with the embedded manifest: the authenticated JPEG.
    pub jpeg: Vec<u8>,
    /// The manifest on its own: the `.c2pa` sidecar.
    pub manifest: Vec<u8>,
    /// The manifest's id: `urn:c2pa:` and a UUID.
    pub manifest_id: String,
}

impl Signers {
    /// Makes the manifest around the CAdES signature, signs its claim (with a timestamp if one is requested, and with the
    /// staple if one is given), and builds the delivered file. This is the second of the two signatures.
    ///
    /// `hash` is the SHA-256 of `frame`, which the caller has already computed. `staple` is one that [`Signers::staple`]
    /// accepted at the time of the ingest.
    ///
    /// # Errors
    /// [`ProofFailure::Unavailable`] if the key did not respond; [`ProofFailure::NotTimestamped`] if a required timestamp is
    /// missing; [`ProofFailure::InvalidResponse`] for everything else. [`ProofFailure::Rejected`] does not occur, because the
    /// frame is already signed at this point.
    pub async fn sign_manifest(
        &self,
        frame: &CheckedPhoto,
        hash: &FrameHash,
        signature: &FrameSignature,
        key: &dyn DigestSigner,
        timestamps: Timestamps<'_>,
        staple: Option<&Staple>,
    ) -> Result<SignedPhoto, ProofFailure> {
        let seal = Statement::new(
            SEAL,
            &SealAssertion {
                policy: signature.policy.to_string(),
                media_type: SEAL_MEDIA_TYPE.into(),
                signature: ByteBuf::from(signature.der.as_slice()),
            },
        );
        let seal = seal.map_err(invalid)?;
        let statements = signature.statements.with_seal(&seal);
        let longest = signature.token_length.map_or(MAX_TOKEN, |length| MAX_TOKEN.min(length + TOKEN_MARGIN));
        let key = ClaimKey::new(self, key, timestamps, longest, staple);
        let (binding, length) = self.writer.bind(frame, hash, &statements, key.reserved()).map_err(invalid)?;
        let mut builder = self.writer.builder(&statements, &binding).map_err(invalid)?;
        let manifest = builder.sign_data_hashed_embeddable_async(&key, &binding, SIDECAR).await;
        let manifest = manifest.map_err(|error| key.failure().unwrap_or_else(|| invalid(error)))?;
        if manifest.len() != length {
            return Err(invalid("the manifest has another length than its hard binding excludes"));
        }
        let token = key.token();
        let unsigned = [token.as_deref(), staple.map(Staple::der)];
        let id = check_embedded(&manifest, &statements, &binding, unsigned).map_err(invalid)?;
        let manifest_id = id.to_owned();
        Ok(SignedPhoto { jpeg: embed(frame.bytes(), frame.manifest_offset(), &manifest), manifest, manifest_id })
    }
}

/// The C2PA library, configured to write manifests.
pub(crate) struct Writer {
    context: Arc<Context>,
    generator: ClaimGeneratorInfo,
    /// The size in bytes of a manifest without its assertions' CBOR and its signature: boxes, labels, salts and claim.
    /// It is the same for every manifest, so a manifest's length is known before it is written.
    surroundings: usize,
}

impl Writer {
    /// Configures the library, and measures a sample manifest.
    ///
    /// # Errors
    /// The library's error as text, if it does not accept a setting.
    pub(crate) fn new() -> Result<Self, String> {
        // The created assertions are those that the service vouches for. Labels are given without their version; the
        // hard binding is always a created assertion. This module checks the result itself, without the library's
        // reader.
        let created = [ACTIONS.trim_end_matches(".v2"), CAPTURE, SEAL];
        let settings = json!({
            "builder": { "created_assertion_labels": created, "thumbnail": { "enabled": false } },
            "verify": { "verify_after_sign": false },
        });
        let context = Context::new().with_settings(settings.to_string()).map_err(|error| error.to_string())?;
        let mut generator = ClaimGeneratorInfo::new(GENERATOR);
        generator.set_version(env!("CARGO_PKG_VERSION"));
        generator.insert("specVersion", SPEC_VERSION);
        let mut writer = Self { context: Arc::new(context), generator, surroundings: 0 };

        const SIGNATURE: usize = 1024;
        let sample = [
            Statement::actions("2026-11-20T12:00:00.000Z")?,
            Statement::new(CAPTURE, &())?,
            Statement::new(SEAL, &())?,
            Statement::new(BROWSER, &())?,
        ];
        let (sample, binding) = (sample.each_ref(), DataHash::new(EXCLUSION_NAME, SHA_256));
        let mut builder = writer.builder(&sample, &binding).map_err(|error| error.to_string())?;
        let placeholder = builder.data_hashed_placeholder(SIGNATURE, SIDECAR).map_err(|error| error.to_string())?;
        let content = writer.length(&sample, &binding, SIGNATURE)?;
        writer.surroundings = placeholder.len().checked_sub(content).ok_or("a manifest shorter than its parts")?;
        Ok(writer)
    }

    /// The hard binding of a manifest with the given assertions, and the manifest's length. The binding contains the
    /// length of the manifest's segments, and more digits make the manifest longer, so the length is computed
    /// repeatedly until it is stable.
    fn bind(
        &self,
        frame: &CheckedPhoto,
        hash: &FrameHash,
        statements: &[&Statement],
        signature: usize,
    ) -> Result<(DataHash, usize), String> {
        let mut binding = DataHash::new(EXCLUSION_NAME, SHA_256);
        binding.set_hash(hash.as_bytes().to_vec());
        let mut excluded = 0;
        loop {
            binding.exclusions = Some(vec![HashRange::new(frame.manifest_offset() as u64, excluded as u64)]);
            let length = self.length(statements, &binding, signature)?;
            match app11::wrapped_length(length) {
                segments if segments == excluded => return Ok((binding, length)),
                segments => excluded = segments,
            }
        }
    }

    /// The length of a manifest with the given assertions and a signature of the given length.
    fn length(&self, statements: &[&Statement], binding: &DataHash, signature: usize) -> Result<usize, String> {
        let binding = c2pa_cbor::to_vec(binding).map_err(|error| error.to_string())?;
        let statements = statements.iter().map(|statement| statement.cbor.len()).sum::<usize>();
        Ok(self.surroundings + statements + binding.len() + signature)
    }

    fn builder(&self, statements: &[&Statement], binding: &DataHash) -> c2pa::Result<Builder> {
        let mut builder = Builder::from_shared_context(&self.context);
        builder.definition.claim_generator_info = vec![self.generator.clone()];
        builder.definition.instance_id = format!("xmp:iid:{}", Uuid::new_v4());
        for statement in statements {
            builder.add_assertion(statement.label, &statement.value)?;
        }
        builder.add_assertion(HARD_BINDING, binding)?;
        Ok(builder)
    }
}

/// The size in bytes of a COSE_Sign1 with ES256 over a detached payload, with the given chain in its protected header. Its
/// unprotected header has the staple, or is empty. The library reserves this space.
pub(crate) fn signature_length(chain: &[Vec<u8>], staple: Option<&Staple>) -> usize {
    let certificates = match chain {
        [leaf] => Value::Bytes(leaf.clone()),
        chain => Value::Array(chain.iter().cloned().map(Value::Bytes).collect()),
    };
    let protected = cbor(&Value::Map(vec![(1.into(), (-7).into()), (33.into(), certificates)]));
    let stapled = staple.map(|staple| {
        let responses = Value::Array(vec![Value::Bytes(staple.der().to_vec())]);
        ("rVals".into(), Value::Map(vec![("ocspVals".into(), responses)]))
    });
    let unprotected = Value::Map(stapled.into_iter().collect());
    let parts = vec![Value::Bytes(protected), unprotected, Value::Null, Value::Bytes(vec![0; 64])];
    cbor(&Value::Tag(18, Box::new(Value::Array(parts)))).len()
}

fn cbor(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing such values to memory cannot fail.
    ciborium::into_writer(value, &mut bytes).unwrap_or_default();
    bytes
}

/// Checks that the library embedded exactly the sealed assertions, byte for byte, and the given timestamp and OCSP
/// response. Returns the manifest's id.
fn check_embedded<'a>(
    manifest: &'a [u8],
    statements: &[&Statement],
    binding: &DataHash,
    [token, staple]: [Option<&[u8]>; 2],
) -> Result<&'a str, String> {
    let boxes = Boxes::parse(manifest)?;
    if !boxes.assertions.iter().map(|assertion| assertion.label).eq(ASSERTIONS.map(|(label, _)| label)) {
        return Err("the manifest has other assertions than a proof".into());
    }
    let binding = c2pa_cbor::to_vec(binding).map_err(|error| error.to_string())?;
    if boxes.content(HARD_BINDING) != Some(&binding) {
        return Err("the hard binding is not embedded as it was made".into());
    }
    for (what, part) in [("timestamp", token), ("OCSP response", staple)] {
        if part.is_some_and(|part| memchr::memmem::find(boxes.signature, part).is_none()) {
            return Err(format!("the {what} is not embedded as it was checked"));
        }
    }
    match statements.iter().find(|statement| boxes.content(statement.label) != Some(&statement.cbor)) {
        Some(statement) => Err(format!("{} is not embedded as it was sealed", statement.label)),
        None => Ok(boxes.label),
    }
}

fn invalid(cause: impl std::fmt::Display) -> ProofFailure {
    ProofFailure::InvalidResponse(format!("the manifest cannot be made: {cause}"))
}
