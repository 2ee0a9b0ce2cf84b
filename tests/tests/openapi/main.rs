//! `openapi.yaml`, `openapi-hosted.yaml` and the table of refusals say the same, row by row; a test of `domain` compares that table with
//! `docs/api.md`. What the document says of limits are the service's own.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Refusal, Route, limits, route::Address};
use serde_json::{Value, json};
use tests::{
    Answer,
    openapi::{Contract, Operation},
};

/// The document's name of a route: `:token` is `{token}` there.
fn operation(route: Route) -> Operation {
    let (method, path) = route.name().split_once(' ').unwrap();
    let braced = |part: &str| part.strip_prefix(':').map_or(part.to_owned(), |name| format!("{{{name}}}"));
    let path = path.split('/').map(braced).collect::<Vec<_>>().join("/");
    let host = match route.address() {
        Address::Base => "base_url",
        Address::License => "license_url",
        Address::Capture => "capture_url",
    };
    Operation { host: host.to_owned(), method: method.to_owned(), path }
}

/// A row's name in the document is the variant's.
fn name(refusal: Refusal) -> String {
    format!("{refusal:?}").split(' ').next().unwrap().to_owned()
}

fn refusals(route: Route) -> impl Iterator<Item = Refusal> {
    Refusal::ALL.iter().copied().filter(move |refusal| refusal.routes().contains(&route))
}

/// The whole answer that a refusal is.
fn answer(refusal: Refusal, service_name: &str) -> Answer {
    let headers = [
        ("cache-control", "no-store"),
        ("content-type", "application/json; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("x-request-id", "JKJaXmPLvHcESHA="),
    ];
    let mut headers: BTreeMap<_, _> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    if let Some(seconds) = refusal.retry_after() {
        headers.insert("retry-after".to_owned(), seconds.to_string());
    }
    Answer { status: refusal.status(), body: Answer::body_of(refusal, service_name), headers }
}

#[test]
fn the_documented_routes_are_the_service_s() {
    // The hosted flow's load and ingest are documented by reference to the component's.
    let shared = [Route::LoadSession, Route::Ingest].map(|route| {
        let host = "capture_url".to_owned();
        Operation { host, ..operation(route) }
    });
    let admin = admin::ROUTES.into_iter().chain([ingest::probe::ROUTE]).map(|(method, path)| Operation {
        host: "admin_url".to_owned(),
        method: method.to_owned(),
        path: path.to_owned(),
    });
    let all = Route::ALL.map(operation).into_iter().chain(shared).chain(admin);
    assert_eq!(Contract::get().operations(), all.collect());
}

#[test]
fn the_documented_rows_are_the_refusals() {
    for route in Route::ALL {
        let success = if route == Route::CreateHostedSession { 201 } else { 200 };
        let mut known = BTreeMap::<u16, BTreeSet<String>>::from([(success, BTreeSet::new())]);
        for refusal in refusals(route) {
            known.entry(refusal.status()).or_default().insert(name(refusal));
        }
        let row = |reference: &Value| reference["$ref"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let rows = |(status, response): (u16, &Value)| {
            let schema = &response["content"]["application/json"]["schema"];
            let rows = schema["oneOf"].as_array().filter(|_| status >= 400);
            (status, rows.into_iter().flatten().map(row).collect::<BTreeSet<_>>())
        };
        let documented: BTreeMap<_, _> = Contract::get().statuses(&operation(route)).into_iter().map(rows).collect();
        assert_eq!(documented, known, "{}", route.name());
    }
}

#[test]
fn each_refusal_is_documented_whole() {
    for route in Route::ALL {
        for refusal in refusals(route) {
            for service_name in ["Lacre", "Foto Segura S.A."] {
                assert_eq!(Contract::get().check(&operation(route), &answer(refusal, service_name)), Ok(()));
            }
        }
    }
}

#[test]
fn no_refusal_is_documented_as_another_one() {
    for refusal in Refusal::ALL {
        let schema = json!({ "$ref": format!("#/components/schemas/{}", name(*refusal)) });
        let schema = json!({ "components": Contract::get().hosted["components"], "allOf": [schema] });
        let row = jsonschema::validator_for(&schema).unwrap();
        for other in Refusal::ALL {
            let (body, body_of_other) = (answer(*refusal, "Lacre").body, answer(*other, "Lacre").body);
            assert_eq!(row.is_valid(&body_of_other), body == body_of_other, "{refusal:?}, {other:?}");
        }
    }
}

#[test]
fn an_answer_that_is_not_documented_is_found() {
    let check = |refusal: Refusal, change: &dyn Fn(&mut Answer)| {
        let mut answer = answer(refusal, "Lacre");
        change(&mut answer);
        Contract::get().check(&operation(Route::CreateSession), &answer)
    };
    let fault = |refusal, change: &dyn Fn(&mut Answer)| check(refusal, change).unwrap_err();
    let unchanged = |_: &mut Answer| {};

    assert_eq!(check(Refusal::UpstreamUnavailable, &unchanged), Ok(()));
    assert_eq!(fault(Refusal::SessionExpired, &unchanged), "POST /web/sessions: 410 is not documented");
    let of_another_route = fault(Refusal::SessionCorrupt, &unchanged);
    assert!(of_another_route.starts_with("POST /web/sessions: 403: {"), "{of_another_route}");
    for (change, found) in [
        ("retry-after", "POST /web/sessions: 503 lacks the header retry-after"),
        ("x-content-type-options", "POST /web/sessions: 503 lacks the header x-content-type-options"),
        ("x-request-id", "POST /web/sessions: 503 lacks the header x-request-id"),
        ("content-type", "POST /web/sessions: 503: the content type is None"),
    ] {
        let without = |answer: &mut Answer| drop(answer.headers.remove(change));
        assert_eq!(fault(Refusal::UpstreamUnavailable, &without), found);
    }
    for (header, value, found) in [
        ("retry-after", "soon", "POST /web/sessions: 503: the header retry-after is \"soon\""),
        ("cache-control", "private", "POST /web/sessions: 503: the header cache-control is \"private\""),
        ("set-cookie", "a=b", "POST /web/sessions: 503: the header set-cookie is not documented"),
    ] {
        let with = |answer: &mut Answer| drop(answer.headers.insert(header.to_owned(), value.to_owned()));
        assert_eq!(fault(Refusal::UpstreamUnavailable, &with), found);
    }
    let told_more = |answer: &mut Answer| answer.body["cause"] = "DynamoDB".into();
    assert!(fault(Refusal::UpstreamUnavailable, &told_more).contains("DynamoDB"));
    let early = |answer: &mut Answer| drop(answer.headers.insert("retry-after".to_owned(), "3".to_owned()));
    assert!(fault(Refusal::ApiKeyInvalid, &early).ends_with("the header retry-after is not documented"));
}

#[test]
fn the_documented_limits_are_the_service_s() {
    let document = &Contract::get().document;
    let fields = |path: &str| {
        let body = &document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        body["properties"].clone()
    };
    let (create, ingest) = (fields("/web/sessions"), fields("/web/ingest"));
    assert_eq!(create["reference_id"]["maxLength"], limits::REFERENCE_ID_BYTES);
    assert_eq!(ingest["label"]["maxLength"], limits::LABEL_BYTES);
    assert_eq!(ingest["extra_frame_hashes"]["minItems"], limits::EXTRA_FRAMES_MIN);
    assert_eq!(ingest["extra_frame_hashes"]["maxItems"], limits::EXTRA_FRAMES_MAX);
}
