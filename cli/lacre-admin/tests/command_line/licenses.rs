//! Tests the commands for licenses and their alerts.

use lacre_tests::Service;
use serde_json::{Value, json};

use crate::operator::{Operator, UNKNOWN, printed, text};

/// Issues a license in staging with every term set; returns its JSON.
async fn issued(operator: &Operator, client: &str) -> Value {
    let line = "license issue --environment stag --expires-at 2099-12-31 --volume-limit 10 --origin https://app.example.com \
                --storage always --gps-mode require --gps-max-accuracy-m 30.5 --recapture-gate record --resolution max \
                --recapture-threshold 1.5 --tsa-required false --max-captures-per-session 3 --client";
    let arguments: Vec<&str> = line.split_whitespace().chain([client]).collect();
    let license = operator.json(&arguments).await;
    operator.shown(&text(&license, "license_key"));
    license
}

#[tokio::test]
async fn issues_licenses_with_the_named_terms() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let license = issued(&operator, &client).await;
    let named = json!({
        "id": license["id"], "client_id": client, "environment": "STAGING", "status": "active",
        "expires_at": "2099-12-31T23:59:59Z", "volume_limit": 10, "authorized_origins": ["https://app.example.com"],
        "store_asset_policy": "ALWAYS", "gps_mode": "REQUIRE", "gps_max_accuracy_m": 30.5, "recapture_gate": "RECORD",
        "recapture_threshold": 1.5, "redirect_origins": [], "capture_resolution": "MAX", "fingerprint": "OFF", "tsa_required": false, "max_captures_per_session": 3, "integrity_enforcement": "WARN",
        "issued_at": license["issued_at"], "key_id": license["key_id"], "license_key": license["license_key"],
        "key_prefix": "svc_stag_", "key_suffix": license["key_suffix"], "revision": 1,
    });
    assert_eq!(license, named);
    assert!(text(&license, "license_key").ends_with(&text(&license, "key_suffix")));
    let validated =
        service.validate_with(json!({ "license_key": license["license_key"] }).to_string(), None).await.ok();
    assert_eq!((&validated["valid"], &validated["volume_limit"]), (&json!(true), &json!(10)));
}

#[tokio::test]
async fn refuses_thresholds_out_of_bounds() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let id = text(&issued(&operator, &client).await, "id");
    let configure = ["license", "configure", &id, "--recapture-threshold"];
    for beyond in ["0.99", "4.01"] {
        let refused = operator.run(&[&configure[..], &[beyond]].concat()).await.refused();
        assert_eq!(refused, (4, "recapture_threshold must be a number from 1 to 4".to_owned()), "{beyond}");
    }
    let shown = operator.run(&["license", "show", &id]).await.ok();
    assert_eq!(printed(&shown, "recapture_threshold"), "1.5");
}

#[tokio::test]
async fn makes_a_license_the_hosted_one() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let id = text(&issued(&operator, &client).await, "id");
    let (code, message) = operator.run(&["license", "host", &id]).await.refused();
    assert_eq!((code, message), (5, format!("license {id} has no redirect_origins; set them first")));

    let configure = ["license", "configure", &id];
    for (flags, code) in [
        (&["--redirect-origin", "https://*.example.com"][..], 4),
        (&["--redirect-origin", "http://localhost:3000"][..], 4),
        (&["--redirect-origin", "https://app.example.com", "--storage", "NEVER"][..], 4),
    ] {
        assert_eq!(operator.run(&[&configure[..], flags].concat()).await.refused().0, code, "{flags:?}");
    }
    let flags = ["--redirect-origin", "https://app.example.com", "--redirect-origin", "https://b.example"];
    let configured = operator.json(&[&configure[..], &flags[..]].concat()).await;
    assert_eq!(configured["redirect_origins"], json!(["https://app.example.com", "https://b.example"]));
    let named = json!({ "client_id": client, "environment": "STAGING", "license_id": id });
    assert_eq!(operator.json(&["license", "hosted", "--client", &client]).await, json!({ "hosted_licenses": [] }));
    let (code, message) = operator.run(&["license", "host", &id]).await.refused();
    assert_eq!((code, message), (5, format!("client {client} has no webhook secret in STAGING; issue one first")));
    operator.json(&["webhook-secret", "issue", "--client", &client, "--environment", "stag"]).await;
    assert_eq!(operator.json(&["license", "host", &id]).await, named);
    let all = json!({ "hosted_licenses": [named] });
    assert_eq!(operator.json(&["license", "hosted", "--client", &client]).await, all);
    let table = operator.run(&["license", "hosted", "--client", &client]).await.ok();
    assert_eq!(table.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(), ["STAGING", &id]);

    let configured = operator.json(&[&configure[..], &["--no-redirect-origins"]].concat()).await;
    assert_eq!(configured["redirect_origins"], json!([]));
}

#[tokio::test]
async fn warns_about_licenses_without_photos() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let issue = ["license", "issue", "--client", &client, "--environment", "sand", "--expires-at", "2099-12-31"];
    let sources = ["signedPhoto", "signed_image_base64", "their own backend", "cannot be fetched later"];
    for (flags, policy) in [
        (&[][..], "NEVER"),
        (&["--storage", "NEVER"][..], "NEVER"),
        (&["--storage", "PER_SESSION"][..], "PER_SESSION"),
        (&["--json"][..], "NEVER"),
    ] {
        let (out, warning) = operator.run(&[&issue[..], flags].concat()).await.warned();
        for part in sources.into_iter().chain([policy]) {
            assert!(warning.contains(part), "{flags:?}: no {part} in {warning}");
        }
        assert_eq!(warning.lines().count(), 1, "{warning}");
        let key = match flags {
            ["--json"] => text(&serde_json::from_str(&out).unwrap(), "license_key"),
            _ => out.lines().nth(1).unwrap().to_owned(),
        };
        assert!(!warning.contains(&key), "{warning}");
        operator.shown(&key);
    }
    let kept = operator.run(&[&issue[..], &["--storage", "ALWAYS"]].concat()).await.ok();
    operator.shown(kept.lines().nth(1).unwrap());

    let configure = ["license", "configure", printed(&kept, "id")];
    operator.run(&[&configure[..], &["--storage", "ALWAYS"]].concat()).await.ok();
    let (_, warning) = operator.run(&[&configure[..], &["--storage", "NEVER"]].concat()).await.warned();
    assert!(warning.contains("NEVER") && warning.contains("signedPhoto"), "{warning}");
    // Changing another term leaves the policy as it was.
    operator.run(&[&configure[..], &["--expires-at", "2099-12-30"]].concat()).await.ok();
}

#[tokio::test]
async fn lists_and_shows_licenses_without_keys() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let id = text(&issued(&operator, &client).await, "id");
    let sandbox = ["license", "issue", "--client", &client, "--environment", "sand", "--expires-at", "2099-12-31"];
    let (printed_for_people, _) = operator.run(&sandbox).await.warned();
    let mut lines = printed_for_people.lines();
    assert_eq!(lines.next(), Some("The key. It is shown this once, so keep it now:"));
    operator.shown(lines.next().unwrap());

    let listed = operator.run(&["license", "list", "--client", &client]).await.ok();
    let rows: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    let end = "2099-12-31T23:59:59Z";
    assert_eq!(rows[0], ["ID", "ENVIRONMENT", "STATUS", "EXPIRES", "VOLUME", "ORIGINS"]);
    assert_eq!(rows[1], [&id, "STAGING", "active", end, "10", "https://app.example.com"]);
    assert_eq!(rows[2], [printed(&printed_for_people, "id"), "SANDBOX", "active", end, "unlimited"]);
    assert!(listed.lines().all(|line| line.chars().count() <= 120), "{listed}");
    let licenses = operator.json(&["license", "list", "--client", &client]).await;
    assert_eq!(licenses["licenses"].as_array().unwrap().len(), 2);

    let shown = operator.run(&["license", "show", &id]).await.ok();
    assert_eq!((printed(&shown, "id"), printed(&shown, "usage.captures_used")), (id.as_str(), "0"));
    let shown = operator.json(&["license", "show", &id]).await;
    assert_eq!((&shown["usage"]["captures_used"], &shown["alerts"]), (&json!(0), &json!([])));
}

#[tokio::test]
async fn changes_only_the_named_terms() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let issued = issued(&operator, &client).await;
    let id = text(&issued, "id");
    let configure = |flags: &'static str| {
        let words = ["license", "configure", &id].map(str::to_owned).into_iter();
        words.chain(flags.split_whitespace().map(str::to_owned)).collect::<Vec<String>>()
    };
    let run = async |flags| {
        let words = configure(flags);
        operator.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).await
    };
    run("--origin https://a.example.com --origin https://*.b.example.com --max-captures-per-session unlimited")
        .await
        .ok();
    let mut expected = issued.clone();
    expected.as_object_mut().unwrap().remove("license_key");
    expected["authorized_origins"] = json!(["https://a.example.com", "https://*.b.example.com"]);
    expected["max_captures_per_session"] = Value::Null;
    expected["revision"] = json!(2);
    let mut shown = operator.json(&["license", "show", &id]).await;
    let before = shown.clone();
    for beside in ["usage", "alerts"] {
        shown.as_object_mut().unwrap().remove(beside);
    }
    assert_eq!(shown, expected);
    assert_eq!(printed(&run("--no-origins").await.ok(), "authorized_origins"), "");
    run("--origin https://a.example.com --origin https://*.b.example.com").await.ok();

    assert_eq!(run("").await.refused(), (2, "no term is named; --help lists them".into()));
    assert_eq!(run("--storage SOMETIMES").await.code, 2);
    let invalid = "\"http://localhost:*\": http is for the sandbox only";
    assert_eq!(run("--volume-limit 7 --origin http://localhost:*").await.refused(), (4, invalid.into()));
    let mut after = operator.json(&["license", "show", &id]).await;
    // Two changes of the origins, there and back, raise the revision by two.
    after["revision"] = before["revision"].clone();
    assert_eq!(after, before);
    let unknown = operator.run(&["license", "configure", UNKNOWN, "--volume-limit", "1"]).await;
    assert_eq!(unknown.refused(), (3, format!("license {UNKNOWN} does not exist")));
}

#[tokio::test]
async fn a_rotated_key_replaces_its_predecessor() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let issued = issued(&operator, &client).await;
    let id = text(&issued, "id");
    let output = operator.run(&["license", "rotate", &id]).await.ok();
    let key = operator.shown(output.lines().nth(1).unwrap());
    let validate = async |key: &str| {
        service.validate_with(json!({ "license_key": key }).to_string(), None).await.ok()["valid"].clone()
    };
    assert_eq!((validate(&text(&issued, "license_key")).await, validate(&key).await), (json!(false), json!(true)));
    let again = operator.json(&["license", "rotate", &id]).await;
    operator.shown(&text(&again, "license_key"));
    assert_eq!((again["id"].as_str(), validate(&key).await), (Some(id.as_str()), json!(false)));
}

#[tokio::test]
async fn a_confirmed_revocation_raises_an_alert() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let id = text(&issued(&operator, &client).await, "id");
    let unasked = operator.run(&["license", "revoke", &id]).await.refused();
    assert_eq!(unasked, (2, "a revocation is permanent: confirm in a terminal or pass --yes".into()));
    assert_eq!(operator.json(&["license", "show", &id]).await["status"], "active");

    let revoked = operator.run(&["license", "revoke", &id, "--yes"]).await.ok();
    assert_eq!(printed(&revoked, "status"), "revoked");
    let refused = (5, format!("license {id} is revoked, for good; issue a new license instead"));
    for command in [&["license", "revoke", &id, "--yes"][..], &["license", "rotate", &id]] {
        assert_eq!(operator.run(command).await.refused(), refused);
    }

    let of_license = operator.json(&["alert", "list", "--license", &id]).await;
    let [alert] = &of_license["alerts"].as_array().unwrap()[..] else { panic!("{of_license}") };
    assert_eq!((&alert["alert"], &alert["client_id"]), (&json!("REVOKED"), &json!(client)));
    let month = text(alert, "month");
    for filter in [&["--client", &client][..], &["--client", &client, "--month", &month]] {
        let found = operator.json(&[&["alert", "list"], filter].concat()).await;
        assert_eq!(found["alerts"][0]["license_id"], id.as_str(), "{filter:?}");
    }
    let of_month = operator.run(&["alert", "list", "--month", &month]).await.ok();
    let headings: Vec<&str> = of_month.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(headings, ["RAISED", "ALERT", "USED", "LIMIT", "MONTH", "PUBLISHED", "LICENSE"]);
    assert!(of_month.lines().any(|line| line.contains("REVOKED") && line.ends_with(&id)), "{of_month}");
    let shown = operator.run(&["license", "show", &id]).await.ok();
    assert!(shown.contains("\n\nRAISED") && shown.contains("REVOKED"), "{shown}");
    let elsewhere = operator.json(&["alert", "list", "--license", &id, "--month", "2001-01"]).await;
    assert_eq!(elsewhere, json!({ "alerts": [] }));
    let no_month = operator.run(&["alert", "list", "--month", "2026-13"]).await.refused();
    assert_eq!(no_month, (4, "\"2026-13\" is not a month: write it as 2026-11".into()));
}
