//! The session token, and the capture's `session_id` that is derived from it.

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{CaptureId, KeyHash};

/// Separates the derivation of a `session_id` from every other hash of a token.
const SESSION_ID_DOMAIN: &[u8] = b"lacre/session-id/v1";

/// A session's token: a UUID v4 in its canonical lower-case form. It opens the session, so it is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(Uuid);

impl SessionToken {
    /// A new token of 16 random bytes.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(entropy).into_uuid())
    }

    /// Reads a token; only the canonical lower-case form of a UUID v4 is one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse_canonical_v4(text).map(Self)
    }

    /// The hash under which the session is stored.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0.to_string())
    }

    /// The identifier of the capture of the photo at `order` (1-based). It is derived, so that it need not be stored.
    #[must_use]
    pub fn session_id(&self, order: u32) -> SessionId {
        let digest = Sha256::new()
            .chain_update(SESSION_ID_DOMAIN)
            .chain_update(self.0.as_bytes())
            .chain_update(order.to_be_bytes())
            .finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        SessionId(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The token itself, for the answers that carry it.
    #[must_use]
    pub fn expose(&self) -> String {
        self.0.to_string()
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(redacted)")
    }
}

/// A capture's identifier towards the integrator, in the shape of a UUID v4. It opens the image, so it is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionId(Uuid);

impl SessionId {
    /// Reads a `session_id`; only the canonical lower-case form of a UUID v4 is one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse_canonical_v4(text).map(Self)
    }

    /// The identifier that manifests, evidence and logs may hold: it opens nothing.
    #[must_use]
    pub fn capture_id(&self) -> CaptureId {
        CaptureId::of(&self.expose())
    }

    /// The identifier itself, for the answers that carry it.
    #[must_use]
    pub fn expose(&self) -> String {
        self.0.to_string()
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId(redacted)")
    }
}

fn parse_canonical_v4(text: &str) -> Option<Uuid> {
    let uuid = Uuid::parse_str(text).ok()?;
    let canonical =
        uuid.get_version_num() == 4 && uuid.get_variant() == uuid::Variant::RFC4122 && uuid.to_string() == text;
    canonical.then_some(uuid)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TOKEN: &str = "6fa459ea-ee8a-4ca4-894e-db77e160355e";

    #[test]
    fn only_the_canonical_form_is_a_token() {
        assert!(SessionToken::parse(TOKEN).is_some());
        for wrong in [
            &TOKEN.to_uppercase(),
            &TOKEN.replace('-', ""),
            &format!("{{{TOKEN}}}"),
            &TOKEN.replace("4ca4", "1ca4"),
            &TOKEN.replace("894e", "094e"),
            "",
        ] {
            assert!(SessionToken::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_session_id_is_a_uuid_v4_of_its_own_for_each_photo() {
        let token = SessionToken::parse(TOKEN).unwrap();
        let first = token.session_id(1);
        assert_eq!(first, token.session_id(1));
        assert_ne!(first, token.session_id(2));
        assert_ne!(first.expose(), TOKEN);
        assert_eq!(SessionId::parse(&first.expose()), Some(first));
    }

    #[test]
    fn a_capture_id_is_the_hash_of_the_session_id() {
        let id = SessionToken::parse(TOKEN).unwrap().session_id(1);
        assert_eq!(id.capture_id().as_str(), hex::encode(Sha256::digest(id.expose())));
    }
}
