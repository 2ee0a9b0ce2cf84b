//! The place of a photo, as the browser claims it: in degrees, minutes and seconds, and as a point between the meridians and
//! parallels of the world. No map is fetched.

use maud::{Markup, html};
use proof::assertions::Browser;

use super::NONE;
use crate::{
    report::Report,
    wording::{both, sentences::PLACE},
};

const DISPLAY: &str = "O ponto entre os meridianos e paralelos / The point between the meridians and parallels";

/// A line every so many degrees.
const STEP: usize = 30;

/// The place beside the photo, where the file has one.
pub(super) fn section(report: &Report) -> Markup {
    let place = report.browser.as_ref().and_then(|browser| Some((browser, of(browser)?)));
    html! {
        @if let Some((browser, (latitude, longitude))) = place {
            @if let Some(title) = PLACE.on(report) { h3 { (title) } }
            p {
                (both(&sexagesimal(latitude, longitude, PORTUGUESE), &sexagesimal(latitude, longitude, ENGLISH)))
            }
            p { (text(browser)) }
            (world(latitude, longitude))
        }
    }
}

/// The browser's position in decimal degrees, with its accuracy. Without one it is zeros with an accuracy of 9999 m, which is
/// not a place.
pub(super) fn text(browser: &Browser) -> Markup {
    let Browser { gps_lat, gps_lon, gps_accuracy, .. } = browser;
    match is_obtained(browser) {
        false => html! { (NONE) },
        true => html! { (gps_lat) ", " (gps_lon) " ± " (gps_accuracy) " m" },
    }
}

fn is_obtained(browser: &Browser) -> bool {
    let none = domain::Position::NOT_OBTAINED;
    (browser.gps_lat, browser.gps_lon, browser.gps_accuracy) != (none.latitude, none.longitude, none.accuracy)
}

/// Latitude and longitude, where they are on the globe.
fn of(browser: &Browser) -> Option<(f64, f64)> {
    let Browser { gps_lat, gps_lon, .. } = *browser;
    let is_on_globe = (-90.0..=90.0).contains(&gps_lat) && (-180.0..=180.0).contains(&gps_lon);
    (is_on_globe && is_obtained(browser)).then_some((gps_lat, gps_lon))
}

/// North, south, east, west, and the sign before decimals.
type Notation = [&'static str; 5];
const PORTUGUESE: Notation = ["N", "S", "L", "O", ","];
const ENGLISH: Notation = ["N", "S", "E", "W", "."];

/// `23° 33′ 41.09″ S, 46° 39′ 21.17″ W`.
fn sexagesimal(latitude: f64, longitude: f64, [north, south, east, west, point]: Notation) -> String {
    let part = |degrees: f64, [positive, negative]: [&str; 2]| {
        // In hundredths of a second, so that 59.999 seconds become a minute.
        let hundredths = (degrees.abs() * 360_000.0).round() as u64;
        let (seconds, minutes, degrees_whole) = (hundredths % 6_000, hundredths / 6_000 % 60, hundredths / 360_000);
        let letter = if degrees < 0.0 { negative } else { positive };
        format!("{degrees_whole}° {minutes:02}′ {:02}{point}{:02}″ {letter}", seconds / 100, seconds % 100)
    };
    format!("{}, {}", part(latitude, [north, south]), part(longitude, [east, west]))
}

/// The world from 180° west to 180° east, a unit a degree: lines every 30 degrees, the equator and the first meridian
/// stronger.
fn world(latitude: f64, longitude: f64) -> Markup {
    let (x, y) = (longitude + 180.0, 90.0 - latitude);
    html! {
        svg.world viewBox="0 0 360 180" role="img" aria-label=(DISPLAY) {
            @for x in (0..=360).step_by(STEP) { line.main[x == 180] x1=(x) x2=(x) y1="0" y2="180" {} }
            @for y in (0..=180).step_by(STEP) { line.main[y == 90] x1="0" x2="360" y1=(y) y2=(y) {} }
            line.here x1=(x) x2=(x) y1="0" y2="180" {}
            line.here x1="0" x2="360" y1=(y) y2=(y) {}
            circle cx=(x) cy=(y) r="4" {}
        }
    }
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
