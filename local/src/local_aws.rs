//! Starts the stand-ins with the names and credentials of the local service.

use std::path::Path;

use lacre_storage::{Buckets, Tables};
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    stand_ins::{self, Identity, KeyPair, SECRETS_FILE, Stack, StackPorts, Storage, write_whole},
};

const ROLE: &str = "local-role";
const PRESIGNER: &str = "local-presigner";
const REGION: &str = "sa-east-1";

/// The secret access keys. They are kept in the data directory, because presigned URLs stay valid across restarts. They
/// are random, because a stranger can reach S3 through the port for phones and could sign requests with keys that are
/// in the source code.
#[derive(Serialize, Deserialize)]
struct Secrets {
    role: String,
    presigner: String,
}

impl Secrets {
    fn of(storage: &Storage) -> Result<Self, stand_ins::Error> {
        let Some(file) = storage.file(SECRETS_FILE) else { return Ok(Self::random()) };
        if file.exists() {
            return Self::read(&file);
        }
        storage.create()?;
        let secrets = Self::random();
        write_whole(&file, &[&serde_json::to_vec(&secrets).map_err(std::io::Error::other)?])?;
        Ok(secrets)
    }

    fn random() -> Self {
        let secret = || uuid::Uuid::new_v4().simple().to_string();
        Self { role: secret(), presigner: secret() }
    }

    fn read(file: &Path) -> Result<Self, stand_ins::Error> {
        serde_json::from_slice(&std::fs::read(file)?).map_err(|error| stand_ins::Error::unreadable(file, &error))
    }
}

/// Starts the stand-ins. Returns them with the environment variables that functions need to reach them.
///
/// # Errors
/// If a port is taken or the storage cannot be used.
pub async fn start_stand_ins(storage: &Storage, ports: StackPorts) -> Result<(Stack, Vec<(String, String)>), Error> {
    let secrets = Secrets::of(storage)?;
    let others = [
        ("WEBHOOKS_KEY_ARN", "arn:aws:kms:sa-east-1:000000000000:alias/lacre-webhooks"),
        ("PRINTS_KEY_ARN", "arn:aws:kms:sa-east-1:000000000000:alias/lacre-prints"),
        ("LOG_KEY_ARN", "arn:aws:kms:sa-east-1:000000000000:alias/lacre-log"),
        ("ALERTS_TOPIC_ARN", "arn:aws:sns:sa-east-1:000000000000:lacre-alerts"),
        ("AWS_REGION", REGION),
        ("AWS_ACCESS_KEY_ID", ROLE),
        ("AWS_SECRET_ACCESS_KEY", &secrets.role),
        ("PRESIGNER_ACCESS_KEY_ID", PRESIGNER),
        ("PRESIGNER_SECRET_ACCESS_KEY", &secrets.presigner),
    ];
    let pair = |access_key_id: &str, secret_access_key: &str, identity| KeyPair {
        access_key_id: access_key_id.to_owned(),
        secret_access_key: secret_access_key.to_owned(),
        identity,
    };
    let reader = Identity::Reader { bucket: name_of("PROOFS_BUCKET") };
    let pairs = vec![pair(ROLE, &secrets.role, Identity::Role), pair(PRESIGNER, &secrets.presigner, reader)];
    let stack = Stack::start(storage, ports, pairs).await?;
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

/// The name of the table or bucket that a variable holds, such as `lacre-sessions` for `SESSIONS_TABLE`.
pub(crate) fn name_of(variable: &str) -> String {
    let (name, _) = variable.rsplit_once('_').unwrap_or((variable, ""));
    format!("lacre-{}", name.to_ascii_lowercase())
}
