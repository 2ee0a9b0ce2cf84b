//! Prints the results as Markdown tables, with the targets beside the figures.

use lacre_domain::RecaptureRisk;
use recapture_bench::{camera::Focus, display::Panel, texture::GROUPS};

use crate::{
    cost::Cost,
    plan::{BANDS, Row},
    run::Outcome,
};

/// A number of photos with a verdict, and the total.
#[derive(Clone, Copy)]
struct Share {
    high: usize,
    unknown: usize,
    of: usize,
}

impl Share {
    fn of<'a, 'b: 'a>(outcomes: impl IntoIterator<Item = &'a Outcome<'b>>) -> Share {
        outcomes.into_iter().fold(Share { high: 0, unknown: 0, of: 0 }, |share, outcome| Share {
            high: share.high + usize::from(outcome.is(RecaptureRisk::High)),
            unknown: share.unknown + usize::from(outcome.is(RecaptureRisk::Unknown)),
            of: share.of + 1,
        })
    }

    /// The share of HIGH, and the total.
    fn high(self) -> String {
        match self.of {
            0 => "–".to_owned(),
            of => format!("{:.1} % of {of}", percent(self.high, of)),
        }
    }

    fn unknown(self) -> String {
        if self.of == 0 { "–".to_owned() } else { format!("{:.0} %", percent(self.unknown, self.of)) }
    }
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of as f64
}

/// Prints all tables of verdicts.
pub(crate) fn verdicts(outcomes: &[Outcome<'_>]) {
    targets(outcomes);
    displays(outcomes);
    soft(outcomes);
    world(outcomes);
}

/// The shares of photos in the rows that a predicate selects.
fn share(outcomes: &[Outcome<'_>], pick: impl Fn(&Row) -> bool) -> Share {
    Share::of(outcomes.iter().filter(|outcome| pick(&outcome.planned.row)))
}

fn in_focus(row: &Row, bands: std::ops::Range<usize>) -> bool {
    matches!(row, Row::Display { band, focus: Focus::Sharp, .. } if bands.contains(band))
}

/// The figures that have a target.
fn targets(outcomes: &[Outcome<'_>]) {
    type Pick = fn(&Row) -> bool;
    let figures: [(&str, &str, Pick); 5] = [
        ("displays in focus, 1.5 to 4 pixels per display pixel", "at least 82 %", |row| in_focus(row, 1..5)),
        ("displays in focus, 2 to 4", "at least 90 %", |row| in_focus(row, 2..5)),
        ("the world, all of it", "at most 0.7 %", |row| matches!(row, Row::World { .. })),
        ("plain photographs", "none", |row| matches!(row, Row::World { plain: true, .. })),
        ("control display without pixels", "none", |row| matches!(row, Row::Control)),
    ];
    println!("| | target | HIGH |\n|---|---|---|");
    for (what, target, pick) in figures {
        println!("| {what} | {target} | {} |", share(outcomes, pick).high());
    }
    println!();
}

/// Displays in focus, by panel and by pixels per display pixel.
fn displays(outcomes: &[Outcome<'_>]) {
    println!("HIGH for displays in focus, by camera pixels per display pixel:\n");
    println!("| | {} |", BANDS.map(|(from, to)| format!("{from} to {to}")).join(" | "));
    println!("|---{}|", "|---".repeat(BANDS.len()));
    for panel in Panel::WITH_PIXELS {
        let cells = std::array::from_fn::<_, { BANDS.len() }, _>(|wanted| {
            share(outcomes, |row| *row == Row::Display { panel, band: wanted, focus: Focus::Sharp }).high()
        });
        println!("| {} | {} |", panel.name(), cells.join(" | "));
    }
    let all = std::array::from_fn::<_, { BANDS.len() }, _>(|wanted| {
        share(outcomes, |row| in_focus(row, wanted..wanted + 1)).high()
    });
    println!("| **all** | {} |\n", all.join(" | "));
}

/// The effect of focus, over all panels, because these photos are fewer.
fn soft(outcomes: &[Outcome<'_>]) {
    println!("HIGH by focus, all displays:\n");
    println!("| focus | {} |", BANDS.map(|(from, to)| format!("{from} to {to}")).join(" | "));
    println!("|---{}|", "|---".repeat(BANDS.len()));
    for wanted_focus in [Focus::Sharp, Focus::Soft, Focus::Blurred] {
        let cells = std::array::from_fn::<_, { BANDS.len() }, _>(|wanted| {
            let picked = outcomes.iter().filter(|outcome| {
                matches!(outcome.planned.row, Row::Display { band, focus, .. } if band == wanted && focus == wanted_focus)
            });
            Share::of(picked).high()
        });
        println!("| {} | {} |", wanted_focus.name(), cells.join(" | "));
    }
    println!();
}

/// False HIGH verdicts, and the share of UNKNOWN, by kind.
fn world(outcomes: &[Outcome<'_>]) {
    let mut kinds: Vec<&str> = Vec::new();
    for outcome in outcomes {
        if let Row::World { kind, .. } = outcome.planned.row
            && !kinds.contains(&kind)
        {
            kinds.push(kind);
        }
    }
    kinds.sort_unstable();
    println!("The world. HIGH is false here; UNKNOWN refuses nothing:\n");
    println!("| | HIGH | UNKNOWN |\n|---|---|---|");
    let line = |name: &str, pick: &dyn Fn(&Row) -> bool| {
        let share = share(outcomes, pick);
        println!("| {name} | {} | {} |", share.high(), share.unknown());
    };
    for wanted in kinds {
        line(wanted, &|row| matches!(row, Row::World { kind, .. } if *kind == wanted));
    }
    line("**all**", &|row| matches!(row, Row::World { .. }));
    println!();
    let textures = GROUPS.iter().map(|(_, kinds)| kinds.len()).sum::<usize>();
    let mut sources: Vec<&str> = outcomes.iter().map(|outcome| outcome.planned.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    println!("These are of {} photographs and {textures} kinds of texture.\n", sources.len() - textures);
}

/// Time and memory.
pub(crate) fn costs(costs: &[Cost]) {
    println!("One thread, decoding included; of each photo the least of several looks:\n");
    println!("| frame | photos | CPU, median | least to most | memory, at most | target |");
    println!("|---|---|---|---|---|---|");
    for Cost { size: (width, height), photos, median, least, most, bytes_per_pixel } in costs {
        let [median, least, most] = [median, least, most].map(|time| time.as_secs_f64() * 1e3);
        println!(
            "| {width}x{height} | {photos} | {median:.1} ms | {least:.1} to {most:.1} ms | {bytes_per_pixel:.2} bytes per pixel | 6 |"
        );
    }
}
