//! Tests what operators keep for hosted sessions: the kits and the sender of a client in an environment.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use lacre_administration::{Error, PageRequest};
use lacre_domain::{ClientId, Environment, Kit, Sender};
use lacre_tests::{Answer, Service, Storage};
use reqwest::Method;
use serde_json::{Value, json};

async fn get(service: &Service, path: &str) -> Answer {
    service.admin(Method::GET, path, Value::Null).await
}

async fn post(service: &Service, path: &str, body: Value) -> Answer {
    service.admin(Method::POST, path, body).await
}

async fn new_client(service: &Service) -> ClientId {
    service.administration().clients.create("Seguradora Exemplo").await.unwrap().id
}

/// A kit of one step.
fn kit(name: &str, title: &str) -> Value {
    let step = json!({
        "id": "frente", "title": { "pt-BR": title }, "instruction": { "pt-BR": "Enquadre o veículo." },
        "framing": "landscape", "outline": [{ "d": "M 0,0 H0" }],
    });
    json!({ "name": name, "steps": [step] })
}

fn sender() -> Value {
    let text = |text: &str| json!({ "pt-BR": text });
    json!({
        "name": "Seguradora Exemplo", "purpose": text("Vistoria prévia."), "duration": text("Cinco anos."),
        "controller": "Seguradora Exemplo S.A.", "contact": "privacidade@seguradora.example",
        "sharing": text("Com ninguém."), "responsibilities": text("A seguradora decide sobre o uso."),
    })
}

fn parsed(kit: &Value) -> Kit {
    Kit::parse(kit.to_string().as_bytes()).unwrap()
}

/// The operations about a client that changed something, oldest first: their names, and what they set.
async fn done(service: &Service, client: &ClientId) -> Vec<(String, Value)> {
    let audit = get(service, &format!("/audit?client={client}")).await.ok();
    let done = audit["audit"].as_array().unwrap().iter().rev().filter(|entry| entry["outcome"] == "done");
    done.map(|entry| (entry["operation"].as_str().unwrap().to_owned(), entry["detail"].clone())).skip(1).collect()
}

#[tokio::test]
async fn keeps_every_version_of_a_kit() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let (kits, path) = (format!("/clients/{client}/kits"), format!("/clients/{client}/kits/STAGING/auto"));
    let (first, second) = (kit("auto", "Frente"), kit("auto", "Frente e lateral"));
    let put = |kit: &Value| post(&service, &kits, json!({ "environment": "STAGING", "kit": kit }));
    let listed = |version: u32, retired: bool| json!({ "client_id": client, "environment": "STAGING", "name": "auto", "current_version": version, "retired": retired });
    let shown = |answer: &Answer, version: u32, current: u32, retired: bool, kit: &Value| {
        let mut shown = listed(current, retired);
        let kit = parsed(kit);
        shown["version"] = version.into();
        shown["sha256"] = kit.hash().hex().into();
        shown["put_at"] = answer.body["put_at"].clone();
        shown["kit"] = serde_json::from_str(kit.canonical_json()).unwrap();
        assert_eq!(answer.body, shown);
    };

    assert_eq!(get(&service, &path).await.status, 404);
    let answer = put(&first).await;
    assert_eq!(answer.status, 201);
    shown(&answer, 1, 1, false, &first);
    assert_eq!(answer.body["kit"]["steps"][0]["outline"][0]["d"], "M0 0H0", "in canonical form");

    // The same kit, written in another way.
    let mut same = first.clone();
    same["steps"][0]["optional"] = false.into();
    let error = json!({ "error": "the kit equals the current version, auto@1; there is nothing to put" });
    assert_eq!(put(&same).await.outcome(), (409, error));

    let answer = put(&second).await;
    assert_eq!(answer.status, 201);
    shown(&answer, 2, 2, false, &second);
    shown(&get(&service, &path).await, 2, 2, false, &second);
    shown(&get(&service, &format!("{path}?version=1")).await, 1, 2, false, &first);
    let missing = json!({ "error": "kit auto has no version 3" });
    assert_eq!(get(&service, &format!("{path}?version=3")).await.outcome(), (404, missing));

    assert_eq!(post(&service, &format!("{path}/retire"), Value::Null).await.outcome(), (200, listed(2, true)));
    let again = json!({ "error": "kit auto is already retired" });
    assert_eq!(post(&service, &format!("{path}/retire"), Value::Null).await.outcome(), (409, again));
    shown(&get(&service, &path).await, 2, 2, true, &second);
    let list = format!("{kits}?environment=STAGING");
    assert_eq!(get(&service, &list).await.outcome(), (200, json!({ "kits": [listed(2, true)], "next": null })));

    // A put makes it available again, even without a change.
    let answer = put(&second).await;
    assert_eq!(answer.status, 201);
    shown(&answer, 3, 3, false, &second);
    shown(&get(&service, &format!("{path}?version=1")).await, 1, 3, false, &first);
    assert_eq!(get(&service, &list).await.outcome(), (200, json!({ "kits": [listed(3, false)], "next": null })));

    let [first, second] = [&first, &second].map(|kit| parsed(kit).hash().hex());
    let expected = [
        ("kit.put", format!("auto@1 {first}")),
        ("kit.put", format!("auto@2 {second}")),
        ("kit.retire", "auto@2".to_owned()),
        ("kit.put", format!("auto@3 {second}")),
    ];
    assert_eq!(
        done(&service, &client).await,
        expected.map(|(operation, detail)| (operation.to_owned(), detail.into()))
    );
}

#[tokio::test]
async fn an_invalid_kit_shows_all_faults() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let kits = format!("/clients/{client}/kits");
    let count = async || Storage::of(&service).items("ACCOUNTS_TABLE").await.len();
    let before = count().await;
    let mut invalid = kit("Auto", "<b>");
    invalid["steps"][0]["colour"] = "red".into();
    let answer = post(&service, &kits, json!({ "environment": "SANDBOX", "kit": invalid })).await;
    assert_eq!(answer.status, 400);
    let error = answer.body["error"].as_str().unwrap();
    let lines: Vec<_> = error.lines().map(|line| line.split(": ").next().unwrap()).collect();
    let expected =
        ["the kit is invalid:", "/name name_form", "/steps/0/title/pt-BR title_form", "/steps/0/colour unknown_field"];
    assert_eq!(lines, expected, "{error}");

    let unknown: BTreeMap<_, _> = (0..150).map(|number| (format!("f{number}"), number)).collect();
    let many = json!({ "environment": "SANDBOX", "kit": unknown });
    let answer = post(&service, &kits, many).await;
    let error = answer.body["error"].as_str().unwrap();
    assert_eq!((answer.status, error.lines().count(), error.lines().last()), (400, 102, Some("and 52 more")));

    let senders = format!("/clients/{client}/senders");
    let mut invalid = sender();
    invalid["purpose"] = json!({ "en": "<" });
    let answer = post(&service, &senders, json!({ "environment": "SANDBOX", "sender": invalid })).await;
    let error = answer.body["error"].as_str().unwrap().to_owned();
    let lines: Vec<_> = error.lines().map(|line| line.split(": ").next().unwrap()).collect();
    let expected = ["the sender is invalid:", "/purpose/pt-BR missing_field", "/purpose/en text_markup"];
    assert_eq!((answer.status, lines.as_slice()), (400, &expected[..]), "{error}");
    assert_eq!(count().await, before);
}

#[tokio::test]
async fn refuses_requests_that_name_no_kit() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let error = |text: String| json!({ "error": text });
    let unknown = "2f6f3c1e-0000-4000-8000-000000000000";
    let no_client = error(format!("client {unknown} does not exist"));
    let order = json!({ "environment": "SANDBOX", "kit": kit("auto", "Frente") });
    assert_eq!(post(&service, &format!("/clients/{unknown}/kits"), order).await.outcome(), (404, no_client.clone()));
    for path in ["kits?environment=SANDBOX", "kits/SANDBOX/auto", "senders/SANDBOX"] {
        let answer = get(&service, &format!("/clients/{unknown}/{path}")).await;
        assert_eq!(answer.outcome(), (404, no_client.clone()), "{path}");
    }
    let no_kit = error(format!("client {client} has no kit auto in SANDBOX"));
    assert_eq!(get(&service, &format!("/clients/{client}/kits/SANDBOX/auto")).await.outcome(), (404, no_kit.clone()));
    let retire = format!("/clients/{client}/kits/SANDBOX/auto/retire");
    assert_eq!(post(&service, &retire, Value::Null).await.outcome(), (404, no_kit));
    for path in
        ["kits", "kits?environment=TEST", "kits/TEST/auto", "kits/sand/auto", "senders/TEST", "kits/SANDBOX/Auto"]
    {
        assert_eq!(get(&service, &format!("/clients/{client}/{path}")).await.status, 400, "{path}");
    }
    for version in ["0", "1000000000", "x", ""] {
        let path = format!("/clients/{client}/kits/SANDBOX/auto?version={version}");
        assert_eq!(get(&service, &path).await.status, 400, "{version}");
    }
}

#[tokio::test]
async fn lists_kits_of_one_environment_by_name() {
    let service = Service::start().await;
    let admin = service.administration();
    let client = new_client(&service).await;
    let put = async |environment, name: &str| {
        admin.kits.put(&client, environment, kit(name, "Frente").to_string().as_bytes()).await
    };
    for number in (0..100).rev() {
        put(Environment::Sandbox, &format!("k{number:02}")).await.unwrap();
    }
    put(Environment::Staging, "other").await.unwrap();
    admin.senders.set(&client, Environment::Sandbox, sender().to_string().as_bytes()).await.unwrap();
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { limit: 33, after };
        let found = admin.kits.list(&client, Environment::Sandbox, &page).await.unwrap();
        names.extend(found.entries.into_iter().map(|kit| kit.name.0));
        after = found.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(names, (0..100).map(|number| format!("k{number:02}")).collect::<Vec<_>>());

    let Err(Error::Refused(text)) = put(Environment::Sandbox, "one-more").await else { panic!("101 kits") };
    let expected = format!(
        "client {client} has 100 kits in SANDBOX, and no more are possible; put a version of one of them instead"
    );
    assert_eq!(text, expected);
    let changed =
        admin.kits.put(&client, Environment::Sandbox, kit("k07", "Lado").to_string().as_bytes()).await.unwrap();
    assert_eq!(changed.version, 2);
}

/// Of operators who put the same kit at once, each either puts a version or is told that another one was faster.
#[tokio::test]
async fn concurrent_puts_leave_no_gap() {
    let service = Service::start().await;
    let admin = service.administration();
    let client = new_client(&service).await;
    let kits: Vec<_> = (0..8).map(|number| kit("auto", &format!("Foto {number}"))).collect();
    let put = async |kit: &Value| admin.kits.put(&client, Environment::Sandbox, kit.to_string().as_bytes()).await;
    let results = join_all(kits.iter().map(put)).await;
    let mut made = Vec::new();
    for (kit, result) in kits.iter().zip(results) {
        match result {
            Ok(put) => made.push((put.version, parsed(kit).hash().hex())),
            Err(error) => assert!(matches!(error, Error::Refused(_)), "{error:?}"),
        }
    }
    made.sort();
    let current = admin.kits.read(&client, Environment::Sandbox, "auto", None).await.unwrap();
    assert_eq!(current.version as usize, made.len());
    for (index, (version, hash)) in made.iter().enumerate() {
        let found = admin.kits.read(&client, Environment::Sandbox, "auto", Some(*version)).await.unwrap();
        assert_eq!((*version as usize, found.sha256.as_str()), (index + 1, hash.as_str()));
    }
}

#[tokio::test]
async fn sets_and_shows_the_sender() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let (senders, path) = (format!("/clients/{client}/senders"), format!("/clients/{client}/senders/SANDBOX"));
    let missing = format!(
        "client {client} has no sender in SANDBOX; set it with lacre-admin sender set --client {client} --environment sand FILE"
    );
    assert_eq!(get(&service, &path).await.outcome(), (404, json!({ "error": missing })));
    for name in ["Seguradora Exemplo", "Seguradora Exemplo do Brasil"] {
        let mut sender = sender();
        sender["name"] = name.into();
        let set = post(&service, &senders, json!({ "environment": "SANDBOX", "sender": sender })).await;
        let parsed = Sender::parse(sender.to_string().as_bytes()).unwrap();
        let view = json!({
            "client_id": client, "environment": "SANDBOX", "sha256": parsed.hash().hex(), "set_at": set.body["set_at"],
            "sender": sender,
        });
        assert_eq!(set.outcome(), (200, view.clone()));
        assert_eq!(get(&service, &path).await.outcome(), (200, view));
    }
    assert_eq!(get(&service, &path.replace("SANDBOX", "STAGING")).await.status, 404);
    let names = ["Seguradora Exemplo", "Seguradora Exemplo do Brasil"];
    assert_eq!(done(&service, &client).await, names.map(|name| ("sender.set".to_owned(), name.into())));
}

/// Customers are told who asks them for photos before a production license may be used for them.
#[tokio::test]
async fn hosts_no_production_license_without_sender() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let terms = json!({
        "environment": "PRODUCTION", "expires_at": "2099-12-31T00:00:00Z", "volume_limit": 10,
        "store_asset_policy": "ALWAYS", "redirect_origins": ["https://app.example.com"],
    });
    let license = post(&service, &format!("/clients/{client}/licenses"), terms).await;
    let (id, key) = (license.body["id"].as_str().unwrap(), license.body["license_key"].as_str().unwrap());
    lacre_tests::journal::remember(key);
    let secret =
        post(&service, &format!("/clients/{client}/webhook-secrets"), json!({ "environment": "PRODUCTION" })).await;
    lacre_tests::journal::remember(secret.body["webhook_secret"].as_str().unwrap());
    let host = format!("/licenses/{id}/host");
    let refused = format!(
        "client {client} has no sender in PRODUCTION; set it with lacre-admin sender set --client {client} --environment live FILE"
    );
    assert_eq!(post(&service, &host, Value::Null).await.outcome(), (409, json!({ "error": refused })));

    let senders = format!("/clients/{client}/senders");
    assert_eq!(post(&service, &senders, json!({ "environment": "STAGING", "sender": sender() })).await.status, 200);
    assert_eq!(post(&service, &host, Value::Null).await.status, 409, "that of another environment");
    assert_eq!(post(&service, &senders, json!({ "environment": "PRODUCTION", "sender": sender() })).await.status, 200);
    assert_eq!(post(&service, &host, Value::Null).await.status, 200);
}
