//! `lacre-admin signer …`

use std::{fs, path::Path, path::PathBuf, time::Duration};

use clap::Subcommand;
use lacre_administration::{
    Error,
    signer::{
        CertificateView, EnvironmentView, SealImport, SealMaterial, SignerAdministration, SignerView, SignersView,
        Standing,
        doctor::{self, Finding, Status, Trial},
    },
};
use lacre_domain::{Environment, SignaturePolicy, Timestamping};
use lacre_proof::{PolicyStanding, published_policy};
use lacre_storage::WrappingKey;
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    failure::Failure,
    options::environment,
    output::{Details, Output, Table, word},
    probe::Prober,
};

const PASSWORD: &str = "LACRE_PFX_PASSWORD";
const STACK: &str = "STACK_NAME";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Import an ICP-Brasil A1 certificate with its key, into the draft of the signer profile.
    #[command(after_help = "\
Captures are sealed with it after `signer activate`. The command reads the password from the terminal, or from the environment variable LACRE_PFX_PASSWORD, which may be \
empty. It checks dates, chain, key usage and policy, and that a test signature of the key in KMS verifies under the \
certificate, before it changes the draft.

An ICP-Brasil chain signs in live only: stag and sand refuse a chain that ends in a root of --icp-brasil-roots, or in a \
root whose common name begins with \"Autoridade Certificadora Raiz Brasileira\".

Examples:
  lacre-admin signer import-a1 company.pfx --environment live --icp-brasil-roots icp-brasil.pem
  lacre-admin signer import-a1 test.pfx --environment sand --chain issuers.pem")]
    ImportA1 {
        /// The PFX (PKCS#12) file, or its base64: one private key, its certificate and the issuers' certificates.
        file: PathBuf,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// Issuers' certificates that the PFX file does not contain (PEM, DER or .p7b), in any order.
        #[arg(long, value_name = "FILE.pem")]
        chain: Option<PathBuf>,
        /// ICP-Brasil's root certificates (PEM, DER or .p7b). A chain that ends in one of them is an ICP-Brasil chain.
        #[arg(long, value_name = "FILE.pem")]
        icp_brasil_roots: Option<PathBuf>,
        /// The signature policy.
        #[arg(long, value_name = "NAME", default_value = "AD-RB v2.4", value_parser = policy)]
        policy: SignaturePolicy,
        /// The stack whose function may use the key [default: STACK_NAME].
        #[arg(long, value_name = "NAME")]
        stack: Option<String>,
        /// Allow a certificate in live that ICP-Brasil did not issue.
        #[arg(long)]
        allow_development: bool,
    },
    /// Print a certificate request (PKCS#10) for the key that signs C2PA claims.
    #[command(after_help = "\
Example:
  lacre-admin signer request-claim-certificate --environment live \\
      --subject 'C=BR,O=Company,CN=Company Photo' > claim.csr")]
    RequestClaimCertificate {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The subject of the certificate.
        #[arg(long, value_name = "C=BR,O=…,CN=…")]
        subject: String,
        /// The P-256 key in KMS [default: the stack's claim key, for example PRODUCTION_CLAIM_KEY_ARN, or the current one].
        #[arg(long, value_name = "ARN")]
        key_arn: Option<String>,
    },
    /// Install the certificate that signs C2PA claims, into the draft of the signer profile.
    #[command(after_help = "\
Claims are signed with it after `signer activate`. The command refuses a certificate that C2PA validators refuse. `signer doctor` warns of other \
deviations from the C2PA profile for assurance level 1.

Example:
  lacre-admin signer install-claim-certificate claim-chain.pem --environment live")]
    InstallClaimCertificate {
        /// The certificate and its issuers' certificates (PEM), leaf first. A root is ignored.
        file: PathBuf,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The P-256 key in KMS [default: the stack's claim key, for example PRODUCTION_CLAIM_KEY_ARN, or the current one].
        #[arg(long, value_name = "ARN")]
        key_arn: Option<String>,
    },
    /// Ask the ingest function whether it can sign with the draft, under its own role.
    #[command(after_help = "\
The function signs test messages, and requests a timestamp. It may learn of a new key's permission minutes late. The exit \
code is 1 if it cannot sign.

Examples:
  lacre-admin signer probe --environment live --wait 600
  lacre-admin signer probe --environment live --version 3")]
    Probe {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// Probe this version instead of the draft, before a revert.
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        /// Repeat the probe for up to this many seconds, until it succeeds.
        #[arg(long, value_name = "SECONDS", default_value_t = 0)]
        wait: u64,
    },
    /// Put the draft in force, from the next capture on.
    #[command(after_help = "\
The command probes the draft three times first, and changes nothing if one fails.

Example:
  lacre-admin signer activate --environment live --wait 600")]
    Activate {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// Repeat failing probes for up to this many seconds.
        #[arg(long, value_name = "SECONDS", default_value_t = 0)]
        wait: u64,
        /// Skip the probe, for use when the function or the admin API is out of order.
        #[arg(long, conflicts_with = "wait")]
        unprobed: bool,
    },
    /// Put an earlier version in force again, as a new version. The draft is kept.
    #[command(after_help = "\
The command probes the version three times first, and changes nothing if one fails.

Examples:
  lacre-admin signer revert --environment live
  lacre-admin signer revert --environment live --version 3")]
    Revert {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The version to restore [default: the one before the current].
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        /// Skip the probe, for use when the function or the admin API is out of order.
        #[arg(long)]
        unprobed: bool,
    },
    /// Discard the draft. A key that was imported for it stays in KMS.
    #[command(after_help = "\
Example:
  lacre-admin signer discard --environment live")]
    Discard {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
    },
    /// Set the timestamp authorities of an environment, effective at once.
    #[command(after_help = "\
The command requests a timestamp from each authority first.

Examples:
  lacre-admin signer timestamps --environment live --tsa-url https://act.example.com/ --roots icp-brasil.pem
  lacre-admin signer timestamps --environment live --tsa-url @act-with-password.txt --roots icp-brasil.pem
  lacre-admin signer timestamps --environment sand --none")]
    Timestamps {
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The URL of an authority (RFC 3161 over HTTP). Repeat the option to name several, in order of preference. Put
        /// a URL with a password in a file: every user of the machine can read arguments.
        #[arg(long, value_name = "URL|@FILE", value_parser = address, required_unless_present = "none", requires = "roots")]
        tsa_url: Vec<String>,
        /// The roots of the authorities' certificates (PEM, DER or .p7b).
        #[arg(long, value_name = "FILE.pem", requires = "tsa_url")]
        roots: Option<PathBuf>,
        /// The policy of ICP-Brasil signatures with a timestamp.
        #[arg(long, value_name = "NAME", default_value = "AD-RT v2.4", value_parser = timestamped_policy)]
        policy: SignaturePolicy,
        /// Remove the authorities.
        #[arg(long, conflicts_with_all = ["tsa_url", "roots", "policy"])]
        none: bool,
    },
    /// Show signers, their keys and the expiry of their certificates.
    #[command(after_help = "\
Examples:
  lacre-admin signer show
  lacre-admin signer show --environment live --version 3")]
    Show {
        /// Only this environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Option<Environment>,
        /// Show this version of the profile instead of the current one. Evidence states the version.
        #[arg(long, value_name = "N", requires = "environment")]
        version: Option<u32>,
    },
    /// Check keys, certificates and authorities, and state how to fix each fault.
    #[command(after_help = "\
The exit code is 1 if signing is broken.

Examples:
  lacre-admin signer doctor --environment live --json
  lacre-admin signer doctor --environment live --tsa-url https://act.example.com/ --tsa-roots icp-brasil.pem")]
    Doctor {
        /// Only this environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Option<Environment>,
        /// The URL of a timestamp authority to test without installing it. Repeat the option to name several.
        #[arg(long, value_name = "URL|@FILE", value_parser = address, requires = "tsa_roots")]
        tsa_url: Vec<String>,
        /// The root certificates of the tested authority (PEM, DER or .p7b).
        #[arg(long, value_name = "FILE.pem", requires = "tsa_url")]
        tsa_roots: Option<PathBuf>,
    },
}

/// Runs a command. Key ARNs default to those of the stack that the environment names.
impl Command {
    pub(crate) fn only_reads(&self) -> bool {
        matches!(
            self,
            Self::RequestClaimCertificate { .. } | Self::Probe { .. } | Self::Show { .. } | Self::Doctor { .. }
        )
    }
}

pub(crate) async fn run(
    command: Command,
    signer: &SignerAdministration,
    prober: &Prober<'_>,
    output: &Output,
) -> Result<(), Failure> {
    match command {
        Command::ImportA1 { file, environment, chain, icp_brasil_roots, policy, stack, allow_development } => {
            let stack = stack.unwrap_or_else(|| prober.connection.config().stack_name.read());
            if stack.is_empty() {
                return Err(Failure::Usage(format!("the stack is not named: --stack, or {STACK}")));
            }
            let roots = icp_brasil_roots.as_deref().map(read_certificates).transpose()?;
            let chain = chain.as_deref().map(read_certificates).transpose()?;
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
            output.show(&imported, format!("{}\n{}", Details::of(&imported), standing(environment, Standing::Draft)))
        }
        Command::RequestClaimCertificate { environment, subject, key_arn } => {
            let asked = signer.request_claim_certificate(environment, &subject, key_arn.as_deref()).await;
            let (key_arn, request) = asked?;
            // Standard output contains only the certificate request; this note goes to standard error.
            eprintln!("lacre-admin: the request is for the key {key_arn}");
            output.show(&json!({ "key_arn": key_arn, "request_pem": request }), request)
        }
        Command::InstallClaimCertificate { file, environment, key_arn } => {
            let chain = read_certificates(&file)?;
            signer.install_claim_certificate(environment, &chain, key_arn.as_deref()).await?;
            report_standing(environment, Standing::Draft, output)
        }
        Command::Probe { environment, version, wait } => {
            prober.probe(environment, version, Duration::from_secs(wait), output).await
        }
        Command::Activate { environment, wait, unprobed } => {
            let revision = match unprobed {
                true => None,
                false => prober.demand(environment, None, Duration::from_secs(wait)).await?.draft_revision,
            };
            let version = signer.activate(environment, revision).await?;
            report_standing(environment, Standing::InForce { version }, output)
        }
        Command::Revert { environment, version, unprobed } => {
            let earlier = signer.earlier_version(environment, version).await?;
            if !unprobed {
                prober.demand(environment, Some(earlier), Duration::ZERO).await?;
            }
            let version = signer.revert(environment, earlier).await?;
            report_standing(environment, Standing::InForce { version }, output)
        }
        Command::Discard { environment } => {
            signer.discard(environment).await?;
            let shown = json!({ "environment": environment, "discarded": true });
            output.show(&shown, format!("{}: the draft is empty\n", word(&environment)))
        }
        Command::Show { environment, version } => {
            let views = match environment.zip(version) {
                Some((environment, version)) => vec![signer.overview_of_version(environment, version).await?],
                None => signer.overview(environment).await?,
            };
            output.show(&json!({ "environments": views }), overview(&views))
        }
        Command::Timestamps { environment, tsa_url, roots, policy, none: _ } => {
            let roots = roots.as_deref().map(read_certificates).transpose()?;
            let timestamps = roots.map(|roots_pem| Timestamping { authorities: tsa_url, roots_pem, policy });
            let standing = signer.set_timestamps(environment, timestamps).await?;
            report_standing(environment, standing, output)
        }
        Command::Doctor { environment, tsa_url, tsa_roots } => {
            let roots = tsa_roots.as_deref().map(read_certificates).transpose()?;
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

fn report_standing(environment: Environment, installed: Standing, output: &Output) -> Result<(), Failure> {
    let shown = json!({ "environment": environment, "installed": installed });
    output.show(&shown, standing(environment, installed))
}

fn standing(environment: Environment, standing: Standing) -> String {
    let for_people = match standing {
        Standing::InForce { version } => format!("version {version} of the signer profile is in force"),
        Standing::Draft => "kept in the draft: signer probe, signer activate".into(),
    };
    format!("{}: {for_people}\n", word(&environment))
}

fn overview(views: &[EnvironmentView]) -> Table {
    let mut table = Table::new(["ENVIRONMENT", "VERSION", "SIGNER", "DAYS LEFT", "UNTIL", "KEY", "SUBJECT"]);
    for view in views {
        let environment = word(&view.environment);
        let version = view.version.map_or_else(|| "none yet".to_owned(), |version| version.to_string());
        rows(&mut table, [&environment, &version], &view.signers);
        match &view.draft {
            Some(draft) => rows(&mut table, [&environment, "draft"], draft),
            None if view.version.is_none() => {
                table.row([environment, version, nothing(), nothing(), nothing(), nothing(), nothing()]);
            }
            None => {}
        }
    }
    table
}

/// Adds a row for each certificate and each timestamp authority of a profile version or a draft.
fn rows(table: &mut Table, [environment, version]: [&str; 2], view: &SignersView) {
    let mut row = |signer: &str, [days_left, until, key, subject]: [String; 4]| {
        table.row([environment.to_owned(), version.to_owned(), signer.to_owned(), days_left, until, key, subject]);
    };
    let signers = [("seal", &view.seal), ("claim", &view.claim)];
    for (name, signer) in signers.into_iter().filter_map(|(name, signer)| Some((name, signer.as_ref()?))) {
        signer.certificates.iter().for_each(|certificate| row(name, end(certificate, key_id(signer))));
    }
    if let Some(timestamps) = &view.timestamps {
        // Only the authority's URL is known; the expiry and the key are not.
        let places = timestamps.authorities.iter().cloned();
        places.for_each(|place| row("timestamps", [nothing(), nothing(), place, nothing()]));
        timestamps.roots.iter().for_each(|root| row("timestamps", end(root, "-")));
    }
}

fn nothing() -> String {
    "-".to_owned()
}

/// The table cells that describe a certificate and its expiry.
fn end(certificate: &CertificateView, key: &str) -> [String; 4] {
    let CertificateView { subject, not_after, days_left } = certificate;
    [days_left.to_string(), not_after.date().to_string(), key.to_owned(), subject.clone()]
}

/// The last part of the key's ARN, which identifies it within the account.
fn key_id(signer: &SignerView) -> &str {
    signer.key_arn.rsplit_once('/').map_or(signer.key_arn.as_str(), |(_, id)| id)
}

/// A URL, or with a leading `@` the content of the file that holds it.
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
    found.ok_or_else(|| "must be \"AD-RB v2.4\" or \"AD-RB v2.3\"".to_owned())
}

fn timestamped_policy(name: &str) -> Result<SignaturePolicy, String> {
    let found = published_policy(name).filter(|policy| PolicyStanding::of_timestamped(policy).is_ok());
    found.ok_or_else(|| "must be \"AD-RT v2.4\"".to_owned())
}

/// The password of the PFX file, from an environment variable or the terminal. It is never an argument, because every
/// user of the machine can read arguments.
fn password() -> Result<Zeroizing<String>, Failure> {
    match std::env::var(PASSWORD) {
        Ok(password) => Ok(Zeroizing::new(password)),
        Err(_) => rpassword::prompt_password("Password of the file: ").map(Zeroizing::new).map_err(|error| {
            Failure::Usage(format!("the password cannot be read from the terminal ({error}): set {PASSWORD}"))
        }),
    }
}

/// Reads a file's certificates and returns them as PEM, the format of signer profiles.
fn read_certificates(path: &Path) -> Result<String, Failure> {
    let file = fs::read(path).map_err(|error| unreadable(path, &error))?;
    lacre_proof::pem_of_file(file).map_err(|fault| Error::Invalid(format!("{}: {fault}", path.display())).into())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}
