//! The format of a proof: the delivered JPEG, the manifest's segments and boxes, Lacre's assertions, the CAdES
//! structures, RFC 3161 timestamps, certificates, their revocation, and trust. `sign` makes proofs and `verify` checks
//! them; each has its own code on top of this crate.
//!
//! The *frame* is exactly the bytes that the browser uploaded. Its SHA-256 appears in three places: in the evidence
//! record, as the `messageDigest` of the detached CAdES signature (the seal), and in the hard binding of the C2PA
//! manifest, which excludes only the manifest's segments. Without these segments the delivered JPEG is the frame.
//!
//! [`TimestampRequest`] requests timestamps. [`SigningChain`] checks the certificates that an operator installs.

pub mod apart;
pub mod app11;
pub mod archive;
pub mod assertions;
pub mod attribute;
pub mod bundle;
pub mod cades;
pub mod certificate;
mod check;
mod claim_profile;
pub mod cnpj;
pub mod der_bounds;
pub mod ecdsa;
pub mod expiry;
pub mod jumbf;
pub mod oid;
mod pem;
pub mod policy;
pub mod purpose;
pub mod revocation;
pub mod sealed;
pub mod signed_data;
mod signing_chain;
pub mod times;
pub mod timestamp;
pub mod trust;

pub use check::Check;
pub use cnpj::Cnpj;
pub use expiry::Expiry;
pub use pem::{certificates_of_file, contents_of_pem, pem_of_file};
pub use policy::{PolicyStanding, published_policy};
pub use purpose::Purpose;
pub use signing_chain::SigningChain;
pub use timestamp::{
    AskedTimestamp, MAX_TOKEN, TimestampFailure, TimestampRequest, TimestampSource, Timestamps, Token, TokenFault,
};
pub use trust::{Anchors, Trust};
