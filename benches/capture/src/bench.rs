//! The benchmark: who takes part, and what is measured in which order.

use std::{process::Command, sync::Arc, time::Duration};

use crate::{
    Arguments, Failure,
    accounts::Accounts,
    capture::Client,
    child::Child,
    judge::judge,
    load::{Load, Measured, decoding},
    phases::Phases,
    report,
};

/// The Python handler with its libraries as they come, and without what they do beyond the service.
const PEERS: [&str; 2] = ["plain", "tuned"];
/// How long each handler works before anything is measured.
const WARM_UP: Duration = Duration::from_secs(2);
const WARM_UP_CLIENTS: usize = 4;
/// More captures than this machine makes in a second.
const CAPTURES_PER_SECOND: usize = 400;

/// Those whose captures are compared, and whom they call.
pub(crate) struct Bench {
    // In this order they end: the stand-ins last.
    pub(crate) lacre: Child,
    /// The Python peers, as `PEER` names each.
    pub(crate) peers: Vec<(&'static str, Child)>,
    pub(crate) accounts: Accounts,
    pub(crate) stand_ins: Child,
    photos: Arc<[Vec<u8>]>,
    time: Duration,
    rounds: u32,
}

/// Measures, and prints.
pub(crate) async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let bench = Bench::start(arguments).await?;
    report::head(&bench.photos);
    judge(&bench, &bench.photos[0], arguments).await?;
    for (_, handlers) in bench.all() {
        bench.measure(handlers, &bench.accounts.gate_off, WARM_UP_CLIENTS, WARM_UP).await?;
    }
    bench.compare(&arguments.clients).await?;
    bench.gate().await
}

impl Bench {
    async fn start(arguments: &Arguments) -> Result<Self, Failure> {
        let photos: Vec<Vec<u8>> = arguments.photos.iter().map(std::fs::read).collect::<Result<_, _>>()?;
        let program = std::env::current_exe()?;
        let stand_ins = Child::start(Command::new(&program).arg("stand-ins"), &[])?;
        let mut environment = stand_ins.variables().to_vec();
        let lacre = Child::start(Command::new(&program).arg("handlers"), &environment)?;
        // The source's folder stays as it is.
        environment.push(("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()));
        let start = |peer: &'static str| {
            let named = ("PEER".to_owned(), peer.to_owned());
            let environment: Vec<_> = environment.iter().cloned().chain([named]).collect();
            let mut gunicorn = Command::new(arguments.python.join("bin/gunicorn"));
            gunicorn.arg("gateway:application").current_dir(&arguments.peer);
            Ok::<_, Failure>((peer, Child::start(&mut gunicorn, &environment)?))
        };
        let peers = PEERS.into_iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self {
            accounts: Accounts::new(&environment).await?,
            lacre,
            peers,
            stand_ins,
            photos: photos.into(),
            time: Duration::from_secs(arguments.seconds),
            rounds: arguments.rounds,
        })
    }

    /// The handlers by their names, ours first.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &Child)> + Clone {
        std::iter::once(("Lacre", &self.lacre)).chain(self.peers.iter().map(|(name, peer)| (*name, peer)))
    }

    /// A client of some handlers, under a license.
    pub(crate) fn client(&self, handlers: &Child, license_key: &str) -> Result<Client, Failure> {
        let base_url = handlers.variable("BASE_URL")?.to_owned();
        Ok(Client { http: reqwest::Client::new(), base_url, license_key: license_key.to_owned() })
    }

    async fn measure(
        &self,
        handlers: &Child,
        license_key: &str,
        clients: usize,
        time: Duration,
    ) -> Result<Measured, Failure> {
        let api_keys = self.accounts.api_keys(time.as_secs() as usize * CAPTURES_PER_SECOND).await?;
        let load = Load { clients, time, photos: Arc::clone(&self.photos) };
        load.run(&self.client(handlers, license_key)?, &api_keys, handlers, &self.stand_ins).await
    }

    /// All, at each number of clients.
    async fn compare(&self, numbers_of_clients: &[usize]) -> Result<(), Failure> {
        let license_key = &self.accounts.gate_off;
        let (mut rows, mut phases) = (Vec::new(), Vec::new());
        for &clients in numbers_of_clients {
            let mut measured: Vec<_> = self.all().map(|(name, _)| (name, Measured::default())).collect();
            self.lacre.take_metrics();
            // In turn, so that a busy moment of the machine hits all.
            for _ in 0..self.rounds {
                for ((_, handlers), (_, measured)) in self.all().zip(&mut measured) {
                    *measured += self.measure(handlers, license_key, clients, self.time).await?;
                }
            }
            phases.push((clients, Phases::of(&self.lacre.take_metrics())));
            rows.push((clients, measured));
        }
        report::throughput(&rows);
        report::steps(&rows);
        report::phases(&phases);
        Ok(())
    }

    /// The share of the recapture gate.
    async fn gate(&self) -> Result<(), Failure> {
        let (mut off, mut block) = (Measured::default(), Measured::default());
        for _ in 0..self.rounds {
            off += self.measure(&self.lacre, &self.accounts.gate_off, 1, self.time).await?;
            block += self.measure(&self.lacre, &self.accounts.gate_block, 1, self.time).await?;
        }
        report::gate(&off, &block, decoding(&self.photos)?);
        Ok(())
    }
}
