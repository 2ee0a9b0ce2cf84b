//! The trusted times of a proof, and what existed then.

use super::{
    Words,
    sentences::{CLAIM_EXISTED, LOG_EXISTED, SEAL_EXISTED, Sentence},
};
use crate::report::{Report, Times};

/// Each time that a timestamp authority confirms, after the sentence that says what existed then.
pub(crate) fn existed(report: &Report) -> Vec<(Words, &str)> {
    known(report).into_iter().filter_map(|(sentence, time)| Some((sentence.on(report)?, time))).collect()
}

/// The earliest time at which this photo existed, according to a timestamp authority.
pub(crate) fn trusted(report: &Report) -> Option<&str> {
    let of_photo = known(report).into_iter().filter(|(sentence, _)| sentence.is_carried(report));
    of_photo.map(|(_, time)| time).min()
}

fn known(report: &Report) -> Vec<(&'static Sentence, &str)> {
    let Some(Times { seal_trusted, claim_trusted, log_trusted, .. }) = &report.times else { return Vec::new() };
    let times = [(&SEAL_EXISTED, seal_trusted), (&CLAIM_EXISTED, claim_trusted), (&LOG_EXISTED, log_trusted)];
    times.into_iter().filter_map(|(sentence, time)| Some((sentence, time.as_deref()?))).collect()
}
