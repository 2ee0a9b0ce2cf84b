//! A request to a timestamp authority, over random bytes.

use std::{sync::Arc, time::Duration};

use lacre_domain::Clock;
use lacre_proof::TimestampSource;
use lacre_tsa::Authorities;
use tokio::time::Instant;

/// Longer than the service waits: a slow authority's response is reported too.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Asks it; what it answers must hold. The text of a fault begins with the authority's place.
pub(super) async fn ask(url: &str, roots_pem: &str, clock: &Arc<dyn Clock>) -> Result<(), String> {
    let authority = Authorities::new(&[url.to_owned()], roots_pem, Arc::clone(clock))?;
    let asked = authority.until(Instant::now() + TIMEOUT, TIMEOUT).timestamp(lacre_storage::entropy()).await;
    asked.map(|_| ()).map_err(|failure| failure.to_string())
}
