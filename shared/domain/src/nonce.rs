//! The nonce that a load hands out and an ingest spends.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use lacre_api::Refusal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{KeyHash, LicenseId, Origin};

/// 32 random bytes, base64url without padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
    /// A new nonce.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(entropy))
    }

    /// Reads the nonce of an ingest.
    ///
    /// # Errors
    /// [`Refusal::NonceMissing`], [`Refusal::NonceMalformed`].
    pub fn parse(text: Option<&str>) -> Result<Self, Refusal> {
        let text = text.filter(|text| !text.is_empty()).ok_or(Refusal::NonceMissing)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| Refusal::NonceMalformed)?;
        if bytes.len() == 32 { Ok(Self(text.to_owned())) } else { Err(Refusal::NonceMalformed) }
    }

    /// The hash under which the nonce is stored.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }

    /// The nonce itself, for the one answer that carries it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce(redacted)")
    }
}

/// The record of a nonce: the load of the session that issued it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedNonce {
    /// The hash of the session's token.
    pub session: String,
    /// The origin of the page that loaded the session.
    pub origin: Origin,
    /// The license that the session had at this load. Another license voids the nonce.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license_id: Option<LicenseId>,
    /// The object key that this load may upload to.
    pub image_key: String,
    /// When it was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
    /// The attempt that spent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed_by: Option<String>,
}

impl IssuedNonce {
    /// Checks that the nonce is of this session under its license, and was not spent.
    ///
    /// # Errors
    /// [`Refusal::NonceReplay`].
    pub fn check_usable(&self, session: &KeyHash, license: &LicenseId) -> Result<(), Refusal> {
        let same_license = self.license_id.as_ref().is_none_or(|id| id == license);
        let usable = self.session == session.as_str() && same_license && self.consumed_by.is_none();
        if usable { Ok(()) } else { Err(Refusal::NonceReplay) }
    }

    /// Checks that the page which ingests is the page which loaded.
    ///
    /// # Errors
    /// [`Refusal::OriginSessionMismatch`].
    pub fn check_origin(&self, origin: &Origin) -> Result<(), Refusal> {
        if self.origin == *origin { Ok(()) } else { Err(Refusal::OriginSessionMismatch) }
    }

    /// Checks that the image is the one that this load was given.
    ///
    /// # Errors
    /// [`Refusal::ImageNotFound`].
    pub fn check_image_key(&self, image_key: &str) -> Result<(), Refusal> {
        if self.image_key == image_key { Ok(()) } else { Err(Refusal::ImageNotFound) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_32_bytes_in_base64url() {
        let nonce = Nonce::from_entropy([0xfb; 32]);
        assert_eq!(nonce.expose().len(), 43);
        assert_eq!(Nonce::parse(Some(nonce.expose())), Ok(nonce.clone()));
        assert_eq!(Nonce::parse(None), Err(Refusal::NonceMissing));
        assert_eq!(Nonce::parse(Some("")), Err(Refusal::NonceMissing));
        let padded = format!("{}=", nonce.expose());
        for wrong in [&nonce.expose()[1..], &padded, &nonce.expose().replace('-', "+"), "ü"] {
            assert_eq!(Nonce::parse(Some(wrong)), Err(Refusal::NonceMalformed), "{wrong}");
        }
    }
}
