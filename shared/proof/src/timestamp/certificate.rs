//! The certificate profile of a timestamp authority.

use const_oid::ObjectIdentifier;
use x509_cert::{
    Certificate,
    ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages},
};

use crate::certificate::extension;

/// `id-kp-timeStamping`.
pub(super) const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");

/// Checks the profile (RFC 3161, 2.3): the extended key usage is critical and consists of timeStamping only. The key
/// usage, if present, must allow signatures. The certificate must not be a certification authority's.
pub(super) fn check(leaf: &Certificate) -> Result<(), String> {
    let subject = &leaf.tbs_certificate.subject;
    match extension::<ExtendedKeyUsage>(leaf)? {
        Some((true, ExtendedKeyUsage(usages))) if usages == [TIME_STAMPING] => {}
        _ => return Err(format!("the extended key usage of {subject} is not critical and timeStamping alone")),
    }
    let signs = |usage: KeyUsage| usage.digital_signature() || usage.0.contains(KeyUsages::NonRepudiation);
    if !extension::<KeyUsage>(leaf)?.is_none_or(|(_, usage)| signs(usage)) {
        return Err(format!("the key usage of {subject} does not allow this"));
    }
    match extension::<BasicConstraints>(leaf)?.is_some_and(|(_, constraints)| constraints.ca) {
        true => Err(format!("{subject} is an authority, not a signer")),
        false => Ok(()),
    }
}
