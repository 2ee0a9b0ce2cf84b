//! The benchmark: the compared services, and the order of the measurements.

use std::{sync::Arc, time::Duration};

use crate::{
    Arguments, Failure,
    accounts::connection,
    child::Child,
    contenders::Contenders,
    judge::judge,
    load::{Load, Measured, decoding},
    phases::Phases,
    report,
    staple::Staple,
};

/// How long each handler runs before measurements start.
const WARM_UP: Duration = Duration::from_secs(2);
const WARM_UP_CLIENTS: usize = 4;
/// Upper bound of the captures that this machine makes in a second.
const CAPTURES_PER_SECOND: usize = 400;

/// The configuration of the benchmark.
struct Bench {
    contenders: Contenders,
    photos: Arc<[Vec<u8>]>,
    time: Duration,
    rounds: u32,
}

/// Runs all measurements and prints the results.
pub(crate) async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let photos: Vec<Vec<u8>> = arguments.photos.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let contenders = Contenders::start(arguments).await?;
    report::head(&photos);
    judge(&contenders, &photos[0], arguments).await?;
    let time = Duration::from_secs(arguments.seconds);
    let bench = Bench { contenders, photos: photos.into(), time, rounds: arguments.rounds };
    for (_, handlers) in bench.contenders.all() {
        bench.measure(handlers, &bench.contenders.accounts.without_terms, WARM_UP_CLIENTS, WARM_UP).await?;
    }
    bench.compare(&arguments.clients).await?;
    bench.terms().await
}

impl Bench {
    async fn measure(
        &self,
        handlers: &Child,
        license_key: &str,
        clients: usize,
        time: Duration,
    ) -> Result<Measured, Failure> {
        let api_keys = self.contenders.accounts.api_keys(time.as_secs() as usize * CAPTURES_PER_SECOND).await?;
        let load = Load { clients, time, photos: Arc::clone(&self.photos) };
        load.run(&self.contenders.client(handlers, license_key)?, &api_keys, handlers, &self.contenders.stand_ins).await
    }

    /// Compares all services at each number of clients.
    async fn compare(&self, numbers_of_clients: &[usize]) -> Result<(), Failure> {
        let license_key = &self.contenders.accounts.without_terms;
        let (mut rows, mut phases, mut memory) = (Vec::new(), Vec::new(), Vec::new());
        for &clients in numbers_of_clients {
            let mut measured: Vec<_> = self.contenders.all().map(|(name, _)| (name, Vec::new())).collect();
            self.contenders.lacre.take_metrics();
            self.contenders.lacre.reset_peak_memory()?;
            // Services alternate, so that other load on the machine affects all of them.
            for _ in 0..self.rounds {
                for ((_, handlers), (_, rounds)) in self.contenders.all().zip(&mut measured) {
                    rounds.push(self.measure(handlers, license_key, clients, self.time).await?);
                }
            }
            phases.push((clients, Phases::of(&self.contenders.lacre.take_metrics())));
            memory.push((clients, self.contenders.lacre.peak_memory()?));
            rows.push((clients, measured));
        }
        report::throughput(&rows);
        report::steps(&rows);
        report::phases(&phases);
        report::memory(&memory);
        Ok(())
    }

    /// Measures the cost of optional terms, and of the OCSP response in photos.
    async fn terms(&self) -> Result<(), Failure> {
        let accounts = &self.contenders.accounts;
        let staple = Staple::prepare(&connection(self.contenders.stand_ins.variables())?).await?;
        let response = format!("OCSP response, {} bytes", staple.size());
        let mut rows = [
            ("none", &accounts.without_terms, false, Vec::new()),
            ("recapture gate", &accounts.with_gate, false, Vec::new()),
            ("fingerprint", &accounts.with_fingerprint, false, Vec::new()),
            (&*response, &accounts.without_terms, true, Vec::new()),
        ];
        for _ in 0..self.rounds {
            for (_, license_key, is_stapled, rounds) in &mut rows {
                staple.embed(*is_stapled).await?;
                rounds.push(self.measure(&self.contenders.lacre, license_key, 1, self.time).await?);
            }
        }
        report::terms(&rows.map(|(term, _, _, rounds)| (term, rounds)), decoding(&self.photos)?);
        Ok(())
    }
}
