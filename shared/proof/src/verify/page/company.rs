//! The company that a certificate of ICP-Brasil names: its common name is `NAME:CNPJ` (DOC-ICP-04).

/// The CNPJ in a subject (RFC 4514), as people write it. It has letters too since 2026 (IN RFB 2.229/2024).
pub(super) fn cnpj(subject: &str) -> Option<String> {
    let attributes = attributes(subject);
    let mut names = attributes.iter().filter_map(|attribute| attribute.strip_prefix("CN="));
    let (Some(name), None) = (names.next(), names.next()) else { return None };
    let (_, number) = name.rsplit_once(':')?;
    let (root, check) = number.split_at_checked(12)?;
    let is_root = root.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let is_check = check.len() == 2 && check.bytes().all(|byte| byte.is_ascii_digit());
    let [a, b, c, d] = [0..2, 2..5, 5..8, 8..12].map(|part| root.get(part).unwrap_or_default());
    (is_root && is_check).then(|| format!("{a}.{b}.{c}/{d}-{check}"))
}

/// The attributes of a name, split where no backslash stands before the separator.
fn attributes(name: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut escaped = false;
    for c in name.chars() {
        match (c, found.last_mut()) {
            (',' | '+', _) if !escaped => found.push(String::new()),
            (_, Some(last)) => last.push(c),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_certificate_names_its_number() {
        for (subject, number) in [
            ("CN=LACRE DEVELOPMENT:11222333000181,OU=Development,C=BR", Some("11.222.333/0001-81")),
            ("C=BR,CN=NOVA\\, EMPRESA:12ABC34501DE35", Some("12.ABC.345/01DE-35")),
            ("CN=PESSOA:11122233344,C=BR", None),
            ("CN=SEM NUMERO,C=BR", None),
            ("CN=LETRAS:112223330001AB,C=BR", None),
            ("CN=CURTO:1122233300018,C=BR", None),
            ("CN=ÁRVORE:áááááááááááá81,C=BR", None),
            ("", None),
        ] {
            assert_eq!(cnpj(subject).as_deref(), number, "{subject}");
        }
    }

    #[test]
    fn no_other_attribute_passes_for_the_common_name() {
        for subject in [
            "O=FALSA\\,CN=X:11222333000181,CN=OUTRA,C=BR",
            "OU=CN=X:11222333000181,C=BR",
            "CN=A:11222333000181,CN=B:99888777000100",
        ] {
            assert_eq!(cnpj(subject), None, "{subject}");
        }
    }
}
