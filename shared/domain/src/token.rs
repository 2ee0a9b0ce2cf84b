//! The session token, and the `session_id` of a capture, which is derived from it.

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{CaptureId, KeyHash};

/// Domain separation: a prefix that makes the hash for a `session_id` different from every other hash of the token.
const SESSION_ID_DOMAIN: &[u8] = b"lacre/session-id/v1";

/// A session's token: a UUID v4 in its canonical lower-case form. Whoever has it can use the session, so it is a
/// secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(Uuid);

impl SessionToken {
    /// A new token from 16 random bytes.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(entropy).into_uuid())
    }

    /// Parses a token: a UUID v4 in its canonical lower-case form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse_canonical_v4(text).map(Self)
    }

    /// The hash under which the session is stored.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0.to_string())
    }

    /// The `session_id` of the photo at the 1-based place `order`. It is derived from the token, so it need not be
    /// stored.
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

    /// The token in clear, for the responses that carry it.
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

/// A capture's id for the integrator, in the form of a UUID v4. Whoever has it can fetch the image, so it is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionId(Uuid);

impl SessionId {
    /// Parses a `session_id`: a UUID v4 in its canonical lower-case form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse_canonical_v4(text).map(Self)
    }

    /// The capture's public id for manifests, records and logs, which gives access to nothing.
    #[must_use]
    pub fn capture_id(&self) -> CaptureId {
        CaptureId::of(&self.expose())
    }

    /// The `session_id` in clear, for the responses that carry it.
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
    fn accepts_only_canonical_tokens() {
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
    fn each_photo_has_another_session_id() {
        let token = SessionToken::parse(TOKEN).unwrap();
        let first = token.session_id(1);
        assert_eq!(first, token.session_id(1));
        assert_ne!(first, token.session_id(2));
        assert_ne!(first.expose(), TOKEN);
        assert_eq!(SessionId::parse(&first.expose()), Some(first.clone()));
        assert_eq!(format!("{first:?}"), "SessionId(redacted)");
    }

    #[test]
    fn capture_ids_are_hashed_session_ids() {
        let id = SessionToken::parse(TOKEN).unwrap().session_id(1);
        assert_eq!(id.capture_id().as_str(), hex::encode(Sha256::digest(id.expose())));
    }
}
