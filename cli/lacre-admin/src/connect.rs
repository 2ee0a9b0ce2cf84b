//! Builds the connection from options and variables: table names, addresses, and credentials as the AWS CLI finds them.

use std::io;

use aws_config::{
    BehaviorVersion, Region, default_provider::credentials::DefaultCredentialsChain,
    profile::ProfileFileCredentialsProvider, provider_config::ProviderConfig,
};
use aws_credential_types::{
    Credentials,
    provider::{self, ProvideCredentials, SharedCredentialsProvider, future},
};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use lacre_domain::is_local_name;
use lacre_storage::{Config, Connection, StaticCredentials, TimeBudgets};

use crate::{failure::Failure, options::Options, variables::Variables};

const ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";
const PROFILE: &str = "AWS_PROFILE";
const ENDPOINT: &str = "AWS_ENDPOINT_URL";
const ADMIN_URL: &str = "ADMIN_URL";

/// Connects to the deployment that options and variables name. Fails if a variable in `needs` is missing.
pub(crate) async fn connect(options: &Options, needs: &[&str]) -> Result<Connection, Failure> {
    let variables = Variables::of(options)?;
    if let Some(name) = needs.iter().find(|name| variables.get(name).is_none()) {
        return Err(missing(name));
    }
    let access = Access::resolve(options, &variables).await?;
    let config = Config::from_lookup(|name| {
        access.variable(name).or_else(|| match &options.endpoint_url {
            Some(url) if name.starts_with(ENDPOINT) => Some(url.clone()),
            None if name.starts_with(ENDPOINT) => variables.first(&[name, ENDPOINT]).map(|(_, url)| url),
            _ => variables.get(name),
        })
    });
    let config = config.map_err(|error| Failure::Usage(error.to_string()))?;
    Connection::new(Config { budgets: TimeBudgets::RELAXED, ..config }).map_err(unusable_roots)
}

/// The error for a variable that a command requires and that is not set.
pub(crate) fn missing(name: &str) -> Failure {
    Failure::Usage(format!(
        "{name} is not set: name the deployment's tables and buckets in a file by --env-file, or in the environment"
    ))
}

/// The address of the admin API.
pub(crate) fn admin_url(variables: &Variables) -> Result<String, Failure> {
    let url = variables.get(ADMIN_URL).ok_or_else(|| missing(ADMIN_URL))?;
    match url.starts_with("https://") || url.strip_prefix("http://").is_some_and(is_this_machine) {
        true => Ok(url),
        false => Err(Failure::Usage(format!("{ADMIN_URL} must be https, but for an address of this machine"))),
    }
}

/// Whether an authority (host, optional port and path) is a loopback address or a name for one.
fn is_this_machine(host: &str) -> bool {
    let name = host.split([':', '/']).next().unwrap_or_default();
    name == "127.0.0.1" || is_local_name(name) || host.starts_with("[::1]")
}

/// Credentials for a command that may outlive them. The source is the same as in [`connect`]: access keys in variables
/// are used as they are; every other source is read again on each call.
pub(crate) fn credentials(
    options: &Options,
    variables: &Variables,
    connection: &Connection,
) -> Result<SharedCredentialsProvider, Failure> {
    if let Some(keys) = keys(variables).filter(|_| options.profile.is_none()) {
        let StaticCredentials { access_key_id, secret_access_key, session_token } = keys;
        let keys = Credentials::new(access_key_id, secret_access_key, session_token, None, "variables");
        return Ok(SharedCredentialsProvider::new(keys));
    }
    let config = connection.config();
    let http = lacre_storage::http_client(config.ca_bundle.as_deref()).map_err(unusable_roots)?;
    let (region, profile) = (config.region.clone(), profile(options, variables));
    Ok(SharedCredentialsProvider::new(ReadAnew { http, region, profile }))
}

/// Credentials provider that runs AWS's default chain, or reads a profile, without caching. Its files are read on each
/// call because another program may have written them meanwhile.
#[derive(Debug)]
struct ReadAnew {
    http: SharedHttpClient,
    region: String,
    profile: Option<String>,
}

impl ReadAnew {
    async fn read(&self) -> provider::Result {
        let provider = find_provider(self.http.clone(), self.region.clone(), self.profile.clone()).await;
        provider.provide_credentials().await
    }
}

impl ProvideCredentials for ReadAnew {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.read())
    }
}

/// Credentials and region of a connection.
struct Access {
    region: String,
    credentials: StaticCredentials,
}

impl Access {
    /// Access keys in environment variables are used as they are. For every other source AWS's default chain is used.
    async fn resolve(options: &Options, variables: &Variables) -> Result<Self, Failure> {
        let profile = profile(options, variables);
        let region = || variables.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]).map(|(_, region)| region);
        let region = options.region.clone().or_else(region);
        let keys = keys(variables).filter(|_| options.profile.is_none());
        if let (Some(region), Some(credentials)) = (region.clone(), keys.clone()) {
            return Ok(Self { region, credentials });
        }
        let http = lacre_storage::http_client(variables.get("AWS_CA_BUNDLE").as_deref()).map_err(unusable_roots)?;
        let region = match region {
            Some(region) => region,
            None => find_region(http.clone(), profile.as_deref()).await?,
        };
        let credentials = match keys {
            Some(keys) => keys,
            None => find_credentials(http, region.clone(), profile).await?,
        };
        Ok(Self { region, credentials })
    }

    /// Looks up a variable by the name that functions use for it.
    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "AWS_REGION" => Some(self.region.clone()),
            ACCESS_KEY => Some(self.credentials.access_key_id.clone()),
            "AWS_SECRET_ACCESS_KEY" => Some(self.credentials.secret_access_key.clone()),
            "AWS_SESSION_TOKEN" => Some(self.credentials.session_token.clone().unwrap_or_default()),
            _ => None,
        }
    }
}

/// The AWS profile that options or variables name.
fn profile(options: &Options, variables: &Variables) -> Option<String> {
    options.profile.clone().or_else(|| variables.get(PROFILE))
}

/// The access keys from variables. `None` if a source of higher precedence names a profile.
fn keys(variables: &Variables) -> Option<StaticCredentials> {
    let (ACCESS_KEY, access_key_id) = variables.first(&[ACCESS_KEY, PROFILE])? else { return None };
    let secret_access_key = variables.get_beside("AWS_SECRET_ACCESS_KEY", ACCESS_KEY)?;
    let session_token = variables.get_beside("AWS_SESSION_TOKEN", ACCESS_KEY);
    Some(StaticCredentials { access_key_id, secret_access_key, session_token })
}

async fn find_region(http: SharedHttpClient, profile: Option<&str>) -> Result<String, Failure> {
    let mut loader = aws_config::defaults(BehaviorVersion::latest()).http_client(http);
    if let Some(profile) = profile {
        loader = loader.profile_name(profile);
    }
    let loaded = loader.load().await;
    loaded.region().map(ToString::to_string).ok_or_else(|| Failure::Usage("no region: name one by --region".into()))
}

async fn find_credentials(
    http: SharedHttpClient,
    region: String,
    profile: Option<String>,
) -> Result<StaticCredentials, Failure> {
    let provider = find_provider(http, region, profile).await;
    let found = provider.provide_credentials().await.map_err(|error| no_credentials(&error))?;
    Ok(StaticCredentials {
        access_key_id: found.access_key_id().to_owned(),
        secret_access_key: found.secret_access_key().to_owned(),
        session_token: found.session_token().map(str::to_owned),
    })
}

async fn find_provider(http: SharedHttpClient, region: String, profile: Option<String>) -> SharedCredentialsProvider {
    let chain = ProviderConfig::default().with_http_client(http).with_region(Some(Region::new(region)));
    match profile {
        // The default chain is not used here: it would prefer access keys in the environment to the named profile.
        Some(profile) => SharedCredentialsProvider::new(
            ProfileFileCredentialsProvider::builder().profile_name(profile).configure(&chain).build(),
        ),
        None => SharedCredentialsProvider::new(DefaultCredentialsChain::builder().configure(chain).build().await),
    }
}

fn no_credentials(error: &dyn std::error::Error) -> Failure {
    // The causes name the file or profile. None of them contains a key.
    let causes = std::iter::successors(error.source(), |error| error.source());
    let message = causes.fold(error.to_string(), |message, cause| format!("{message}: {cause}"));
    Failure::Stopped(format!("no credentials for AWS: {message}"))
}

fn unusable_roots(error: io::Error) -> Failure {
    Failure::Usage(format!("AWS_CA_BUNDLE: {error}"))
}
