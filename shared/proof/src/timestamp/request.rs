//! A question to an authority, and whether an answer is its answer.

use der::{Decode, Encode, asn1::Int};
use time::OffsetDateTime;
use x509_tsp::{MessageImprint, TimeStampReq, TspVersion};

use super::{SignedToken, Token, TokenFault, status::Response};
use crate::{cades::sha_256, trust::Anchors};

/// Asks an authority for a token over one message (RFC 3161, 2.4.1): SHA-256, with a nonce, and with the authority's
/// certificates in the answer.
pub struct TimestampRequest {
    message_sha256: [u8; 32],
    nonce: Int,
    der: Vec<u8>,
}

impl TimestampRequest {
    /// A request over the message with that SHA-256. The nonce is 16 random bytes.
    ///
    /// # Errors
    /// A text, when the request cannot be encoded.
    pub fn new(message_sha256: [u8; 32], mut nonce: [u8; 16]) -> Result<Self, String> {
        // A positive number that has no shorter form.
        nonce[0] = nonce[0] & 0x7F | 0x40;
        Self::with_nonce(message_sha256, &nonce).map_err(|error| error.to_string())
    }

    fn with_nonce(message_sha256: [u8; 32], nonce: &[u8]) -> der::Result<Self> {
        let nonce = Int::new(nonce)?;
        let request = TimeStampReq {
            version: TspVersion::V1,
            message_imprint: MessageImprint {
                hash_algorithm: sha_256(),
                hashed_message: der::asn1::OctetString::new(message_sha256)?,
            },
            req_policy: None,
            nonce: Some(nonce.clone()),
            cert_req: true,
            extensions: None,
        };
        Ok(Self { message_sha256, nonce, der: request.to_der()? })
    }

    /// The `TimeStampReq` in DER: an HTTP body of type `application/timestamp-query`.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// Opens an answer (`TimeStampResp`, of type `application/timestamp-reply`) and checks all of it: status, imprint,
    /// nonce, signature, certificate, accuracy, chain at the token's time and now, and that its time is now.
    ///
    /// # Errors
    /// [`TokenFault`] naming the first check that does not hold.
    pub fn open(&self, answer: &[u8], anchors: &Anchors, now: OffsetDateTime) -> Result<Token, TokenFault> {
        let response = Response::from_der(answer).map_err(TokenFault::unreadable)?;
        let token = SignedToken::of(&response.token()?)?;
        let path = token.check(&self.message_sha256, anchors, now)?;
        token.check_nonce(&self.nonce)?;
        token.check_clock(now)?;
        let der = token.in_one_form(&path)?;
        match der.len() {
            super::MIN_TOKEN..=super::MAX_TOKEN => Ok(Token { der, time: token.time() }),
            length => Err(TokenFault::Length(length)),
        }
    }
}
