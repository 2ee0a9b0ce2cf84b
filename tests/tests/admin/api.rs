//! Tests each route of the admin API, and who may not call it.

use lacre_api::{
    NamedTerms,
    admin::{LicenseRequest, Route},
};
use lacre_tests::{Answer, Service, Storage, frame};
use reqwest::Method;
use serde_json::{Value, json};

/// No other gateway's access log contains addresses, because it would be those of people who capture.
#[test]
fn only_the_admin_log_has_principals() {
    let template = include_str!("../../../template.yaml");
    let log = template.split("DestinationArn: !GetAtt AdminApiLog.Arn").nth(1).unwrap();
    let log = log.split("  AdminApiLog:").next().unwrap();
    for variable in ["$context.requestId", "$context.identity.userArn", "$context.identity.sourceIp"] {
        assert_eq!(log.matches(variable).count(), 1, "{variable}");
    }
    assert_eq!(template.matches("$context.identity.").count(), 2);
}

async fn get(service: &Service, path: &str) -> Answer {
    service.admin(Method::GET, path, Value::Null).await
}

async fn post(service: &Service, path: &str, body: Value) -> Answer {
    service.admin(Method::POST, path, body).await
}

#[track_caller]
fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body[field].as_str().unwrap_or_else(|| panic!("no {field} in {body}"))
}

async fn new_client(service: &Service) -> String {
    let created = post(service, "/clients", json!({ "name": "Seguradora Exemplo" })).await;
    assert_eq!(created.status, 201, "{}", created.body);
    text(&created.body, "id").to_owned()
}

fn terms() -> Value {
    json!({
        "environment": "SANDBOX", "expires_at": "2099-12-31T00:00:00Z",
        "authorized_origins": [lacre_tests::service::PAGE], "store_asset_policy": "ALWAYS",
    })
}

#[tokio::test]
async fn creates_lists_suspends_and_resumes_clients() {
    let service = Service::start().await;
    let id = new_client(&service).await;
    let client = |status: &str| json!({ "id": id, "name": "Seguradora Exemplo", "status": status });
    let path = format!("/clients/{id}");
    assert_eq!(get(&service, &path).await.outcome(), (200, client("active")));
    let listed = get(&service, "/clients").await.ok();
    assert!(listed["clients"].as_array().unwrap().contains(&client("active")), "{listed}");

    for (action, status) in [("suspend", "suspended"), ("suspend", "suspended"), ("resume", "active")] {
        assert_eq!(post(&service, &format!("{path}/{action}"), Value::Null).await.outcome(), (200, client(status)));
        assert_eq!(get(&service, &path).await.outcome(), (200, client(status)));
    }
}

#[tokio::test]
async fn issues_lists_and_revokes_api_keys() {
    let service = Service::start().await;
    let path = format!("/clients/{}/api-keys", new_client(&service).await);
    let order = json!({ "environment": "SANDBOX", "name": "backend" });
    let issued = post(&service, &path, order).await;
    assert_eq!(issued.status, 201, "{}", issued.body);
    let (key, id) = (text(&issued.body, "api_key"), text(&issued.body, "id"));
    let license = post(&service, &path.replace("api-keys", "licenses"), terms()).await;
    let session = json!({ "reference_id": "r", "license_key": license.body["license_key"] });
    assert_eq!(service.create_with(key, session.clone()).await.status, 200);

    let mut view = issued.body.clone();
    view.as_object_mut().unwrap().remove("api_key");
    assert_eq!(get(&service, &path).await.outcome(), (200, json!({ "api_keys": [view], "next": null })));

    let revoke = format!("{path}/{id}/revoke");
    view["status"] = "revoked".into();
    assert_eq!(post(&service, &revoke, Value::Null).await.outcome(), (200, view.clone()));
    assert_eq!(service.create_with(key, session).await.status, 401);
    assert_eq!(get(&service, &path).await.outcome(), (200, json!({ "api_keys": [view], "next": null })));
    let again = json!({ "error": format!("API key {id} is already revoked") });
    assert_eq!(post(&service, &revoke, Value::Null).await.outcome(), (409, again));
}

#[tokio::test]
async fn makes_and_replaces_the_hosted_license() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let licenses = format!("/clients/{client}/licenses");
    let mut terms = terms();
    terms["redirect_origins"] = json!(["http://localhost:3000"]);
    let key = json!({ "environment": "SANDBOX", "name": "backend" });
    let key = post(&service, &format!("/clients/{client}/api-keys"), key).await.body;
    let order = Service::hosted_order("demo");
    let create = async || service.create_hosted_with(text(&key, "api_key"), &order).await.status;
    assert_eq!(create().await, 403, "none is named");
    let unsigned = text(&post(&service, &licenses, terms.clone()).await.body, "id").to_owned();
    let refused = json!({ "error": format!("client {client} has no webhook secret in SANDBOX; issue one first") });
    let host = format!("/licenses/{unsigned}/host");
    assert_eq!(post(&service, &host, Value::Null).await.outcome(), (409, refused));
    let secrets = format!("/clients/{client}/webhook-secrets");
    assert_eq!(post(&service, &secrets, json!({ "environment": "SANDBOX" })).await.status, 201);
    for _ in 0..2 {
        let license = post(&service, &licenses, terms.clone()).await.body;
        let id = text(&license, "id");
        let named = json!({ "client_id": client, "environment": "SANDBOX", "license_id": id });
        assert_eq!(post(&service, &format!("/licenses/{id}/host"), Value::Null).await.outcome(), (200, named.clone()));
        let listed = get(&service, &format!("/clients/{client}/hosted-licenses")).await;
        assert_eq!(listed.outcome(), (200, json!({ "hosted_licenses": [named] })));
        assert_eq!(create().await, 201);
        // A revoked license cannot be made the hosted one.
        assert_eq!(post(&service, &format!("/licenses/{id}/revoke"), Value::Null).await.status, 200);
        assert_eq!(post(&service, &format!("/licenses/{id}/host"), Value::Null).await.status, 409);
        assert_eq!(create().await, 403, "revoked");
    }
}

#[tokio::test]
async fn manages_a_license_until_its_revocation() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let licenses = format!("/clients/{client}/licenses");
    let issued = post(&service, &licenses, terms()).await;
    assert_eq!(issued.status, 201, "{}", issued.body);
    let (id, key) = (text(&issued.body, "id"), text(&issued.body, "license_key").to_owned());
    let mut view = issued.body.clone();
    view.as_object_mut().unwrap().remove("license_key");
    let LicenseRequest::<NamedTerms> { environment, terms } = serde_json::from_value(terms()).unwrap();
    let mut expected = json!(terms.complete(Some(environment)).unwrap());
    let beside_terms = json!({
        "id": id, "client_id": client, "environment": "SANDBOX", "status": "active", "integrity_enforcement": "IGNORE",
        "issued_at": view["issued_at"], "key_id": view["key_id"], "key_prefix": "svc_sand_",
        "key_suffix": key[key.len() - 4..], "revision": 1,
    });
    expected.as_object_mut().unwrap().extend(beside_terms.as_object().unwrap().clone());
    assert_eq!(view, expected);
    assert_eq!(
        (&view["store_asset_policy"], &view["gps_mode"]),
        (&json!("ALWAYS"), &json!("OBSERVE")),
        "named, default"
    );
    let mut listed = get(&service, &licenses).await.ok();
    let entry = listed["licenses"][0].as_object_mut().unwrap();
    let beside = ["client_name", "usage"].map(|name| entry.remove(name).unwrap());
    assert_eq!((listed, beside[1]["captures_used"].clone()), (json!({ "licenses": [view], "next": null }), json!(0)));

    let backend = json!({ "environment": "SANDBOX", "name": "backend" });
    let api_key = post(&service, &format!("/clients/{client}/api-keys"), backend).await.body;
    let order = json!({ "reference_id": "r", "license_key": key });
    let token = Service::token_of(service.create_with(text(&api_key, "api_key"), order).await);
    let loaded = service.reload(&token).await;
    assert_eq!(service.capture_in(&loaded, &frame::fresh()).await.status, 200);
    let month = lacre_domain::capture::month_of(lacre_domain::Clock::now(&*service.clock));
    let path = format!("/licenses/{id}");
    view["usage"] = json!({ "month": month, "captures_used": 1 });
    assert_eq!(get(&service, &path).await.outcome(), (200, view.clone()));

    let change = json!({ "gps_mode": "REQUIRE", "gps_max_accuracy_m": 20.5, "recapture_threshold": 1.5, "max_captures_per_session": 2 });
    let changed = service.admin(Method::PATCH, &path, change.clone()).await;
    view.as_object_mut().unwrap().remove("usage");
    for (term, value) in change.as_object().unwrap() {
        view[term] = value.clone();
    }
    view["revision"] = json!(2);
    assert_eq!(changed.outcome(), (200, view.clone()));

    let rotated = post(&service, &format!("{path}/rotate"), Value::Null).await.ok();
    assert_ne!(rotated["license_key"], key);
    for changed in ["key_id", "key_suffix"] {
        view[changed] = rotated[changed].clone();
    }
    view["revision"] = json!(4);
    view["status"] = "revoked".into();
    assert_eq!(post(&service, &format!("{path}/revoke"), Value::Null).await.outcome(), (200, view));
    let again = post(&service, &format!("{path}/revoke"), Value::Null).await;
    let message = format!("license {id} is revoked, for good; issue a new license instead");
    assert_eq!(again.outcome(), (409, json!({ "error": message })));

    for query in [format!("license={id}"), format!("client={client}"), format!("month={month}&client={client}")] {
        let alerts = get(&service, &format!("/alerts?{query}")).await.ok();
        let [alert] = alerts["alerts"].as_array().unwrap().as_slice() else { panic!("{query}: {alerts}") };
        assert_eq!(
            [&alert["alert"], &alert["license_id"], &alert["month"]],
            [&json!("REVOKED"), &json!(id), &json!(month)]
        );
    }
    let none = get(&service, &format!("/alerts?license={id}&month=2020-01")).await;
    assert_eq!(none.outcome(), (200, json!({ "alerts": [], "next": null })));
}

#[tokio::test]
async fn invalid_requests_change_nothing() {
    let service = Service::start().await;
    let client = new_client(&service).await;
    let keys = format!("/clients/{client}/api-keys");
    let licenses = format!("/clients/{client}/licenses");
    let count = async || Storage::of(&service).items("ACCOUNTS_TABLE").await.len();
    let before = count().await;

    let no = |what: &str| json!({ "error": format!("{what} does not exist") });
    let unknown = "2f6f3c1e-0000-4000-8000-000000000000";
    let client_path = format!("/clients/{unknown}");
    assert_eq!(get(&service, &client_path).await.outcome(), (404, no(&format!("client {unknown}"))));
    assert_eq!(post(&service, &format!("{client_path}/suspend"), Value::Null).await.status, 404);
    for path in [format!("/licenses/{unknown}"), format!("/alerts?license={unknown}")] {
        assert_eq!(get(&service, &path).await.outcome(), (404, no(&format!("license {unknown}"))));
    }
    let revoke = format!("{keys}/0123456789abcdef/revoke");
    assert_eq!(post(&service, &revoke, Value::Null).await.outcome(), (404, no("API key 0123456789abcdef")));
    let mut late = terms();
    late["expires_at"] = "2020-01-01T00:00:00Z".into();
    let mut misspelt = terms();
    misspelt["volumelimit"] = 1.into();
    let (mut low, mut text_for_number) = (terms(), terms());
    low["recapture_threshold"] = 0.9.into();
    text_for_number["recapture_threshold"] = "2.5".into();
    let mut http = terms();
    (http["environment"], http["volume_limit"]) = ("STAGING".into(), 5.into());
    for (path, body, part) in [
        ("/clients", json!({}), "missing field `name`"),
        ("/clients", json!({ "name": " " }), "a name has 1 to 100 characters"),
        ("/clients", json!({ "name": "a", "id": "mine" }), "unknown field `id`"),
        (&keys, json!({ "environment": "TEST", "name": "k" }), "unknown variant `TEST`"),
        (&licenses, late, "expires_at is in the past"),
        (&licenses, misspelt, "unknown field `volumelimit`"),
        (&licenses, low, "recapture_threshold must be a number from 1 to 4"),
        (&licenses, text_for_number, "invalid type: string"),
        (&licenses, http, "http is for the sandbox only"),
        (&licenses, json!({ "environment": "SANDBOX" }), "expires_at must be named"),
    ] {
        let answer = post(&service, path, body).await;
        assert!(answer.status == 400 && text(&answer.body, "error").contains(part), "{part}: {answer:?}");
    }
    assert_eq!(get(&service, "/alerts?month=2026-13").await.status, 400);
    assert_eq!(get(&service, "/alerts?monat=2026-12").await.status, 400);
    assert_eq!(count().await, before);
}

/// A key pasted in place of an id is refused and not echoed. Every test also searches the log for keys.
#[tokio::test]
async fn echoes_no_key_pasted_as_id() {
    let service = Service::start().await;
    let (license_key, api_key) = (service.variable("LICENSE_KEY"), service.variable("API_KEY"));
    let client = new_client(&service).await;
    let error = |text: &str| (400, json!({ "error": text }));
    for path in [format!("/licenses/{license_key}"), format!("/alerts?license={license_key}")] {
        assert_eq!(get(&service, &path).await.outcome(), error("the id of a license must be a UUID"));
    }
    assert_eq!(
        get(&service, &format!("/clients/{api_key}")).await.outcome(),
        error("the id of a client must be a UUID")
    );
    let revoke = format!("/clients/{client}/api-keys/{api_key}/revoke");
    let message = post(&service, &revoke, Value::Null).await.outcome();
    assert_eq!(message, error("an API key's id must be 16 hexadecimal characters"));
}

#[tokio::test]
async fn an_unreadable_record_is_a_500() {
    let service = Service::start().await;
    let id = new_client(&service).await;
    let key = [("pk", format!("client#{id}")), ("sk", "client".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &key, "name").await;
    let message =
        json!({ "error": "A record cannot be read, or the deployment is incomplete. The log has the cause." });
    assert_eq!(get(&service, &format!("/clients/{id}")).await.outcome(), (500, message));
}

#[tokio::test]
async fn requires_a_permitted_keys_signature() {
    let service = Service::start().await;
    let forbidden = (403, json!({ "message": "Forbidden" }));
    for route in Route::ALL {
        let (method, path) = (Method::from_bytes(route.method().as_bytes()).unwrap(), route.path());
        let unsigned = service.http.request(method.clone(), format!("{}{path}", service.variable("ADMIN_URL")));
        assert_eq!(service.send(unsigned).await.outcome(), forbidden, "{method} {path}");
        let id = service.variable("AWS_ACCESS_KEY_ID");
        let forger = aws_credential_types::Credentials::new(id, "not-its-secret", None, None, "test");
        assert_eq!(service.admin_as(forger, method, path, Value::Null).await.outcome(), forbidden, "{path}");
    }
}
