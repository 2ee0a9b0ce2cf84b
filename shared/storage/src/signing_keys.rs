//! The KMS keys that sign: two sign digests of captures, one the checkpoints of the transparency log. Keys are named by ARN.

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

/// The signature algorithm of a key, over a SHA-256 digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureAlgorithm {
    /// RSA PKCS#1 v1.5: the ICP-Brasil signature.
    RsaPkcs1Sha256,
    /// ECDSA on P-256, in DER: the C2PA claim signature.
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

/// What a key signs to show that it can: never a capture, and never the same.
#[must_use]
pub fn test_message() -> String {
    format!("a test of a signing key, not a capture: {}", attempt_id())
}

/// The port to KMS.
#[derive(Clone, Debug)]
pub struct SigningKeys {
    client: aws_sdk_kms::Client,
}

impl SigningKeys {
    /// The port over a connection.
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

    /// Signs a message of up to 4,096 bytes with an Ed25519 key: 64 bytes (RFC 8032).
    ///
    /// # Errors
    /// [`SignError`].
    pub async fn sign_ed25519(&self, key_arn: &str, message: &str) -> Result<Vec<u8>, SignError> {
        let sign = self.client.sign().key_id(key_arn).message_type(MessageType::Raw);
        let sign = sign.signing_algorithm(SigningAlgorithmSpec::Ed25519Sha512).message(Blob::new(message));
        signature(sign.send().in_time().await.map_err(|error| failed("Sign", &error))?)
    }

    /// The public key: `SubjectPublicKeyInfo` in DER.
    ///
    /// # Errors
    /// [`SignError`]: a key that is refused here would be refused at signing too.
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
        // The SDK calls an answer that it cannot read an error of the service's, whatever its status.
        error if error.raw_response().is_some_and(|answer| answer.status().is_success()) => {
            SignError::Unreadable(cause)
        }
        error if is_final_refusal(error) => SignError::Rejected(cause),
        _ => SignError::Unavailable(cause),
    }
}
