//! `openssl ts` as the authority: its responses are accepted for every type of key and digest, and `openssl ts` accepts
//! the token that is embedded in a proof.

use std::{fs, path::PathBuf, process::Command};

use der::asn1::OctetString;
use lacre_proof::{Anchors, TimestampRequest, Token, TokenFault};
use lacre_proof_fixtures::authority::{Authority, NONE, altered};
use rsa::pkcs8::DecodePrivateKey;
use time::OffsetDateTime;
use x509_cert::Certificate;

/// A directory with a root and authorities, made by `openssl`.
struct Bench(tempfile::TempDir);

const TIME_STAMPING: &str = "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature";

const SETTINGS: &str = "[tsa]\ndefault_tsa = here\n[here]\nserial = serial\ndefault_policy = 1.3.6.1.4.1.32473.3161\n\
    digests = sha256\naccuracy = secs:1, millisecs:500, microsecs:100\nordering = yes\ntsa_name = yes\n\
    ess_cert_id_chain = no\nclock_precision_digits = 3\n";

impl Bench {
    /// Creates a root. Authorities will refer to their certificates by the given hash.
    fn new(certificate_hash: &str) -> Self {
        let bench = Self(tempfile::tempdir().unwrap());
        fs::write(bench.path("ts.conf"), format!("{SETTINGS}ess_cert_id_alg = {certificate_hash}\n")).unwrap();
        let authority = "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign";
        bench.certificate("root", &["-newkey", "rsa:2048"], authority, None);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn openssl(&self, arguments: &[&str]) -> bool {
        let output = Command::new("openssl").args(arguments).current_dir(&self.0).output().unwrap();
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        }
        output.status.success()
    }

    /// Creates a certificate that is issued by the root or self-signed, and its key.
    fn certificate(&self, name: &str, key: &[&str], extensions: &str, issuer: Option<&str>) {
        fs::write(self.path("extensions"), extensions).unwrap();
        let (subject, key_file) = (format!("/C=BR/O=Test/CN={name}"), format!("{name}.key"));
        let request = ["req", "-new", "-nodes", "-subj", &subject, "-keyout", &key_file, "-out", "request"];
        assert!(self.openssl(&[&request[..], key].concat()));
        let issuer_key = format!("{}.key", issuer.unwrap_or(name));
        let issuer_certificate = issuer.map(|issuer| format!("{issuer}.pem"));
        let by = match &issuer_certificate {
            Some(certificate) => vec!["-CA", certificate, "-CAkey", &issuer_key, "-CAcreateserial"],
            None => vec!["-signkey", &issuer_key],
        };
        let out = format!("{name}.pem");
        let sign = ["x509", "-req", "-in", "request", "-days", "30", "-extfile", "extensions", "-out", &out];
        assert!(self.openssl(&[&sign[..], &by].concat()));
    }

    /// The response of the named authority, with the given digest over its signed attributes.
    fn answer(&self, request: &TimestampRequest, authority: &str, digest: &str) -> Vec<u8> {
        fs::write(self.path("query"), request.der()).unwrap();
        let (signer, key, digest) = (format!("{authority}.pem"), format!("{authority}.key"), format!("-{digest}"));
        let reply = ["ts", "-reply", "-config", "ts.conf", "-queryfile", "query", "-out", "answer"];
        assert!(self.openssl(&[&reply[..], &["-signer", &signer, "-inkey", &key, &digest]].concat()));
        fs::read(self.path("answer")).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// An authority in this process that uses a key and certificate of this directory.
    fn authority(&self, name: &str) -> Authority {
        let key = rsa::RsaPrivateKey::from_pkcs8_pem(&self.read(&format!("{name}.key"))).unwrap();
        Authority {
            key: rsa::pkcs1v15::SigningKey::new(key),
            chain: Certificate::load_pem_chain(self.read(&format!("{name}.pem")).as_bytes()).unwrap(),
            anchors_pem: self.read("root.pem"),
        }
    }

    fn ask(&self, authority: &str, digest: &str) -> Result<Token, TokenFault> {
        let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
        let anchors = Anchors::from_pem(&self.read("root.pem")).unwrap();
        request.open(&self.answer(&request, authority, digest), &anchors, OffsetDateTime::now_utc())
    }
}

#[test]
fn every_key_and_digest_is_accepted() {
    let bench = Bench::new("sha256");
    let p256 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
    let p384 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"];
    for (name, key, digests) in [
        ("rsa", &["-newkey", "rsa:2048"][..], &["sha256", "sha384", "sha512"][..]),
        ("p256", &p256, &["sha256", "sha384"]),
        ("p384", &p384, &["sha256", "sha384"]),
    ] {
        bench.certificate(name, key, TIME_STAMPING, Some("root"));
        for digest in digests {
            let token = bench.ask(name, digest).unwrap_or_else(|fault| panic!("{name} {digest}: {fault}"));
            fs::write(bench.path("token"), token.der()).unwrap();
            let digest = "07".repeat(32);
            let verify = ["ts", "-verify", "-token_in", "-in", "token", "-CAfile", "root.pem", "-digest", &digest];
            assert!(bench.openssl(&verify), "{name} {digest}");
        }
    }
}

#[test]
fn equivalent_ecdsa_signatures_are_embedded_alike() {
    let bench = Bench::new("sha256");
    bench.certificate("p256", &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"], TIME_STAMPING, Some("root"));
    let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
    let answer = bench.answer(&request, "p256", "sha256");
    let other = altered(&answer, |signer| {
        let signature = p256::ecdsa::Signature::from_der(signer.signature.as_bytes()).unwrap();
        let (r, s) = signature.split_scalars();
        let other = p256::ecdsa::Signature::from_scalars(r, -s).unwrap();
        signer.signature = OctetString::new(other.to_der().as_bytes()).unwrap();
    });
    assert_ne!(answer, other);
    let anchors = Anchors::from_pem(&bench.read("root.pem")).unwrap();
    let open = |answer: &[u8]| request.open(answer, &anchors, OffsetDateTime::now_utc()).unwrap();
    assert_eq!(open(&answer), open(&other));
}

/// For SHA-1, OpenSSL writes the older attribute `signingCertificate`.
#[test]
fn any_hash_may_name_the_certificate() {
    for hash in ["sha1", "sha384", "sha512"] {
        let bench = Bench::new(hash);
        bench.certificate("tsa", &["-newkey", "rsa:2048"], TIME_STAMPING, Some("root"));
        bench.ask("tsa", "sha256").unwrap_or_else(|fault| panic!("{hash}: {fault}"));
    }
}

#[test]
fn certificates_must_be_for_timestamps_only() {
    let bench = Bench::new("sha256");
    for (name, extensions) in [
        ("not-critical", "extendedKeyUsage=timeStamping\nkeyUsage=critical,digitalSignature"),
        ("two-usages", "extendedKeyUsage=critical,timeStamping,emailProtection\nkeyUsage=critical,digitalSignature"),
        ("no-usage", "keyUsage=critical,digitalSignature"),
        ("no-signatures", "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,keyEncipherment"),
        ("authority", "extendedKeyUsage=critical,timeStamping\nbasicConstraints=critical,CA:true"),
    ] {
        bench.certificate(name, &["-newkey", "rsa:2048"], extensions, Some("root"));
        // `openssl ts` refuses to sign with any of these certificates.
        let opened = bench.authority(name).stamp(b"a message", OffsetDateTime::now_utc(), &NONE);
        assert!(matches!(opened, Err(TokenFault::Certificate(_))), "{name}: {opened:?}");
    }
    bench.certificate("right", &["-newkey", "rsa:2048"], TIME_STAMPING, Some("root"));
    assert!(bench.authority("right").stamp(b"a message", OffsetDateTime::now_utc(), &NONE).is_ok());
}
