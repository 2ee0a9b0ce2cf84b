//! `GET /api/console`: which deployment this is, and as whom the operator acts.

use std::time::Duration;

use axum::{Json, extract::State};
use serde_json::{Value, json};
use tokio::{sync::OnceCell, time::timeout};

use crate::Shared;

/// The page does not wait longer for the principal, which it only shows.
const PRINCIPAL: Duration = Duration::from_secs(5);

/// What the page shows of the deployment.
pub(crate) struct About {
    stack_name: String,
    region: String,
    admin_url: String,
    verify_url: Option<String>,
    /// Kept once STS has named it.
    principal: OnceCell<String>,
}

impl About {
    /// The deployment's names.
    pub(crate) fn new(stack_name: String, region: String, admin_url: String, verify_url: Option<String>) -> Self {
        Self { stack_name, region, admin_url, verify_url, principal: OnceCell::new() }
    }
}

/// Answers with the deployment's names and the operator's.
pub(crate) async fn about(State(app): Shared) -> Json<Value> {
    let About { stack_name, region, admin_url, verify_url, principal } = &app.about;
    let asked = timeout(PRINCIPAL, principal.get_or_try_init(|| lacre_storage::caller(&app.connection))).await;
    let principal = asked.ok().and_then(Result::ok);
    Json(json!({
        "stack": stack_name,
        "region": region,
        "admin_url": admin_url,
        "verify_url": verify_url,
        "principal": principal,
        "version": env!("CARGO_PKG_VERSION"),
    }))
}
