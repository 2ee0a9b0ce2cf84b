//! Archive timestamps (RFC 4998): a chain of timestamp tokens, each over the one before it. Whoever trusts the last
//! token can verify the first one, and what it covers, after the first authority's certificates have expired.
//!
//! A *renewal* requests one token for many earlier ones. Their hashes are the leaves of a hash tree, and the token
//! covers its root. Beside each token the tree has the hash of its *validation material*: the certificates, revocation
//! lists and OCSP responses by which the token, and what it covers, can still be judged later. So the renewal also
//! proves that this material existed before the certificates expired.
//!
//! An evidence record (RFC 4998, 3.1) is the file form of such a chain. This service's records have SHA-256 throughout
//! and a single chain, because hashes are not renewed; other records are refused.

use der::{
    Any, Decode, Encode, Reader, Sequence, SliceReader, Tag, TagNumber, Tagged,
    asn1::{AnyRef, OctetString},
};
use sha2::{Digest, Sha256};
use spki::AlgorithmIdentifierOwned;

use crate::oid;

/// Maximum size of an evidence record in bytes. A renewal adds about 8 KB.
pub const MAX_RECORD: usize = 512 * 1024;
/// The maximum number of tokens in a chain: two centuries of renewals every three years.
const MAX_TOKENS: usize = 64;
/// The maximum number of lists on the path from a leaf to the root, which suffices for 2^63 leaves.
const MAX_LISTS: usize = 64;

const UNSUPPORTED: &str = "the evidence record has another form than RFC 4998, version 1, with SHA-256 and one chain";

/// The tag of `reducedHashtree`.
const PATH: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber::N2 };

/// A SHA-256.
type Hash = [u8; 32];

/// The chain of timestamps over a message, oldest first. It has at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveChain {
    timestamps: Vec<ArchiveTimestamp>,
}

/// A token of a chain, with the path that leads from what it covers to the hash in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveTimestamp {
    /// The reduced hash tree (RFC 4998, 4.2): the hashes of the leaf's group, then the siblings at each level. Empty if
    /// the token directly covers the hash of the message, or of the token before.
    pub path: Vec<Vec<Hash>>,
    /// The token: a CMS `ContentInfo` in DER.
    pub token: Vec<u8>,
}

/// The hash tree of a renewal: what is renewed, each with its validation material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenewalTree {
    /// The hashes of each leaf's group, in ascending order.
    groups: Vec<Vec<Hash>>,
    /// The nodes of each level, from the leaves to the root. A node without a sibling is its own parent.
    levels: Vec<Vec<Hash>>,
}

/// `EvidenceRecord`, to be written.
#[derive(Sequence)]
struct RecordDer {
    version: u8,
    digest_algorithms: Vec<AlgorithmIdentifierOwned>,
    chains: Vec<Vec<TimestampDer>>,
}

/// `ArchiveTimeStamp`, to be written. Its hash function is the token's.
#[derive(Sequence)]
struct TimestampDer {
    #[asn1(context_specific = "2", tag_mode = "IMPLICIT", optional = "true")]
    reduced_hash_tree: Option<Vec<Vec<OctetString>>>,
    timestamp: Any,
}

impl ArchiveChain {
    /// The chain that begins with this token (DER) over a message.
    #[must_use]
    pub fn new(token: Vec<u8>) -> Self {
        Self { timestamps: vec![ArchiveTimestamp { path: Vec::new(), token }] }
    }

    /// Adds a renewal.
    pub fn renew(&mut self, renewal: ArchiveTimestamp) {
        self.timestamps.push(renewal);
    }

    /// The timestamps, oldest first.
    #[must_use]
    pub fn timestamps(&self) -> &[ArchiveTimestamp] {
        &self.timestamps
    }

    /// Parses an evidence record in DER. Tokens are not examined.
    ///
    /// # Errors
    /// A text, if the bytes are not an evidence record of the supported form.
    pub fn parse(der: &[u8]) -> Result<Self, String> {
        if der.len() > MAX_RECORD {
            return Err(format!("an evidence record of more than {MAX_RECORD} bytes"));
        }
        Self::read(der).map_err(|error| format!("not an evidence record (RFC 4998): {error}"))?
    }

    fn read(der: &[u8]) -> der::Result<Result<Self, String>> {
        let unsupported = || Ok(Err(UNSUPPORTED.into()));
        let [version, algorithms, chains] = elements(AnyRef::from_der(der)?)?[..] else { return unsupported() };
        let ([algorithm], [chain]) = (&elements(algorithms)?[..], &elements(chains)?[..]) else { return unsupported() };
        let is_supported = version.decode_as::<u8>()? == 1 && is_sha_256(&algorithm.decode_as()?);
        let chain = elements(*chain)?;
        if !is_supported || chain.is_empty() || chain.len() > MAX_TOKENS {
            return unsupported();
        }
        let mut timestamps = Vec::with_capacity(chain.len());
        for timestamp in chain {
            match ArchiveTimestamp::read(timestamp)? {
                Some(timestamp) => timestamps.push(timestamp),
                None => return unsupported(),
            }
        }
        Ok(Ok(Self { timestamps }))
    }

    /// The evidence record in DER.
    ///
    /// # Errors
    /// A text, if a token is not in DER, or if the chain is too long for a reader.
    pub fn to_der(&self) -> Result<Vec<u8>, String> {
        if self.timestamps.len() > MAX_TOKENS {
            return Err(format!("a chain of more than {MAX_TOKENS} timestamps"));
        }
        let chain = self.timestamps.iter().map(ArchiveTimestamp::to_asn1).collect::<der::Result<Vec<_>>>();
        let record = chain.map(|chain| RecordDer {
            version: 1,
            digest_algorithms: vec![AlgorithmIdentifierOwned { oid: oid::SHA_256, parameters: None }],
            chains: vec![chain],
        });
        record.and_then(|record| record.to_der()).map_err(|error| error.to_string())
    }

    /// What each token has to cover, oldest first: the hash in its message imprint.
    ///
    /// # Errors
    /// A text, if the path of a renewal does not begin at the token before it.
    pub fn imprints(&self, message_sha256: Hash) -> Result<Vec<Hash>, String> {
        let mut covered = message_sha256;
        let mut imprints = Vec::with_capacity(self.timestamps.len());
        for (place, timestamp) in self.timestamps.iter().enumerate() {
            let imprint = timestamp.imprint(covered).ok_or_else(|| match place {
                0 => "the evidence record belongs to something else".to_owned(),
                _ => format!("renewal {place} of the evidence record covers another timestamp than the one before it"),
            })?;
            imprints.push(imprint);
            covered = sha256(&timestamp.token);
        }
        Ok(imprints)
    }
}

impl ArchiveTimestamp {
    /// Reads an `ArchiveTimeStamp`; `None` if its form is not supported.
    fn read(timestamp: AnyRef<'_>) -> der::Result<Option<Self>> {
        let fields = elements(timestamp)?;
        let (path, token) = match fields[..] {
            [token] => (Vec::new(), token),
            [path, token] if path.tag() == PATH => (parts_of(path)?, token),
            _ => return Ok(None),
        };
        let mut lists = Vec::with_capacity(path.len());
        for list in path {
            let hashes: Option<Vec<Hash>> = elements(list)?
                .iter()
                .map(|hash| hash.value().try_into().ok().filter(|_| hash.tag() == Tag::OctetString))
                .collect();
            let Some(hashes) = hashes else { return Ok(None) };
            lists.push(hashes);
        }
        // A list of one hash at the beginning would be hashed again by some readers, and taken as it is by others.
        let is_plain = match &lists[..] {
            [] => fields.len() == 1,
            [first, rest @ ..] => first.len() > 1 && rest.len() < MAX_LISTS && rest.iter().all(|list| !list.is_empty()),
        };
        Ok(if is_plain { Some(Self { path: lists, token: token.to_der()? }) } else { None })
    }

    fn to_asn1(&self) -> der::Result<TimestampDer> {
        let hash = |hash: &Hash| OctetString::new(*hash);
        let list = |list: &Vec<Hash>| list.iter().map(hash).collect::<Result<_, _>>();
        let lists = self.path.iter().map(list).collect::<Result<Vec<_>, _>>()?;
        Ok(TimestampDer {
            reduced_hash_tree: (!lists.is_empty()).then_some(lists),
            timestamp: Any::from_der(&self.token)?,
        })
    }

    /// The hash that the token has to cover if the path begins at the given hash; `None` if it begins elsewhere.
    fn imprint(&self, covered: Hash) -> Option<Hash> {
        let Some((group, siblings)) = self.path.split_first() else { return Some(covered) };
        let begin = group.contains(&covered).then(|| node(group.clone()))?;
        Some(siblings.iter().fold(begin, |below, list| node([&list[..], &[below]].concat())))
    }

    /// Whether the path begins beside this hash, so that the token covers it together with the token before.
    #[must_use]
    pub fn covers(&self, material_sha256: &Hash) -> bool {
        self.path.first().is_some_and(|group| group.contains(material_sha256))
    }
}

impl RenewalTree {
    /// The tree over tokens, each with its validation material, by the SHA-256 of both; `None` without any.
    #[must_use]
    pub fn of(renewed: &[(Hash, Hash)]) -> Option<Self> {
        let group = |(token, material): &(Hash, Hash)| {
            let mut group = vec![*token, *material];
            group.sort_unstable();
            group
        };
        let groups: Vec<_> = renewed.iter().map(group).collect();
        let mut levels: Vec<Vec<Hash>> = vec![groups.iter().cloned().map(node).collect()];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let parents = below.chunks(2).map(|pair| if let [only] = pair { *only } else { node(pair.to_vec()) });
            levels.push(parents.collect());
        }
        (!groups.is_empty()).then_some(Self { groups, levels })
    }

    /// The root, which the renewal's token has to cover.
    #[must_use]
    pub fn root(&self) -> Hash {
        self.levels.last().and_then(|level| level.first()).copied().unwrap_or_default()
    }

    /// The renewal of one of the tokens, by its place in the tree; `None` if there is none at this place.
    #[must_use]
    pub fn renewal(&self, place: usize, token: Vec<u8>) -> Option<ArchiveTimestamp> {
        let mut path = vec![self.groups.get(place)?.clone()];
        let mut place = place;
        for level in &self.levels {
            path.extend(level.get(place ^ 1).map(|sibling| vec![*sibling]));
            place /= 2;
        }
        Some(ArchiveTimestamp { path, token })
    }
}

/// The elements of a SEQUENCE.
fn elements(sequence: AnyRef<'_>) -> der::Result<Vec<AnyRef<'_>>> {
    sequence.tag().assert_eq(Tag::Sequence)?;
    parts_of(sequence)
}

/// The values in a constructed value.
fn parts_of(value: AnyRef<'_>) -> der::Result<Vec<AnyRef<'_>>> {
    let mut reader = SliceReader::new(value.value())?;
    let mut parts = Vec::new();
    while !reader.is_finished() {
        parts.push(AnyRef::decode(&mut reader)?);
    }
    Ok(parts)
}

/// The SHA-256 of the hashes in ascending order (RFC 4998, 4.2).
fn node(mut hashes: Vec<Hash>) -> Hash {
    hashes.sort_unstable();
    sha256(&hashes.concat())
}

fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

fn is_sha_256(algorithm: &AlgorithmIdentifierOwned) -> bool {
    algorithm.oid == oid::SHA_256
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A `ContentInfo` of the given content.
    fn token(content: u8) -> Vec<u8> {
        [
            &[0x30, 0x10, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01, 0xA0, 0x03, 0x04, 0x01][..],
            &[content],
        ]
        .concat()
    }

    #[test]
    fn each_renewed_token_leads_to_the_root() {
        for count in 1..=9_u8 {
            let tokens: Vec<_> = (0..count).map(token).collect();
            let material = |token: &Vec<u8>| sha256(&[&b"material"[..], token].concat());
            let renewed: Vec<_> = tokens.iter().map(|token| (sha256(token), material(token))).collect();
            let tree = RenewalTree::of(&renewed).unwrap();
            for (place, (token, (_, material))) in tokens.iter().zip(&renewed).enumerate() {
                let mut chain = ArchiveChain::new(token.clone());
                chain.renew(tree.renewal(place, vec![0]).unwrap());
                assert_eq!(chain.imprints([7; 32]).unwrap(), [[7; 32], tree.root()], "{place} of {count}");
                assert!(chain.timestamps()[1].covers(material));
                assert!(!chain.timestamps()[1].covers(&[7; 32]) && !chain.timestamps()[0].covers(material));
            }
            assert_eq!(tree.renewal(count.into(), vec![0]), None);
        }
        assert_eq!(RenewalTree::of(&[]), None);
    }

    #[test]
    fn another_token_does_not_lead_there() {
        let tree = RenewalTree::of(&[(sha256(&token(1)), [1; 32]), (sha256(&token(2)), [2; 32])]).unwrap();
        let mut chain = ArchiveChain::new(token(3));
        chain.renew(tree.renewal(0, token(9)).unwrap());
        assert!(chain.imprints([0; 32]).unwrap_err().starts_with("renewal 1 "));
        let mut altered = ArchiveChain::new(token(1));
        altered.renew(tree.renewal(0, token(9)).unwrap());
        altered.timestamps[1].path[1][0][0] ^= 1;
        assert_ne!(altered.imprints([0; 32]).unwrap()[1], tree.root());
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let tree = RenewalTree::of(&[1, 2, 3].map(|number| (sha256(&token(number)), [number; 32]))).unwrap();
        let mut chain = ArchiveChain::new(token(1));
        chain.renew(tree.renewal(0, token(4)).unwrap());
        let der = chain.to_der().unwrap();
        assert_eq!(ArchiveChain::parse(&der).unwrap(), chain);
        assert_eq!(chain.to_der().unwrap(), der);
    }

    #[test]
    fn refuses_what_is_no_such_record() {
        let mut chain = ArchiveChain::new(token(1));
        let parse = |chain: &ArchiveChain| ArchiveChain::parse(&chain.to_der().unwrap()).unwrap_err();
        assert!(ArchiveChain::parse(b"").unwrap_err().starts_with("not an evidence record"));
        assert!(ArchiveChain::parse(&[&chain.to_der().unwrap()[..], b"more"].concat()).is_err());
        assert!(ArchiveChain::parse(&vec![0x30; MAX_RECORD + 1]).unwrap_err().contains("more than"));
        chain.timestamps[0].path = vec![vec![[1; 32]]];
        assert_eq!(parse(&chain), UNSUPPORTED);
        chain.timestamps[0].path = vec![vec![[1; 32], [2; 32]], vec![]];
        assert_eq!(parse(&chain), UNSUPPORTED);
        chain.timestamps = vec![ArchiveTimestamp { path: Vec::new(), token: token(1) }; MAX_TOKENS + 1];
        assert!(chain.to_der().unwrap_err().starts_with("a chain of more than"));
        chain.timestamps.clear();
        assert_eq!(parse(&chain), UNSUPPORTED);
    }
}
