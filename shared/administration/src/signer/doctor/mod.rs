//! `signer doctor`: examines everything that signing needs, and says how to fix a fault. It changes nothing.

mod clock;
mod one_signer;
mod stack;
mod timestamps;

use lacre_domain::{Environment, SignerProfile};
use lacre_proof::{PolicyStanding, Purpose, SigningChain};
use lacre_storage::SignatureAlgorithm;
use serde::Serialize;

use self::one_signer::SignerUnderTest;
pub use self::timestamps::Trial;
use super::SignerAdministration;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No fault was found.
    Ok,
    /// Signing works, but not for long, not for every license, or not as it should.
    Warning,
    /// Signing fails, or must be stopped.
    Broken,
}

/// One finding of the examination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The environment that the finding concerns; `None` if it concerns all.
    pub environment: Option<Environment>,
    /// The name of the check.
    pub check: String,
    /// The result of the check.
    pub status: Status,
    /// The result in words.
    pub detail: String,
    /// How to fix the fault, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Finding {
    fn ok(check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { environment: None, check: check.into(), status: Status::Ok, detail: detail.into(), fix: None }
    }

    fn warning(check: impl Into<String>, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { status: Status::Warning, fix: Some(fix.into()), ..Self::ok(check, detail) }
    }

    fn broken(check: impl Into<String>, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { status: Status::Broken, fix: Some(fix.into()), ..Self::ok(check, detail) }
    }

    fn of(self, environment: Environment) -> Self {
        Self { environment: Some(environment), ..self }
    }
}

/// Whether signing works: no finding is [`Status::Broken`].
#[must_use]
pub fn is_healthy(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.status < Status::Broken)
}

impl SignerAdministration {
    /// Examines one environment or all, the local clock, and the given timestamp authorities.
    pub async fn examine(&self, environment: Option<Environment>, trial: Option<&Trial>) -> Vec<Finding> {
        let mut findings = vec![self.examine_clock().await];
        if let Some(trial) = trial {
            findings.extend(self.examine_trial(trial).await);
        }
        for each in Environment::ALL.into_iter().filter(|each| environment.is_none_or(|wanted| wanted == *each)) {
            let found = self.examine_environment(each, environment.is_some()).await;
            findings.extend(found.into_iter().map(|finding| finding.of(each)));
        }
        findings
    }

    /// Examines an environment. A missing profile is a fault only if the environment was requested.
    async fn examine_environment(&self, environment: Environment, is_wanted: bool) -> Vec<Finding> {
        const CHECK: &str = "profile";
        let state = match self.profiles.state(environment).await {
            Ok(state) => state,
            Err(error) => return vec![Finding::broken(CHECK, error.to_string(), "check the Accounts table")],
        };
        let draft = state.draft.over(environment, state.profile.as_ref()).filter(|_| !state.draft.is_empty());
        let waits = draft.map(|next| {
            let detail = format!("version {} is a draft", next.version);
            Finding::warning("draft", detail, "put it in force: signer activate; or signer discard")
        });
        if let Some(profile) = state.profile {
            let mut findings = vec![Finding::ok(CHECK, format!("version {} is in force", profile.version))];
            findings.extend(waits);
            findings.extend(self.examine_profile(&profile).await);
            return findings;
        }
        let missing = match (state.draft.seal.is_some(), state.draft.claim.is_some()) {
            (true, true) => "both into force: signer activate",
            (true, _) => "a claim certificate: signer install-claim-certificate",
            (_, true) => "a certificate for the seal: signer import-a1",
            _ if is_wanted => "both signers: signer import-a1, signer install-claim-certificate",
            _ => return vec![Finding::warning(CHECK, "not installed", "no action, if the environment is not used")],
        };
        vec![Finding::broken(CHECK, "not installed yet", format!("bring {missing}"))]
    }

    async fn examine_profile(&self, profile: &SignerProfile) -> Vec<Finding> {
        let seal = SignerUnderTest {
            name: "seal",
            purpose: Purpose::Seal,
            algorithm: SignatureAlgorithm::RsaPkcs1Sha256,
            key_specs: &["RSA_2048", "RSA_3072", "RSA_4096"],
            key_arn: &profile.seal.key_arn,
            chain_pem: &profile.seal.chain_pem,
            renewal: "bring another certificate: signer import-a1",
        };
        let claim = SignerUnderTest {
            name: "claim",
            purpose: Purpose::Claim,
            algorithm: SignatureAlgorithm::EcdsaSha256,
            key_specs: &["ECC_NIST_P256"],
            key_arn: &profile.claim.key_arn,
            chain_pem: &profile.claim.chain_pem,
            renewal: "bring another certificate: signer request-claim-certificate, signer install-claim-certificate",
        };
        let mut findings = self.examine_signer(&seal).await;
        findings.push(self.examine_seal_tag(&profile.seal.key_arn).await);
        findings.extend(self.examine_seal_key_policy(profile).await);
        let renewal = "import the certificate again with a policy that is in force: signer import-a1 --policy";
        findings.push(self.examine_policy("seal policy", PolicyStanding::of(&profile.seal.policy), renewal));
        findings.extend(examine_seal_root(profile));
        findings.extend(self.examine_signer(&claim).await);
        findings.push(self.examine_claim_key_of_stack(profile));
        findings.extend(self.examine_timestamps(profile.timestamps.as_ref()).await);
        findings
    }

    fn examine_policy(&self, check: &str, standing: Result<PolicyStanding, String>, fix: &str) -> Finding {
        match standing {
            Ok(PolicyStanding { name, until: Some(until) }) if self.clock.now() >= until => {
                Finding::broken(check, format!("{name} ended on {}", until.date()), fix)
            }
            Ok(PolicyStanding { name, until: Some(until) }) => {
                Finding::ok(check, format!("{name}, in force until {}", until.date()))
            }
            Ok(PolicyStanding { name, until: None }) => Finding::ok(check, name),
            Err(fault) => Finding::broken(check, fault, fix),
        }
    }
}

/// Reports a seal whose root does not suit the environment: ICP-Brasil's roots are for production only.
fn examine_seal_root(profile: &SignerProfile) -> Option<Finding> {
    const CHECK: &str = "seal root";
    if profile.environment == Environment::Production {
        return (!profile.seal.icp_brasil).then(|| {
            let detail = "production signs with a certificate that is not ICP-Brasil's";
            Finding::warning(CHECK, detail, "import one with signer import-a1 --icp-brasil-roots")
        });
    }
    let chain = SigningChain::parse(Purpose::Seal, &profile.seal.chain_pem).ok()?;
    let fault = chain.check_environment(profile.environment, profile.seal.icp_brasil).err()?;
    Some(Finding::broken(CHECK, fault, "import a test certificate in its place: signer import-a1"))
}
