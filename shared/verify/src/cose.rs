//! The claim signature: a COSE_Sign1 (RFC 9052) with ES256 over the detached claim, with the signer's certificates (RFC
//! 9360) and possibly with a timestamp over it (C2PA 2.4, `sigTst2`).

use ciborium::Value;
use lacre_proof::{
    certificate::{Chain, Scheme},
    ecdsa,
    trust::MAX_CERTIFICATES,
};
use sha2::{Digest, Sha256};

use super::decode;

/// COSE_Sign1's CBOR tag.
const SIGN1: u64 = 18;
/// Header parameter `alg`.
const ALGORITHM: i64 = 1;
/// `alg` ES256.
const ES256: i64 = -7;
/// Header parameter `x5chain`.
const X5_CHAIN: i64 = 33;

/// The parts of a claim signature.
pub(super) struct ClaimSignature {
    pub(super) chain: Chain,
    /// The timestamp token over the signature, in DER.
    pub(super) token: Option<Vec<u8>>,
    /// Whether space for a timestamp is reserved.
    pub(super) has_room: bool,
    protected: Vec<u8>,
    /// The signature as `r ‖ s`.
    fixed: Vec<u8>,
    /// The signature in DER.
    signature: Vec<u8>,
}

impl ClaimSignature {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Value::Tag(SIGN1, message) = decode("claim signature", bytes)? else {
            return Err("the claim signature is not a COSE_Sign1".into());
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
            fixed: signature.clone(),
            signature: ecdsa::der_from_fixed(signature)
                .ok_or("the claim signature is not an ES256 signature with the smaller s")?,
        })
    }

    /// Verifies the signature over a claim.
    pub(super) fn check(&self, claim: &[u8]) -> Result<(), String> {
        let message = self.to_be_signed("Signature1", claim);
        match Scheme::P256.verifies(self.chain.leaf_der(), &message, &self.signature) {
            true => Ok(()),
            false => Err("the claim signature does not verify with its certificate's key over this claim".into()),
        }
    }

    /// The SHA-256 that a timestamp over this signature covers: that of the structure of a countersignature whose
    /// payload is the signature as a CBOR byte string (C2PA 2.4, 10.3.2.5).
    pub(super) fn countersigned_sha256(&self) -> [u8; 32] {
        let payload = write(&Value::Bytes(self.fixed.clone()));
        Sha256::digest(self.to_be_signed("CounterSignature", &payload)).into()
    }

    /// The signed structure (RFC 9052, 4.4): `[context, protected, external_aad, payload]`.
    fn to_be_signed(&self, context: &str, payload: &[u8]) -> Vec<u8> {
        let [protected, nothing, payload] =
            [&self.protected, &[][..], payload].map(|bytes| Value::Bytes(bytes.to_vec()));
        write(&Value::Array(vec![Value::Text(context.into()), protected, nothing, payload]))
    }
}

/// Parses the unprotected header, which is empty or has the space for a timestamp, used or not. Returns whether there
/// is space, and the token in it. The claim covers the size of the space, so the number of zeros after the token is
/// fixed.
fn room(headers: &[(Value, Value)]) -> Result<(bool, Option<Vec<u8>>), String> {
    let (tokens, pad) = match headers {
        [] => return Ok((false, None)),
        [pad] => (None, pad),
        [tokens, pad] => (Some(tokens), pad),
        _ => return Err(OTHER_PARTS.into()),
    };
    let is_pad = pad.0.as_text() == Some("pad")
        && pad.1.as_bytes().is_some_and(|pad| !pad.is_empty() && pad.iter().all(|byte| *byte == 0));
    if !is_pad {
        return Err(OTHER_PARTS.into());
    }
    let token = tokens.map(|(name, tokens)| token(name, tokens).ok_or(OTHER_PARTS)).transpose()?;
    Ok((true, token))
}

const OTHER_PARTS: &str = "the unsigned header of the claim signature has other parts than a timestamp and its room";

/// The token in `"sigTst2": {"tstTokens": [{"val": token}]}`.
fn token(name: &Value, tokens: &Value) -> Option<Vec<u8>> {
    let [(tst_tokens, list)] = tokens.as_map()?.as_slice() else { return None };
    let [token] = list.as_array()?.as_slice() else { return None };
    let [(val, token)] = token.as_map()?.as_slice() else { return None };
    let names = [name, tst_tokens, val].map(Value::as_text);
    let token = token.as_bytes().filter(|_| names == [Some("sigTst2"), Some("tstTokens"), Some("val")])?;
    Some(token.clone())
}

/// The certificates in the protected header, which contains only the algorithm ES256 and them. Their number is limited
/// before any of them is parsed.
fn certificates(headers: &[(Value, Value)]) -> Result<Vec<&[u8]>, String> {
    let [(algorithm, es256), (x5_chain, certificates)] = headers else {
        return Err("the claim signature's header has other parts".into());
    };
    if [algorithm, es256, x5_chain] != [&ALGORITHM.into(), &ES256.into(), &X5_CHAIN.into()] {
        return Err("the claim signature is not ES256 with its certificates".into());
    }
    match certificates {
        Value::Bytes(leaf) => Ok(vec![leaf]),
        Value::Array(chain) if chain.len() > MAX_CERTIFICATES => {
            Err(format!("the x5chain has {} certificates; the limit is {MAX_CERTIFICATES}", chain.len()))
        }
        Value::Array(chain) if chain.len() > 1 => chain.iter().map(bytes).collect(),
        _ => Err("the claim signature has no certificates".into()),
    }
}

fn bytes(value: &Value) -> Result<&[u8], String> {
    value.as_bytes().map(Vec::as_slice).ok_or("a certificate is not a byte string".into())
}

fn write(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing such values to memory cannot fail.
    ciborium::into_writer(value, &mut bytes).unwrap_or_default();
    bytes
}
