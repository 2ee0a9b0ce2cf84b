//! The timestamps of one capture: their time limits and metrics.

use lacre_metrics::timed;
use lacre_proof::{AskedTimestamp, TimestampFailure, TimestampSource, Timestamps, times};
use lacre_storage::{TimeBudgets, until_deadline};
use time::OffsetDateTime;
use tokio::time::Instant;

use crate::{phases, signers::ReadyProfile};

/// Requests the timestamps of one capture.
pub(crate) struct Stamping<'a> {
    asking: lacre_tsa::Asking<'a>,
    ingested_at: OffsetDateTime,
    required: bool,
}

impl<'a> Stamping<'a> {
    /// `None` if the environment has no timestamp authorities. If the license does not require timestamps, their time
    /// budget is short, so that they do not delay the capture.
    pub(crate) fn of(
        profile: &'a ReadyProfile,
        required: bool,
        budgets: &TimeBudgets,
        ingested_at: OffsetDateTime,
    ) -> Option<Self> {
        let budget = if required { budgets.timestamps } else { budgets.timestamps_if_quick };
        let asking = profile.authorities.as_ref()?.until(Instant::now() + budget, budgets.timestamp_attempt);
        Some(Self { asking, ingested_at, required })
    }

    /// The mode in which signing uses timestamps.
    pub(crate) fn wanted(stamping: Option<&Self>) -> Timestamps<'_> {
        match stamping {
            None => Timestamps::None,
            Some(stamping) if stamping.required => Timestamps::Required(stamping),
            Some(stamping) => Timestamps::BestEffort(stamping),
        }
    }
}

impl TimestampSource for Stamping<'_> {
    fn timestamp(&self, message_sha256: [u8; 32]) -> AskedTimestamp<'_> {
        Box::pin(async move {
            let asked = timed(phases::TIMESTAMPS, until_deadline(self.asking.timestamp(message_sha256))).await;
            let token = asked.unwrap_or_else(|time_is_up| Err(TimestampFailure(time_is_up.to_string())));
            let token = token.and_then(|token| match times::check_timestamp(self.ingested_at, token.time()) {
                Ok(()) => Ok(token),
                Err(fault) => Err(TimestampFailure(fault)),
            });
            if token.is_err() {
                lacre_metrics::add(phases::TIMESTAMPS_MISSING, 1.0);
            }
            token
        })
    }
}
