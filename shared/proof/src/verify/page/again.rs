//! How to check the photo again without trusting this page, and how the page was made.

use der::Decode;
use domain::FrameHash;
use maud::{Markup, html};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use x509_cert::Certificate;

use super::{
    clock::moment,
    fact,
    visible::visible,
    words::{Words, words},
};
use crate::verify::report::{Report, Seal};

const TITLE: Words = words("Como verificar de novo", "How to check again");
const WHY: Words = words(
    "Este relatório é só um resumo: a prova é o arquivo da foto. Qualquer pessoa pode repetir a verificação, sem rede e com programas que o \
     operador não escreveu. «foto.jpg» é o arquivo da foto, «raizes.pem» os certificados raiz em que se confia.",
    "This report is only a summary: the proof is the photo's file. Anyone can repeat the check, offline and with programs that the operator \
     did not write. “foto.jpg” is the photo's file, “raizes.pem” are the root certificates that are trusted.",
);
const TAKE_APART: Words =
    words("Separar as partes (qualquer leitor C2PA também o faz)", "Take it apart (any C2PA reader can do so too)");
const SEAL: Words = words("Selo, com OpenSSL", "Seal, with OpenSSL");
const CLAIM: Words = words("Assinatura C2PA, com c2patool", "C2PA signature, with c2patool");

const MADE: Words = words("Como este relatório foi feito", "How this report was made");
const PROGRAM: Words = words("Programa", "Program");
const MADE_AT: Words = words("Feito em, pelo relógio do computador", "Made at, by the computer's clock");
const JUDGED_AT: Words = words("Momento julgado", "Moment judged");
const ROOTS: Words = words("Certificados raiz em que se confiou", "Root certificates that were trusted");
const FINGERPRINT: Words = words("SHA-256 do certificado", "SHA-256 of the certificate");

/// The commands. They name no file as it is called: a name may be written to do harm in a shell.
pub(super) fn section(report: &Report) -> Markup {
    let at = report.seal.as_ref().and_then(trusted_epoch).map(|at| format!(" -attime {at}")).unwrap_or_default();
    html! {
        @if report.seal.is_some() {
            section {
                h2 { (TITLE) }
                p { (WHY) }
                (command(TAKE_APART, "verify foto.jpg --trust raizes.pem --extract partes"))
                (command(SEAL, &format!(
                    "openssl cms -verify -cades -binary -inform DER -in partes/signature.p7s -content partes/frame.jpg \
                     -CAfile raizes.pem -purpose any{at} -out /dev/null"
                )))
                (command(CLAIM, "c2patool foto.jpg trust --trust_anchors raizes.pem"))
            }
        }
    }
}

fn command(what: Words, line: &str) -> Markup {
    html! { p.command { (what) } pre { code { (line) } } }
}

/// The seal's trusted time, in seconds of the Unix epoch: OpenSSL judges by the clock where it is not told.
fn trusted_epoch(seal: &Seal) -> Option<i64> {
    let timestamp = seal.timestamp.as_ref().filter(|timestamp| timestamp.holds)?;
    OffsetDateTime::parse(&timestamp.time, &Rfc3339).ok().map(OffsetDateTime::unix_timestamp)
}

/// By which program, when, and trusting whom.
pub(super) fn made(report: &Report, roots: &[Vec<u8>], made_at: &str) -> Markup {
    html! {
        section {
            h2 { (MADE) }
            dl {
                (fact(PROGRAM, concat!("Lacre verify ", env!("CARGO_PKG_VERSION"))))
                (fact(MADE_AT, moment(made_at)))
                (fact(JUDGED_AT, moment(&report.judged_at)))
            }
            table.roots {
                thead { tr { th scope="col" { (ROOTS) } th scope="col" { (FINGERPRINT) } } }
                tbody { @for root in roots { (root_row(root)) } }
            }
        }
    }
}

fn root_row(root: &[u8]) -> Markup {
    let name = Certificate::from_der(root).map(|certificate| certificate.tbs_certificate.subject.to_string());
    html! {
        tr {
            th scope="row" { (visible(&name.unwrap_or_else(|error| error.to_string()))) }
            td { code { (FrameHash::of(root).hex()) } }
        }
    }
}
