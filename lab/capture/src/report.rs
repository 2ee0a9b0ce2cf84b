//! Prints the results as Markdown tables.

use std::time::Duration;

use crate::{
    capture::{INGEST, STEPS},
    load::{Measured, mean},
    phases::Phases,
};

/// A number of clients, and the measurements of each service: Lacre first, then the peers.
pub(crate) type Row = (usize, Vec<(&'static str, Measured)>);

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

/// Prints the throughput of each service, and ours as a multiple of each peer's.
pub(crate) fn throughput(rows: &[Row]) {
    println!(
        "| Clients | | captures | per second | handlers' CPU per capture | **per CPU second** | stand-ins' CPU per capture |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (clients, measured) in rows {
        for (name, measured) in measured {
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
            let times = |of: fn(&Measured) -> Duration| lacre.per(of(lacre)) / peer.per(of(peer));
            let (a_second, a_cpu_second) = (times(|m| m.elapsed), times(|m| m.handlers));
            println!("| {clients} | **times {name}** | | {a_second:.1} | | **{a_cpu_second:.1}** | |");
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
        for (name, measured) in measured {
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

/// The cost of optional terms: processor time and the ingest's duration with one client.
pub(crate) fn terms(rows: &[(&'static str, Measured)], decoding: Duration) {
    println!("Lacre with one client and one optional term:\n");
    println!("| Term | captures | CPU per capture | ingest |");
    println!("|---|---|---|---|");
    for (term, measured) in rows {
        let durations: Vec<Duration> = measured.captures.iter().map(|times| times[INGEST]).collect();
        println!(
            "| {term} | {} | {:.2} ms | {:.1} ms |",
            durations.len(),
            measured.each(measured.handlers),
            milliseconds(mean(&durations))
        );
    }
    println!("\nDecoding the photo, which each does: {:.2} ms.", milliseconds(decoding));
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
