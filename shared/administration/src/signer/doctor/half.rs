//! One half of a profile: its key in KMS, its certificates, and whether they belong together.

use aws::SignatureAlgorithm;
use proof::{Expiry, Purpose, SigningChain};

use super::{Finding, SignerAdministration};

/// Days before a certificate's end from which it is to be renewed, and from which that is urgent.
const RENEW_DAYS: i64 = 30;
const URGENT_DAYS: i64 = 7;

/// A half, and what is expected of it.
pub(super) struct HalfUnderTest<'a> {
    pub(super) name: &'static str,
    pub(super) purpose: Purpose,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) key_specs: &'static [&'static str],
    pub(super) key_arn: &'a str,
    pub(super) chain_pem: &'a str,
    /// How its certificate is renewed.
    pub(super) renewal: &'static str,
}

impl SignerAdministration {
    pub(super) async fn examine_half(&self, half: &HalfUnderTest<'_>) -> Vec<Finding> {
        let key = self.examine_key(half).await;
        let chain = match SigningChain::parse(half.purpose, half.chain_pem) {
            Ok(chain) => chain,
            Err(fault) => return vec![key, Finding::broken(half.check("certificates"), fault, half.renewal)],
        };
        let mut findings = vec![key];
        let checks = chain.checks(self.clock.now());
        findings.extend(checks.into_iter().map(|check| match check.fault {
            None => Finding::ok(half.check(check.name), "as it should be"),
            Some(fault) => Finding::broken(half.check(check.name), fault, half.renewal),
        }));
        if half.purpose == Purpose::Claim {
            findings.extend(examine_level_1(half, &chain));
        }
        findings.extend(chain.expiries().iter().filter_map(|expiry| self.examine_end(half, expiry)));
        findings.push(self.examine_match(half, &chain).await);
        findings.push(self.examine_signature(half, &chain).await);
        findings
    }

    async fn examine_key(&self, half: &HalfUnderTest<'_>) -> Finding {
        let (check, arn) = (half.check("key"), half.key_arn);
        let key = match self.keys.describe(arn).await {
            Ok(Some(key)) => key,
            Ok(None) => return Finding::broken(check, format!("{arn} does not exist"), half.renewal),
            Err(error) => return Finding::broken(check, error.to_string(), "let the operator kms:DescribeKey"),
        };
        if !key.signs || !half.key_specs.contains(&key.spec.as_str()) {
            return Finding::broken(check, format!("{arn} is {}, which cannot sign this", key.spec), half.renewal);
        }
        match (key.is_enabled(), key.state.as_str()) {
            (true, _) => Finding::ok(check, format!("{arn}, {}", key.spec)),
            (_, "Disabled") => Finding::broken(check, format!("{arn} is disabled"), "enable it: kms enable-key"),
            (_, "PendingDeletion") => Finding::broken(
                check,
                format!("{arn} is about to be deleted"),
                "take it back: kms cancel-key-deletion, kms enable-key",
            ),
            (_, state) => Finding::broken(check, format!("{arn} cannot be used: it is {state}"), half.renewal),
        }
    }

    /// A certificate that ends soon. One that is over is found among the checks of the chain.
    fn examine_end(&self, half: &HalfUnderTest<'_>, expiry: &Expiry) -> Option<Finding> {
        let days = expiry.days_left(self.clock.now());
        let urgent = if days <= URGENT_DAYS { "urgent: " } else { "" };
        (0..=RENEW_DAYS).contains(&days).then(|| {
            let (subject, date) = (&expiry.subject, expiry.not_after.date());
            let detail = format!("{urgent}{days} days left of the certificate of {subject}, until {date}");
            Finding::warning(half.check("days left"), detail, half.renewal)
        })
    }

    async fn examine_match(&self, half: &HalfUnderTest<'_>, chain: &SigningChain) -> Finding {
        let check = half.check("certificate of the key");
        match (self.signing.public_key(half.key_arn).await, chain.public_key()) {
            (Ok(key), Ok(certified)) if key == certified => Finding::ok(check, chain.subject()),
            (Ok(_), Ok(_)) => {
                Finding::broken(check, format!("{} is certified for another key", chain.subject()), half.renewal)
            }
            (Err(error), _) => {
                Finding::broken(check, error.to_string(), "let the operator kms:GetPublicKey; see the key")
            }
            (_, Err(fault)) => Finding::broken(check, fault, half.renewal),
        }
    }

    async fn examine_signature(&self, half: &HalfUnderTest<'_>, chain: &SigningChain) -> Finding {
        let check = half.check("signature");
        match self.check_signature(half.key_arn, chain, half.algorithm).await {
            Ok(()) => Finding::ok(check, "one was made, and verifies"),
            Err(error) => {
                Finding::broken(check, error.to_string(), "let the operator kms:Sign; see the key and its certificate")
            }
        }
    }
}

/// Where a claim certificate deviates from C2PA's profile for assurance level 1. It signs all the same.
fn examine_level_1(half: &HalfUnderTest<'_>, chain: &SigningChain) -> Vec<Finding> {
    const FIX: &str = "ask the authority for a certificate of the C2PA assurance level 1 profile, and install it: signer \
                        install-claim-certificate";
    let check = half.check("level 1 profile");
    let deviations = chain.level_1_deviations();
    if deviations.is_empty() {
        return vec![Finding::ok(check, "as it should be")];
    }
    deviations.into_iter().map(|deviation| Finding::warning(check.clone(), deviation, FIX)).collect()
}

impl HalfUnderTest<'_> {
    fn check(&self, what: &str) -> String {
        format!("{} {what}", self.name)
    }
}
