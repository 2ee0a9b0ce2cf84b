//! The options of every command, and the values that several commands take.

use std::path::PathBuf;

use clap::Args;
use lacre_domain::Environment;

/// Options that select the deployment, the credentials and the output format.
#[derive(Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Options {
    /// Print JSON documents as the admin API returns them.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Read the deployment's variables from a file of KEY=value lines, such as target/local/service.env or the output
    /// of scripts/stack-env. They take precedence over environment variables.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) env_file: Option<PathBuf>,
    /// Use the credentials of this AWS profile. Default: AWS_ACCESS_KEY_ID and the related variables, then AWS_PROFILE.
    /// Credentials are read once, and must not expire during the command.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Use this region. Default: AWS_REGION, AWS_DEFAULT_REGION, or the profile's.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) region: Option<String>,
    /// Send all requests to this endpoint instead of AWS. Default: AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL.
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) endpoint_url: Option<String>,
}

/// Parses an environment: `live`, `stag` or `sand`, or its name in the API.
pub(crate) fn environment(text: &str) -> Result<Environment, String> {
    Environment::parse(text).ok_or_else(|| "must be live, stag or sand".to_owned())
}
