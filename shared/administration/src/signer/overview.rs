//! `signer show`: the signers of the environments, and when their certificates expire.

use lacre_domain::{ClaimSigner, Environment, SealSigner, SignaturePolicy, SignerDraft, Timestamping};
use lacre_proof::{Expiry, PolicyStanding, Purpose, SigningChain};
use lacre_storage::SignerState;
use serde::Serialize;
use time::OffsetDateTime;

use super::{SignerAdministration, install::no_version};
use crate::Error;

/// The signers of an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EnvironmentView {
    /// The environment.
    pub environment: Environment,
    /// The version in force, or the requested one; `None` if there is none.
    pub version: Option<u32>,
    /// The signers of that version.
    #[serde(flatten)]
    pub signers: SignersView,
    /// The profile that `signer activate` would put in force; `None` if the draft is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<SignersView>,
}

/// The parts of a profile or of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SignersView {
    /// The signer of the seal (the ICP-Brasil signature).
    pub seal: Option<SignerView>,
    /// The signer of the C2PA claim.
    pub claim: Option<SignerView>,
    /// The timestamp authorities; `None` if there are none.
    pub timestamps: Option<TimestampsView>,
}

/// The key and certificates of a signer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignerView {
    /// The ARN of the KMS key.
    pub key_arn: String,
    /// The certificates, leaf first; empty if they cannot be parsed.
    pub certificates: Vec<CertificateView>,
    /// The signature policy; only for the seal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Whether the chain is ICP-Brasil's; only for the seal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icp_brasil: Option<bool>,
}

/// The timestamp authorities of an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimestampsView {
    /// The authorities' URLs in order of preference, without user, password and query, which may be secrets.
    pub authorities: Vec<String>,
    /// The trust anchors of the authorities' certificates; empty if they cannot be parsed.
    pub roots: Vec<CertificateView>,
    /// The policy of seals that carry a timestamp.
    pub policy: String,
}

/// A certificate and its expiry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CertificateView {
    /// The certificate's subject (RFC 4514).
    pub subject: String,
    /// The last second of the certificate's validity.
    #[serde(with = "time::serde::rfc3339")]
    pub not_after: OffsetDateTime,
    /// Whole days until expiry; negative afterwards.
    pub days_left: i64,
}

impl SignerAdministration {
    /// The signers of one environment, or of all.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn overview(&self, environment: Option<Environment>) -> Result<Vec<EnvironmentView>, Error> {
        let mut views = Vec::new();
        for environment in Environment::ALL.into_iter().filter(|any| environment.is_none_or(|wanted| wanted == *any)) {
            views.push(self.view(environment, self.profiles.state(environment).await?));
        }
        Ok(views)
    }

    /// The signers of an environment in the version that an evidence record names.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Unavailable`].
    pub async fn overview_of_version(&self, environment: Environment, version: u32) -> Result<EnvironmentView, Error> {
        let profile = self.profiles.version(environment, version).await?;
        let profile = profile.ok_or_else(|| no_version(environment, version))?;
        let signers = self.view_signers(profile.into());
        Ok(EnvironmentView { environment, version: Some(version), signers, draft: None })
    }

    fn view(&self, environment: Environment, SignerState { profile, draft, .. }: SignerState) -> EnvironmentView {
        let version = profile.as_ref().map(|profile| profile.version);
        let draft = (!draft.is_empty()).then(|| self.view_signers(draft));
        let signers = profile.map_or_else(SignersView::default, |profile| self.view_signers(profile.into()));
        EnvironmentView { environment, version, signers, draft }
    }

    fn view_signers(&self, SignerDraft { seal, claim, timestamps }: SignerDraft) -> SignersView {
        SignersView {
            seal: seal.map(|seal| self.view_seal(seal)),
            claim: claim.map(|claim| self.view_claim(claim)),
            timestamps: timestamps.map(|timestamps| self.view_timestamps(&timestamps)),
        }
    }

    fn view_seal(&self, seal: SealSigner) -> SignerView {
        let policy = policy_name(&seal.policy, PolicyStanding::of);
        SignerView {
            certificates: self.certificates(Purpose::Seal, &seal.chain_pem),
            key_arn: seal.key_arn,
            policy: Some(policy),
            icp_brasil: Some(seal.icp_brasil),
        }
    }

    fn view_claim(&self, claim: ClaimSigner) -> SignerView {
        let certificates = self.certificates(Purpose::Claim, &claim.chain_pem);
        SignerView { key_arn: claim.key_arn, certificates, policy: None, icp_brasil: None }
    }

    fn view_timestamps(&self, timestamps: &Timestamping) -> TimestampsView {
        TimestampsView {
            authorities: timestamps.authorities.iter().map(|url| lacre_tsa::place(url)).collect(),
            roots: self.views(Expiry::of_pem(&timestamps.roots_pem).unwrap_or_default()),
            policy: policy_name(&timestamps.policy, PolicyStanding::of_timestamped),
        }
    }

    fn certificates(&self, purpose: Purpose, chain_pem: &str) -> Vec<CertificateView> {
        let chain = SigningChain::parse(purpose, chain_pem);
        self.views(chain.map_or_else(|_| Vec::new(), |chain| chain.expiries()))
    }

    fn views(&self, expiries: Vec<Expiry>) -> Vec<CertificateView> {
        let now = self.clock.now();
        let view = |expiry: Expiry| CertificateView {
            days_left: expiry.days_left(now),
            subject: expiry.subject,
            not_after: expiry.not_after,
        };
        expiries.into_iter().map(view).collect()
    }
}

/// The published name of a policy, or its OID if it has none.
fn policy_name(policy: &SignaturePolicy, stands: fn(&SignaturePolicy) -> Result<PolicyStanding, String>) -> String {
    stands(policy).map_or_else(|_| policy.oid.clone(), |standing| standing.name.to_owned())
}
