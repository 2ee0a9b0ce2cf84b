//! The nonce that a load issues and an ingest consumes.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use lacre_api::Refusal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{KeyHash, LicenseId, Origin};

/// A nonce: 32 random bytes in base64url without padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
    /// A new nonce from random bytes.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(entropy))
    }

    /// Parses the nonce of an ingest.
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

    /// The nonce in clear, for the one response that carries it.
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

/// The stored record of a nonce, written by the load of a session that issued it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedNonce {
    /// The hash of the session's token.
    pub session: String,
    /// The origin of the page that loaded the session.
    pub origin: Origin,
    /// The license of the session at this load. The nonce is invalid under any other license.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license_id: Option<LicenseId>,
    /// The S3 object key to which the page may upload the frame of this load.
    pub image_key: String,
    /// When the nonce was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
    /// The id of the ingest attempt that consumed the nonce; `None` before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed_by: Option<String>,
}

impl IssuedNonce {
    /// Checks that the nonce was issued for this session under this license, and was not consumed yet.
    ///
    /// # Errors
    /// [`Refusal::NonceReplay`].
    pub fn check_usable(&self, session: &KeyHash, license: &LicenseId) -> Result<(), Refusal> {
        let same_license = self.license_id.as_ref().is_none_or(|id| id == license);
        let usable = self.session == session.as_str() && same_license && self.consumed_by.is_none();
        if usable { Ok(()) } else { Err(Refusal::NonceReplay) }
    }

    /// Checks that the ingest comes from the same origin as the load.
    ///
    /// # Errors
    /// [`Refusal::OriginSessionMismatch`].
    pub fn check_origin(&self, origin: &Origin) -> Result<(), Refusal> {
        if self.origin == *origin { Ok(()) } else { Err(Refusal::OriginSessionMismatch) }
    }

    /// Checks that the ingest names the object key that this load issued.
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
