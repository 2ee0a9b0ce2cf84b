//! The sections about licenses, kits and the public log.

use lacre_api::{
    GpsMode, LicenseTerms, RecaptureGate, StoreAssetPolicy,
    dossier::{DossierIndex, DossierLicense},
};
use lacre_page_text::{Words, visible::visible, words};
use maud::{Markup, html};

use super::{fact, table};

const LICENSES: Words = words("As licenças", "The licenses");
const NOW: Words = words(
    "Uma licença diz o que o cliente pode fazer. São os termos do momento em que o dossiê foi feito: um operador pode \
     tê-los mudado depois das fotos.",
    "A license says what the client may do. These are its terms when the dossier was made: an operator may have \
     changed them after the photos.",
);
const NO_LICENSES: Words = words("O índice não nomeia nenhuma licença.", "The index names no license.");
const LICENSE: Words = words("Licença", "License");
const STORAGE: Words = words("Guarda da foto assinada", "Storage of the signed photo");
const GPS: Words = words("Posição", "Position");
const RADIUS: Words = words("Raio máximo de precisão, em metros", "Largest radius of accuracy, in metres");
const GATE: Words = words("Foto de uma tela", "Photo of a screen");
const TSA: Words = words("Carimbo do tempo", "Timestamp");
const TSA_REQUIRED: Words =
    words("Exigido: sem ele, o serviço recusa a foto.", "Required: without one, the service refuses the photo.");
const TSA_OPTIONAL: Words = words(
    "Não exigido: uma foto pode ter só o horário que o operador declara.",
    "Not required: a photo may have only the time that the operator states.",
);

const KITS: Words = words("Os kits", "The kits");
const KITS_NOTE: Words = words(
    "Um kit descreve as fotos que se pedem ao cliente final. O arquivo tem o texto de cada etapa.",
    "A kit describes the photos that a customer is asked for. The file has the text of each step.",
);

const LOG: Words = words("O registro público", "The public log");
const LOG_NOTE: Words = words(
    "Cada captura entra em um registro público que só cresce, de modo que nem o operador a altera depois sem ser \
     notado. Este era o seu estado quando o dossiê foi feito.",
    "Each capture enters a public log that only grows, so that not even the operator can change it later unnoticed. \
     This was its state when the dossier was made.",
);
const NO_LOG: Words = words(
    "O índice não tem um estado do registro público: não havia nenhum quando o dossiê foi feito.",
    "The index has no state of the public log: there was none when the dossier was made.",
);
const ORIGIN: Words = words("Nome do registro", "Name of the log");
const SIZE: Words = words("Capturas no registro", "Captures in the log");
const ROOT: Words = words("Código do estado", "Hash of the state");

/// The licenses, with the terms that say how the photos came about.
pub(super) fn licenses(index: &DossierIndex) -> Markup {
    html! {
        section.appendix {
            h2 { (LICENSES) }
            @if index.licenses.is_empty() { p { (NO_LICENSES) } } @else { p { (NOW) } }
            @for DossierLicense { id, terms } in &index.licenses {
                h3 id={ "licenca-" (id) } { (LICENSE) " " code { (id) } }
                (of(terms))
            }
        }
    }
}

fn of(terms: &LicenseTerms) -> Markup {
    html! {
        dl {
            (fact(STORAGE, storage(terms.store_asset_policy)))
            (fact(GPS, html! {
                (gps(terms.gps_mode))
                @if terms.gps_mode == GpsMode::Require {
                    " " (RADIUS.before(terms.gps_max_accuracy_m))
                }
            }))
            (fact(GATE, gate(terms.recapture_gate)))
            (fact(TSA, if terms.tsa_required { TSA_REQUIRED } else { TSA_OPTIONAL }))
        }
    }
}

/// The versions of kits, with their files.
pub(super) fn kits(index: &DossierIndex) -> Markup {
    html! {
        @if !index.kits.is_empty() {
            section {
                h2 { (KITS) }
                p { (KITS_NOTE) }
                dl {
                    @for kit in &index.kits {
                        (fact(table::kit(kit.kit.as_str(), kit.version), html! { code { (visible(&kit.part)) } }))
                    }
                }
            }
        }
    }
}

/// The state of the log.
pub(super) fn log(index: &DossierIndex) -> Markup {
    html! {
        section {
            h2 { (LOG) }
            @match &index.log {
                Some(log) => {
                    p { (LOG_NOTE) }
                    dl {
                        (fact(ORIGIN, visible(&log.origin)))
                        (fact(SIZE, log.size))
                        (fact(ROOT, html! { code { (visible(log.root.as_str())) } }))
                    }
                }
                None => p { (NO_LOG) },
            }
        }
    }
}

fn storage(policy: StoreAssetPolicy) -> Words {
    match policy {
        StoreAssetPolicy::Always => words("O serviço guarda a foto.", "The service stores the photo."),
        StoreAssetPolicy::Never | StoreAssetPolicy::PerSession => words(
            "O serviço não guarda a foto, só o manifesto: quem a recebe na captura precisa guardá-la.",
            "The service does not store the photo, only its manifest: who receives it at the capture has to keep it.",
        ),
    }
}

fn gps(mode: GpsMode) -> Words {
    match mode {
        GpsMode::Off => words("Não é conferida.", "It is not checked."),
        GpsMode::Observe => words(
            "É anotada se o navegador a envia; sem ela, a foto não é recusada.",
            "It is noted if the browser sends it; a photo without one is not refused.",
        ),
        GpsMode::Require => words(
            "É exigida: sem uma posição bastante precisa, a foto é recusada.",
            "It is required: without a position of sufficient accuracy, the photo is refused.",
        ),
    }
}

fn gate(gate: RecaptureGate) -> Words {
    match gate {
        RecaptureGate::Block => words(
            "O serviço recusa uma foto que parece ser de uma tela.",
            "The service refuses a photo that seems to be one of a screen.",
        ),
        RecaptureGate::Record => words(
            "O serviço aceita uma foto que parece ser de uma tela, e anota o risco nela.",
            "The service accepts a photo that seems to be one of a screen, and notes the risk in it.",
        ),
        RecaptureGate::Off => words("O serviço não analisa as fotos.", "The service does not analyse photos."),
    }
}
