//! Draws the ROC of the `evidence` score as SVG: detection rate against false alarm rate at every threshold. The false
//! alarm axis is logarithmic, because small rates matter.

use std::fmt::Write;

use lacre_domain::RecaptureRisk;
use recapture_bench::camera::Focus;

use crate::{plan::Row, run::Outcome};

const LEFT: f64 = 70.0;
const TOP: f64 = 30.0;
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
/// The false alarm axis ranges from this to 1.
const LEAST: f64 = 0.0005;

/// A curve: its name, its color, and the displays that it covers.
type Curve = (&'static str, &'static str, fn(&Row) -> bool);

const CURVES: [Curve; 3] = [
    ("in focus, 2 to 4 pixels per display pixel", "#0072b2", |row| sharp(row, 2..5)),
    ("in focus, 1.5 to 4", "#009e73", |row| sharp(row, 1..5)),
    ("in focus, 1.2 to 6", "#d55e00", |row| sharp(row, 0..6)),
];

fn sharp(row: &Row, bands: std::ops::Range<usize>) -> bool {
    matches!(row, Row::Display { band, focus: Focus::Sharp, .. } if bands.contains(band))
}

/// Draws the curves, each with a mark at the gate's own threshold.
pub(crate) fn draw(outcomes: &[Outcome<'_>]) -> String {
    let world: Vec<_> = outcomes.iter().filter(|outcome| matches!(outcome.planned.row, Row::World { .. })).collect();
    let mut svg = axes();
    for (i, (name, color, pick)) in CURVES.into_iter().enumerate() {
        let displays: Vec<_> = outcomes.iter().filter(|outcome| pick(&outcome.planned.row)).collect();
        let at = |called: &dyn Fn(&Outcome<'_>) -> bool| (across(part(&world, called)), up(part(&displays, called)));
        let thresholds = thresholds(&displays, &world);
        let points = thresholds.iter().map(|&threshold| at(&|outcome| outcome.evidence() >= threshold));
        let points: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let (x, y) = at(&|outcome| outcome.is(RecaptureRisk::High));
        let (end, legend) = (LEFT + WIDTH - 10.0, TOP + HEIGHT - 60.0 + 18.0 * i as f64);
        let points = points.join(" ");
        let _ = writeln!(
            svg,
            r#"<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>
<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="{color}"/>
<text x="{end}" y="{legend}" text-anchor="end" fill="{color}">{name}</text>"#,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// All values of the score, in descending order.
fn thresholds(displays: &[&Outcome<'_>], world: &[&Outcome<'_>]) -> Vec<f64> {
    let mut values: Vec<f64> = displays.iter().chain(world).map(|outcome| outcome.evidence()).collect();
    values.retain(|value| value.is_finite());
    values.sort_by(|a, b| b.total_cmp(a));
    values.dedup();
    values
}

fn part(of: &[&Outcome<'_>], pick: impl Fn(&Outcome<'_>) -> bool) -> f64 {
    of.iter().filter(|outcome| pick(outcome)).count() as f64 / of.len().max(1) as f64
}

/// The horizontal position of a false alarm rate.
fn across(share: f64) -> f64 {
    LEFT + WIDTH * (1.0 - share.max(LEAST).ln() / LEAST.ln())
}

/// The vertical position of a detection rate.
fn up(share: f64) -> f64 {
    TOP + HEIGHT * (1.0 - share)
}

/// Background, grid and labels.
fn axes() -> String {
    let (right, bottom, middle_x, middle_y) = (LEFT + WIDTH, TOP + HEIGHT, LEFT + WIDTH / 2.0, TOP + HEIGHT / 2.0);
    let (below, beside) = (bottom + 20.0, LEFT - 8.0);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 450" font-family="sans-serif" font-size="13">
<title>Displays found against false alarms</title>
<rect width="660" height="450" fill="#fff"/>
<text x="{LEFT}" y="18">Simulated displays found against false HIGH; dots are the gate's own threshold</text>
<text x="{middle_x}" y="{}" text-anchor="middle">photos of the world called HIGH (logarithmic)</text>
<text transform="translate(18 {middle_y}) rotate(-90)" text-anchor="middle">photos of displays called HIGH</text>
"##,
        bottom + 44.0,
    );
    for percent in [0, 20, 40, 60, 80, 100] {
        let y = up(f64::from(percent) / 100.0);
        let _ = writeln!(
            svg,
            r##"<path d="M{LEFT} {y}H{right}" stroke="#ddd"/><text x="{beside}" y="{}" text-anchor="end">{percent} %</text>"##,
            y + 4.0,
        );
    }
    for percent in [0.1, 1.0, 10.0, 100.0] {
        let x = across(percent / 100.0);
        let _ = writeln!(
            svg,
            r##"<path d="M{x:.1} {TOP}V{bottom}" stroke="#ddd"/><text x="{x:.1}" y="{below}" text-anchor="middle">{percent} %</text>"##,
        );
    }
    svg
}
