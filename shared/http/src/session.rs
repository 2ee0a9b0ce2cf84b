//! Reads the session that a request names.

use lacre_api::Refusal;
use lacre_domain::{Session, SessionToken};
use lacre_storage::{Error, Sessions};
use time::OffsetDateTime;

use crate::{OrRefuseAs, Rejection};

/// Reads a session by its token. All routes but the ingest respond alike if there is none, or it cannot be read.
///
/// # Errors
/// [`Refusal::SessionNotFound`], [`Refusal::SessionCorrupt`], [`Refusal::UpstreamUnavailable`].
pub async fn read_session(
    sessions: &Sessions,
    token: &SessionToken,
    now: OffsetDateTime,
) -> Result<Session, Rejection> {
    let refusal = |error: &Error| error.refusal(Refusal::SessionCorrupt, Refusal::UpstreamUnavailable);
    let session = sessions.read(token, now).await.or_refuse_as(refusal)?;
    Ok(session.ok_or(Refusal::SessionNotFound)?)
}
