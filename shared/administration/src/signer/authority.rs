//! A test request to a timestamp authority, over random bytes.

use std::{sync::Arc, time::Duration};

use lacre_domain::Clock;
use lacre_proof::TimestampSource;
use lacre_tsa::Authorities;
use tokio::time::Instant;

/// The time limit of the request. It is longer than the service's, so that the fault of a slow authority is reported
/// too.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Requests a timestamp, which must be valid. The text of an error begins with the authority's address.
pub(super) async fn ask(url: &str, roots_pem: &str, clock: &Arc<dyn Clock>) -> Result<(), String> {
    let authority = Authorities::new(&[url.to_owned()], roots_pem, Arc::clone(clock))?;
    let asked = authority.until(Instant::now() + TIMEOUT, TIMEOUT).timestamp(lacre_storage::entropy()).await;
    asked.map(|_| ()).map_err(|failure| failure.to_string())
}
