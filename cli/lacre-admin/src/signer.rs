//! `lacre-admin signer …`

use std::{fs, path::Path, path::PathBuf};

use administration::signer::{
    CertificateView, EnvironmentView, HalfView, SealImport, SealMaterial, SignerAdministration, Standing,
    doctor::{self, Finding, Status, Trial},
};
use aws::WrappingKey;
use clap::Subcommand;
use domain::{Environment, SignaturePolicy, Timestamping};
use proof::{PolicyStanding, published_policy};
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    failure::Failure,
    options::environment,
    output::{Details, Output, Table, word},
};

const PASSWORD: &str = "LACRE_PFX_PASSWORD";
const STACK: &str = "STACK_NAME";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Imports an ICP-Brasil A1 certificate with its key, and seals with it from then on.
    #[command(after_help = "\
The password is asked for, or taken from the environment variable LACRE_PFX_PASSWORD, which may be empty. Nothing is changed
unless everything holds: dates, chain, key usage, policy, and that the key in KMS signs as the certificate says.
A chain of ICP-Brasil signs for live alone: stag and sand refuse one that ends in a root of --icp-brasil-roots, or in a root
whose common name begins with \"Autoridade Certificadora Raiz Brasileira\".

Examples:
  lacre-admin signer import-a1 company.pfx --environment live --icp-brasil-roots icp-brasil.pem
  lacre-admin signer import-a1 test.pfx --environment sand --chain issuers.pem")]
    ImportA1 {
        /// The PFX (PKCS#12) file: one private key, its certificate, and the certificates above it.
        file: PathBuf,
        /// The environment that seals with it: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// Certificates that the file lacks, in PEM, in any order.
        #[arg(long, value_name = "FILE.pem")]
        chain: Option<PathBuf>,
        /// ICP-Brasil's root certificates in PEM: the chain is ICP-Brasil's when it ends in one of them. The file may lack it.
        #[arg(long, value_name = "FILE.pem")]
        icp_brasil_roots: Option<PathBuf>,
        /// The signature policy.
        #[arg(long, value_name = "NAME", default_value = "AD-RB v2.4", value_parser = policy)]
        policy: SignaturePolicy,
        /// The stack whose function may use the key. Without it: STACK_NAME.
        #[arg(long, value_name = "NAME")]
        stack: Option<String>,
        /// Lets production seal with a certificate that is not ICP-Brasil's.
        #[arg(long)]
        allow_development: bool,
    },
    /// Prints a certificate request (PKCS#10) for the key that signs C2PA claims.
    #[command(after_help = "\
Example:
  lacre-admin signer request-claim-certificate --environment live --subject 'C=BR,O=Company,CN=Company Photo' > claim.csr")]
    RequestClaimCertificate {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// Whose certificate it will be.
        #[arg(long, value_name = "C=BR,O=…,CN=…")]
        subject: String,
        /// The P-256 key in KMS. Without it: the stack's own claim key, PRODUCTION_CLAIM_KEY_ARN or another
        /// environment's; or else the one that the environment signs with.
        #[arg(long, value_name = "ARN")]
        key_arn: Option<String>,
    },
    /// Installs the certificate that signs C2PA claims from then on.
    #[command(after_help = "\
A certificate that C2PA validators refuse is refused. Other deviations from C2PA's profile for assurance level 1 are warnings
of `signer doctor`.

Example:
  lacre-admin signer install-claim-certificate claim-chain.pem --environment live")]
    InstallClaimCertificate {
        /// The certificate and those above it in PEM, in order. A root at the end is left out.
        file: PathBuf,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The key that it is for. Without it: the stack's own claim key, PRODUCTION_CLAIM_KEY_ARN or another environment's;
        /// or else the one that the environment signs with.
        #[arg(long, value_name = "ARN")]
        key_arn: Option<String>,
    },
    /// Names the timestamp authorities that say when signatures were made, from then on.
    #[command(after_help = "\
Each authority is asked for a real timestamp first.

Examples:
  lacre-admin signer timestamps --environment live --tsa-url https://act.example.com/ --roots icp-brasil.pem
  lacre-admin signer timestamps --environment live --tsa-url @act-with-password.txt --roots icp-brasil.pem
  lacre-admin signer timestamps --environment sand --none")]
    Timestamps {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The address of an authority (RFC 3161 over HTTP). Repeat it for more, in order of preference. An address with a
        /// user and a password belongs in a file, because every user of the machine can read arguments.
        #[arg(long, value_name = "URL|@FILE", value_parser = address, required_unless_present = "none", requires = "roots")]
        tsa_url: Vec<String>,
        /// The root certificates in PEM that the authorities' certificates must lead to.
        #[arg(long, value_name = "FILE.pem", requires = "tsa_url")]
        roots: Option<PathBuf>,
        /// The policy of ICP-Brasil signatures that carry a timestamp.
        #[arg(long, value_name = "NAME", default_value = "AD-RT v2.4", value_parser = timestamped_policy)]
        policy: SignaturePolicy,
        /// Takes the authorities away.
        #[arg(long, conflicts_with_all = ["tsa_url", "roots", "policy"])]
        none: bool,
    },
    /// Shows who signs, with which keys, and for how long yet.
    #[command(after_help = "\
Examples:
  lacre-admin signer show
  lacre-admin signer show --environment live --version 3")]
    Show {
        /// One environment alone: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Option<Environment>,
        /// Who signed under this version of the profile, which evidence names, instead of the one in force.
        #[arg(long, value_name = "N", requires = "environment")]
        version: Option<u32>,
    },
    /// Checks everything that signing needs, changes nothing, and states how to fix a fault.
    #[command(after_help = "\
The exit code is 1 when signing is broken.

Example:
  lacre-admin signer doctor --environment live --json
  lacre-admin signer doctor --environment live --tsa-url https://act.example.com/ --tsa-roots icp-brasil.pem")]
    Doctor {
        /// One environment alone: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Option<Environment>,
        /// A timestamp authority to try before it is in force; may be given several times.
        #[arg(long, value_name = "URL|@FILE", value_parser = address, requires = "tsa_roots")]
        tsa_url: Vec<String>,
        /// The root certificates in PEM that its certificate must lead to.
        #[arg(long, value_name = "FILE.pem", requires = "tsa_url")]
        tsa_roots: Option<PathBuf>,
    },
}

/// Runs a command on the keys of a stack, if the environment names one.
pub(crate) async fn run(
    command: Command,
    signer: &SignerAdministration,
    named_stack: &str,
    output: &Output,
) -> Result<(), Failure> {
    match command {
        Command::ImportA1 { file, environment, chain, icp_brasil_roots, policy, stack, allow_development } => {
            let stack = stack.unwrap_or_else(|| named_stack.to_owned());
            if stack.is_empty() {
                return Err(Failure::Usage(format!("the stack is not named: --stack, or {STACK}")));
            }
            let roots = icp_brasil_roots.as_deref().map(read_text).transpose()?;
            let chain = chain.as_deref().map(read_text).transpose()?;
            let import = SealImport {
                environment,
                stack,
                policy,
                icp_brasil_roots_pem: roots,
                allow_development,
                wrapping: WrappingKey::default(),
            };
            let pfx = Zeroizing::new(fs::read(&file).map_err(|error| unreadable(&file, &error))?);
            let more: Vec<&str> = chain.iter().chain(&import.icp_brasil_roots_pem).map(String::as_str).collect();
            let material = SealMaterial::from_pfx(&pfx, &password()?, &more)?;
            let imported = signer.import_seal(&material, &import).await?;
            output.show(&imported, Details::of(&imported))
        }
        Command::RequestClaimCertificate { environment, subject, key_arn } => {
            let asked = signer.request_claim_certificate(environment, &subject, key_arn.as_deref()).await;
            let (key_arn, request) = asked?;
            // Beside the request, which is all that goes to standard output.
            eprintln!("lacre-admin: the request is for the key {key_arn}");
            output.show(&json!({ "key_arn": key_arn, "request_pem": request }), request)
        }
        Command::InstallClaimCertificate { file, environment, key_arn } => {
            let chain = read_text(&file)?;
            let standing = signer.install_claim_certificate(environment, &chain, key_arn.as_deref()).await?;
            report_standing(environment, standing, output)
        }
        Command::Show { environment, version } => {
            let views = match environment.zip(version) {
                Some((environment, version)) => vec![signer.overview_of_version(environment, version).await?],
                None => signer.overview(environment).await?,
            };
            output.show(&json!({ "environments": views }), overview(&views))
        }
        Command::Timestamps { environment, tsa_url, roots, policy, none: _ } => {
            let roots = roots.as_deref().map(read_text).transpose()?;
            let timestamps = roots.map(|roots_pem| Timestamping { authorities: tsa_url, roots_pem, policy });
            let standing = signer.set_timestamps(environment, timestamps).await?;
            report_standing(environment, standing, output)
        }
        Command::Doctor { environment, tsa_url, tsa_roots } => {
            let roots = tsa_roots.as_deref().map(read_text).transpose()?;
            let trial = roots.map(|roots_pem| Trial { authorities: tsa_url, roots_pem });
            examine(environment, trial.as_ref(), signer, output).await
        }
    }
}

async fn examine(
    environment: Option<Environment>,
    trial: Option<&Trial>,
    signer: &SignerAdministration,
    output: &Output,
) -> Result<(), Failure> {
    let findings = signer.examine(environment, trial).await;
    let healthy = doctor::is_healthy(&findings);
    let text: String = findings.iter().map(finding).collect();
    output.show(&json!({ "healthy": healthy, "findings": findings }), text)?;
    match healthy {
        true => Ok(()),
        false => Err(Failure::Stopped("something that signing needs is broken".into())),
    }
}

fn finding(finding: &Finding) -> String {
    let status = match finding.status {
        Status::Ok => "ok     ",
        Status::Warning => "WARNING",
        Status::Broken => "BROKEN ",
    };
    let environment = finding.environment.map(|environment| format!("{} ", environment.name())).unwrap_or_default();
    let fix = finding.fix.as_ref().map(|fix| format!("         fix: {fix}\n")).unwrap_or_default();
    format!("{status}  {environment}{}: {}\n{fix}", finding.check, finding.detail)
}

fn report_standing(environment: Environment, standing: Standing, output: &Output) -> Result<(), Failure> {
    let for_people = match standing {
        Standing::InForce { version } => format!("version {version} of the signer profile is in force"),
        Standing::Draft => {
            "kept until both halves are there: signer import-a1, signer install-claim-certificate".into()
        }
    };
    let shown = json!({ "environment": environment, "installed": standing });
    output.show(&shown, format!("{}: {for_people}\n", word(&environment)))
}

fn overview(views: &[EnvironmentView]) -> Table {
    let nothing = || "-".to_owned();
    let mut table = Table::new(["ENVIRONMENT", "VERSION", "SIGNER", "DAYS LEFT", "UNTIL", "KEY", "SUBJECT"]);
    for view in views {
        let version = view.version.map_or_else(|| "none yet".to_owned(), |version| version.to_string());
        let mut row = |signer: &str, [days_left, until, key, subject]: [String; 4]| {
            table.row([word(&view.environment), version.clone(), signer.to_owned(), days_left, until, key, subject]);
        };
        let halves = [("seal", &view.seal), ("claim", &view.claim)];
        for (name, half) in halves.into_iter().filter_map(|(name, half)| Some((name, half.as_ref()?))) {
            half.certificates.iter().for_each(|certificate| row(name, end(certificate, key_id(half))));
        }
        if let Some(timestamps) = &view.timestamps {
            // Where the key is, is all that is known of it.
            let places = timestamps.authorities.iter().cloned();
            places.for_each(|place| row("timestamps", [nothing(), nothing(), place, nothing()]));
            timestamps.roots.iter().for_each(|root| row("timestamps", end(root, "-")));
        }
        if view.seal.is_none() && view.claim.is_none() && view.timestamps.is_none() {
            row("-", [nothing(), nothing(), nothing(), nothing()]);
        }
    }
    table
}

/// The cells with a certificate's expiry.
fn end(certificate: &CertificateView, key: &str) -> [String; 4] {
    let CertificateView { subject, not_after, days_left } = certificate;
    [days_left.to_string(), not_after.date().to_string(), key.to_owned(), subject.clone()]
}

/// The end of a key's ARN, which names it within the account.
fn key_id(half: &HalfView) -> &str {
    half.key_arn.rsplit_once('/').map_or(half.key_arn.as_str(), |(_, id)| id)
}

/// An address, or what a file says.
fn address(text: &str) -> Result<String, String> {
    match text.strip_prefix('@') {
        Some(path) => {
            fs::read_to_string(path).map(|text| text.trim().to_owned()).map_err(|error| format!("{path}: {error}"))
        }
        None => Ok(text.to_owned()),
    }
}

fn policy(name: &str) -> Result<SignaturePolicy, String> {
    let found = published_policy(name).filter(|policy| PolicyStanding::of(policy).is_ok());
    found.ok_or_else(|| "one of \"AD-RB v2.4\", \"AD-RB v2.3\"".to_owned())
}

fn timestamped_policy(name: &str) -> Result<SignaturePolicy, String> {
    let found = published_policy(name).filter(|policy| PolicyStanding::of_timestamped(policy).is_ok());
    found.ok_or_else(|| "the one there is: \"AD-RT v2.4\"".to_owned())
}

/// The file's password: from the environment, or from the person. Never an argument, which everybody on the machine sees.
fn password() -> Result<Zeroizing<String>, Failure> {
    match std::env::var(PASSWORD) {
        Ok(password) => Ok(Zeroizing::new(password)),
        Err(_) => rpassword::prompt_password("Password of the file: ")
            .map(Zeroizing::new)
            .map_err(|error| Failure::Usage(format!("the password cannot be asked for ({error}): set {PASSWORD}"))),
    }
}

fn read_text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}
