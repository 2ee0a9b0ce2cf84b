//! Tests of dossiers: what holds, and that every way to change one is refused by name.

use std::{
    io::Cursor,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use lacre_api::{
    admin::GpsResult,
    dossier::{
        DossierAct, DossierFormat, DossierIndex, DossierPart, DossierPhoto, DossierRefused, INDEX, PhotoState, SEAL,
    },
};
use lacre_domain::{CustodyState, Environment, FrameHash, Sha256Digest, clock::rfc3339};
use lacre_proof::Timestamps;
use lacre_proof_fixtures::{
    Sandbox,
    authority::{Authority, Stamping},
    facts_at, synthetic,
};
use lacre_verify::{DossierReport, DossierRequirements, Outcome, Revocations, TrustList, TrustStore};
use time::{Duration, OffsetDateTime};

type Parts = Vec<(String, Vec<u8>)>;

/// A dossier of two photos, one that is not retained, a withheld and an erased one.
struct Dossier {
    index: DossierIndex,
    /// Index and seal first.
    parts: Parts,
}

fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc().replace_nanosecond(0).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    Sha256Digest::of(bytes).hex()
}

impl Dossier {
    async fn new(reference: &str) -> Self {
        let sandbox = Sandbox::shared();
        let (mut photos, mut parts) = (Vec::new(), vec![("report.html".to_owned(), b"<!doctype html>".to_vec())]);
        let states = [
            PhotoState::Included,
            PhotoState::Included,
            PhotoState::NotRetained,
            PhotoState::Withheld,
            PhotoState::Erased,
        ];
        for (number, state) in (1..).zip(states) {
            // Each photo has its own picture and capture.
            let (frame, mut facts) = (synthetic(240 + 8 * number, 240, false), facts_at(now() - Duration::minutes(5)));
            facts.capture_id =
                lacre_domain::CaptureId::from_hex(&hex(format!("{reference} {number}").as_bytes())).unwrap();
            let signed = sandbox.seal(&frame, &facts).await;
            let mut add = |name: &str, bytes: &[u8]| {
                let name = format!("photos/00{number}/{name}");
                parts.push((name.clone(), bytes.to_vec()));
                Some(name)
            };
            let (photo, manifest) = match state {
                PhotoState::Included => (add("photo.jpg", &signed.jpeg), None),
                PhotoState::NotRetained => (None, add("manifest.c2pa", &signed.manifest)),
                PhotoState::Withheld | PhotoState::Erased => (None, None),
            };
            let at = rfc3339(facts.ingested_at);
            let act = |state| DossierAct { state, at: at.as_str().into(), reason: "case 7".into() };
            photos.push(DossierPhoto {
                capture_id: facts.capture_id.as_str().into(),
                state,
                session: Some(number.into()),
                photo_order: 1,
                asked_for: None,
                license_id: serde_json::from_str("\"018f4e3a-1c2b-4d4e-8f90-a1b2c3d4e5f6\"").unwrap(),
                origin: "https://app.example.com".into(),
                ingested_at: at.as_str().into(),
                gps_result: facts.gps_result,
                recapture_risk: facts.recapture_risk,
                frame_hash: FrameHash::of(&frame).hex().into(),
                jpeg_sha256: hex(&signed.jpeg).into(),
                manifest_sha256: hex(&signed.manifest).into(),
                acts: match state {
                    PhotoState::Withheld => vec![act(CustodyState::Withheld)],
                    PhotoState::Erased => vec![act(CustodyState::Erased)],
                    PhotoState::Included | PhotoState::NotRetained => vec![],
                },
                photo,
                manifest,
                log_proof: None,
                evidence_records: vec![],
                evidence_bundles: vec![],
            });
        }
        let index = DossierIndex {
            format: DossierFormat::First,
            reference_id: reference.into(),
            client_id: serde_json::from_str("\"018f4e3a-1c2b-4d4e-8f90-a1b2c3d4e5f6\"").unwrap(),
            client_name: "Seguradora Exemplo".into(),
            environment: Environment::Sandbox,
            made_at: rfc3339(now()).into(),
            log: None,
            photos,
            refused: vec![DossierRefused {
                session: 1,
                session_created_at: rfc3339(now() - Duration::minutes(6)).into(),
                at: rfc3339(now() - Duration::minutes(6)).into(),
                photo_order: Some(1),
                reason: lacre_api::Refusal::RecaptureDetected.name().into(),
                frame_hash: Some(hex(b"refused").into()),
            }],
            licenses: Vec::new(),
            kits: Vec::new(),
            parts: Vec::new(),
        };
        let mut dossier = Self { index, parts };
        dossier.seal(Timestamps::None).await;
        dossier
    }

    /// Lists the parts in the index, and seals it again.
    async fn seal(&mut self, timestamps: Timestamps<'_>) {
        self.parts.retain(|(name, _)| name != INDEX && name != SEAL);
        let entry = |(name, bytes): &(String, Vec<u8>)| DossierPart {
            name: name.clone(),
            bytes: bytes.len() as u64,
            sha256: hex(bytes).into(),
        };
        self.index.parts = self.parts.iter().map(entry).collect();
        self.seal_as_it_is(timestamps).await;
    }

    /// Seals the index without listing the parts again.
    async fn seal_as_it_is(&mut self, timestamps: Timestamps<'_>) {
        self.parts.retain(|(name, _)| name != INDEX && name != SEAL);
        let json = serde_json::to_vec_pretty(&self.index).unwrap();
        let made_at =
            OffsetDateTime::parse(self.index.made_at.as_str(), &time::format_description::well_known::Rfc3339);
        let sandbox = Sandbox::shared();
        let sha256 = *Sha256Digest::of(&json).as_bytes();
        let seal = sandbox.signers().sign_dossier(sha256, made_at.unwrap(), &sandbox.rsa, timestamps).await.unwrap();
        self.parts.splice(0..0, [(INDEX.to_owned(), json), (SEAL.to_owned(), seal)]);
    }

    fn archive(&self) -> Vec<u8> {
        archive(&self.parts)
    }

    /// The archive after a change of its parts.
    fn changed(&self, change: impl FnOnce(&mut Parts)) -> Vec<u8> {
        let mut parts = self.parts.clone();
        change(&mut parts);
        archive(&parts)
    }
}

fn archive(parts: &Parts) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    lacre_dossier::write(&mut file, parts.iter().map(|(name, bytes)| (name, bytes))).unwrap();
    file.into_inner()
}

fn place(parts: &Parts, name: &str) -> usize {
    parts.iter().position(|(known, _)| known == name).unwrap()
}

/// Checks a dossier, and keeps it for the second reader, under the name of the verdict.
fn check(archive: &[u8]) -> DossierReport {
    let report = check_at(archive, OffsetDateTime::now_utc());
    // The reader does not verify photos, but their hashes.
    let of_dossier = report.checks.iter().all(|check| check.holds || check.name == "photos");
    let (verdict, name) = (if of_dossier { "valid" } else { "refused" }, &hex(archive)[..16]);
    std::fs::write(cases().join(format!("{verdict}-{name}.zip")), archive).unwrap();
    report
}

/// The folder of the dossiers for `scripts/test-vectors`, with the roots that they lead to.
fn cases() -> &'static Path {
    static CASES: OnceLock<PathBuf> = OnceLock::new();
    CASES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/dossiers");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("roots.pem"), roots()).unwrap();
        folder
    })
}

fn roots() -> String {
    Sandbox::shared().anchors_pem.clone() + &Authority::shared().anchors_pem
}

fn check_at(archive: &[u8], at: OffsetDateTime) -> DossierReport {
    let store = TrustStore::of(TrustList::of_file("roots", roots()).unwrap());
    let requirements = DossierRequirements {
        environment: Environment::Sandbox,
        seal_holder: None,
        claim_subject: None,
        log_key: None,
        witnesses: vec![],
        witness_policy: None,
    };
    store.check_dossier(Cursor::new(archive), Revocations::default(), &requirements, at).unwrap()
}

/// The failed checks with their faults, and the faults of photos.
fn faults(report: &DossierReport) -> Vec<String> {
    let checks = report.checks.iter().filter_map(|check| Some(format!("{}: {}", check.name, check.fault.as_ref()?)));
    let photos = report.photos.iter().flat_map(|photo| photo.faults.clone());
    checks.chain(photos).collect()
}

#[tokio::test]
async fn a_dossier_holds_with_every_photo() {
    let mut dossier = Dossier::new("sinistro-42").await;
    let stamping = Stamping::new(Authority::shared(), now());
    dossier.seal(Timestamps::Required(&stamping)).await;
    let report = check(&dossier.archive());
    assert_eq!((faults(&report), report.outcome), (vec![], Outcome::NotPinned), "{report}");
    let text = report.to_string();
    for part in
        ["DOSSIER VALID", "Photos: 5 recorded, 2 in the dossier", "not retained", "withheld", "erased", "Existed at"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let judged: Vec<_> = report.photos.iter().map(|photo| photo.report.is_some()).collect();
    assert_eq!(judged, [true, true, false, false, false]);
    // A timestamp of another time than the index states.
    let late = Stamping::new(Authority::shared(), now() + Duration::hours(1));
    dossier.seal(Timestamps::Required(&late)).await;
    let found = faults(&check_at(&dossier.archive(), now() + Duration::hours(2)));
    assert_eq!(found, ["index: it states another time than the timestamp of its seal", "photos: not checked"]);
    dossier.seal(Timestamps::Required(&stamping)).await;
    // Its timestamp outlives the seal's certificate.
    let later = check_at(&dossier.archive(), now() + Duration::days(400));
    assert!(later.checks.iter().all(|check| check.holds || check.name == "photos"), "{later}");
}

#[tokio::test]
async fn changed_parts_are_refused_by_name() {
    let dossier = Dossier::new("sinistro-42").await;
    let [one, two, manifest] = ["photos/001/photo.jpg", "photos/002/photo.jpg", "photos/003/manifest.c2pa"];
    let swap = |parts: &mut Parts| {
        let (first, second) = (place(parts, one), place(parts, two));
        let bytes = std::mem::take(&mut parts[first].1);
        parts[first].1 = std::mem::replace(&mut parts[second].1, bytes);
    };
    let moved = |parts: &mut Parts| {
        let last = parts.pop().unwrap();
        parts.insert(2, last);
    };
    let cases: [(Vec<u8>, String); 8] = [
        (dossier.changed(|parts| drop(parts.remove(place(parts, two)))), format!("{two} is missing")),
        (
            dossier.changed(|parts| parts.push(("photos/006/photo.jpg".into(), b"more".into()))),
            "photos/006/photo.jpg is not in the index".into(),
        ),
        (dossier.changed(swap), format!("{one} has the contents of {two}; {two} has the contents of {one}")),
        (dossier.changed(moved), format!("the parts were reordered: {manifest} is in the place of report.html")),
        (
            dossier.changed(|parts| {
                let at = place(parts, two);
                parts[at].0 = "photos/002/other.jpg".into()
            }),
            format!("{two} was renamed to photos/002/other.jpg"),
        ),
        (
            dossier.changed(|parts| {
                let at = place(parts, one);
                parts[at].1[2000] ^= 1
            }),
            format!("{one} was altered"),
        ),
        (
            dossier.changed(|parts| {
                let at = place(parts, manifest);
                parts[at].1[100] ^= 1
            }),
            format!("{manifest} was altered"),
        ),
        (
            dossier.changed(|parts| {
                let at = place(parts, "report.html");
                parts[at].1[0] ^= 1
            }),
            "report.html was altered".into(),
        ),
    ];
    for (archive, expected) in cases {
        let report = check(&archive);
        assert_eq!(report.outcome, Outcome::Refused, "{expected}");
        assert!(faults(&report).contains(&format!("parts: {expected}")), "{expected}: {:?}", faults(&report));
    }
}

#[tokio::test]
async fn another_index_or_seal_is_refused() {
    let (dossier, other) = (Dossier::new("sinistro-42").await, Dossier::new("sinistro-43").await);
    let with = |number: usize| dossier.changed(|parts| parts[number] = other.parts[number].clone());
    assert!(faults(&check(&with(0))).contains(&"seal covers index: the seal is one over another index".to_owned()));
    assert!(faults(&check(&with(1))).contains(&"seal covers index: the seal is one over another index".to_owned()));
    let both = dossier.changed(|parts| parts[..2].clone_from_slice(&other.parts[..2]));
    let found = faults(&check(&both));
    assert!(found.iter().any(|fault| fault.starts_with("parts: photos/001/photo.jpg was altered")), "{found:?}");
    for (name, expected) in [(INDEX, "index: index.json is missing"), (SEAL, "seal signature: index.p7s is missing")] {
        let found = faults(&check(&dossier.changed(|parts| drop(parts.remove(place(parts, name))))));
        assert!(found.contains(&expected.to_owned()), "{found:?}");
    }
    // The seal of a photo is none of a dossier.
    let sandbox = Sandbox::shared();
    let hash = FrameHash::of(&dossier.parts[0].1);
    let seal = sandbox.signers().sign_frame(&hash, &facts_at(now()), &sandbox.rsa, Timestamps::None).await.unwrap();
    let found = faults(&check(&dossier.changed(|parts| parts[1].1 = seal.der().to_vec())));
    assert!(found.iter().any(|fault| fault.starts_with("seal signature: the signed attributes")), "{found:?}");
}

#[tokio::test]
async fn an_index_must_not_contradict_its_photos() {
    let dossier = Dossier::new("sinistro-42").await;
    let sealed = async |change: &dyn Fn(&mut Dossier)| {
        let mut dossier = Dossier { index: dossier.index.clone(), parts: dossier.parts.clone() };
        change(&mut dossier);
        dossier.seal_as_it_is(Timestamps::None).await;
        faults(&check(&dossier.archive()))
    };
    let another = "it has another capture_id than the index";
    let found = sealed(&|dossier| dossier.index.photos[0].capture_id = hex(b"another").into()).await;
    assert_eq!(found, ["photos: 1 of 5 failed", another]);
    let found = sealed(&|dossier| dossier.index.photos[0].ingested_at = "2026-01-01T00:00:00Z".into()).await;
    assert_eq!(found, ["photos: 1 of 5 failed", "it has another ingested_at than the index"]);
    let found = sealed(&|dossier| dossier.index.photos[0].gps_result = GpsResult::Accepted).await;
    assert_eq!(found, ["photos: 1 of 5 failed", "it has another gps_result than the index"]);
    let found = sealed(&|dossier| dossier.index.parts[0].bytes += 1).await;
    assert_eq!(found, ["parts: report.html has another size than the index states"]);
    let found = sealed(&|dossier| dossier.index.made_at = "2026-01-01T00:00:00Z".into()).await;
    assert!(found.is_empty(), "the seal states the same time: {found:?}");
    for change in [
        &(|dossier: &mut Dossier| dossier.index.photos[1].state = PhotoState::Withheld) as &dyn Fn(&mut Dossier),
        &|dossier| dossier.index.photos[0].jpeg_sha256 = hex(b"another").into(),
        &|dossier| dossier.index.photos[0].photo = Some("photos/002/photo.jpg".into()),
        &|dossier| dossier.index.photos[3].log_proof = Some("photos/004/photo.tlog-proof".into()),
        &|dossier| dossier.index.parts.push(dossier.index.parts[0].clone()),
        &|dossier| dossier.index.photos.push(dossier.index.photos[0].clone()),
        &|dossier| dossier.index.photos[0].session = Some(0),
        &|dossier| dossier.index.refused[0].photo_order = Some(0),
        &|dossier| dossier.index.photos[0].evidence_bundles = vec!["report.html".into(); 63],
        &|dossier| dossier.index.photos = vec![dossier.index.photos[4].clone(); 2_001],
    ] {
        let found = sealed(change).await;
        assert!(found.iter().any(|fault| fault.starts_with("index: it ")), "{found:?}");
    }
}

#[tokio::test]
async fn hostile_archives_are_refused() {
    let dossier = Dossier::new("sinistro-42").await;
    let archive = dossier.archive();
    let fault = |archive: &[u8]| {
        let report = check(archive);
        assert_eq!((report.outcome, report.checks[0].name), (Outcome::Refused, "archive"));
        report.checks[0].fault.clone().unwrap()
    };
    assert!(fault(&[&archive[..], b"more"].concat()).ends_with("has bytes that belong to no part"));
    // Both headers of a part must have its name: programs that read from a pipe use the one in front of it.
    let [one, two] = [&b"photos/001/photo.jpg"[..], b"photos/002/photo.jpg"];
    let place = |name: &[u8]| archive.windows(name.len()).rposition(|window| window == name).unwrap();
    let local = |name: &[u8]| {
        archive
            .windows(4 + 26 + name.len())
            .position(|window| window.starts_with(b"PK\x03\x04") && window.ends_with(name))
            .unwrap()
            + 30
    };
    let mut swapped = archive.clone();
    assert!(local(one) < local(two) && local(two) < place(one));
    swapped[local(one)..][..one.len()].copy_from_slice(two);
    swapped[local(two)..][..two.len()].copy_from_slice(one);
    assert_eq!(fault(&swapped), "the headers of photos/001/photo.jpg do not agree");
    assert!(!fault(&[b"more", &archive[..]].concat()).is_empty());
    assert!(!fault(&archive[..archive.len() - 1]).is_empty());
    assert!(!fault(b"PK\x03\x04").is_empty());
    // Made by Python: a compressed part, a part that is there twice, paths out of the folder, and gaps.
    let script = r#"
import io, sys, zipfile, warnings
warnings.simplefilter("ignore")
parts = zipfile.ZipFile(sys.argv[1])
def write(name, compression=zipfile.ZIP_STORED, rename=None, extra=()):
    with zipfile.ZipFile(name, "w", compression) as out:
        for part in parts.namelist():
            out.writestr((rename or {}).get(part, part), parts.read(part))
        for part, data in extra:
            out.writestr(part, data)
write("same.zip")
write("bomb.zip", zipfile.ZIP_DEFLATED, extra=[("photos/009/photo.jpg", b"\0" * 10_000_000)])
write("twice.zip", extra=[("report.html", b"other")])
write("up.zip", rename={"report.html": "../report.html"})
write("root.zip", rename={"report.html": "/etc/report.html"})
write("windows.zip", rename={"report.html": "..\\report.html"})
with zipfile.ZipFile("same.zip", "a") as out:
    out.comment = b"more"
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dossier.zip");
    std::fs::write(&path, &archive).unwrap();
    let done =
        std::process::Command::new("python3").args(["-c", script]).arg(&path).current_dir(&folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(fault(&read("same.zip")).ends_with("has bytes that belong to no part"));
    assert!(fault(&read("bomb.zip")).ends_with("is compressed or encrypted"));
    assert!(!fault(&read("twice.zip")).is_empty());
    for name in ["up.zip", "root.zip", "windows.zip"] {
        assert!(fault(&read(name)).ends_with("its name"), "{name}");
    }
}

#[tokio::test]
async fn notices_every_changed_byte() {
    let archive = Dossier::new("sinistro-42").await.archive();
    // Every 61st byte, a prime, so that all parts of headers and contents are among them.
    for at in (0..archive.len()).step_by(61) {
        let mut changed = archive.clone();
        changed[at] ^= 1;
        let report = check_at(&changed, OffsetDateTime::now_utc());
        // The time and attributes of a part in the archive's directory mean nothing, and nothing reads them.
        let contents = report.checks.iter().all(|check| check.holds);
        assert!(!contents || zip_reads_the_same(&archive, &changed), "byte {at}");
    }
}

/// Whether both archives have the same names and contents, as another program reads them.
fn zip_reads_the_same(one: &[u8], other: &[u8]) -> bool {
    let read = |bytes: &[u8]| {
        let mut archive = lacre_dossier::Archive::open(Cursor::new(bytes.to_vec())).ok()?;
        let names: Vec<_> = archive.parts().iter().map(|(name, _)| name.clone()).collect();
        names.into_iter().map(|name| Some((archive.read(&name).ok()??, name))).collect::<Option<Vec<_>>>()
    };
    read(one) == read(other)
}
