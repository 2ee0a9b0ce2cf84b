//! Examines whether the stack's function may use the keys of a profile: seal keys by their tag, claim keys by their
//! ARN.

use lacre_domain::SignerProfile;
use lacre_storage::SEAL_TAG;
use serde_json::Value;

use super::{Finding, SignerAdministration};

impl SignerAdministration {
    pub(super) async fn examine_seal_tag(&self, key_arn: &str) -> Finding {
        const CHECK: &str = "seal tag";
        let stack = self.connection.config().stack_name.read();
        if stack.is_empty() {
            return not_named(CHECK);
        }
        let tagged = match self.keys.stack_of(key_arn).await {
            Ok(Some(tagged)) if tagged == stack => return Finding::ok(CHECK, format!("{SEAL_TAG} is {stack}")),
            Ok(Some(another)) => format!("for the stack {another}"),
            Ok(None) => "for no stack".to_owned(),
            Err(error) => return Finding::broken(CHECK, error.to_string(), "let the operator kms:ListResourceTags"),
        };
        Finding::broken(
            CHECK,
            format!("{key_arn} is tagged {tagged}: {stack} may not sign with it"),
            format!("kms tag-resource --tags TagKey={SEAL_TAG},TagValue={stack}; it may take minutes to count"),
        )
    }

    /// Examines whether the seal key's policy allows the same roles to sign as the policy of the stack's claim key, if
    /// that key is known.
    pub(super) async fn examine_seal_key_policy(&self, profile: &SignerProfile) -> Option<Finding> {
        const CHECK: &str = "seal key policy";
        let (seal, config) = (&profile.seal.key_arn, self.connection.config());
        let claim = config.claim_keys.of(profile.environment)?;
        let document = |text: &str| serde_json::from_str::<Value>(text).ok();
        Some(match (self.keys.policy(seal).await, self.keys.policy(claim).await) {
            (Ok(ours), Ok(wanted)) if document(&ours) == document(&wanted) => {
                Finding::ok(CHECK, "that of the claim key")
            }
            (Ok(_), Ok(_)) => Finding::warning(
                CHECK,
                format!("{seal} has another key policy than {claim}: others may sign with it"),
                "kms put-key-policy, with what kms get-key-policy prints of the claim key",
            ),
            (Err(error), _) | (_, Err(error)) => {
                Finding::warning(CHECK, error.to_string(), "let the operator kms:GetKeyPolicy")
            }
        })
    }

    pub(super) fn examine_claim_key_of_stack(&self, profile: &SignerProfile) -> Finding {
        const CHECK: &str = "claim key of the stack";
        const FIX: &str =
            "bring a certificate for it: signer request-claim-certificate, signer install-claim-certificate";
        let in_force = &profile.claim.key_arn;
        match self.connection.config().claim_keys.of(profile.environment) {
            None => not_named(CHECK),
            Some(own) if own == in_force => Finding::ok(CHECK, "current"),
            Some(own) => {
                Finding::broken(CHECK, format!("the profile has {in_force}, and this stack allows {own} only"), FIX)
            }
        }
    }
}

fn not_named(check: &str) -> Finding {
    Finding::warning(
        check,
        "the stack was not named",
        "name it: scripts/stack-env STACK > lacre.env, --env-file lacre.env",
    )
}
