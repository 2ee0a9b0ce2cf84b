//! The frame of the page: its head, its Content-Security-Policy, its style, and the choice of the language.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::dossier::DossierIndex;
use lacre_page_text::{Words, visible::escaped, words};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const TITLE: Words = words("Dossiê de fotos", "Dossier of photos");
const LANGUAGE: Words = words("Idioma", "Language");

/// The HTML document with its sections.
pub(super) fn of(index: &DossierIndex, sections: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="pt-BR" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Dossiê de fotos: " (escaped(index.reference_id.as_str())) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    (languages())
                    p.brand { "Lacre" }
                    h1 { (TITLE) }
                }
                main { (sections) }
            }
        }
    }
}

/// The choice of the language, which the style reads. A browser that cannot do so shows both languages.
fn languages() -> Markup {
    html! {
        fieldset.languages {
            legend { (LANGUAGE) }
            input #portuguese type="radio" name="language" autocomplete="off" checked;
            label for="portuguese" lang="pt-BR" { "Português" }
            input #english type="radio" name="language" autocomplete="off";
            label for="english" lang="en" { "English" }
        }
    }
}

/// The Content-Security-Policy: allows only the page's own style, and pictures beside the page.
fn policy() -> String {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{style}'; img-src 'self' file:; base-uri 'none'; form-action 'none'")
}
