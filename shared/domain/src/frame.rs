//! The hash of a frame: the one value that the API, the evidence and both signatures agree on.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

/// SHA-256 of a frame's bytes. Read from hexadecimal of either case, written in lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameHash([u8; 32]);

impl FrameHash {
    /// Hashes a frame.
    #[must_use]
    pub fn of(frame: &[u8]) -> Self {
        Self(Sha256::digest(frame).into())
    }

    /// Reads 64 hexadecimal characters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hexadecimal characters.
    #[must_use]
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Debug for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrameHash({})", self.hex())
    }
}

impl Serialize for FrameHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for FrameHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not a SHA-256 in hexadecimal"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_case_is_read_and_lower_case_is_written() {
        let hash = FrameHash::of(b"frame");
        assert_eq!(FrameHash::parse(&hash.hex().to_uppercase()), Some(hash));
        assert_eq!(hash.hex(), hash.hex().to_lowercase());
        assert_eq!(FrameHash::parse(&hash.hex()[1..]), None);
        assert_eq!(FrameHash::parse(&format!("{}g", &hash.hex()[1..])), None);
        assert_eq!(FrameHash::parse(""), None);
    }
}
