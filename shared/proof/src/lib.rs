//! The proof: what the delivered JPEG carries, how it is made, and how it is checked offline.
//!
//! `frame` is exactly the bytes that the browser uploaded, and one SHA-256 of it has three witnesses: the evidence record,
//! the `messageDigest` of a detached CAdES signature by the ICP-Brasil key, and the hard binding of the C2PA manifest, whose
//! only exclusion is the manifest's own segments. Cutting these segments out gives the frame back, byte for byte.
//!
//! Signing: [`Photo::check`] makes sure that the frame is a photo, [`Signers::sign_frame`] makes the CAdES signature, and
//! [`Signers::sign_manifest`] makes the delivered file and its sidecar. Asking for trusted time: [`TimestampRequest`].
//! Checking: [`verify::check`]. What an operator brings to sign with: [`SigningChain`].

mod app11;
mod assertions;
mod attribute;
mod cades;
mod certificate;
mod claim_profile;
mod cnpj;
mod ecdsa;
mod expiry;
mod facts;
mod jpeg;
mod jumbf;
mod manifest;
mod oid;
mod pem;
mod policy;
mod purpose;
mod seal;
mod sealed;
mod signers;
mod signing_chain;
mod statements;
mod timestamp;
mod trust;
pub mod verify;

pub use cades::FrameSignature;
pub use cnpj::Cnpj;
pub use expiry::Expiry;
pub use facts::Facts;
pub use jpeg::{Coding, Jpeg, JpegError, Photo};
pub use pem::certificates_of_pem;
pub use policy::{PolicyStanding, published_policy};
pub use purpose::Purpose;
pub use seal::{Proof, SealError};
pub use signers::{DigestSigner, ProfileError, SignFailure, Signers};
pub use signing_chain::SigningChain;
pub use timestamp::{MAX_TOKEN, TimestampFailure, TimestampRequest, TimestampSource, Timestamps, Token, TokenFault};
