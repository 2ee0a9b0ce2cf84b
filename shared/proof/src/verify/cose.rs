//! The claim signature, read back: everything that `cose` writes, and nothing else.

use ciborium::Value;
use sha2::{Digest, Sha256};

use super::decode;
use crate::{
    certificate::{Chain, Scheme},
    cose::{ALGORITHM, ES256, SIGN1, Unsigned, X5_CHAIN, to_be_countersigned, to_be_signed},
    ecdsa,
};

/// A claim signature in its parts.
pub(super) struct ClaimSignature {
    pub(super) chain: Chain,
    /// The timestamp over the signature, in DER.
    pub(super) token: Option<Vec<u8>>,
    /// Whether there is room for one.
    pub(super) has_room: bool,
    protected: Vec<u8>,
    /// `r` beside `s`.
    fixed: [u8; 64],
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
        let Value::Map(headers) = decode("claim signature header", protected)? else {
            return Err("the claim signature has no header".into());
        };
        let (has_room, token) = room(unprotected)?;
        Ok(Self {
            chain: Chain::from_der(certificates(&headers)?)?,
            token,
            has_room,
            protected: protected.clone(),
            fixed: signature.as_slice().try_into().map_err(|_| NO_ES256)?,
            signature: ecdsa::der_from_fixed(signature).ok_or(NO_ES256)?,
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

    /// The SHA-256 of what a timestamp of it is over.
    pub(super) fn countersigned_sha256(&self) -> [u8; 32] {
        Sha256::digest(to_be_countersigned(&self.protected, &self.fixed)).into()
    }
}

const NO_ES256: &str = "the claim signature is no ES256 signature";

/// The unsigned header: nothing, or the room for a timestamp with or without one, exactly as it is written. Tells whether there
/// is room, and what is in it.
fn room(headers: &[(Value, Value)]) -> Result<(bool, Option<Vec<u8>>), String> {
    let token = headers.last().and_then(|(_, tokens)| {
        let [(_, tokens)] = tokens.as_map()?.as_slice() else { return None };
        let [token] = tokens.as_array()?.as_slice() else { return None };
        let [(_, val)] = token.as_map()?.as_slice() else { return None };
        val.as_bytes()
    });
    let forms = [Unsigned::Empty, Unsigned::Room(None), Unsigned::Room(token.map(Vec::as_slice))];
    match forms.into_iter().find(|form| form.header() == headers) {
        Some(Unsigned::Empty) => Ok((false, None)),
        Some(Unsigned::Room(token)) => Ok((true, token.map(<[u8]>::to_vec))),
        None => Err("the claim signature has other unsigned parts".into()),
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
