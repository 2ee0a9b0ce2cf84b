//! The claim signature: a COSE_Sign1 (RFC 9052) over the claim, which it does not repeat, with ES256 and the signer's
//! certificates (RFC 9360), and with a timestamp over it where there is one (C2PA 2.2, `sigTst2`).

use ciborium::Value;

/// COSE_Sign1's CBOR tag.
pub(crate) const SIGN1: u64 = 18;
/// Header parameter `alg`.
pub(crate) const ALGORITHM: i64 = 1;
/// `alg` ES256.
pub(crate) const ES256: i64 = -7;
/// Header parameter `x5chain`.
pub(crate) const X5_CHAIN: i64 = 33;

/// What stands in the unsigned header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsigned<'a> {
    /// Nothing: no timestamp was asked for.
    Empty,
    /// The room for a token, always of the same size: with the token in it, or without one.
    Room(Option<&'a [u8]>),
}

/// The zeros that fill the room where there is no token, in bytes: with one, they are fewer.
const PADDING: usize = 12 * 1024;
/// What stands around a token: `"sigTst2": {"tstTokens": [{"val": token}]}`, where the token's length takes two bytes.
const AROUND_TOKEN: usize = 8 + 1 + 10 + 1 + 1 + 4 + 3;
impl Unsigned<'_> {
    /// The header. A [`Token`](crate::Token) has no fewer bytes than take a length of two, and no more than leave as many
    /// zeros: so its size is always the same.
    pub(crate) fn header(self) -> Vec<(Value, Value)> {
        let entry = |name: &str, value: Value| (Value::Text(name.into()), value);
        let padding = |length: usize| entry("pad", Value::Bytes(vec![0; length]));
        match self {
            Self::Empty => Vec::new(),
            Self::Room(None) => vec![padding(PADDING)],
            Self::Room(Some(token)) => {
                let val = Value::Map(vec![entry("val", Value::Bytes(token.to_vec()))]);
                let tokens = Value::Map(vec![entry("tstTokens", Value::Array(vec![val]))]);
                vec![padding(PADDING.saturating_sub(AROUND_TOKEN + token.len())), entry("sigTst2", tokens)]
            }
        }
    }
}

/// The signed header: ES256 and the certificates, leaf first. A single certificate goes without an array.
pub(crate) fn protected_header(chain: &[Vec<u8>]) -> Vec<u8> {
    let certificates = match chain {
        [leaf] => Value::Bytes(leaf.clone()),
        chain => Value::Array(chain.iter().cloned().map(Value::Bytes).collect()),
    };
    write(&Value::Map(vec![(ALGORITHM.into(), ES256.into()), (X5_CHAIN.into(), certificates)]))
}

/// RFC 9052, 4.4: what is signed, `["Signature1", protected, external_aad, payload]`.
pub(crate) fn to_be_signed(protected: &[u8], claim: &[u8]) -> Vec<u8> {
    let [protected, nothing, claim] = [protected, &[], claim].map(|bytes| Value::Bytes(bytes.to_vec()));
    write(&Value::Array(vec![Value::Text("Signature1".into()), protected, nothing, claim]))
}

/// C2PA 2.2, 10.3.2.5: what a timestamp is over, the structure of a countersignature whose payload is the signature as a CBOR
/// byte string.
pub(crate) fn to_be_countersigned(protected: &[u8], signature: &[u8; 64]) -> Vec<u8> {
    let payload = write(&Value::Bytes(signature.to_vec()));
    let [protected, nothing, payload] = [protected, &[], &payload].map(|bytes| Value::Bytes(bytes.to_vec()));
    write(&Value::Array(vec![Value::Text("CounterSignature".into()), protected, nothing, payload]))
}

/// The whole message. The payload is elsewhere.
pub(crate) fn sign1(protected: &[u8], unsigned: Unsigned<'_>, signature: &[u8; 64]) -> Vec<u8> {
    let [protected, signature] = [protected, signature].map(|bytes| Value::Bytes(bytes.to_vec()));
    let parts = vec![protected, Value::Map(unsigned.header()), Value::Null, signature];
    write(&Value::Tag(SIGN1, Box::new(Value::Array(parts))))
}

fn write(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing such values into memory has no way to fail.
    ciborium::into_writer(value, &mut bytes).unwrap_or_default();
    bytes
}
