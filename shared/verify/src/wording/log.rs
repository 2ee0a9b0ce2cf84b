//! The wording about the transparency log.

use super::{Words, words};
use crate::report::{Found, LogEntry, Timestamp};

pub(crate) const LEAF: Words = words("folha", "leaf");
pub(crate) const OF: Words = words("de", "of");
pub(crate) const BEFORE: Words = words("Antes de", "Before");
pub(crate) const STATED_BY: Words = words("declarado pela autoridade", "stated by the authority");
const RENEWED: Words = words("Carimbo renovado em", "Timestamp renewed at");
const RENEWED_INVALID: Words =
    words("Renovação do carimbo que não confere, de", "Renewal of the timestamp that does not hold, of");
const UNSTAMPED: Words = words(
    "Só o operador diz desde quando: a prova não traz carimbo do tempo.",
    "Only the operator says since when: the proof carries no timestamp.",
);
const NOT_COUNTED: Words = words(
    "Só o operador diz desde quando: o carimbo do tempo que a prova traz não confere, e não conta.",
    "Only the operator says since when: the timestamp that the proof carries does not hold, and does not count.",
);
pub(crate) const OTHER_IS_BROKEN: Words = words(
    "Outro carimbo do tempo deste estado do registro não confere. Cada um vale por si.",
    "Another timestamp of this state of the log does not hold. Each counts by itself.",
);

/// The words before the time of a renewal.
pub(crate) fn renewed(renewal: &Timestamp) -> Words {
    if renewal.holds { RENEWED } else { RENEWED_INVALID }
}

/// The timestamp before whose time the capture was in the log, if it is valid; otherwise the sentence to show instead.
pub(crate) fn since(log: &LogEntry) -> Result<&Timestamp, Words> {
    let holds = log.timestamp.as_ref().filter(|timestamp| timestamp.holds);
    holds.ok_or(if log.timestamp_found == Found::Nothing { UNSTAMPED } else { NOT_COUNTED })
}
