//! The recapture scores of a license's captures, and what other thresholds would have decided.

use lacre_domain::{EvidenceRecord, LicenseId, RecaptureGate, RecaptureRisk, RecaptureScores, clock::rfc3339, limits};
use lacre_storage::Page;
use serde::Serialize;
use time::{Date, UtcOffset};

use super::EvidenceAdministration;
use crate::Error;

/// The distance between the thresholds that are tried.
const STEP: f64 = 0.5;

/// The recapture scores of a license's captures. They contain neither photos nor personal data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The id of the license.
    pub license_id: LicenseId,
    /// The number of captures that were analysed with a threshold. A photo without a fine lattice or without color has
    /// no evidence, so no threshold makes it `HIGH`.
    pub analysed: usize,
    /// The number of captures that were not analysed, because the recapture gate was `OFF`.
    pub off: usize,
    /// The number of captures that predate thresholds, whose evidence is on another scale.
    pub earlier: usize,
    /// What each threshold would have decided about the analysed captures, lowest threshold first.
    pub thresholds: Vec<AtThreshold>,
    /// All captures, oldest first.
    pub captures: Vec<CaptureScores>,
}

/// What one threshold would have decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtThreshold {
    /// The threshold, within [`limits::RECAPTURE_THRESHOLDS`].
    pub threshold: f64,
    /// The number of captures whose evidence reaches the threshold.
    pub high: usize,
    /// Their share of the analysed captures, from 0 to 1; `None` if none was analysed.
    pub share: Option<f64>,
}

/// The recapture result of one capture, with its scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaptureScores {
    /// The id of the capture.
    pub capture_id: String,
    /// When the service processed the ingest, in RFC 3339 and UTC.
    pub ingested_at: String,
    /// The license's recapture policy at that time.
    pub recapture_gate: RecaptureGate,
    /// The risk that was concluded.
    pub recapture_risk: RecaptureRisk,
    /// The license's threshold at that time; `None` if the photo was not analysed, and in records that predate
    /// thresholds.
    pub recapture_threshold: Option<f64>,
    /// All scores, by name.
    pub recapture_scores: RecaptureScores,
    /// The score that is compared with the threshold.
    #[serde(skip)]
    pub evidence: Option<f64>,
}

impl EvidenceAdministration {
    /// The scores of a license's captures between two days in UTC, both included.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the license has no captures; [`Error::Invalid`] if the days are in the wrong order;
    /// [`Error::Unavailable`].
    pub async fn scores(&self, license: &LicenseId, first: Option<Date>, last: Option<Date>) -> Result<Scores, Error> {
        if first.zip(last).is_some_and(|(first, last)| first > last) {
            return Err(Error::Invalid("the first day is after the last one".into()));
        }
        let (mut captures, mut from, mut any) = (Vec::new(), None, false);
        loop {
            let Page { captures: found, next } = self.evidence.of_license(license, from).await?;
            any |= !found.is_empty();
            captures.extend(found.iter().filter(|record| is_within(record, first, last)).map(CaptureScores::of));
            from = next;
            if from.is_none() {
                // The custodian may not read licenses, so a license that does not exist cannot be distinguished from
                // one without captures.
                if !any {
                    return Err(Error::NotFound(format!("license {license} has no captures")));
                }
                return Ok(Scores::of(license.clone(), captures));
            }
        }
    }
}

fn is_within(record: &EvidenceRecord, first: Option<Date>, last: Option<Date>) -> bool {
    let day = record.ingested_at.to_offset(UtcOffset::UTC).date();
    first.is_none_or(|first| first <= day) && last.is_none_or(|last| day <= last)
}

impl CaptureScores {
    fn of(record: &EvidenceRecord) -> Self {
        Self {
            capture_id: record.capture_id.as_str().to_owned(),
            ingested_at: rfc3339(record.ingested_at),
            recapture_gate: record.recapture_gate,
            recapture_risk: record.recapture_risk,
            recapture_threshold: record.recapture_threshold,
            recapture_scores: record.recapture_scores.clone(),
            evidence: record.recapture_evidence(),
        }
    }
}

impl Scores {
    fn of(license_id: LicenseId, mut captures: Vec<CaptureScores>) -> Self {
        captures.sort_by(|a, b| (&a.ingested_at, &a.capture_id).cmp(&(&b.ingested_at, &b.capture_id)));
        let (analysed, rest): (Vec<_>, Vec<_>) =
            captures.iter().partition(|capture| capture.recapture_threshold.is_some());
        let off = rest.iter().filter(|capture| capture.recapture_gate == RecaptureGate::Off).count();
        Self {
            license_id,
            analysed: analysed.len(),
            off,
            earlier: rest.len() - off,
            thresholds: thresholds().map(|threshold| AtThreshold::of(threshold, &analysed)).collect(),
            captures,
        }
    }
}

impl AtThreshold {
    fn of(threshold: f64, captures: &[&CaptureScores]) -> Self {
        let high = captures.iter().filter(|capture| capture.evidence.is_some_and(|it| it >= threshold)).count();
        let share = (!captures.is_empty()).then(|| high as f64 / captures.len() as f64);
        Self { threshold, high, share }
    }
}

/// The thresholds to try, from the lowest to the highest allowed one.
fn thresholds() -> impl Iterator<Item = f64> {
    let (lowest, highest) = (*limits::RECAPTURE_THRESHOLDS.start(), *limits::RECAPTURE_THRESHOLDS.end());
    (0..=u8::MAX).map(move |step| lowest + STEP * f64::from(step)).take_while(move |threshold| *threshold <= highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(id: &str, at: &str, evidence: Option<f64>, threshold: Option<f64>) -> CaptureScores {
        CaptureScores {
            capture_id: id.to_owned(),
            ingested_at: at.to_owned(),
            recapture_gate: if (evidence, threshold) == (None, None) {
                RecaptureGate::Off
            } else {
                RecaptureGate::Record
            },
            recapture_risk: RecaptureRisk::Unknown,
            recapture_threshold: threshold,
            recapture_scores: evidence.map(|evidence| ("evidence".to_owned(), evidence)).into_iter().collect(),
            evidence,
        }
    }

    fn scores(captures: Vec<CaptureScores>) -> Scores {
        Scores::of(LicenseId::from_u128(1), captures)
    }

    #[test]
    fn tries_half_steps_within_the_bounds() {
        assert_eq!(thresholds().collect::<Vec<_>>(), [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]);
    }

    #[test]
    fn evidence_that_reaches_a_threshold_counts() {
        let captures = [0.5, 1.0, 2.4, 2.5, 9.0].map(|evidence| capture("a", "2026-11-20", Some(evidence), Some(2.5)));
        let scores = scores(captures.to_vec());
        let high: Vec<usize> = scores.thresholds.iter().map(|at| at.high).collect();
        assert_eq!((scores.analysed, high), (5, vec![4, 3, 3, 2, 1, 1, 1]));
        assert_eq!(scores.thresholds[3], AtThreshold { threshold: 2.5, high: 2, share: Some(0.4) });
    }

    #[test]
    fn captures_without_evidence_are_never_high() {
        let scores =
            scores(vec![capture("a", "2026-11-20", None, Some(2.5)), capture("b", "2026-11-20", Some(9.0), Some(2.5))]);
        assert_eq!(scores.thresholds[0], AtThreshold { threshold: 1.0, high: 1, share: Some(0.5) });
    }

    #[test]
    fn unjudged_captures_are_counted_apart() {
        let earlier = capture("b", "2026-11-19", Some(20.0), None);
        let scores = scores(vec![
            capture("c", "2026-11-21", None, None),
            capture("d", "2026-11-20", Some(3.0), Some(4.0)),
            earlier,
            capture("a", "2026-11-20", Some(1.0), Some(1.0)),
        ]);
        assert_eq!((scores.analysed, scores.off, scores.earlier), (2, 1, 1));
        assert_eq!(scores.thresholds[6], AtThreshold { threshold: 4.0, high: 0, share: Some(0.0) });
        let order: Vec<&str> = scores.captures.iter().map(|capture| capture.capture_id.as_str()).collect();
        assert_eq!(order, ["b", "a", "d", "c"]);
    }

    #[test]
    fn no_captures_have_no_share() {
        assert!(scores(Vec::new()).thresholds.iter().all(|at| (at.high, at.share) == (0, None)));
    }
}
