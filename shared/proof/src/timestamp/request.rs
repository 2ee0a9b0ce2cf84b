//! A request to a timestamp authority, and the check of the response.

use der::{Decode, Encode, asn1::Int};
use time::OffsetDateTime;
use x509_tsp::{MessageImprint, TimeStampReq, TspVersion};

use super::{SignedToken, Token, TokenFault, status::Response};
use crate::{cades::sha_256, trust::Anchors};

/// A request for a token over one message (RFC 3161, 2.4.1): with SHA-256, a nonce, and the authority's certificates in
/// the response.
pub struct TimestampRequest {
    message_sha256: [u8; 32],
    nonce: Int,
    der: Vec<u8>,
}

impl TimestampRequest {
    /// Creates a request over the message with the given SHA-256. The nonce consists of 16 random bytes.
    ///
    /// # Errors
    /// A text, if the request cannot be encoded.
    pub fn new(message_sha256: [u8; 32], mut nonce: [u8; 16]) -> Result<Self, String> {
        // Makes the nonce a positive number whose DER encoding has no shorter form.
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

    /// The `TimeStampReq` in DER: the body of an HTTP request of type `application/timestamp-query`.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// Parses a response (`TimeStampResp`, of type `application/timestamp-reply`) and checks it completely: status,
    /// message imprint, nonce, signature, certificate, accuracy, the chain at the token's time and now, and that the
    /// token's time is the current one.
    ///
    /// # Errors
    /// The [`TokenFault`] of the first check that fails.
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
