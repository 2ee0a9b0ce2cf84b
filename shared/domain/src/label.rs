//! The photo's label, which is shown to the user and signed into the manifest.

use lacre_api::Refusal;
use serde::{Deserialize, Serialize};

use crate::{limits, text::is_invisible};

/// A photo's label: 1 to 64 bytes without control or format characters, and without the characters `<>&"'` and
/// backtick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Label(String);

impl Label {
    /// Parses a label. An empty text is valid and gives `None`.
    ///
    /// # Errors
    /// [`Refusal::LabelInvalid`].
    pub fn parse(text: &str) -> Result<Option<Self>, Refusal> {
        let refused = |c: char| is_invisible(c) || matches!(c, '<' | '>' | '&' | '"' | '\'' | '`');
        if text.len() > limits::LABEL_BYTES || text.chars().any(refused) {
            return Err(Refusal::LabelInvalid);
        }
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_long_labels_and_unsafe_characters() {
        assert_eq!(Label::parse(""), Ok(None));
        let fits = "é".repeat(32);
        assert_eq!(Label::parse(&fits), Ok(Some(Label(fits.clone()))));
        assert_eq!(Label::parse(&format!("{fits}x")), Err(Refusal::LabelInvalid));
        let refused = [
            "<", ">", "&", "\"", "'", "`", "\n", "\u{7f}", "\u{85}", "\u{200e}", "\u{202e}", "\u{2028}", "\u{2029}",
            "\u{feff}",
        ];
        for c in refused {
            assert_eq!(Label::parse(&format!("a{c}b")), Err(Refusal::LabelInvalid), "{c:?}");
        }
    }
}
