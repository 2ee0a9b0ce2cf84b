//! Signed attributes of CMS messages (RFC 5652, 5.3).

use const_oid::ObjectIdentifier;
use der::{Decode, Encode};
use x509_cert::attr::Attributes;

/// The value of an attribute, which must occur once with a single value.
pub fn single<T: for<'a> Decode<'a>>(attributes: &Attributes, oid: ObjectIdentifier) -> Result<T, String> {
    let mut found = attributes.iter().filter(|attribute| attribute.oid == oid);
    let (Some(attribute), None) = (found.next(), found.next()) else {
        return Err(format!("the attribute {oid} must occur exactly once"));
    };
    let [value] = attribute.values.as_slice() else {
        return Err(format!("the attribute {oid} must have exactly one value"));
    };
    let value = value.to_der().and_then(|value| T::from_der(&value));
    value.map_err(|error| format!("the attribute {oid}: {error}"))
}
