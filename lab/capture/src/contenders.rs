//! The compared services and the stand-ins that they call.

use std::process::Command;

use crate::{Arguments, Failure, accounts::Accounts, capture::Client, child::Child};

/// Variants of the Python handler: `plain` uses its libraries' defaults; `tuned` disables what the service does not do
/// either.
const PEERS: [&str; 2] = ["plain", "tuned"];

/// The compared handlers, and the stand-ins that they call.
pub(crate) struct Contenders {
    // Fields are dropped in this order, so the stand-ins stop last.
    pub(crate) lacre: Child,
    /// The Python peers, by the value of `PEER`.
    peers: Vec<(&'static str, Child)>,
    pub(crate) accounts: Accounts,
    pub(crate) stand_ins: Child,
}

impl Contenders {
    /// Starts the stand-ins and all handlers.
    pub(crate) async fn start(arguments: &Arguments) -> Result<Self, Failure> {
        let program = std::env::current_exe()?;
        let stand_ins = Child::start(Command::new(&program).arg("stand-ins"), &[])?;
        let mut environment = stand_ins.variables().to_vec();
        let lacre = Child::start(Command::new(&program).arg("handlers"), &environment)?;
        // Keeps the source folder unchanged.
        environment.push(("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()));
        let start = |peer: &'static str| {
            let named = ("PEER".to_owned(), peer.to_owned());
            let environment: Vec<_> = environment.iter().cloned().chain([named]).collect();
            let mut gunicorn = Command::new(arguments.python.join("bin/gunicorn"));
            gunicorn.arg("gateway:application").current_dir(&arguments.peer);
            Ok::<_, Failure>((peer, Child::start(&mut gunicorn, &environment)?))
        };
        let peers = PEERS.into_iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self { accounts: Accounts::new(&environment).await?, lacre, peers, stand_ins })
    }

    /// The handlers by name, ours first.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &Child)> + Clone {
        std::iter::once(("Lacre", &self.lacre)).chain(self.peers.iter().map(|(name, peer)| (*name, peer)))
    }

    /// A client of a handler, under a license.
    pub(crate) fn client(&self, handlers: &Child, license_key: &str) -> Result<Client, Failure> {
        let base_url = handlers.variable("BASE_URL")?.to_owned();
        Ok(Client { http: reqwest::Client::new(), base_url, license_key: license_key.to_owned() })
    }
}
