//! The facts of the capture: the service's statements, separate from the browser's claims.

use lacre_domain::{AskedFor, GpsResult, RecaptureRisk, StreamSettings};
use lacre_page_text::visible::visible;
use lacre_proof::assertions::{ASSURANCE_LEVEL, BrowserAssertion, CaptureAssertion};
use maud::{Markup, html};

use super::{NONE, fact, folded, place};
use crate::{
    report::{KitStep, Report},
    wording::{
        Language, Words, both, kit,
        sentences::{FACTS, OF_BROWSER, OF_SERVICE, PLACE},
        words,
    },
};

const BROWSER_NOTE: Words = words(
    "Um navegador pode alegar qualquer coisa. O serviço apenas repete o que recebeu.",
    "A browser can claim anything. The service only repeats what it was sent.",
);
const CAPTURE_ID: Words = words("Identificação da captura", "Capture identifier");
const ASSURANCE: Words = words("Nível de garantia", "Assurance level");
const DETERRENCE: Words = words(
    "Dissuade fraudes: a foto foi assinada em um servidor, sem prova de que um aparelho a tirou",
    "Deters fraud: the photo was signed on a server, without proof that a device took it",
);
const ICP_BRASIL: Words = words("Selo da ICP-Brasil", "Seal of ICP-Brasil");
const RECAPTURE: Words = words("Foto de uma tela", "Photo of a screen");
const GPS_RESULT: Words = words("O que se fez com a posição", "What was done with the position");
const HEADING: Words = words("Bússola", "Compass");
const LABEL: Words = words("Rótulo mostrado ao usuário", "Label shown to the user");
const USER_AGENT: Words = words("Navegador", "Browser");
const STREAM: Words = words("Vídeo da câmera", "Video of the camera");
const EXTRA_FRAMES: Words =
    words("SHA-256 dos quadros seguintes, não guardados", "SHA-256 of the following frames, which are not kept");
const YES: Words = words("sim", "yes");
const NO: Words = words("não", "no");

/// The section with both kinds of facts.
pub(super) fn section(report: &Report) -> Markup {
    html! {
        @if let (Some(capture), Some(browser)) = (&report.capture, &report.browser) {
            @if let Some(title) = FACTS.on(report) {
                (folded(title, html! {
                @if let Some(title) = OF_SERVICE.on(report) { h3 { (title) } }
                (service(capture, report.kit_step.as_ref()))
                @if let Some(title) = OF_BROWSER.on(report) { h3 { (title) } }
                (claims(report, browser))
                }))
            }
        }
    }
}

fn service(capture: &CaptureAssertion, step: Option<&KitStep>) -> Markup {
    html! {
        dl {
            (fact(CAPTURE_ID, html! { code { (visible(capture.capture_id.as_str())) } }))
            (fact(ASSURANCE, html! {
                @if capture.assurance_level == ASSURANCE_LEVEL { p { (DETERRENCE) } }
                code { (visible(&capture.assurance_level)) }
            }))
            (fact(ICP_BRASIL, if capture.icp_brasil { YES } else { NO }))
            (fact(RECAPTURE, recapture(capture.recapture_risk)))
            (fact(GPS_RESULT, gps(capture.gps_result)))
            @if let Some(asked) = &capture.asked_for { (asked_for(asked)) }
            @if let Some(step) = step { (kit_step(step)) }
        }
    }
}

fn asked_for(asked: &AskedFor) -> Markup {
    let [portuguese, english] = [Language::Portuguese, Language::English].map(|language| kit::step(asked, language));
    html! {
        (fact(kit::ASKED_FOR, both(&visible(&portuguese), &visible(&english))))
        (fact(kit::SHA_256, html! { code { (asked.sha256.hex()) } }))
    }
}

fn kit_step(step: &KitStep) -> Markup {
    let text = |text: &str| html! { span lang="pt-BR" { (visible(text)) } };
    html! {
        (fact(kit::TITLE, text(&step.title)))
        (fact(kit::INSTRUCTION, html! { (text(&step.instruction)) p.note { (kit::FROM_FILE) } }))
    }
}

fn claims(report: &Report, browser: &BrowserAssertion) -> Markup {
    html! {
        p.note { (BROWSER_NOTE) }
        dl {
            @if let Some(title) = PLACE.on(report) { (fact(title, place::of(browser))) }
            (fact(HEADING, optional(browser.heading.map(|heading| html! { (heading) "°" }))))
            (fact(LABEL, optional(browser.photo_label.as_deref().map(visible))))
            (fact(USER_AGENT, optional(browser.user_agent.as_deref().map(visible))))
            (fact(STREAM, optional(browser.media_stream_settings.map(stream))))
            (fact(EXTRA_FRAMES, html! {
                @for hash in &browser.extra_frame_hashes { code.line { (hash.hex()) } }
                @if browser.extra_frame_hashes.is_empty() { (NONE) }
            }))
        }
    }
}

fn stream(settings: StreamSettings) -> Markup {
    let StreamSettings { width, height, frame_rate } = settings;
    html! {
        @if let (Some(width), Some(height)) = (width, height) { (width) " × " (height) " px" }
        @if let Some(rate) = frame_rate { " " (rate) " fps" }
    }
}

fn optional(value: Option<Markup>) -> Markup {
    value.unwrap_or_else(|| html! { (NONE) })
}

fn recapture(risk: RecaptureRisk) -> Words {
    match risk {
        RecaptureRisk::None => words("nenhum sinal de tela", "no sign of a screen"),
        RecaptureRisk::Unknown => words("inconclusivo, ou não se olhou", "inconclusive, or not looked at"),
        RecaptureRisk::High => words("fortes sinais de tela", "strong signs of a screen"),
    }
}

fn gps(result: GpsResult) -> Words {
    match result {
        GpsResult::NotChecked => {
            words("nada: a licença não olha para posições", "nothing: the license does not look at positions")
        }
        GpsResult::NotObtained => words("não houve posição, nem era exigida", "there was none, and none was asked for"),
        GpsResult::Observed => words("anotada, sem julgá-la", "noted, not judged"),
        GpsResult::Accepted => words(
            "aceita: tão precisa quanto a licença exige, segundo o navegador",
            "accepted: as accurate as the license asks, by the browser's word",
        ),
    }
}
