//! The Merkle tree of RFC 6962, section 2, computed from the hashes in its tiles.

use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
};

use lacre_domain::Sha256Digest;
use sha2::{Digest, Sha256};

/// The height of a tile: each level of tiles covers eight levels of the tree.
pub(crate) const HEIGHT: u32 = 8;

/// A hash in a tile: that of the subtree over 256^`level` leaves, starting at leaf `index` × 256^`level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// The level of tiles; 0 contains the hashes of the leaves.
    pub level: u8,
    /// The index within the level.
    pub index: u64,
}

/// The hash of a leaf.
#[must_use]
pub fn leaf_hash(entry: &[u8]) -> Sha256Digest {
    Sha256Digest::from_bytes(Sha256::new_with_prefix([0]).chain_update(entry).finalize().into())
}

/// The hash of an inner node.
pub(crate) fn node_hash(left: Sha256Digest, right: Sha256Digest) -> Sha256Digest {
    let hash = Sha256::new_with_prefix([1]).chain_update(left.as_bytes()).chain_update(right.as_bytes());
    Sha256Digest::from_bytes(hash.finalize().into())
}

/// The root hash of a perfect tree over the given hashes, whose number is a power of two.
pub(crate) fn perfect(hashes: &[Sha256Digest]) -> Sha256Digest {
    match hashes {
        [one] => *one,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            node_hash(perfect(left), perfect(right))
        }
    }
}

/// The inclusion proof of a leaf in a tree (RFC 6962, 2.1.1): the hashes from its sibling up to below the root.
///
/// # Errors
/// The same as `hash`.
pub fn inclusion_proof<E>(
    index: u64,
    size: u64,
    hash: &mut dyn FnMut(Node) -> Result<Sha256Digest, E>,
) -> Result<Vec<Sha256Digest>, E> {
    siblings(index, size).into_iter().map(|(low, high)| range(low, high, hash)).collect()
}

/// The inclusion proofs of all leaves from `from` on, in order. Neighbouring leaves share most subtrees, each of which
/// is hashed once.
///
/// # Errors
/// The same as `hash`.
pub(crate) fn inclusion_proofs<E>(
    from: u64,
    size: u64,
    hash: &mut dyn FnMut(Node) -> Result<Sha256Digest, E>,
) -> Result<Vec<Vec<Sha256Digest>>, E> {
    let mut known = HashMap::new();
    let mut subtree = |(low, high)| match known.get(&(low, high)) {
        Some(digest) => Ok(*digest),
        None => {
            let digest = range(low, high, hash)?;
            known.insert((low, high), digest);
            Ok(digest)
        }
    };
    (from..size).map(|index| siblings(index, size).into_iter().map(&mut subtree).collect()).collect()
}

/// The subtrees beside the path from a leaf to the root, each as the half-open range of its leaves.
fn siblings(index: u64, size: u64) -> Vec<(u64, u64)> {
    let (mut low, mut high, mut siblings) = (0, size, Vec::new());
    while high - low > 1 {
        let middle = low + split(high - low);
        if index < middle {
            siblings.push((middle, high));
            high = middle;
        } else {
            siblings.push((low, middle));
            low = middle;
        }
    }
    siblings.reverse();
    siblings
}

/// The consistency proof from a tree to a later one (RFC 6962, 2.1.2). Empty if the old tree is empty or the trees are
/// equal.
///
/// # Errors
/// The same as `hash`.
pub fn consistency_proof<E>(
    old: u64,
    size: u64,
    hash: &mut dyn FnMut(Node) -> Result<Sha256Digest, E>,
) -> Result<Vec<Sha256Digest>, E> {
    if old == 0 || old >= size {
        return Ok(Vec::new());
    }
    let (mut low, mut high, mut siblings) = (0, size, Vec::new());
    while old != high {
        let middle = low + split(high - low);
        if old <= middle {
            siblings.push((middle, high));
            high = middle;
        } else {
            siblings.push((low, middle));
            low = middle;
        }
    }
    // The verifier knows the root of the old tree. If the old tree is a subtree of the new one, its hash is not
    // repeated.
    if low > 0 {
        siblings.push((low, high));
    }
    siblings.into_iter().rev().map(|(low, high)| range(low, high, hash)).collect()
}

/// The nodes whose hashes a computation requests.
pub fn nodes_of(computation: impl FnOnce(&mut dyn FnMut(Node) -> Result<Sha256Digest, Infallible>)) -> BTreeSet<Node> {
    let mut nodes = BTreeSet::new();
    computation(&mut |node| {
        nodes.insert(node);
        Ok(Sha256Digest::from_bytes([0; 32]))
    });
    nodes
}

/// Verifies that a leaf is at an index of the tree with the given size and root.
#[must_use]
pub fn verify_inclusion(leaf: Sha256Digest, index: u64, size: u64, proof: &[Sha256Digest], root: Sha256Digest) -> bool {
    if index >= size {
        return false;
    }
    // The algorithm of RFC 9162, 2.1.3.2.
    let (mut place, mut last, mut hash) = (index, size - 1, leaf);
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if place & 1 == 1 || place == last {
            hash = node_hash(*sibling, hash);
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(hash, *sibling);
        }
        place >>= 1;
        last >>= 1;
    }
    last == 0 && hash == root
}

/// Verifies that a tree extends an older one by adding leaves only.
#[must_use]
pub fn verify_consistency(
    (old_size, old_root): (u64, Sha256Digest),
    (size, root): (u64, Sha256Digest),
    proof: &[Sha256Digest],
) -> bool {
    match old_size {
        0 => return proof.is_empty() && old_root == Sha256Digest::of(b""),
        _ if old_size == size => return proof.is_empty() && old_root == root,
        _ if old_size > size => return false,
        _ => {}
    }
    // The algorithm of RFC 9162, 2.1.4.2.
    let mut rest = proof.iter().copied();
    let first = if old_size.is_power_of_two() { Some(old_root) } else { rest.next() };
    let Some(first) = first else { return false };
    let (mut place, mut last) = (old_size - 1, size - 1);
    while place & 1 == 1 {
        place >>= 1;
        last >>= 1;
    }
    let (mut of_old, mut of_new) = (first, first);
    for sibling in rest {
        if last == 0 {
            return false;
        }
        if place & 1 == 1 || place == last {
            of_old = node_hash(sibling, of_old);
            of_new = node_hash(sibling, of_new);
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            of_new = node_hash(of_new, sibling);
        }
        place >>= 1;
        last >>= 1;
    }
    last == 0 && of_old == old_root && of_new == root
}

/// The largest power of two below a number that is greater than 1.
fn split(count: u64) -> u64 {
    1 << (count - 1).ilog2()
}

/// The hash over the leaves from `low` to before `high`, which must be a subtree in the division of RFC 6962.
fn range<E>(low: u64, high: u64, hash: &mut dyn FnMut(Node) -> Result<Sha256Digest, E>) -> Result<Sha256Digest, E> {
    let count = high - low;
    // A perfect subtree whose hash is in a tile.
    if count.is_power_of_two() && count.ilog2().is_multiple_of(HEIGHT) {
        let height = count.ilog2();
        // At most 56, so the level fits a byte.
        #[allow(clippy::cast_possible_truncation)]
        return hash(Node { level: (height / HEIGHT) as u8, index: low >> height });
    }
    let middle = low + split(count);
    Ok(node_hash(range(low, middle, hash)?, range(middle, high, hash)?))
}
