//! `GET /api/signers`: the signing keys and certificates, and whether they work. The admin API has no access to them, so they
//! are read here, as `lacre-admin signer show` and `signer doctor` do.

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

/// All calls to AWS and to the timestamp authorities end within this time.
const BUDGET: Duration = Duration::from_secs(60);

/// Answers with the signers of every environment, and what was found of them.
pub(crate) async fn signers(State(app): Shared) -> Response {
    // Nothing is changed, so nobody need know who asks.
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
