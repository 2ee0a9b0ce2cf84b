//! The section with the photo, and the facts of its file.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_domain::Sha256Digest;
use lacre_page_text::visible::visible;
use maud::{Markup, html};

use super::{PICTURE_PLACEHOLDER, Page, Picture, fact};
use crate::wording::{
    Words,
    sentences::{FRAME_HASH, PICTURE},
    words,
};

const TITLE: Words = words("A foto", "The photo");
const NO_PHOTO: Words = words(
    "O arquivo não tem a forma de uma foto do serviço que este verificador conheça, e por isso sua imagem não é mostrada.",
    "The file does not have the form of a photo of the service that this verifier knows, so its picture is not shown.",
);
const ALTERNATIVE: &str = "A foto contida no arquivo verificado / The photo in the verified file";
const NAME: Words = words("Arquivo verificado", "Verified file");
const SIZE: Words = words("Tamanho, em bytes", "Size in bytes");
const FILE_HASH: Words = words("SHA-256 do arquivo", "SHA-256 of the file");
const MANIFEST_HASH: Words = words("SHA-256 do manifesto ao lado da foto", "SHA-256 of the manifest beside it");

/// The picture. It shows the frame, without what the service added: the bytes that the signatures cover.
pub(super) fn section(page: &Page<'_>) -> Markup {
    let report = &page.verdict.report;
    html! {
        section {
            h2 { (TITLE) }
            @match &page.verdict.contents {
                Some(contents) => figure {
                    @match page.picture {
                        Picture::Embedded => img src={ "data:image/jpeg;base64," (STANDARD.encode(&contents.frame)) } alt=(ALTERNATIVE);
                        Picture::Elsewhere => img src=(PICTURE_PLACEHOLDER) alt=(ALTERNATIVE);
                    }
                    @if let Some(words) = PICTURE.on(report) {
                        figcaption { @if report.valid { (words) } @else { strong { (words) } } }
                    }
                }
                None => p.warning { (NO_PHOTO) }
            }
        }
    }
}

/// The facts of the checked file and of the photo in it.
pub(super) fn file(page: &Page<'_>) -> Markup {
    let report = &page.verdict.report;
    html! {
        (fact(NAME, visible(page.name)))
        (fact(SIZE, page.file.len()))
        (fact(FILE_HASH, html! { code { (Sha256Digest::of(page.file).hex()) } }))
        @if let Some(manifest) = page.manifest {
            (fact(MANIFEST_HASH, html! { code { (Sha256Digest::of(manifest).hex()) } }))
        }
        @if let (Some(hash), Some(name)) = (&report.frame_hash, FRAME_HASH.on(report)) {
            (fact(name, html! { code { (hash.hex()) } }))
        }
    }
}
