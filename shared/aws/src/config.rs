//! The environment variables of a function: names of tables and buckets, region, credentials, endpoints.

use std::fmt;

use domain::{Environment, limits};

use crate::TimeBudgets;

/// The configuration of one function. Every function reads the same set; one that does not use a name may lack it.
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
    /// The credentials that sign the 7-day URLs.
    pub presigner: PresignerConfig,
    /// What the canary captures with, and where.
    pub canary: CanaryConfig,
    /// `ALERTS_TOPIC_ARN`: the SNS topic to which alerts are published.
    pub alerts_topic_arn: String,
    /// `MAX_ASSET_BYTES`: how large an uploaded photo may be, in bytes; default 4 MiB.
    pub max_asset_bytes: u64,
    /// `ANNOUNCES_TO_OWN_MACHINE`: set where the service runs on a developer's machine, whose sandbox may name webhooks there.
    pub announces_to_own_machine: bool,
    /// `WEBHOOKS_KEY_ARN`: the key that protects webhook messages and secrets.
    pub webhooks_key_arn: String,
    /// `LOG_KEY_ARN`: the Ed25519 key that signs checkpoints of the transparency log.
    pub log_key_arn: String,
    /// `LOG_ORIGIN`: the log's name, a URL without a scheme. Each environment's log has its own below it.
    pub log_origin: String,
    /// `LOG_WITNESSES`: who cosigns the checkpoint of each day, `KEY URL` each, with commas between them.
    pub log_witnesses: String,
    /// `UPLOAD_ORIGIN`: the origin of upload URLs, for the Content-Security-Policy of the hosted page.
    pub upload_origin: String,
    /// `SERVICE_NAME`: how texts for people name the operator; default `Lacre`.
    pub service_name: String,
    /// `STACK_NAME`: which deployment this is, for metrics and tags.
    pub stack_name: String,
    /// `PRODUCTION_CLAIM_KEY_ARN`, `STAGING_CLAIM_KEY_ARN`, `SANDBOX_CLAIM_KEY_ARN`: set for operators, and for no function.
    pub claim_keys: ClaimKeys,
    /// `AWS_ENDPOINT_URL_<SERVICE>` or `AWS_ENDPOINT_URL`.
    pub endpoints: Endpoints,
    /// `AWS_XRAY_DAEMON_ADDRESS`: where Lambda takes what sampled requests trace.
    pub xray_daemon: Option<String>,
    /// `AWS_CA_BUNDLE`: a PEM file that replaces the pinned roots.
    pub ca_bundle: Option<String>,
    /// The time budgets: [`TimeBudgets::PRODUCTION`] in every deployment.
    pub budgets: TimeBudgets,
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
        #[derive(Clone, Debug, Default)]
        pub struct $group {
            $(#[doc = concat!("`", $variable, "`.")] pub $field: String,)+
        }

        impl $group {
            /// The variables.
            pub const VARIABLES: [&str; [$($variable),+].len()] = [$($variable),+];

            fn read(named: impl Fn(&str) -> String) -> Self {
                Self { $($field: named($variable),)+ }
            }

            /// Each variable, and the name that it holds.
            #[must_use]
            pub fn by_variable(&self) -> [(&'static str, &str); Self::VARIABLES.len()] {
                [$(($variable, &self.$field),)+]
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
#[derive(Clone, Debug)]
pub enum PresignerConfig {
    /// `PRESIGNER_ACCESS_KEY_ID` and `PRESIGNER_SECRET_ACCESS_KEY`.
    Direct(StaticCredentials),
    /// `PRESIGNER_SECRET_ARN`: a secret in Secrets Manager, a JSON object with `access_key_id` and `secret_access_key`.
    Secret(String),
    /// Neither is set.
    Missing,
}

/// What the canary captures with, and where.
#[derive(Clone, Debug, Default)]
pub struct CanaryConfig {
    /// `CANARY_SECRET_ARN`: the secret that holds its keys.
    pub secret_arn: String,
    /// `BASE_URL`: `{base_url}`, without a slash at the end.
    pub base_url: String,
    /// `LICENSE_URL`: `{license_url}`.
    pub license_url: String,
}

/// The endpoints, where they are not AWS's own.
#[derive(Clone, Debug, Default)]
pub struct Endpoints {
    /// DynamoDB.
    pub dynamodb: Option<String>,
    /// S3, addressed by path.
    pub s3: Option<String>,
    /// KMS.
    pub kms: Option<String>,
    /// Secrets Manager.
    pub secrets_manager: Option<String>,
    /// SNS.
    pub sns: Option<String>,
    /// STS.
    pub sts: Option<String>,
}

/// The environment is not what a function needs.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A variable that every function needs is not set.
    #[error("the environment variable {0} is not set")]
    Missing(&'static str),
    /// A variable is not a number of bytes.
    #[error("the environment variable {0} is not an integer")]
    NotANumber(&'static str),
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// [`ConfigError`]: region and credentials, which Lambda always sets, are missing, or a number is malformed.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_lookup(|name| std::env::var(name).ok())
    }

    /// Reads any other source of variables.
    ///
    /// # Errors
    /// [`ConfigError`]: region or credentials are missing, or a number is malformed.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let optional = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let required = |name: &'static str| optional(name).ok_or(ConfigError::Missing(name));
        let named = |name: &str| optional(name).unwrap_or_default();
        let endpoint =
            |service: &str| optional(&format!("AWS_ENDPOINT_URL_{service}")).or_else(|| optional("AWS_ENDPOINT_URL"));
        let presigner = match (
            optional("PRESIGNER_ACCESS_KEY_ID"),
            optional("PRESIGNER_SECRET_ACCESS_KEY"),
            optional("PRESIGNER_SECRET_ARN"),
        ) {
            (Some(access_key_id), Some(secret_access_key), _) => {
                PresignerConfig::Direct(StaticCredentials { access_key_id, secret_access_key, session_token: None })
            }
            (_, _, Some(arn)) => PresignerConfig::Secret(arn),
            _ => PresignerConfig::Missing,
        };
        let max_asset_bytes = match optional("MAX_ASSET_BYTES") {
            Some(figure) => figure.parse().map_err(|_| ConfigError::NotANumber("MAX_ASSET_BYTES"))?,
            None => limits::MAX_ASSET_BYTES,
        };
        Ok(Self {
            region: required("AWS_REGION")?,
            credentials: StaticCredentials {
                access_key_id: required("AWS_ACCESS_KEY_ID")?,
                secret_access_key: required("AWS_SECRET_ACCESS_KEY")?,
                session_token: optional("AWS_SESSION_TOKEN"),
            },
            tables: Tables::read(named),
            buckets: Buckets::read(named),
            presigner,
            canary: CanaryConfig {
                secret_arn: named("CANARY_SECRET_ARN"),
                base_url: named("BASE_URL"),
                license_url: named("LICENSE_URL"),
            },
            alerts_topic_arn: named("ALERTS_TOPIC_ARN"),
            max_asset_bytes,
            webhooks_key_arn: named("WEBHOOKS_KEY_ARN"),
            log_key_arn: named("LOG_KEY_ARN"),
            log_origin: named("LOG_ORIGIN"),
            log_witnesses: named("LOG_WITNESSES"),
            upload_origin: named("UPLOAD_ORIGIN"),
            announces_to_own_machine: optional("ANNOUNCES_TO_OWN_MACHINE").is_some(),
            service_name: optional("SERVICE_NAME").unwrap_or_else(|| "Lacre".to_owned()),
            stack_name: named("STACK_NAME"),
            claim_keys: ClaimKeys {
                production: optional("PRODUCTION_CLAIM_KEY_ARN"),
                staging: optional("STAGING_CLAIM_KEY_ARN"),
                sandbox: optional("SANDBOX_CLAIM_KEY_ARN"),
            },
            endpoints: Endpoints {
                dynamodb: endpoint("DYNAMODB"),
                s3: endpoint("S3"),
                kms: endpoint("KMS"),
                secrets_manager: endpoint("SECRETS_MANAGER"),
                sns: endpoint("SNS"),
                sts: endpoint("STS"),
            },
            xray_daemon: optional("AWS_XRAY_DAEMON_ADDRESS"),
            ca_bundle: optional("AWS_CA_BUNDLE"),
            budgets: TimeBudgets::PRODUCTION,
        })
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
    fn what_every_function_needs_is_named_when_it_is_missing() {
        let error = config(&[("AWS_REGION", "")]).unwrap_err();
        assert_eq!(error.to_string(), "the environment variable AWS_REGION is not set");
    }

    #[test]
    fn a_configured_limit_is_a_number() {
        assert_eq!(config(&[]).unwrap().max_asset_bytes, 4_194_304);
        assert_eq!(config(&[("MAX_ASSET_BYTES", "1000000")]).unwrap().max_asset_bytes, 1_000_000);
        let error = config(&[("MAX_ASSET_BYTES", "4 MiB")]).unwrap_err();
        assert_eq!(error.to_string(), "the environment variable MAX_ASSET_BYTES is not an integer");
    }

    #[test]
    fn secrets_do_not_show_themselves() {
        let config = config(&[("PRESIGNER_ACCESS_KEY_ID", "P"), ("PRESIGNER_SECRET_ACCESS_KEY", "hidden")]).unwrap();
        assert!(matches!(config.presigner, PresignerConfig::Direct(_)));
        assert!(!format!("{config:?}").contains("hidden"));
    }
}
