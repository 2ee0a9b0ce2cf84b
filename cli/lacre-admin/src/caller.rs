//! Who runs the command, for the audit log.

use administration::Caller;
use aws::Connection;
use domain::{Operator, Via};

use crate::failure::Failure;

/// The principal of the credentials, by STS, and the name of this machine. Of a command that only reads nobody asks.
pub(crate) async fn of(connection: &Connection, only_reads: bool) -> Result<Caller, Failure> {
    let principal = match only_reads {
        true => String::new(),
        false => aws::caller(connection).await.map_err(administration::Error::from)?,
    };
    let source = gethostname::gethostname().to_string_lossy().into_owned();
    Ok(Caller::of(Operator { principal, via: Via::CommandLine, source }))
}
