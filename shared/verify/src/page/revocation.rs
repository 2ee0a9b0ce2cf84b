//! The sections with the revocation status of the certificates, and with what was not checked.

use lacre_page_text::{clock::moment, visible::visible};
use maud::{Markup, html};

use super::folded;
use crate::{
    report::{NotChecked, Report, Revocation, RevocationStatus},
    wording::{Words, words},
};

const TITLE: Words = words("O que não foi verificado", "What was not checked");
const OFFLINE: Words = words(
    "A verificação é feita sem rede. Nada foi consultado: nem o serviço, nem as autoridades. A revogação de um certificado só é vista nas \
     listas (LCR) e respostas (OCSP) dadas a quem verifica.",
    "The verification works offline. It queries neither the service nor the authorities. It finds a revoked certificate only in the CRLs and \
     OCSP responses that it is given.",
);
const UNCHECKED: Words = words(
    "Certificados cuja revogação não foi verificada, por falta de LCR ou resposta OCSP que os cubra:",
    "Certificates whose revocation was not checked, without a CRL or OCSP response that covers them:",
);
const REVOCATION_OF: Words = words("A revogação do certificado de", "The revocation of the certificate of");
const ACCREDITATION: Words = words(
    "Se a ICP-Brasil credenciou a autoridade de carimbo do tempo, como a política da assinatura exige: só as raízes em que se confia para \
     carimbos decidem isso",
    "Whether ICP-Brasil accredited the timestamp authority, as the signature policy requires: only the roots that are trusted for \
     timestamps decide this",
);
const NO_LOG_PROOF: Words = words(
    "Se a captura está em um registro público: nenhuma prova disso foi dada",
    "Whether the capture is in a public log: no proof of it was given",
);
const UNREADABLE_LOG_PROOF: Words = words(
    "Se a captura está em um registro público: o arquivo dado não é uma prova disso",
    "Whether the capture is in a public log: the file that was given is not a proof of it",
);
const PART: Words = words("Parte da prova", "Part of the proof");
const WHAT: Words = words("Não verificado", "Not checked");

const KNOWN: Words = words("Revogação dos certificados", "Revocation of the certificates");
const CERTIFICATE: Words = words("Titular", "Subject");
const STANDING: Words = words("Situação", "Standing");
const GOOD: Words = words("não revogado, segundo o publicado em", "not revoked, published on");
const REVOKED: Words = words("revogado desde", "revoked since");

/// What the given CRLs and OCSP responses state about the certificates.
pub(super) fn known(report: &Report) -> Markup {
    html! {
        @if !report.revocations.is_empty() {
            h3 { (KNOWN) }
            table.revocations {
                thead { tr { @for name in [PART, CERTIFICATE, STANDING] { th scope="col" { (name) } } } }
                tbody { @for revocation in &report.revocations { (known_row(revocation)) } }
            }
        }
    }
}

fn known_row(revocation: &Revocation) -> Markup {
    let standing = match revocation.status {
        RevocationStatus::Good => GOOD,
        RevocationStatus::Revoked => REVOKED,
    };
    html! {
        tr {
            th scope="row" { (part(revocation.part)) }
            td { (visible(&revocation.certificate)) }
            td {
                (standing) " " (moment(&revocation.time))
                @if let Some(reason) = &revocation.reason { " " span lang="en" { (visible(reason)) } }
            }
        }
    }
}

/// What was not checked; empty for a file that was not checked as a proof.
pub(super) fn not_checked(report: &Report) -> Markup {
    let content = html! {
        p { (OFFLINE) }
        @let unchecked = report.unchecked_revocations();
        @if unchecked > 0 { p.note { (UNCHECKED) " " (unchecked) } }
        @if !report.not_checked.is_empty() {
            table.gaps {
                thead { tr { @for name in [PART, WHAT] { th scope="col" { (name) } } } }
                tbody { @for gap in &report.not_checked { (gap_row(gap, report)) } }
            }
        }
    };
    html! { @if report.is_judged() { (folded(TITLE, content)) } }
}

fn gap_row(gap: &NotChecked, report: &Report) -> Markup {
    html! {
        tr {
            th scope="row" { (part(gap.part)) }
            td {
                @match (&gap.certificate, gap.part) {
                    (Some(certificate), _) => { (REVOCATION_OF) " " (visible(certificate)) }
                    (None, "seal timestamp") => { (ACCREDITATION) }
                    (None, "transparency log") if report.unreadable_log_proof => { (UNREADABLE_LOG_PROOF) }
                    (None, "transparency log") => { (NO_LOG_PROOF) }
                    (None, _) => { span lang="en" { (visible(&gap.what)) } }
                }
            }
        }
    }
}

/// The title of a part of the proof, by the name that its checks have.
pub(super) fn part(name: &'static str) -> Words {
    match name {
        "seal" => words("Selo", "Seal"),
        "claim" => words("Assinatura C2PA", "C2PA signature"),
        "seal timestamp" => words("Carimbo do tempo do selo", "Timestamp of the seal"),
        "claim timestamp" => words("Carimbo do tempo da assinatura C2PA", "Timestamp of the C2PA signature"),
        "transparency log" => words("Registro público", "Public log"),
        "log timestamp" => words("Carimbo do tempo do registro público", "Timestamp of the public log"),
        other => words(other, ""),
    }
}
