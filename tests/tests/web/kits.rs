//! Tests sessions of a client's kit: what they ask for, retakes, skips, and what proof, results and webhook say of it.

use lacre_domain::{Environment, Kit};
use lacre_tests::{
    Fault, Service, frame,
    kits::kit,
    service::{Loaded, refusal},
    verifiers,
};
use serde_json::{Value, json};

/// A kit of 20 steps, of which each fourth is optional.
pub(crate) fn twenty() -> Value {
    let ids: Vec<String> = (1..=20).map(|number| format!("foto-{number}")).collect();
    let steps: Vec<(&str, bool)> = ids.iter().enumerate().map(|(index, id)| (id.as_str(), index % 4 == 2)).collect();
    kit("vistoria", &steps)
}

fn states(loaded: &Loaded) -> Vec<&str> {
    loaded.body["steps"].as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_photos_need_one_load() {
    let service = Service::start().await;
    service.put_kit(&twenty()).await;
    let token = service.create_hosted("vistoria").await;
    let mut pending = service.open_hosted(&token).await;
    assert_eq!((&pending.body["profile"], &pending.body["total_photos"]), (&json!("vistoria"), &json!(20)));
    assert_eq!(states(&pending), ["pending"; 20]);
    for order in 1..=20 {
        assert_eq!(pending.body["photo_order"], order);
        // The third and the seventh are skipped, the other optional ones are taken.
        let next = if order == 3 || order == 7 {
            service.skip(&pending).await.ok()
        } else {
            let ingested = service.capture_hosted(&pending, &frame::fresh()).await.ok();
            assert_eq!(ingested["complete"], order == 20);
            if order == 20 {
                assert_eq!(ingested.get("next"), None);
                break;
            }
            ingested["next"].clone()
        };
        let skipped = [order >= 3, order >= 7].into_iter().filter(|passed| *passed).count();
        assert_eq!(next["total_photos"], 20 - skipped);
        assert_eq!(next["captured_count"], order - skipped);
        pending = pending.followed_by(&next);
    }
    let status = service.session_status(&token).await.ok();
    assert_eq!((&status["status"], &status["total_photos"]), (&json!("captured"), &json!(18)));
    let results = service.hosted_results(&token).await.ok();
    assert_eq!((&results["profile"], &results["kit"]), (&json!("vistoria"), &json!("vistoria@1")));
    let steps: Vec<_> =
        results["photos"].as_array().unwrap().iter().map(|photo| photo["step"].as_str().unwrap()).collect();
    let asked: Vec<String> = (1..=20).filter(|number| ![3, 7].contains(number)).map(|n| format!("foto-{n}")).collect();
    assert_eq!(steps, asked);
}

/// Without the next upload, the photo is signed nevertheless, and the page loads the session.
#[tokio::test(flavor = "multi_thread")]
async fn a_photo_survives_a_missing_upload() {
    let (service, faults) = Service::start_behind_faults().await;
    let token = service.create_hosted("real_estate").await;
    let loaded = service.open_hosted(&token).await;
    let photo = frame::fresh();
    assert_eq!(service.upload(&loaded, &photo).await, 200);
    faults.always("PutItem sessions nonce", Fault::Refuse);
    let ingested = service.ingest_hosted(&service.submission(&loaded, &photo)).await.ok();
    assert_eq!((&ingested["complete"], ingested.get("next")), (&json!(false), None));
    faults.clear();
    assert_eq!(service.open_hosted(&token).await.body["photo_order"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proof_names_kit_and_step() {
    let service = Service::start().await;
    let document = kit("auto-previa", &[("chassi", false), ("frente", false)]);
    service.put_kit(&document).await;
    let loaded = service.open_hosted(&service.create_hosted("auto-previa@1").await).await;
    let signed = service.capture_hosted(&loaded, &frame::fresh()).await.photo();
    let (report, _) = verifiers::ours(&signed, service.trust_anchors());
    assert!(report.valid, "{report:?}");
    let hash = Kit::parse(document.to_string().as_bytes()).unwrap().hash();
    let stated = report.capture.unwrap().asked_for.unwrap();
    assert_eq!((stated.kit.as_str(), stated.version, stated.step.as_str()), ("auto-previa", 1, "chassi"));
    assert_eq!(stated.sha256, hash);
    let plain = service.open_hosted(&service.create_hosted("demo").await).await;
    let signed = service.capture_hosted(&plain, &frame::fresh()).await.photo();
    let capture = verifiers::ours(&signed, service.trust_anchors()).0.capture.unwrap();
    assert_eq!(capture.asked_for, None, "a profile is no client's kit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retake_asks_again() {
    let service = Service::start().await;
    service.put_kit(&twenty()).await;
    let steps = json!([{ "id": "foto-9" }, { "id": "foto-2", "note": "A foto ficou escura." }, { "id": "foto-3" }]);
    let order = Service::order_of_steps("vistoria@1", &steps);
    let token = service.create_hosted_with(service.variable("API_KEY"), &order).await.hosted_token();
    let mut pending = service.open_hosted(&token).await;
    let asked: Vec<_> = pending.body["steps"].as_array().unwrap().iter().map(|asked| &asked["step"]["id"]).collect();
    assert_eq!(asked, ["foto-2", "foto-3", "foto-9"], "in the order of the kit");
    assert_eq!(pending.body["steps"][0]["note"], "A foto ficou escura.");
    let status = service.session_status(&token).await.ok();
    assert_eq!((&status["kit"], &status["step"]), (&json!("vistoria@1"), &json!("foto-2")));
    for step in 0..3 {
        let ingested = service.capture_hosted(&pending, &frame::fresh()).await.ok();
        assert_eq!(ingested["complete"], step == 2);
        pending = pending.followed_by(ingested.get("next").unwrap_or(&json!({})));
    }
    // The steps of a profile can be asked for again, too; its results then name them.
    let order = Service::order_of_steps("vehicle_inspection", &json!([{ "id": "hodometro" }]));
    let token = service.create_hosted_with(service.variable("API_KEY"), &order).await.hosted_token();
    let loaded = service.open_hosted(&token).await;
    assert_eq!((&loaded.body["total_photos"], &loaded.body["framing"]), (&json!(1), &json!("landscape")));
    service.capture_hosted(&loaded, &frame::fresh()).await.ok();
    let results = service.hosted_results(&token).await.ok();
    assert_eq!((results.get("kit"), &results["photos"][0]["step"]), (None, &json!("hodometro")));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_keep_their_version() {
    let service = Service::start().await;
    service.put_kit(&kit("k", &[("antes", false)])).await;
    let token = service.create_hosted("k").await;
    service.put_kit(&kit("k", &[("depois", false), ("mais", false)])).await;
    let of = |loaded: Loaded| loaded.body["steps"][0]["step"]["id"].clone();
    assert_eq!(of(service.open_hosted(&token).await), "antes");
    assert_eq!(of(service.open_hosted(&service.create_hosted("k").await).await), "depois");
    assert_eq!(of(service.open_hosted(&service.create_hosted("k@1").await).await), "antes");
    let (client, sandbox) = (service.client().await, Environment::Sandbox);
    service.administration().kits.retire(&client, sandbox, "k").await.unwrap();
    let text = "profile inválido — use vehicle_inspection, real_estate, high_value_item ou demo";
    for name in ["k", "k@1", "k@3", "unknown", "K"] {
        let answer = service.create_hosted_with(service.variable("API_KEY"), &Service::hosted_order(name)).await;
        assert_eq!(answer.outcome(), refusal(400, text, None), "{name}");
    }
    assert_eq!(of(service.open_hosted(&token).await), "antes", "open sessions keep a retired kit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_photo_cannot_be_captured() {
    let service = Service::start().await;
    service.put_kit(&kit("k", &[("a", true), ("b", false)])).await;
    let token = service.create_hosted("k").await;
    let [phone, other] = [service.open_hosted(&token).await, service.open_hosted(&token).await];
    let photo = frame::fresh();
    assert_eq!(service.upload(&other, &photo).await, 200);
    let next = service.skip(&phone).await.ok();
    let mismatch =
        refusal(400, "photo_order não corresponde à foto pendente desta sessão.", Some("web_photo_order_mismatch"));
    assert_eq!(service.ingest_hosted(&service.submission(&other, &photo)).await.outcome(), mismatch);
    assert_eq!(states(&service.open_hosted(&token).await), ["skipped", "pending"]);
    let pending = phone.followed_by(&next);
    assert_eq!(service.capture_hosted(&pending, &frame::fresh()).await.ok()["complete"], true);
    assert_eq!(service.hosted_results(&token).await.ok()["photos"].as_array().unwrap().len(), 1);
}

/// The captured photo and the skipped one are the same one: exactly one of both requests succeeds.
#[tokio::test(flavor = "multi_thread")]
async fn capture_and_skip_exclude_each_other() {
    let service = Service::start().await;
    service.put_kit(&kit("k", &[("a", true), ("b", false)])).await;
    for _ in 0..8 {
        let token = service.create_hosted("k").await;
        let [phone, other] = [service.open_hosted(&token).await, service.open_hosted(&token).await];
        let photo = frame::fresh();
        assert_eq!(service.upload(&other, &photo).await, 200);
        let submission = service.submission(&other, &photo);
        let (skipped, captured) = tokio::join!(service.skip(&phone), service.ingest_hosted(&submission));
        assert_ne!(skipped.status == 200, captured.status == 200, "{} {}", skipped.body, captured.body);
        let state = if captured.status == 200 { "captured" } else { "skipped" };
        assert_eq!(states(&service.open_hosted(&token).await)[0], state);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_introduction_names_the_sender() {
    let service = Service::start().await;
    let text = |text: &str| json!({ "pt-BR": text });
    let sender = json!({
        "name": "Seguradora Exemplo", "purpose": text("Vistoria prévia do seu carro."), "duration": text("Cinco anos."),
        "controller": "Seguradora Exemplo S.A., CNPJ 11.222.333/0001-81", "contact": "privacidade@example.com",
        "sharing": text("Com a oficina que repara o carro."), "responsibilities": text("A seguradora decide; a Lacre guarda."),
    });
    let token = service.create_hosted("vehicle_inspection").await;
    let introduction = async || {
        let request =
            service.hosted_request(reqwest::Method::GET, &format!("/web/session-status/{token}?introduction=true"));
        service.send(request).await.ok()["introduction"].clone()
    };
    assert_eq!(introduction().await.get("sender"), None, "nobody has said who sends the links");
    let (client, sandbox) = (service.client().await, Environment::Sandbox);
    service.administration().senders.set(&client, sandbox, sender.to_string().as_bytes()).await.unwrap();
    let shown = introduction().await;
    assert_eq!(shown["sender"], sender);
    assert_eq!((shown["titles"].as_array().unwrap().len(), &shown["titles"][2]["pt-BR"]), (3, &json!("Hodômetro")));
    let status = service.session_status(&token).await.ok();
    assert_eq!(status.get("introduction"), None);
}
