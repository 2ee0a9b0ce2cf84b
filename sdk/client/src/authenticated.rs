//! Authenticates the stored record with a key of the device. A record that was changed, or written without the key, is
//! treated as missing.

use hmac::{Hmac, Mac, digest::InvalidLength};
use sha2::Sha256;

type HmacSha256 = Hmac<Sha256>;

/// The length of the authentication tag, which precedes the record.
const TAG: usize = 32;
/// Domain separation: the MAC covers this prefix, so no other data under the same key can be taken for a record.
const PURPOSE: &[u8] = b"lacre license record 1\n";

/// Computes and verifies the tags of records.
pub(crate) struct RecordMac(HmacSha256);

impl RecordMac {
    /// Creates the MAC from a secret of the device.
    pub(crate) fn new(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self(HmacSha256::new_from_slice(key)?.chain_update(PURPOSE)))
    }

    /// The record, preceded by its HMAC-SHA256 tag.
    pub(crate) fn tag(&self, record: &[u8]) -> Vec<u8> {
        let mut tagged = self.0.clone().chain_update(record).finalize().into_bytes().to_vec();
        tagged.extend_from_slice(record);
        tagged
    }

    /// Returns the record if its tag is valid.
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
    fn refuses_changed_and_truncated_records() {
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
