//! ECDSA signatures in a unique form. A signature is a pair of numbers: encoded in DER in X.509 and by KMS, or as `r ‖
//! s` of fixed size in COSE.
//!
//! If `(r, s)` is a signature, `(r, n - s)` is one over the same message, and anyone can compute it. The service writes
//! the signature with the smaller `s`, and verification accepts no other, so that a proof exists in a single form.

use const_oid::ObjectIdentifier;
use der::{Decode, Encode, Sequence, asn1::UintRef};

/// The curve of claim signatures.
pub const P_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P_384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

const HALF: usize = 32;
/// The order of P-256.
const N: [u8; HALF] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
    0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
];
/// The order of P-384.
const N_384: [u8; 48] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0,
    0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
];

#[derive(Sequence)]
struct EcdsaSignature<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// Converts `r ‖ s` on P-256 to DER; `None` if it has another size, or is the signature with the larger `s`.
pub fn der_from_fixed(fixed: &[u8]) -> Option<Vec<u8>> {
    let fixed: &[u8; 2 * HALF] = fixed.try_into().ok()?;
    let (r, s) = fixed.split_at(HALF);
    if n_minus(&N, s)?[..] < *s {
        return None;
    }
    to_der(r, s)
}

/// The signature with the smaller `s`, in DER; `None` if the input is not a signature on that curve.
pub fn with_smaller_s(curve: ObjectIdentifier, der: &[u8]) -> Option<Vec<u8>> {
    match curve {
        P_256 => r_and_s(der, &N).and_then(|(r, s)| to_der(&r, &s)),
        P_384 => r_and_s(der, &N_384).and_then(|(r, s)| to_der(&r, &s)),
        _ => None,
    }
}

/// `r` and the smaller `s`, on the curve of order `n`.
fn r_and_s<const SIZE: usize>(der: &[u8], n: &[u8; SIZE]) -> Option<([u8; SIZE], [u8; SIZE])> {
    let signature = EcdsaSignature::from_der(der).ok()?;
    let (r, s) = (padded(signature.r)?, padded(signature.s)?);
    let other = n_minus(n, &s)?;
    Some((r, s.min(other)))
}

fn padded<const SIZE: usize>(number: UintRef<'_>) -> Option<[u8; SIZE]> {
    let number = number.as_bytes();
    let mut padded = [0; SIZE];
    padded.get_mut(SIZE.checked_sub(number.len())?..)?.copy_from_slice(number);
    Some(padded)
}

fn to_der(r: &[u8], s: &[u8]) -> Option<Vec<u8>> {
    EcdsaSignature { r: UintRef::new(r).ok()?, s: UintRef::new(s).ok()? }.to_der().ok()
}

/// `n - s`; `None` if `s` is larger than `n`.
fn n_minus<const SIZE: usize>(n: &[u8; SIZE], s: &[u8]) -> Option<[u8; SIZE]> {
    let mut difference = *n;
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
    fn a_fixed_signature_turns_into_der() {
        let mut small = [0; 64];
        (small[31], small[63]) = (1, 0x7F);
        assert_eq!(der_from_fixed(&small).unwrap(), [0x30, 6, 2, 1, 1, 2, 1, 0x7F]);
        let der = der_from_fixed(&[0x7F; 64]).unwrap();
        assert_eq!(with_smaller_s(P_256, &der), Some(der));
    }

    #[test]
    fn writes_and_reads_the_smaller_s() {
        use p256::ecdsa::{Signature, SigningKey, signature::Signer};
        let key = SigningKey::from_slice(&[7; HALF]).unwrap();
        for message in 0..32u8 {
            let signature: Signature = key.sign(&[message]);
            let (r, s) = signature.split_scalars();
            let other = Signature::from_scalars(r, -s).unwrap();
            let forms = [signature, other].map(|form| with_smaller_s(P_256, form.to_der().as_bytes()).unwrap());
            assert_eq!(forms[0], forms[1]);
            assert_eq!(signature.normalize_s().unwrap_or(signature).to_der().as_bytes(), forms[0]);

            let read = [signature, other].map(|form| der_from_fixed(&form.to_bytes()).is_some());
            assert_eq!(read.iter().filter(|read| **read).count(), 1, "one of the two");
        }
    }

    #[test]
    fn each_curve_has_its_order() {
        // For s = n - 1 the smaller value is 1.
        for (curve, n) in [(P_256, &N[..]), (P_384, &N_384[..])] {
            let mut s = n.to_vec();
            *s.last_mut().unwrap() -= 1;
            let [larger, smaller] = [&s[..], &[1]].map(|s| to_der(&[7], s).unwrap());
            assert_eq!(with_smaller_s(curve, &larger), Some(smaller.clone()));
            assert_eq!(with_smaller_s(curve, &smaller), Some(smaller));
        }
        assert_eq!(with_smaller_s(ObjectIdentifier::new_unwrap("1.3.132.0.35"), &to_der(&[7], &[1]).unwrap()), None);
    }

    #[test]
    fn other_sizes_are_none() {
        assert_eq!(der_from_fixed(&[1; 63]), None);
        assert_eq!(with_smaller_s(P_256, &[]), None);
        assert_eq!(der_from_fixed(&[0xFF; 64]), None, "s is not below the order");
        let too_long = [&[0x30, 0x26, 0x02, 0x21][..], &[1; 33], &[0x02, 1, 1]].concat();
        assert_eq!(with_smaller_s(P_256, &too_long), None);
    }
}
