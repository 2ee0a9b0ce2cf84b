//! The section that says how to check a dossier.

use lacre_api::{Environment, dossier::DossierIndex};
use lacre_page_text::{Words, words};
use maud::{Markup, html};

const TITLE: Words = words("Como conferir", "How to check it");
const PROGRAM: Words = words(
    "Obtenha o programa verify de uma fonte em que confia, e não de quem lhe entregou o dossiê. Ele funciona sem \
     internet.",
    "Get the program verify from a source that you trust, and not from whoever gave you the dossier. It works offline.",
);
const HOLDER: Words = words(
    "Descubra por outra fonte, como um contrato, o CNPJ da empresa que opera o serviço. É o CNPJ do certificado que \
     sela as fotos.",
    "Find out the CNPJ (the company's number) of the company that operates the service from another source, such as a \
     contract. It is the one in the certificate that seals the photos.",
);
const RUN: Words = words(
    "Execute este comando sobre o arquivo ZIP como o recebeu. Troque nele o nome do arquivo e o CNPJ.",
    "Run this command on the ZIP file as you received it. Replace the name of the file and the CNPJ in it.",
);
const TESTS: Words = words(
    "O comando exige o ambiente de testes deste dossiê. Se as chaves de teste não vêm de uma autoridade publicada, é \
     preciso dar também os certificados raiz delas, com a opção --trust.",
    "The command requires the test environment of this dossier. If the test keys are not from a published authority, \
     give their root certificates, too, with the option --trust.",
);
const RESULT: Words = words(
    "Se a primeira linha do resultado for DOSSIER VALID, sem mais nada, o dossiê confere, e com ele esta página, se \
     você a abriu a partir do mesmo ZIP. Se for outra, não confie no dossiê: guarde o arquivo sem mudar nada e peça \
     outro à empresa que opera o serviço.",
    "If the first line of the result is DOSSIER VALID, and nothing more, the dossier holds, and with it this page, if \
     you opened it from the same ZIP. If it is another one, do not rely on the dossier: keep the file unchanged, and \
     ask the company that operates the service for another one.",
);
const ONE: Words = words(
    "O mesmo programa faz o relatório completo de uma só foto, depois de descompactar o ZIP. Por exemplo:",
    "The same program makes the full report on a single photo, once the ZIP is unpacked. For example:",
);

/// The steps of a check.
pub(super) fn section(index: &DossierIndex) -> Markup {
    let environment = match index.environment {
        Environment::Production => "",
        Environment::Staging => " --environment staging",
        Environment::Sandbox => " --environment sandbox",
    };
    html! {
        section {
            h2 { (TITLE) }
            ol {
                li { (PROGRAM) }
                li { (HOLDER) }
                li {
                    (RUN)
                    pre { code { "verify dossier.zip --seal-holder CNPJ" (environment) } }
                    @if index.environment != Environment::Production { p { (TESTS) } }
                }
                li { (RESULT) }
            }
            @if let Some(name) = index.photos.iter().find_map(super::picture) {
                p.command { (ONE) }
                pre { code { "verify " (name) " --seal-holder CNPJ" (environment) " --report foto.html" } }
            }
        }
    }
}
