//! The services that are compared, with what they call.

use std::process::Command;

use crate::{Arguments, Failure, accounts::Accounts, capture::Client, child::Child};

/// The Python handler with its libraries as they come, and without what they do beyond the service.
const PEERS: [&str; 2] = ["plain", "tuned"];

/// The handlers whose captures are compared, and the stand-ins that they call.
pub(crate) struct Contenders {
    // Dropped in this order: the stand-ins last.
    pub(crate) lacre: Child,
    /// The Python peers, as `PEER` names each.
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
        Ok(Self { accounts: Accounts::new(&environment).await?, lacre, peers, stand_ins })
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
}
