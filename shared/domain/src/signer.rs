//! The signer profile: the keys and certificates that sign an environment's proofs.

use serde::{Deserialize, Serialize};

use crate::Environment;

/// The signer profile of an environment: one versioned record of key ARNs, certificate chains and policies. They are
/// one record so that a long-running process never combines a key with the certificate of another version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerProfile {
    /// The environment whose proofs the profile signs.
    pub environment: Environment,
    /// The version, which every change increments.
    pub version: u32,
    /// The signer of the seal (the ICP-Brasil signature).
    pub seal: SealSigner,
    /// The signer of the C2PA claim.
    pub claim: ClaimSigner,
    /// The timestamp authorities; `None` if the environment has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamping>,
}

/// The timestamp authorities (RFC 3161) of an environment.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timestamping {
    /// The authorities' URLs in order of preference: http or https, possibly with user name and password.
    pub authorities: Vec<String>,
    /// The trust anchors of the authorities' certificates, in PEM.
    pub roots_pem: String,
    /// The signature policy of seals that carry a timestamp.
    pub policy: SignaturePolicy,
}

/// Shows the number of authorities only, because their URLs may contain passwords.
impl std::fmt::Debug for Timestamping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.authorities.len();
        f.debug_struct("Timestamping")
            .field("authorities", &count)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// The RSA key and certificates of the seal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealSigner {
    /// The ARN of the KMS key. An alias is never used, because it could be moved to another key.
    pub key_arn: String,
    /// The certificate chain in PEM, leaf first, root included.
    pub chain_pem: String,
    /// The signature policy that the seal names.
    pub policy: SignaturePolicy,
    /// Whether the chain is ICP-Brasil's; `false` for a development hierarchy of the same structure.
    pub icp_brasil: bool,
}

/// The P-256 key and certificates of the C2PA claim signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimSigner {
    /// The ARN of the KMS key. An alias is never used, because it could be moved to another key.
    pub key_arn: String,
    /// The certificate chain in PEM, leaf first, without the root.
    pub chain_pem: String,
}

/// The draft of an environment's next signer profile: what operators installed since the current profile came into
/// force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerDraft {
    /// The new signer of the seal; `None` if it stays as it is.
    pub seal: Option<SealSigner>,
    /// The new signer of the C2PA claim; `None` if it stays as it is.
    pub claim: Option<ClaimSigner>,
    /// The timestamp authorities, which only the draft of a first profile contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamping>,
}

/// A draft that contains everything of a profile.
impl From<SignerProfile> for SignerDraft {
    fn from(SignerProfile { seal, claim, timestamps, .. }: SignerProfile) -> Self {
        Self { seal: Some(seal), claim: Some(claim), timestamps }
    }
}

impl SignerDraft {
    /// Whether operators installed nothing in this draft.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The profile that would come into force with this draft, which takes what it lacks from the current profile.
    /// `None` if either signer is missing in both.
    #[must_use]
    pub fn over(&self, environment: Environment, in_force: Option<&SignerProfile>) -> Option<SignerProfile> {
        let version = in_force.map_or(0, |profile| profile.version) + 1;
        let (draft, rest) = (self.clone(), in_force.cloned().map(Self::from).unwrap_or_default());
        let (seal, claim) = (draft.seal.or(rest.seal)?, draft.claim.or(rest.claim)?);
        let timestamps = draft.timestamps.or(rest.timestamps);
        Some(SignerProfile { environment, version, seal, claim, timestamps })
    }
}

/// A signature policy of ICP-Brasil, as a signature refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignaturePolicy {
    /// The policy's object identifier in dotted form.
    pub oid: String,
    /// The URL at which the policy is published.
    pub uri: String,
    /// The policy's internal `signPolicyHash` (SHA-256, hexadecimal), which differs from the digest of the published
    /// file.
    pub hash_hex: String,
}

impl SignaturePolicy {
    /// The policy AD-RB version 2.4 (reference basic), in force from 2025-06-12 to 2037-10-22.
    #[must_use]
    pub fn ad_rb_v2_4() -> Self {
        Self {
            oid: "2.16.76.1.7.1.1.2.4".into(),
            uri: "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_4.der".into(),
            hash_hex: "1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13".into(),
        }
    }

    /// The policy AD-RT version 2.4 (with time reference): AD-RB plus a timestamp over the signature value.
    #[must_use]
    pub fn ad_rt_v2_4() -> Self {
        Self {
            oid: "2.16.76.1.7.1.2.2.4".into(),
            uri: "http://politicas.icpbrasil.gov.br/PA_AD_RT_v2_4.der".into(),
            hash_hex: "fa59dca6d9c0e808eb7397b2de800cce5b0e4da2c42e2e5ef2496a2ce6badcb7".into(),
        }
    }
}

/// Why a remote signing key (in KMS) returned no signature. The texts are for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The signer rejected the request, so nothing was signed.
    #[error("{0}")]
    Rejected(String),
    /// The signer did not respond; it may have signed.
    #[error("{0}")]
    Unavailable(String),
    /// The response could not be parsed; the key may have signed.
    #[error("{0}")]
    Unreadable(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_draft_is_empty() {
        assert!(SignerDraft::default().is_empty());
        let policy = SignaturePolicy::ad_rt_v2_4();
        let timestamps = Timestamping { authorities: Vec::new(), roots_pem: String::new(), policy };
        assert!(!SignerDraft { timestamps: Some(timestamps), ..SignerDraft::default() }.is_empty());
    }
}
