//! The signing key of the logs: one Ed25519 key in KMS, under which the log of each environment has its own name.

use lacre_domain::{Environment, Sha256Digest, SignError};
use lacre_transparency::{Checkpoint, LogKey, SignedNote};
use tokio::sync::OnceCell;

use crate::{Connection, SigningKeys};

/// Signs checkpoints.
#[derive(Debug)]
pub struct LogSigner {
    keys: SigningKeys,
    key_arn: String,
    origin: String,
    public_key: OnceCell<[u8; 32]>,
}

impl LogSigner {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let config = &connection.config;
        Self {
            keys: SigningKeys::new(connection),
            key_arn: config.log_key_arn.read(),
            origin: config.log_origin.read(),
            public_key: OnceCell::new(),
        }
    }

    /// The verification key of an environment's log. The log's name is the deployment's origin, a slash, and the
    /// environment.
    ///
    /// # Errors
    /// [`SignError`]; [`SignError::Unreadable`] if the KMS key is not an Ed25519 key, or the name is not valid for a
    /// log.
    pub async fn key(&self, environment: Environment) -> Result<LogKey, SignError> {
        let read = || async {
            let spki = self.keys.public_key(&self.key_arn).await?;
            LogKey::public_key_of(&spki).ok_or_else(|| SignError::Unreadable("not an Ed25519 key".into()))
        };
        let public_key = *self.public_key.get_or_try_init(read).await?;
        let key = LogKey::new(&format!("{}/{}", self.origin, environment.path()), public_key);
        key.map_err(|_| SignError::Unreadable("LOG_ORIGIN is not a URL without a scheme".into()))
    }

    /// Signs a checkpoint of an environment's log, and verifies the signature.
    ///
    /// # Errors
    /// [`SignError`].
    pub async fn sign(&self, environment: Environment, size: u64, root: Sha256Digest) -> Result<SignedNote, SignError> {
        let key = self.key(environment).await?;
        let checkpoint = Checkpoint { origin: key.origin().to_owned(), size, root };
        let signature = self.keys.sign_ed25519(&self.key_arn, &checkpoint.to_string()).await?;
        let note = key.signed(&checkpoint, signature);
        note.ok_or_else(|| SignError::Unreadable("the signature of the checkpoint does not verify".into()))
    }
}
