//! What the commands on evidence print for people.

use std::{collections::BTreeSet, fmt};

use lacre_administration::{
    AtThreshold, CaptureScores, Comparison, Difference, ErasedCapture, IndexRepair, OrphanedObjects, Restoration,
    Restored, Scores, Unprotected,
};
use lacre_api::admin::{CopyMatch, CopyMatches};

use crate::output::{Table, word};

/// Prints one threshold per line and a summary in the last line.
pub(super) struct Tried<'a>(pub(super) &'a Scores);

impl fmt::Display for Tried<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Scores { analysed, off, earlier, thresholds, .. }) = self;
        let mut table = Table::new(["THRESHOLD", "HIGH", "SHARE"]);
        for AtThreshold { threshold, high, share } in thresholds {
            let share = share.map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", share * 100.0));
            table.row([format!("{threshold:.1}"), high.to_string(), share]);
        }
        write!(f, "{table}{analysed} captures were analysed; {off} were not: their gate was OFF")?;
        match earlier {
            0 => writeln!(f),
            _ => writeln!(f, "; {earlier} of before there were thresholds: not counted"),
        }
    }
}

/// Prints one capture per line with tab-separated fields, after a heading. A missing score is an empty field.
pub(super) struct Lines<'a>(pub(super) &'a Scores);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Scores { captures, .. }) = self;
        let names: BTreeSet<&String> = captures.iter().flat_map(|capture| capture.recapture_scores.keys()).collect();
        write!(f, "capture_id\tingested_at\trecapture_gate\trecapture_risk\trecapture_threshold")?;
        names.iter().try_for_each(|name| write!(f, "\t{name}"))?;
        writeln!(f)?;
        let number = |number: Option<&f64>| number.map(f64::to_string).unwrap_or_default();
        for capture in captures {
            let CaptureScores { capture_id, ingested_at, recapture_gate, recapture_risk, .. } = capture;
            write!(f, "{capture_id}\t{ingested_at}\t{}\t{}", word(recapture_gate), word(recapture_risk))?;
            write!(f, "\t{}", number(capture.recapture_threshold.as_ref()))?;
            names.iter().try_for_each(|name| write!(f, "\t{}", number(capture.recapture_scores.get(*name))))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Prints one object key per line and a summary in the last line.
pub(super) struct Unnamed<'a>(pub(super) &'a OrphanedObjects);

impl fmt::Display for Unnamed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(OrphanedObjects { keys, removed, examined, failure }) = self;
        removed.iter().try_for_each(|key| writeln!(f, "{key}  removed"))?;
        keys.iter().try_for_each(|key| writeln!(f, "{key}"))?;
        let what = match (keys.len(), removed.len(), failure) {
            (0, 0, _) => String::new(),
            (0, _, _) => "; they were removed".to_owned(),
            (_, 0, None) => "; no object was deleted: use --remove".to_owned(),
            (left, removed, _) => format!("; {removed} were removed, {left} were not"),
        };
        writeln!(f, "{} of {examined} objects are named by no record{what}", keys.len() + removed.len())
    }
}

/// Prints one difference per line, then the erasures, and a summary in the last line.
pub(super) struct Compared<'a>(pub(super) &'a Comparison);

impl fmt::Display for Compared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Comparison { records, exported, pending, objects, erased, differences, protection }) = self;
        for Difference { capture_id, what, how } in differences {
            writeln!(f, "{capture_id}  {what}: {how}")?;
        }
        for Unprotected { resource, how } in &protection.differences {
            writeln!(f, "{resource}  {how}")?;
        }
        for ErasedCapture { capture_id, at, reason, principal } in erased {
            writeln!(f, "{capture_id}  erased at {at} by {principal}: {reason}")?;
        }
        let (erased, differing) = (erased.len(), differences.len());
        write!(f, "{records} records, {exported} exported, {pending} not exported yet; ")?;
        writeln!(f, "{objects} objects as recorded; {erased} captures erased; {differing} differences")?;
        match protection.compared {
            0 => writeln!(f, "no policies were compared: scripts/stack-env STACK > lacre.env, --env-file lacre.env"),
            compared => writeln!(f, "{compared} policies compared; {} differences", protection.differences.len()),
        }
    }
}

/// Prints one lost item per line and a summary in the last line.
pub(super) struct Found<'a>(pub(super) &'a Restoration);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Restoration { applied, records, restored, lost, doubtful }) = self;
        for Restored { capture_id, what, from } in restored.iter().chain(lost) {
            match from {
                Some(from) => writeln!(f, "{capture_id}  {what}: from {from}")?,
                None => writeln!(f, "{capture_id}  {what}: found nowhere")?,
            }
        }
        for Restored { capture_id, what, .. } in doubtful {
            writeln!(f, "{capture_id}  {what}: doubtful, so nothing was done: run `evidence compare`")?;
        }
        let (restored, lost, doubtful) = (restored.len(), lost.len(), doubtful.len());
        let how = match (restored, applied) {
            (0, _) => "",
            (_, true) => ", restored",
            (_, false) => "; nothing was changed: use --apply",
        };
        writeln!(
            f,
            "{records} records; {restored} losses found elsewhere{how}; {lost} found nowhere; {doubtful} doubtful"
        )
    }
}

/// Prints one capture that a copy may show per line and a summary in the last line.
pub(super) struct Matched<'a>(pub(super) &'a CopyMatches);

impl fmt::Display for Matched<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(CopyMatches { matches, truncated }) = self;
        if !matches.is_empty() {
            let mut table = Table::new(["SIMILARITY", "INGESTED AT", "STATE", "CAPTURE"]);
            for CopyMatch { similarity_score, capture } in matches {
                let state = word(&capture.state);
                let [ingested_at, id] = [word(&capture.ingested_at), word(&capture.capture_id)];
                table.row([similarity_score.to_string(), ingested_at, state, id]);
            }
            write!(f, "{table}")?;
        }
        write!(f, "{} captures may show what the copy shows", matches.len())?;
        match truncated {
            true => writeln!(f, "; others may be missing, because too many photos look like this one"),
            false => writeln!(f),
        }
    }
}

/// Prints what the index lacks and what is stale in it, in one line.
pub(super) struct Indexed<'a>(pub(super) &'a IndexRepair);

impl fmt::Display for Indexed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(IndexRepair { applied, captures, missing, entries, stale }) = self;
        let how = match (missing + stale, applied) {
            (0, _) => "",
            (_, true) => "; the index was repaired",
            (_, false) => "; nothing was changed: use --apply",
        };
        write!(f, "{captures} captures with a fingerprint, of which the index lacked entries of {missing}; ")?;
        writeln!(f, "{entries} entries, of which {stale} are stale{how}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deleted_and_remaining_objects_are_distinguished() {
        let printed = |keys: &[&str], removed: &[&str]| {
            let owned = |keys: &[&str]| keys.iter().map(ToString::to_string).collect();
            let failure = (!keys.is_empty() && !removed.is_empty()).then(|| "AWS: refused".to_owned());
            let (keys, removed) = (owned(keys), owned(removed));
            Unnamed(&OrphanedObjects { keys, removed, examined: 5, failure }).to_string()
        };
        assert_eq!(printed(&[], &[]), "0 of 5 objects are named by no record\n");
        let found = "a\n1 of 5 objects are named by no record; no object was deleted: use --remove\n";
        assert_eq!(printed(&["a"], &[]), found);
        let removed = "a  removed\n1 of 5 objects are named by no record; they were removed\n";
        assert_eq!(printed(&[], &["a"]), removed);
        let some = "a  removed\nb\n2 of 5 objects are named by no record; 1 were removed, 1 were not\n";
        assert_eq!(printed(&["b"], &["a"]), some);
    }

    #[test]
    fn a_repair_says_what_was_done() {
        let printed = |applied, missing, stale| {
            Indexed(&IndexRepair { applied, captures: 3, missing, entries: 51, stale }).to_string()
        };
        let counts = |missing, stale| {
            format!(
                "3 captures with a fingerprint, of which the index lacked entries of {missing}; \
                 51 entries, of which {stale} are stale"
            )
        };
        assert_eq!(printed(true, 0, 0), format!("{}\n", counts(0, 0)));
        assert_eq!(printed(false, 1, 0), format!("{}; nothing was changed: use --apply\n", counts(1, 0)));
        assert_eq!(printed(true, 1, 17), format!("{}; the index was repaired\n", counts(1, 17)));
    }

    #[test]
    fn an_empty_search_is_one_line() {
        let printed = |truncated| Matched(&CopyMatches { matches: Vec::new(), truncated }).to_string();
        assert_eq!(printed(false), "0 captures may show what the copy shows\n");
        let cut = "0 captures may show what the copy shows; others may be missing, because too many photos look like this one\n";
        assert_eq!(printed(true), cut);
    }
}
