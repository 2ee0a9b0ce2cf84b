//! The form of names for sorting and searching, without case and accents.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Maximum length of a name in a sort key. The key is limited to 1,024 bytes and contains two ids, and one character of
/// a name may be decomposed into eighteen.
const CHARS: usize = 100;

/// The folded form of a name, by which it is sorted and searched: `São João` and `SAO JOAO` are equal. Long names are
/// cut.
pub(super) fn folded(name: &str) -> String {
    let plain = name.trim().nfkd().filter(|char| !is_combining_mark(*char));
    plain.flat_map(char::to_lowercase).take(CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_do_not_count() {
        for name in ["São João Seguros", "SAO JOÃO SEGUROS", " sao joao seguros"] {
            assert_eq!(folded(name), "sao joao seguros");
        }
        assert!(folded("Ação & Crédito").starts_with(&folded("açã")));
        // This character is decomposed into eighteen.
        assert!(folded(&"\u{fdfa}".repeat(100)).len() <= 4 * CHARS);
    }
}
