//! The frame of the page: its head, its Content-Security-Policy and its style.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_page_text::visible::escaped;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::wording::{Words, words};

const STYLE: &str = include_str!("style.css");
const TITLE: Words = words("Relatório de verificação de foto", "Photo verification report");

/// The HTML document with its sections.
pub(super) fn of(name: &str, sections: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="pt-BR" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Relatório de verificação: " (escaped(name)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { p.brand { "Lacre" } h1 { (TITLE) } }
                main { (sections) }
            }
        }
    }
}

/// The Content-Security-Policy: allows only the page's own style and embedded pictures.
fn policy() -> String {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; form-action 'none'")
}
