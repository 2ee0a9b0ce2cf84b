//! `TSTInfo` (RFC 3161, 2.4.2), the content that an authority signs.
//!
//! The type of `x509-tsp` is not used, because it cannot parse times with fractions of a second, which authorities
//! write.

use const_oid::ObjectIdentifier;
use der::{
    AnyRef, DecodeValue, ErrorKind, FixedTag, Header, Reader, Tag, TagNumber, Tagged,
    asn1::{ContextSpecific, Int},
};
use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time};
use x509_cert::ext::{Extensions, pkix::name::GeneralName};
use x509_tsp::{Accuracy, MessageImprint, TspVersion};

use crate::apart::Apart;

/// The timestamped digest, the time, and further fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TstInfo {
    /// The OID of the policy under which the authority works.
    pub(super) policy: ObjectIdentifier,
    pub(super) message_imprint: MessageImprint,
    pub(super) serial_number: Int,
    pub(super) time: OffsetDateTime,
    accuracy: Option<Accuracy>,
    pub(super) nonce: Option<Int>,
}

impl TstInfo {
    /// The accuracy, if the authority states one.
    pub(super) fn accuracy(&self) -> Option<Duration> {
        let accuracy = self.accuracy.as_ref()?;
        let seconds = i64::try_from(accuracy.seconds.unwrap_or(0)).unwrap_or(i64::MAX);
        let [millis, micros] = [accuracy.millis, accuracy.micros].map(|part| i64::from(part.unwrap_or(0)));
        let fraction = Duration::milliseconds(millis) + Duration::microseconds(micros);
        Some(Duration::seconds(seconds).saturating_add(fraction))
    }
}

impl FixedTag for TstInfo {
    const TAG: Tag = Tag::Sequence;
}

impl<'a> DecodeValue<'a> for TstInfo {
    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        reader.read_nested(header.length, |reader| {
            let _v1: TspVersion = reader.decode()?;
            let info = Self {
                policy: reader.decode()?,
                message_imprint: reader.decode()?,
                serial_number: reader.decode()?,
                time: gen_time(reader.decode()?)?,
                accuracy: reader.decode()?,
                nonce: {
                    let _ordering: Option<bool> = reader.decode()?;
                    reader.decode()?
                },
            };
            let _authority = ContextSpecific::<Apart<GeneralName>>::decode_explicit(reader, TagNumber::N0)?;
            let extensions = ContextSpecific::<Extensions>::decode_implicit(reader, TagNumber::N1)?;
            // No extension is supported, so a critical one makes the token invalid.
            let critical = extensions.iter().flat_map(|field| &field.value).find(|extension| extension.critical);
            critical.map_or(Ok(info), |extension| Err(ErrorKind::OidUnknown { oid: extension.extn_id }.into()))
        })
    }
}

/// Parses a `GeneralizedTime` in UTC, in whole seconds or with a fraction.
fn gen_time(value: AnyRef<'_>) -> der::Result<OffsetDateTime> {
    value.tag().assert_eq(Tag::GeneralizedTime)?;
    let read = || {
        let text = std::str::from_utf8(value.value()).ok()?.strip_suffix('Z')?;
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        if seconds.len() != 14 || !is_digits(seconds) || !is_digits(fraction) {
            return None;
        }
        // By hand, because the general parser of times is larger than all of this file.
        let year = seconds[..4].parse().ok()?;
        let [month, day, hour, minute, second] = [4, 6, 8, 10, 12].map(|at| seconds[at..at + 2].parse::<u8>());
        let date = Date::from_calendar_date(year, Month::try_from(month.ok()?).ok()?, day.ok()?).ok()?;
        let nanoseconds = format!("{fraction:0<9.9}").parse().ok()?;
        let time = Time::from_hms_nano(hour.ok()?, minute.ok()?, second.ok()?, nanoseconds).ok()?;
        Some(PrimitiveDateTime::new(date, time))
    };
    read().map(PrimitiveDateTime::assume_utc).ok_or_else(|| ErrorKind::DateTime.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use time::macros::datetime;

    use super::*;

    #[test]
    fn reads_times_with_or_without_fraction() {
        let read = |text: &str| gen_time(AnyRef::new(Tag::GeneralizedTime, text.as_bytes()).unwrap()).ok();
        assert_eq!(read("20261120123456Z"), Some(datetime!(2026-11-20 12:34:56 UTC)));
        assert_eq!(read("20261120123456.7Z"), Some(datetime!(2026-11-20 12:34:56.7 UTC)));
        assert_eq!(read("20261120123456.123456789123Z"), Some(datetime!(2026-11-20 12:34:56.123456789 UTC)));
        for bad in [
            "",
            "Z",
            "20261120123456",
            "202611201234Z",
            "20261120123456.Z",
            "20261320123456Z",
            "20260230123456Z",
            "20261120126056Z",
            "20261120123460Z",
            "2026112012345+Z",
            "é",
        ] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }
}
