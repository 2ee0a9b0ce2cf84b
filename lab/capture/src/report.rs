//! Prints the results as Markdown tables.

use std::time::Duration;

use crate::{
    capture::{INGEST, STEPS},
    dossiers::Made,
    instructions::Profile,
    load::{Measured, mean, median},
    phases::Phases,
};

/// A number of clients, and the measurements of each service in each round: Lacre first, then the peers.
pub(crate) type Row = (usize, Vec<(&'static str, Vec<Measured>)>);

/// Prints what is measured, and on which machine.
pub(crate) fn head(photos: &[Vec<u8>]) {
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    let kilobytes: Vec<String> = photos.iter().map(|photo| format!("{} kB", photo.len() / 1000)).collect();
    println!("# Captures\n");
    println!(
        "A capture is a session created and loaded, a photo uploaded ({}), the ingest, the results.",
        kilobytes.join(", ")
    );
    println!("Clients, stand-ins and handlers share {processors} processors, whose load was {load} before.");
    println!(
        "Processor time is that of the handlers' processes alone. The recapture gate is off in all, and timestamps are off.\n"
    );
}

/// Prints the throughput of each service, and ours as a multiple of each peer's, with the least and the most of all rounds.
pub(crate) fn throughput(rows: &[Row]) {
    println!(
        "| Clients | | captures | per second | handlers' CPU per capture | **per CPU second** | stand-ins' CPU per capture |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (clients, measured) in rows {
        for (name, rounds) in measured {
            let measured = Measured::total(rounds);
            let (handlers, stand_ins) = (measured.each(measured.handlers), measured.each(measured.stand_ins));
            println!(
                "| {clients} | {name} | {} | {:.1} | {handlers:.2} ms | {:.1} | {stand_ins:.2} ms |",
                measured.captures.len(),
                measured.per(measured.elapsed),
                measured.per(measured.handlers),
            );
        }
        let [(_, lacre), peers @ ..] = &measured[..] else { continue };
        for (name, peer) in peers {
            let times = |of: fn(&Measured) -> Duration| {
                let ratio = |ours: &Measured, theirs: &Measured| ours.per(of(ours)) / theirs.per(of(theirs));
                let rounds: Vec<f64> = lacre.iter().zip(peer).map(|(ours, theirs)| ratio(ours, theirs)).collect();
                let all = ratio(&Measured::total(lacre), &Measured::total(peer));
                spread(all, &rounds, 1)
            };
            let (a_second, a_cpu_second) = (times(|m| m.elapsed), times(|m| m.handlers));
            println!("| {clients} | **times {name}** | | {a_second} | | **{a_cpu_second}** | |");
        }
    }
    println!();
}

/// Prints the duration of each step as clients see it.
pub(crate) fn steps(rows: &[Row]) {
    println!("Milliseconds of each step as a client sees it, on average:\n");
    println!("| Clients | | {} |", STEPS.join(" | "));
    println!("|---|---{}|", "|---".repeat(STEPS.len()));
    for (clients, measured) in rows {
        for (name, rounds) in measured {
            let measured = Measured::total(rounds);
            let step = |i: usize| measured.captures.iter().map(|times| times[i]).collect::<Vec<_>>();
            let steps = (0..STEPS.len()).map(|i| format!("{:.1}", milliseconds(mean(&step(i)))));
            println!("| {clients} | {name} | {} |", steps.collect::<Vec<_>>().join(" | "));
        }
    }
    println!();
}

/// The phases of an ingest.
pub(crate) fn phases(of_clients: &[(usize, Phases)]) {
    println!("Milliseconds of each phase of Lacre's ingest, by its own metrics, on average:\n");
    let names = |Phases(phases): &Phases| phases.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let Some((_, first)) = of_clients.first() else { return };
    println!("| Clients | {} |", names(first).join(" | "));
    println!("|---{}|", "|---".repeat(first.0.len()));
    for (clients, Phases(phases)) in of_clients {
        let values: Vec<String> = phases.iter().map(|(_, mean)| format!("{mean:.2}")).collect();
        println!("| {clients} | {} |", values.join(" | "));
    }
    println!();
}

/// The most memory of Lacre's handlers, the photos that they have at once included.
pub(crate) fn memory(of_clients: &[(usize, u64)]) {
    let peaks = of_clients.iter().map(|(clients, bytes)| format!("{clients}: {} MB", bytes / 1_000_000));
    println!("Lacre's peak memory by number of clients: {}.\n", peaks.collect::<Vec<_>>().join(", "));
}

/// What dossiers of copies of a photo of this size took.
pub(crate) fn dossiers(photo: usize, made: &[Made]) {
    println!("Dossiers of photos of {} kB, each by a process that has made none:\n", photo / 1000);
    println!("| Photos | Archive, MB | Time, s | CPU, s | Most memory, MB |");
    println!("|---|---|---|---|---|");
    for Made { photos, bytes, time, processor, memory } in made {
        let [bytes, memory] = [*bytes, *memory].map(|bytes| bytes / 1_000_000);
        println!("| {photos} | {bytes} | {:.2} | {:.2} | {memory} |", time.as_secs_f64(), processor.as_secs_f64());
    }
}

/// The cost of optional parts: processor time, and the median of the ingest's duration, with one client, each with the
/// least and the most of all rounds.
pub(crate) fn terms(rows: &[(&str, Vec<Measured>)], decoding: Duration) {
    println!("Lacre with one client, and one optional part:\n");
    println!("| Part | captures | CPU per capture, ms | ingest, median, ms |");
    println!("|---|---|---|---|");
    for (term, rounds) in rows {
        let all = Measured::total(rounds);
        let each = |of: fn(&Measured) -> f64| spread(of(&all), &rounds.iter().map(of).collect::<Vec<_>>(), 2);
        println!(
            "| {term} | {} | {} | {} |",
            all.captures.len(),
            each(|measured| measured.each(measured.handlers)),
            each(|measured| milliseconds(median(measured.captures.iter().map(|times| times[INGEST]).collect())))
        );
    }
    println!("\nDecoding the photo, which each does: {:.2} ms.", milliseconds(decoding));
}

/// Number of functions that [`instructions`] lists.
const FUNCTIONS: usize = 25;

/// The instructions of an ingest by what they are for, for each photo, and the functions with most of them.
pub(crate) fn instructions(profiles: &[(String, Profile)], ingests: u32) {
    let millions = |count: f64| count / f64::from(ingests) / 1e6;
    for (photo, profile) in profiles {
        let total = profile.total() as f64;
        println!("An ingest of {photo} takes {:.1} million instructions:\n", millions(total));
        println!("| For | Million instructions | % |");
        println!("|---|---|---|");
        for (purpose, count) in profile.by_purpose() {
            println!("| {purpose} | {:.2} | {:.1} |", millions(count), count * 100.0 / total);
        }
        println!("\n| Function | Its own, million | For |");
        println!("|---|---|---|");
        for (function, own, purpose) in profile.largest(FUNCTIONS) {
            println!("| `{function}` | {:.2} | {} |", millions(own as f64), purpose.unwrap_or("its callers"));
        }
        println!();
    }
}

/// A figure, followed by the least and the most of its rounds.
fn spread(figure: f64, rounds: &[f64], decimals: usize) -> String {
    let (least, most) = (rounds.iter().copied().reduce(f64::min), rounds.iter().copied().reduce(f64::max));
    let [least, most] = [least, most].map(Option::unwrap_or_default);
    format!("{figure:.decimals$} ({least:.decimals$} to {most:.decimals$})")
}

impl Measured {
    /// Captures per second of a duration.
    fn per(&self, time: Duration) -> f64 {
        self.captures.len() as f64 / time.as_secs_f64()
    }

    /// Duration per capture, in milliseconds.
    fn each(&self, time: Duration) -> f64 {
        milliseconds(time) / self.captures.len() as f64
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
