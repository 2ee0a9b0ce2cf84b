//! The options of every command, and the values that several commands take.

use std::path::PathBuf;

use clap::Args;
use domain::Environment;

/// Which deployment, with whose credentials, and in which form the answer is.
#[derive(Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Options {
    /// Prints JSON documents: those of the admin API.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// A file of KEY=value lines that name the deployment, such as target/local/service.env, or what scripts/stack-env
    /// prints. Its variables take precedence over the process's environment: names, region, addresses and credentials.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) env_file: Option<PathBuf>,
    /// The profile of AWS's configuration files whose credentials are used. Without it: those of the file or the
    /// environment (AWS_ACCESS_KEY_ID and the others), or else of AWS_PROFILE. They are read once, and must outlast the
    /// command.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// The region. Without it: AWS_REGION, AWS_DEFAULT_REGION, or the profile's.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) region: Option<String>,
    /// Where all of AWS's services are, when they are not AWS's own. Without it: AWS_ENDPOINT_URL_<SERVICE>,
    /// AWS_ENDPOINT_URL.
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) endpoint_url: Option<String>,
}

/// Reads an environment: `live`, `stag` or `sand`, or its name on the wire.
pub(crate) fn environment(text: &str) -> Result<Environment, String> {
    Environment::parse(text).ok_or_else(|| "one of live, stag, sand".to_owned())
}
