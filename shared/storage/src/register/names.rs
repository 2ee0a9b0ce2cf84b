//! Names as lists sort and find them: without case and accents.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A sort key has 1,024 bytes, with two ids, and one character of a name may become eighteen.
const CHARS: usize = 100;

/// A name in the form by which it is sorted and searched: `São João` and `SAO JOAO` are the same. Of long ones the beginning.
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
        // One character, which is written out as eighteen.
        assert!(folded(&"\u{fdfa}".repeat(100)).len() <= 4 * CHARS);
    }
}
