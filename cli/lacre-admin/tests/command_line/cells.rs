//! Two services as cells: a client is placed, found, moved and closed, while it captures.

use std::{
    process::Command,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Service, customer::Customer, frame, journal};

use crate::operator::{Ran, command, env_file, run, text};

/// Two services with an operator's file of cells, `br-1` and `br-2`; `again` is another name for the first.
struct Cells {
    services: [Service; 2],
    directory: TempDir,
}

impl Cells {
    async fn start() -> Self {
        let cells =
            Self { services: [Service::start().await, Service::start().await], directory: TempDir::new().unwrap() };
        for (name, service) in ["br-1", "br-2"].into_iter().zip(&cells.services) {
            let variables = service.variables().iter().map(|(name, value)| (name.as_str(), value.as_str()));
            env_file(variables).persist(cells.directory.path().join(format!("{name}.env"))).unwrap();
        }
        cells.write(&json!([
            { "name": "br-1", "env_file": "br-1.env" }, { "name": "br-2", "env_file": "br-2.env" },
            { "name": "again", "env_file": "br-1.env" },
        ]));
        cells
    }

    fn write(&self, cells: &Value) {
        std::fs::write(self.directory.path().join("cells.json"), json!({ "cells": cells }).to_string()).unwrap();
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = command(line);
        command.arg("--cells").arg(self.directory.path().join("cells.json"));
        command
    }

    async fn run(&self, line: &[&str]) -> Ran {
        run(self.command(line)).await
    }

    async fn json(&self, line: &[&str]) -> Value {
        let out = self.run(&[line, &["--json"]].concat()).await.ok();
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line:?}: {error} in {out}"))
    }

    /// Words, as a shell reads them.
    async fn line(&self, line: &str) -> Value {
        self.json(&line.split_whitespace().collect::<Vec<_>>()).await
    }

    async fn refused(&self, line: &str) -> (i32, String) {
        self.run(&line.split_whitespace().collect::<Vec<_>>()).await.refused()
    }

    /// A client that is placed in `br-1`, with keys in staging; as it is at each of both services.
    async fn place(&self, name: &str) -> [Customer<'_>; 2] {
        let client = text(&self.json(&["--cell", "br-1", "client", "create", name]).await, "id");
        let environment = format!("--client {client} --environment stag");
        let key = self.line(&format!("--cell br-1 api-key issue {environment} --name backend")).await;
        let license = self.line(&format!(
            "--cell br-1 license issue {environment} --expires-at 2099-12-31 --volume-limit 1000 --tsa-required false \
             --storage always --origin https://app.example.com"
        )).await;
        let (key, id, license_key) = (text(&key, "api_key"), text(&license, "id"), text(&license, "license_key"));
        [&key, &license_key].into_iter().for_each(|secret| journal::remember(secret));
        self.services.each_ref().map(|service| Customer::issued(service, &client, &key, &id, &license_key))
    }

    async fn used(&self, cell: &str, license: &str) -> u64 {
        let shown = self.line(&format!("--cell {cell} license show {license}")).await;
        shown["usage"]["captures_used"].as_u64().unwrap()
    }

    /// What the log of a cell says that was done about a client, the earliest first.
    async fn done(&self, cell: &str, client: &str) -> Vec<String> {
        let log = self.line(&format!("--cell {cell} audit --client {client}")).await;
        let done = log["audit"].as_array().unwrap().iter().filter(|entry| entry["outcome"] == "done");
        let mut done: Vec<String> = done.map(|entry| text(entry, "operation")).collect();
        done.reverse();
        done
    }
}

/// Captures one after another, at the second service once it is switched, until it is stopped.
async fn capture_on(at: &[Customer<'_>; 2], captured: &[AtomicU64; 2], switched: &AtomicBool, stopped: &AtomicBool) {
    while !stopped.load(Ordering::SeqCst) {
        let cell = usize::from(switched.load(Ordering::SeqCst));
        at[cell].capture(&frame::fresh()).await.ok();
        captured[cell].fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits until some more captures were made.
async fn more(captured: &AtomicU64) {
    let before = captured.load(Ordering::SeqCst);
    while captured.load(Ordering::SeqCst) < before + 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_client_is_moved_while_it_captures_and_nothing_is_refused() {
    let cells = Cells::start().await;
    let at = cells.place("Seguradora Exemplo").await;
    let (client, license) = (at[0].client_id.0.as_str(), at[0].license_id.0.as_str());
    let (captured, switched, stopped) =
        ([AtomicU64::new(0), AtomicU64::new(0)], AtomicBool::new(false), AtomicBool::new(false));
    let (move_line, close_line) =
        (format!("cell move {client} --from br-1 --to br-2"), format!("cell close {client} --in br-1 --now-in br-2"));
    let operator = async {
        more(&captured[0]).await;
        let (code, why) = cells.refused(&close_line).await;
        assert_eq!((code, why), (5, format!("client {client} was not moved from br-1 to br-2")));
        let moved = cells.line(&move_line).await;
        assert_eq!((&moved["ready"], moved["copied"].as_array().unwrap().len()), (&json!(true), 3), "{moved}");
        more(&captured[0]).await;
        // Again, with what was captured meanwhile.
        let moved = cells.line(&move_line).await;
        assert_eq!((&moved["ready"], &moved["copied"]), (&json!(true), &json!([])), "{moved}");
        let open = at[0].open().await;
        switched.store(true, Ordering::SeqCst);
        more(&captured[1]).await;
        let closed = cells.line(&close_line).await;
        assert_eq!(closed["revoked"].as_array().unwrap().len(), 1, "{closed}");
        more(&captured[1]).await;
        stopped.store(true, Ordering::SeqCst);
        open
    };
    let (open, ()) = tokio::join!(operator, capture_on(&at, &captured, &switched, &stopped));

    // No new session in the cell that it left; one that was open goes on, and is counted by closing again.
    assert_eq!(at[0].create().await.status, 401);
    let frame = frame::fresh();
    let submission = at[0].upload(&open, &frame).await;
    at[0].ingest(&submission).await.ok();
    let [left, entered] = captured.map(AtomicU64::into_inner);
    assert_eq!(cells.used("br-1", license).await, left + 1);
    assert_eq!(cells.used("br-2", license).await, left + entered);
    let closed = cells.line(&close_line).await;
    assert_eq!((&closed["revoked"], &closed["carried"][0]["added"]), (&json!([]), &json!(1)), "{closed}");
    let sum = left + 1 + entered;
    assert_eq!(cells.used("br-2", license).await, sum);
    let closed = cells.line(&close_line).await;
    assert_eq!(
        (&closed["carried"], cells.used("br-2", license).await),
        (&json!([]), sum),
        "closing twice adds nothing"
    );
    // A recount knows what has its evidence in the other cell.
    let recounted = cells.line(&format!("--cell br-2 license recount {license}")).await;
    assert_eq!((&recounted["counted"], &recounted["evidence"]), (&json!(sum), &json!(sum)));
    assert_eq!(cells.used("br-2", license).await, sum);

    // Results of the cell that it left stay there.
    cells.services[0].results(&open.token).await.ok();
    let (code, why) = cells.refused(&move_line).await;
    assert_eq!((code, why), (5, format!("client {client} is closed in br-1: it is in br-2 now")));
    let done = cells.done("br-1", client).await;
    assert_eq!(
        done,
        ["client.create", "api_key.issue", "license.issue", "client.move", "client.close", "api_key.revoke"]
    );
    let done = cells.done("br-2", client).await;
    assert_eq!(done.iter().filter(|operation| *operation == "client.close").count(), 2, "{done:?}");
    assert!(
        done.iter().all(|operation| matches!(operation.as_str(), "client.move" | "client.close" | "license.recount"))
    );
}

#[tokio::test]
async fn a_client_is_found_wherever_it_is() {
    let cells = Cells::start().await;
    cells.write(&json!([{ "name": "br-1", "env_file": "br-1.env" }, { "name": "br-2", "env_file": "br-2.env" }]));
    let [at, _] = cells.place("Seguradora São João").await;
    let client = at.client_id.0.as_str();
    let place = |found: &Value| {
        let all = found["clients"].as_array().unwrap().iter();
        all.map(|found| format!("{} {} {}", found["cell"], found["moved_to"], found["moved_from"])).collect::<Vec<_>>()
    };
    assert_eq!(place(&cells.line(&format!("cell find {client}")).await), ["\"br-1\" null null"]);
    cells.line(&format!("cell move {client} --from br-1 --to br-2")).await;
    let license = cells.line(&format!("--cell br-1 license show {}", at.license_id)).await;
    let api_key = domain::ApiKey::parse(&at.api_key).unwrap().hash();
    for what in [client, "seguradora sao", &at.license_id.0, &text(&license, "key_id")[..8], api_key.as_str()] {
        let found = cells.json(&["cell", "find", what]).await;
        assert_eq!(place(&found), ["\"br-1\" \"br-2\" null", "\"br-2\" null \"br-1\""], "{what}: {found}");
    }
    let printed = cells.run(&["cell", "find", client]).await.ok();
    assert!(printed.contains("to br-2") && printed.contains("from br-1"), "{printed}");

    // What one cell does not answer keeps nothing from the others.
    cells.write(&json!([
        { "name": "br-1", "env_file": "br-1.env", "endpoint_url": "http://127.0.0.1:9" },
        { "name": "br-2", "env_file": "br-2.env" },
    ]));
    let ran = cells.run(&["cell", "find", client]).await;
    assert_eq!((ran.code, ran.err.starts_with("lacre-admin: br-1: AWS: ")), (1, true), "{}", ran.err);
    assert!(ran.out.contains("br-2") && ran.out.contains(client), "{}", ran.out);
}

#[tokio::test]
async fn what_differs_is_named_and_nothing_is_overwritten() {
    let cells = Cells::start().await;
    let [at, _] = cells.place("Seguradora").await;
    let (client, license) = (&at.client_id, &at.license_id);
    let (move_line, close_line) =
        (format!("cell move {client} --from br-1 --to br-2"), format!("cell close {client} --in br-1 --now-in br-2"));
    let (code, why) = cells.refused(&format!("cell move {client} --from br-1 --to again")).await;
    assert_eq!((code, why), (5, "br-1 and again are the same cell".to_owned()));
    cells.line(&move_line).await;
    cells.line(&format!("--cell br-2 license configure {license} --volume-limit 500")).await;
    let differs = format!("license {license} (volume_limit)");
    let (code, why) = cells.refused(&move_line).await;
    assert_eq!((code, why), (5, format!("br-2 has other values, and nothing was changed: {differs}")));
    let (code, why) = cells.refused(&close_line).await;
    assert_eq!((code, why), (5, format!("br-1 and br-2 differ, and nothing was changed: {differs}")));
    let limits = |shown: Value| shown["volume_limit"].clone();
    assert_eq!(limits(cells.line(&format!("--cell br-2 license show {license}")).await), 500);
    cells.line(&format!("--cell br-1 license configure {license} --volume-limit 500")).await;

    // A key that was issued since, and the status of the client.
    cells.line(&format!("--cell br-1 api-key issue --client {client} --environment stag --name later")).await;
    cells.line(&format!("--cell br-2 client suspend {client}")).await;
    let (code, why) = cells.refused(&close_line).await;
    assert!(code == 5 && why.contains("client (status); API key ") && why.ends_with(" (missing)"), "{why}");
    cells.line(&format!("--cell br-2 client resume {client}")).await;
    let moved = cells.line(&move_line).await;
    assert_eq!(moved["copied"].as_array().unwrap().len(), 1, "{moved}");
    assert_eq!(cells.line(&close_line).await["revoked"].as_array().unwrap().len(), 2);
    // From then on the cells go their own ways.
    cells.line(&format!("--cell br-2 license configure {license} --volume-limit 700")).await;
    assert_eq!(cells.line(&close_line).await["revoked"], json!([]));
}

#[tokio::test]
async fn a_hosted_license_waits_for_a_webhook_secret() {
    let cells = Cells::start().await;
    let [at, _] = cells.place("Seguradora").await;
    let (client, license) = (&at.client_id, &at.license_id);
    cells.line(&format!("--cell br-1 license configure {license} --redirect-origin https://app.example.com")).await;
    let issue = |cell: &str| format!("--cell {cell} webhook-secret issue --client {client} --environment stag");
    let secret = text(&cells.line(&issue("br-1")).await, "webhook_secret");
    journal::remember(&secret);
    cells.line(&format!("--cell br-1 license host {license}")).await;
    let move_line = format!("cell move {client} --from br-1 --to br-2");
    let moved = cells.line(&move_line).await;
    let missing = json!(["STAGING"]);
    assert_eq!((&moved["ready"], &moved["webhook_secrets_missing"]), (&json!(false), &missing), "{moved}");
    assert_eq!(moved["hosted_licenses_missing"], missing);
    let (code, why) = cells.refused(&format!("cell close {client} --in br-1 --now-in br-2")).await;
    assert!(code == 5 && why.ends_with(": hosted license of STAGING (missing)"), "{why}");
    journal::remember(&text(&cells.line(&issue("br-2")).await, "webhook_secret"));
    let moved = cells.line(&move_line).await;
    assert_eq!((&moved["ready"], &moved["copied"]), (&json!(true), &json!(["hosted license of STAGING"])), "{moved}");
    let hosted = cells.line(&format!("--cell br-2 license hosted --client {client}")).await;
    assert!(hosted.to_string().contains(&license.0), "{hosted}");
    cells.line(&format!("cell close {client} --in br-1 --now-in br-2")).await;
}

#[tokio::test]
async fn a_cell_is_named_by_its_file_alone() {
    let cells = Cells::start().await;
    let listed = cells.line("cell list").await;
    let names: Vec<&Value> = listed["cells"].as_array().unwrap().iter().map(|cell| &cell["name"]).collect();
    assert_eq!(names, ["br-1", "br-2", "again"]);
    let (code, why) = cells.refused("--cell br-3 client list").await;
    assert_eq!((code, why), (2, "there is no cell \"br-3\"; the cells are br-1, br-2, again".to_owned()));
    let (code, why) = cells.refused("--cell br-1 cell list").await;
    assert_eq!((code, why.starts_with("cell commands name their cells themselves")), (2, true), "{why}");
    assert_eq!(cells.run(&["--cell", "br-1", "--env-file", "x", "client", "list"]).await.code, 2);
    assert!(run(command(&["cell", "list"])).await.refused().1.starts_with("no cells are named: "));
    let mut list = command(&["cell", "list"]);
    list.env("LACRE_CELLS", cells.directory.path().join("cells.json"));
    run(list).await.ok();
    // A table that the shell names is not the cell's.
    std::fs::write(cells.directory.path().join("br-2.env"), "AWS_REGION=sa-east-1\n").unwrap();
    let mut list = cells.command(&["--cell", "br-2", "client", "list"]);
    list.envs(cells.services[0].variables());
    let (code, why) = run(list).await.refused();
    assert_eq!((code, why.starts_with("ACCOUNTS_TABLE is not set: ")), (2, true), "{why}");
}
