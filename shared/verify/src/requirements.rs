//! The caller's requirements of a proof, in addition to the standard checks: environment, signers, kit and log.

use lacre_domain::{AskedFor, Environment, Kit};
use lacre_proof::{Cnpj, certificate::common_name};
use x509_cert::Certificate;

use super::{
    kit,
    log::LogEvidence,
    report::{Holder, KitStep},
};

/// The caller's requirements of a proof. The default requires a production proof by any signer under a trusted root.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirements {
    /// The environment whose keys must have signed.
    pub environment: Environment,
    /// The CNPJ that the seal's certificate must contain; used by the check `seal holder`.
    pub seal_holder: Option<Cnpj>,
    /// The common name or whole subject (RFC 4514) that the claim's certificate must have; used by the check `claim
    /// subject`.
    pub claim_subject: Option<String>,
    /// The client's kit that the photo must have been asked for by; used by the check `kit`.
    pub kit: Option<Kit>,
    /// The transparency log that must contain the capture, with the proof of it.
    pub log: Option<LogEvidence>,
}

impl Default for Requirements {
    fn default() -> Self {
        Self::of(Environment::Production)
    }
}

impl Requirements {
    /// Requires a proof of the given environment, by any signer under a trusted root.
    #[must_use]
    pub const fn of(environment: Environment) -> Self {
        Self { environment, seal_holder: None, claim_subject: None, kit: None, log: None }
    }

    /// The result of the check of the seal's holder, if one is required.
    pub(super) fn check_seal_holder(&self, leaf: Option<&Certificate>) -> Option<Result<(), String>> {
        self.seal_holder.as_ref().map(|required| check_seal_holder(required, leaf))
    }

    /// The result of the check of the claim's subject, if one is required.
    pub(super) fn check_claim_subject(&self, leaf: Option<&Certificate>) -> Option<Result<(), String>> {
        self.claim_subject.as_ref().map(|required| check_claim_subject(required, leaf))
    }

    /// The result of the check of the kit, if one is required: the step that the photo was asked for as.
    pub(super) fn find_kit_step(&self, stated: Option<&AskedFor>) -> Option<Result<KitStep, String>> {
        self.kit.as_ref().map(|required| kit::step_of(required, stated))
    }
}

fn check_seal_holder(required: &Cnpj, leaf: Option<&Certificate>) -> Result<(), String> {
    let holder = Holder::of(leaf.ok_or("no certificate")?);
    match (holder.cnpj.as_deref(), holder.cnpj_punctuated()) {
        (Some(found), _) if found == required.as_str() => Ok(()),
        (_, Some(found)) => {
            Err(format!("the certificate of {} names the CNPJ {found}, and {required} is required", holder.name))
        }
        (_, None) => Err(format!("the certificate of {} has no CNPJ, but {required} is required", holder.name)),
    }
}

fn check_claim_subject(required: &str, leaf: Option<&Certificate>) -> Result<(), String> {
    let leaf = leaf.ok_or("no certificate")?;
    let subject = leaf.tbs_certificate.subject.to_string();
    // A common name could look like a whole subject, so each form is compared only with its own kind.
    let is_required = match required.contains('=') {
        true => subject == required,
        false => common_name(leaf).as_deref() == Some(required),
    };
    match is_required {
        true => Ok(()),
        false => Err(format!("the certificate belongs to {subject}, but {required} is required")),
    }
}
