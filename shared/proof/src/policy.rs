//! The ICP-Brasil signature policies under which a proof can be made.
//!
//! No public tool compares the hash in a signature with the policy's own hash, so this module does. That hash is the
//! policy's internal `signPolicyHash`, which differs from the digest of the published file.

use const_oid::ObjectIdentifier;
use lacre_domain::SignaturePolicy;
use time::{OffsetDateTime, macros::datetime};

/// A signature policy as a signature refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The policy's identifier.
    pub oid: ObjectIdentifier,
    /// The URL of the published policy.
    pub uri: String,
    /// The policy's `signPolicyHash`.
    pub hash: [u8; 32],
}

impl Policy {
    /// Parses the policy of a signer profile.
    ///
    /// # Errors
    /// A text that names the field that cannot be parsed.
    pub fn parse(policy: &lacre_domain::SignaturePolicy) -> Result<Self, String> {
        let mut hash = [0; 32];
        hex::decode_to_slice(&policy.hash_hex, &mut hash).map_err(|error| format!("hash: {error}"))?;
        let oid = ObjectIdentifier::new(&policy.oid).map_err(|error| format!("identifier: {error}"))?;
        if policy.uri.is_empty() || !policy.uri.is_ascii() {
            return Err("its URI is not ASCII".into());
        }
        Ok(Self { oid, uri: policy.uri.clone(), hash })
    }
}

/// A published policy of ICP-Brasil.
pub struct Known {
    /// The policy's name and version.
    pub name: &'static str,
    oid: &'static str,
    uri: &'static str,
    hash: &'static str,
    /// Whether the policy requires a timestamp over the signature value.
    pub timestamp: bool,
    /// When signatures may no longer be made under the policy, if this is known.
    until: Option<OffsetDateTime>,
}

const KNOWN: [Known; 3] = [
    Known {
        name: "AD-RB v2.3",
        oid: "2.16.76.1.7.1.1.2.3",
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_3.der",
        hash: "b16e88bbf77322a67995b79078778ed3d0ea7c88587b6f6d518b715e8f76a3d5",
        timestamp: false,
        until: None,
    },
    Known {
        name: "AD-RB v2.4",
        oid: "2.16.76.1.7.1.1.2.4",
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_4.der",
        hash: "1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13",
        timestamp: false,
        until: Some(datetime!(2037-10-22 00:00 UTC)),
    },
    Known {
        name: "AD-RT v2.4",
        oid: "2.16.76.1.7.1.2.2.4",
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RT_v2_4.der",
        hash: "fa59dca6d9c0e808eb7397b2de800cce5b0e4da2c42e2e5ef2496a2ce6badcb7",
        timestamp: true,
        until: None,
    },
];

/// Finds the published policy that a signature refers to. Identifier, hash and URL must all match.
pub fn known(policy: &Policy) -> Result<&'static Known, String> {
    let oid = policy.oid.to_string();
    let known = KNOWN.iter().find(|known| known.oid == oid).ok_or_else(|| format!("unknown policy {oid}"))?;
    if hex::encode(policy.hash) != known.hash {
        return Err(format!("the hash does not match {}", known.name));
    }
    if policy.uri != known.uri {
        return Err(format!("the address does not match {}", known.name));
    }
    Ok(known)
}

/// The status of a profile's signature policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyStanding {
    /// The policy's published name.
    pub name: &'static str,
    /// When signatures may no longer be made under the policy, if this is known.
    pub until: Option<OffsetDateTime>,
}

impl PolicyStanding {
    /// Looks up the policy for signatures without a timestamp.
    ///
    /// # Errors
    /// A text with the reason: it is not a published policy, or it requires a timestamp.
    pub fn of(policy: &SignaturePolicy) -> Result<Self, String> {
        let known = known(&Policy::parse(policy)?)?;
        match known.timestamp {
            true => Err(format!("{} requires a timestamp over the signature", known.name)),
            false => Ok(known.standing()),
        }
    }

    /// Looks up the policy for signatures with a timestamp.
    ///
    /// # Errors
    /// A text with the reason: it is not a published policy, or it does not provide for a timestamp.
    pub fn of_timestamped(policy: &SignaturePolicy) -> Result<Self, String> {
        let known = known(&Policy::parse(policy)?)?;
        match known.timestamp {
            true => Ok(known.standing()),
            false => Err(format!("{} is a policy of signatures without a timestamp", known.name)),
        }
    }
}

impl Known {
    fn standing(&self) -> PolicyStanding {
        PolicyStanding { name: self.name, until: self.until }
    }
}

/// The published policy with a name such as `AD-RB v2.4`, whether it requires a timestamp or not.
#[must_use]
pub fn published_policy(name: &str) -> Option<SignaturePolicy> {
    let known = KNOWN.iter().find(|known| known.name == name)?;
    Some(SignaturePolicy { oid: known.oid.into(), uri: known.uri.into(), hash_hex: known.hash.into() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn finds_a_published_policy_by_name() {
        let policy = published_policy("AD-RB v2.4").unwrap();
        assert_eq!(policy, SignaturePolicy::ad_rb_v2_4());
        let standing = PolicyStanding { name: "AD-RB v2.4", until: Some(datetime!(2037-10-22 00:00 UTC)) };
        assert_eq!(PolicyStanding::of(&policy), Ok(standing));
        assert!(published_policy("AD-RB v9").is_none());
    }

    #[test]
    fn a_policy_stands_where_it_belongs() {
        let policy = published_policy("AD-RT v2.4").unwrap();
        assert_eq!(policy, SignaturePolicy::ad_rt_v2_4());
        assert_eq!(PolicyStanding::of_timestamped(&policy), Ok(PolicyStanding { name: "AD-RT v2.4", until: None }));
        assert!(PolicyStanding::of(&policy).unwrap_err().contains("requires a timestamp"));
        let without = SignaturePolicy::ad_rb_v2_4();
        assert!(PolicyStanding::of_timestamped(&without).unwrap_err().contains("without a timestamp"));
        let unknown = SignaturePolicy { oid: "2.16.76.1.7.1.1.2.9".into(), ..without };
        assert!(PolicyStanding::of(&unknown).unwrap_err().contains("unknown policy"));
    }
}
