//! The ICP-Brasil signature policies that a proof can be made under.
//!
//! No public tool compares the hash in a signature with the policy's own, so it is done here. The hash is the policy's
//! internal `signPolicyHash`, not the digest of the published file.

use crate::signers::Policy;

/// A published policy.
pub(super) struct Known {
    pub(super) name: &'static str,
    oid: &'static str,
    uri: &'static str,
    hash: &'static str,
    /// Whether it demands a timestamp over the signature value.
    pub(super) timestamp: bool,
}

const KNOWN: [Known; 3] = [
    Known {
        name: "AD-RB v2.3",
        oid: "2.16.76.1.7.1.1.2.3",
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_3.der",
        hash: "b16e88bbf77322a67995b79078778ed3d0ea7c88587b6f6d518b715e8f76a3d5",
        timestamp: false,
    },
    Known {
        name: "AD-RB v2.4",
        oid: "2.16.76.1.7.1.1.2.4",
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_4.der",
        hash: "1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13",
        timestamp: false,
    },
    Known {
        name: "AD-RT v2.4",
        oid: "2.16.76.1.7.1.2.2.4",
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RT_v2_4.der",
        hash: "fa59dca6d9c0e808eb7397b2de800cce5b0e4da2c42e2e5ef2496a2ce6badcb7",
        timestamp: true,
    },
];

/// Finds the published policy that a signature names; identifier, hash and address must all be its.
pub(super) fn known(policy: &Policy) -> Result<&'static Known, String> {
    let oid = policy.oid.to_string();
    let known = KNOWN.iter().find(|known| known.oid == oid).ok_or_else(|| format!("unknown policy {oid}"))?;
    if hex::encode(policy.hash) != known.hash {
        return Err(format!("the hash is not that of {}", known.name));
    }
    if policy.uri != known.uri {
        return Err(format!("the address is not that of {}", known.name));
    }
    Ok(known)
}
