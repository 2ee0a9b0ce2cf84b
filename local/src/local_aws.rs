//! The stand-ins under the names and with the credentials that the local service uses.

use aws::{Buckets, Tables};

use crate::{
    Error,
    stand_ins::{Identity, KeyPair, Stack, StackPorts, Storage},
};

/// The stand-ins take these; they protect nothing but the tests' honesty.
const ROLE: (&str, &str) = ("local-role", "local-role-secret");
const PRESIGNER: (&str, &str) = ("local-presigner", "local-presigner-secret");
const REGION: &str = "sa-east-1";

/// Starts the stand-ins; answers also with a function's environment for them.
///
/// # Errors
/// When a port is taken or the storage cannot be used.
pub async fn start_stand_ins(storage: &Storage, ports: StackPorts) -> Result<(Stack, Vec<(String, String)>), Error> {
    let others = [
        ("WEBHOOKS_KEY_ARN", "arn:aws:kms:sa-east-1:000000000000:alias/lacre-webhooks"),
        ("LOG_KEY_ARN", "arn:aws:kms:sa-east-1:000000000000:alias/lacre-log"),
        ("ALERTS_TOPIC_ARN", "arn:aws:sns:sa-east-1:000000000000:lacre-alerts"),
        ("AWS_REGION", REGION),
        ("AWS_ACCESS_KEY_ID", ROLE.0),
        ("AWS_SECRET_ACCESS_KEY", ROLE.1),
        ("PRESIGNER_ACCESS_KEY_ID", PRESIGNER.0),
        ("PRESIGNER_SECRET_ACCESS_KEY", PRESIGNER.1),
    ];
    let pair = |(access_key_id, secret_access_key): (&str, &str), identity| KeyPair {
        access_key_id: access_key_id.to_owned(),
        secret_access_key: secret_access_key.to_owned(),
        identity,
    };
    let reader = Identity::Reader { bucket: name_of("PROOFS_BUCKET") };
    let stack = Stack::start(storage, ports, vec![pair(ROLE, Identity::Role), pair(PRESIGNER, reader)]).await?;
    let endpoints = [
        ("AWS_ENDPOINT_URL_DYNAMODB", stack.dynamodb_url()),
        ("AWS_ENDPOINT_URL_S3", stack.s3_url()),
        ("AWS_ENDPOINT_URL_KMS", stack.kms_url()),
        ("AWS_ENDPOINT_URL_SNS", stack.sns_url()),
        ("AWS_ENDPOINT_URL_STS", stack.sts_url()),
    ];
    let storage = Tables::VARIABLES.into_iter().chain(Buckets::VARIABLES).map(|variable| (variable, name_of(variable)));
    let others = others.map(|(variable, value)| (variable, value.to_owned()));
    let variables = storage.chain(others).chain(endpoints).map(|(variable, value)| (variable.to_owned(), value));
    Ok((stack, variables.collect()))
}

/// The name of the table or bucket that a variable holds: `lacre-sessions` in `SESSIONS_TABLE`.
pub(crate) fn name_of(variable: &str) -> String {
    let (name, _) = variable.rsplit_once('_').unwrap_or((variable, ""));
    format!("lacre-{}", name.to_ascii_lowercase())
}
