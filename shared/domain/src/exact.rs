//! Serialization of times and floating-point numbers without loss.
//!
//! Numbers from a browser are stored as text: a browser may send any finite double, and DynamoDB numbers have a smaller
//! range. The shortest decimal text of a double parses to the same double.

use lacre_api::terms::Nullable;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use time::OffsetDateTime;

use crate::{Position, clock::epoch_millis};

#[derive(Serialize, Deserialize)]
struct ExactPosition {
    latitude: String,
    longitude: String,
    accuracy: String,
}

fn parse<E: Error>(text: &str) -> Result<f64, E> {
    text.parse().map_err(|_| E::custom("not a number"))
}

/// Serializes a time as whole milliseconds of the Unix epoch.
pub(crate) mod millis {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(at: &OffsetDateTime, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(epoch_millis(*at))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OffsetDateTime, D::Error> {
        let nanos = i128::from(i64::deserialize(deserializer)?) * 1_000_000;
        OffsetDateTime::from_unix_timestamp_nanos(nanos).map_err(D::Error::custom)
    }
}

/// A time that is serialized as whole milliseconds of the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExactTime(#[serde(with = "millis")] pub OffsetDateTime);

impl Nullable for ExactTime {}

/// Serializes an optional time as whole milliseconds of the Unix epoch.
pub(crate) mod optional_millis {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(at: &Option<OffsetDateTime>, serializer: S) -> Result<S::Ok, S::Error> {
        at.map(ExactTime).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<OffsetDateTime>, D::Error> {
        Ok(Option::<ExactTime>::deserialize(deserializer)?.map(|ExactTime(at)| at))
    }
}

/// Serializes a [`Position`] with its numbers as text.
pub(crate) mod position {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(position: &Position, serializer: S) -> Result<S::Ok, S::Error> {
        let Position { latitude, longitude, accuracy } = position;
        ExactPosition {
            latitude: latitude.to_string(),
            longitude: longitude.to_string(),
            accuracy: accuracy.to_string(),
        }
        .serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        let exact = ExactPosition::deserialize(deserializer)?;
        Ok(Position {
            latitude: parse(&exact.latitude)?,
            longitude: parse(&exact.longitude)?,
            accuracy: parse(&exact.accuracy)?,
        })
    }
}

/// Serializes an `Option<f64>` as text.
pub(crate) mod option {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        number.map(|number| number.to_string()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Option::<String>::deserialize(deserializer)?.map(|text| parse(&text)).transpose()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_finite_double_comes_back() {
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct Record {
            #[serde(with = "position")]
            position: Position,
            #[serde(default, with = "option", skip_serializing_if = "Option::is_none")]
            heading: Option<f64>,
        }
        for value in [0.0, -0.0, 5e-324, 0.1 + 0.2, f64::MAX, -46.633_308_12] {
            let record = Record {
                position: Position { latitude: value, longitude: -value, accuracy: value },
                heading: Some(value),
            };
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        }
        let none: Record =
            serde_json::from_str(r#"{"position":{"latitude":"1","longitude":"2","accuracy":"3"}}"#).unwrap();
        assert_eq!(none.heading, None);
    }
}
