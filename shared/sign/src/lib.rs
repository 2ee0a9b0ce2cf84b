//! Makes proofs: [`Signers::sign_frame`] makes the CAdES signature, and [`Signers::sign_manifest`] the delivered JPEG
//! and its sidecar, whose manifest the C2PA library writes.
//!
//! This is the only crate that uses the C2PA library, and the only one that requests signatures of proofs.

mod cades;
mod facts;
mod failure;
mod manifest;
mod signers;
mod statements;

pub use cades::FrameSignature;
pub use facts::Facts;
pub use failure::ProofFailure;
pub use manifest::SignedPhoto;
pub use signers::{DigestSigner, ProfileError, Signers};
