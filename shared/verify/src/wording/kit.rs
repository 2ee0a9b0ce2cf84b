//! What a photo was asked for as, in words. It is what the customer was asked to photograph, never what the photo shows.

use lacre_domain::AskedFor;

use super::{Language, Words, words};

pub(crate) const ASKED_FOR: Words = words("Solicitada como", "Asked for as");
pub(crate) const SHA_256: Words = words("SHA-256 do kit", "SHA-256 of the kit");
pub(crate) const TITLE: Words = words("Título da etapa, em português", "Title of the step, in Portuguese");
pub(crate) const INSTRUCTION: Words =
    words("Instrução da etapa, em português", "Instruction of the step, in Portuguese");
pub(crate) const FROM_FILE: Words = words(
    "Lido do arquivo que quem verificou deu: o kit nele tem o nome e o SHA-256 que a foto declara.",
    "Read from the file that the verifier gave: the kit in it has the name and the SHA-256 that the photo states.",
);

/// The step with its kit.
pub(crate) fn step(AskedFor { kit, version, step, .. }: &AskedFor, language: Language) -> String {
    let (kit, step) = (kit.as_str(), step.as_str());
    match language {
        Language::Portuguese => format!(
            "etapa {step} do kit {kit}, versão {version} (o que se pediu ao cliente; não diz o que a foto mostra)"
        ),
        Language::English => format!(
            "step {step} of the kit {kit}, version {version} (what the customer was asked for; it does not say what the photo shows)"
        ),
    }
}
