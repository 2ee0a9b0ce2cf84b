//! The position of a photo, as the browser claims it.

use lacre_proof::assertions::BrowserAssertion;
use maud::{Markup, html};

use super::NONE;
use crate::wording::both;

/// The position in degrees, minutes and seconds and in decimal degrees, with its accuracy. Without a position the
/// values are zeros with an accuracy of 9999 m, which are not shown.
pub(super) fn of(browser: &BrowserAssertion) -> Markup {
    let BrowserAssertion { gps_lat, gps_lon, gps_accuracy, .. } = *browser;
    if !is_obtained(browser) {
        return html! { (NONE) };
    }
    let is_on_globe = (-90.0..=90.0).contains(&gps_lat) && (-180.0..=180.0).contains(&gps_lon);
    html! {
        @if is_on_globe {
            p { (both(&sexagesimal(gps_lat, gps_lon, PORTUGUESE), &sexagesimal(gps_lat, gps_lon, ENGLISH))) }
        }
        p { (gps_lat) ", " (gps_lon) " ± " (gps_accuracy) " m (WGS 84)" }
    }
}

fn is_obtained(browser: &BrowserAssertion) -> bool {
    let none = lacre_domain::Position::NOT_OBTAINED;
    (browser.gps_lat, browser.gps_lon, browser.gps_accuracy) != (none.latitude, none.longitude, none.accuracy)
}

/// The letters for north, south, east and west, and the decimal separator.
type Notation = [&'static str; 5];
const PORTUGUESE: Notation = ["N", "S", "L", "O", ","];
const ENGLISH: Notation = ["N", "S", "E", "W", "."];

/// Formats a position, such as `23° 33′ 41.09″ S, 46° 39′ 21.17″ W`.
fn sexagesimal(latitude: f64, longitude: f64, [north, south, east, west, point]: Notation) -> String {
    let part = |degrees: f64, [positive, negative]: [&str; 2]| {
        // Rounded to hundredths of a second first, so that 59.999 seconds become a full minute.
        let hundredths = (degrees.abs() * 360_000.0).round() as u64;
        let (seconds, minutes, degrees_whole) = (hundredths % 6_000, hundredths / 6_000 % 60, hundredths / 360_000);
        let letter = if degrees < 0.0 { negative } else { positive };
        format!("{degrees_whole}° {minutes:02}′ {:02}{point}{:02}″ {letter}", seconds / 100, seconds % 100)
    };
    format!("{}, {}", part(latitude, [north, south]), part(longitude, [east, west]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_carry_over_to_minutes_and_degrees() {
        let written = |latitude, longitude| sexagesimal(latitude, longitude, ENGLISH);
        assert_eq!(written(-23.561_414, -46.655_881), "23° 33′ 41.09″ S, 46° 39′ 21.17″ W");
        assert_eq!(sexagesimal(-23.561_414, -46.655_881, PORTUGUESE), "23° 33′ 41,09″ S, 46° 39′ 21,17″ O");
        assert_eq!(written(59.999_999_9, -0.0), "60° 00′ 00.00″ N, 0° 00′ 00.00″ E");
        assert_eq!(written(90.0, 180.0), "90° 00′ 00.00″ N, 180° 00′ 00.00″ E");
    }
}
