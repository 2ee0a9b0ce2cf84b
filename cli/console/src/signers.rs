//! `GET /api/signers`: lists the signing keys and certificates, and checks them. The admin API has no access
//! to these, so the console reads them directly, as `lacre-admin signer show` and `signer doctor` do.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use lacre_administration::{
    Caller, Error,
    signer::{SignerAdministration, doctor::is_healthy},
};
use lacre_domain::{Operator, Via};
use serde_json::json;
use tokio::time::timeout;

use crate::{Shared, answer::RequestError};

/// Timeout for all calls to AWS and to timestamp authorities together.
const BUDGET: Duration = Duration::from_secs(60);

/// Returns the signers of every environment with the findings about them.
pub(crate) async fn signers(State(app): Shared) -> Response {
    // This only reads, so no audit entry needs the operator's name.
    let nobody = Operator { principal: String::new(), via: Via::Api, source: String::new() };
    let signer = SignerAdministration::new(&app.connection, Arc::clone(&app.clock), Caller::of(nobody));
    let looked = timeout(BUDGET, async {
        let environments = signer.overview(None).await?;
        let findings = signer.examine(None, None).await;
        Ok::<_, Error>(json!({
            "healthy": is_healthy(&findings),
            "environments": environments,
            "findings": findings,
        }))
    });
    match looked.await {
        Ok(Ok(found)) => Json(found).into_response(),
        Ok(Err(_)) | Err(_) => RequestError::Unavailable.into_response(),
    }
}
