//! One check: from the page's inputs to the HTML and files that it shows.

use lacre_domain::Environment;
use lacre_proof::{Cnpj, bundle::BundleFile};
use lacre_verify::{
    Language, LogEvidence, LogKey, Page, Picture, Report, Requirements, Revocations, Role, TrustList, TrustStore,
    Verdict, join,
};
use serde::Deserialize;
use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Inputs from the page.
#[derive(Default)]
pub(crate) struct Inputs {
    photo: Vec<u8>,
    manifest: Vec<u8>,
    options: Vec<u8>,
    log_proof: Vec<u8>,
    /// Evidence records, each empty if it was not given.
    evidence_records: [Vec<u8>; 2],
    /// Evidence bundles, one after the other; the options state their sizes.
    bundles: Vec<u8>,
    /// An input slot of another version of the page, which is ignored.
    unknown: Vec<u8>,
}

/// Outputs for the page, by the slots of `output`.
#[derive(Default)]
pub(crate) struct Outputs([Vec<u8>; 8]);

/// The page's options, as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    /// Name of the photo's file.
    name: String,
    /// The browser's clock, in milliseconds since the Unix epoch.
    now_ms: i64,
    /// Time to check as of, instead of now (RFC 3339).
    #[serde(default)]
    at: Option<String>,
    /// Required environment: `production`, `staging` or `sandbox`.
    environment: String,
    #[serde(default)]
    seal_holder: Option<String>,
    #[serde(default)]
    claim_subject: Option<String>,
    /// Key of the public log that a log proof must be from.
    #[serde(default)]
    log_key: Option<String>,
    /// Lists of root certificates in addition to the built-in ones.
    #[serde(default)]
    add_trust: Vec<AddedList>,
    /// The evidence bundles in their input.
    #[serde(default)]
    bundles: Vec<GivenBundle>,
}

/// The file of an evidence bundle.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenBundle {
    name: String,
    /// Size in bytes.
    size: usize,
}

/// A list of root certificates that the page adds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddedList {
    /// Name of the list's file.
    title: String,
    pem: String,
}

/// An invalid option or file, and why it is invalid.
#[derive(Debug)]
pub(crate) struct OptionError {
    option: &'static str,
    message: String,
}

impl Inputs {
    pub(crate) fn buffer(&mut self, slot: usize) -> &mut Vec<u8> {
        match slot {
            0 => &mut self.photo,
            1 => &mut self.manifest,
            2 => &mut self.options,
            3 => &mut self.log_proof,
            4 | 5 => &mut self.evidence_records[slot - 4],
            6 => &mut self.bundles,
            _ => &mut self.unknown,
        }
    }
}

impl Outputs {
    pub(crate) fn get(&self, slot: usize) -> &[u8] {
        self.0.get(slot).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_error(error: &OptionError) -> Self {
        Self::of_json(&json!({ "error": { "option": error.option, "message": error.message } }))
    }

    pub(crate) fn of_lists() -> Self {
        match TrustStore::built_in() {
            Ok(store) => Self::of_json(&json!({ "version": env!("CARGO_PKG_VERSION"), "lists": store.trusted() })),
            Err(message) => Self::of_error(&OptionError { option: "lists", message }),
        }
    }

    fn of_json(value: &serde_json::Value) -> Self {
        let mut outputs = Self::default();
        outputs.0[0] = value.to_string().into_bytes();
        outputs
    }
}

/// Checks the photo according to the options.
///
/// # Errors
/// The option that is invalid.
pub(crate) fn run(inputs: Inputs) -> Result<Outputs, OptionError> {
    let options: Options = serde_json::from_slice(&inputs.options).map_err(wrong("options"))?;
    let now = moment(options.now_ms)?;
    let at = options.at.as_deref().map(|at| OffsetDateTime::parse(at, &Rfc3339).map_err(wrong("at"))).transpose()?;
    let Inputs { photo, manifest, log_proof, evidence_records, bundles, .. } = inputs;
    let bundles = read_bundles(&options.bundles, &bundles)?;
    let mut revocations = Revocations::default();
    for (GivenBundle { name, .. }, file) in options.bundles.iter().zip(&bundles) {
        revocations.add_bundle(&file.bundle).map_err(|fault| of_bundle(name, &fault))?;
    }
    let records = evidence_records.into_iter().filter(|record| !record.is_empty()).collect();
    let log = log(&options, log_proof)?.map(|evidence| LogEvidence { records, bundles, ..evidence });
    let requirements = Requirements { log, ..requirements(&options)? };
    let mut trust = TrustStore::built_in().map_err(wrong("lists"))?;
    for AddedList { title, pem } in &options.add_trust {
        let list = TrustList::of_file(title, pem).map_err(|fault| wrong("add_trust")(format!("{title}: {fault}")))?;
        trust.add(&Role::ALL, list);
    }
    let manifest = (!manifest.is_empty()).then_some(manifest);
    let joined = manifest.as_ref().map(|manifest| join(&photo, manifest).map_err(wrong("manifest"))).transpose()?;
    let verdict = trust
        .check(joined.as_ref().unwrap_or(&photo), &revocations, &requirements, at.unwrap_or(now))
        .map_err(wrong("add_trust"))?;
    drop(joined);
    let page = Page {
        verdict: &verdict,
        file: &photo,
        manifest: manifest.as_deref(),
        name: &options.name,
        picture: Picture::Elsewhere,
        made_at: now,
    };
    let pages = [page.sections().into_bytes(), page.html().into_bytes()];
    Ok(outputs(verdict, pages))
}

fn outputs(verdict: Verdict, [sections, report]: [Vec<u8>; 2]) -> Outputs {
    let Verdict { report: findings, contents } = verdict;
    let result = result(&findings).to_string().into_bytes();
    let Some(contents) = contents else {
        return Outputs([result, sections, report, vec![], vec![], vec![], vec![], vec![]]);
    };
    let [signature_timestamp, claim_timestamp] =
        [contents.signature_timestamp, contents.claim_timestamp].map(Option::unwrap_or_default);
    Outputs([
        result,
        sections,
        report,
        contents.frame,
        contents.signature,
        contents.manifest,
        signature_timestamp,
        claim_timestamp,
    ])
}

/// The outcome as `verify --json` names it, and the conclusion in one line.
fn result(report: &Report) -> serde_json::Value {
    json!({
        "outcome": report.outcome,
        "conclusion": {
            "pt": report.conclusion(Language::Portuguese),
            "en": report.conclusion(Language::English),
        },
    })
}

fn requirements(options: &Options) -> Result<Requirements, OptionError> {
    let environment =
        Environment::parse(&options.environment).ok_or("not an environment").map_err(wrong("environment"))?;
    let seal_holder = options.seal_holder.as_deref().map(Cnpj::parse).transpose().map_err(wrong("seal_holder"))?;
    match options.claim_subject.as_deref() {
        Some("") => Err(wrong("claim_subject")("the name is empty")),
        subject => {
            Ok(Requirements { seal_holder, claim_subject: subject.map(str::to_owned), ..Requirements::of(environment) })
        }
    }
}

/// The log proof with the log's key. A key without a proof is allowed, because it applies to all photos of the
/// page.
fn log(options: &Options, proof: Vec<u8>) -> Result<Option<LogEvidence>, OptionError> {
    let key = options.log_key.as_deref().map(str::parse::<LogKey>).transpose().map_err(wrong("log_key"))?;
    match (key, proof.is_empty()) {
        (_, true) => Ok(None),
        (Some(key), false) => Ok(Some(LogEvidence::new(proof, key))),
        (None, false) => Err(wrong("log_key")("a proof of a public log needs the log's key")),
    }
}

/// Parses the evidence bundles, which lie one after the other.
fn read_bundles(given: &[GivenBundle], mut bytes: &[u8]) -> Result<Vec<BundleFile>, OptionError> {
    let read = |GivenBundle { name, size }: &GivenBundle| {
        let (file, rest) = bytes.split_at_checked(*size).ok_or("shorter than stated").map_err(wrong("bundles"))?;
        bytes = rest;
        BundleFile::parse(file).map_err(|fault| of_bundle(name, &fault))
    };
    given.iter().map(read).collect()
}

fn of_bundle(name: &str, fault: &str) -> OptionError {
    wrong("bundles")(format!("{name}: {fault}"))
}

fn moment(millis: i64) -> Result<OffsetDateTime, OptionError> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(millis) * 1_000_000).map_err(wrong("now_ms"))
}

/// Adds the name of the option to an error.
fn wrong<E: ToString>(option: &'static str) -> impl Fn(E) -> OptionError {
    move |error| OptionError { option, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use lacre_domain::Sha256Digest;
    use lacre_proof::{TimestampRequest, archive::ArchiveChain, bundle::Bundle};
    use lacre_proof_fixtures::{
        Sandbox,
        authority::{Authority, NONE},
        facts,
        log::Log,
        synthetic,
    };
    use serde_json::Value;

    use super::*;

    fn options(more: Value) -> Vec<u8> {
        let now = lacre_domain::clock::epoch_millis(OffsetDateTime::now_utc());
        let pem = &Sandbox::shared().anchors_pem;
        let add_trust = json!([{ "title": "development.pem", "pem": pem }]);
        let mut options =
            json!({ "name": "photo.jpg", "now_ms": now, "environment": "sandbox", "add_trust": add_trust });
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        options.to_string().into_bytes()
    }

    fn result(outputs: &Outputs) -> Value {
        serde_json::from_slice(outputs.get(0)).unwrap()
    }

    #[tokio::test]
    async fn returns_verdict_frame_and_manifest() {
        let frame = synthetic(240, 240, false);
        let proof = Sandbox::shared().seal(&frame, &facts()).await;
        let (photo, pin) = (proof.jpeg.clone(), json!({ "seal_holder": "11.222.333/0001-81" }));
        let outputs = run(Inputs { photo, options: options(pin), ..Inputs::default() }).unwrap();
        let found = result(&outputs);
        assert_eq!(found["outcome"], "accepted");
        let holder = "LACRE DEVELOPMENT:11222333000181 (CNPJ 11.222.333/0001-81)";
        let conclusion = format!("Valid, but made in a test environment. Sealed by: {holder}");
        assert_eq!(found["conclusion"]["en"], conclusion);
        assert_eq!(outputs.get(3), frame);
        assert_eq!(outputs.get(5), proof.manifest);
        let [sections, report] = [1, 2].map(|slot| std::str::from_utf8(outputs.get(slot)).unwrap());
        assert!(sections.starts_with("<section class=\"verdict doubtful\">"), "{sections}");
        assert!(report.starts_with("<!DOCTYPE html>") && report.contains(sections));
        assert_eq!(report.matches("src=\"photo:\"").count(), 1);
        assert_eq!([6, 7, 8].map(|slot| outputs.get(slot).len()), [0; 3]);

        // The same photo as a frame with a separate manifest.
        let inputs =
            Inputs { photo: frame, manifest: proof.manifest, options: options(json!({})), ..Inputs::default() };
        assert_eq!(result(&run(inputs).unwrap())["outcome"], "not_pinned");
    }

    #[tokio::test]
    async fn log_proofs_need_the_logs_key() {
        let proof = Sandbox::shared().seal(&synthetic(240, 240, false), &facts()).await;
        let (log, others) = (Log::new(), Log::of_seed(8));
        let inputs = |log_proof: &[u8], more: Value| Inputs {
            photo: proof.jpeg.clone(),
            options: options(more),
            log_proof: log_proof.to_vec(),
            ..Inputs::default()
        };
        let outcome = |inputs: Inputs| result(&run(inputs).unwrap())["outcome"].clone();
        let key = |log: &Log| json!({ "log_key": log.key.to_string() });
        let log_proof = log.prove(&proof.manifest).to_string().into_bytes();
        assert_eq!(outcome(inputs(&log_proof, key(&log))), "not_pinned");
        let outputs = run(inputs(&log_proof, key(&log))).unwrap();
        assert!(str::from_utf8(outputs.get(1)).unwrap().contains("The capture is in the public log"));
        assert_eq!(outcome(inputs(&log_proof, key(&others))), "refused");
        let damaged = log.prove(&proof.manifest).to_string().replace('\n', "\r\n").into_bytes();
        let outputs = run(inputs(&damaged, key(&log))).unwrap();
        assert!(str::from_utf8(outputs.get(1)).unwrap().contains("The capture is in the public log"));
        // An invalid log proof leaves the photo's verdict unchanged and adds a notice.
        let outputs = run(inputs(b"not a proof", key(&log))).unwrap();
        assert_eq!(result(&outputs)["outcome"], "not_pinned");
        assert!(str::from_utf8(outputs.get(1)).unwrap().contains("is not a proof of a public log, and was not used"));
        // The key applies to all photos, also to those without a log proof.
        assert_eq!(outcome(inputs(b"", key(&log))), "not_pinned");
        let error = run(inputs(&log_proof, json!({}))).err().unwrap();
        assert_eq!((error.option, &*error.message), ("log_key", "a proof of a public log needs the log's key"));
    }

    #[tokio::test]
    async fn bundles_are_read_one_after_the_other() {
        let proof = Sandbox::shared().seal(&synthetic(240, 240, false), &facts()).await;
        let log = Log::new();
        let mut token = Vec::new();
        let log_proof = log.prove_since(&proof.manifest, |text| {
            let request = TimestampRequest::new(*Sha256Digest::of(text).as_bytes(), [7; 16]).unwrap();
            let (authority, now) = (Authority::shared(), OffsetDateTime::now_utc());
            let answer = authority.answer(request.der(), now, &NONE);
            token = request.open(&answer, &authority.anchors(), now).unwrap().der().to_vec();
            token.clone()
        });
        let record = ArchiveChain::new(token.clone()).to_der().unwrap();
        let own = Bundle::of(&token).unwrap().to_der().unwrap();
        let other = Bundle { token_sha256: [9; 32], ..Bundle::default() }.to_der().unwrap();
        let list = Bundle { lists: vec![vec![0x30, 0]], ..Bundle::of(&token).unwrap() }.to_der().unwrap();
        let pem = [&Sandbox::shared().anchors_pem, &Authority::shared().anchors_pem].map(String::as_str).concat();
        let judge = |bundles: &[&[u8]]| {
            let given =
                bundles.iter().zip(1..).map(|(file, number)| json!({ "name": number.to_string(), "size": file.len() }));
            let more = json!({
                "log_key": log.key.to_string(),
                "bundles": given.collect::<Vec<_>>(),
                "add_trust": [{ "title": "roots", "pem": pem }],
            });
            run(Inputs {
                photo: proof.jpeg.clone(),
                options: options(more),
                log_proof: log_proof.to_string().into_bytes(),
                evidence_records: [record.clone(), Vec::new()],
                bundles: bundles.concat(),
                ..Inputs::default()
            })
        };
        for (bundles, outcome, shown) in [
            (&[][..], "not_pinned", ""),
            (&[&own[..]], "not_pinned", "Each evidence bundle that was given belongs"),
            (&[&own, &own], "not_pinned", "Each evidence bundle that was given belongs"),
            (&[&own, &other], "refused", "an evidence bundle belongs to another timestamp"),
        ] {
            let outputs = judge(bundles).unwrap();
            assert_eq!(result(&outputs)["outcome"], outcome);
            assert!(str::from_utf8(outputs.get(1)).unwrap().contains(shown), "{shown}");
        }
        for (bundles, message) in
            [(&[&own[..], b"garbage"], "2: not an evidence bundle"), (&[&list, &own], "1: cannot decode the CRL")]
        {
            let error = judge(bundles).err().unwrap();
            assert_eq!(error.option, "bundles");
            assert!(error.message.starts_with(message), "{}", error.message);
        }
        let inputs =
            Inputs { options: options(json!({ "bundles": [{ "name": "1", "size": 1 }] })), ..Inputs::default() };
        assert_eq!(run(inputs).err().unwrap().message, "shorter than stated");
    }

    #[test]
    fn a_wrong_option_is_named() {
        let named = |more: Value| {
            let inputs = Inputs { photo: b"a photo".to_vec(), options: options(more), ..Inputs::default() };
            result(&Outputs::of_error(&run(inputs).err().unwrap()))["error"]["option"].clone()
        };
        for (more, option) in [
            (json!({ "environment": "test" }), "environment"),
            (json!({ "seal_holder": "11222333000180" }), "seal_holder"),
            (json!({ "claim_subject": "" }), "claim_subject"),
            (json!({ "log_key": "log.example" }), "log_key"),
            (json!({ "at": "yesterday" }), "at"),
            (json!({ "now_ms": i64::MAX }), "now_ms"),
            (json!({ "add_trust": [{ "title": "a.pem", "pem": "" }] }), "add_trust"),
            (json!({ "unknown": 1 }), "options"),
        ] {
            assert_eq!(named(more.clone()), option, "{more}");
        }
        let inputs = Inputs {
            photo: b"a photo".to_vec(),
            manifest: vec![0; 9],
            options: options(json!({})),
            ..Inputs::default()
        };
        assert_eq!(result(&Outputs::of_error(&run(inputs).err().unwrap()))["error"]["option"], "manifest");
    }

    #[test]
    fn the_built_in_lists_are_described() {
        let lists = result(&Outputs::of_lists());
        assert_eq!(lists["version"], env!("CARGO_PKG_VERSION"));
        let counts: Vec<_> =
            lists["lists"].as_array().unwrap().iter().map(|list| list["certificates"].as_u64()).collect();
        assert_eq!(counts, [Some(2), Some(30), Some(22)]);
        assert_eq!(lists["lists"][1]["roles"], json!(["claim"]));
    }
}
