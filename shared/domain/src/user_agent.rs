//! User agents: the one that the page states, which the manifest contains, and the header's, which the personal item
//! keeps.

use serde::{Deserialize, Serialize};

use crate::{limits, text::is_invisible};

/// A `User-Agent` string, unverified: control and format characters are removed, and it is cut at 512 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserAgent(String);

impl UserAgent {
    /// Sanitizes a text and never refuses one. `None` if nothing remains.
    #[must_use]
    pub fn sanitize(text: &str) -> Option<Self> {
        let mut kept: String = text.chars().filter(|c| !is_invisible(*c)).collect();
        kept.truncate(kept.floor_char_boundary(limits::USER_AGENT_BYTES));
        (!kept.is_empty()).then_some(Self(kept))
    }

    /// The value of the `User-Agent` header, if it differs from this user agent, which the page states in the body.
    #[must_use]
    pub fn differing(&self, header: &str) -> Option<Self> {
        Self::sanitize(header).filter(|sent| sent != self)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn removes_invisible_characters_and_truncates_cleanly() {
        assert_eq!(UserAgent::sanitize("Mozilla\r\n/5.0\u{202e}").unwrap().as_str(), "Mozilla/5.0");
        let long = format!("x{}", "é".repeat(400));
        assert_eq!(UserAgent::sanitize(&long).unwrap().as_str().len(), 511);
        assert_eq!(UserAgent::sanitize("\u{0}"), None);
    }

    #[test]
    fn compares_headers_by_sanitized_text() {
        let claimed = UserAgent::sanitize("Mozilla/5.0").unwrap();
        assert_eq!(claimed.differing("Mozilla/5.0"), None);
        assert_eq!(claimed.differing("Mozilla\t/5.0"), None);
        assert_eq!(claimed.differing("\t"), None);
        assert_eq!(claimed.differing("Mozilla/5.0 ").unwrap().as_str(), "Mozilla/5.0 ");
        assert_eq!(claimed.differing("mozilla/5.0\t").unwrap().as_str(), "mozilla/5.0");
        let long = "x".repeat(limits::USER_AGENT_BYTES);
        assert_eq!(UserAgent::sanitize(&format!("{long}a")).unwrap().differing(&format!("{long}b")), None);
    }
}
