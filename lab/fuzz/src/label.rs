//! The label of a photo.

use lacre_api::Refusal;
use lacre_domain::Label;

use crate::text::is_unseen;

/// A label is refused exactly if it has more than 64 bytes, an invisible character, or a markup character. An accepted
/// label is unchanged. Quotes that only resemble ASCII's are allowed, because no consumer interprets them as markup.
pub fn hold(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let good = text.len() <= 64 && !text.chars().any(|c| is_unseen(c) || "<>&\"'`".contains(c));
    match Label::parse(text) {
        Ok(None) => assert!(text.is_empty()),
        Ok(Some(label)) => assert!(good && label.as_str() == text && !text.is_empty(), "{text:?} passes"),
        Err(refusal) => assert!(!good && refusal == Refusal::LabelInvalid, "{text:?} is refused"),
    }
}
