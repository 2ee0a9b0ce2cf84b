//! A record under a key of the device: one that was changed, or written without the key, counts as none.

use hmac::{Hmac, Mac, digest::InvalidLength};
use sha2::Sha256;

type HmacSha256 = Hmac<Sha256>;

/// The bytes of a tag, which come first.
const TAG: usize = 32;
/// What the key authenticates besides: nothing else under the same key is a record.
const PURPOSE: &[u8] = b"lacre license record 1\n";

/// Seals and opens records.
pub(crate) struct Seal(HmacSha256);

impl Seal {
    /// A seal under a secret of the device.
    pub(crate) fn new(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self(HmacSha256::new_from_slice(key)?.chain_update(PURPOSE)))
    }

    /// The tag by HMAC-SHA256, and the record.
    pub(crate) fn seal(&self, record: &[u8]) -> Vec<u8> {
        let mut sealed = self.0.clone().chain_update(record).finalize().into_bytes().to_vec();
        sealed.extend_from_slice(record);
        sealed
    }

    /// The record, if its tag is right.
    pub(crate) fn open(&self, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
        let (tag, record) = sealed.split_at_checked(TAG)?;
        self.0.clone().chain_update(record).verify_slice(tag).ok()?;
        Some(sealed.split_off(TAG))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn seal() -> Seal {
        Seal::new(&[7; 32]).unwrap()
    }

    #[test]
    fn what_was_sealed_is_opened() {
        for record in [&b""[..], b"a record"] {
            assert_eq!(seal().open(seal().seal(record)).as_deref(), Some(record));
        }
    }

    #[test]
    fn a_changed_or_cut_record_is_none() {
        let sealed = seal().seal(b"a record");
        for place in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[place] ^= 1 << bit;
                assert_eq!(seal().open(changed), None, "{place}");
            }
            assert_eq!(seal().open(sealed[..place].to_vec()), None, "{place}");
        }
        assert_eq!(seal().open([sealed, vec![0]].concat()), None);
    }

    #[test]
    fn another_key_opens_nothing() {
        assert_eq!(Seal::new(&[8; 32]).unwrap().open(seal().seal(b"a record")), None);
    }
}
