//! Names as lists sort and find them: without case and accents.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A name in the form by which it is sorted and searched: `São João` and `SAO JOAO` are the same.
pub(super) fn folded(name: &str) -> String {
    let plain = name.trim().nfkd().filter(|char| !is_combining_mark(*char));
    plain.flat_map(char::to_lowercase).collect()
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
    }
}
