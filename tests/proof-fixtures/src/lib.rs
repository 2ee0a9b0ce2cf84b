//! Signers with keys in this process, and photos, for tests and benchmarks.

#![allow(missing_docs, clippy::new_without_default, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod authority;
pub mod ca;
pub mod log;
pub mod stapling;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use async_trait::async_trait;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use lacre_domain::{
    AskedFor, BrowserClaims, ClaimSigner, Environment, ExtraFrames, FrameHash, GpsResult, Kit, KitVersion, Label,
    Position, RecaptureRisk, SealSigner, SessionToken, SignError, SignaturePolicy, SignerProfile, StreamSettings,
    Timestamping, UserAgent, clock::epoch_millis,
};
use lacre_photo::CheckedPhoto;
use lacre_pki::{ClaimPki, SealPki};
use lacre_proof::Timestamps;
use lacre_sign::{DigestSigner, Facts, ProofFailure, SignedPhoto, Signers};
use rsa::pkcs8::DecodePrivateKey;
use signature::{SignatureEncoding, hazmat::PrehashSigner};
use time::{OffsetDateTime, macros::datetime};

/// A document that is not a photo: a PDF made by reportlab 5.1.
pub const DOCUMENT: &[u8] = include_bytes!("../document.pdf");

/// The file of a kit that a client could have, with a step `chassi`.
pub const KIT: &[u8] = include_bytes!("../../../docs/guides/kits/auto-previa.json");

/// Issue date of the certificates and time of all signatures.
pub const NOW: OffsetDateTime = datetime!(2026-11-20 12:00:00.123 UTC);

/// An RSA signing key in this process.
pub struct RsaKey(pub rsa::pkcs1v15::SigningKey<sha2::Sha256>);
/// A P-256 signing key in this process.
pub struct EcKey(pub p256::ecdsa::SigningKey);

#[async_trait]
impl DigestSigner for RsaKey {
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError> {
        Ok(PrehashSigner::<rsa::pkcs1v15::Signature>::sign_prehash(&self.0, &digest).unwrap().to_vec())
    }
}

#[async_trait]
impl DigestSigner for EcKey {
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError> {
        let signature: p256::ecdsa::Signature = self.0.sign_prehash(&digest).unwrap();
        Ok(signature.to_der().as_bytes().to_vec())
    }
}

/// A complete sandbox: signer profile, keys and trust anchors.
pub struct Sandbox {
    pub profile: SignerProfile,
    pub rsa: RsaKey,
    pub ec: EcKey,
    pub anchors_pem: String,
    pub claim_anchor_pem: String,
    pub seal_anchor_pem: String,
}

impl Sandbox {
    pub fn new() -> Self {
        Self::of(OffsetDateTime::now_utc())
    }

    /// Creates a sandbox whose certificates were issued at `now`.
    pub fn of(now: OffsetDateTime) -> Self {
        let (claim, seal) = (ClaimPki::generate(now).unwrap(), SealPki::generate(now).unwrap());
        let ec = p256::ecdsa::SigningKey::random(&mut rsa::rand_core::OsRng);
        let spki = p256::pkcs8::EncodePublicKey::to_public_key_der(ec.verifying_key()).unwrap();
        let a1 = seal.issue_a1(now).unwrap();
        let rsa = rsa::RsaPrivateKey::from_pkcs8_der(&a1.pkcs8_der).unwrap();
        let (claim_anchor_pem, seal_anchor_pem) = (claim.anchors_pem().unwrap(), seal.anchors_pem().unwrap());
        Self {
            profile: SignerProfile {
                environment: Environment::Sandbox,
                version: 1,
                seal: SealSigner {
                    key_arn: "arn:aws:kms:sa-east-1:000000000000:key/seal".into(),
                    chain_pem: a1.chain_pem,
                    policy: SignaturePolicy::ad_rb_v2_4(),
                    icp_brasil: false,
                },
                claim: ClaimSigner {
                    key_arn: "arn:aws:kms:sa-east-1:000000000000:key/claim".into(),
                    chain_pem: claim.issue_leaf(spki.as_bytes(), now).unwrap(),
                },
                timestamps: Some(Timestamping {
                    authorities: Vec::new(),
                    roots_pem: String::new(),
                    policy: SignaturePolicy::ad_rt_v2_4(),
                }),
            },
            rsa: RsaKey(rsa::pkcs1v15::SigningKey::new(rsa)),
            ec: EcKey(ec),
            anchors_pem: format!("{claim_anchor_pem}{seal_anchor_pem}"),
            claim_anchor_pem,
            seal_anchor_pem,
        }
    }

    /// A sandbox that all tests of a process share, because generating RSA keys is slow.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Sandbox> = OnceLock::new();
        SHARED.get_or_init(Self::new)
    }

    pub fn signers(&self) -> Signers {
        Signers::parse(&self.profile).unwrap()
    }

    /// Signs a frame in both steps, as ingest does, without timestamps.
    pub async fn seal(&self, frame: &[u8], facts: &Facts) -> SignedPhoto {
        self.seal_with(frame, facts, Timestamps::None).await.unwrap()
    }

    /// Signs a frame like [`Self::seal`], with timestamps.
    pub async fn seal_with(
        &self,
        frame: &[u8],
        facts: &Facts,
        timestamps: Timestamps<'_>,
    ) -> Result<SignedPhoto, ProofFailure> {
        self.seal_stapled(frame, facts, timestamps, None).await
    }

    /// Signs a frame like [`Self::seal_with`], and embeds the OCSP response if the signers accept it.
    pub async fn seal_stapled(
        &self,
        frame: &[u8],
        facts: &Facts,
        timestamps: Timestamps<'_>,
        response: Option<&[u8]>,
    ) -> Result<SignedPhoto, ProofFailure> {
        let signers = self.signers();
        let hash = FrameHash::of(frame);
        let signature = signers.sign_frame(&hash, facts, &self.rsa, timestamps).await?;
        let frame = CheckedPhoto::check(frame.into()).unwrap();
        let staple = response.and_then(|der| signers.staple(der, facts.ingested_at).ok());
        signers.sign_manifest(&frame, &hash, &signature, &self.ec, timestamps, staple.as_ref()).await
    }
}

/// Facts with every claim of a browser and without a kit, of an ingest at the current time.
pub fn facts() -> Facts {
    facts_at(OffsetDateTime::now_utc())
}

/// Like [`facts`], of an ingest at this time.
pub fn facts_at(ingested_at: OffsetDateTime) -> Facts {
    let token = SessionToken::parse("7f0c6c1e-5d5d-4f5e-9f0a-2f6a3f1f9a10").unwrap();
    let hashes: Vec<String> = (1..=3u8).map(|n| FrameHash::of(&[n]).hex()).collect();
    Facts {
        capture_id: token.session_id(1).capture_id(),
        ingested_at,
        claims: BrowserClaims {
            captured_at_ms: epoch_millis(ingested_at),
            position: Position::parse(-23.561_414, -46.655_881, 12.5).unwrap(),
            heading: Some(271.5),
            label: Label::parse("Fachada, nº 1578").unwrap(),
            user_agent: UserAgent::sanitize("Mozilla/5.0 (Linux; Android 14) Chrome/130.0.0.0 Mobile"),
            extra_frames: ExtraFrames::parse(&hashes, Some(FrameHash::of(b"main"))).unwrap(),
            stream_settings: StreamSettings::keep_plausible(Some(1920.0), Some(1080.0), Some(29.97)),
        },
        gps_result: GpsResult::Observed,
        recapture_risk: RecaptureRisk::Unknown,
        asked_for: None,
    }
}

/// The step `chassi` of [`KIT`], as its third version.
pub fn asked_for() -> AskedFor {
    let kit = Kit::parse(KIT).unwrap();
    let version = KitVersion { name: kit.content().name.clone(), version: 3, sha256: kit.hash() };
    AskedFor::new(&version, &"chassi".into())
}

/// Generates a JPEG with smooth areas, edges and some noise.
pub fn synthetic(width: u16, height: u16, progressive: bool) -> Vec<u8> {
    let mut noise = 0x2545_F491_4F6C_DD1D_u64;
    let mut pixels = Vec::with_capacity(usize::from(width) * usize::from(height) * 3);
    for y in 0..u32::from(height) {
        for x in 0..u32::from(width) {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            let grain = (noise & 15) as u32;
            let edge = if (x / 97 + y / 61) % 2 == 0 { 40 } else { 0 };
            pixels.extend([
                (x * 180 / u32::from(width) + grain + edge) as u8,
                (y * 180 / u32::from(height) + grain + edge) as u8,
                (90 + grain + edge) as u8,
            ]);
        }
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 90);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.set_progressive(progressive);
    if !progressive {
        encoder.set_restart_interval(16);
    }
    encoder.encode(&pixels, width, height, ColorType::Rgb).unwrap();
    file
}

/// Photos that `scripts/photos` created, by file name; empty if it was not run.
pub fn photographs() -> Vec<(String, Vec<u8>)> {
    let folder = std::env::var_os("LACRE_PHOTO_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/photos"), PathBuf::from);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut photos: Vec<_> = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "jpg"))
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    photos.sort_by(|a, b| (a.1.len(), &a.0).cmp(&(b.1.len(), &b.0)));
    photos
}
