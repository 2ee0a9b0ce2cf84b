//! How a new seal signer, claim signer or timestamp configuration comes into force.

use aws::SignerState;
use domain::{AuditEntry, ClaimSigner, Environment, SealSigner, SignerDraft, SignerProfile, Timestamping};
use serde::Serialize;

use super::SignerAdministration;
use crate::Error;

/// One part of a profile: a signer, which is required, or the timestamps, which are optional.
pub(super) enum Part {
    Seal(SealSigner),
    Claim(ClaimSigner),
    Timestamps(Option<Timestamping>),
}

/// The outcome for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "standing")]
pub enum Standing {
    /// A new version of the profile is in force.
    InForce {
        /// The version.
        version: u32,
    },
    /// It is kept until both signers are installed.
    Draft,
}

impl SignerAdministration {
    /// Puts a part in force, or keeps it as a draft, in the place of what was read before.
    ///
    /// # Errors
    /// [`Error::Refused`] when that is no longer there; [`Error::Unavailable`]: unless it says that nothing was changed, the
    /// part may be in force.
    pub(super) async fn install(
        &self,
        environment: Environment,
        before: &SignerState,
        part: Part,
        entry: &AuditEntry,
    ) -> Result<Standing, Error> {
        let (written, standing) = match next(environment, before, part) {
            Next::Profile(profile) => {
                let written = self.profiles.put_in_force(before, &profile, entry).await?;
                (written, Standing::InForce { version: profile.version })
            }
            Next::Draft(draft) => (self.profiles.put_draft(environment, before, &draft, entry).await?, Standing::Draft),
        };
        match written {
            true => Ok(standing),
            false => Err(Error::changed_meanwhile("signer profile")),
        }
    }
}

enum Next {
    Profile(SignerProfile),
    Draft(SignerDraft),
}

fn next(environment: Environment, before: &SignerState, part: Part) -> Next {
    if let Some(profile) = before.profile.clone() {
        let version = profile.version + 1;
        return Next::Profile(match part {
            Part::Seal(seal) => SignerProfile { version, seal, ..profile },
            Part::Claim(claim) => SignerProfile { version, claim, ..profile },
            Part::Timestamps(timestamps) => SignerProfile { version, timestamps, ..profile },
        });
    }
    let draft = before.draft.clone();
    let draft = match part {
        Part::Seal(seal) => SignerDraft { seal: Some(seal), ..draft },
        Part::Claim(claim) => SignerDraft { claim: Some(claim), ..draft },
        Part::Timestamps(timestamps) => SignerDraft { timestamps, ..draft },
    };
    match draft {
        SignerDraft { seal: Some(seal), claim: Some(claim), timestamps } => {
            Next::Profile(SignerProfile { environment, version: 1, seal, claim, timestamps })
        }
        draft => Next::Draft(draft),
    }
}
