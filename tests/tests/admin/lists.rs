//! Tests lists of clients, keys and licenses: pagination, search, and usage.

use lacre_domain::{Environment, LicenseId, Moment, NamedTerms};
use lacre_tests::{Service, customer::Customer, frame, vault::exporting_service};
use reqwest::Method;
use serde_json::{Value, json};

async fn get(service: &Service, path: &str) -> Value {
    service.admin(Method::GET, path, Value::Null).await.ok()
}

/// A field of all entries of a list, read in pages of this size.
async fn all(service: &Service, path: &str, list: &str, limit: usize, field: &str) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let separator = if path.contains('?') { '&' } else { '?' };
        let page = get(service, &format!("{path}{separator}limit={limit}{cursor}")).await;
        let entries = page[list].as_array().unwrap();
        assert!(entries.len() <= limit, "{page}");
        found.extend(entries.iter().map(|entry| entry[field].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

fn terms(service: &Service) -> NamedTerms {
    use lacre_domain::Clock;
    let expires_at = Some(Moment(service.clock.now() + time::Duration::days(1)));
    NamedTerms { expires_at, volume_limit: Some(10), ..NamedTerms::default() }
}

#[tokio::test]
async fn lists_and_finds_clients_by_name() {
    let service = Service::start().await;
    let admin = service.administration();
    for name in ["Zeta", "ação seguros", "Acao # Banco", "Ação Seguros Gerais", "Beta"] {
        admin.clients.create(name).await.unwrap();
    }
    let names = all(&service, "/clients", "clients", 2, "name").await;
    let mine: Vec<&String> = names.iter().filter(|name| !name.contains("Company") && !name.contains("Lacre")).collect();
    assert_eq!(mine, ["Acao # Banco", "Ação Seguros Gerais", "ação seguros", "Beta", "Zeta"]);
    assert_eq!(names.len(), 8, "with those of the service");
    for (search, found) in [
        ("a%C3%A7%C3%A3o", vec!["Acao # Banco", "Ação Seguros Gerais", "ação seguros"]),
        ("ACAO%20SEGUROS", vec!["Ação Seguros Gerais", "ação seguros"]),
        ("acao%20%23", vec!["Acao # Banco"]),
        ("nobody", vec![]),
    ] {
        let path = format!("/clients?search={search}");
        assert_eq!(all(&service, &path, "clients", 1, "name").await, found, "{search}");
    }
    let id = admin.clients.create("By Id").await.unwrap().id;
    assert_eq!(all(&service, &format!("/clients?search={id}"), "clients", 9, "name").await, ["By Id"]);
}

#[tokio::test]
async fn checks_limit_and_cursor() {
    let service = Service::start().await;
    for path in ["/clients", "/licenses", "/alerts?state=open", "/webhooks", "/audit", "/captures?reference_id=a"] {
        let with = |parameter: &str| format!("{path}{}{parameter}", if path.contains('?') { '&' } else { '?' });
        for limit in ["limit=0", "limit=101"] {
            let answer = service.admin(Method::GET, &with(limit), Value::Null).await;
            assert_eq!(answer.outcome(), (400, json!({ "error": "limit must be between 1 and 100" })), "{path}");
        }
        for (parameter, status) in
            [("limit=x", 400), ("limit=100", 200), ("cursor=zz", 400), ("cursor=7b7d", 400), ("other=1", 400)]
        {
            assert_eq!(
                service.admin(Method::GET, &with(parameter), Value::Null).await.status,
                status,
                "{path} {parameter}"
            );
        }
    }
    // The cursor of one list is not valid for another.
    let cursor = get(&service, "/clients?limit=1").await["next"].as_str().unwrap().to_owned();
    let other = service.admin(Method::GET, &format!("/audit?cursor={cursor}"), Value::Null).await;
    assert_eq!(other.status, 400);
}

#[tokio::test]
async fn finds_licenses_by_client_id_and_key() {
    let service = Service::start().await;
    let admin = service.administration();
    let client = admin.clients.create("Ícaro Seguros").await.unwrap();
    let mut issued = Vec::new();
    for _ in 0..5 {
        issued.push(admin.licenses.issue(&client.id, Environment::Staging, &terms(&service)).await.unwrap());
        // Ids created within the same millisecond have no order.
        service.clock.advance(time::Duration::seconds(1));
    }
    let ids: Vec<String> = issued.iter().map(|license| license.view.id.to_string()).collect();
    let found = async |search: &str| all(&service, &format!("/licenses?search={search}"), "licenses", 2, "id").await;
    assert_eq!(found("icaro").await, ids);
    assert_eq!(found(client.id.as_str()).await, ids);
    assert_eq!(all(&service, &format!("/clients/{}/licenses", client.id), "licenses", 3, "id").await, ids);
    assert_eq!(found(&ids[3]).await, [ids[3].clone()]);
    let key_id = issued[1].view.key_id.0.clone();
    assert_eq!(found(&key_id[..8]).await, [ids[1].clone()]);
    // An old log shows the key that was valid then.
    let rotated = admin.licenses.rotate_key(&issued[1].view.id).await.unwrap();
    assert_eq!(found(&key_id).await, [ids[1].clone()]);
    assert_eq!(found(rotated.view.key_id.as_str()).await, [ids[1].clone()]);
    assert_eq!(found("00000000").await, [""; 0]);
    let page = get(&service, "/licenses?limit=1&search=icaro").await;
    assert_eq!(page["licenses"][0]["client_name"], "Ícaro Seguros");
}

#[tokio::test]
async fn refused_licenses_have_a_reason() {
    let service = Service::start().await;
    let admin = service.administration();
    let client = admin.clients.create("Refusals").await.unwrap();
    let issue =
        async |terms: &NamedTerms| admin.licenses.issue(&client.id, Environment::Staging, terms).await.unwrap().view.id;
    let license = issue(&terms(&service)).await;
    let full = issue(&NamedTerms { volume_limit: Some(0), ..terms(&service) }).await;
    let refusals = async || {
        let listed = get(&service, "/licenses?search=refusals").await;
        let mut refusals = Vec::new();
        for id in [&license, &full] {
            let entry = listed["licenses"].as_array().unwrap().iter().find(|entry| entry["id"] == id.as_str()).unwrap();
            assert_eq!(get(&service, &format!("/licenses/{id}")).await["refusal"], entry["refusal"]);
            refusals.push(entry["refusal"].clone());
        }
        json!(refusals)
    };
    assert_eq!(refusals().await, json!([null, "VOLUME_EXCEEDED"]));
    service.clock.advance(time::Duration::days(1));
    assert_eq!(refusals().await, json!(["EXPIRED", "EXPIRED"]));
    let key = admin.api_keys.issue(&client.id, Environment::Staging, "backend").await.unwrap();
    assert_eq!(json!(key.view.client_status), "active");
    admin.clients.suspend(&client.id).await.unwrap();
    assert_eq!(refusals().await, json!(["CLIENT_SUSPENDED", "CLIENT_SUSPENDED"]));
    let keys = get(&service, &format!("/clients/{}/api-keys", client.id)).await;
    assert_eq!(
        (&keys["api_keys"][0]["status"], &keys["api_keys"][0]["client_status"]),
        (&json!("active"), &json!("suspended"))
    );
    admin.licenses.revoke(&license).await.unwrap();
    assert_eq!(refusals().await, json!(["REVOKED", "CLIENT_SUSPENDED"]));
}

#[tokio::test]
async fn lists_api_keys_with_their_suffixes() {
    let service = Service::start().await;
    let admin = service.administration();
    let client = admin.clients.create("Keys").await.unwrap();
    let mut expected = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let issued = admin.api_keys.issue(&client.id, Environment::Sandbox, name).await.unwrap();
        let suffix = issued.view.key_suffix.clone().unwrap().0;
        assert!(issued.api_key.starts_with(&issued.view.key_prefix) && issued.api_key.ends_with(&suffix));
        expected.push(suffix);
        service.clock.advance(time::Duration::seconds(1));
    }
    let path = format!("/clients/{}/api-keys", client.id);
    assert_eq!(all(&service, &path, "api_keys", 3, "name").await, ["a", "b", "c", "d"]);
    assert_eq!(all(&service, &path, "api_keys", 3, "key_suffix").await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_captures_by_license_month_and_environment() {
    let service = exporting_service().await;
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    for _ in 0..3 {
        customer.capture(&frame::fresh()).await.ok();
    }
    let sandbox = json!({ "environment": "SANDBOX", "today": 3, "month": 3 });
    let mut overview = Value::Null;
    for _ in 0..200 {
        overview = get(&service, "/overview").await;
        if overview["captures"][2] == sandbox {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(overview["captures"][2], sandbox);
    assert_eq!(overview["captures"][0], json!({ "environment": "PRODUCTION", "today": 0, "month": 0 }));
    // Two signers in each environment have development certificates.
    let certificates = overview["certificates"].as_array().unwrap();
    assert_eq!(certificates.len(), 6);
    assert!(certificates.iter().all(|certificate| certificate["days_left"].as_i64().unwrap() > 0), "{overview}");

    let listed = get(&service, &format!("/clients/{}/licenses", customer.client_id)).await;
    assert_eq!(listed["licenses"][0]["usage"]["captures_used"], 3);
    let usage = get(&service, &format!("/licenses/{}/usage?months=2", customer.license_id)).await;
    let usage = usage["usage"].as_array().unwrap();
    assert_eq!((usage.len(), &usage[0]["captures_used"], &usage[1]["captures_used"]), (2, &json!(0), &json!(3)));
    for (months, status) in [("0", 400), ("25", 400), ("x", 400), ("24", 200)] {
        let path = format!("/licenses/{}/usage?months={months}", customer.license_id);
        assert_eq!(service.admin(Method::GET, &path, Value::Null).await.status, status, "{months}");
    }
}

#[tokio::test]
async fn repeated_counts_are_tallied_once() {
    let service = Service::start().await;
    let tally = lacre_storage::Tally::new(service.connection());
    let now = lacre_domain::Clock::now(service.clock.as_ref());
    let (month, day) = (lacre_domain::capture::month_of(now), now.day());
    let seen = |license: &LicenseId, captures| lacre_storage::Seen {
        license: license.clone(),
        environment: Environment::Production,
        month: month.clone(),
        day: Some(day),
        captures,
    };
    let [a, b, none] = [1, 2, 3].map(LicenseId::from_u128);
    // Repeated and combined counts, an old one after a new one, and a correction.
    tally.follow(&[seen(&a, 5), seen(&b, 2)]).await.unwrap();
    tally.follow(&[seen(&a, 5)]).await.unwrap();
    let at_once = (0..8).map(|_| async { tally.follow(&[seen(&a, 9), seen(&b, 3)]).await.unwrap() });
    futures_util::future::join_all(at_once).await;
    let production = async || tally.of_environments(now).await.unwrap()[0];
    assert_eq!((production().await.today, production().await.month), (12, 12));
    tally.follow(&[seen(&a, 4)]).await.unwrap();
    assert_eq!((production().await.today, production().await.month), (12, 12), "an older count");
    tally.follow(&[lacre_storage::Seen { day: None, ..seen(&a, 4) }]).await.unwrap();
    assert_eq!((production().await.today, production().await.month), (12, 7), "a correction is of no day");
    let many: Vec<_> = (100..300).map(|license| seen(&LicenseId::from_u128(license), 1)).collect();
    tally.follow(&many).await.unwrap();
    assert_eq!(production().await.month, 207);
    assert_eq!(tally.of_licenses(&[a, b, none], &month).await.unwrap(), [4, 3, 0]);
}
