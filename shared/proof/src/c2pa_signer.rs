//! The claim key as the C2PA library wants to see it.

use std::sync::Mutex;

use async_trait::async_trait;
use sha2::{Digest, Sha256};

use crate::{DigestSigner, SealError, ecdsa, signers::Side};

/// Room for the COSE structure around certificates and signature: headers, lengths and padding. The library's padding hits
/// the reserved size only where it has 256 bytes or more to fill.
const COSE_ROOM: usize = 320;
/// `r` and `s` of P-256.
const SIGNATURE: usize = 64;
/// A CBOR byte string's head, at most, for a certificate.
const BYTE_STRING_HEAD: usize = 3;

/// Hands the digest of what C2PA wants signed to the remote key, and checks what comes back.
pub(crate) struct ClaimSigner<'a> {
    side: &'a Side,
    key: &'a dyn DigestSigner,
    /// Why the last signature failed: the library's error type has no room for it.
    failure: Mutex<Option<SealError>>,
}

impl<'a> ClaimSigner<'a> {
    pub(crate) fn new(side: &'a Side, key: &'a dyn DigestSigner) -> Self {
        Self { side, key, failure: Mutex::new(None) }
    }

    /// Turns the library's error into the one behind it.
    pub(crate) fn explain(self, error: &c2pa::Error) -> SealError {
        let failure = self.failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        failure.unwrap_or_else(|| SealError::InvalidResponse(format!("the manifest cannot be made: {error}")))
    }

    fn fail(&self, error: SealError) -> c2pa::Error {
        *self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
        c2pa::Error::CoseSignature
    }
}

#[async_trait]
impl c2pa::AsyncSigner for ClaimSigner<'_> {
    async fn sign(&self, to_be_signed: Vec<u8>) -> c2pa::Result<Vec<u8>> {
        let digest = Sha256::digest(&to_be_signed).into();
        let signature = self.key.sign(digest).await.map_err(|failure| self.fail(SealError::later(failure)))?;
        let fixed = ecdsa::fixed_from_der(&signature).filter(|_| self.side.verifies(&to_be_signed, &signature));
        fixed.map(Vec::from).ok_or_else(|| {
            let cause = "the signature is not of the claim certificate's key";
            self.fail(SealError::InvalidResponse(cause.into()))
        })
    }

    fn alg(&self) -> c2pa::SigningAlg {
        c2pa::SigningAlg::Es256
    }

    fn certs(&self) -> c2pa::Result<Vec<Vec<u8>>> {
        Ok(self.side.chain.der().to_vec())
    }

    fn reserve_size(&self) -> usize {
        let certificates: usize = self.side.chain.der().iter().map(|der| der.len() + BYTE_STRING_HEAD).sum();
        certificates + SIGNATURE + COSE_ROOM
    }
}
