//! The KMS keys that sign: two sign the digests of captures, and one signs the checkpoints of the transparency log.
//! Keys are identified by ARN.

use aws_sdk_kms::{
    error::{ProvideErrorMetadata, SdkError},
    operation::sign::SignOutput,
    primitives::Blob,
    types::{MessageType, SigningAlgorithmSpec},
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use lacre_domain::SignError;

use crate::{
    Connection, attempt_id,
    budgets::InTime,
    error::{describe, is_final_refusal},
};

/// The signature algorithm of a key that signs SHA-256 digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureAlgorithm {
    /// RSASSA-PKCS1-v1_5, for the seal (the ICP-Brasil signature).
    RsaPkcs1Sha256,
    /// ECDSA on P-256, encoded in DER, for the C2PA claim signature.
    EcdsaSha256,
}

impl SignatureAlgorithm {
    fn spec(self) -> SigningAlgorithmSpec {
        match self {
            Self::RsaPkcs1Sha256 => SigningAlgorithmSpec::RsassaPkcs1V15Sha256,
            Self::EcdsaSha256 => SigningAlgorithmSpec::EcdsaSha256,
        }
    }
}

/// A message that a key signs to show that it can. It is unique, and cannot be mistaken for a capture.
#[must_use]
pub fn test_message() -> String {
    format!("a test of a signing key, not a capture: {}", attempt_id())
}

/// Signs with KMS keys.
#[derive(Clone, Debug)]
pub struct SigningKeys {
    client: aws_sdk_kms::Client,
}

impl SigningKeys {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.kms() }
    }

    /// Signs a SHA-256 digest.
    ///
    /// # Errors
    /// [`SignError`].
    pub async fn sign(
        &self,
        key_arn: &str,
        algorithm: SignatureAlgorithm,
        digest: [u8; 32],
    ) -> Result<Vec<u8>, SignError> {
        let answer = self
            .client
            .sign()
            .key_id(key_arn)
            .message_type(MessageType::Digest)
            .signing_algorithm(algorithm.spec())
            .message(Blob::new(digest))
            .send()
            .in_time()
            .await
            .map_err(|error| failed("Sign", &error))?;
        signature(answer)
    }

    /// Signs a message of up to 4,096 bytes with an Ed25519 key. Returns the 64-byte signature (RFC 8032).
    ///
    /// # Errors
    /// [`SignError`].
    pub async fn sign_ed25519(&self, key_arn: &str, message: &str) -> Result<Vec<u8>, SignError> {
        let sign = self.client.sign().key_id(key_arn).message_type(MessageType::Raw);
        let sign = sign.signing_algorithm(SigningAlgorithmSpec::Ed25519Sha512).message(Blob::new(message));
        signature(sign.send().in_time().await.map_err(|error| failed("Sign", &error))?)
    }

    /// The public key of a KMS key, as `SubjectPublicKeyInfo` in DER.
    ///
    /// # Errors
    /// [`SignError`]. A key that is refused here would be refused when signing too.
    pub async fn public_key(&self, key_arn: &str) -> Result<Vec<u8>, SignError> {
        let answer = self.client.get_public_key().key_id(key_arn).send().in_time().await;
        let answer = answer.map_err(|error| failed("GetPublicKey", &error))?;
        let key = answer.public_key.map(Blob::into_inner);
        key.ok_or_else(|| SignError::Unreadable("GetPublicKey returned no key".into()))
    }
}

fn signature(answer: SignOutput) -> Result<Vec<u8>, SignError> {
    let signature = answer.signature.map(Blob::into_inner);
    signature.ok_or_else(|| SignError::Unreadable("Sign returned no signature".into()))
}

fn failed<E: ProvideErrorMetadata>(operation: &str, error: &SdkError<E, HttpResponse>) -> SignError {
    let cause = describe(operation, error);
    match error {
        SdkError::ResponseError(_) => SignError::Unreadable(cause),
        // The SDK reports a response that it cannot parse as a service error, even if its status is a success.
        error if error.raw_response().is_some_and(|answer| answer.status().is_success()) => {
            SignError::Unreadable(cause)
        }
        error if is_final_refusal(error) => SignError::Rejected(cause),
        _ => SignError::Unavailable(cause),
    }
}
