//! Examines timestamp authorities with a real request to each, over random bytes.

use lacre_domain::Timestamping;
use lacre_proof::PolicyStanding;

use super::{super::authority, Finding, SignerAdministration};

const FIX: &str = "check its URL, the network and the agreement with it";

/// Timestamp authorities to be tried before they are put in force.
pub struct Trial {
    /// The authorities' URLs.
    pub authorities: Vec<String>,
    /// The trust anchors of their certificates, in PEM.
    pub roots_pem: String,
}

impl SignerAdministration {
    /// Examines the authorities of a profile. Signing works as long as one of them responds.
    pub(super) async fn examine_timestamps(&self, timestamps: Option<&Timestamping>) -> Vec<Finding> {
        let Some(Timestamping { authorities, roots_pem, policy }) = timestamps else {
            return vec![Finding::warning(
                "timestamps",
                "no authority is named: licenses with tsa_required are refused",
                "name one: signer timestamps --tsa-url --roots",
            )];
        };
        let fix = "name the authorities again with a policy that is in force: signer timestamps --policy";
        let mut findings = vec![self.examine_policy("timestamp policy", PolicyStanding::of_timestamped(policy), fix)];
        let asked = self.ask_each(authorities, roots_pem).await;
        let one_answers = asked.iter().any(|(_, asked)| asked.is_ok());
        findings.extend(asked.into_iter().map(|(check, asked)| match asked {
            Ok(()) => Finding::ok(check, "returned a timestamp"),
            Err(fault) if one_answers => Finding::warning(check, fault, FIX),
            Err(fault) => Finding::broken(check, fault, FIX),
        }));
        findings
    }

    /// Examines authorities that are not in force.
    pub(super) async fn examine_trial(&self, trial: &Trial) -> Vec<Finding> {
        let asked = self.ask_each(&trial.authorities, &trial.roots_pem).await;
        let finding = |(check, asked): (String, Result<(), String>)| match asked {
            Ok(()) => Finding::ok(check, "returned a timestamp; this was a trial"),
            Err(fault) => Finding::broken(check, fault, FIX),
        };
        asked.into_iter().map(finding).collect()
    }

    async fn ask_each(&self, urls: &[String], roots_pem: &str) -> Vec<(String, Result<(), String>)> {
        let mut asked = Vec::with_capacity(urls.len());
        for url in urls {
            let check = format!("timestamp authority {}", lacre_tsa::place(url));
            asked.push((check, authority::ask(url, roots_pem, &self.clock).await));
        }
        asked
    }
}
