//! The fingerprint of a photo: the ISCC Image-Code of its picture (ISO 24138) with 256 bits. Copies of a photo, scaled
//! and encoded again, have codes that differ in few bits.
//!
//! This module knows the code as a value. The package `fingerprint` computes it from a picture.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The number of bands into which a code is divided, so that an index can find codes that are close.
pub const BANDS: usize = 16;

/// The header of a 256-bit Image-Code of version 0: main type CONTENT, subtype IMAGE, version 0, eight times 32 bits.
const HEADER: [u8; 2] = [0x21, 0x07];

/// The 256 bits of an Image-Code, without the header of the ISCC unit. In JSON: 64 lower-case hexadecimal characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Wraps the bits of a code.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hexadecimal characters.
    #[must_use]
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }

    /// The first Image-Code of 256 bits in the `value` of a `c2pa.soft-binding` assertion, which is a sequence of ISCC
    /// units (IEP-0020). Other units are skipped: codes of the text, the data or the metadata, of other lengths and
    /// versions. `None` if there is none, or if the value is not a sequence of units.
    #[must_use]
    pub fn of_soft_binding_value(mut value: &[u8]) -> Option<Self> {
        let mut found = None;
        while let Some((header, rest)) = value.split_first_chunk() {
            let (body, rest) = rest.split_at_checked(body_length(*header)?)?;
            if found.is_none() && *header == HEADER {
                found = body.try_into().ok().map(Self);
            }
            value = rest;
        }
        found.filter(|_| value.is_empty())
    }

    /// The `value` of a `c2pa.soft-binding` assertion whose `alg` is
    /// [`ALGORITHM`](lacre_api::resolution::ALGORITHM): a sequence of ISCC units, here of one.
    #[must_use]
    pub fn soft_binding_value(&self) -> Vec<u8> {
        [&HEADER[..], &self.0].concat()
    }

    /// The number of bits in which two codes differ, from 0 to 256.
    #[must_use]
    pub fn distance(&self, other: &Self) -> u32 {
        self.0.iter().zip(other.0).map(|(one, other)| (one ^ other).count_ones()).sum()
    }

    /// The code in bands of 16 bits. Two codes at a distance of at most 15 have an equal band; at a distance of at most
    /// 31, a band that differs in at most one bit.
    #[must_use]
    pub fn bands(&self) -> [u16; BANDS] {
        let (pairs, _) = self.0.as_chunks();
        std::array::from_fn(|band| pairs.get(band).map_or(0, |pair| u16::from_be_bytes(*pair)))
    }
}

/// The number of bytes that follow the header of a unit. `None` if no unit has this header: main types above 4 are not
/// units, and a field with its highest bit set would be continued.
fn body_length([types, version]: [u8; 2]) -> Option<usize> {
    let [main, sub, version, length] = [types >> 4, types & 0x0F, version >> 4, version & 0x0F];
    (main <= 4 && sub < 8 && version < 8 && length < 8).then_some(4 * (usize::from(length) + 1))
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint(redacted)")
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(String::deserialize(deserializer)?, &mut bytes)
            .map_err(|_| D::Error::custom("not a fingerprint in hexadecimal"))?;
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A code with these bits set, which are counted from the most significant.
    fn code(bits: impl IntoIterator<Item = usize>) -> Fingerprint {
        let mut bytes = [0; 32];
        bits.into_iter().for_each(|bit| bytes[bit / 8] |= 0x80 >> (bit % 8));
        Fingerprint::from_bytes(bytes)
    }

    #[test]
    fn distance_counts_differing_bits() {
        let [one, other] = [code([0, 7, 100, 255]), code([0, 8, 100])];
        assert_eq!([one.distance(&other), other.distance(&one), one.distance(&one)], [3, 3, 0]);
        assert_eq!(code([]).distance(&code(0..256)), 256);
    }

    #[test]
    fn bands_are_consecutive_bits() {
        let mut expected = [0; 16];
        (expected[0], expected[1], expected[15]) = (0x8001, 0x8000, 1);
        assert_eq!(code([0, 15, 16, 255]).bands(), expected);
    }

    #[test]
    fn near_codes_share_a_band() {
        let original = code((0..256).step_by(3));
        let differing = |distance: usize, spread: usize| {
            let other = code((0..256).filter(|bit| (bit % 3 == 0) != (bit % spread == 0 && bit / spread < distance)));
            assert_eq!(original.distance(&other), distance as u32);
            let bands = original.bands().into_iter().zip(other.bands());
            bands.map(|(one, other)| (one ^ other).count_ones()).min().unwrap()
        };
        assert_eq!(differing(15, 16), 0);
        assert_eq!(differing(16, 16), 1);
        assert_eq!(differing(31, 8), 1);
        assert_eq!(differing(32, 8), 2);
    }

    #[test]
    fn binds_by_header_and_body() {
        let code = code([0, 255]);
        let value = code.soft_binding_value();
        assert_eq!(value.split_at(2), (&[0x21, 0x07][..], &code.as_bytes()[..]));
        assert_eq!(Fingerprint::of_soft_binding_value(&value), Some(code));
    }

    #[test]
    fn skips_other_units_of_a_binding() {
        let [image, later] = [code([1]), code([2])].map(|code| code.soft_binding_value());
        let text = [&[0x20, 0x07][..], &[1; 32]].concat();
        let short_image = [&[0x21, 0x01][..], &[2; 8]].concat();
        let next_version = [&[0x21, 0x17][..], &[3; 32]].concat();
        let instance = [&[0x40, 0x07][..], &[4; 32]].concat();
        let value = [&text[..], &short_image, &next_version, &image, &later, &instance].concat();
        assert_eq!(Fingerprint::of_soft_binding_value(&value), Some(code([1])));
        assert_eq!(Fingerprint::of_soft_binding_value(&[text, instance].concat()), None);
    }

    #[test]
    fn refuses_what_is_no_sequence_of_units() {
        let value = code([1]).soft_binding_value();
        assert_eq!(Fingerprint::of_soft_binding_value(&[]), None);
        assert_eq!(Fingerprint::of_soft_binding_value(&value[..33]), None);
        assert_eq!(Fingerprint::of_soft_binding_value(&[&value[..], &[0]].concat()), None);
        for header in [[0x51, 0x07], [0x61, 0x00], [0x29, 0x07], [0x21, 0x87], [0x21, 0x08]] {
            assert_eq!(
                Fingerprint::of_soft_binding_value(&[&value[..], &header, &[0; 36]].concat()),
                None,
                "{header:02x?}"
            );
        }
    }

    #[test]
    fn json_is_hexadecimal_and_debug_hides() {
        let code = code([0, 255]);
        let json = serde_json::json!(code);
        assert_eq!(json, serde_json::json!(format!("80{}01", "0".repeat(60))));
        assert_eq!(serde_json::from_value::<Fingerprint>(json).unwrap(), code);
        assert!(serde_json::from_value::<Fingerprint>("00".into()).is_err());
        assert_eq!(format!("{code:?}"), "Fingerprint(redacted)");
    }
}
