//! From options and environment to a connection: names, addresses, and credentials as the AWS CLI finds them.

use std::io;

use aws::{Config, Connection, StaticCredentials};
use aws_config::{
    BehaviorVersion, Region, default_provider::credentials::DefaultCredentialsChain,
    profile::ProfileFileCredentialsProvider, provider_config::ProviderConfig,
};
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_smithy_runtime_api::client::http::SharedHttpClient;

use crate::{environment::Environment, failure::Failure, options::Options};

const ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";

/// Connects to the deployment that options and environment name, if they name all that a command needs.
pub(crate) async fn connect(options: &Options, needs: &[&str]) -> Result<Connection, Failure> {
    let environment = Environment::of_process(options.env_file.as_deref())?;
    if let Some(missing) = needs.iter().find(|name| environment.get(name).is_none()) {
        return Err(Failure::Usage(format!(
            "{missing} is not set: name the deployment's tables and buckets in the environment, or in a file by --env-file"
        )));
    }
    let access = Access::resolve(options, &environment).await?;
    let config = Config::from_lookup(|name| {
        access.variable(name).or_else(|| match &options.endpoint_url {
            Some(url) if name.starts_with("AWS_ENDPOINT_URL") => Some(url.clone()),
            _ => environment.get(name),
        })
    });
    let config = config.map_err(|error| Failure::Usage(error.to_string()))?;
    Connection::new(config).map_err(unusable_roots)
}

/// Who calls, and where.
struct Access {
    region: String,
    credentials: StaticCredentials,
}

impl Access {
    /// Keys in the environment need nobody else's word, so they are taken as they are. All else is the work of AWS's own chain.
    async fn resolve(options: &Options, environment: &Environment) -> Result<Self, Failure> {
        let profile = options.profile.clone().or_else(|| environment.get("AWS_PROFILE"));
        let region = options.region.clone();
        let region = region.or_else(|| environment.get("AWS_REGION")).or_else(|| environment.get("AWS_DEFAULT_REGION"));
        let keys = environment.get(ACCESS_KEY).zip(environment.get_beside("AWS_SECRET_ACCESS_KEY", ACCESS_KEY));
        let keys = keys.filter(|_| options.profile.is_none()).map(|(access_key_id, secret_access_key)| {
            let session_token = environment.get_beside("AWS_SESSION_TOKEN", ACCESS_KEY);
            StaticCredentials { access_key_id, secret_access_key, session_token }
        });
        if let (Some(region), Some(credentials)) = (region.clone(), keys.clone()) {
            return Ok(Self { region, credentials });
        }
        let http = aws::http_client(environment.get("AWS_CA_BUNDLE").as_deref()).map_err(unusable_roots)?;
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

    /// What they are called in a function's environment.
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
    let chain = ProviderConfig::default().with_http_client(http).with_region(Some(Region::new(region)));
    let provider = match profile {
        // Not the whole chain: it would prefer the environment's keys to the profile that was named.
        Some(profile) => SharedCredentialsProvider::new(
            ProfileFileCredentialsProvider::builder().profile_name(profile).configure(&chain).build(),
        ),
        None => SharedCredentialsProvider::new(DefaultCredentialsChain::builder().configure(chain).build().await),
    };
    let found = provider.provide_credentials().await.map_err(|error| no_credentials(&error))?;
    Ok(StaticCredentials {
        access_key_id: found.access_key_id().to_owned(),
        secret_access_key: found.secret_access_key().to_owned(),
        session_token: found.session_token().map(str::to_owned),
    })
}

fn no_credentials(error: &dyn std::error::Error) -> Failure {
    // The causes say which file or profile it was; none of them holds a key.
    let causes = std::iter::successors(error.source(), |error| error.source());
    let told = causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"));
    Failure::Stopped(format!("no credentials for AWS: {told}"))
}

fn unusable_roots(error: io::Error) -> Failure {
    Failure::Usage(format!("AWS_CA_BUNDLE: {error}"))
}
