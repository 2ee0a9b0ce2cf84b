//! Builds the functions and maps them to the routes that `template.yaml` gives them.

use std::sync::Arc;

use axum::http::Method;
use lacre_admin_api::Api;
use lacre_alerts::Alerts;
use lacre_api::resolution;
use lacre_capture_page::CapturePage;
use lacre_create_session::CreateSession;
use lacre_domain::Clock;
use lacre_dossiers::Dossiers;
use lacre_export::ExportEvidence;
use lacre_find_proof::FindProof;
use lacre_http::Endpoint;
use lacre_image::Image;
use lacre_ingest::Ingest;
use lacre_load_session::LoadSession;
use lacre_prints::IndexPrints;
use lacre_recapture::Analyse;
use lacre_revocation::Revocation;
use lacre_sequencer::Sequencer;
use lacre_session_results::SessionResults;
use lacre_session_status::SessionStatusRoute;
use lacre_storage::Connection;
use lacre_validate::Validate;
use lacre_webhooks::Webhooks;

use crate::gateway::{Function, Lambda, Route};

/// The functions' routes, grouped by gateway.
pub(crate) struct Functions {
    pub(crate) web: Vec<Route>,
    pub(crate) validate: Route,
    pub(crate) hosted: Vec<Route>,
    pub(crate) admin: Vec<Route>,
    pub(crate) proofs: Vec<Route>,
    pub(crate) alerts: Alerts,
    pub(crate) export: ExportEvidence,
    pub(crate) prints: IndexPrints,
    pub(crate) revocation: Revocation,
    pub(crate) sequencer: Sequencer,
    pub(crate) webhooks: Webhooks,
}

impl Functions {
    /// Builds every function and runs its cold-start initialization.
    pub(crate) async fn warm(
        connection: &Connection,
        clock: &Arc<dyn Clock>,
        analyse: Analyse,
        lambda: &Lambda,
    ) -> Self {
        let create = CreateSession::new(connection, Arc::clone(clock));
        let status = SessionStatusRoute::new(connection, Arc::clone(clock));
        let load = LoadSession::new(connection, Arc::clone(clock));
        let ingest = Ingest::new(connection, Arc::clone(clock)).with_analysis(analyse);
        let results = SessionResults::new(connection, Arc::clone(clock));
        let image = Image::new(connection, Arc::clone(clock));
        let validate = Validate::new(connection, Arc::clone(clock));
        let admin = Function::of(Api::new(connection, Arc::clone(clock)), ("AdminFunction", "admin"), lambda);
        let find =
            Function::of(FindProof::new(connection, Arc::clone(clock)), ("FindProofFunction", "find-proof"), lambda);
        let dossiers =
            Function::of(Dossiers::new(connection, Arc::clone(clock)), ("DossiersFunction", "dossiers"), lambda);
        tokio::join!(
            create.warm_up(),
            load.warm_up(),
            ingest.warm_up(),
            results.warm_up(),
            image.warm_up(),
            validate.warm_up(),
            status.warm_up(),
        );
        let (ingest, results) = (
            Function::of(ingest, ("IngestFunction", "ingest"), lambda),
            Function::of(results, ("SessionResultsFunction", "session-results"), lambda),
        );
        let load = Function::of(load, ("LoadSessionFunction", "load-session"), lambda);
        let both = [
            Route::new(
                Method::POST,
                "/web/sessions",
                Function::of(create, ("CreateSessionFunction", "create-session"), lambda),
            ),
            Route::new(Method::GET, "/web/sessions/{token}", load.clone()),
            Route::new(Method::POST, "/web/ingest", ingest.clone()),
        ];
        let both: Vec<_> = (both.into_iter())
            .chain(Route::new(Method::GET, "/web/session-results/{token}", results.clone()).and_head())
            .collect();
        let validate =
            Route::new(Method::POST, "/validate", Function::of(validate, ("ValidateFunction", "validate"), lambda));
        let image =
            Route::new(Method::GET, "/web/image/{session_id}", Function::of(image, ("ImageFunction", "image"), lambda));
        let page = Function::of(
            CapturePage::new(connection, Arc::clone(clock)),
            ("CapturePageFunction", "capture-page"),
            lambda,
        );
        let status = Function::of(status, ("SessionStatusFunction", "session-status"), lambda);
        let only_hosted = [
            Route::new(Method::POST, "/web/skip", load),
            validate.clone(),
            Route::new(Method::GET, "/web/session-results", results.clone()),
            // The template's route is `/web/session-results/{rest+}`.
            Route::new(Method::GET, "/web/session-results/", results),
        ];
        let with_head = [
            Route::new(Method::GET, "/", page.clone()),
            Route::new(Method::GET, "/assets/{name}", page),
            Route::new(Method::GET, "/web/session-status/{token}", status),
        ];
        Self {
            web: both.iter().cloned().chain([image]).collect(),
            hosted: (both.iter().cloned().chain(only_hosted))
                .chain(with_head.into_iter().flat_map(Route::and_head))
                .collect(),
            validate,
            admin: lacre_admin_api::Route::ALL.map(|route| administration(route, &admin, &ingest, &find)).into(),
            proofs: resolution::Route::ALL.map(|route| resolution_route(route, &find, &dossiers)).into(),
            alerts: Alerts::new(connection, Arc::clone(clock)),
            export: ExportEvidence::new(connection, Arc::clone(clock)),
            prints: IndexPrints::new(connection, Arc::clone(clock)),
            revocation: Revocation::new(connection, Arc::clone(clock)),
            sequencer: Sequencer::new(connection, Arc::clone(clock)),
            webhooks: Webhooks::new(connection, Arc::clone(clock)),
        }
    }
}

/// A route of the API that finds the proof of a copy, or one for dossiers.
fn resolution_route(route: resolution::Route, find: &Function, dossiers: &Function) -> Route {
    let function = if route == resolution::Route::Dossier { dossiers } else { find };
    // The route table uses standard HTTP method names, so parsing does not fail.
    Route::new(Method::from_bytes(route.method().as_bytes()).unwrap_or_default(), route.path(), function.clone())
}

/// A route of the admin API. The probe is served by `ingest`, the function that can sign, and the lookup of a copy by
/// `find-proof`, the function that can search the index.
fn administration(route: lacre_admin_api::Route, admin: &Function, ingest: &Function, find: &Function) -> Route {
    let function = match route {
        lacre_admin_api::Route::ProbeSigners => ingest,
        lacre_admin_api::Route::FindCopy => find,
        _ => admin,
    };
    // The route table uses standard HTTP method names, so parsing does not fail.
    Route::new(Method::from_bytes(route.method().as_bytes()).unwrap_or_default(), route.path(), function.clone())
}
