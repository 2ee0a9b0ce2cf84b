//! Tests of the page for people: what it says about valid and invalid proofs, and that no content of a file can break
//! it.

use std::sync::LazyLock;

use lacre_domain::{AskedFor, Environment, FrameHash, Kit};
use lacre_photo::CheckedPhoto;
use lacre_proof::{Cnpj, Timestamps};
use lacre_proof_fixtures::authority::{Authority, Stamping};
use lacre_proof_fixtures::{KIT, Sandbox, asked_for, facts, facts_at, synthetic};
use lacre_sign::Facts;
use lacre_verify::{
    Check, Found, KitStep, LogEntry, NotChecked, Outcome, Page, Picture, Requirements, Revocation, RevocationStatus,
    Revocations, TrustList, TrustStore, Verdict, join,
};
use time::{Duration, OffsetDateTime};

/// Hostile content that an attacker may write into each text of a file.
const HOSTILE: &str = "a</title></style></bdi><script>alert(1)</script><img src=http://x.example onerror='x'>\" onload=\"x\
    &lt;\u{202e}txt.gpj\u{2066}\0\u{1b}[2J\r\n--></time>";

fn anchors_pem() -> String {
    format!("{}{}", Sandbox::shared().anchors_pem, Authority::shared().anchors_pem)
}

/// A photo with both timestamps.
async fn stamped() -> Vec<u8> {
    let stamping = Stamping::new(Authority::shared(), *NOW);
    let timestamps = Timestamps::Required(&stamping);
    Sandbox::shared().seal_with(&synthetic(320, 240, false), &facts_at(*NOW), timestamps).await.unwrap().jpeg
}

async fn without_timestamps() -> Vec<u8> {
    Sandbox::shared().seal(&synthetic(320, 240, false), &facts()).await.jpeg
}

fn judged(file: &[u8], at: OffsetDateTime) -> Verdict {
    judged_for(Environment::Sandbox, file, at)
}

fn judged_for(environment: Environment, file: &[u8], at: OffsetDateTime) -> Verdict {
    let trust = TrustStore::of(TrustList::of_file("development.pem", anchors_pem()).unwrap());
    let seal_holder = Some(Cnpj::parse("11222333000181").unwrap());
    let requirements = Requirements { seal_holder, ..Requirements::of(environment) };
    trust.check(file, &Revocations::default(), &requirements, at).unwrap()
}

/// The time at which all tests make timestamps and pages.
static NOW: LazyLock<OffsetDateTime> = LazyLock::new(OffsetDateTime::now_utc);

fn page(verdict: &Verdict, file: &[u8], name: &str) -> String {
    Page { verdict, file, manifest: None, name, picture: Picture::Embedded, made_at: *NOW }.html()
}

/// The tags of a page with their attributes. Text cannot appear among them if `<` and `>` in it are escaped.
fn tags(page: &str) -> Vec<&str> {
    page.split('<').skip(1).map(|rest| rest.split_once('>').unwrap().0).collect()
}

/// The text of a page, without its tags.
fn text(page: &str) -> String {
    let body = page.split_once("</style>").unwrap().1;
    let pieces = body.split('<').skip(1).map(|rest| rest.split_once('>').unwrap().1);
    pieces.collect::<Vec<_>>().concat()
}

fn assert_says(page: &str, words: &[&str]) {
    let text = text(page);
    for words in words {
        assert!(text.contains(words), "{words:?} is missing in {text}");
    }
}

#[tokio::test]
async fn reports_timestamps_in_both_languages() {
    let file = stamped().await;
    let mut verdict = judged(&file, *NOW);
    verdict.report.environment = Some(Environment::Production);
    verdict.report.outcome = Outcome::Accepted;
    let page = page(&verdict, &file, "foto da fachada.jpg");
    let report = &verdict.report;
    let (seal, claim) = (report.seal.as_ref().unwrap(), report.claim.as_ref().unwrap());
    let capture = report.capture.as_ref().unwrap();
    let stamp = seal.timestamp.as_ref().unwrap();
    let captured_at = report.times.as_ref().unwrap().browser_claimed.clone().unwrap();
    assert_says(
        &page,
        &[
            "Prova válida Valid",
            "Selada por Sealed by",
            "LACRE DEVELOPMENT:11222333000181 (CNPJ 11.222.333/0001-81)",
            "Válida até Valid until",
            "O que está provado What is proved",
            "Ela já existia no tempo confiável indicado",
            "O que não está provado What is not proved",
            "foto da fachada.jpg",
            "11.222.333/0001-81",
            &seal.chain[1].serial_number,
            &claim.signer,
            &claim.chain[0].not_after.replace('T', " ").replace(".000Z", ""),
            "AD-RT v2.4 2.16.76.1.7.1.2.2.4",
            &stamp.authority,
            &stamp.serial_number,
            capture.capture_id.as_str(),
            "-23.561414, -46.655881 ± 12.5 m",
            "Lugar, segundo o navegador Place, says the browser",
            "23° 33′ 41,09″ S, 46° 39′ 21,17″ O 23° 33′ 41.09″ S, 46° 39′ 21.17″ W",
            "Fachada, nº 1578",
            &captured_at.replace('T', " ").replace('Z', " UTC"),
            "CN=Lacre Development Timestamp Root,OU=Development,O=ICP-Brasil,C=BR",
            concat!("Lacre verify ", env!("CARGO_PKG_VERSION")),
        ],
    );
    assert!(page.contains("-attime "), "the OpenSSL command has the trusted time");
    let order =
        ["Conclusão", "O que está provado", "O que não está provado", "A foto", "As assinaturas", "Verificações"];
    let places: Vec<_> =
        order.iter().map(|title| page.find(&format!("<h2><span class=\"pt\" lang=\"pt-BR\">{title}<"))).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
    for timestamp in [stamp, claim.timestamp.as_ref().unwrap()] {
        assert!(page.contains(&format!("-digest {} -CAfile carimbos.pem", timestamp.message_sha256)));
    }
    assert!(!text(&page).contains("ambiente de testes"));
    assert!(!text(&page).contains("A pedido de quem verificou"), "it was judged as of now");
}

#[tokio::test]
async fn untimestamped_sandbox_proofs_say_so() {
    let file = without_timestamps().await;
    let page = page(&judged(&file, *NOW), &file, "photo.jpg");
    assert_says(
        &page,
        &[
            "Válida, mas feita em ambiente de testes Valid, but made in a test environment",
            "esta foto nada prova perante terceiros",
            "Confiou-se em certificados raiz que quem verificou deu",
            "não é de um certificado da ICP-Brasil",
            "Perante terceiros, nada",
            "Nenhum. Sem carimbo do tempo confiável",
            "Sem carimbo do tempo. No timestamp.",
            "Quando foi assinada: sem carimbo do tempo confiável, só o operador o diz.",
            "LACRE DEVELOPMENT:11222333000181 (CNPJ 11.222.333/0001-81)",
            "Certificates whose revocation was not checked, without a CRL or OCSP response that covers them: ",
            "A revogação do certificado de The revocation of the certificate of",
        ],
    );
    assert!(page.contains("verify foto.jpg --environment sandbox --trust-seal"));
    assert!(!text(&page).contains("Esta é, byte por byte, a foto que o serviço recebeu."));
}

#[tokio::test]
async fn another_environments_proof_is_doubtful() {
    let file = without_timestamps().await;
    let page = page(&judged_for(Environment::Production, &file, *NOW), &file, "photo.jpg");
    assert_says(
        &page,
        &[
            "Válida, mas de outro ambiente que não o exigido Valid, but of another environment than the required one",
            "Selada por Sealed by",
            "esta foto nada prova perante terceiros",
            "PRODUCTION",
        ],
    );
    assert!(page.contains("class=\"verdict doubtful\""));
}

#[tokio::test]
async fn distinguishes_expired_from_tampered_proofs() {
    let file = without_timestamps().await;
    let late = page(&judged(&file, *NOW + Duration::days(2 * 365)), &file, "photo.jpg");
    let ended = "Isso não quer dizer que a foto foi alterada";
    assert_says(&late, &["Prova não válida Not valid", ended, "A pedido de quem verificou"]);
    assert_says(&late, &["Nada: uma verificação que não confere basta.", "Ela não foi autenticada."]);

    // Expiry does not excuse a change, or untrusted roots.
    let mut changed = file.clone();
    let end = changed.len() - 100;
    changed[end] ^= 1;
    let later = *NOW + Duration::days(2 * 365);
    assert!(!text(&page(&judged(&changed, later), &changed, "photo.jpg")).contains(ended));
    let trust = TrustStore::built_in().unwrap();
    let untrusted = trust.check(&file, &Revocations::default(), &Requirements::default(), later).unwrap();
    assert!(!text(&page(&untrusted, &file, "photo.jpg")).contains(ended));
    let changed = page(&judged(&changed, *NOW), &changed, "photo.jpg");
    let named = "O arquivo diz que foi selada por (não provado) The file names as the sealer (not proven)";
    assert_says(&changed, &["Prova não válida", named, "LACRE DEVELOPMENT:11222333000181 (CNPJ"]);
    assert!(!text(&changed).contains("Selada por"));
    assert_says(&changed, &["hashes agree: the service's statement belongs to another frame"]);
    assert!(!text(&changed).contains(ended));
}

#[tokio::test]
async fn says_what_was_asked_for() {
    let frame = synthetic(320, 240, false);
    let file = Sandbox::shared().seal(&frame, &Facts { asked_for: Some(asked_for()), ..facts() }).await.jpeg;
    let verdict = |kit: Option<&[u8]>| {
        let trust = TrustStore::of(TrustList::of_file("development.pem", anchors_pem()).unwrap());
        let kit = kit.map(|kit| Kit::parse(kit).unwrap());
        let requirements = Requirements { kit, ..Requirements::of(Environment::Sandbox) };
        trust.check(&file, &Revocations::default(), &requirements, *NOW).unwrap()
    };
    let request = "etapa chassi do kit auto-previa, versão 3 (o que se pediu ao cliente; não diz o que a foto mostra)";
    let hash = asked_for().sha256.hex();
    let said = [
        request,
        "step chassi of the kit auto-previa, version 3 (what the customer was asked for; it does not say what the photo",
        "Que a foto mostra o que se pediu",
        "That the photo shows what was asked for",
        &hash,
    ];
    let of_file = ["Número do chassi", "Título da etapa, em português", "Lido do arquivo que quem verificou deu"];
    let without_kit = page(&verdict(None), &file, "photo.jpg");
    assert_says(&without_kit, &said);
    assert!(of_file.iter().all(|words| !text(&without_kit).contains(words)));
    let with_kit = page(&verdict(Some(KIT)), &file, "photo.jpg");
    assert_says(&with_kit, &said);
    assert_says(&with_kit, &of_file);

    let plain = without_timestamps().await;
    let plain = text(&page(&judged(&plain, *NOW), &plain, "photo.jpg"));
    assert!(
        ["Solicitada como", "Asked for as", "o que se pediu"].iter().all(|words| !plain.contains(words)),
        "{plain}"
    );
}

#[tokio::test]
async fn another_photos_seal_fails_both_signatures() {
    let sandbox = Sandbox::shared();
    let (signers, facts, photo) = (sandbox.signers(), facts(), synthetic(320, 240, false));
    let other = FrameHash::of(&synthetic(240, 240, false));
    let seal = signers.sign_frame(&other, &facts, &sandbox.rsa, Timestamps::None).await.unwrap();
    let (hash, jpeg) = (FrameHash::of(&photo), CheckedPhoto::check(photo.as_slice().into()).unwrap());
    let proof = signers.sign_manifest(&jpeg, &hash, &seal, &sandbox.ec, Timestamps::None, None).await.unwrap();
    let verdict = judged(&proof.jpeg, *NOW);
    let failed: Vec<_> = verdict.report.checks.iter().filter(|check| !check.holds).map(|check| check.name).collect();
    assert_eq!(failed, ["hashes agree"], "both signatures are sound by themselves");
    let page = page(&verdict, &proof.jpeg, "photo.jpg");
    let signatures = page.split_once("As assinaturas").unwrap().1.split_once("Verificações").unwrap().0;
    assert_eq!(signatures.matches("✗ não confere: o que segue é o que o arquivo diz").count(), 2);
    assert!(!signatures.contains("✓ confere"));
}

#[tokio::test]
async fn distinguishes_missing_empty_and_unreadable_timestamps() {
    let file = stamped().await;
    let mut verdict = judged(&file, *NOW);
    let outcomes = [
        (Found::Nothing, "Sem carimbo do tempo. No timestamp.", "    no timestamp\n"),
        (
            Found::EmptyRoom,
            "is reserved, but empty: none arrived in time, or it was removed later.",
            "    space for a timestamp is reserved, but empty",
        ),
        (Found::Unreadable, "There is a timestamp that cannot be decoded.", "    a timestamp that cannot be decoded\n"),
    ];
    for (found, ..) in outcomes {
        let report = &mut verdict.report;
        let (seal, claim) = (report.seal.as_mut().unwrap(), report.claim.as_mut().unwrap());
        (seal.timestamp, seal.timestamp_found) = (None, found);
        (claim.timestamp, claim.timestamp_found) = (None, found);
        let (page, lines) = (text(&page(&verdict, &file, "photo.jpg")), verdict.report.to_string());
        for (other, on_page, in_lines) in outcomes {
            let shown = (page.contains(on_page), lines.contains(in_lines));
            assert_eq!(shown, (other == found, other == found), "{found:?}: {on_page}");
        }
    }
}

#[tokio::test]
async fn an_expired_timestamp_counts_as_expiry() {
    let file = stamped().await;
    let late = page(&judged(&file, *NOW + Duration::days(30 * 365)), &file, "photo.jpg");
    assert_says(&late, &["Prova não válida", "Isso não quer dizer que a foto foi alterada"]);
}

#[tokio::test]
async fn own_trust_lists_make_conclusions_doubtful() {
    let file = without_timestamps().await;
    let mut verdict = judged(&file, *NOW);
    verdict.report.environment = Some(Environment::Production);
    let own = "Confiou-se em certificados raiz que quem verificou deu";
    let with_own = page(&verdict, &file, "photo.jpg");
    assert!(with_own.contains("class=\"verdict doubtful\"") && text(&with_own).contains(own));
    verdict.report.trust[0].list.date = Some("2026-08-10".into());
    let published = page(&verdict, &file, "photo.jpg");
    assert!(published.contains("class=\"verdict holds\"") && !text(&published).contains(own));
}

#[tokio::test]
async fn a_report_on_two_files_names_both() {
    let frame = synthetic(320, 240, false);
    let proof = Sandbox::shared().seal(&frame, &facts()).await;
    let verdict = judged(&join(&frame, &proof.manifest).unwrap(), *NOW);
    let (name, manifest, made_at) = ("photo.jpg + photo.c2pa", Some(&*proof.manifest), *NOW);
    let page = Page { verdict: &verdict, file: &frame, manifest, name, picture: Picture::Elsewhere, made_at }.html();
    for bytes in [&frame, &proof.manifest] {
        assert!(page.contains(&format!("<code>{}</code>", lacre_domain::Sha256Digest::of(bytes).hex())));
    }
    assert_says(&page, &["verify foto.jpg --manifest foto.c2pa --environment sandbox"]);
    assert_says(&page, &["c2patool foto.jpg --external-manifest foto.c2pa trust"]);
    assert_eq!(join(&frame, b"not a manifest").unwrap_err(), "the file beside the photo is not a C2PA manifest");
}

#[test]
fn neither_shows_nor_judges_other_files() {
    let photo = synthetic(240, 240, false);
    for (file, word) in [(&b"not a photo"[..], "Não é uma foto da Lacre"), (&photo, "Foto sem prova")] {
        let verdict = judged(file, *NOW);
        assert_eq!(verdict.report.outcome, Outcome::NoProof);
        let page = page(&verdict, file, "photo.jpg");
        assert_says(&page, &[word, "não tem a forma de uma foto do serviço", "Isso não diz nada contra a foto"]);
        assert!(!page.contains("data:image") && !text(&page).contains("Verificações"), "{word}");
        assert!(!verdict.report.to_string().contains("FAIL"));
    }
}

#[tokio::test]
async fn a_broken_form_refuses_the_proof() {
    let mut file = without_timestamps().await;
    file.push(0);
    let page = page(&judged(&file, *NOW), &file, "photo.jpg");
    assert_says(&page, &["Prova não válida", "não permitiu as demais verificações"]);
    assert!(!page.contains("data:image"));
}

#[tokio::test]
async fn each_check_has_translated_sentences() {
    let file = stamped().await;
    let mut verdict = judged(&file, *NOW);
    let made: Vec<_> = verdict.report.checks.iter().map(|check| check.name).collect();
    assert_eq!(made.len(), 16, "{made:?}");

    let documentation =
        include_str!("../../../../docs/reference/manifest.md").split_once("| Check | What must hold |").unwrap().1;
    let rows = documentation.lines().skip(2).map_while(|line| line.strip_prefix("| `")?.split_once('`'));
    let parts = ["claim", "claim timestamp", "seal", "seal timestamp", "log timestamp"];
    let documented = rows.flat_map(|(name, _)| match name.strip_prefix("... ") {
        Some(rest) => parts.iter().map(|part| &*format!("{part} {rest}").leak()).collect(),
        None => vec![name],
    });
    let documented: Vec<&'static str> = documented.collect();
    assert!(made.iter().all(|name| documented.contains(name)), "{made:?} in {documented:?}");

    verdict.report.checks = documented.iter().map(|name| Check { name, holds: true, fault: None }).collect();
    let page = page(&verdict, &file, "photo.jpg");
    for name in documented {
        let bare = format!("<span class=\"pt\" lang=\"pt-BR\">{name}</span>");
        assert!(!page.contains(&bare), "{name} has no sentence");
    }
}

/// A verdict in which every text (of the file, its name and the findings) is the given one.
async fn filled_with(text: &str) -> Verdict {
    let file = stamped().await;
    let mut verdict = judged(&file, *NOW);
    let report = &mut verdict.report;
    let hostile = || text.to_owned();
    report.checks.push(Check { name: "seal revocation", holds: false, fault: Some(hostile()) });
    report.not_checked = vec![NotChecked { part: "seal", certificate: Some(hostile()), what: hostile() }];
    report.revocations = vec![Revocation {
        part: "claim",
        certificate: hostile(),
        status: RevocationStatus::Revoked,
        time: hostile(),
        reason: Some(hostile()),
    }];
    let (seal, claim) = (report.seal.as_mut().unwrap(), report.claim.as_mut().unwrap());
    for stamp in [&mut seal.timestamp, &mut claim.timestamp].into_iter().flatten() {
        (stamp.time, stamp.authority) = (hostile(), hostile());
        (stamp.serial_number, stamp.policy) = (hostile(), hostile());
        (stamp.message_sha256, stamp.root) = (hostile(), Some(hostile()));
    }
    report.transparency_log = Some(LogEntry {
        origin: hostile(),
        index: 2,
        size: 5,
        timestamp_found: Found::Timestamp,
        timestamp: seal.timestamp.clone(),
        renewals: seal.timestamp.clone().into_iter().collect(),
        other_record_is_broken: true,
    });
    for certificate in seal.chain.iter_mut().chain(&mut claim.chain) {
        (certificate.subject, certificate.issuer, certificate.serial_number) = (hostile(), hostile(), hostile());
        (certificate.not_before, certificate.not_after) = (hostile(), hostile());
    }
    (seal.holder.name, seal.holder.cnpj) = (hostile(), Some(hostile()));
    (seal.root, claim.root) = (Some(hostile()), Some(hostile()));
    (seal.signer, seal.signing_time, seal.policy, seal.judged_at) = (hostile(), hostile(), hostile(), hostile());
    (claim.signer, claim.judged_at) = (hostile(), hostile());
    let times = report.times.as_mut().unwrap();
    (times.seal_trusted, times.claim_trusted, times.log_trusted, times.browser_claimed) =
        (Some(hostile()), Some(hostile()), Some(hostile()), Some(hostile()));
    (times.seal_claimed, times.service_claimed) = (hostile(), hostile());
    let end = report.holds_until.as_mut().unwrap();
    (end.time, end.certificate) = (hostile(), hostile());
    let capture = report.capture.as_mut().unwrap();
    (capture.assurance_level, capture.ingested_at) = (hostile(), hostile());
    capture.capture_id = serde_json::from_value(text.into()).unwrap();
    capture.asked_for = Some(AskedFor { kit: text.into(), step: text.into(), ..asked_for() });
    report.kit_step = Some(KitStep { title: hostile(), instruction: hostile() });
    let browser = report.browser.as_mut().unwrap();
    let mut claims = serde_json::to_value(&*browser).unwrap();
    claims
        .as_object_mut()
        .unwrap()
        .values_mut()
        .filter(|claim| claim.is_string())
        .for_each(|claim| *claim = text.into());
    *browser = serde_json::from_value(claims).unwrap();
    (browser.gps_lat, browser.heading) = (f64::NAN, Some(f64::INFINITY));
    verdict
}

#[tokio::test]
async fn escapes_hostile_text_everywhere() {
    let harmless = page(&filled_with("a").await, b"a file", "a");
    let hostile = page(&filled_with(HOSTILE).await, b"a file", HOSTILE);
    assert_eq!(tags(&hostile), tags(&harmless), "the same elements with the same attributes");
    assert!(text(&hostile).matches("&lt;script&gt;alert(1)&lt;/script&gt;").count() > 40, "and it was shown");
    assert!(hostile.contains("\\u{202e}txt.gpj\\u{2066}\\u{0}\\u{1b}[2J\\u{d}\\u{a}"));
    let controls = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    assert_eq!(hostile.find(controls), None);
}

#[tokio::test]
async fn the_page_loads_and_runs_nothing() {
    let file = stamped().await;
    let page = page(&judged(&file, *NOW), &file, "photo.jpg");
    let tags = tags(&page);
    let name = |tag: &str| tag.split([' ', '/']).next().unwrap().to_owned();
    for forbidden in
        ["script", "link", "iframe", "object", "embed", "a", "form", "base", "use", "image", "foreignObject"]
    {
        assert!(tags.iter().all(|tag| name(tag) != forbidden), "{forbidden}");
    }
    for forbidden in [" href=", " on", " style=", "srcset=", "http-equiv=\"refresh"] {
        assert!(tags.iter().all(|tag| !tag.to_lowercase().contains(forbidden)), "{forbidden}");
    }
    let sources: Vec<_> = tags.iter().filter(|tag| tag.contains("src=")).collect();
    assert!(matches!(sources[..], [only] if only.starts_with("img src=\"data:image/jpeg;base64,/9j/")));
    for address in ["http:", "https:", "url(", "@import"] {
        assert!(!page.contains(address), "{address}");
    }
    let policy = tags.iter().find(|tag| tag.contains("Content-Security-Policy")).unwrap();
    assert!(policy.contains("default-src 'none'; style-src 'sha256-"), "{policy}");
}

#[tokio::test]
async fn the_page_can_be_read_aloud() {
    let file = stamped().await;
    let page = page(&judged(&file, *NOW), &file, "photo.jpg");
    let tags = tags(&page);
    assert!(tags.contains(&"html lang=\"pt-BR\"") && tags.contains(&"span class=\"en\" lang=\"en\""));
    let headings = tags.iter().filter_map(|tag| tag.strip_prefix('h')?.parse::<u8>().ok());
    let levels: Vec<_> = headings.collect();
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert_eq!(levels[0], 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    let headers = tags.iter().filter(|tag| tag.starts_with("th") && !tag.starts_with("thead"));
    assert!(headers.clone().count() > 20);
    assert!(headers.clone().all(|tag| tag.starts_with("th scope=\"")), "a header without its direction");
    assert!(tags.iter().all(|tag| !tag.starts_with("img") || tag.contains(" alt=\"A foto")));
}
