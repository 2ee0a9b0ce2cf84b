//! The stand-ins under the names and with the credentials that the local service uses.

use crate::{
    Error,
    stand_ins::{Identity, KeyPair, Stack, StackPorts, Storage},
};

/// The stand-ins take these; they protect nothing but the tests' honesty.
const ROLE: (&str, &str) = ("local-role", "local-role-secret");
const PRESIGNER: (&str, &str) = ("local-presigner", "local-presigner-secret");
const REGION: &str = "sa-east-1";
const PROOFS_BUCKET: &str = "lacre-proofs";

/// Starts the stand-ins; answers also with a function's environment for them.
///
/// # Errors
/// When a port is taken or the storage cannot be used.
pub async fn start_stand_ins(storage: &Storage, ports: StackPorts) -> Result<(Stack, Vec<(String, String)>), Error> {
    let names = [
        ("SESSIONS_TABLE", "lacre-sessions"),
        ("ACCOUNTS_TABLE", "lacre-accounts"),
        ("FRAMES_TABLE", "lacre-frames"),
        ("EVIDENCE_TABLE", "lacre-evidence"),
        ("PERSONAL_TABLE", "lacre-personal"),
        ("WEBHOOKS_TABLE", "lacre-webhooks"),
        ("AUDIT_TABLE", "lacre-audit"),
        ("WEBHOOKS_KEY_ARN", "arn:aws:kms:sa-east-1:000000000000:alias/lacre-webhooks"),
        ("UPLOADS_BUCKET", "lacre-uploads"),
        ("PROOFS_BUCKET", PROOFS_BUCKET),
        ("EXPORT_BUCKET", "lacre-export"),
        ("LOG_TABLE", "lacre-log"),
        ("LOG_BUCKET", "lacre-log"),
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
    let reader = Identity::Reader { bucket: PROOFS_BUCKET.to_owned() };
    let stack = Stack::start(storage, ports, vec![pair(ROLE, Identity::Role), pair(PRESIGNER, reader)]).await?;
    let endpoints = [
        ("AWS_ENDPOINT_URL_DYNAMODB", stack.dynamodb_url()),
        ("AWS_ENDPOINT_URL_S3", stack.s3_url()),
        ("AWS_ENDPOINT_URL_KMS", stack.kms_url()),
        ("AWS_ENDPOINT_URL_SNS", stack.sns_url()),
        ("AWS_ENDPOINT_URL_STS", stack.sts_url()),
    ];
    let names = names.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let endpoints = endpoints.map(|(name, value)| (name.to_owned(), value));
    Ok((stack, names.into_iter().chain(endpoints).collect()))
}
