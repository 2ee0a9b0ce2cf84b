//! Makes text that others wrote safe to read: invisible characters are escaped, and no text can change the direction of
//! the text beside it.

use maud::{Markup, html};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Text as an element of the page. Long names may wrap after their commas.
#[must_use]
pub fn visible(text: &str) -> Markup {
    html! { bdi { @for part in escaped(text).split_inclusive(',') { (part) wbr; } } }
}

/// Escapes characters without a visible form as `\u{…}`: control and format characters (bidirectional ones included),
/// line separators, and code points that Unicode does not define.
#[must_use]
pub fn escaped(text: &str) -> String {
    let escape = |c: char| if has_form(c) { c.to_string() } else { c.escape_unicode().to_string() };
    text.chars().map(escape).collect()
}

fn has_form(c: char) -> bool {
    let separates_lines =
        matches!(c.general_category(), GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator);
    c.general_category_group() != GeneralCategoryGroup::Other && !separates_lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        let bidi = ['\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200f}'];
        let others = ['\0', '\n', '\r', '\u{1b}', '\u{9b}', '\u{200b}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{fffe}'];
        for c in bidi.into_iter().chain(others) {
            assert_eq!(escaped(&format!("a{c}b")), format!("a{}b", c.escape_unicode()));
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["Fachada, nº 1578", "cafe\u{301} \"à vontade\" \\ 'x'", "שלום", "📷", "<b>"] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(visible("<script>&\"").into_string(), "<bdi>&lt;script&gt;&amp;&quot;<wbr></bdi>");
    }
}
