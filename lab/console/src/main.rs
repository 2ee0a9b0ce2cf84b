//! Measures the console's reads by the number of licenses and captures: the time of each through the admin API, and its
//! calls to DynamoDB, with small and with large tables. The console's overview reads `/overview`, its list of licenses
//! `/licenses?limit=50`. A time covers a signed request on loopback and the validation of the response against
//! `openapi/admin.yaml`.

mod counter;
mod seed;

use std::time::{Duration, Instant};

use clap::Parser;
use dynoxide::{Database, server::serve_on};
use lacre_tests::Service;
use local::{Aws, ExternalAws, Options, Storage};
use reqwest::Method;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::{counter::Counter, seed::Seed};

/// The error that ends the benchmark.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Number of requests, of which the median is taken.
const REQUESTS: usize = 50;
/// Number of the later page of licenses that is measured. The small tables also have that many pages.
const LATER: usize = 9;

/// The console's reads, with small tables and with large ones.
#[derive(Parser)]
struct Arguments {
    /// Number of licenses; each client has ten.
    #[arg(long, default_value_t = 10_000)]
    licenses: usize,
    /// Number of captures.
    #[arg(long, default_value_t = 1_000_000)]
    captures: usize,
    /// Number of licenses and captures in the small tables. It must fill every page that is read.
    #[arg(long, default_value_t = 600)]
    small: usize,
    /// Serve the console with the large tables afterwards until Ctrl-C, to measure the time in a browser.
    #[arg(long)]
    serve: bool,
}

/// A read: its path, median time, and the calls of one request.
type Read = (&'static str, Duration, Vec<String>);

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let Arguments { licenses, captures, small, serve } = Arguments::parse();
    if small > licenses.min(captures) {
        return Err("the small tables are larger than the large ones".into());
    }
    let (_stand_ins, mut variables) = local::start_stand_ins(&Storage::Memory, Default::default()).await?;
    let database = Database::memory()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (counter, door) = Counter::before(&format!("http://{}", listener.local_addr()?)).await?;
    tokio::spawn(serve_on(listener, database.clone()));
    let dynamodb = variables.iter_mut().find(|(name, _)| name == "AWS_ENDPOINT_URL_DYNAMODB").ok_or("no DynamoDB")?;
    dynamodb.1 = door;
    let options = Options { aws: Aws::External(ExternalAws { variables, data: None }), ..Options::for_tests() };
    let service = Service::start_with(options).await;

    let seed = Seed::new(&service, &database).await?;
    seed.write(0..small, 0..small).await?;
    let before = read_all(&service, &counter).await?;
    seed.write(small..licenses, small..captures).await?;
    let after = read_all(&service, &counter).await?;

    println!("Medians of {REQUESTS} requests, with {small} licenses and captures, and {licenses} and {captures}.\n");
    println!("| Read | Before, ms | After, ms | After, × before | Calls before | Calls after | |");
    println!("|---|---|---|---|---|---|---|");
    for ((name, old, few), (_, new, many)) in before.iter().zip(&after) {
        let ([old, new], names) = ([old, new].map(|time| time.as_secs_f64() * 1e3), many.join(", "));
        let (ratio, few, many) = (new / old, few.len(), many.len());
        println!("| {name} | {old:.2} | {new:.2} | {ratio:.2} | {few} | {many} | {names} |");
    }
    if serve {
        println!("\nCONSOLE_URL={}", service.variable("CONSOLE_URL"));
        tokio::signal::ctrl_c().await?;
    }
    Ok(())
}

async fn read_all(service: &Service, counter: &Counter) -> Result<Vec<Read>, Failure> {
    let mut later = "/licenses?limit=50".to_owned();
    for _ in 1..LATER {
        let page = get(service, &later).await?;
        later = format!("/licenses?limit=50&cursor={}", page["next"].as_str().ok_or("there is no later page")?);
    }
    let hash = |what| seed::hash(what, 7);
    let mut measured = Vec::new();
    for (name, path) in [
        ("`/overview`", "/overview".to_owned()),
        ("`/licenses?limit=50`", "/licenses?limit=50".to_owned()),
        ("a later page of it", later),
        ("`/licenses?search=NAME`", format!("/licenses?search={}", seed::name(11).replace(' ', "%20"))),
        ("`/licenses?search=KEY_ID`", format!("/licenses?search={:.16}", hash("key"))),
        ("`/clients?limit=50`", "/clients?limit=50".to_owned()),
        ("`/licenses/{license_id}/usage`", format!("/licenses/{}/usage", seed::id("license", 7))),
        ("`/alerts?state=open`", "/alerts?state=open".to_owned()),
        ("`/webhooks`", "/webhooks".to_owned()),
        ("`/captures?frame_hash=`", format!("/captures?frame_hash={}", hash("frame"))),
        ("`/captures?reference_id=`", "/captures?reference_id=claim-7".to_owned()),
        ("`/captures/{capture_id}`", format!("/captures/{}", hash("capture"))),
        ("`/audit`", "/audit".to_owned()),
    ] {
        counter.take();
        let body = get(service, &path).await?;
        let calls = counter.take();
        let is_empty = |body: &serde_json::Map<String, Value>| body.values().any(|list| *list == serde_json::json!([]));
        // There are no failed webhooks, and a single capture is not a list, so these may be empty.
        if body.get("next").is_some() && path != "/webhooks" && body.as_object().is_some_and(is_empty) {
            return Err(format!("{path} found nothing").into());
        }
        let mut times = Vec::with_capacity(REQUESTS);
        for _ in 0..REQUESTS {
            let begun = Instant::now();
            get(service, &path).await?;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        measured.push((name, times[REQUESTS / 2], calls));
    }
    Ok(measured)
}

async fn get(service: &Service, path: &str) -> Result<Value, Failure> {
    let answer = service.admin(Method::GET, path, Value::Null).await;
    if answer.status == 200 { Ok(answer.body) } else { Err(format!("{path}: {}", answer.status).into()) }
}
