//! Identifies who runs the command, for the audit log.

use lacre_administration::Caller;
use lacre_domain::{Operator, Via};
use lacre_storage::Connection;

use crate::failure::Failure;

/// The principal of the credentials (from STS) and the name of this machine. A command that only reads writes no audit
/// entry, so its principal is not looked up.
pub(crate) async fn of(connection: &Connection, only_reads: bool) -> Result<Caller, Failure> {
    let principal = match only_reads {
        true => String::new(),
        false => lacre_storage::caller(connection).await.map_err(lacre_administration::Error::from)?,
    };
    let source = gethostname::gethostname().to_string_lossy().into_owned();
    Ok(Caller::of(Operator { principal, via: Via::CommandLine, source }))
}
