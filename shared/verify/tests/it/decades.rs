//! Thirty years of renewals, by authorities that `openssl` runs: photos of the first year and of later ones verify at the
//! end, and what was altered, mixed up, revoked or renewed too late does not. The signers of later years have certificates
//! for all thirty, because the C2PA library signs by the system's clock.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    sync::{Mutex, MutexGuard, OnceLock},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use der::{Decode, Encode};
use lacre_proof::{
    Anchors, TimestampRequest,
    archive::{ArchiveChain, RenewalTree},
    bundle::{Bundle, BundleFile},
};
use lacre_proof_fixtures::{
    EcKey, RsaKey, Sandbox,
    authority::{Authority, NONE},
    ca::{Ca, P_256, RSA, openssl_time},
    facts_at,
    log::Log,
    synthetic,
};
use lacre_transparency::{LogProof, Sha256Digest};
use lacre_verify::{LogEvidence, Report, Requirements, RevocationStatus, Revocations, check_with};
use rsa::pkcs8::DecodePrivateKey;
use time::{Duration, OffsetDateTime};
use tokio::runtime::Builder;
use x509_cert::{Certificate, crl::CertificateList};

const RENEWALS: &str = "renewals";
const BUNDLES: &str = "evidence bundles";
/// Years between renewals.
const EVERY: i32 = 4;
const YEARS: i32 = 30;
/// The number of photos, each in a log of its own.
const PHOTOS: i64 = 3;
/// The renewal of this number is that of the authority that is revoked later, and the number of the one with no lists.
const REVOKED: usize = 2;
const WITHOUT_LISTS: usize = 3;

const SETTINGS: &str = "[ca]\ndefault_ca = here\n[here]\ndatabase = index.txt\ncertificate = root.pem\n\
    private_key = root.key\ndefault_md = sha256\ndefault_crl_days = 7\ncrlnumber = crlnumber\nserial = serial\n\
    new_certs_dir = .\npolicy = names\n[names]\ncommonName = supplied\n";

/// The time that many years from now.
fn year(years: i32) -> OffsetDateTime {
    static NOW: OnceLock<OffsetDateTime> = OnceLock::new();
    let now = NOW.get_or_init(|| OffsetDateTime::now_utc().replace_nanosecond(0).unwrap());
    *now + Duration::days(i64::from(years) * 365)
}

/// A timestamp authority with a root of its own.
struct Era {
    folder: tempfile::TempDir,
    authority: Authority,
    /// Held while the folder's files are those of one list.
    listing: Mutex<()>,
}

impl Era {
    /// The authority that opened this year, with a certificate for the given years.
    fn of(opened: i32, years: i32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| openssl(&folder.path().into(), arguments);
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("ca.conf", SETTINGS);
        write("crlnumber", "01\n");
        write("serial", "2A\n");
        write("index.txt", "");
        write("root.ext", "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign");
        write("tsa.ext", "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature,nonRepudiation");
        for name in ["root", "tsa"] {
            let (subject, key) = (format!("/CN={name} {opened}"), format!("{name}.key"));
            let out = format!("{name}.req");
            run(&["req", "-new", "-nodes", "-newkey", "rsa:2048", "-subj", &subject, "-keyout", &key, "-out", &out]);
        }
        run(&[
            "x509", "-req", "-in", "root.req", "-signkey", "root.key", "-extfile", "root.ext", "-days", "14600",
            "-out", "root.pem",
        ]);
        let (from, until) = (openssl_time(year(opened) - Duration::days(1)), openssl_time(year(opened + years)));
        run(&[
            "ca",
            "-batch",
            "-notext",
            "-config",
            "ca.conf",
            "-in",
            "tsa.req",
            "-extfile",
            "tsa.ext",
            "-startdate",
            &from,
            "-enddate",
            &until,
            "-out",
            "tsa.pem",
        ]);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let key = rsa::RsaPrivateKey::from_pkcs8_pem(&read("tsa.key")).unwrap();
        let authority = Authority {
            key: rsa::pkcs1v15::SigningKey::new(key),
            chain: Certificate::load_pem_chain(read("tsa.pem").as_bytes()).unwrap(),
            anchors_pem: read("root.pem"),
        };
        Self { folder, authority, listing: Mutex::default() }
    }

    fn stamp(&self, imprint: [u8; 32], at: OffsetDateTime) -> Vec<u8> {
        let request = TimestampRequest::new(imprint, [7; 16]).unwrap();
        let answer = self.authority.answer(request.der(), at, &NONE);
        request.open(&answer, &self.authority.anchors(), at).unwrap().der().to_vec()
    }

    /// The revocation list (DER) that the authority published at this time.
    fn list(&self, published: OffsetDateTime) -> Vec<u8> {
        self.make_list(published, &self.listing.lock().unwrap())
    }

    fn make_list(&self, published: OffsetDateTime, _listing: &MutexGuard<'_, ()>) -> Vec<u8> {
        let folder = self.folder.path().into();
        let [last, next] = [published, published + Duration::days(7)].map(openssl_time);
        openssl(
            &folder,
            &[
                "ca",
                "-gencrl",
                "-config",
                "ca.conf",
                "-out",
                "list.pem",
                "-crl_lastupdate",
                &last,
                "-crl_nextupdate",
                &next,
            ],
        );
        openssl(&folder, &["crl", "-in", "list.pem", "-outform", "DER", "-out", "list.der"]);
        fs::read(self.folder.path().join("list.der")).unwrap()
    }

    /// The list after the authority's key was compromised at this time.
    fn compromised(&self, at: OffsetDateTime) -> Vec<u8> {
        let listing = self.listing.lock().unwrap();
        let path = self.folder.path().join("index.txt");
        let index = fs::read_to_string(&path).unwrap();
        // The index has years of two digits.
        let since = format!("\t{},keyCompromise\t", &openssl_time(at)[2..]);
        let revoked = index.replacen("V\t", "R\t", 1).replacen("\t\t", &since, 1);
        fs::write(&path, revoked).unwrap();
        let list = self.make_list(at + Duration::days(1), &listing);
        fs::write(path, index).unwrap();
        assert!(CertificateList::from_der(&list).unwrap().tbs_cert_list.revoked_certificates.is_some());
        list
    }
}

fn openssl(folder: &PathBuf, arguments: &[&str]) {
    let output = Command::new("openssl").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A photo with its log proof.
struct Taken {
    jpeg: Vec<u8>,
    proof: LogEvidence,
}

/// A day in the log.
struct Day {
    year: i32,
    token: Vec<u8>,
    bundle: Vec<u8>,
}

/// A renewal: the tree over the tokens that it renews, and its token. It renews the one before it first.
struct Renewal {
    at: OffsetDateTime,
    tree: RenewalTree,
    token: Vec<u8>,
    /// The bundle of the renewal before, which this one covers.
    bundle: Vec<u8>,
}

/// What stands after thirty years.
struct World {
    eras: Vec<Era>,
    /// The photo of each day.
    photos: Vec<Taken>,
    days: Vec<Day>,
    renewals: Vec<Renewal>,
    /// Another authority, whose certificate outlives everything.
    rival: Era,
}

/// The certificates of an authority and its list, beside one of its tokens.
fn bundle(era: &Era, token: &[u8], published: Option<OffsetDateTime>) -> Vec<u8> {
    let bundle = Bundle {
        token_sha256: *Sha256Digest::of(token).as_bytes(),
        certificates: era.authority.chain.iter().map(|certificate| certificate.to_der().unwrap()).collect(),
        lists: published.map(|at| era.list(at)).into_iter().collect(),
        answers: Vec::new(),
    };
    bundle.to_der().unwrap()
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    *Sha256Digest::of(bytes).as_bytes()
}

impl World {
    async fn new() -> Self {
        let eras: Vec<_> = (0..=YEARS).step_by(EVERY as usize).map(|opened| Era::of(opened, 6)).collect();
        let (mut photos, mut days) = (Vec::new(), Vec::new());
        let day = |year: i32, token: Vec<u8>, published| Day {
            year,
            bundle: bundle(&eras[(year / EVERY) as usize], &token, Some(published)),
            token,
        };
        for number in 0..PHOTOS {
            let at = year(0) - Duration::hours(number);
            let (taken, token) = photo(Sandbox::shared(), &eras[0], at).await;
            photos.push(taken);
            days.push(day(0, token, at + Duration::days(1)));
        }
        for since in (1..YEARS).step_by(3) {
            let (taken, token) = photo(lasting(), &eras[(since / EVERY) as usize], year(since)).await;
            photos.push(taken);
            days.push(day(since, token, year(since) + Duration::days(1)));
        }
        let mut renewals: Vec<Renewal> = Vec::new();
        for (place, era) in eras.iter().enumerate().skip(1) {
            let at = year(place as i32 * EVERY) + Duration::days(1);
            // In one year the authority before publishes no list in time.
            let listed = (place != WITHOUT_LISTS).then(|| at - Duration::days(1));
            let before = renewals.last().map(|renewal| renewal.token.clone());
            let bundled = before.as_ref().map(|token| bundle(&eras[place - 1], token, listed)).unwrap_or_default();
            let first = before.as_ref().map(|token| (sha256(token), sha256(&bundled)));
            let new = days.iter().filter(|day| day.year / EVERY + 1 == place as i32);
            let new = new.map(|day| (sha256(&day.token), sha256(&day.bundle)));
            let tree = RenewalTree::of(&first.into_iter().chain(new).collect::<Vec<_>>()).unwrap();
            let token = era.stamp(tree.root(), at);
            renewals.push(Renewal { at, tree, token, bundle: bundled });
        }
        Self { eras, photos, days, renewals, rival: Era::of(0, YEARS + 20) }
    }

    /// The evidence record of a day, with the renewals up to the given number.
    fn record(&self, number: usize, until: usize) -> ArchiveChain {
        let Day { year, token, .. } = &self.days[number];
        let mut chain = ArchiveChain::new(token.clone());
        let since = (year / EVERY) as usize;
        let neighbours = self.days[..number].iter().filter(|other| other.year / EVERY == year / EVERY).count();
        let mut place = neighbours + usize::from(since > 0);
        for renewal in self.renewals.get(since..until).unwrap_or_default() {
            chain.renew(renewal.tree.renewal(place, renewal.token.clone()).unwrap());
            place = 0;
        }
        chain
    }

    /// The bundles of a day's record: of its own timestamp, and of the renewals.
    fn bundles(&self, number: usize) -> Vec<Vec<u8>> {
        let Day { year, bundle, .. } = &self.days[number];
        let later = self.renewals[(year / EVERY) as usize..].iter().skip(1).map(|renewal| renewal.bundle.clone());
        std::iter::once(bundle.clone()).chain(later).collect()
    }

    /// The evidence record of the rival's timestamp over the checkpoint of a photo.
    fn rivals_record(&self, photo: usize) -> Vec<u8> {
        let text = LogProof::of_file(&self.photos[photo].proof.proof).unwrap().checkpoint.text;
        ArchiveChain::new(self.rival.stamp(sha256(text.as_bytes()), year(0))).to_der().unwrap()
    }

    fn judge(
        &self,
        photo: usize,
        records: impl IntoIterator<Item = Vec<u8>>,
        bundles: Vec<Vec<u8>>,
        at: OffsetDateTime,
    ) -> Report {
        self.judge_with(photo, records, bundles, at, &[])
    }

    fn judge_with(
        &self,
        photo: usize,
        records: impl IntoIterator<Item = Vec<u8>>,
        bundles: Vec<Vec<u8>>,
        at: OffsetDateTime,
        lists: &[Vec<u8>],
    ) -> Report {
        let Taken { jpeg, proof } = &self.photos[photo];
        let roots = self.eras.iter().chain([&self.rival]).map(|era| era.authority.anchors_pem.clone());
        let roots = roots.chain([Sandbox::shared(), lasting()].map(|sandbox| sandbox.anchors_pem.clone()));
        let anchors = Anchors::from_pem(&roots.collect::<String>()).unwrap();
        let mut revocations = Revocations::default();
        bundles
            .iter()
            .filter_map(|der| Bundle::parse(der).ok())
            .for_each(|bundle| revocations.add_bundle(&bundle).unwrap());
        lists.iter().for_each(|list| revocations.add_list(list).unwrap());
        let bundles = bundles.iter().map(|der| BundleFile::parse(der).unwrap()).collect();
        let log = LogEvidence { records: records.into_iter().collect(), bundles, ..proof.clone() };
        let requirements = Requirements { log: Some(log), ..Requirements::of(lacre_domain::Environment::Sandbox) };
        check_with(jpeg, &anchors, &revocations, &requirements, at).report
    }
}

/// A photo without timestamps of its own, in a log whose checkpoint the authority dated, and the token.
async fn photo(signers: &Sandbox, era: &Era, at: OffsetDateTime) -> (Taken, Vec<u8>) {
    let signed = signers.seal(&synthetic(240, 240, false), &facts_at(at)).await;
    let log = Log::new();
    let mut token = Vec::new();
    let proof = log.prove_since(&signed.manifest, |text| {
        token = era.stamp(sha256(text), at + Duration::hours(1));
        token.clone()
    });
    let proof = LogEvidence::new(proof.to_string().into_bytes(), log.key);
    (Taken { jpeg: signed.jpeg, proof }, token)
}

/// Signers whose certificates are valid for all thirty years.
fn lasting() -> &'static Sandbox {
    static LASTING: OnceLock<Sandbox> = OnceLock::new();
    LASTING.get_or_init(|| {
        let ca = Ca::new();
        let usage = "keyUsage=critical,digitalSignature,nonRepudiation\n";
        let claim = "extendedKeyUsage=1.3.6.1.4.1.62558.2.1,emailProtection\nauthorityKeyIdentifier=keyid\n";
        let seal = "extendedKeyUsage=clientAuth,emailProtection\n";
        ca.issue("root", "seal", RSA, &format!("{usage}{seal}"), "10", year(YEARS));
        ca.issue("root", "claim", P_256, &format!("{usage}{claim}"), "11", year(YEARS));
        let (root, mut profile) = (ca.read("root.pem"), Sandbox::shared().profile.clone());
        profile.seal.chain_pem = ca.read("seal.pem") + &root;
        profile.claim.chain_pem = ca.read("claim.pem");
        Sandbox {
            profile,
            rsa: RsaKey(ca.key("seal")),
            ec: EcKey(p256::ecdsa::SigningKey::from_pkcs8_pem(&ca.read("claim.key")).unwrap()),
            anchors_pem: root.clone(),
            claim_anchor_pem: root.clone(),
            seal_anchor_pem: root,
        }
    })
}

fn failed(report: &Report) -> Vec<(&str, &str)> {
    let failed = report.checks.iter().filter_map(|check| Some((check.name, check.fault.as_deref()?)));
    failed.collect()
}

/// One world for all tests, because thirty years take some seconds to make.
fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| Builder::new_current_thread().build().unwrap().block_on(World::new()))
}

fn end() -> OffsetDateTime {
    year(YEARS)
}

#[test]
fn photos_verify_after_thirty_years() {
    let world = world();
    for photo in 0..world.photos.len() {
        let record = world.record(photo, world.renewals.len());
        let der = record.to_der().unwrap();
        keep_for_other_judges(world, photo, &record);
        let report = world.judge(photo, Some(der), world.bundles(photo), end());
        assert_eq!(failed(&report), [], "{report}");
        let entry = report.transparency_log.as_ref().unwrap();
        assert_eq!(entry.renewals.len(), record.timestamps().len() - 1);
        assert!(entry.renewals.iter().all(|renewal| renewal.holds), "{report}");
        // The proof depends on the last authority's certificate.
        let last = report.holds_until.as_ref().unwrap();
        assert_eq!(last.certificate, format!("CN=tsa {}", YEARS / EVERY * EVERY));
        let good = report.revocations.iter().filter(|known| known.status == RevocationStatus::Good).count();
        assert!(good > 0, "the bundles' lists count: {report}");
        let lines = report.to_string();
        assert_eq!(lines.matches("Timestamp renewed at").count(), entry.renewals.len(), "{lines}");
    }
}

/// Writes what the log's timestamp covers, and the record, to the folder `LACRE_EVIDENCE_DIR`, if that is set
/// (`lab/scripts/judge-evidence-records`). Of each timestamp it writes the token, the SHA-256 that it has to cover, its root
/// with its revocation list, and the time of the next timestamp, in seconds since the Unix epoch.
fn keep_for_other_judges(world: &World, photo: usize, record: &ArchiveChain) {
    let Some(folder) = std::env::var_os("LACRE_EVIDENCE_DIR").map(PathBuf::from) else { return };
    let write = |name: String, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let text = LogProof::of_file(&world.photos[photo].proof.proof).unwrap().checkpoint.text;
    write(format!("{photo}.ers"), &record.to_der().unwrap());
    let imprints = record.imprints(sha256(text.as_bytes())).unwrap();
    for (place, timestamp) in record.timestamps().iter().enumerate() {
        let file = |ending: &str| format!("{photo}-{place}.{ending}");
        let place_of_all = (world.days[photo].year / EVERY) as usize + place;
        let next = world.renewals.get(place_of_all).map_or(end(), |renewal| renewal.at);
        let era = &world.eras[place_of_all];
        let list = openssl_pem(&era.list(next - Duration::days(1)));
        write(file("tst"), &timestamp.token);
        write(file("sha256"), hex::encode(imprints[place]).as_bytes());
        write(file("pem"), format!("{}{list}", era.authority.anchors_pem).as_bytes());
        write(file("next"), next.unix_timestamp().to_string().as_bytes());
    }
    write(format!("{photo}.text"), text.as_bytes());
}

/// A revocation list in PEM.
fn openssl_pem(list: &[u8]) -> String {
    let lines: String = BASE64_STANDARD
        .encode(list)
        .as_bytes()
        .chunks(64)
        .flat_map(|line| [line, b"\n"])
        .flatten()
        .map(|byte| char::from(*byte))
        .collect();
    format!("-----BEGIN X509 CRL-----\n{lines}-----END X509 CRL-----\n")
}

#[test]
fn without_its_record_the_proof_has_expired() {
    let world = world();
    let report = world.judge(0, None, Vec::new(), end());
    let failed: Vec<_> = failed(&report).into_iter().map(|(name, _)| name).collect();
    assert_eq!(failed, ["claim certificate", "seal certificate", "log timestamp"], "{report}");
    let early = world.judge(0, None, Vec::new(), year(5));
    assert!(early.valid, "the log's timestamp covers signatures whose certificates have expired: {early}");
}

#[test]
fn a_late_renewal_does_not_count() {
    let world = world();
    let Day { token, bundle, .. } = &world.days[0];
    let tree = RenewalTree::of(&[(sha256(token), sha256(bundle))]).unwrap();
    // The first authority's certificate ends in year 6.
    let mut chain = ArchiveChain::new(token.clone());
    chain.renew(tree.renewal(0, world.eras[2].stamp(tree.root(), year(8))).unwrap());
    let report = world.judge(0, Some(chain.to_der().unwrap()), Vec::new(), year(9));
    let names: Vec<_> = failed(&report).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["claim certificate", "seal certificate", "log timestamp"], "{report}");
}

#[test]
fn a_compromise_counts_from_the_next_renewal() {
    let world = world();
    let revoked = &world.eras[REVOKED];
    let next = world.renewals[REVOKED].at;
    let record = world.record(0, world.renewals.len()).to_der().unwrap();
    for (days, fails) in [(-30, true), (30, false)] {
        let list = revoked.compromised(next + Duration::days(days));
        let report = world.judge_with(0, Some(record.clone()), Vec::new(), end(), &[list]);
        let expected: &[_] = if fails { &["renewals revocation"] } else { &[] };
        let names: Vec<_> = failed(&report).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, expected, "compromised {days} days after the next renewal: {report}");
        assert!(report.revocations.iter().any(|known| known.status == RevocationStatus::Revoked));
    }
}

/// One record that holds suffices, whatever becomes of the other one's authority.
#[test]
fn a_second_record_survives_the_first() {
    let world = world();
    let first = world.record(0, world.renewals.len()).to_der().unwrap();
    let second = world.rivals_record(0);
    let [both, turned] = [[&first, &second], [&second, &first]].map(|records| records.map(Clone::clone).to_vec());
    let of_first = world.eras[REVOKED].compromised(world.renewals[REVOKED].at - Duration::days(30));
    let of_second = world.rival.compromised(year(5));
    let (renewed, single) = (world.renewals.len(), 0);
    // The records, the lists, and of the record that counts the number of renewals.
    for (records, lists, renewals, is_other_broken) in [
        (&both, vec![], renewed, false),
        (&turned, vec![], single, false),
        (&both, vec![&of_first], single, true),
        (&turned, vec![&of_first], single, true),
        (&both, vec![&of_second], renewed, true),
        (&turned, vec![&of_second], renewed, true),
        // The timestamp in the proof itself has expired.
        (&vec![second.clone()], vec![], single, true),
    ] {
        let lists: Vec<_> = lists.into_iter().cloned().collect();
        let report = world.judge_with(0, records.clone(), Vec::new(), end(), &lists);
        assert_eq!(failed(&report), [], "{report}");
        let entry = report.transparency_log.as_ref().unwrap();
        assert_eq!((entry.renewals.len(), entry.other_record_is_broken), (renewals, is_other_broken), "{report}");
        assert_eq!(report.to_string().contains("Another timestamp of this state"), is_other_broken, "{report}");
    }
    let report = world.judge_with(0, both, Vec::new(), end(), &[of_first, of_second]);
    let names: Vec<_> = failed(&report).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["renewals revocation"], "{report}");
    // A file that is no record of this checkpoint is refused, unless one that is holds.
    for other in [world.rivals_record(1), b"damaged".to_vec()] {
        // Its bundles are not missed.
        let bundles = vec![bundle(&world.rival, b"a token of the other record", None)];
        let report = world.judge(0, [first.clone(), other.clone()], bundles, end());
        assert_eq!(failed(&report), [], "{report}");
        assert!(report.transparency_log.as_ref().unwrap().other_record_is_broken, "{report}");
        let alone = world.judge(0, [other.clone()], Vec::new(), year(1));
        assert!(failed(&alone).iter().any(|(name, _)| *name == RENEWALS), "{alone}");
        let broken = world.judge(0, [first.clone(), other], Vec::new(), year(YEARS + 10));
        assert!(failed(&broken).iter().any(|(name, _)| *name == RENEWALS), "{broken}");
    }
}

/// Each alteration is refused, and the reason names it.
#[test]
fn what_was_altered_is_named() {
    let world = world();
    let all = world.renewals.len();
    let record = world.record(0, all);
    let altered = |change: &dyn Fn(&mut ArchiveChain)| {
        let mut record = record.clone();
        change(&mut record);
        record.to_der().unwrap()
    };
    let renewed = |chain: &ArchiveChain, places: &[usize]| {
        let (first, later) = chain.timestamps().split_first().unwrap();
        let mut chain = ArchiveChain::new(first.token.clone());
        places.iter().for_each(|place| chain.renew(later[*place].clone()));
        chain.to_der().unwrap()
    };
    let bundles = world.bundles(0);
    let one_byte = |mut bytes: Vec<u8>, place: usize| {
        bytes[place] ^= 1;
        bytes
    };
    /// What was altered, the record and the bundles, the check that fails, and why.
    type Altered = (&'static str, Vec<u8>, Vec<Vec<u8>>, &'static str, &'static str);
    let cases: Vec<Altered> = vec![
        ("a path", one_byte(record.to_der().unwrap(), hash_in(&record)), vec![], RENEWALS, "covers another timestamp"),
        ("no record", b"not a record".to_vec(), vec![], RENEWALS, "not an evidence record"),
        ("another photo's record", world.record(1, all).to_der().unwrap(), vec![], RENEWALS, "another checkpoint"),
        ("an omitted renewal", renewed(&record, &[0, 2, 3, 4, 5, 6]), vec![], RENEWALS, "renewal 2 "),
        ("renewals turned around", renewed(&record, &[1, 0, 2, 3, 4, 5, 6]), vec![], RENEWALS, "renewal 1 "),
        (
            "a renewal of another tree",
            altered(&|chain| {
                let tree = RenewalTree::of(&[([2; 32], [1; 32])]).unwrap();
                chain.renew(tree.renewal(0, world.eras[7].stamp(tree.root(), end())).unwrap());
            }),
            vec![],
            RENEWALS,
            "covers another timestamp",
        ),
        (
            "a renewal by a stranger",
            altered(&|chain| {
                let last = chain.timestamps().last().unwrap().token.clone();
                let tree = RenewalTree::of(&[(sha256(&last), [1; 32])]).unwrap();
                let stranger = Authority::shared();
                let request = TimestampRequest::new(tree.root(), [7; 16]).unwrap();
                let at = OffsetDateTime::now_utc();
                let answer = stranger.answer(request.der(), at, &NONE);
                let token = request.open(&answer, &stranger.anchors(), at).unwrap().der().to_vec();
                chain.renew(tree.renewal(0, token).unwrap());
            }),
            vec![],
            RENEWALS,
            "renewal 8: ",
        ),
        (
            "another day's bundle",
            record.to_der().unwrap(),
            vec![world.days[2].bundle.clone()],
            BUNDLES,
            "another timestamp",
        ),
        (
            "another list in a bundle",
            record.to_der().unwrap(),
            vec![bundle(&world.eras[0], &world.days[0].token, None)],
            BUNDLES,
            "not the one that renewal 1 covers",
        ),
    ];
    for (what, record, given, name, why) in cases {
        let report = world.judge(0, Some(record), given, end());
        let found = failed(&report);
        let fault = found.iter().find(|(failed, _)| *failed == name).unwrap_or_else(|| panic!("{what}: {report}")).1;
        assert!(fault.contains(why), "{what}: {fault}");
    }
    let whole = world.judge(0, Some(record.to_der().unwrap()), bundles, end());
    assert_eq!(failed(&whole), []);
}

/// The place in the record's bytes of a hash that its first renewal's path begins with.
fn hash_in(record: &ArchiveChain) -> usize {
    let hash =
        record.timestamps()[1].path[0].iter().find(|hash| **hash == sha256(&record.timestamps()[0].token)).unwrap();
    let der = record.to_der().unwrap();
    der.windows(32).position(|bytes| bytes == hash).unwrap()
}

#[test]
fn an_ended_chain_has_expired() {
    let world = world();
    let record = world.record(0, world.renewals.len()).to_der().unwrap();
    let report = world.judge(0, Some(record), Vec::new(), year(YEARS + 10));
    let found = failed(&report);
    let names: Vec<_> = found.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["claim certificate", "seal certificate", "log timestamp", RENEWALS], "{report}");
    assert!(found[3].1.starts_with("renewal 7: "), "{report}");
    assert!(report.to_string().contains("A certificate expired before the moment judged"), "{report}");
}
