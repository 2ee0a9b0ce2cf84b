//! Runs concurrent clients, each making one capture after the other, and measures them.

use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::try_join_all;

use crate::{
    Failure,
    capture::{Client, STEPS, fresh},
    child::Child,
};

/// How often each photo is decoded when measuring the cost of decoding.
const DECODINGS: u32 = 20;

/// The load of a measurement: number of clients, and duration.
pub(crate) struct Load {
    pub(crate) clients: usize,
    pub(crate) time: Duration,
    pub(crate) photos: Arc<[Vec<u8>]>,
}

/// The measurements of captures.
#[derive(Default)]
pub(crate) struct Measured {
    /// The duration of each step of each capture.
    pub(crate) captures: Vec<[Duration; STEPS.len()]>,
    /// Time from the start of the first capture to the end of the last.
    pub(crate) elapsed: Duration,
    /// The processor time of the handlers' processes.
    pub(crate) handlers: Duration,
    /// The processor time of the stand-ins.
    pub(crate) stand_ins: Duration,
}

impl Measured {
    /// The measurements of all rounds together.
    pub(crate) fn total(rounds: &[Self]) -> Self {
        let mut total = Self::default();
        for round in rounds {
            total.captures.extend(&round.captures);
            total.elapsed += round.elapsed;
            total.handlers += round.handlers;
            total.stand_ins += round.stand_ins;
        }
        total
    }
}

impl Load {
    /// Runs the clients' captures. There must be an API key for each capture that may be made.
    pub(crate) async fn run(
        &self,
        client: &Client,
        api_keys: &[String],
        handlers: &Child,
        stand_ins: &Child,
    ) -> Result<Measured, Failure> {
        let (handlers_before, stand_ins_before) = (handlers.processor_time()?, stand_ins.processor_time()?);
        let (begun, next) = (Instant::now(), AtomicUsize::new(0));
        let one_client = |_| self.captures(client, begun, api_keys, &next);
        let captures = try_join_all((0..self.clients).map(one_client)).await?.concat();
        Ok(Measured {
            captures,
            elapsed: begun.elapsed(),
            handlers: handlers.processor_time()? - handlers_before,
            stand_ins: stand_ins.processor_time()? - stand_ins_before,
        })
    }

    /// The captures of one client. A capture that starts in time is completed.
    async fn captures(
        &self,
        client: &Client,
        begun: Instant,
        api_keys: &[String],
        next: &AtomicUsize,
    ) -> Result<Vec<[Duration; STEPS.len()]>, Failure> {
        let mut captures = Vec::new();
        while begun.elapsed() < self.time {
            let ticket = next.fetch_add(1, Ordering::Relaxed);
            let api_key = api_keys.get(ticket).ok_or("more captures than API keys for them")?;
            let frame = fresh(&self.photos[ticket % self.photos.len()]);
            captures.push(client.capture(api_key, frame).await?.times);
        }
        Ok(captures)
    }
}

/// Mean time to parse and decode a photo.
pub(crate) fn decoding(photos: &[Vec<u8>]) -> Result<Duration, Failure> {
    let mut taken = Vec::new();
    for photo in photos {
        for _ in 0..DECODINGS {
            let begun = Instant::now();
            black_box(lacre_photo::decode(photo)?);
            taken.push(begun.elapsed());
        }
    }
    Ok(mean(&taken))
}

/// Mean of durations.
pub(crate) fn mean(times: &[Duration]) -> Duration {
    times.iter().sum::<Duration>().checked_div(times.len() as u32).unwrap_or_default()
}

/// Median of durations.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
