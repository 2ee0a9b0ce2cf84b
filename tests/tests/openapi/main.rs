//! Tests that the documents in `openapi/` describe each refusal completely, and only as itself, and that undocumented
//! responses are found.

mod kit;

use std::collections::BTreeMap;

use lacre_api::{Address, Refusal, Route, resolution};
use lacre_tests::{
    Answer,
    openapi::{Documents, Operation},
};
use serde_json::{Value, json};

/// The operation of a route in the document, where `:token` is `{token}`.
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

/// The operation of a route at `{proofs_url}`.
fn resolution(route: resolution::Route) -> Operation {
    let (method, path) = (route.method().to_owned(), route.path().to_owned());
    Operation { host: "proofs_url".to_owned(), method, path }
}

/// The complete response of a refusal.
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
fn documents_exactly_the_routes_served() {
    // The hosted flow's load and ingest are documented by reference to the component's.
    let shared = [Route::LoadSession, Route::Ingest].map(|route| {
        let host = "capture_url".to_owned();
        Operation { host, ..operation(route) }
    });
    let admin = lacre_api::admin::Route::ALL.map(|route| Operation {
        host: "admin_url".to_owned(),
        method: route.method().to_owned(),
        path: route.path().to_owned(),
    });
    let all = Route::ALL.map(operation).into_iter().chain(shared).chain(admin);
    let all = all.chain(resolution::Route::ALL.map(resolution));
    assert_eq!(Documents::get().operations(), all.collect());
}

#[test]
fn each_refusal_is_documented_whole() {
    for route in Route::ALL {
        for &refusal in route.refusals() {
            for service_name in ["Lacre", "Foto Segura S.A."] {
                assert_eq!(Documents::get().check(&operation(route), &answer(refusal, service_name)), Ok(()));
            }
        }
    }
}

#[test]
fn each_refusal_of_lookups_is_documented() {
    for route in resolution::Route::ALL {
        for &refusal in route.refusals() {
            // The example of its row names a field of another document.
            let is_of_a_field = matches!(refusal, Refusal::FieldInvalid { .. });
            let mut answer =
                answer(if is_of_a_field { Refusal::FieldInvalid { field: "alg" } } else { refusal }, "Lacre");
            if answer.status == 401 {
                answer.headers.insert("www-authenticate".to_owned(), "Bearer".to_owned());
            }
            assert_eq!(Documents::get().check(&resolution(route), &answer), Ok(()));
        }
    }
}

#[test]
fn each_refusal_matches_only_its_schema() {
    for refusal in Refusal::ALL {
        let Documents { web, hosted, proofs, .. } = Documents::get();
        let is_defined = |document: &&Value| document["components"]["schemas"].get(refusal.name()).is_some();
        let document = [web, hosted, proofs].into_iter().find(is_defined).unwrap();
        let schema = json!({ "$ref": format!("#/components/schemas/{}", refusal.name()) });
        let schema = json!({ "components": document["components"], "allOf": [schema] });
        let row = jsonschema::validator_for(&schema).unwrap();
        for other in Refusal::ALL {
            let (body, body_of_other) = (answer(*refusal, "Lacre").body, answer(*other, "Lacre").body);
            assert_eq!(row.is_valid(&body_of_other), body == body_of_other, "{refusal:?}, {other:?}");
        }
    }
}

#[test]
fn finds_an_undocumented_response() {
    let check = |refusal: Refusal, change: &dyn Fn(&mut Answer)| {
        let mut answer = answer(refusal, "Lacre");
        change(&mut answer);
        Documents::get().check(&operation(Route::CreateSession), &answer)
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
fn each_example_satisfies_its_schema() {
    let Documents { web, hosted, admin, proofs, .. } = Documents::get();
    for (name, document) in [("web", web), ("hosted", hosted), ("admin", admin), ("proofs", proofs)] {
        let mut examples = 0;
        walk(document, &mut |content| {
            let Some(schema) = content.get("schema") else { return };
            let named = content.get("examples").and_then(Value::as_object).into_iter().flat_map(|named| named.values());
            for example in content.get("example").into_iter().chain(named.filter_map(|named| named.get("value"))) {
                let schema = json!({ "components": document["components"], "allOf": [schema] });
                let outcome =
                    jsonschema::validator_for(&schema).unwrap().validate(example).map_err(|fault| fault.to_string());
                assert_eq!(outcome, Ok(()), "{name}: {example}");
                examples += 1;
            }
        });
        assert!(examples > 5, "{name} has {examples} examples");
    }
}

/// Visits every object of a document.
fn walk(value: &Value, visit: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    if let Some(object) = value.as_object() {
        visit(object);
        object.values().for_each(|value| walk(value, visit));
    }
    value.as_array().into_iter().flatten().for_each(|value| walk(value, visit));
}
