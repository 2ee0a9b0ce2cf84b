//! A record under a key of the device: one that was changed, or written without the key, counts as none.

use hmac::{Hmac, Mac, digest::InvalidLength};
use sha2::Sha256;

type HmacSha256 = Hmac<Sha256>;

/// The bytes of a tag, which come first.
const TAG: usize = 32;
/// What the key authenticates besides: nothing else under the same key is a record.
const PURPOSE: &[u8] = b"lacre license record 1\n";

/// Tags records, and checks their tags.
pub(crate) struct RecordMac(HmacSha256);

impl RecordMac {
    /// A tag's key under a secret of the device.
    pub(crate) fn new(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self(HmacSha256::new_from_slice(key)?.chain_update(PURPOSE)))
    }

    /// The tag by HMAC-SHA256, and the record.
    pub(crate) fn tag(&self, record: &[u8]) -> Vec<u8> {
        let mut tagged = self.0.clone().chain_update(record).finalize().into_bytes().to_vec();
        tagged.extend_from_slice(record);
        tagged
    }

    /// The record, if its tag is right.
    pub(crate) fn verify(&self, mut tagged: Vec<u8>) -> Option<Vec<u8>> {
        let (tag, record) = tagged.split_at_checked(TAG)?;
        self.0.clone().chain_update(record).verify_slice(tag).ok()?;
        Some(tagged.split_off(TAG))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn mac() -> RecordMac {
        RecordMac::new(&[7; 32]).unwrap()
    }

    #[test]
    fn a_tagged_record_verifies() {
        for record in [&b""[..], b"a record"] {
            assert_eq!(mac().verify(mac().tag(record)).as_deref(), Some(record));
        }
    }

    #[test]
    fn a_changed_or_cut_record_is_none() {
        let tagged = mac().tag(b"a record");
        for place in 0..tagged.len() {
            for bit in 0..8 {
                let mut changed = tagged.clone();
                changed[place] ^= 1 << bit;
                assert_eq!(mac().verify(changed), None, "{place}");
            }
            assert_eq!(mac().verify(tagged[..place].to_vec()), None, "{place}");
        }
        assert_eq!(mac().verify([tagged, vec![0]].concat()), None);
    }

    #[test]
    fn another_key_opens_nothing() {
        assert_eq!(RecordMac::new(&[8; 32]).unwrap().verify(mac().tag(b"a record")), None);
    }
}
