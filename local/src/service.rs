//! The whole service in this process: stand-ins, provisioning, seeds, and the gateways in front of the functions.

use std::{path::PathBuf, sync::Arc};

use aws::{Accounts, Config, Connection};
use axum::http::Method;
use create_session::CreateSession;
use domain::Clock;
use image::Image;
use ingest::Ingest;
use lacre_http::SystemClock;
use load_session::LoadSession;
use serde::{Deserialize, Serialize};
use session_results::SessionResults;
use validate::Validate;

use crate::{
    clients::Clients,
    gateway::{self, Function, Route},
    provision,
    seed::{self, Keys},
    server::{Server, listen},
    stand_ins::{self, Identity, KeyPair, Stack, StackPorts, Storage},
};

/// What was issued at the first start, so that the next one with the same data prints it again.
const STATE_FILE: &str = "service.json";

/// The stand-ins take these; they protect nothing but the tests' honesty.
const ROLE: (&str, &str) = ("local-role", "local-role-secret");
const PRESIGNER: (&str, &str) = ("local-presigner", "local-presigner-secret");
const REGION: &str = "sa-east-1";

/// How to start.
pub struct Options {
    /// Who plays AWS.
    pub aws: Aws,
    /// The base gateway's port; the others follow it. 0 takes free ones.
    pub port: u16,
    /// The functions' clock.
    pub clock: Arc<dyn Clock>,
}

/// Who plays AWS.
#[derive(Clone, Debug)]
pub enum Aws {
    /// The stand-ins of this crate.
    StandIns(Storage),
    /// Another implementation, at one endpoint. What is made there has names of its own for every start.
    Elsewhere(Elsewhere),
}

/// Another implementation of AWS, with credentials that it knows.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and the others, as a function's environment has them.
    pub variables: Vec<(String, String)>,
}

impl Default for Options {
    /// In memory, on free ports, with the machine's clock.
    fn default() -> Self {
        Self { aws: Aws::StandIns(Storage::Memory), port: 0, clock: Arc::new(SystemClock) }
    }
}

impl Options {
    /// For tests: in memory on free ports, or against `LACRE_TEST_AWS_ENDPOINT` where the environment names one.
    #[must_use]
    pub fn for_tests() -> Self {
        let aws = Elsewhere::from_env().map_or(Aws::StandIns(Storage::Memory), Aws::Elsewhere);
        Self { aws, ..Self::default() }
    }
}

impl Elsewhere {
    /// What `LACRE_TEST_AWS_ENDPOINT` and the variables of AWS's own names tell; `None` without an endpoint.
    #[must_use]
    pub fn from_env() -> Option<Self> {
        const NAMES: [&str; 5] = [
            "AWS_REGION",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "PRESIGNER_ACCESS_KEY_ID",
            "PRESIGNER_SECRET_ACCESS_KEY",
        ];
        let endpoint = std::env::var("LACRE_TEST_AWS_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty())?;
        let told = NAMES.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
        Some(Self { variables: told.chain([("AWS_ENDPOINT_URL".to_owned(), endpoint)]).collect() })
    }
}

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A stand-in did not start.
    #[error(transparent)]
    StandIn(#[from] stand_ins::Error),
    /// A port is taken, or a file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A variable is missing.
    #[error(transparent)]
    Config(#[from] aws::ConfigError),
    /// Tables, buckets or keys could not be made.
    #[error(transparent)]
    Provision(#[from] provision::Error),
    /// The accounts could not be stored.
    #[error("seeding: {0}")]
    Seed(#[from] aws::Error),
    /// The data directory holds a state that this version did not write.
    #[error("{path}: {cause}; start with --fresh")]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
}

/// The running service. It stops when it is dropped.
pub struct Service {
    base: Server,
    license: Server,
    state: State,
    variables: Vec<(String, String)>,
    connection: Connection,
    _stack: Option<Stack>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    keys: Keys,
    trust_anchors_pem: String,
}

impl Service {
    /// Starts everything, and returns when it answers.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn start(options: Options) -> Result<Self, Error> {
        let port = |offset: u16| if options.port == 0 { 0 } else { options.port.saturating_add(offset) };
        // Taken first, so that a second start on the same ports stops before it touches any data.
        let (base, license) = (listen(port(0)).await?, listen(port(1)).await?);
        let stack_ports = StackPorts { dynamodb: port(5), s3: port(6), kms: port(7) };
        let (stack, variables, state_file) = match &options.aws {
            Aws::StandIns(storage) => {
                let (stack, variables) = start_stack(storage, stack_ports).await?;
                (Some(stack), variables, storage.file(STATE_FILE))
            }
            Aws::Elsewhere(elsewhere) => (None, names_of_its_own(elsewhere.variables.clone()), None),
        };
        let config = Config::from_lookup(|name| {
            variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        })?;
        let connection = Connection::new(config)?;
        let state = match state_file.as_ref().filter(|file| file.exists()) {
            Some(file) => read_state(file)?,
            None => set_up(&connection, &options.clock, state_file.as_deref()).await?,
        };
        let functions = Functions::warm(&connection, &options.clock).await;
        Ok(Self {
            license: gateway::start(license, vec![functions.validate])?,
            base: gateway::start(base, functions.web)?,
            state,
            variables,
            connection,
            _stack: stack,
        })
    }

    /// `{base_url}`, without a slash at the end.
    #[must_use]
    pub fn base_url(&self) -> String {
        self.base.url()
    }

    /// `{license_url}`, without a slash at the end.
    #[must_use]
    pub fn license_url(&self) -> String {
        self.license.url()
    }

    /// The keys of the seeded accounts.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.state.keys
    }

    /// The roots of both development hierarchies, in PEM.
    #[must_use]
    pub fn trust_anchors_pem(&self) -> &str {
        &self.state.trust_anchors_pem
    }

    /// The functions' connection to AWS: for tests that change or read what is stored.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What a client or a function's environment needs, as KEY and value: URLs, endpoints, credentials, names, keys.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        let urls = [("BASE_URL", self.base_url()), ("LICENSE_URL", self.license_url())];
        let urls = urls.into_iter().map(|(name, value)| (name.to_owned(), value));
        let keys = self.state.keys.variables().into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        urls.chain(keys).chain(self.variables.iter().cloned()).collect()
    }
}

/// The functions, by the gateway that they are behind.
struct Functions {
    web: Vec<Route>,
    validate: Route,
}

impl Functions {
    /// Builds every function and lets it do what it does at a cold start.
    async fn warm(connection: &Connection, clock: &Arc<dyn Clock>) -> Self {
        let create = CreateSession::new(connection, Arc::clone(clock));
        let load = LoadSession::new(connection, Arc::clone(clock));
        let ingest = Ingest::new(connection, Arc::clone(clock));
        let results = SessionResults::new(connection, Arc::clone(clock));
        let image = Image::new(connection, Arc::clone(clock));
        let validate = Validate::new(connection, Arc::clone(clock));
        tokio::join!(
            create.warm_up(),
            load.warm_up(),
            ingest.warm_up(),
            results.warm_up(),
            image.warm_up(),
            validate.warm_up(),
        );
        Self {
            web: vec![
                Route::new(Method::POST, "/web/sessions", Function::of(create)),
                Route::new(Method::GET, "/web/sessions/{token}", Function::of(load)),
                Route::new(Method::POST, "/web/ingest", Function::of(ingest)),
                Route::new(Method::GET, "/web/session-results/{token}", Function::of(results)),
                Route::new(Method::GET, "/web/image/{session_id}", Function::of(image)),
            ],
            validate: Route::new(Method::POST, "/validate", Function::of(validate)),
        }
    }
}

async fn start_stack(storage: &Storage, ports: StackPorts) -> Result<(Stack, Vec<(String, String)>), Error> {
    let names = [
        ("SESSIONS_TABLE", "lacre-sessions"),
        ("ACCOUNTS_TABLE", "lacre-accounts"),
        ("FRAMES_TABLE", "lacre-frames"),
        ("EVIDENCE_TABLE", "lacre-evidence"),
        ("UPLOADS_BUCKET", "lacre-uploads"),
        ("PROOFS_BUCKET", "lacre-proofs"),
        ("AWS_REGION", REGION),
        ("AWS_ACCESS_KEY_ID", ROLE.0),
        ("AWS_SECRET_ACCESS_KEY", ROLE.1),
        ("PRESIGNER_ACCESS_KEY_ID", PRESIGNER.0),
        ("PRESIGNER_SECRET_ACCESS_KEY", PRESIGNER.1),
    ];
    let pair = |(access_key_id, secret_access_key): (&str, &str), identity| KeyPair {
        access_key_id: access_key_id.to_owned(),
        secret_access_key: secret_access_key.to_owned(),
        identity,
    };
    let reader = Identity::Reader { bucket: "lacre-proofs".to_owned() };
    let stack = Stack::start(storage, ports, vec![pair(ROLE, Identity::Role), pair(PRESIGNER, reader)]).await?;
    let endpoints = [
        ("AWS_ENDPOINT_URL_DYNAMODB", stack.dynamodb_url()),
        ("AWS_ENDPOINT_URL_S3", stack.s3_url()),
        ("AWS_ENDPOINT_URL_KMS", stack.kms_url()),
    ];
    let names = names.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let endpoints = endpoints.map(|(name, value)| (name.to_owned(), value));
    Ok((stack, names.into_iter().chain(endpoints).collect()))
}

/// Services that share one AWS do not share tables and buckets.
fn names_of_its_own(mut variables: Vec<(String, String)>) -> Vec<(String, String)> {
    let suffix = aws::attempt_id();
    for (variable, name) in [
        ("SESSIONS_TABLE", "sessions"),
        ("ACCOUNTS_TABLE", "accounts"),
        ("FRAMES_TABLE", "frames"),
        ("EVIDENCE_TABLE", "evidence"),
        ("UPLOADS_BUCKET", "uploads"),
        ("PROOFS_BUCKET", "proofs"),
    ] {
        variables.push((variable.to_owned(), format!("lacre-{name}-{suffix}")));
    }
    variables
}

/// The first start. What was issued is kept last, so that a start that broke off is made again.
async fn set_up(
    connection: &Connection,
    clock: &Arc<dyn Clock>,
    state_file: Option<&std::path::Path>,
) -> Result<State, Error> {
    let (clients, accounts, now) = (Clients::new(connection.config()), Accounts::new(connection), clock.now());
    provision::storage(&clients, connection.config()).await?;
    let (trust_anchors_pem, keys) =
        tokio::join!(provision::signers(&clients, &accounts, now), seed::seed(&accounts, now),);
    let state = State { trust_anchors_pem: trust_anchors_pem?, keys: keys? };
    if let Some(path) = state_file {
        let text = serde_json::to_vec_pretty(&state).map_err(std::io::Error::other)?;
        stand_ins::write_whole(path, &[&text])?;
    }
    Ok(state)
}

fn read_state(path: &std::path::Path) -> Result<State, Error> {
    serde_json::from_slice(&std::fs::read(path)?)
        .map_err(|error| Error::State { path: path.to_owned(), cause: error.to_string() })
}
