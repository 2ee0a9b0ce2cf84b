//! The transparency log of captures: its entries, tree, tiles, checkpoints and proofs. This crate does no I/O:
//! followers of a log (feature `follow`) implement a trait for reading.
//!
//! The formats are C2SP's: `tlog-tiles`, `tlog-checkpoint`, `signed-note`, `tlog-cosignature`, `tlog-proof`, `tlog-policy`. The
//! tree
//! is that of RFC 6962, with SHA-256.
//!
//! Only the content of an entry ([`Entry`]) is specific to Lacre: a salted hash that whoever has the photo and its
//! proof can compute, and that nobody can recognize without the proof.

mod bundle;
mod checkpoint;
mod edge;
mod entry;
#[cfg(feature = "follow")]
mod follow;
mod note;
mod policy;
mod proof;
mod tile;
mod tree;

pub use bundle::{ENTRY_BYTES, EntryBundle};
pub use checkpoint::{Checkpoint, MalformedCheckpoint};
pub use edge::{Edge, Growth};
pub use entry::Entry;
#[cfg(feature = "follow")]
pub use follow::{FollowError, Follower, LogReader, read_consistency_proof, read_edge, read_inclusion_proof};
pub use lacre_domain::{LogSalt, Sha256Digest};
pub use note::{LogKey, MalformedKey, MalformedNote, NoteError, NoteSignature, SignedNote, WitnessKey};
pub use policy::{PolicyError, WitnessPolicy};
pub use proof::{Extra, Inclusion, LogProof, ProofError};
pub use tile::{Tile, TilePath, Tiles};
pub use tree::{Node, consistency_proof, inclusion_proof, leaf_hash, nodes_of, verify_consistency, verify_inclusion};
