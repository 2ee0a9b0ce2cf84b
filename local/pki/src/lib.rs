//! Development certificates with the same profiles as real ones.
//!
//! [`ClaimPki`] is the hierarchy of the C2PA claim signature: root, intermediate, and leaves for P-256 keys that are
//! held elsewhere. [`SealPki`] imitates ICP-Brasil: root, CA, and e-CNPJ A1 leaves whose RSA key is returned for import
//! into KMS. [`TimestampPki`] is the hierarchy of a timestamp authority. [`ServerPki`] issues certificates for web
//! servers on the local network. Keys are random, and every subject states that it is for development.

mod authority;
mod claim;
mod seal;
mod server;
mod timestamp;

pub use authority::PkiError;
pub use claim::ClaimPki;
pub use seal::{A1, SEAL_HOLDER_CNPJ, SealPki};
pub use server::{ServerIdentity, ServerName, ServerPki};
pub use timestamp::{TimestampPki, Timestamper};
