//! The two server processes: the stand-ins for AWS, and the functions' handlers.

use std::{
    io::{self, Write},
    sync::Arc,
};

use lacre_create_session::CreateSession;
use lacre_domain::Clock;
use lacre_dossiers::Dossiers;
use lacre_http::{Endpoint, SystemClock};
use lacre_ingest::Ingest;
use lacre_load_session::LoadSession;
use lacre_session_results::SessionResults;
use lacre_storage::{Config, Connection, TimeBudgets};
use local::{Options, Service};

use crate::{
    Failure,
    gateway::{self, Function},
};

/// Serves the stand-ins with their tables, buckets and signers. The service's own gateways are not used.
pub(crate) async fn stand_ins() -> Result<(), Failure> {
    let service = Service::start(Options::default()).await?;
    let region = service.connection().config().region.clone();
    let anchors = tempfile::NamedTempFile::new()?;
    std::fs::write(anchors.path(), service.trust_anchors_pem())?;
    let mut variables = service.variables();
    // Lambda sets the region under two names because libraries differ in which one they read.
    variables.push(("AWS_DEFAULT_REGION".to_owned(), region));
    variables.push(("TRUST_ANCHORS".to_owned(), anchors.path().display().to_string()));
    serve_until_input_ends(&variables).await
}

/// Serves the functions of a capture, initialized as at their cold start, with the environment that Lambda provides.
/// Their calls have the given time budgets.
pub(crate) async fn handlers(budgets: TimeBudgets) -> Result<(), Failure> {
    let connection = Connection::new(Config { budgets, ..Config::from_env() })?;
    let clock = || Arc::new(SystemClock) as Arc<dyn Clock>;
    let create = CreateSession::new(&connection, clock());
    let load = LoadSession::new(&connection, clock());
    let ingest = Ingest::new(&connection, clock());
    let results = SessionResults::new(&connection, clock());
    let dossiers = Dossiers::new(&connection, clock());
    tokio::join!(create.warm_up(), load.warm_up(), ingest.warm_up(), results.warm_up());
    let stack = &connection.config().stack_name.read();
    let functions = vec![
        Function::new("POST /web/sessions", "create-session", stack, create),
        Function::new("GET /web/sessions/{token}", "load-session", stack, load),
        Function::new("POST /web/ingest", "ingest", stack, ingest),
        Function::new("GET /web/session-results/{token}", "session-results", stack, results),
        Function::new("POST /dossiers", "dossiers", stack, dossiers),
    ];
    let base_url = gateway::start(functions).await?;
    lacre_http::start_log();
    serve_until_input_ends(&[("BASE_URL".to_owned(), base_url)]).await
}

async fn serve_until_input_ends(variables: &[(String, String)]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    for (name, value) in variables {
        writeln!(output, "{name}={value}")?;
    }
    writeln!(output, "READY")?;
    drop(output);
    tokio::task::spawn_blocking(|| io::copy(&mut io::stdin().lock(), &mut io::sink())).await??;
    Ok(())
}
