//! Adds new signers to the draft, and puts drafts, earlier versions and timestamp authorities in force.

use lacre_domain::{
    AuditEntry, ClaimSigner, Environment, Operation, SealSigner, SignerDraft, SignerProfile, Timestamping,
};
use lacre_storage::SignerState;
use serde::Serialize;

use super::SignerAdministration;
use crate::Error;

/// A signer of a profile.
pub(super) enum Part {
    Seal(SealSigner),
    Claim(ClaimSigner),
}

/// The result of setting timestamp authorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "standing")]
pub enum Standing {
    /// The authorities are in force, in a new version of the profile.
    InForce {
        /// The new version.
        version: u32,
    },
    /// The authorities are part of the draft of a first profile.
    Draft,
}

impl SignerAdministration {
    /// Puts the draft in force, and returns the new version of the profile. A caller that probed the draft passes its
    /// `revision`, so that no other draft comes into force instead.
    ///
    /// # Errors
    /// [`Error::Refused`] if the draft is empty, a signer is missing, or the draft has another revision.
    pub async fn activate(&self, environment: Environment, revision: Option<u32>) -> Result<u32, Error> {
        let entry = self.auditor.entry(Operation::ActivateSigner).about(environment.name());
        let activated = async {
            let before = self.profiles.state(environment).await?;
            if revision.is_some_and(|probed| probed != before.draft_revision) {
                return Err(Error::changed_meanwhile("draft of the signer profile"));
            }
            let profile = next(environment, &before)?;
            let entry = entry.clone().with_detail(format!("version {}", profile.version));
            in_place(self.profiles.activate(&before, &profile, &entry).await?, profile.version)
        };
        let activated = activated.await;
        self.auditor.keep(&entry, activated).await
    }

    /// The version that a revert puts in force: the given one, or the one before the current.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no earlier version.
    pub async fn earlier_version(&self, environment: Environment, named: Option<u32>) -> Result<u32, Error> {
        let Some(version) = named else {
            let in_force = self.profiles.state(environment).await?.profile.map_or(0, |profile| profile.version);
            let earlier = in_force.checked_sub(1).filter(|version| *version > 0);
            let none =
                || Error::NotFound(format!("{} has no earlier version of the signer profile", environment.name()));
            return earlier.ok_or_else(none);
        };
        Ok(version)
    }

    /// Puts an earlier version in force again, as a new version, and returns the new version's number. The draft is
    /// kept.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the version does not exist; [`Error::Refused`] if it is already in force, or the profile
    /// was changed in the meantime.
    pub async fn revert(&self, environment: Environment, version: u32) -> Result<u32, Error> {
        let entry = self.auditor.entry(Operation::RevertSigner).about(environment.name());
        let reverted = async {
            let before = self.profiles.state(environment).await?;
            let in_force = before.profile.as_ref().map_or(0, |profile| profile.version);
            if version == in_force {
                return Err(Error::Refused(format!("version {version} is in force")));
            }
            let earlier = self.profiles.version(environment, version).await?;
            let earlier = earlier.ok_or_else(|| no_version(environment, version))?;
            let entry = entry.clone().with_detail(format!("version {} as {version} was", in_force + 1));
            let profile = SignerProfile { version: in_force + 1, ..earlier };
            in_place(self.profiles.put_in_force(&before, &profile, &entry).await?, profile.version)
        };
        let reverted = reverted.await;
        self.auditor.keep(&entry, reverted).await
    }

    /// Discards the draft.
    ///
    /// # Errors
    /// [`Error::Refused`] if the draft is empty or was changed in the meantime.
    pub async fn discard(&self, environment: Environment) -> Result<(), Error> {
        let entry = self.auditor.entry(Operation::DiscardSigner).about(environment.name());
        let discarded = async {
            let before = self.profiles.state(environment).await?;
            if before.draft.is_empty() {
                return Err(nothing_installed());
            }
            self.keep_draft(environment, &before, &SignerDraft::default(), &entry).await
        };
        let discarded = discarded.await;
        self.auditor.keep(&entry, discarded).await
    }

    /// Stores a signer in the draft that was read before.
    ///
    /// # Errors
    /// [`Error::Refused`] if the draft was changed in the meantime; [`Error::Unavailable`]: the signer may be in the
    /// draft.
    pub(super) async fn install(
        &self,
        environment: Environment,
        before: &SignerState,
        part: Part,
        entry: &AuditEntry,
    ) -> Result<(), Error> {
        let draft = before.draft.clone();
        let draft = match part {
            Part::Seal(seal) => SignerDraft { seal: Some(seal), ..draft },
            Part::Claim(claim) => SignerDraft { claim: Some(claim), ..draft },
        };
        self.keep_draft(environment, before, &draft, entry).await
    }

    /// Puts timestamp authorities in force at once, since each has just returned a timestamp. If the environment has no
    /// profile yet, they become part of the draft.
    ///
    /// # Errors
    /// The same as [`SignerAdministration::install`].
    pub(super) async fn install_timestamps(
        &self,
        environment: Environment,
        timestamps: Option<Timestamping>,
        entry: &AuditEntry,
    ) -> Result<Standing, Error> {
        let before = self.profiles.state(environment).await?;
        let Some(profile) = before.profile.clone() else {
            let draft = SignerDraft { timestamps, ..before.draft.clone() };
            self.keep_draft(environment, &before, &draft, entry).await?;
            return Ok(Standing::Draft);
        };
        let version = profile.version + 1;
        let profile = SignerProfile { version, timestamps, ..profile };
        in_place(self.profiles.put_in_force(&before, &profile, entry).await?, Standing::InForce { version })
    }

    async fn keep_draft(
        &self,
        environment: Environment,
        before: &SignerState,
        draft: &SignerDraft,
        entry: &AuditEntry,
    ) -> Result<(), Error> {
        in_place(self.profiles.put_draft(environment, before, draft, entry).await?, ())
    }
}

/// The profile that results from the draft.
///
/// # Errors
/// [`Error::Refused`], which names the command that is still needed.
fn next(environment: Environment, before: &SignerState) -> Result<SignerProfile, Error> {
    if before.draft.is_empty() {
        return Err(nothing_installed());
    }
    before.draft.over(environment, before.profile.as_ref()).ok_or_else(|| {
        let missing = if before.draft.seal.is_none() { "import-a1" } else { "install-claim-certificate" };
        Error::Refused(format!("a first profile needs both signers: signer {missing}"))
    })
}

/// The outcome of a conditional write; an error if the condition did not hold.
fn in_place<T>(written: bool, outcome: T) -> Result<T, Error> {
    if written { Ok(outcome) } else { Err(Error::changed_meanwhile("signer profile")) }
}

fn nothing_installed() -> Error {
    Error::Refused("the draft is empty: signer import-a1, signer install-claim-certificate".into())
}

/// The error for a version that does not exist.
pub(super) fn no_version(environment: Environment, version: u32) -> Error {
    Error::NotFound(format!("the signer profile of {} has no version {version}", environment.name()))
}
