//! Adapters that give the C2PA library access to the claim key, the timestamp authorities and the staple.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use c2pa::{AsyncSigner, SigningAlg};
use lacre_proof::{Timestamps, ecdsa, revocation::Staple};
use sha2::{Digest, Sha256};

use super::{BESIDE_TOKEN, signature_length};
use crate::{DigestSigner, ProofFailure, Signers};

/// Signs one claim for the C2PA library.
pub(super) struct ClaimKey<'a> {
    signers: &'a Signers,
    key: &'a dyn DigestSigner,
    timestamps: Timestamps<'a>,
    /// The length in bytes of the longest timestamp token that fits into the claim signature.
    longest_token: usize,
    staple: Option<&'a Staple>,
    /// Why signing failed. It is kept here, because the library's error type cannot carry it.
    failure: Mutex<Option<ProofFailure>>,
    /// The timestamp token that the library received, in DER.
    token: Mutex<Option<Vec<u8>>>,
}

impl<'a> ClaimKey<'a> {
    pub(super) fn new(
        signers: &'a Signers,
        key: &'a dyn DigestSigner,
        timestamps: Timestamps<'a>,
        longest_token: usize,
        staple: Option<&'a Staple>,
    ) -> Self {
        let (failure, token) = (Mutex::default(), Mutex::default());
        Self { signers, key, timestamps, longest_token, staple, failure, token }
    }

    /// The number of bytes to reserve for the COSE signature: exactly its size with the staple, plus space for a timestamp
    /// if one is requested. The claim covers the manifest's length, so the space is reserved before the token is known.
    pub(super) fn reserved(&self) -> usize {
        let timestamp = if self.timestamps.are_wanted() { self.longest_token + BESIDE_TOKEN } else { 0 };
        signature_length(self.signers.claim.chain.der(), self.staple) + timestamp
    }

    /// Why signing failed, if the key or an authority was the cause.
    pub(super) fn failure(&self) -> Option<ProofFailure> {
        self.lock().take()
    }

    /// The timestamp token over the claim signature, in DER.
    pub(super) fn token(&self) -> Option<Vec<u8>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Signs the `Sig_structure` (RFC 9052, 4.4). Of the two equivalent ECDSA signatures it returns the one with the
    /// smaller `s`, in DER.
    async fn signature(&self, message: &[u8]) -> Result<Vec<u8>, ProofFailure> {
        let answer = self.key.sign(Sha256::digest(message).into()).await.map_err(ProofFailure::later)?;
        let signature =
            ecdsa::with_smaller_s(ecdsa::P_256, &answer).filter(|_| self.signers.claim.verifies(message, &answer));
        signature.ok_or_else(|| {
            ProofFailure::InvalidResponse("the signature does not verify under the claim certificate".into())
        })
    }

    /// Keeps the cause for the caller, and returns an error for the library.
    fn fail(&self, failure: ProofFailure) -> c2pa::Error {
        let text = failure.to_string();
        *self.lock() = Some(failure);
        c2pa::Error::OtherError(text.into())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ProofFailure>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl AsyncSigner for ClaimKey<'_> {
    async fn sign(&self, data: Vec<u8>) -> c2pa::Result<Vec<u8>> {
        self.signature(&data).await.map_err(|failure| self.fail(failure))
    }

    fn alg(&self) -> SigningAlg {
        SigningAlg::Es256
    }

    fn certs(&self) -> c2pa::Result<Vec<Vec<u8>>> {
        Ok(self.signers.claim.chain.der().to_vec())
    }

    fn reserve_size(&self) -> usize {
        self.reserved()
    }

    async fn ocsp_val(&self) -> Option<Vec<u8>> {
        self.staple.map(|staple| staple.der().to_vec())
    }

    /// The library passes the structure of a countersignature (C2PA 2.4, `sigTst2`) and expects a `TimeStampResp`.
    async fn send_timestamp_request(&self, message: &[u8]) -> Option<c2pa::Result<Vec<u8>>> {
        match self.timestamps.over(Sha256::digest(message).into()).await {
            Ok(Some(token)) if token.der().len() > self.longest_token => {
                let fault = "the claim's timestamp is much longer than the seal's".to_owned();
                Some(Err(self.fail(ProofFailure::InvalidResponse(fault))))
            }
            Ok(token) => token.map(|token| {
                *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.der().to_vec());
                token.response().map_err(|error| c2pa::Error::OtherError(error.into()))
            }),
            Err(failure) => Some(Err(self.fail(ProofFailure::NotTimestamped(failure)))),
        }
    }
}
