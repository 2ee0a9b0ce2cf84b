//! `GET /api/console`: describes the deployment and names the AWS principal that the console acts as.

use std::time::Duration;

use axum::{Json, extract::State};
use serde_json::{Value, json};
use tokio::{sync::OnceCell, time::timeout};

use crate::Shared;

/// Timeout of the STS call that names the principal. The page only displays the principal, so it does not
/// wait longer.
const PRINCIPAL: Duration = Duration::from_secs(5);

/// Facts about the deployment that the page displays.
pub(crate) struct About {
    stack_name: String,
    region: String,
    admin_url: String,
    verify_url: Option<String>,
    /// ARN of the operator's principal, cached after the first successful call to STS.
    principal: OnceCell<String>,
}

impl About {
    /// Describes a deployment by its names and addresses. The principal is looked up later.
    pub(crate) fn new(stack_name: String, region: String, admin_url: String, verify_url: Option<String>) -> Self {
        Self { stack_name, region, admin_url, verify_url, principal: OnceCell::new() }
    }
}

/// Returns the deployment's names and addresses, and the operator's principal if STS answered.
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
