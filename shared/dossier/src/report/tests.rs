#![allow(clippy::unwrap_used)]

use lacre_api::{Refusal, dossier::PhotoState};
use serde_json::json;

use super::{refused, report, sample, state};

/// The page of the sample with other values at its top level.
fn page(changes: &serde_json::Value) -> String {
    report(&sample::index_of(changes))
}

#[test]
fn every_state_has_sentences_in_both_languages() {
    let page = report(&sample::index());
    for state in PhotoState::ALL.iter().copied() {
        for words in [state::name(state), state::meaning(state), state::next(state)] {
            assert!(page.contains(words.pt), "{}", words.pt);
            assert!(page.contains(words.en), "{}", words.en);
        }
    }
    let [portuguese, english] = ["class=\"pt\"", "class=\"en\""].map(|class| page.matches(class).count());
    assert_eq!(portuguese, english);
}

#[test]
fn hostile_text_is_escaped() {
    let mut photo = json!(sample::index().photos[0]);
    photo["origin"] = "https://x\"><script>alert(1)</script>".into();
    photo["photo"] = "javascript:alert(1)".into();
    photo["manifest_sha256"] = "<b>".into();
    photo["acts"] = json!([{ "state": "held", "at": "<i>ontem</i>", "reason": "<img src=x onerror=y>" }]);
    let page =
        page(&json!({ "client_name": "</title>\u{202e}<style>", "photos": [photo], "reference_id": "</title>" }));
    for text in ["<script", "<i>", "<b>", "<img", "\u{202e}", "src=\"javascript", "href=\"javascript"] {
        assert!(!page.contains(text), "{text}");
    }
    assert!(page.contains(r"&lt;/title&gt;\u{202e}&lt;style&gt;"));
    assert_eq!(page.matches("<style>").count(), 1);
}

#[test]
fn only_production_does_not_warn() {
    let command = |environment| page(&json!({ "environment": environment }));
    assert!(!command("PRODUCTION").contains("nada prova perante terceiros"));
    for (name, option) in [("STAGING", "--environment staging"), ("SANDBOX", "--environment sandbox")] {
        let page = command(name);
        assert!(page.contains("nada prova perante terceiros") && page.contains("proves nothing towards third parties"));
        assert!(page.contains(option) && !page.contains("ICP-Brasil"));
    }
}

#[test]
fn every_photo_has_picture_or_reason() {
    let index = sample::index();
    let page = report(&index);
    let sections: Vec<&str> = page.split("<section class=\"photo\"").skip(1).collect();
    assert_eq!(sections.len(), index.photos.len());
    for (section, photo) in sections.iter().zip(&index.photos) {
        let section = section.split("</section>").next().unwrap();
        assert!(section.contains(photo.capture_id.as_str()));
        assert!(photo.acts.iter().all(|act| section.contains(&act.reason)));
        match &photo.photo {
            Some(name) => assert!(section.contains(&format!("<img src=\"{name}\""))),
            None => assert!(!section.contains("<img") && section.contains(state::meaning(photo.state).pt)),
        }
    }
}

#[test]
fn pages_without_photos_are_complete() {
    let page = page(&json!({ "photos": [], "refused": [], "licenses": [], "kits": [], "log": null }));
    assert!(page.contains("nenhuma foto registrada") && !page.contains("<table"));
    assert!(page.contains("</html>"));
}

#[test]
fn refused_photos_have_reasons_in_sentences() {
    let page = report(&sample::index());
    for refused in sample::index().refused {
        let reason = refused::reason(&refused.reason);
        assert!(page.contains(reason.pt) && page.contains(reason.en) && page.contains(&refused.reason));
    }
    // After the session is known, an ingest refuses photos for these reasons and for invalid data.
    let of_ingest = lacre_api::Route::Ingest.refusals().iter().filter(|refusal| refusal.status() < 500);
    let without: Vec<_> = of_ingest.filter(|refusal| refused::reason(refusal.name()) == refused::OTHER).collect();
    let before = [
        Refusal::PayloadInvalid,
        Refusal::LocationInvalid,
        Refusal::LabelInvalid,
        Refusal::SessionNotFound,
        Refusal::SessionCorrupt,
    ];
    assert!(without.iter().all(|refusal| before.contains(refusal)), "{without:?}");
    let page = self::page(
        &json!({ "refused": [{ "session": 1, "session_created_at": "<i>", "at": "<i>", "reason": "<b>" }] }),
    );
    assert!(!page.contains("<b>") && !page.contains("<i>") && page.contains(refused::UNKNOWN.pt));
}

#[test]
fn same_index_gives_same_page() {
    let index = sample::index();
    assert_eq!(report(&index), report(&index.clone()));
}
