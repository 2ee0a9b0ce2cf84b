//! How to check the photo again without trusting this page, and how the page was made.

use der::Decode;
use domain::{Environment, Sha256Digest};
use maud::{Markup, html};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use x509_cert::Certificate;

use super::{
    Roots,
    clock::moment,
    fact,
    visible::{escaped, visible},
    words::{Words, words},
};
use crate::report::{Report, Seal, Timestamp};

const TITLE: Words = words("Como verificar de novo", "How to check again");
const WHY: Words = words(
    "Este relatório é só um resumo: a prova é o arquivo da foto. Qualquer pessoa pode repetir a verificação, sem rede e com programas que o \
     operador não escreveu. «foto.jpg» é o arquivo da foto; «selo.pem», «c2pa.pem» e «carimbos.pem» são os certificados raiz em que se confia para cada parte.",
    "This report is only a summary: the proof is the photo's file. Anyone can repeat the check, offline and with programs that the operator \
     did not write. “foto.jpg” is the photo's file; “selo.pem”, “c2pa.pem” and “carimbos.pem” are the root certificates that are trusted for each part.",
);
const TAKE_APART: Words =
    words("Separar as partes (qualquer leitor C2PA também o faz)", "Take it apart (any C2PA reader can do so too)");
const SEAL: Words = words("Selo, com OpenSSL", "Seal, with OpenSSL");
const CLAIM: Words = words("Assinatura C2PA, com c2patool", "C2PA signature, with c2patool");
const SEAL_TIMESTAMP: Words = words("Carimbo do tempo do selo, com OpenSSL", "Timestamp of the seal, with OpenSSL");
const CLAIM_TIMESTAMP: Words =
    words("Carimbo do tempo da assinatura C2PA, com OpenSSL", "Timestamp of the C2PA signature, with OpenSSL");

const MADE: Words = words("Como este relatório foi feito", "How this report was made");
const PROGRAM: Words = words("Programa", "Program");
const MADE_AT: Words = words("Feito em, pelo relógio do computador", "Made at, by the computer's clock");
const JUDGED_AT: Words = words("Momento julgado", "Moment judged");
const ROOTS: Words = words("Certificados raiz em que se confiou", "Root certificates that were trusted");
const SERVES: Words = words("Para", "For");
const FOR_SEAL: Words = words("Selo", "Seal");
const FOR_CLAIM: Words = words("Assinatura C2PA", "C2PA signature");
const FOR_TIMESTAMPS: Words = words("Carimbos do tempo", "Timestamps");
const FINGERPRINT: Words = words("SHA-256 do certificado", "SHA-256 of the certificate");

/// The commands. They name no file as it is called: a name may be written to do harm in a shell.
pub(super) fn section(report: &Report) -> Markup {
    let seal_timestamp = report.seal.as_ref().and_then(|seal| seal.timestamp.as_ref());
    let claim_timestamp = report.claim.as_ref().and_then(|claim| claim.timestamp.as_ref());
    let at = report.seal.as_ref().and_then(trusted_epoch).map(|at| format!(" -attime {at}")).unwrap_or_default();
    let environment = report.environment.map(required).unwrap_or_default();
    html! {
        @if report.seal.is_some() {
            section {
                h2 { (TITLE) }
                p { (WHY) }
                (command(TAKE_APART, &format!(
                    "verify foto.jpg{environment} --trust-seal selo.pem --trust-claim c2pa.pem \
                     --trust-timestamps carimbos.pem --extract partes"
                )))
                (command(SEAL, &format!(
                    "openssl cms -verify -cades -binary -inform DER -in partes/signature.p7s -content partes/frame.jpg \
                     -CAfile selo.pem -purpose any{at} -out /dev/null"
                )))
                (token(SEAL_TIMESTAMP, "signature.tst", seal_timestamp))
                (command(CLAIM, "c2patool foto.jpg trust --trust_anchors c2pa.pem"))
                (token(CLAIM_TIMESTAMP, "claim.tst", claim_timestamp))
            }
        }
    }
}

fn token(what: Words, file: &str, timestamp: Option<&Timestamp>) -> Markup {
    html! {
        @if let Some(Timestamp { message_sha256, .. }) = timestamp {
            (command(what, &format!(
                "openssl ts -verify -token_in -in partes/{file} -digest {} -CAfile carimbos.pem", escaped(message_sha256)
            )))
        }
    }
}

/// The options with which `verify` accepts a proof of that environment.
fn required(environment: Environment) -> &'static str {
    match environment {
        Environment::Production => "",
        Environment::Staging => " --environment staging",
        Environment::Sandbox => " --environment sandbox",
    }
}

fn command(what: Words, line: &str) -> Markup {
    html! { p.command { (what) } pre { code { (line) } } }
}

/// The seal's trusted time, in seconds of the Unix epoch: without it OpenSSL checks as of now.
fn trusted_epoch(seal: &Seal) -> Option<i64> {
    let timestamp = seal.timestamp.as_ref().filter(|timestamp| timestamp.holds)?;
    OffsetDateTime::parse(&timestamp.time, &Rfc3339).ok().map(OffsetDateTime::unix_timestamp)
}

/// By which program, when, and trusting whom.
pub(super) fn made(report: &Report, roots: Roots<'_>, made_at: &str) -> Markup {
    html! {
        section {
            h2 { (MADE) }
            dl {
                (fact(PROGRAM, concat!("Lacre verify ", env!("CARGO_PKG_VERSION"))))
                (fact(MADE_AT, moment(made_at)))
                (fact(JUDGED_AT, moment(&report.judged_at)))
            }
            table.roots {
                thead { tr { @for name in [ROOTS, SERVES, FINGERPRINT] { th scope="col" { (name) } } } }
                tbody { @for (root, serves) in by_root(roots) { (root_row(root, &serves)) } }
            }
        }
    }
}

/// Each root once, with what it was trusted for.
fn by_root(roots: Roots<'_>) -> Vec<(&[u8], Vec<Words>)> {
    let mut by_root: Vec<(&[u8], Vec<Words>)> = Vec::new();
    for (list, serves) in [(roots.seal, FOR_SEAL), (roots.claim, FOR_CLAIM), (roots.timestamps, FOR_TIMESTAMPS)] {
        for root in list {
            match by_root.iter_mut().find(|(known, _)| known == root) {
                Some((_, known)) => known.push(serves),
                None => by_root.push((root, vec![serves])),
            }
        }
    }
    by_root
}

fn root_row(root: &[u8], serves: &[Words]) -> Markup {
    let name = Certificate::from_der(root).map(|certificate| certificate.tbs_certificate.subject.to_string());
    html! {
        tr {
            th scope="row" { (visible(&name.unwrap_or_else(|error| error.to_string()))) }
            td { @for part in serves { p { (part) } } }
            td { code { (Sha256Digest::of(root).hex()) } }
        }
    }
}
