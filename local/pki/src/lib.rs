//! Development certificates in the shape of the real ones.
//!
//! [`ClaimPki`] is the hierarchy behind the C2PA claim signature: root, intermediate, and leaves for P-256 keys that live
//! elsewhere. [`SealPki`] mimics ICP-Brasil: root, certification authority, and e-CNPJ A1 leaves whose RSA key is returned
//! for the import into KMS. [`TimestampPki`] is the hierarchy of a timestamp authority. [`ServerPki`] issues certificates of web
//! servers on the local network. The shape is always the same, the keys are random, and every name says that it is
//! development.

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
