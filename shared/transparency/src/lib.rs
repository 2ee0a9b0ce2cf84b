//! The transparency log of captures: its entries, its tree, its tiles, its checkpoints and its proofs. No I/O: who follows
//! a log (feature `follow`) reads by a trait.
//!
//! The formats are C2SP's: `tlog-tiles`, `tlog-checkpoint`, `signed-note`, `tlog-cosignature`, `tlog-proof`. The tree is RFC
//! 6962's, with SHA-256.
//!
//! What an entry holds is Lacre's own ([`Entry`]): a salted hash, which whoever has the photo and its proof can compute, and
//! nobody can recognize without the proof.

mod bundle;
mod checkpoint;
mod edge;
mod entry;
#[cfg(feature = "follow")]
mod follow;
mod note;
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
pub use proof::{Extra, Inclusion, LogProof, ProofError};
pub use tile::{Tile, TilePath, Tiles};
pub use tree::{Node, consistency_proof, inclusion_proof, leaf_hash, nodes_of, verify_consistency, verify_inclusion};
