//! The claim signature: a COSE_Sign1 (RFC 9052) with ES256 over the detached claim, with the signer's certificates (RFC
//! 9360), possibly with a timestamp over it (C2PA 2.4, `sigTst2`) and with an OCSP response about the signer's certificate
//! (`rVals`).

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
    /// The OCSP response about the signer's certificate, in DER.
    pub(super) staple: Option<Vec<u8>>,
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
        let Unsigned { token, staple, has_room } = Unsigned::read(unprotected)?;
        Ok(Self {
            chain: Chain::from_der(certificates(&headers)?)?,
            token,
            staple,
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

/// The parts of the unprotected header.
struct Unsigned {
    token: Option<Vec<u8>>,
    staple: Option<Vec<u8>>,
    has_room: bool,
}

impl Unsigned {
    /// Parses the unprotected header. It has a timestamp, an OCSP response and the rest of the space for a timestamp, in
    /// this order; each may be absent, but a timestamp always lies in its space. The claim covers the size of the whole, so
    /// the number of zeros at the end is fixed.
    fn read(headers: &[(Value, Value)]) -> Result<Self, String> {
        let (token, headers) = take("sigTst2", headers);
        let (staple, headers) = take("rVals", headers);
        let (pad, headers) = take("pad", headers);
        if !headers.is_empty() || token.is_some() && pad.is_none() {
            return Err(OTHER_PARTS.into());
        }
        let is_empty =
            |pad: &Value| pad.as_bytes().is_some_and(|pad| !pad.is_empty() && pad.iter().all(|byte| *byte == 0));
        if !pad.is_none_or(is_empty) {
            return Err(OTHER_PARTS.into());
        }
        Ok(Self {
            token: token.map(|value| self::token(value).ok_or(OTHER_PARTS)).transpose()?,
            staple: staple.map(|value| self::staple(value).ok_or(OTHER_RESPONSES)).transpose()?,
            has_room: pad.is_some(),
        })
    }
}

const OTHER_PARTS: &str =
    "the unsigned header of the claim signature has other parts than a timestamp with its room, and an OCSP response";
const OTHER_RESPONSES: &str = "the rVals of the claim signature are not exactly one OCSP response";

/// Takes the first header parameter, if it has the given name.
fn take<'a>(name: &str, headers: &'a [(Value, Value)]) -> (Option<&'a Value>, &'a [(Value, Value)]) {
    match headers {
        [(first, value), rest @ ..] if first.as_text() == Some(name) => (Some(value), rest),
        _ => (None, headers),
    }
}

/// The token in `{"tstTokens": [{"val": token}]}`.
fn token(tokens: &Value) -> Option<Vec<u8>> {
    let [token] = only("tstTokens", tokens)?.as_array()?.as_slice() else { return None };
    only("val", token)?.as_bytes().cloned()
}

/// The response in `{"ocspVals": [response]}`.
fn staple(values: &Value) -> Option<Vec<u8>> {
    let [response] = only("ocspVals", values)?.as_array()?.as_slice() else { return None };
    response.as_bytes().cloned()
}

/// The value in a map that has only this key.
fn only<'a>(key: &str, map: &'a Value) -> Option<&'a Value> {
    match map.as_map()?.as_slice() {
        [(only, value)] if only.as_text() == Some(key) => Some(value),
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::Map(entries.iter().map(|(name, value)| ((*name).into(), value.clone())).collect())
    }

    fn list(values: &[&[u8]]) -> Value {
        Value::Array(values.iter().map(|bytes| Value::Bytes(bytes.to_vec())).collect())
    }

    /// The token, the response and whether there is space, of an unprotected header with these parameters.
    fn read(entries: &[(&str, Value)]) -> Result<(bool, bool, bool), String> {
        let Value::Map(headers) = map(entries) else { unreachable!() };
        let Unsigned { token, staple, has_room } = Unsigned::read(&headers)?;
        Ok((token.is_some(), staple.is_some(), has_room))
    }

    #[test]
    fn reads_one_form_of_unprotected_headers() {
        let token = ("sigTst2", map(&[("tstTokens", Value::Array(vec![map(&[("val", Value::Bytes(vec![1]))])]))]));
        let staple = ("rVals", map(&[("ocspVals", list(&[b"response"]))]));
        let pad = ("pad", Value::Bytes(vec![0; 3]));
        let [token, staple, pad] = [&token, &staple, &pad];
        for (headers, expected) in [
            (&[][..], (false, false, false)),
            (&[pad], (false, false, true)),
            (&[staple], (false, true, false)),
            (&[staple, pad], (false, true, true)),
            (&[token, pad], (true, false, true)),
            (&[token, staple, pad], (true, true, true)),
        ] {
            let headers: Vec<_> = headers.iter().map(|header| (*header).clone()).collect();
            assert_eq!(read(&headers), Ok(expected), "{headers:?}");
        }
        for headers in [
            &[token][..],
            &[token, staple],
            &[pad, staple],
            &[staple, token, pad],
            &[staple, staple, pad],
            &[staple, pad, pad],
            &[&("crlVals", list(&[b"list"]))],
            &[&("pad", Value::Bytes(vec![]))],
            &[&("pad", Value::Bytes(vec![1]))],
        ] {
            let headers: Vec<_> = headers.iter().map(|header| (*header).clone()).collect();
            assert_eq!(read(&headers), Err(OTHER_PARTS.into()), "{headers:?}");
        }
        for values in [
            map(&[]),
            list(&[b"response"]),
            Value::Bytes(b"response".to_vec()),
            map(&[("ocspVals", list(&[]))]),
            map(&[("ocspVals", list(&[b"response", b"response"]))]),
            map(&[("ocspVals", Value::Bytes(b"response".to_vec()))]),
            map(&[("ocspVals", Value::Array(vec!["response".into()]))]),
            map(&[("crlVals", list(&[b"list"]))]),
            map(&[("ocspVals", list(&[b"response"])), ("crlVals", list(&[b"list"]))]),
        ] {
            assert_eq!(read(&[("rVals", values.clone())]), Err(OTHER_RESPONSES.into()), "{values:?}");
        }
    }
}
