//! The two forms of a P-256 signature: DER, as KMS answers and X.509 has it, and `r` beside `s`, as COSE has it.

use der::{Decode, Encode, Sequence, asn1::UintRef};

const HALF: usize = 32;

#[derive(Sequence)]
struct EcdsaSignature<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// From DER to `r` beside `s`; `None` when it is no signature of that size.
pub(crate) fn fixed_from_der(der: &[u8]) -> Option<[u8; 2 * HALF]> {
    let signature = EcdsaSignature::from_der(der).ok()?;
    let mut fixed = [0; 2 * HALF];
    for (number, half) in [signature.r, signature.s].into_iter().zip(fixed.chunks_mut(HALF)) {
        let number = number.as_bytes();
        half.get_mut(HALF.checked_sub(number.len())?..)?.copy_from_slice(number);
    }
    Some(fixed)
}

/// From `r` beside `s` to DER; `None` when it has another size.
pub(crate) fn der_from_fixed(fixed: &[u8]) -> Option<Vec<u8>> {
    let fixed: &[u8; 2 * HALF] = fixed.try_into().ok()?;
    let (r, s) = fixed.split_at(HALF);
    EcdsaSignature { r: UintRef::new(r).ok()?, s: UintRef::new(s).ok()? }.to_der().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn both_forms_turn_into_each_other() {
        let mut short_r = [0xFF; 64];
        short_r[..31].fill(0);
        let mut small = [0; 64];
        (small[31], small[63]) = (1, 0x7F);
        for fixed in [[0x80; 64], [0x01; 64], short_r, small] {
            let der = der_from_fixed(&fixed).unwrap();
            assert_eq!(fixed_from_der(&der), Some(fixed));
        }
        assert_eq!(der_from_fixed(&small).unwrap(), [0x30, 6, 2, 1, 1, 2, 1, 0x7F]);
    }

    #[test]
    fn other_sizes_are_none() {
        assert_eq!(der_from_fixed(&[1; 63]), None);
        assert_eq!(fixed_from_der(&[]), None);
        let too_long = [&[0x30, 0x26, 0x02, 0x21][..], &[1; 33], &[0x02, 1, 1]].concat();
        assert_eq!(fixed_from_der(&too_long), None);
    }
}
