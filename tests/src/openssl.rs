//! Certificates, requests and PFX files made with the `openssl` command, as other parties would make them.

use std::{path::PathBuf, process::Command};

use tempfile::TempDir;

/// The password of all PFX files.
pub const PASSWORD: &str = "a password of the tests, não é segredo";

/// Extensions of an e-CNPJ A1 certificate.
pub const A1: &str = "\
basicConstraints=CA:FALSE
keyUsage=critical,digitalSignature,nonRepudiation,keyEncipherment
extendedKeyUsage=clientAuth,emailProtection
certificatePolicies=2.16.76.1.2.1.12
subjectAltName=otherName:2.16.76.1.3.3;OCT:11222333000181
authorityKeyIdentifier=keyid
subjectKeyIdentifier=hash
";

/// The minimum extensions of a claim certificate that C2PA validators accept.
pub const CLAIM: &str = "\
keyUsage=critical,digitalSignature
extendedKeyUsage=1.3.6.1.4.1.62558.2.1,emailProtection
authorityKeyIdentifier=keyid
subjectKeyIdentifier=none
";

/// Extensions of a claim certificate of the C2PA profile for assurance level 1.
pub const CLAIM_LEVEL_1: &str = "\
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature,nonRepudiation
extendedKeyUsage=1.3.6.1.4.1.62558.2.1,1.3.6.1.5.5.7.3.36
certificatePolicies=1.3.6.1.4.1.62558.1.1,1.3.6.1.4.1.32473.1
authorityInfoAccess=OCSP;URI:http://ocsp.example.com/
crlDistributionPoints=URI:http://crl.example.com/claim.crl
1.3.6.1.4.1.62558.3=ASN1:OID:1.3.6.1.4.1.62558.3.10
1.3.6.1.4.1.62558.4=ASN1:UTF8String:0b0b1d7d-9a3c-4f0f-8a3e-5d2c1b0a9f8e
authorityKeyIdentifier=keyid
subjectKeyIdentifier=hash
";

const AUTHORITY: &str = "\
basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign,cRLSign
authorityKeyIdentifier=keyid
subjectKeyIdentifier=hash
";

/// A folder in which `openssl` runs. Names refer to files in it, without extension.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// Creates an empty folder.
    pub fn open() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The path of a file.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Reads a file as bytes.
    pub fn read(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.path(file)).unwrap()
    }

    /// Reads a file as text.
    pub fn text(&self, file: &str) -> String {
        String::from_utf8(self.read(file)).unwrap()
    }

    /// Writes a file.
    pub fn write(&self, file: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(file), contents).unwrap();
    }

    /// Runs an `openssl` command, given as words separated by spaces, which must succeed; returns its output.
    #[track_caller]
    pub fn openssl(&self, command: &str, more: &[&str]) -> String {
        let words = command.split(' ').chain(more.iter().copied());
        let output = Command::new("openssl").args(words).current_dir(self.folder.path()).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(output.status.success(), "openssl {command}: {said}");
        said
    }

    /// Generates a key, such as `rsa:2048` or `ec:P-384`.
    pub fn key(&self, name: &str, kind: &str) {
        let options = match kind.split_once(':').unwrap() {
            ("rsa", bits) => format!("-algorithm RSA -pkeyopt rsa_keygen_bits:{bits}"),
            (_, curve) => format!("-algorithm EC -pkeyopt ec_paramgen_curve:{curve}"),
        };
        self.openssl(&format!("genpkey {options} -out {name}.key"), &[]);
    }

    /// Creates a root CA with a new key.
    pub fn root(&self, name: &str, kind: &str) {
        self.root_called(name, name, kind);
    }

    /// The same with this common name.
    fn root_called(&self, name: &str, common_name: &str, kind: &str) {
        self.key(name, kind);
        self.write("root.ext", format!("[v3]\n{AUTHORITY}[req]\ndistinguished_name=dn\n[dn]\n"));
        let command =
            format!("req -x509 -new -key {name}.key -out {name}.pem -days 3650 -config root.ext -extensions v3");
        self.openssl(&command, &["-subj", &format!("/C=BR/O=ICP-Brasil/CN={common_name}")]);
    }

    /// Creates a CA with a new key under another CA.
    pub fn authority(&self, name: &str, kind: &str, issuer: &str) {
        self.key(name, kind);
        self.certificate(name, &format!("/C=BR/O=ICP-Brasil/CN={name}"), issuer, AUTHORITY, 3650);
    }

    /// Issues a certificate for an existing key.
    pub fn certificate(&self, name: &str, subject: &str, issuer: &str, says: &str, days: u32) {
        self.openssl(&format!("req -new -utf8 -key {name}.key -out {name}.csr"), &["-subj", subject]);
        self.sign(name, issuer, says, days);
    }

    /// Issues a certificate for an existing request.
    pub fn sign(&self, name: &str, issuer: &str, says: &str, days: u32) {
        self.write(&format!("{name}.ext"), says);
        let issuer = format!("-CA {issuer}.pem -CAkey {issuer}.key -CAcreateserial");
        self.openssl(
            &format!("x509 -req -in {name}.csr {issuer} -days {days} -extfile {name}.ext -out {name}.pem"),
            &[],
        );
    }

    /// A revocation list of a CA in DER, with this entry of the database of `openssl ca`, which may be empty. It is of now,
    /// and the next one is due after that many minutes.
    pub fn revocation_list(&self, issuer: &str, entry: &str, minutes: u32) -> Vec<u8> {
        self.write("list.txt", entry);
        let list = "[list]\ndatabase=list.txt\ndefault_md=sha256\ncrl_extensions=of_list\n";
        let extensions = "[of_list]\nauthorityKeyIdentifier=keyid\n";
        self.write("list.conf", format!("[ca]\ndefault_ca=list\n{list}{extensions}"));
        let signer = format!("-cert {issuer}.pem -keyfile {issuer}.key -crlsec {}", minutes * 60);
        self.openssl(&format!("ca -gencrl -config list.conf {signer} -out list.pem"), &[]);
        self.openssl("crl -in list.pem -outform DER -out list.crl", &[]);
        self.read("list.crl")
    }

    /// Concatenates certificates in this order.
    pub fn chain(&self, names: &[&str]) -> String {
        names.iter().map(|name| self.text(&format!("{name}.pem"))).collect()
    }

    /// Creates a PFX file with a key, its certificate, and other certificates in this order.
    pub fn pfx(&self, name: &str, others: &[&str], options: &str) -> Vec<u8> {
        self.write("others.pem", self.chain(others));
        let others = if others.is_empty() { "" } else { " -certfile others.pem" };
        let options = if options.is_empty() { String::new() } else { format!(" {options}") };
        let command = format!("pkcs12 -export -inkey {name}.key -in {name}.pem{others} -out {name}.pfx{options}");
        self.openssl(&command, &["-passout", &format!("pass:{PASSWORD}")]);
        self.read(&format!("{name}.pfx"))
    }
}

/// Creates a hierarchy like ICP-Brasil's: `root`, `issuing`, and the A1 certificate `company`.
pub fn icp_brasil_like() -> Bench {
    under_root_called("root")
}

/// The same under a root with this common name.
pub fn under_root_called(common_name: &str) -> Bench {
    let bench = Bench::open();
    bench.root_called("root", common_name, "rsa:2048");
    bench.authority("issuing", "rsa:2048", "root");
    bench.key("company", "rsa:2048");
    bench.certificate("company", "/C=BR/O=ICP-Brasil/CN=TEST COMPANY:11222333000181", "issuing", A1, 365);
    bench
}
