//! The position as the browser reports it, and the license's location check.

use lacre_api::Refusal;
use serde::{Deserialize, Serialize};

use crate::{GpsMode, GpsResult};

/// A position in WGS 84 degrees with its accuracy in metres, exactly as received. `0, 0, 9999` means that no position
/// was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Latitude in degrees north, -90 to 90.
    pub latitude: f64,
    /// Longitude in degrees east, -180 to 180.
    pub longitude: f64,
    /// Accuracy radius in metres, at least 0.
    pub accuracy: f64,
}

impl Position {
    /// The values that the component sends if the browser obtained no position.
    pub const NOT_OBTAINED: Self = Self { latitude: 0.0, longitude: 0.0, accuracy: 9999.0 };

    /// Checks the ranges of a position.
    ///
    /// # Errors
    /// [`Refusal::LocationInvalid`] if a value is not finite or out of its range.
    pub fn parse(latitude: f64, longitude: f64, accuracy: f64) -> Result<Self, Refusal> {
        let valid = (-90.0..=90.0).contains(&latitude)
            && (-180.0..=180.0).contains(&longitude)
            && accuracy.is_finite()
            && accuracy >= 0.0;
        if valid { Ok(Self { latitude, longitude, accuracy }) } else { Err(Refusal::LocationInvalid) }
    }

    /// Whether the browser obtained a position.
    #[must_use]
    pub fn is_obtained(&self) -> bool {
        *self != Self::NOT_OBTAINED
    }

    /// Applies the location policy of a license.
    ///
    /// # Errors
    /// [`Refusal::LocationNotValidated`] under `REQUIRE`, if there is no position or its accuracy radius exceeds
    /// `max_accuracy_m` metres.
    pub fn gate(&self, mode: GpsMode, max_accuracy_m: f64) -> Result<GpsResult, Refusal> {
        match (mode, self.is_obtained()) {
            (GpsMode::Off, _) => Ok(GpsResult::NotChecked),
            (GpsMode::Observe, false) => Ok(GpsResult::NotObtained),
            (GpsMode::Observe, true) => Ok(GpsResult::Observed),
            (GpsMode::Require, true) if self.accuracy <= max_accuracy_m => Ok(GpsResult::Accepted),
            (GpsMode::Require, _) => Err(Refusal::LocationNotValidated),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_shape_of_a_position() {
        for (lat, lon, acc) in [(0.0, 0.0, 9999.0), (-90.0, 180.0, 0.0), (90.0, -180.0, 1e9)] {
            assert!(Position::parse(lat, lon, acc).is_ok());
        }
        for (lat, lon, acc) in [
            (90.1, 0.0, 1.0),
            (0.0, -180.1, 1.0),
            (0.0, 0.0, -0.1),
            (f64::NAN, 0.0, 1.0),
            (0.0, f64::INFINITY, 1.0),
            (0.0, 0.0, f64::INFINITY),
            (0.0, 0.0, f64::NAN),
        ] {
            assert_eq!(Position::parse(lat, lon, acc), Err(Refusal::LocationInvalid));
        }
    }

    #[test]
    fn the_gate_by_mode() {
        let here = Position::parse(-23.5, -46.6, 150.0).unwrap();
        let rough = Position::parse(-23.5, -46.6, 150.1).unwrap();
        let none = Position::NOT_OBTAINED;
        assert_eq!(none.gate(GpsMode::Off, 150.0), Ok(GpsResult::NotChecked));
        assert_eq!(none.gate(GpsMode::Observe, 150.0), Ok(GpsResult::NotObtained));
        assert_eq!(rough.gate(GpsMode::Observe, 150.0), Ok(GpsResult::Observed));
        assert_eq!(here.gate(GpsMode::Require, 150.0), Ok(GpsResult::Accepted));
        assert_eq!(rough.gate(GpsMode::Require, 150.0), Err(Refusal::LocationNotValidated));
        assert_eq!(none.gate(GpsMode::Require, 99999.0), Err(Refusal::LocationNotValidated));
    }
}
