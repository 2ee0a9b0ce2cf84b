//! The claim signature: a COSE_Sign1 (RFC 9052) over the claim, which it does not repeat, with ES256 and the signer's
//! certificates (RFC 9360).

use ciborium::Value;

/// COSE_Sign1's CBOR tag.
pub(crate) const SIGN1: u64 = 18;
/// Header parameter `alg`.
pub(crate) const ALGORITHM: i64 = 1;
/// `alg` ES256.
pub(crate) const ES256: i64 = -7;
/// Header parameter `x5chain`.
pub(crate) const X5_CHAIN: i64 = 33;

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

/// The whole message. Nothing stands in its unsigned header, and the payload is elsewhere.
pub(crate) fn sign1(protected: &[u8], signature: &[u8; 64]) -> Vec<u8> {
    let [protected, signature] = [protected, signature].map(|bytes| Value::Bytes(bytes.to_vec()));
    let parts = vec![protected, Value::Map(Vec::new()), Value::Null, signature];
    write(&Value::Tag(SIGN1, Box::new(Value::Array(parts))))
}

fn write(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing such values into memory has no way to fail.
    ciborium::into_writer(value, &mut bytes).unwrap_or_default();
    bytes
}
