//! The two forms of a P-256 signature: DER, as KMS answers and X.509 has it, and `r` beside `s`, as COSE has it.
//!
//! With `r, s` also `r, n - s` is a signature over the same message, and anyone can compute it. Of the two the service
//! writes the one with the smaller `s`, and the check accepts no other, so that a proof has one form only.

use der::{Decode, Encode, Sequence, asn1::UintRef};

const HALF: usize = 32;
/// The order of P-256.
const N: [u8; HALF] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
    0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
];

#[derive(Sequence)]
struct EcdsaSignature<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// From DER to `r` beside the smaller `s`; `None` when it is no signature of that size.
pub(crate) fn fixed_from_der(der: &[u8]) -> Option<[u8; 2 * HALF]> {
    let signature = EcdsaSignature::from_der(der).ok()?;
    let mut fixed = [0; 2 * HALF];
    for (number, half) in [signature.r, signature.s].into_iter().zip(fixed.chunks_mut(HALF)) {
        let number = number.as_bytes();
        half.get_mut(HALF.checked_sub(number.len())?..)?.copy_from_slice(number);
    }
    let (_, s) = fixed.split_at_mut(HALF);
    let other = n_minus(s)?;
    if other[..] < s[..] {
        s.copy_from_slice(&other);
    }
    Some(fixed)
}

/// From `r` beside the smaller `s` to DER; `None` when it has another size, or the larger `s`.
pub(crate) fn der_from_fixed(fixed: &[u8]) -> Option<Vec<u8>> {
    let fixed: &[u8; 2 * HALF] = fixed.try_into().ok()?;
    let (r, s) = fixed.split_at(HALF);
    if n_minus(s)?[..] < *s {
        return None;
    }
    EcdsaSignature { r: UintRef::new(r).ok()?, s: UintRef::new(s).ok()? }.to_der().ok()
}

/// `n - s`; `None` when `s` is larger than `n`.
fn n_minus(s: &[u8]) -> Option<[u8; HALF]> {
    let mut difference = N;
    let mut borrow = false;
    for (digit, subtrahend) in difference.iter_mut().zip(s).rev() {
        let (without, first) = digit.overflowing_sub(*subtrahend);
        let (result, second) = without.overflowing_sub(u8::from(borrow));
        (*digit, borrow) = (result, first || second);
    }
    (!borrow).then_some(difference)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn both_forms_turn_into_each_other() {
        let mut short_r = [0x7F; 64];
        short_r[..31].fill(0);
        let mut small = [0; 64];
        (small[31], small[63]) = (1, 0x7F);
        for fixed in [[0x7F; 64], [0x01; 64], short_r, small] {
            let der = der_from_fixed(&fixed).unwrap();
            assert_eq!(fixed_from_der(&der), Some(fixed));
        }
        assert_eq!(der_from_fixed(&small).unwrap(), [0x30, 6, 2, 1, 1, 2, 1, 0x7F]);
    }

    #[test]
    fn of_the_two_signatures_over_a_message_one_is_written_and_read() {
        use p256::ecdsa::{Signature, SigningKey, signature::Signer};
        let key = SigningKey::from_slice(&[7; HALF]).unwrap();
        for message in 0..32u8 {
            let signature: Signature = key.sign(&[message]);
            let (r, s) = signature.split_scalars();
            let other = Signature::from_scalars(r, -s).unwrap();
            let forms = [signature, other].map(|form| fixed_from_der(form.to_der().as_bytes()).unwrap());
            assert_eq!(forms[0], forms[1]);
            assert_eq!(signature.normalize_s().unwrap_or(signature).to_bytes()[..], forms[0]);

            let read = [signature, other].map(|form| der_from_fixed(&form.to_bytes()).is_some());
            assert_eq!(read.iter().filter(|read| **read).count(), 1, "one of the two");
        }
    }

    #[test]
    fn other_sizes_are_none() {
        assert_eq!(der_from_fixed(&[1; 63]), None);
        assert_eq!(fixed_from_der(&[]), None);
        assert_eq!(der_from_fixed(&[0xFF; 64]), None, "s is not below the order");
        let too_long = [&[0x30, 0x26, 0x02, 0x21][..], &[1; 33], &[0x02, 1, 1]].concat();
        assert_eq!(fixed_from_der(&too_long), None);
    }
}
