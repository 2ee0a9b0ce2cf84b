//! The whole service in this process: AWS or its stand-ins, the resources that a first start creates, and the gateways.

use std::{net::Ipv4Addr, sync::Arc};

use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
use lacre_console::Console;
use lacre_domain::{Environment, Origin};
use lacre_proof::Anchors;
use lacre_storage::{Config, Connection, LogSigner, StaticCredentials, TimeBudgets};
use tokio::task::JoinSet;

use crate::{
    clients::Clients,
    cloud_watch::CloudWatch,
    demo::{self, Addresses, Demo},
    event_sources::{self, Rule},
    functions::Functions,
    gateway::{self, Access, Authorizer, Lambda},
    local_aws::start_stand_ins,
    log_server,
    options::{Aws, Options},
    provision,
    public::{self, Bound, Objects, Parts, Port, Trust},
    seed::Keys,
    server::{self, Server, listen},
    stand_ins::{self, LastWrite, Stack, StackPorts},
    state::State,
    timestamps::Authority,
    verify_page,
};

/// Name of the stack.
pub(crate) const STACK: &str = "local";

/// Origin of the transparency log.
const LOG_ORIGIN: &str = "localhost/lacre-log";

/// Why the service could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A stand-in could not start.
    #[error(transparent)]
    StandIn(#[from] stand_ins::Error),
    /// A port is taken, or a file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A variable is missing.
    #[error(transparent)]
    Config(#[from] lacre_storage::ConfigError),
    /// Tables, buckets or keys could not be created.
    #[error(transparent)]
    Provision(#[from] provision::Error),
    /// The accounts could not be stored.
    #[error("seeding: {0}")]
    Seed(#[from] lacre_administration::Error),
    /// The key of the transparency log cannot be read.
    #[error("the log's key: {0}")]
    LogKey(lacre_domain::SignError),
    /// The issued root certificates cannot be read.
    #[error("trust anchors: {0}")]
    TrustAnchors(String),
}

/// The running service. It stops when it is dropped.
pub struct Service {
    base: Server,
    license: Server,
    capture: Server,
    admin: Server,
    proofs: Server,
    demo_url: String,
    _demo: Server,
    public: Option<Port>,
    verify_url: String,
    _verify_page: Server,
    log_url: String,
    log_key: String,
    _log: Server,
    console: Console,
    authority: Authority,
    state: State,
    variables: Vec<(String, String)>,
    connection: Connection,
    cloud_watch: CloudWatch,
    rule: Rule,
    _event_sources: Option<JoinSet<()>>,
    _stack: Option<Stack>,
}

impl Service {
    /// Starts everything and returns once the service accepts requests.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn start(options: Options) -> Result<Self, Error> {
        let port = |offset: u16| if options.port == 0 { 0 } else { options.port.saturating_add(offset) };
        // Ports are bound first, so that a second start on the same ports fails before it touches any data.
        let listen = |offset: u16| listen(options.address, port(offset));
        let (base, license) = (listen(0).await?, listen(1).await?);
        let (demo, admin, timestamps) = (listen(2).await?, listen(3).await?, listen(4).await?);
        let (capture, verify_page, log) = (listen(9).await?, listen(10).await?, listen(13).await?);
        let proofs = listen(16).await?;
        // The console always listens on loopback, whatever address the other servers listen on.
        let console = server::listen(Ipv4Addr::LOCALHOST.into(), port(12)).await?;
        let public = match &options.public {
            Some(public) => Some(Bound::to(public, port(14), port(15)).await?),
            None => None,
        };
        let public_origin = public.as_ref().map(Bound::origin).cloned();
        let address = options.address;
        let stack_ports =
            StackPorts { address, dynamodb: port(5), s3: port(6), kms: port(7), sns: port(8), sts: port(11) };
        let (stack, storage, mut variables) = match &options.aws {
            Aws::StandIns(storage) => {
                if options.fresh {
                    storage.clear()?;
                }
                let (stack, variables) = start_stand_ins(storage, stack_ports).await?;
                (Some(stack), Some(storage), variables)
            }
            Aws::External(external) => (None, external.data.as_ref(), external.variables_of_a_service()),
        };
        let s3_url = s3_url(&variables);
        // The origin of presigned URLs, to which browsers upload and from which they read signed photos.
        let upload_url = public_origin.as_ref().map_or_else(|| s3_url.clone(), Origin::to_string);
        for (name, value) in [
            ("STACK_NAME", STACK),
            ("ANNOUNCES_TO_OWN_MACHINE", "yes"),
            ("UPLOAD_ORIGIN", &upload_url),
            ("LOG_ORIGIN", LOG_ORIGIN),
        ] {
            variables.push((name.to_owned(), value.to_owned()));
        }
        let presigned = public_origin.as_ref().map(|origin| ("PRESIGNED_URL_ORIGIN".to_owned(), origin.to_string()));
        variables.extend(presigned);
        let config = |first: &[(String, String)]| {
            let lookup = first.iter().chain(&variables);
            Config::from_lookup(|name| lookup.clone().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
        };
        let connection = Connection::new(Config { budgets: TimeBudgets::RELAXED, ..config(&[])? })?;
        let authority = Authority::start(timestamps, storage, &options.clock).await?;
        let state = State::of(storage, &connection, &options.clock, &authority, public_origin.as_ref()).await?;
        let cloud_watch = CloudWatch::new(&options.clock);
        let functions = Config { budgets: options.budgets, ..config(&options.environment)? };
        let functions = Connection::new(functions)?;
        let lambda = Lambda { watch: cloud_watch.clone(), concurrency: options.concurrency, timeout: options.timeout };
        let functions = Functions::warm(&functions, &options.clock, options.analyse, &lambda).await;
        let public_api = functions.web.iter().chain([&functions.validate]).cloned().collect();
        let public_api = gateway::router(public_api, Access::Pages, ("WebApi", &cloud_watch));
        let public_hosted = gateway::router(
            functions.hosted.clone(),
            Access::Hosted(public_origin.clone()),
            ("CaptureApi", &cloud_watch),
        );
        let base = gateway::start(base, functions.web, Access::Pages, ("WebApi", &cloud_watch))?;
        let license = gateway::start(license, vec![functions.validate], Access::Pages, ("LicenseApi", &cloud_watch))?;
        let capture = gateway::start(capture, functions.hosted, Access::Hosted(None), ("CaptureApi", &cloud_watch))?;
        let authorizer = Authorizer::new(&connection.config().credentials, &connection.config().region);
        let admin = gateway::start(admin, functions.admin, Access::Signed(authorizer), ("AdminApi", &cloud_watch))?;
        let proofs = gateway::start(proofs, functions.proofs, Access::Backends, ("ProofsApi", &cloud_watch))?;
        let clients = Clients::new(connection.config());
        provision::topic(&clients, connection.config()).await?;
        let rule = Rule::default();
        let event_sources = match options.follows_streams {
            true => {
                let tables = &connection.config().tables;
                let Functions { alerts, export, prints, revocation, sequencer, webhooks, .. } = functions;
                let workers = (alerts, export, prints, revocation, sequencer, webhooks);
                let last_write = match &options.aws {
                    Aws::StandIns(storage) => LastWrite::of(storage),
                    Aws::External(_) => LastWrite::UNKNOWN,
                };
                Some(event_sources::start(&clients, &last_write, tables, workers, &cloud_watch, &rule).await?)
            }
            false => None,
        };
        let log_key = LogSigner::new(&connection).key(Environment::Sandbox).await.map_err(Error::LogKey)?.to_string();
        let (log, log_url) = log_server::start(log, clients.s3, connection.config().buckets.log.read())?;
        let (verify_page, verify_url) = verify_page::start(verify_page, &state.trust_anchors_pem, &log_key)?;
        let console = Console::start(
            console,
            lacre_console::Settings {
                admin_url: admin.url(),
                region: connection.config().region.clone(),
                stack_name: connection.config().stack_name.read(),
                verify_url: Some(verify_url.clone()),
                credentials: credentials(&connection),
                ca_bundle: None,
                connection: connection.clone(),
                clock: Arc::clone(&options.clock),
            },
        )?;
        let own = || Addresses { base_url: base.url(), license_url: license.url(), capture_url: capture.url() };
        let objects = Arc::new(Objects::new(&s3_url, &upload_url));
        let demo = demo::start(
            demo,
            Demo {
                own: own(),
                pages: public_origin.as_ref().map_or_else(own, public::addresses),
                upload_url,
                verify_url: verify_url.clone(),
                public: public_origin,
                objects: Arc::clone(&objects),
                keys: state.keys.clone(),
                anchors: Anchors::from_pem(&state.trust_anchors_pem).map_err(Error::TrustAnchors)?,
                clock: Arc::clone(&options.clock),
            },
        )?;
        let demo::Started { server: demo, url: demo_url, public: public_demo } = demo;
        let buckets = &connection.config().buckets;
        let parts = Parts {
            api: public_api,
            hosted: public_hosted,
            demo: public_demo,
            buckets: [buckets.uploads.read(), buckets.proofs.read()],
            objects,
        };
        let public = public.map(|bound| bound.serve(parts)).transpose()?;
        Ok(Self {
            base,
            license,
            capture,
            admin,
            proofs,
            demo_url,
            _demo: demo,
            public,
            verify_url,
            _verify_page: verify_page,
            log_url,
            log_key,
            _log: log,
            console,
            authority,
            state,
            variables,
            connection,
            cloud_watch,
            rule,
            _event_sources: event_sources,
            _stack: stack,
        })
    }

    /// `{base_url}`, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> String {
        self.base.url()
    }

    /// `{license_url}`, without a trailing slash.
    #[must_use]
    pub fn license_url(&self) -> String {
        self.license.url()
    }

    /// `{capture_url}`, without a trailing slash.
    #[must_use]
    pub fn capture_url(&self) -> String {
        self.capture.url()
    }

    /// The admin API's address, without a trailing slash. It accepts requests signed with the functions' own key.
    #[must_use]
    pub fn admin_url(&self) -> String {
        self.admin.url()
    }

    /// `{proofs_url}`, at which backends find the proof of a copy, without a trailing slash.
    #[must_use]
    pub fn proofs_url(&self) -> String {
        self.proofs.url()
    }

    /// The demo page's address, without a trailing slash.
    #[must_use]
    pub fn demo_url(&self) -> &str {
        &self.demo_url
    }

    /// The demo page's address for phones, if they can reach the service.
    #[must_use]
    pub fn public_url(&self) -> Option<String> {
        self.public.as_ref().map(Port::page_url)
    }

    /// The address that a tunnel must forward to: the port for phones on this machine, without TLS.
    #[must_use]
    pub fn tunnel_target(&self) -> Option<String> {
        self.public.as_ref().and_then(Port::tunnel_target)
    }

    /// What a phone must trust first, on the local network.
    #[must_use]
    pub fn trust(&self) -> Option<&Trust> {
        self.public.as_ref().and_then(Port::trust)
    }

    /// The verification page's address, without a trailing slash.
    #[must_use]
    pub fn verify_url(&self) -> &str {
        &self.verify_url
    }

    /// The address of the sandbox's transparency log, without a trailing slash.
    #[must_use]
    pub fn log_url(&self) -> String {
        format!("{}/{}", self.log_url, Environment::Sandbox.path())
    }

    /// The public key of the sandbox's transparency log, in the form that verifiers take.
    #[must_use]
    pub fn log_key(&self) -> &str {
        &self.log_key
    }

    /// The address that opens the console. It works once.
    #[must_use]
    pub fn console_url(&self) -> String {
        self.console.opening_url()
    }

    /// The timestamp authority's address.
    #[must_use]
    pub fn tsa_url(&self) -> String {
        self.authority.url()
    }

    /// The keys of the seeded accounts.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.state.keys
    }

    /// Root certificates of the development hierarchies in PEM: those of both signatures and of the timestamps.
    #[must_use]
    pub fn trust_anchors_pem(&self) -> &str {
        &self.state.trust_anchors_pem
    }

    /// A connection to AWS, for tests that change or read stored data.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The metrics that CloudWatch would have of this service.
    #[must_use]
    pub fn cloud_watch(&self) -> &CloudWatch {
        &self.cloud_watch
    }

    /// The rule of the `alerts` schedule.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Names and values of the variables that clients or a function's environment need: addresses, endpoints,
    /// credentials, resource names and keys.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        let urls = [
            ("BASE_URL", self.base_url()),
            ("LICENSE_URL", self.license_url()),
            ("CAPTURE_URL", self.capture_url()),
            ("PROOFS_URL", self.proofs_url()),
            ("ADMIN_URL", self.admin_url()),
            ("DEMO_URL", self.demo_url.clone()),
            ("VERIFY_URL", self.verify_url.clone()),
            ("CONSOLE_URL", self.console_url()),
            ("LOG_URL", self.log_url()),
            ("LOG_KEY", self.log_key.clone()),
            ("SEAL_HOLDER", lacre_pki::SEAL_HOLDER_CNPJ.to_owned()),
            ("TSA_URL", self.tsa_url()),
        ];
        let urls = urls.into_iter().map(|(name, value)| (name.to_owned(), value));
        let public = [("PUBLIC_URL", self.public_url()), ("TUNNEL_TARGET", self.tunnel_target())];
        let public = public.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let keys = self.state.keys.variables().into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        urls.chain(public).chain(keys).chain(self.variables.iter().cloned()).collect()
    }
}

/// S3's endpoint.
fn s3_url(variables: &[(String, String)]) -> String {
    let variable = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")).unwrap_or_default()
}

/// The access key that the admin gateway accepts.
fn credentials(connection: &Connection) -> SharedCredentialsProvider {
    let StaticCredentials { access_key_id, secret_access_key, session_token } = connection.config().credentials.clone();
    SharedCredentialsProvider::new(Credentials::new(access_key_id, secret_access_key, session_token, None, "local"))
}
