//! Writes a photo with what proves it for decades, for tests of the verification page: an OCSP response in the manifest, a
//! log proof, two evidence records, and evidence bundles, good and bad ones. `openssl` runs the authorities.
//!
//! `cargo run -p lacre-verify --example evidence -- FOLDER`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{fs, path::PathBuf};

use lacre_proof::{
    TimestampRequest, Timestamps,
    archive::{ArchiveChain, RenewalTree},
    bundle::Bundle,
};
use lacre_proof_fixtures::{
    authority::{Authority, NONE},
    ca::{RSA, SETTINGS, hours, index_time},
    facts_at,
    log::Log,
    stapling::Stapling,
    synthetic,
};
use lacre_transparency::Sha256Digest;
use serde_json::json;
use time::OffsetDateTime;

const STAMPS: &str = "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature,nonRepudiation";

/// The serial number and name of the timestamp authority's certificate.
const STAMPING: (&str, &str) = ("3E", "tsa");

/// The hours from now at which the log's checkpoint is dated and its timestamp renewed, and the time of the check.
const DATED: i64 = 1;
const RENEWED: i64 = 48;
const CHECKED: i64 = 96;

/// A timestamp authority below the root of `ca`, and a claim signer whose certificate names an OCSP responder.
struct Authorities {
    stapling: Stapling,
    stamping: Authority,
}

impl Authorities {
    fn new() -> Self {
        let stapling = Stapling::new();
        let (ca, (serial, name)) = (&stapling.ca, STAMPING);
        ca.issue("root", name, RSA, STAMPS, serial, hours(720));
        let stamping = Authority { key: ca.key(name), chain: vec![ca.load(name)], anchors_pem: ca.read("root.pem") };
        Self { stapling, stamping }
    }

    /// The revocation list (DER) that the root published at this time.
    fn list(&self, published: OffsetDateTime, revoked: Option<(&str, OffsetDateTime, &str)>) -> Vec<u8> {
        self.stapling.ca.index(&[STAMPING], revoked);
        self.stapling.ca.write("list.conf", SETTINGS);
        let [last, next] = [published, published + time::Duration::days(7)].map(index_time);
        let make = ["ca", "-gencrl", "-config", "list.conf", "-out", "list.pem"];
        self.stapling.ca.openssl(&[&make[..], &["-crl_lastupdate", &last, "-crl_nextupdate", &next]].concat());
        self.stapling.ca.openssl(&["crl", "-in", "list.pem", "-outform", "DER", "-out", "list.der"]);
        fs::read(self.stapling.ca.path("list.der")).unwrap()
    }

    /// The statement of the responder, at this time, that the claim certificate is good.
    fn answer(&self, at: OffsetDateTime) -> Vec<u8> {
        self.stapling.ca.signed("responder", at, vec![self.stapling.ca.good("issuing", "claim", at)], None)
    }
}

fn stamp(authority: &Authority, imprint: [u8; 32], at: OffsetDateTime) -> Vec<u8> {
    let request = TimestampRequest::new(imprint, [7; 16]).unwrap();
    let answer = authority.answer(request.der(), at, &NONE);
    request.open(&answer, &authority.anchors(), at).unwrap().der().to_vec()
}

/// The bundle (DER) of a token, with what the authorities say.
fn bundle(token: &[u8], lists: Vec<Vec<u8>>, answers: Vec<Vec<u8>>) -> Vec<u8> {
    Bundle { lists, answers, ..Bundle::of(token).unwrap() }.to_der().unwrap()
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    *Sha256Digest::of(bytes).as_bytes()
}

#[tokio::main]
async fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("usage: evidence FOLDER"));
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let authorities = Authorities::new();
    let Authorities { stapling, stamping } = &authorities;
    let sandbox = &stapling.sandbox;
    let [dated, renewed, checked] = [DATED, RENEWED, CHECKED].map(hours);

    stapling.ca.index(&Stapling::CERTIFICATES, None);
    let staple = stapling.answer("600");
    let frame = synthetic(320, 240, false);
    let signed = sandbox.seal_stapled(&frame, &facts_at(hours(0)), Timestamps::None, Some(&staple)).await.unwrap();

    let log = Log::new();
    let mut text = Vec::new();
    let mut token = Vec::new();
    let proof = log.prove_since(&signed.manifest, |checkpoint| {
        text = checkpoint.to_vec();
        token = stamp(stamping, sha256(checkpoint), dated);
        token.clone()
    });
    let later = dated + time::Duration::hours(2);
    let of_day = bundle(&token, vec![authorities.list(later, None)], vec![authorities.answer(later)]);
    let tree = RenewalTree::of(&[(sha256(&token), sha256(&of_day)), ([1; 32], [2; 32])]).unwrap();
    let renewal = stamp(stamping, tree.root(), renewed);
    let mut record = ArchiveChain::new(token.clone());
    record.renew(tree.renewal(0, renewal.clone()).unwrap());
    let second = stamp(Authority::shared(), sha256(&text), dated);

    write("photo.jpg", &signed.jpeg);
    write("photo.tlog-proof", proof.to_string().as_bytes());
    write("photo.ers", &record.to_der().unwrap());
    write("photo-second.ers", &ArchiveChain::new(second.clone()).to_der().unwrap());
    write("dated.p7b", &of_day);
    write("dated-second.p7b", &bundle(&second, vec![], vec![]));
    write("renewals-1.p7b", &bundle(&renewal, vec![authorities.list(checked, None)], vec![]));
    // The last renewal's bundle is covered by nothing yet, so it may say something else. The timestamp before that renewal
    // is older than the compromise.
    let (serial, _) = STAMPING;
    let compromised = renewed + time::Duration::hours(1);
    let revoked = authorities.list(checked, Some((serial, compromised, "keyCompromise")));
    write("revoked.p7b", &bundle(&renewal, vec![revoked], vec![]));
    write("another-list.p7b", &bundle(&token, vec![authorities.list(checked, None)], vec![]));
    write("another-timestamp.p7b", &bundle(&stamp(stamping, [9; 32], dated), vec![], vec![]));
    write("roots.pem", sandbox.anchors_pem.as_bytes());
    let facts = json!({ "log_key": log.key.to_string(), "at": lacre_domain::clock::rfc3339(checked) });
    write("facts.json", facts.to_string().as_bytes());
}
