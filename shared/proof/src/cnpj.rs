//! The CNPJ, the number of a company in Brazil's national register of legal entities.

use std::fmt::{self, Display, Formatter};

/// A CNPJ with valid check digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cnpj(String);

impl Cnpj {
    /// Parses 14 characters, or the form `00.000.000/0000-00`. Since 2026 the first twelve may also be letters (IN RFB
    /// 2.229/2024), in either case.
    ///
    /// # Errors
    /// A text that describes the fault.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.to_ascii_uppercase();
        let bare: String = text.chars().filter(|c| !matches!(c, '.' | '/' | '-')).collect();
        let punctuated = punctuated(&bare).filter(|punctuated| text == bare || text == *punctuated);
        let (Some(_), Some((rest, last))) = (punctuated, bare.split_at_checked(13)) else {
            return Err("a CNPJ has 12 digits or letters and 2 digits, or the form 00.000.000/0000-00".into());
        };
        let (root, first) = rest.split_at(12);
        match (check_digit(root), check_digit(rest)) == (digit(first), digit(last)) {
            true => Ok(Self(bare)),
            false => Err("the check digits of the CNPJ are wrong".into()),
        }
    }

    /// The 14 characters without punctuation.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Display for Cnpj {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&punctuated(&self.0).unwrap_or_default())
    }
}

/// Formats 14 characters as `00.000.000/0000-00`; `None` if they do not have the form of a CNPJ.
pub fn punctuated(bare: &str) -> Option<String> {
    let (root, check) = bare.split_at_checked(12)?;
    let is_root = root.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let is_check = check.len() == 2 && check.bytes().all(|byte| byte.is_ascii_digit());
    let [a, b, c, d] = [0..2, 2..5, 5..8, 8..12].map(|part| root.get(part).unwrap_or_default());
    (is_root && is_check).then(|| format!("{a}.{b}.{c}/{d}-{check}"))
}

/// The check digit: modulo 11 with the weights 2 to 9 from the right. The value of a character is its ASCII code minus
/// that of `0`.
fn check_digit(text: &str) -> Option<u32> {
    let value = |byte: u8| byte.checked_sub(b'0').map(u32::from);
    let weighted = text.bytes().rev().zip((2..=9).cycle()).map(|(byte, weight)| Some(value(byte)? * weight));
    let rest = weighted.sum::<Option<u32>>()? % 11;
    Some(if rest < 2 { 0 } else { 11 - rest })
}

fn digit(text: &str) -> Option<u32> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_bare_and_punctuated_numbers() {
        for (bare, punctuated) in [("11222333000181", "11.222.333/0001-81"), ("12ABC34501DE35", "12.ABC.345/01DE-35")] {
            let cnpj = Cnpj::parse(bare).unwrap();
            assert_eq!((cnpj.as_str(), cnpj.to_string().as_str()), (bare, punctuated));
            assert_eq!(Cnpj::parse(punctuated), Ok(cnpj.clone()));
            assert_eq!(Cnpj::parse(&punctuated.to_lowercase()), Ok(cnpj));
        }
    }

    #[test]
    fn both_check_digits_are_checked() {
        for wrong in ["11222333000180", "11222333000191", "11.222.333/0001-82", "21222333000181"] {
            assert!(Cnpj::parse(wrong).unwrap_err().contains("check digits"), "{wrong}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for other in [
            "",
            "1122233300018",
            "112223330001811",
            "11-222-333/0001.81",
            "11222333/0001-81",
            " 11222333000181",
            "112223330001AB",
            "ááááááá",
        ] {
            assert!(Cnpj::parse(other).unwrap_err().contains("digits or letters"), "{other}");
        }
    }
}
