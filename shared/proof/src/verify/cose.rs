//! The claim signature: a COSE_Sign1 (RFC 9052) over the claim, with ES256 and the signer's certificates (RFC 9360).

use ciborium::Value;

use super::claim::decode;
use crate::{
    certificate::{Chain, Scheme},
    ecdsa,
};

/// COSE_Sign1's CBOR tag.
const SIGN1: u64 = 18;
/// Header parameter `alg`.
const ALGORITHM: i128 = 1;
/// `alg` ES256.
const ES256: i128 = -7;
/// Header parameter `x5chain`.
const X5_CHAIN: i128 = 33;
/// Where C2PA fills the signature's box up to the size that was planned for it.
const PADDING: &str = "pad";

/// A claim signature in its parts.
pub(super) struct ClaimSignature {
    pub(super) chain: Chain,
    protected: Vec<u8>,
    /// In DER.
    signature: Vec<u8>,
}

impl ClaimSignature {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Value::Tag(SIGN1, message) = decode("claim signature", Some(bytes))? else {
            return Err("the claim signature is no COSE_Sign1".into());
        };
        let Value::Array(parts) = *message else { return Err("the claim signature has no parts".into()) };
        let [Value::Bytes(protected), Value::Map(unprotected), Value::Null, Value::Bytes(signature)] = parts.as_slice()
        else {
            return Err("the claim signature has other parts".into());
        };
        check_padding(unprotected)?;
        let Value::Map(headers) = decode("claim signature header", Some(protected))? else {
            return Err("the claim signature has no header".into());
        };
        let certificates = certificates(&headers)?;
        Ok(Self {
            chain: Chain::from_der(certificates)?,
            protected: protected.clone(),
            signature: ecdsa::der_from_fixed(signature).ok_or("the claim signature is no ES256 signature")?,
        })
    }

    /// Checks the signature over a claim.
    pub(super) fn check(&self, claim: &[u8]) -> Result<(), String> {
        let message = to_be_signed(&self.protected, claim);
        match Scheme::P256.verifies(self.chain.leaf_der(), &message, &self.signature) {
            true => Ok(()),
            false => Err("the claim signature is not of its certificate's key over this claim".into()),
        }
    }
}

/// Nothing but zeros may stand outside what is signed.
fn check_padding(unprotected: &[(Value, Value)]) -> Result<(), String> {
    match unprotected {
        [(Value::Text(name), Value::Bytes(zeros))] if name == PADDING && zeros.iter().all(|byte| *byte == 0) => Ok(()),
        _ => Err("the claim signature has other unsigned parts than padding".into()),
    }
}

/// The signed header: ES256 and a chain of certificates, nothing else.
fn certificates(headers: &[(Value, Value)]) -> Result<Vec<&[u8]>, String> {
    let [(algorithm, es256), (x5_chain, Value::Array(certificates))] = headers else {
        return Err("the claim signature's header has other parts".into());
    };
    let is = |value: &Value, number: i128| value.as_integer().is_some_and(|found| i128::from(found) == number);
    if !is(algorithm, ALGORITHM) || !is(es256, ES256) || !is(x5_chain, X5_CHAIN) {
        return Err("the claim signature is not ES256 with its certificates".into());
    }
    certificates
        .iter()
        .map(|certificate| certificate.as_bytes().map(Vec::as_slice).ok_or("a certificate is no byte string".into()))
        .collect()
}

/// RFC 9052, 4.4: `["Signature1", protected, external_aad, payload]`.
fn to_be_signed(protected: &[u8], claim: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x84, 0x6A];
    bytes.extend_from_slice(b"Signature1");
    byte_string(&mut bytes, protected);
    byte_string(&mut bytes, &[]);
    byte_string(&mut bytes, claim);
    bytes
}

fn byte_string(bytes: &mut Vec<u8>, content: &[u8]) {
    match u32::try_from(content.len()).unwrap_or(u32::MAX) {
        length @ 0..=23 => bytes.push(0x40 | length as u8),
        length @ 24..=0xFF => bytes.extend([0x58, length as u8]),
        length @ 0x100..=0xFFFF => {
            bytes.push(0x59);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(0x5A);
            bytes.extend(length.to_be_bytes());
        }
    }
    bytes.extend_from_slice(content);
}
