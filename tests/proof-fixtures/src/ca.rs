//! A certificate authority that runs `openssl` in a folder, and OCSP responses: made by `openssl`, or here where `openssl`
//! would not make them.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use der::{
    Any, Encode,
    asn1::{BitString, GeneralizedTime, Null, OctetString},
};
use rsa::pkcs8::DecodePrivateKey;
use sha2::{Digest, Sha256};
use signature::{SignatureEncoding, Signer};
use spki::AlgorithmIdentifierOwned;
use tempfile::TempDir;
use time::{Duration, OffsetDateTime, UtcOffset, macros::format_description};
use x509_cert::{Certificate, ext::Extension};
use x509_ocsp::{
    BasicOcspResponse, CertId, CertStatus, OcspGeneralizedTime, OcspResponse, ResponderId, ResponseData,
    SingleResponse, Version,
};

use crate::authority::{SHA_256_WITH_RSA, sha_256};

/// The settings of `openssl ca`.
pub const SETTINGS: &str = "[ca]\ndefault_ca = here\n[here]\ndatabase = index.txt\ncertificate = root.pem\n\
    private_key = root.key\ndefault_md = sha256\ndefault_crl_days = 7\ncrlnumber = crlnumber\nserial = serial\n\
    new_certs_dir = .\npolicy = names\n[names]\ncountryName = supplied\norganizationName = supplied\n\
    commonName = supplied\n";

/// Options of `openssl req` for a new RSA key.
pub const RSA: &[&str] = &["-newkey", "rsa:2048"];
/// Options of `openssl req` for a new P-256 key.
pub const P_256: &[&str] = &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

/// The folder of an authority `root` with an RSA key, and of others. Names refer to files in it, without extension.
pub struct Ca {
    folder: TempDir,
}

impl Ca {
    pub fn new() -> Self {
        let ca = Self { folder: tempfile::tempdir().unwrap() };
        ca.write("ca.conf", SETTINGS);
        ca.write("crlnumber", "01\n");
        ca.write("extensions", "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign");
        ca.request("root", RSA);
        let sign = ["x509", "-req", "-in", "req", "-signkey", "root.key", "-extfile", "extensions", "-out", "root.pem"];
        ca.openssl(&sign);
        ca
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub fn write(&self, file: &str, contents: &str) {
        fs::write(self.path(file), contents).unwrap();
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub fn openssl(&self, arguments: &[&str]) -> Output {
        let output = Command::new("openssl").args(arguments).current_dir(&self.folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn request(&self, name: &str, key: &[&str]) {
        let (subject, file) = (format!("/C=BR/O=Test/CN={name}"), format!("{name}.key"));
        let request = ["req", "-new", "-nodes", "-subj", &subject, "-keyout", &file, "-out", "req"];
        self.openssl(&[&request[..], key].concat());
    }

    /// Issues a certificate for a new RSA key under `root`, valid since yesterday.
    pub fn certificate(&self, name: &str, extensions: &str, serial: &str, ends: OffsetDateTime) {
        self.issue("root", name, RSA, extensions, serial, ends);
    }

    /// Issues a certificate for a new key, valid since yesterday.
    pub fn issue(&self, issuer: &str, name: &str, key: &[&str], extensions: &str, serial: &str, ends: OffsetDateTime) {
        self.write("extensions", extensions);
        self.write("serial", serial);
        self.write("index.txt", "");
        self.request(name, key);
        let (from, until, out) = (openssl_time(hours(-24)), openssl_time(ends), format!("{name}.pem"));
        let (by, by_key) = (format!("{issuer}.pem"), format!("{issuer}.key"));
        let sign = ["ca", "-batch", "-notext", "-config", "ca.conf", "-in", "req", "-extfile", "extensions"];
        let more = ["-cert", &by, "-keyfile", &by_key, "-startdate", &from, "-enddate", &until, "-out", &out];
        self.openssl(&[&sign[..], &more].concat());
    }

    /// Writes the index of `openssl ca`: the serial numbers and names of certificates, and which of them is revoked, since
    /// when, and why.
    pub fn index(&self, certificates: &[(&str, &str)], revoked: Option<(&str, OffsetDateTime, &str)>) {
        let ends = index_time(hours(720));
        let line = |(serial, name): &(&str, &str)| match revoked {
            Some((wanted, at, reason)) if wanted == *serial => {
                let comma = if reason.is_empty() { "" } else { "," };
                format!("R\t{ends}\t{}{comma}{reason}\t{serial}\tunknown\t/CN={name}\n", index_time(at))
            }
            _ => format!("V\t{ends}\t\t{serial}\tunknown\t/CN={name}\n"),
        };
        self.write("index.txt", &certificates.iter().map(line).collect::<String>());
    }

    /// The answer of `openssl ocsp` about a certificate, by the index. `options` are further ones of its command.
    pub fn answer(&self, issuer: &str, name: &str, responder: &str, options: &[&str]) -> Vec<u8> {
        let (by, about) = (format!("{issuer}.pem"), format!("{name}.pem"));
        self.openssl(&["ocsp", "-issuer", &by, "-cert", &about, "-reqout", "query", "-no_nonce"]);
        self.answer_to_query(issuer, responder, options)
    }

    /// The answer of `openssl ocsp` to the request in the file `query`, by the index.
    pub fn answer_to_query(&self, issuer: &str, responder: &str, options: &[&str]) -> Vec<u8> {
        let (by, signer, key) = (format!("{issuer}.pem"), format!("{responder}.pem"), format!("{responder}.key"));
        let reply = ["ocsp", "-index", "index.txt", "-CA", &by, "-reqin", "query", "-respout", "answer"];
        self.openssl(&[&reply[..], &["-rsigner", &signer, "-rkey", &key], options].concat());
        fs::read(self.path("answer")).unwrap()
    }

    pub fn key(&self, name: &str) -> rsa::pkcs1v15::SigningKey<Sha256> {
        let key = rsa::RsaPrivateKey::from_pkcs8_pem(&self.read(&format!("{name}.key"))).unwrap();
        rsa::pkcs1v15::SigningKey::new(key)
    }

    pub fn load(&self, name: &str) -> Certificate {
        Certificate::load_pem_chain(self.read(&format!("{name}.pem")).as_bytes()).unwrap().remove(0)
    }

    /// The statement "good" about a certificate, as of the given time.
    pub fn good(&self, issuer: &str, name: &str, at: OffsetDateTime) -> SingleResponse {
        let issuer = self.load(issuer).tbs_certificate;
        let hash = |bytes: &[u8]| OctetString::new(Sha256::digest(bytes).to_vec()).unwrap();
        SingleResponse {
            cert_id: CertId {
                hash_algorithm: sha_256(),
                issuer_name_hash: hash(&issuer.subject.to_der().unwrap()),
                issuer_key_hash: hash(issuer.subject_public_key_info.subject_public_key.raw_bytes()),
                serial_number: self.load(name).tbs_certificate.serial_number,
            },
            cert_status: CertStatus::good(),
            this_update: ocsp_time(at),
            next_update: None,
            single_extensions: None,
        }
    }

    /// A response that was produced at the given time and signed with the named responder's RSA key.
    pub fn signed(
        &self,
        responder: &str,
        produced_at: OffsetDateTime,
        responses: Vec<SingleResponse>,
        response_extensions: Option<Vec<Extension>>,
    ) -> Vec<u8> {
        let certificate = self.load(responder);
        let tbs_response_data = ResponseData {
            version: Version::V1,
            responder_id: ResponderId::ByName(certificate.tbs_certificate.subject.clone()),
            produced_at: ocsp_time(produced_at),
            responses,
            response_extensions,
        };
        let signature = self.key(responder).sign(&tbs_response_data.to_der().unwrap()).to_vec();
        let basic = BasicOcspResponse {
            tbs_response_data,
            signature_algorithm: AlgorithmIdentifierOwned { oid: SHA_256_WITH_RSA, parameters: Some(Any::from(Null)) },
            signature: BitString::from_bytes(&signature).unwrap(),
            certs: Some(vec![certificate]),
        };
        OcspResponse::successful(basic).unwrap().to_der().unwrap()
    }
}

pub fn hours(from_now: i64) -> OffsetDateTime {
    OffsetDateTime::now_utc() + Duration::hours(from_now)
}

pub fn ocsp_time(at: OffsetDateTime) -> OcspGeneralizedTime {
    let since_epoch = std::time::Duration::from_secs(at.unix_timestamp().unsigned_abs());
    OcspGeneralizedTime(GeneralizedTime::from_unix_duration(since_epoch).unwrap())
}

/// A time as the options of `openssl ca` have it.
pub fn openssl_time(at: OffsetDateTime) -> String {
    let format = format_description!("[year][month][day][hour][minute][second]Z");
    at.to_offset(UtcOffset::UTC).format(format).unwrap()
}

/// A time as the index of `openssl ca` has it, with a year of two digits.
pub fn index_time(at: OffsetDateTime) -> String {
    openssl_time(at)[2..].to_owned()
}
