//! `lacre-admin license …`

use std::io::{self, Write};

use clap::Subcommand;
use lacre_administration::{Administration, AlertFilter, Licenses};
use lacre_api::admin::NewLicense;
use lacre_domain::{ClientId, Environment, LicenseId, NamedTerms, StoreAssetPolicy, clock::rfc3339};
use serde_json::json;

use crate::{
    alert,
    confirmation::confirm,
    failure::Failure,
    options::environment,
    output::{Details, IssuedKey, Output, Table, word},
    pages,
    terms::TermsOptions,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Issue a license, and print its key once.
    #[command(after_help = "\
Examples:
  lacre-admin license issue --client 0b6e9c2e-… --environment sand --expires-at 2027-12-31 \\
      --origin 'http://localhost:*'
  lacre-admin license issue --client 0b6e9c2e-… --environment live --expires-at 2027-12-31 \\
      --volume-limit 10000 --origin https://app.example.com --storage ALWAYS --gps-mode REQUIRE")]
    Issue {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        #[command(flatten)]
        terms: TermsOptions,
    },
    /// List a client's licenses, oldest first.
    #[command(after_help = "Example:\n  lacre-admin license list --client 0b6e9c2e-…")]
    List {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
    },
    /// Show a license, its usage this month, and its alerts.
    #[command(after_help = "Example:\n  lacre-admin license show 2f6f3c1e-… --json | jq .usage.captures_used")]
    Show {
        /// The license's id.
        id: String,
    },
    /// Change the terms that are given, and keep all others.
    #[command(after_help = "\
Examples:
  lacre-admin license configure 2f6f3c1e-… --volume-limit 20000
  lacre-admin license configure 2f6f3c1e-… --origin https://app.example.com --origin 'https://*.example.com'")]
    Configure {
        /// The license's id.
        id: String,
        #[command(flatten)]
        terms: TermsOptions,
    },
    /// Replace a license's key, and print the new one once. The old key is invalid at once; open sessions remain valid.
    #[command(after_help = "Example:\n  lacre-admin license rotate 2f6f3c1e-…")]
    Rotate {
        /// The license's id.
        id: String,
    },
    /// Make this license the one that new hosted sessions of its client and environment use.
    #[command(after_help = "Example:\n  lacre-admin license host 2f6f3c1e-…")]
    Host {
        /// The license's id. The license must have redirect origins.
        id: String,
    },
    /// List which license a client's hosted sessions use in each environment.
    #[command(after_help = "Example:\n  lacre-admin license hosted --client 0b6e9c2e-…")]
    Hosted {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
    },
    /// Revoke a license permanently.
    #[command(after_help = "Example:\n  lacre-admin license revoke 2f6f3c1e-… --yes")]
    Revoke {
        /// The license's id.
        id: String,
        /// Do not ask for confirmation. Required without a terminal.
        #[arg(long)]
        yes: bool,
    },
    /// Set the usage of a month to the number of captures in the evidence.
    #[command(after_help = "\
The command scans the evidence table up to five times, until no capture arrives during a scan. For a busy license, \
recount a past month.

Example:
  lacre-admin license recount 2f6f3c1e-… --month 2026-11")]
    Recount {
        /// The license's id.
        id: String,
        /// The calendar month in UTC, for example 2026-11 [default: the current one].
        #[arg(long)]
        month: Option<String>,
        /// Allow the recount to lower the usage. Without it, a usage above the number in the evidence is an error.
        #[arg(long)]
        lower: bool,
    },
}

impl Command {
    /// Whether the command reads tables other than the accounts table.
    pub(crate) fn reads_evidence(&self) -> bool {
        matches!(self, Self::Recount { .. })
    }

    pub(crate) fn only_reads(&self) -> bool {
        matches!(self, Self::List { .. } | Self::Show { .. } | Self::Hosted { .. })
    }
}

pub(crate) async fn run(command: Command, admin: &Administration, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Issue { client, environment, terms } => {
            let issued = admin.licenses.issue(&ClientId::parse(&client)?, environment, &terms.0).await?;
            show_key(&issued, output)?;
            warn_of_photos_that_are_not_kept(issued.view.terms.store_asset_policy)
        }
        Command::List { client } => list(&ClientId::parse(&client)?, &admin.licenses, output).await,
        Command::Show { id } => show(&LicenseId::parse(&id)?, admin, output).await,
        Command::Configure { id, terms } => {
            let TermsOptions(terms) = terms;
            if terms == NamedTerms::default() {
                return Err(Failure::Usage("no term is named; --help lists them".into()));
            }
            let license = admin.licenses.configure(&LicenseId::parse(&id)?, &terms).await?;
            output.show(&license, Details::of(&license))?;
            terms.store_asset_policy.map_or(Ok(()), warn_of_photos_that_are_not_kept)
        }
        Command::Rotate { id } => show_key(&admin.licenses.rotate_key(&LicenseId::parse(&id)?).await?, output),
        Command::Host { id } => {
            let named = admin.licenses.host(&LicenseId::parse(&id)?).await?;
            output.show(&named, Details::of(&named))
        }
        Command::Hosted { client } => {
            let named = admin.licenses.hosted(&ClientId::parse(&client)?).await?;
            let mut table = Table::new(["ENVIRONMENT", "LICENSE"]);
            named.iter().for_each(|one| table.row([word(&one.environment), one.license_id.to_string()]));
            output.show(&json!({ "hosted_licenses": named }), table)
        }
        Command::Revoke { id, yes } => {
            if !yes {
                let question = format!("Revoke license {id} for good? Nothing brings it back.");
                confirm("a revocation", &question, "nothing was revoked")?;
            }
            let license = admin.licenses.revoke(&LicenseId::parse(&id)?).await?;
            output.show(&license, Details::of(&license))
        }
        Command::Recount { id, month, lower } => {
            let recount = admin.usage.recount(&LicenseId::parse(&id)?, month.as_deref(), lower).await?;
            output.show(&recount, Details::of(&recount))
        }
    }
}

fn show_key(issued: &NewLicense, output: &Output) -> Result<(), Failure> {
    output.show(issued, IssuedKey { key: &issued.license_key, details: Details::of(&issued.view) })
}

/// Warns on standard error that photos are not stored: an integrator who learns this later has lost photos.
fn warn_of_photos_that_are_not_kept(policy: StoreAssetPolicy) -> Result<(), Failure> {
    if policy.retains() {
        return Ok(());
    }
    Ok(writeln!(
        io::stderr(),
        "lacre-admin: warning: under storage policy {} the service does not keep the signed photo, and it cannot be \
         fetched later. The integrator must take it when it is captured (`signedPhoto` of <svc-camera> in the page, or \
         `signed_image_base64` of the answer of POST /web/ingest) and send it to their own backend. With --storage ALWAYS \
         the service keeps it.",
        word(&policy)
    )?)
}

async fn list(client: &ClientId, licenses: &Licenses, output: &Output) -> Result<(), Failure> {
    let licenses = pages::all(async |page| licenses.list(client, page).await).await?;
    let mut table = Table::new(["ID", "ENVIRONMENT", "STATUS", "EXPIRES", "VOLUME", "ORIGINS"]);
    for license in licenses.iter().map(|listed| &listed.license.view) {
        let origins: Vec<String> = license.terms.authorized_origins.clone();
        // In the sandbox the volume limit is a large number that means "unlimited".
        let volume = match license.environment {
            Environment::Sandbox => "unlimited".to_owned(),
            _ => license.terms.volume_limit.to_string(),
        };
        let (environment, status) = (word(&license.environment), word(&license.status));
        let id = license.id.to_string();
        table.row([id, environment, status, rfc3339(license.terms.expires_at.0), volume, origins.join(" ")]);
    }
    output.show(&json!({ "licenses": licenses }), table)
}

async fn show(id: &LicenseId, admin: &Administration, output: &Output) -> Result<(), Failure> {
    let license = admin.licenses.read(id).await?;
    let alerts = admin.alerts.list(&AlertFilter { license: Some(id.clone()), ..AlertFilter::default() }).await?;
    let mut document = json!(license);
    document["alerts"] = json!(alerts);
    let details = Details::of(&license);
    match alerts.is_empty() {
        true => output.show(&document, details),
        false => output.show(&document, format!("{details}\n{}", alert::table(&alerts))),
    }
}
