//! The claim signature, read back: everything that `cose` writes, and nothing else.

use ciborium::Value;

use super::decode;
use crate::{
    certificate::{Chain, Scheme},
    cose::{ALGORITHM, ES256, SIGN1, X5_CHAIN, to_be_signed},
    ecdsa,
};

/// A claim signature in its parts.
pub(super) struct ClaimSignature {
    pub(super) chain: Chain,
    protected: Vec<u8>,
    /// In DER.
    signature: Vec<u8>,
}

impl ClaimSignature {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Value::Tag(SIGN1, message) = decode("claim signature", bytes)? else {
            return Err("the claim signature is no COSE_Sign1".into());
        };
        let Value::Array(parts) = *message else { return Err("the claim signature has no parts".into()) };
        let [Value::Bytes(protected), Value::Map(unprotected), Value::Null, Value::Bytes(signature)] = parts.as_slice()
        else {
            return Err("the claim signature has other parts".into());
        };
        if !unprotected.is_empty() {
            return Err("the claim signature has unsigned parts".into());
        }
        let Value::Map(headers) = decode("claim signature header", protected)? else {
            return Err("the claim signature has no header".into());
        };
        Ok(Self {
            chain: Chain::from_der(certificates(&headers)?)?,
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

/// The signed header: ES256 and the certificates, nothing else.
fn certificates(headers: &[(Value, Value)]) -> Result<Vec<&[u8]>, String> {
    let [(algorithm, es256), (x5_chain, certificates)] = headers else {
        return Err("the claim signature's header has other parts".into());
    };
    if [algorithm, es256, x5_chain] != [&ALGORITHM.into(), &ES256.into(), &X5_CHAIN.into()] {
        return Err("the claim signature is not ES256 with its certificates".into());
    }
    match certificates {
        Value::Bytes(leaf) => Ok(vec![leaf]),
        Value::Array(chain) if chain.len() > 1 => chain.iter().map(bytes).collect(),
        _ => Err("the claim signature has no certificates".into()),
    }
}

fn bytes(value: &Value) -> Result<&[u8], String> {
    value.as_bytes().map(Vec::as_slice).ok_or("a certificate is no byte string".into())
}
