//! The commit: the transaction after which the capture exists.

use lacre_api::Refusal;
use lacre_http::Rejection;
use lacre_storage::{Commit, CommitOutcome, Commits, Connection};

use crate::{delivery::Delivery, failure::Failure, submission::Submission};

/// The step that commits the capture.
pub(crate) struct CommitCapture {
    commits: Commits,
}

impl CommitCapture {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { commits: Commits::new(connection) }
    }

    /// Commits a capture whose proof is stored.
    pub(crate) async fn commit(&self, submission: &Submission, delivery: &Delivery) -> Result<(), Failure> {
        let Delivery { capture, personal, photo, announcement, .. } = delivery;
        let commit = Commit { token: &submission.token, capture, personal, photo, announcement: announcement.as_ref() };
        match self.commits.commit(&commit).await {
            Ok(CommitOutcome::Committed) => Ok(()),
            // If other photos of the session are missing, the page can load the session again and continue.
            Ok(CommitOutcome::Lost) if submission.session.is_on_last_photo() => {
                Err(Failure::released(Refusal::SessionAlreadyUsed))
            }
            Ok(CommitOutcome::Lost) => Err(Failure::released(Refusal::PhotoOrderMismatch)),
            Ok(CommitOutcome::SessionChanged) => Err(Failure::released(Refusal::NonceReplay)),
            Err(error) => Err(Failure::kept(Rejection::because(Refusal::LedgerWriteFailed, &error))),
        }
    }
}
