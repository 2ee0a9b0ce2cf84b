//! The section of one photo.

use lacre_api::{
    RecaptureRisk,
    admin::{Digest, GpsResult},
    dossier::{DossierIndex, DossierPhoto, PhotoState},
};
use lacre_page_text::{Words, both, visible::visible, words};
use maud::{Markup, html};

use super::{
    fact, moment, picture, state,
    table::{alternative, in_session, kit},
};

const UNNAMED: Words = words(
    "O índice não dá um nome válido ao arquivo desta foto, e por isso ela não é mostrada. Peça outro dossiê.",
    "The index gives no valid name to the file of this photo, so it is not shown. Ask for another dossier.",
);
const STATE: Words = words("Situação", "State");
const REASON: Words = words("Motivo", "Reason");
const STEP: Words = words("Etapa solicitada", "Step asked for");
const STEP_NOTE: Words = words(
    "É o que se pediu ao cliente final que fotografasse, e não o que a foto mostra.",
    "It is what the customer was asked to photograph, and not what the photo shows.",
);
const PLACE: Words = words("Lugar na sessão", "Place in the session");
const RECEIVED: Words = words("Recebida pelo serviço em", "Received by the service at");
const GPS: Words = words("Posição alegada pelo navegador", "Position that the browser claimed");
const RECAPTURE: Words = words("Foto de uma tela?", "A photo of a screen?");
const CAPTURE: Words = words("Identificador da captura", "Id of the capture");
const LICENSE: Words = words("Identificador da licença", "Id of the license");
const ORIGIN: Words = words("Página que fez a captura", "Page that made the capture");

const HASHES: Words = words("Códigos SHA-256", "SHA-256 values");
const JPEG: Words = words("Da foto assinada", "Of the signed photo");
const FRAME: Words = words("Da imagem como o navegador a enviou", "Of the picture as the browser sent it");
const MANIFEST: Words = words("Do manifesto", "Of the manifest");
const KIT: Words = words("Do kit", "Of the kit");

const FILES: Words = words("Arquivos desta foto", "Files of this photo");
const NO_FILES: Words = words("O dossiê não tem arquivos desta foto.", "The dossier has no files of this photo.");
const PHOTO_FILE: Words = words("Foto assinada", "Signed photo");
const MANIFEST_FILE: Words = words("Manifesto", "Manifest");
const PROOF_FILE: Words = words("Prova de transparência", "Transparency proof");
const RECORD_FILES: Words = words("Registros de evidência", "Evidence records");
const BUNDLE_FILES: Words = words("Pacotes de evidências", "Evidence bundles");
const NO_PROOF: Words = words(
    "Não há: a foto ainda não estava no registro público. Se precisar da prova, peça um novo dossiê mais tarde.",
    "There is none: the photo was not in the public log yet. If you need the proof, ask for a new dossier later.",
);

/// A photo, or why it is not here, with what the index says of it.
pub(super) fn section(index: &DossierIndex, number: usize, photo: &DossierPhoto) -> Markup {
    html! {
        section.photo id={ "foto-" (number) } {
            h2 { (both(&format!("Foto {number}"), &format!("Photo {number}"))) }
            @match (photo.state, picture(photo)) {
                (PhotoState::Included, Some(name)) => figure {
                    a href=(name) { img src=(name) alt=(alternative(number)); }
                },
                (PhotoState::Included, None) => p.warning { (UNNAMED) },
                (PhotoState::NotRetained | PhotoState::Withheld | PhotoState::Erased, _) => {}
            }
            (facts(index, photo))
            h3 { (HASHES) }
            dl {
                (hash(JPEG, &photo.jpeg_sha256))
                (hash(FRAME, &photo.frame_hash))
                (hash(MANIFEST, &photo.manifest_sha256))
                @if let Some(asked) = &photo.asked_for { (hash(KIT, &asked.sha256)) }
            }
            h3 { (FILES) }
            (files(photo))
        }
    }
}

fn facts(index: &DossierIndex, photo: &DossierPhoto) -> Markup {
    html! {
        dl {
            (fact(STATE, html! {
                p { strong { (state::name(photo.state)) } }
                p { (state::meaning(photo.state)) }
                p { (state::next(photo.state)) }
                @for act in &photo.acts {
                    p { (state::act(act.state).before(moment(&act.at))) ". " (REASON.before(visible(&act.reason))) }
                }
            }))
            @if let Some(asked) = &photo.asked_for {
                (fact(STEP, html! {
                    (visible(asked.step.as_str())) ", " (kit(asked.kit.as_str(), asked.version))
                    p.note { (STEP_NOTE) }
                }))
            }
            (fact(PLACE, in_session(photo)))
            (fact(RECEIVED, moment(&photo.ingested_at)))
            (fact(GPS, gps(photo.gps_result)))
            (fact(RECAPTURE, recapture(photo.recapture_risk)))
            (fact(ORIGIN, visible(&photo.origin)))
            (fact(CAPTURE, code(photo.capture_id.as_str())))
            (fact(LICENSE, html! {
                @if index.licenses.iter().any(|license| license.id == photo.license_id) {
                    a href={ "#licenca-" (photo.license_id) } { code { (photo.license_id) } }
                } @else {
                    code { (photo.license_id) }
                }
            }))
        }
    }
}

fn files(photo: &DossierPhoto) -> Markup {
    let of = |name: Words, files: &[String]| {
        html! { @if !files.is_empty() { (fact(name, html! { @for file in files { p { (code(file)) } } })) } }
    };
    let may_have_proof = matches!(photo.state, PhotoState::Included | PhotoState::NotRetained);
    html! {
        @if photo.parts().next().is_none() {
            p { (NO_FILES) }
        } @else {
            dl {
                (of(PHOTO_FILE, photo.photo.as_slice()))
                (of(MANIFEST_FILE, photo.manifest.as_slice()))
                (of(PROOF_FILE, photo.log_proof.as_slice()))
                @if photo.log_proof.is_none() && may_have_proof { (fact(PROOF_FILE, NO_PROOF)) }
                (of(RECORD_FILES, &photo.evidence_records))
                (of(BUNDLE_FILES, &photo.evidence_bundles))
            }
        }
    }
}

fn hash(name: Words, digest: &Digest) -> Markup {
    fact(name, code(digest.as_str()))
}

fn code(text: &str) -> Markup {
    html! { code { (visible(text)) } }
}

fn recapture(risk: RecaptureRisk) -> Words {
    match risk {
        RecaptureRisk::None => words(
            "A análise não viu nenhum sinal de que a foto seja de uma tela. Isso não garante que não seja.",
            "The analysis saw no sign that the photo is one of a screen. This does not guarantee that it is not.",
        ),
        RecaptureRisk::Unknown => words(
            "A análise foi inconclusiva, ou não foi feita. Isso não diz nada contra a foto.",
            "The analysis was inconclusive, or was not made. This says nothing against the photo.",
        ),
        RecaptureRisk::High => words(
            "A análise viu fortes sinais de que a foto é de uma tela. Examine-a com atenção antes de decidir.",
            "The analysis saw strong signs that the photo is one of a screen. Examine it closely before you decide.",
        ),
    }
}

fn gps(result: GpsResult) -> Words {
    match result {
        GpsResult::NotChecked => words(
            "O serviço não conferiu: a licença não olha para posições.",
            "The service did not check: the license does not look at positions.",
        ),
        GpsResult::NotObtained => words(
            "O navegador não enviou uma posição, e ela não era exigida.",
            "The browser sent no position, and none was required.",
        ),
        GpsResult::Observed => words(
            "O navegador enviou uma posição. O serviço a anotou, sem a julgar.",
            "The browser sent a position. The service noted it, and did not judge it.",
        ),
        GpsResult::Accepted => words(
            "O navegador enviou uma posição, tão precisa quanto a licença exige, segundo ele mesmo.",
            "The browser sent a position, as accurate as the license requires, by the browser's own word.",
        ),
    }
}
