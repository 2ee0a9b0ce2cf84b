//! Reads the policies of tables, buckets and keys, and the settings of buckets, and compares them with the template of
//! this release.
//!
//! The expected values are compiled into this program, and the resources' names come from the operator's environment
//! variables. Neither is in the AWS account, so an attacker who changes a policy there cannot change what it is
//! compared with.

use std::collections::{BTreeMap, BTreeSet};

use lacre_domain::Environment;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EvidenceAdministration;
use crate::Error;

/// The expected policies, which `scripts/generate` extracts from the template.
const EXPECTED: &str = include_str!("protection.json");
/// A placeholder in the expected policies for a value that is not known here.
const ANY: &str = "${?}";
const SIGNING_OPERATORS: &str = "${SIGNING_OPERATORS}";

/// The result of the comparison of policies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Protected {
    /// The number of tables, buckets and keys that were compared; 0 if the stack's outputs are not in the environment
    /// variables.
    pub compared: usize,
    /// Everything that differs from the template; empty if nothing does.
    pub differences: Vec<Unprotected>,
}

/// A resource whose protection differs from the template.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unprotected {
    /// The name or ARN of the table, bucket or key.
    pub resource: String,
    /// The difference, in words.
    pub how: String,
}

/// A table, bucket or key with its expected protection.
#[derive(Deserialize)]
struct Guarded {
    kind: Kind,
    /// The environment variable with its name.
    variable: String,
    statements: Vec<Value>,
    #[serde(default)]
    versioned: bool,
    #[serde(default)]
    object_lock: bool,
    #[serde(default)]
    default_retention: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Table,
    Bucket,
    Key,
}

/// The parts of a policy statement with their values: `Action`, `Principal AWS`, `Condition Bool aws:SecureTransport`.
type Parts = BTreeMap<String, BTreeSet<String>>;

impl EvidenceAdministration {
    /// Compares the policies of tables, buckets and keys, and the settings of buckets, with the template of this
    /// release. A seal key must have the policy of its environment's claim key. An export bucket in another account is
    /// skipped.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn compare_protection(&self) -> Result<Protected, Error> {
        let mut protected = Protected::default();
        let Some(values) = self.values() else { return Ok(protected) };
        let expected: Vec<Guarded> =
            serde_json::from_str(EXPECTED).map_err(|error| Error::Invalid(format!("protection.json: {error}")))?;
        for guarded in &expected {
            let Some(name) = values.get(&guarded.variable) else { continue };
            if guarded.variable == "EXPORT_BUCKET" && !self.is_of_stack(name) {
                continue;
            }
            let policy = match guarded.kind {
                Kind::Table => self.protection.table_policy(&in_account(TABLE_ARN, name, &values)).await?,
                Kind::Bucket => self.protection.bucket_policy(name).await?,
                Kind::Key => Some(self.keys.policy(name).await?),
            };
            protected.compare(name, policy.as_deref(), &guarded.statements, &values);
            if matches!(guarded.kind, Kind::Bucket) {
                self.compare_settings(name, guarded, &mut protected).await?;
            }
        }
        self.compare_seal_keys(&expected, &values, &mut protected).await?;
        protected.differences.sort();
        Ok(protected)
    }

    async fn compare_settings(&self, name: &str, guarded: &Guarded, protected: &mut Protected) -> Result<(), Error> {
        let settings = self.protection.bucket_settings(name).await?;
        let wanted = [
            (settings.blocks_public_access, true, "its public access block is not complete"),
            (settings.is_versioned, guarded.versioned, "objects have no versions"),
            (settings.has_object_lock, guarded.object_lock, "Object Lock is off"),
            (settings.locks_new_objects, guarded.default_retention, "new objects are not locked"),
        ];
        for (_, _, how) in wanted.into_iter().filter(|(is, should_be, _)| *should_be && !is) {
            protected.differs(name, how.to_owned());
        }
        Ok(())
    }

    async fn compare_seal_keys(
        &self,
        expected: &[Guarded],
        values: &BTreeMap<String, String>,
        protected: &mut Protected,
    ) -> Result<(), Error> {
        for profile in self.profiles.public_in_force().await? {
            let variable = format!("{}_CLAIM_KEY_ARN", profile.environment.name());
            let of_claim_key = expected.iter().find(|guarded| guarded.variable == variable);
            let Some(guarded) = of_claim_key.filter(|_| values.contains_key(&variable)) else { continue };
            let policy = self.keys.policy(&profile.seal.key_arn).await?;
            protected.compare(&profile.seal.key_arn, Some(&policy), &guarded.statements, values);
        }
        Ok(())
    }

    /// The values of the variables in the expected policies; `None` if the stack's outputs are not in the environment
    /// variables.
    fn values(&self) -> Option<BTreeMap<String, String>> {
        let config = self.connection.config();
        let claim_keys = Environment::ALL.into_iter().filter_map(|environment| {
            let key_arn = config.claim_keys.of(environment)?;
            Some((format!("{}_CLAIM_KEY_ARN", environment.name()), key_arn.to_owned()))
        });
        let mut values: BTreeMap<String, String> = claim_keys.collect();
        // The format of a key's ARN: arn:PARTITION:kms:REGION:ACCOUNT:key/ID
        let arn = values.values().next()?.clone();
        let [_, partition, _, region, account, _] = arn.splitn(6, ':').collect::<Vec<_>>().try_into().ok()?;
        let pseudo = [("Partition", partition), ("Region", region), ("AccountId", account)];
        values.extend(pseudo.map(|(name, value)| (format!("AWS::{name}"), value.to_owned())));
        values.insert("AWS::StackName".into(), config.stack_name.read());
        let named = config.tables.by_variable().into_iter().chain(config.buckets.by_variable());
        values.extend(named.map(|(variable, name)| (variable.to_owned(), name.to_owned())));
        values.insert("LOG_KEY_ARN".into(), config.log_key_arn.read());
        values.insert("WEBHOOKS_KEY_ARN".into(), config.webhooks_key_arn.read());
        values.insert("PRINTS_KEY_ARN".into(), config.prints_key_arn.read());
        values.extend(config.signing_operators.clone().map(|pattern| ("SIGNING_OPERATORS".into(), pattern)));
        values.retain(|_, value| !value.is_empty());
        Some(values)
    }

    /// Whether a bucket's name was generated by CloudFormation for this stack.
    fn is_of_stack(&self, bucket: &str) -> bool {
        bucket.starts_with(&format!("{}-", self.connection.config().stack_name.read().to_lowercase()))
    }
}

const TABLE_ARN: &str = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/";

fn in_account(beginning: &str, name: &str, values: &BTreeMap<String, String>) -> String {
    with_values(beginning, values) + name
}

/// Replaces the variables in a text by their values.
fn with_values(text: &str, values: &BTreeMap<String, String>) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

impl Protected {
    fn differs(&mut self, resource: &str, how: String) {
        self.differences.push(Unprotected { resource: resource.to_owned(), how });
    }

    /// Compares a policy with the expected statements.
    fn compare(&mut self, resource: &str, policy: Option<&str>, expected: &[Value], values: &BTreeMap<String, String>) {
        self.compared += 1;
        let Some(policy) = policy else { return self.differs(resource, "it has no policy".into()) };
        let Ok(Value::Object(policy)) = serde_json::from_str::<Value>(policy) else {
            return self.differs(resource, "its policy cannot be read".into());
        };
        let mut found = listed(policy.get("Statement").unwrap_or(&Value::Null));
        for wanted in expected {
            let sid = sid(wanted);
            let Some(place) = found.iter().position(|statement| self::sid(statement) == sid) else {
                if wanted["optional"] != Value::Bool(true) {
                    self.differs(resource, format!("the statement {sid} is missing"));
                }
                continue;
            };
            let (is, should_be) = (parts(found.remove(place), values), parts(wanted, values));
            for name in is.keys().chain(should_be.keys()).collect::<BTreeSet<_>>() {
                let [is, should_be] = [&is, &should_be].map(|parts| parts.get(name).cloned().unwrap_or_default());
                let may_be_any = should_be.iter().any(|value| value.contains(ANY));
                if is != should_be && (is.is_empty() || !may_be_any) {
                    self.differs(resource, format!("{sid}: {name} is {is:?}, and not {should_be:?}"));
                }
            }
        }
        for statement in found {
            self.differs(resource, format!("the statement {} was added", sid(statement)));
        }
    }
}

fn listed(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |values| values.iter().collect())
}

fn sid(statement: &Value) -> &str {
    statement["Sid"].as_str().unwrap_or("without a name")
}

/// Normalizes a statement into its parts. AWS may write a single value as a list, the account instead of its root user,
/// and values in another order.
fn parts(statement: &Value, values: &BTreeMap<String, String>) -> Parts {
    let mut parts = Parts::new();
    for (name, value) in statement.as_object().into_iter().flatten() {
        match name.as_str() {
            "Sid" | "optional" => {}
            "Principal" if value == "*" => collect("Principal AWS", value, values, &mut parts),
            _ => collect(name, value, values, &mut parts),
        }
    }
    parts
}

fn collect(name: &str, value: &Value, values: &BTreeMap<String, String>, parts: &mut Parts) {
    if let Some(object) = value.as_object() {
        return object.iter().for_each(|(part, value)| collect(&format!("{name} {part}"), value, values, parts));
    }
    let texts = listed(value).into_iter().map(|value| match value {
        Value::String(text) => with_values(text, values),
        other => other.to_string(),
    });
    let account = values.get("AWS::AccountId").cloned().unwrap_or_default();
    let texts =
        texts.filter(|text| text != SIGNING_OPERATORS).map(|text| match name == "Principal AWS" && text == account {
            true => with_values("arn:${AWS::Partition}:iam::${AWS::AccountId}:root", values),
            false => text,
        });
    parts.entry(name.to_owned()).or_default().extend(texts);
}
