//! The IAM principal behind a connection's credentials.

use crate::{Connection, Error, budgets::InTime, error::unavailable};

/// The ARN of the principal, from STS.
///
/// # Errors
/// [`Error::Unavailable`].
pub async fn caller(connection: &Connection) -> Result<String, Error> {
    const OPERATION: &str = "GetCallerIdentity";
    let answer = connection.sts().get_caller_identity().send().in_time().await;
    let answer = answer.map_err(|error| unavailable(OPERATION, &error))?;
    answer.arn.ok_or_else(|| Error::Unavailable(format!("{OPERATION} named no principal")))
}
