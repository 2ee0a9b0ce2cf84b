//! The configuration of a function from environment variables: names of tables and buckets, region, credentials,
//! endpoints.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lacre_domain::{Environment, limits};

use crate::TimeBudgets;

const NOT_SET: &str = "is not set";

/// The configuration of one function. A [`Setting`] is a variable that `template.yaml` sets for the functions that read
/// it, and that may be missing in others. All other variables are set by Lambda for every function, or on a developer's
/// or operator's machine.
#[derive(Clone, Debug)]
pub struct Config {
    /// `AWS_REGION`.
    pub region: String,
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`: the function's role.
    pub credentials: StaticCredentials,
    /// The names of the tables.
    pub tables: Tables,
    /// The names of the buckets.
    pub buckets: Buckets,
    /// The credentials that sign 7-day URLs. Without them, requests for such URLs fail.
    pub presigner: Setting<PresignerConfig>,
    /// `CANARY_SECRET_ARN`: the secret with the canary's keys. Without it, as on a developer's machine, the canary
    /// makes no captures.
    pub canary_secret_arn: Setting<String>,
    /// `BASE_URL`: `{base_url}`, at which the canary captures, without a trailing slash.
    pub base_url: Setting<String>,
    /// `LICENSE_URL`: `{license_url}`, at which the canary validates its license.
    pub license_url: Setting<String>,
    /// `ALERTS_TOPIC_ARN`: the SNS topic to which alerts are published.
    pub alerts_topic_arn: Setting<String>,
    /// `MAX_ASSET_BYTES`: maximum size of an uploaded photo in bytes; default 4 MiB.
    pub max_asset_bytes: Setting<u64>,
    /// `ANNOUNCES_TO_OWN_MACHINE`: set if the service runs on a developer's machine, where receivers of sandbox
    /// webhooks may run too.
    pub announces_to_own_machine: bool,
    /// `WEBHOOKS_KEY_ARN`: the KMS key that encrypts the data keys of webhook messages and secrets.
    pub webhooks_key_arn: Setting<String>,
    /// `PRINTS_KEY_ARN`: the KMS key that encrypts the data keys of the index of fingerprints.
    pub prints_key_arn: Setting<String>,
    /// `LOG_KEY_ARN`: the Ed25519 KMS key that signs the checkpoints of the transparency log.
    pub log_key_arn: Setting<String>,
    /// `LOG_ORIGIN`: the log's origin, a URL without a scheme. The log of each environment has an origin below it.
    pub log_origin: Setting<String>,
    /// `LOG_WITNESSES`: the witnesses that cosign each day's checkpoint, as `KEY URL`, separated by commas; default
    /// none.
    pub log_witnesses: Setting<String>,
    /// `UPLOAD_ORIGIN`: the origin of upload URLs, for the Content-Security-Policy of the hosted page.
    pub upload_origin: Setting<String>,
    /// `SERVICE_NAME`: the operator's name in texts for people; default `Lacre`.
    pub service_name: Setting<String>,
    /// `STACK_NAME`: the name of the deployment, for metrics and tags.
    pub stack_name: Setting<String>,
    /// `PRODUCTION_CLAIM_KEY_ARN`, `STAGING_CLAIM_KEY_ARN`, `SANDBOX_CLAIM_KEY_ARN`: set for operators only, not for
    /// functions.
    pub claim_keys: ClaimKeys,
    /// `SIGNING_OPERATORS`: the principals that may sign besides the functions, as an ARN or pattern. Set for operators
    /// only, not for functions.
    pub signing_operators: Option<String>,
    /// `AWS_ENDPOINT_URL_<SERVICE>` or `AWS_ENDPOINT_URL`.
    pub endpoints: Endpoints,
    /// `AWS_XRAY_DAEMON_ADDRESS`: the address to which the segments of sampled requests are sent.
    pub xray_daemon: Option<String>,
    /// `AWS_CA_BUNDLE`: a PEM file whose root certificates replace the built-in ones.
    pub ca_bundle: Option<String>,
    /// The time budgets: [`TimeBudgets::PRODUCTION`] in every deployment.
    pub budgets: TimeBudgets,
    /// Which settings were read so far.
    pub reads: Reads,
}

/// A variable that `template.yaml` sets for a function. Ports read their settings when they are constructed, so that a
/// function finds all missing variables at startup.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    variable: &'static str,
    value: T,
    /// Why the variable's value could not be used, if `value` is only a default.
    fault: Option<&'static str>,
    reads: Reads,
}

impl<T: Clone + Default> Setting<T> {
    fn new(variable: &'static str, value: Result<T, &'static str>, reads: &Reads) -> Self {
        let (value, fault) = match value {
            Ok(value) => (value, None),
            Err(fault) => (T::default(), Some(fault)),
        };
        Self { variable, value, fault, reads: reads.clone() }
    }

    /// The value; records in [`Reads`] that it was read. If the variable is missing or malformed, this is a default,
    /// and [`Reads::check`] then prevents the function from starting.
    #[must_use]
    pub fn read(&self) -> T {
        self.reads.note(self.variable, self.fault);
        self.value.clone()
    }

    /// The value, without recording that it was read: for ports that a function constructs but does not use.
    pub(crate) fn unread(&self) -> T {
        self.value.clone()
    }

    /// Replaces the value.
    pub fn set(&mut self, value: T) {
        (self.value, self.fault) = (value, None);
    }
}

/// The settings that were read from a configuration and its clones, by variable, each with its error if there is one.
#[derive(Clone, Debug, Default)]
pub struct Reads(Arc<Mutex<BTreeMap<&'static str, Option<&'static str>>>>);

impl Reads {
    /// The names of the variables that were read.
    #[must_use]
    pub fn variables(&self) -> Vec<&'static str> {
        self.lock().keys().copied().collect()
    }

    /// Checks that every setting that was read so far is set and well-formed.
    ///
    /// # Errors
    /// [`ConfigError`], which names all variables that are not.
    pub fn check(&self) -> Result<(), ConfigError> {
        let faults: Vec<_> = self.lock().iter().filter_map(|(variable, fault)| Some((*variable, (*fault)?))).collect();
        if faults.is_empty() { Ok(()) } else { Err(ConfigError(faults)) }
    }

    fn note(&self, variable: &'static str, fault: Option<&'static str>) {
        self.lock().insert(variable, fault);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, Option<&'static str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An AWS access key, with a session token if it belongs to a role.
#[derive(Clone)]
pub struct StaticCredentials {
    /// The access key id.
    pub access_key_id: String,
    /// The secret access key.
    pub secret_access_key: String,
    /// The session token of a role.
    pub session_token: Option<String>,
}

impl fmt::Debug for StaticCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaticCredentials(redacted)")
    }
}

/// Defines a group of resources of one kind, each with the variable that holds its name. The variable `SESSIONS_TABLE`
/// belongs to the resource `SessionsTable` of the template.
macro_rules! named {
    ($(#[$doc:meta])* $group:ident { $($field:ident: $variable:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $group {
            $(#[doc = concat!("`", $variable, "`.")] pub $field: Setting<String>,)+
        }

        impl $group {
            /// The names of the variables.
            pub const VARIABLES: [&str; [$($variable),+].len()] = [$($variable),+];

            fn new(required: impl Fn(&'static str) -> Setting<String>) -> Self {
                Self { $($field: required($variable),)+ }
            }

            /// Each variable with its value, the resource's name.
            #[must_use]
            pub fn by_variable(&self) -> [(&'static str, &str); Self::VARIABLES.len()] {
                [$(($variable, &self.$field.value),)+]
            }
        }
    };
}

named! {
    /// The names of the tables.
    Tables {
        sessions: "SESSIONS_TABLE",
        accounts: "ACCOUNTS_TABLE",
        frames: "FRAMES_TABLE",
        evidence: "EVIDENCE_TABLE",
        personal: "PERSONAL_TABLE",
        webhooks: "WEBHOOKS_TABLE",
        audit: "AUDIT_TABLE",
        log: "LOG_TABLE",
        prints: "PRINTS_TABLE",
    }
}

named! {
    /// The names of the buckets.
    Buckets {
        uploads: "UPLOADS_BUCKET",
        proofs: "PROOFS_BUCKET",
        export: "EXPORT_BUCKET",
        log: "LOG_BUCKET",
        dossiers: "DOSSIERS_BUCKET",
    }
}

/// The KMS keys that a stack created for C2PA claims. The stack's functions may sign claims with these keys only.
#[derive(Clone, Debug, Default)]
pub struct ClaimKeys {
    /// The ARN of production's key.
    pub production: Option<String>,
    /// The ARN of staging's key.
    pub staging: Option<String>,
    /// The ARN of the sandbox's key.
    pub sandbox: Option<String>,
}

impl ClaimKeys {
    /// The ARN of an environment's key, if it is set.
    #[must_use]
    pub fn of(&self, environment: Environment) -> Option<&str> {
        match environment {
            Environment::Production => self.production.as_deref(),
            Environment::Staging => self.staging.as_deref(),
            Environment::Sandbox => self.sandbox.as_deref(),
        }
    }
}

/// The source of the credentials that sign 7-day URLs.
#[derive(Clone, Debug, Default)]
pub enum PresignerConfig {
    /// `PRESIGNER_ACCESS_KEY_ID` and `PRESIGNER_SECRET_ACCESS_KEY`, on a developer's machine.
    Direct(StaticCredentials),
    /// `PRESIGNER_SECRET_ARN`: a secret in Secrets Manager, a JSON object with `access_key_id` and `secret_access_key`.
    Secret(String),
    /// Neither variable is set.
    #[default]
    Missing,
}

/// The endpoints that replace those of AWS.
#[derive(Clone, Debug, Default)]
pub struct Endpoints {
    /// The endpoint of DynamoDB.
    pub dynamodb: Option<String>,
    /// The endpoint of S3, with path-style addressing.
    pub s3: Option<String>,
    /// `PRESIGNED_URL_ORIGIN`: the origin of presigned URLs, for a developer's machine behind a tunnel. By default S3's
    /// endpoint.
    pub presigned: Option<String>,
    /// The endpoint of KMS.
    pub kms: Option<String>,
    /// The endpoint of Secrets Manager.
    pub secrets_manager: Option<String>,
    /// The endpoint of SNS.
    pub sns: Option<String>,
    /// The endpoint of STS.
    pub sts: Option<String>,
}

/// Environment variables are missing or malformed. Lists each variable with its fault, but no value.
#[derive(Debug, thiserror::Error)]
#[error("environment: {}", listed(.0))]
pub struct ConfigError(Vec<(&'static str, &'static str)>);

fn listed(faults: &[(&str, &str)]) -> String {
    faults.iter().map(|(variable, fault)| format!("{variable} {fault}")).collect::<Vec<_>>().join(", ")
}

impl Config {
    /// Reads the environment variables of the process. Missing ones are reported by [`Reads::check`] after the function
    /// is constructed.
    #[must_use]
    pub fn from_env() -> Self {
        Self::new(|name| std::env::var(name).ok())
    }

    /// Reads variables from another source, for programs that need only some of them.
    ///
    /// # Errors
    /// [`ConfigError`] if region or credentials are missing.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let config = Self::new(lookup);
        config.reads.check().map(|()| config)
    }

    fn new(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let reads = Reads::default();
        let find = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let of_lambda = |name: &'static str| {
            find(name).unwrap_or_else(|| {
                reads.note(name, Some(NOT_SET));
                String::new()
            })
        };
        let required = |variable| Setting::new(variable, find(variable).ok_or(NOT_SET), &reads);
        let optional =
            |variable, default: &str| Setting::new(variable, Ok(find(variable).unwrap_or(default.to_owned())), &reads);
        let canary_secret_arn = optional("CANARY_SECRET_ARN", "");
        let of_canary =
            |variable| if canary_secret_arn.value.is_empty() { optional(variable, "") } else { required(variable) };
        let endpoint =
            |service: &str| find(&format!("AWS_ENDPOINT_URL_{service}")).or_else(|| find("AWS_ENDPOINT_URL"));
        let presigner = match (
            find("PRESIGNER_ACCESS_KEY_ID"),
            find("PRESIGNER_SECRET_ACCESS_KEY"),
            find("PRESIGNER_SECRET_ARN"),
        ) {
            (Some(access_key_id), Some(secret_access_key), _) => {
                PresignerConfig::Direct(StaticCredentials { access_key_id, secret_access_key, session_token: None })
            }
            (_, _, Some(arn)) => PresignerConfig::Secret(arn),
            _ => PresignerConfig::Missing,
        };
        let max_asset_bytes = match find("MAX_ASSET_BYTES") {
            Some(figure) => figure.parse().map_err(|_| "is not an integer"),
            None => Ok(limits::MAX_ASSET_BYTES),
        };
        Self {
            region: of_lambda("AWS_REGION"),
            credentials: StaticCredentials {
                access_key_id: of_lambda("AWS_ACCESS_KEY_ID"),
                secret_access_key: of_lambda("AWS_SECRET_ACCESS_KEY"),
                session_token: find("AWS_SESSION_TOKEN"),
            },
            tables: Tables::new(required),
            buckets: Buckets::new(required),
            presigner: Setting::new("PRESIGNER_SECRET_ARN", Ok(presigner), &reads),
            base_url: of_canary("BASE_URL"),
            license_url: of_canary("LICENSE_URL"),
            canary_secret_arn,
            alerts_topic_arn: required("ALERTS_TOPIC_ARN"),
            max_asset_bytes: Setting::new("MAX_ASSET_BYTES", max_asset_bytes, &reads),
            webhooks_key_arn: required("WEBHOOKS_KEY_ARN"),
            prints_key_arn: required("PRINTS_KEY_ARN"),
            log_key_arn: required("LOG_KEY_ARN"),
            log_origin: required("LOG_ORIGIN"),
            log_witnesses: optional("LOG_WITNESSES", ""),
            upload_origin: required("UPLOAD_ORIGIN"),
            announces_to_own_machine: find("ANNOUNCES_TO_OWN_MACHINE").is_some(),
            service_name: optional("SERVICE_NAME", "Lacre"),
            stack_name: required("STACK_NAME"),
            claim_keys: ClaimKeys {
                production: find("PRODUCTION_CLAIM_KEY_ARN"),
                staging: find("STAGING_CLAIM_KEY_ARN"),
                sandbox: find("SANDBOX_CLAIM_KEY_ARN"),
            },
            signing_operators: find("SIGNING_OPERATORS"),
            endpoints: Endpoints {
                dynamodb: endpoint("DYNAMODB"),
                s3: endpoint("S3"),
                presigned: find("PRESIGNED_URL_ORIGIN").or_else(|| endpoint("S3")),
                kms: endpoint("KMS"),
                secrets_manager: endpoint("SECRETS_MANAGER"),
                sns: endpoint("SNS"),
                sts: endpoint("STS"),
            },
            xray_daemon: find("AWS_XRAY_DAEMON_ADDRESS"),
            ca_bundle: find("AWS_CA_BUNDLE"),
            budgets: TimeBudgets::PRODUCTION,
            reads,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let base = [("AWS_REGION", "sa-east-1"), ("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "S")];
        Config::from_lookup(|name| {
            let all = variables.iter().chain(&base);
            all.into_iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn service_endpoints_override_the_common_one() {
        let config = config(&[("AWS_ENDPOINT_URL", "http://all"), ("AWS_ENDPOINT_URL_S3", "http://s3")]).unwrap();
        assert_eq!(config.endpoints.s3.as_deref(), Some("http://s3"));
        assert_eq!(config.endpoints.kms.as_deref(), Some("http://all"));
    }

    #[test]
    fn presigned_url_origin_overrides_the_endpoint() {
        let origin = |variables: &[_]| config(variables).unwrap().endpoints.presigned;
        let s3 = ("AWS_ENDPOINT_URL_S3", "http://s3");
        assert_eq!(origin(&[]), None);
        assert_eq!(origin(&[s3]).as_deref(), Some("http://s3"));
        assert_eq!(origin(&[s3, ("PRESIGNED_URL_ORIGIN", "https://phone")]).as_deref(), Some("https://phone"));
    }

    #[test]
    fn names_missing_variables() {
        let error = config(&[("AWS_REGION", "")]).unwrap_err();
        assert_eq!(error.to_string(), "environment: AWS_REGION is not set");
    }

    #[test]
    fn names_all_faulty_settings_at_once() {
        let values = [("AWS_REGION", "sa-east-1"), ("MAX_ASSET_BYTES", "hidden"), ("AUDIT_TABLE", "audit")];
        let config = Config::new(|name| Some(values.iter().find(|(known, _)| *known == name)?.1.to_owned()));
        assert_eq!((config.max_asset_bytes.read(), config.tables.log.read()), (0, String::new()));
        assert_eq!((config.tables.audit.read(), config.clone().service_name.read()), ("audit".into(), "Lacre".into()));
        let error = config.reads.check().unwrap_err().to_string();
        let (keys, read) =
            ("AWS_ACCESS_KEY_ID is not set, AWS_SECRET_ACCESS_KEY", "LOG_TABLE is not set, MAX_ASSET_BYTES");
        assert_eq!(error, format!("environment: {keys} is not set, {read} is not an integer"));
    }

    #[test]
    fn unread_variables_may_be_missing() {
        let mut config = config(&[("MAX_ASSET_BYTES", "4 MiB")]).unwrap();
        assert_eq!(config.tables.audit.unread(), "");
        assert_eq!((config.reads.variables(), config.reads.check().is_ok()), (vec![], true));
        config.log_origin.set("log.example".into());
        assert_eq!(config.log_origin.read(), "log.example");
        assert_eq!((config.reads.variables(), config.reads.check().is_ok()), (vec!["LOG_ORIGIN"], true));
    }

    #[test]
    fn a_configured_limit_is_a_number() {
        let limit = |variables: &[_]| {
            let config = config(variables).unwrap();
            let limit = config.max_asset_bytes.read();
            config.reads.check().map(|()| limit).map_err(|error| error.to_string())
        };
        assert_eq!(limit(&[]), Ok(4_194_304));
        assert_eq!(limit(&[("MAX_ASSET_BYTES", "1000000")]), Ok(1_000_000));
        let error = "environment: MAX_ASSET_BYTES is not an integer";
        assert_eq!(limit(&[("MAX_ASSET_BYTES", "4 MiB")]), Err(error.to_owned()));
    }

    #[test]
    fn a_canary_secret_requires_addresses() {
        let check = |secret| {
            let config = config(&[("CANARY_SECRET_ARN", secret), ("BASE_URL", "https://base.example")]).unwrap();
            let _ = (config.canary_secret_arn.read(), config.base_url.read(), config.license_url.read());
            config.reads.check().map_err(|error| error.to_string())
        };
        assert_eq!(check(""), Ok(()));
        assert_eq!(check("arn"), Err("environment: LICENSE_URL is not set".to_owned()));
    }

    #[test]
    fn secrets_do_not_show_themselves() {
        let config = config(&[("PRESIGNER_ACCESS_KEY_ID", "P"), ("PRESIGNER_SECRET_ACCESS_KEY", "hidden")]).unwrap();
        assert!(matches!(config.presigner.read(), PresignerConfig::Direct(_)));
        assert!(!format!("{config:?}").contains("hidden"));
    }
}
