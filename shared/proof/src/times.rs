//! The bounds within which the times of one capture must agree. The service delivers only proofs within these bounds,
//! and `verify` accepts no others.
//!
//! Without bounds a signer could state any time together with current timestamps: a chain is validated at the
//! timestamp's time, which says nothing about the stated one. Every bound is a distance from the time of the ingest.

use std::ops::RangeInclusive;

use lacre_domain::{
    clock::rfc3339_millis,
    limits::{CLOCK_TOLERANCE, SESSION_VALIDITY},
};
use time::{Duration, OffsetDateTime};
use x509_cert::Certificate;

use crate::expiry::validity;

/// The bounds of a timestamp's time. Two clocks differ by at most one minute, which also covers tokens in whole
/// seconds; and an authority responds within the time limit of an ingest.
pub(crate) const TIMESTAMP: RangeInclusive<Duration> = Duration::seconds(-60)..=Duration::minutes(5);

/// Checks the time of a timestamp over the seal or the claim signature.
///
/// # Errors
/// A text with both times.
pub fn check_timestamp(ingested_at: OffsetDateTime, time: OffsetDateTime) -> Result<(), String> {
    check("the timestamp", time, TIMESTAMP, ingested_at)
}

/// Checks the time of a timestamp over a transparency log that contains the capture: a log cannot contain it before its
/// ingest.
///
/// # Errors
/// A text with both times.
pub fn check_log_timestamp(ingested_at: OffsetDateTime, time: OffsetDateTime) -> Result<(), String> {
    check("the log's timestamp", time, *TIMESTAMP.start()..=Duration::MAX, ingested_at)
}

/// Checks the device's time of the capture: it must lie between the issue of the nonce and the ingest, with a tolerance
/// on both sides.
///
/// # Errors
/// A text with both times.
pub fn check_captured_at(ingested_at: OffsetDateTime, time: OffsetDateTime) -> Result<(), String> {
    let earliest = Duration::ZERO - SESSION_VALIDITY - CLOCK_TOLERANCE;
    check("the browser's time of the capture", time, earliest..=CLOCK_TOLERANCE, ingested_at)
}

/// Checks the seal's `signingTime`, which is in whole seconds.
///
/// # Errors
/// A text with both times.
pub fn check_signing_time(ingested_at: OffsetDateTime, time: OffsetDateTime) -> Result<(), String> {
    if time.unix_timestamp() == ingested_at.unix_timestamp() {
        Ok(())
    } else {
        Err(fault("the seal's signing time", time, ingested_at))
    }
}

/// Checks that a signer's certificate was valid at the ingest.
///
/// # Errors
/// A text with the ingest's time and the certificate's.
pub fn check_validity(ingested_at: OffsetDateTime, certificate: &Certificate) -> Result<(), String> {
    let (from, until) = validity(certificate);
    // The last second belongs to the validity, so whole seconds are compared. For the year 9999 no later time could be
    // represented.
    if (from.unix_timestamp()..=until.unix_timestamp()).contains(&ingested_at.unix_timestamp()) {
        return Ok(());
    }
    let subject = &certificate.tbs_certificate.subject;
    Err(format!(
        "the ingest, {}, is not within the validity of the certificate of {subject}, {} to {}",
        shown(ingested_at),
        shown(from),
        shown(until)
    ))
}

fn check(
    what: &str,
    time: OffsetDateTime,
    bounds: RangeInclusive<Duration>,
    ingested_at: OffsetDateTime,
) -> Result<(), String> {
    if bounds.contains(&(time - ingested_at)) { Ok(()) } else { Err(fault(what, time, ingested_at)) }
}

fn fault(what: &str, time: OffsetDateTime, ingested_at: OffsetDateTime) -> String {
    format!("{what}, {}, does not agree with the time of the ingest, {}", shown(time), shown(ingested_at))
}

fn shown(time: OffsetDateTime) -> String {
    rfc3339_millis(time).unwrap_or_else(|| time.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use time::macros::datetime;

    use super::*;

    const INGEST: OffsetDateTime = datetime!(2026-11-20 12:00:00.123 UTC);

    /// Tests a check at the first and the last millisecond at which it succeeds, as distances from the ingest.
    fn edges(check: fn(OffsetDateTime, OffsetDateTime) -> Result<(), String>, first: i64, last: i64) {
        let at = |millis| check(INGEST, INGEST + Duration::milliseconds(millis)).is_ok();
        assert_eq!([first - 1, first, last, last + 1].map(at), [false, true, true, false]);
    }

    #[test]
    fn each_time_has_its_bounds() {
        edges(check_timestamp, -60_000, 300_000);
        edges(check_captured_at, -32 * 60_000, 120_000);
        edges(check_signing_time, -123, 876);
        let years = INGEST + Duration::days(20_000);
        assert_eq!(check_log_timestamp(INGEST, years), Ok(()));
        assert!(check_log_timestamp(INGEST, INGEST - Duration::milliseconds(60_001)).is_err());
    }

    #[test]
    fn validity_includes_the_last_second() {
        let pem = lacre_pki::ClaimPki::generate(INGEST).unwrap().anchors_pem().unwrap();
        let mut certificate = crate::pem::certificates(&pem).unwrap().remove(0);
        let mut holds = |year, month, day, hour, minute, second| {
            let end = der::DateTime::new(year, month, day, hour, minute, second).unwrap();
            let end = der::asn1::GeneralizedTime::from_date_time(end);
            certificate.tbs_certificate.validity.not_after = x509_cert::time::Time::GeneralTime(end);
            check_validity(INGEST, &certificate).is_ok()
        };
        assert!(holds(9999, 12, 31, 23, 59, 59));
        assert!(holds(2026, 11, 20, 12, 0, 0), "the whole of the second");
        assert!(!holds(2026, 11, 20, 11, 59, 59));
    }

    #[test]
    fn a_fault_names_both_times() {
        assert_eq!(
            check_timestamp(INGEST, datetime!(2019-01-01 0:00 UTC)),
            Err("the timestamp, 2019-01-01T00:00:00.000Z, does not agree with the time of the ingest, \
                 2026-11-20T12:00:00.123Z"
                .into())
        );
    }
}
