//! Makes proofs: [`Signers::sign_frame`] makes the CAdES signature, and [`Signers::sign_manifest`] the delivered JPEG and its
//! sidecar, whose manifest the C2PA library writes.
//!
//! This is the one crate that uses that library, and the one that asks for signatures.

mod cades;
mod facts;
mod manifest;
mod seal;
mod signers;
mod statements;

pub use cades::FrameSignature;
pub use facts::Facts;
pub use seal::{SealError, SignedPhoto};
pub use signers::{DigestSigner, ProfileError, Signers};
