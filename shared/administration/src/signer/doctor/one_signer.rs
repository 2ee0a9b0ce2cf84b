//! Examines one signer of a profile: its KMS key, its certificates, and whether they match.

use lacre_proof::{Expiry, Purpose, SigningChain};
use lacre_storage::SignatureAlgorithm;

use super::{Finding, SignerAdministration};

/// The number of days before a certificate's expiry from which on it should be renewed, and from which on that is
/// urgent.
const RENEW_DAYS: i64 = 30;
const URGENT_DAYS: i64 = 7;

/// A signer, with what is expected of it.
pub(super) struct SignerUnderTest<'a> {
    pub(super) name: &'static str,
    pub(super) purpose: Purpose,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) key_specs: &'static [&'static str],
    pub(super) key_arn: &'a str,
    pub(super) chain_pem: &'a str,
    /// The command that renews the signer's certificate.
    pub(super) renewal: &'static str,
}

impl SignerAdministration {
    pub(super) async fn examine_signer(&self, signer: &SignerUnderTest<'_>) -> Vec<Finding> {
        let key = self.examine_key(signer).await;
        let chain = match SigningChain::parse(signer.purpose, signer.chain_pem) {
            Ok(chain) => chain,
            Err(fault) => return vec![key, Finding::broken(signer.check("certificates"), fault, signer.renewal)],
        };
        let mut findings = vec![key];
        let checks = chain.checks(self.clock.now());
        findings.extend(checks.into_iter().map(|check| match check.fault {
            None => Finding::ok(signer.check(check.name), "valid"),
            Some(fault) => Finding::broken(signer.check(check.name), fault, signer.renewal),
        }));
        if signer.purpose == Purpose::Claim {
            findings.extend(examine_level_1(signer, &chain));
        }
        findings.extend(chain.expiries().iter().filter_map(|expiry| self.examine_end(signer, expiry)));
        findings.push(self.examine_match(signer, &chain).await);
        findings.push(self.examine_signature(signer, &chain).await);
        findings
    }

    async fn examine_key(&self, signer: &SignerUnderTest<'_>) -> Finding {
        let (check, arn) = (signer.check("key"), signer.key_arn);
        let key = match self.keys.describe(arn).await {
            Ok(Some(key)) => key,
            Ok(None) => return Finding::broken(check, format!("{arn} does not exist"), signer.renewal),
            Err(error) => return Finding::broken(check, error.to_string(), "let the operator kms:DescribeKey"),
        };
        if !key.signs || !signer.key_specs.contains(&key.spec.as_str()) {
            return Finding::broken(check, format!("{arn} is {}, which cannot sign this", key.spec), signer.renewal);
        }
        match (key.is_enabled(), key.state.as_str()) {
            (true, _) => Finding::ok(check, format!("{arn}, {}", key.spec)),
            (_, "Disabled") => Finding::broken(check, format!("{arn} is disabled"), "enable it: kms enable-key"),
            (_, "PendingDeletion") => Finding::broken(
                check,
                format!("{arn} is about to be deleted"),
                "take it back: kms cancel-key-deletion, kms enable-key",
            ),
            (_, state) => Finding::broken(check, format!("{arn} cannot be used: it is {state}"), signer.renewal),
        }
    }

    /// Reports a certificate that expires soon. An expired one is reported by the checks of the chain.
    fn examine_end(&self, signer: &SignerUnderTest<'_>, expiry: &Expiry) -> Option<Finding> {
        let days = expiry.days_left(self.clock.now());
        let urgent = if days <= URGENT_DAYS { "urgent: " } else { "" };
        (0..=RENEW_DAYS).contains(&days).then(|| {
            let (subject, date) = (&expiry.subject, expiry.not_after.date());
            let detail = format!("{urgent}{days} days left of the certificate of {subject}, until {date}");
            Finding::warning(signer.check("days left"), detail, signer.renewal)
        })
    }

    async fn examine_match(&self, signer: &SignerUnderTest<'_>, chain: &SigningChain) -> Finding {
        let check = signer.check("certificate of the key");
        match (self.signing.public_key(signer.key_arn).await, chain.public_key()) {
            (Ok(key), Ok(certified)) if key == certified => Finding::ok(check, chain.subject()),
            (Ok(_), Ok(_)) => {
                Finding::broken(check, format!("{} is certified for another key", chain.subject()), signer.renewal)
            }
            (Err(error), _) => {
                Finding::broken(check, error.to_string(), "let the operator kms:GetPublicKey; see the key")
            }
            (_, Err(fault)) => Finding::broken(check, fault, signer.renewal),
        }
    }

    async fn examine_signature(&self, signer: &SignerUnderTest<'_>, chain: &SigningChain) -> Finding {
        let check = signer.check("signature");
        match self.check_signature(signer.key_arn, chain, signer.algorithm).await {
            Ok(()) => Finding::ok(check, "a test signature verifies"),
            Err(error) => {
                Finding::broken(check, error.to_string(), "let the operator kms:Sign; see the key and its certificate")
            }
        }
    }
}

/// Reports deviations of a claim certificate from C2PA's level 1 profile, which do not prevent signing.
fn examine_level_1(signer: &SignerUnderTest<'_>, chain: &SigningChain) -> Vec<Finding> {
    const FIX: &str = "ask the authority for a certificate of the C2PA assurance level 1 profile, and install it: signer \
                        install-claim-certificate";
    let check = signer.check("level 1 profile");
    let deviations = chain.level_1_deviations();
    if deviations.is_empty() {
        return vec![Finding::ok(check, "valid")];
    }
    deviations.into_iter().map(|deviation| Finding::warning(check.clone(), deviation, FIX)).collect()
}

impl SignerUnderTest<'_> {
    fn check(&self, what: &str) -> String {
        format!("{} {what}", self.name)
    }
}
