//! The environment variables of a function: names of tables and buckets, region, credentials, endpoints.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lacre_domain::{Environment, limits};

use crate::TimeBudgets;

const NOT_SET: &str = "is not set";

/// The configuration of one function. A [`Setting`] is a variable that `template.yaml` gives the functions that read it; a
/// function may lack the others. All else is set by Lambda for every function, or on a developer's or an operator's machine.
#[derive(Clone, Debug)]
pub struct Config {
    /// `AWS_REGION`.
    pub region: String,
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`: the function's role.
    pub credentials: StaticCredentials,
    /// The tables.
    pub tables: Tables,
    /// The buckets.
    pub buckets: Buckets,
    /// The credentials that sign the 7-day URLs; without them, each request for one is refused.
    pub presigner: Setting<PresignerConfig>,
    /// `CANARY_SECRET_ARN`: the secret that holds the canary's keys. Without it, as on a developer's machine, nothing is captured.
    pub canary_secret_arn: Setting<String>,
    /// `BASE_URL`: `{base_url}`, where the canary captures, without a slash at the end.
    pub base_url: Setting<String>,
    /// `LICENSE_URL`: `{license_url}`, where the canary validates its license.
    pub license_url: Setting<String>,
    /// `ALERTS_TOPIC_ARN`: the SNS topic to which alerts are published.
    pub alerts_topic_arn: Setting<String>,
    /// `MAX_ASSET_BYTES`: how large an uploaded photo may be, in bytes; default 4 MiB.
    pub max_asset_bytes: Setting<u64>,
    /// `ANNOUNCES_TO_OWN_MACHINE`: set where the service runs on a developer's machine, whose sandbox may name webhooks there.
    pub announces_to_own_machine: bool,
    /// `WEBHOOKS_KEY_ARN`: the key that protects webhook messages and secrets.
    pub webhooks_key_arn: Setting<String>,
    /// `LOG_KEY_ARN`: the Ed25519 key that signs checkpoints of the transparency log.
    pub log_key_arn: Setting<String>,
    /// `LOG_ORIGIN`: the log's name, a URL without a scheme. Each environment's log has its own below it.
    pub log_origin: Setting<String>,
    /// `LOG_WITNESSES`: who cosigns the checkpoint of each day, `KEY URL` each, with commas between them; default nobody.
    pub log_witnesses: Setting<String>,
    /// `UPLOAD_ORIGIN`: the origin of upload URLs, for the Content-Security-Policy of the hosted page.
    pub upload_origin: Setting<String>,
    /// `SERVICE_NAME`: how texts for people name the operator; default `Lacre`.
    pub service_name: Setting<String>,
    /// `STACK_NAME`: which deployment this is, for metrics and tags.
    pub stack_name: Setting<String>,
    /// `PRODUCTION_CLAIM_KEY_ARN`, `STAGING_CLAIM_KEY_ARN`, `SANDBOX_CLAIM_KEY_ARN`: set for operators, and for no function.
    pub claim_keys: ClaimKeys,
    /// `SIGNING_OPERATORS`: who signs beside the functions, an ARN or a pattern. Set for operators, and for no function.
    pub signing_operators: Option<String>,
    /// `AWS_ENDPOINT_URL_<SERVICE>` or `AWS_ENDPOINT_URL`.
    pub endpoints: Endpoints,
    /// `AWS_XRAY_DAEMON_ADDRESS`: where Lambda takes what sampled requests trace.
    pub xray_daemon: Option<String>,
    /// `AWS_CA_BUNDLE`: a PEM file that replaces the pinned roots.
    pub ca_bundle: Option<String>,
    /// The time budgets: [`TimeBudgets::PRODUCTION`] in every deployment.
    pub budgets: TimeBudgets,
    /// The settings that were read.
    pub reads: Reads,
}

/// A variable that a function has from `template.yaml`. Ports read theirs when they are made, so that a function's start finds
/// every variable that it lacks.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    variable: &'static str,
    value: T,
    /// Why the value is only a default.
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

    /// The value, noted among the [`Reads`]. Where the variable is missing or malformed it is a default, with which no function
    /// starts.
    #[must_use]
    pub fn read(&self) -> T {
        self.reads.note(self.variable, self.fault);
        self.value.clone()
    }

    /// The value without a note, for what a function may hold without using it.
    pub(crate) fn unread(&self) -> T {
        self.value.clone()
    }

    /// Sets another value.
    pub fn set(&mut self, value: T) {
        (self.value, self.fault) = (value, None);
    }
}

/// The settings that were read of a configuration and its clones, by variable, and what is wrong with each.
#[derive(Clone, Debug, Default)]
pub struct Reads(Arc<Mutex<BTreeMap<&'static str, Option<&'static str>>>>);

impl Reads {
    /// The variables.
    #[must_use]
    pub fn variables(&self) -> Vec<&'static str> {
        self.lock().keys().copied().collect()
    }

    /// Checks that what was read so far was set, and well-formed.
    ///
    /// # Errors
    /// [`ConfigError`], with every variable that was not.
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

/// A key pair, with a session token where it is a role's.
#[derive(Clone)]
pub struct StaticCredentials {
    /// The access key id.
    pub access_key_id: String,
    /// The secret access key.
    pub secret_access_key: String,
    /// A role's token.
    pub session_token: Option<String>,
}

impl fmt::Debug for StaticCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaticCredentials(redacted)")
    }
}

/// A group of resources of one kind, each under the variable that holds its name. That of `SESSIONS_TABLE` is `SessionsTable` in
/// the template.
macro_rules! named {
    ($(#[$doc:meta])* $group:ident { $($field:ident: $variable:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $group {
            $(#[doc = concat!("`", $variable, "`.")] pub $field: Setting<String>,)+
        }

        impl $group {
            /// The variables.
            pub const VARIABLES: [&str; [$($variable),+].len()] = [$($variable),+];

            fn new(required: impl Fn(&'static str) -> Setting<String>) -> Self {
                Self { $($field: required($variable),)+ }
            }

            /// Each variable, and the name that it holds.
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
    }
}

named! {
    /// The names of the buckets.
    Buckets {
        uploads: "UPLOADS_BUCKET",
        proofs: "PROOFS_BUCKET",
        export: "EXPORT_BUCKET",
        log: "LOG_BUCKET",
    }
}

/// The keys that a stack made for its claims. Its function may sign claims with no other.
#[derive(Clone, Debug, Default)]
pub struct ClaimKeys {
    /// Production's, by ARN.
    pub production: Option<String>,
    /// Staging's.
    pub staging: Option<String>,
    /// The sandbox's.
    pub sandbox: Option<String>,
}

impl ClaimKeys {
    /// The key of an environment, by ARN, where it is set.
    #[must_use]
    pub fn of(&self, environment: Environment) -> Option<&str> {
        match environment {
            Environment::Production => self.production.as_deref(),
            Environment::Staging => self.staging.as_deref(),
            Environment::Sandbox => self.sandbox.as_deref(),
        }
    }
}

/// The source of the credentials for the 7-day URLs.
#[derive(Clone, Debug, Default)]
pub enum PresignerConfig {
    /// `PRESIGNER_ACCESS_KEY_ID` and `PRESIGNER_SECRET_ACCESS_KEY`, on a developer's machine.
    Direct(StaticCredentials),
    /// `PRESIGNER_SECRET_ARN`: a secret in Secrets Manager, a JSON object with `access_key_id` and `secret_access_key`.
    Secret(String),
    /// Neither is set.
    #[default]
    Missing,
}

/// The endpoints, where they are not AWS's own.
#[derive(Clone, Debug, Default)]
pub struct Endpoints {
    /// DynamoDB.
    pub dynamodb: Option<String>,
    /// S3, addressed by path.
    pub s3: Option<String>,
    /// S3 as clients reach it, for presigned URLs: `PRESIGNED_URL_ORIGIN`, which a developer's machine behind a tunnel sets; S3's
    /// endpoint by default.
    pub presigned: Option<String>,
    /// KMS.
    pub kms: Option<String>,
    /// Secrets Manager.
    pub secrets_manager: Option<String>,
    /// SNS.
    pub sns: Option<String>,
    /// STS.
    pub sts: Option<String>,
}

/// The environment is not what a function needs: each variable with its fault. It holds no values.
#[derive(Debug, thiserror::Error)]
#[error("environment: {}", listed(.0))]
pub struct ConfigError(Vec<(&'static str, &'static str)>);

fn listed(faults: &[(&str, &str)]) -> String {
    faults.iter().map(|(variable, fault)| format!("{variable} {fault}")).collect::<Vec<_>>().join(", ")
}

impl Config {
    /// Reads the process's environment. What a function lacks of it, [`Reads::check`] says once the function is made.
    #[must_use]
    pub fn from_env() -> Self {
        Self::new(|name| std::env::var(name).ok())
    }

    /// Reads any other source of variables, for programs that use some of them.
    ///
    /// # Errors
    /// [`ConfigError`]: region or credentials are missing.
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
    fn a_service_s_own_endpoint_wins_over_the_common_one() {
        let config = config(&[("AWS_ENDPOINT_URL", "http://all"), ("AWS_ENDPOINT_URL_S3", "http://s3")]).unwrap();
        assert_eq!(config.endpoints.s3.as_deref(), Some("http://s3"));
        assert_eq!(config.endpoints.kms.as_deref(), Some("http://all"));
    }

    #[test]
    fn presigned_urls_lead_to_s3_or_to_their_own_origin() {
        let origin = |variables: &[_]| config(variables).unwrap().endpoints.presigned;
        let s3 = ("AWS_ENDPOINT_URL_S3", "http://s3");
        assert_eq!(origin(&[]), None);
        assert_eq!(origin(&[s3]).as_deref(), Some("http://s3"));
        assert_eq!(origin(&[s3, ("PRESIGNED_URL_ORIGIN", "https://phone")]).as_deref(), Some("https://phone"));
    }

    #[test]
    fn what_every_function_needs_is_named_when_it_is_missing() {
        let error = config(&[("AWS_REGION", "")]).unwrap_err();
        assert_eq!(error.to_string(), "environment: AWS_REGION is not set");
    }

    #[test]
    fn all_faults_of_what_was_read_are_named_at_once() {
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
    fn a_variable_that_is_not_read_may_be_missing() {
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
    fn addresses_are_needed_where_the_canary_is_set_up() {
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
