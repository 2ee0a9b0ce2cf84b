//! The signers of an environment's proofs.

use serde::{Deserialize, Serialize};

use crate::Environment;

/// One versioned record: key ARNs, certificate chains and policy stand or fall together, so that a key and a certificate
/// can't go apart in a warm process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerProfile {
    /// The environment whose proofs it signs.
    pub environment: Environment,
    /// Counts up at every change.
    pub version: u32,
    /// The ICP-Brasil signature.
    pub seal: SealSigner,
    /// The C2PA claim signature.
    pub claim: ClaimSigner,
    /// The timestamp authorities; `None` without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamping>,
}

/// The timestamp authorities of an environment.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timestamping {
    /// Their URLs in order of preference: http or https, perhaps with a user and a password.
    pub authorities: Vec<String>,
    /// The roots that their certificates must lead to, in PEM.
    pub roots_pem: String,
    /// The signature policy of ICP-Brasil signatures that carry a timestamp.
    pub policy: SignaturePolicy,
}

/// Without the addresses, which may carry passwords.
impl std::fmt::Debug for Timestamping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.authorities.len();
        f.debug_struct("Timestamping")
            .field("authorities", &count)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// The RSA key behind the ICP-Brasil signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealSigner {
    /// The KMS key, by ARN, never by alias.
    pub key_arn: String,
    /// The certificates in PEM, leaf first, root included.
    pub chain_pem: String,
    /// The signature policy.
    pub policy: SignaturePolicy,
    /// Whether the chain is ICP-Brasil's, and not a development hierarchy in its shape.
    pub icp_brasil: bool,
}

/// The P-256 key behind the C2PA claim signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimSigner {
    /// The KMS key, by ARN, never by alias.
    pub key_arn: String,
    /// The certificates in PEM, leaf first, without the root.
    pub chain_pem: String,
}

/// The draft of an environment's next profile: what operators installed since the last one came into force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerDraft {
    /// The ICP-Brasil signature.
    pub seal: Option<SealSigner>,
    /// The C2PA claim signature.
    pub claim: Option<ClaimSigner>,
    /// The timestamp authorities of both signatures, of a first profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamping>,
}

/// The whole profile as a draft.
impl From<SignerProfile> for SignerDraft {
    fn from(SignerProfile { seal, claim, timestamps, .. }: SignerProfile) -> Self {
        Self { seal: Some(seal), claim: Some(claim), timestamps }
    }
}

impl SignerDraft {
    /// Whether nothing was installed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The profile that comes into force with this draft: what it lacks stays as it is. `None` while a signer is in neither.
    #[must_use]
    pub fn over(&self, environment: Environment, in_force: Option<&SignerProfile>) -> Option<SignerProfile> {
        let version = in_force.map_or(0, |profile| profile.version) + 1;
        let (draft, rest) = (self.clone(), in_force.cloned().map(Self::from).unwrap_or_default());
        let (seal, claim) = (draft.seal.or(rest.seal)?, draft.claim.or(rest.claim)?);
        let timestamps = draft.timestamps.or(rest.timestamps);
        Some(SignerProfile { environment, version, seal, claim, timestamps })
    }
}

/// An ICP-Brasil signature policy, as the signature names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignaturePolicy {
    /// Its object identifier in dotted form.
    pub oid: String,
    /// The URL of its publication.
    pub uri: String,
    /// Its internal `signPolicyHash` (SHA-256, hexadecimal), which is not the digest of the published file.
    pub hash_hex: String,
}

impl SignaturePolicy {
    /// AD-RB version 2.4, in force from 2025-06-12 to 2037-10-22.
    #[must_use]
    pub fn ad_rb_v2_4() -> Self {
        Self {
            oid: "2.16.76.1.7.1.1.2.4".into(),
            uri: "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_4.der".into(),
            hash_hex: "1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13".into(),
        }
    }

    /// AD-RT version 2.4: the same with a timestamp over the signature value.
    #[must_use]
    pub fn ad_rt_v2_4() -> Self {
        Self {
            oid: "2.16.76.1.7.1.2.2.4".into(),
            uri: "http://politicas.icpbrasil.gov.br/PA_AD_RT_v2_4.der".into(),
            hash_hex: "fa59dca6d9c0e808eb7397b2de800cce5b0e4da2c42e2e5ef2496a2ce6badcb7".into(),
        }
    }
}

/// Why a key outside of this process (in KMS) gave no signature. The texts are for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The signer refused: nothing was signed.
    #[error("{0}")]
    Rejected(String),
    /// The signer did not answer: it may have signed.
    #[error("{0}")]
    Unavailable(String),
    /// The response cannot be read: the key may have signed.
    #[error("{0}")]
    Unreadable(String),
}
