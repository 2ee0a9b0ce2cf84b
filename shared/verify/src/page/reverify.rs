//! The sections on how to check the photo again without trusting this page, and on how the page was made.

use std::collections::BTreeMap;

use der::Decode;
use lacre_domain::{Environment, Sha256Digest};
use lacre_page_text::{
    clock::moment,
    visible::{escaped, visible},
};
use maud::{Markup, html};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use x509_cert::Certificate;

use super::{Page, fact, folded, photo, revocation::part};
use crate::{
    report::{Report, SealReport, Timestamp},
    trust::{TrustList, Trusted},
    wording::{Language, Words, words},
};

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
const HOLDS_UNTIL: Words = words("Válida até", "Valid until");
const FIRST_TO_END: Words = words("Então expira o certificado de", "Then the certificate expires of");
const LISTS: Words =
    words("Listas de certificados raiz em que se confiou", "Lists of root certificates that were trusted");
/// The translated titles of the published lists, recognized by the lists' own titles.
const TITLES: [Words; 3] = [
    words(
        "Certificados raiz da ICP-Brasil: os da política AD-RB v2.4",
        "ICP-Brasil root certificates: those of the policy AD-RB v2.4",
    ),
    words("Lista de confiança da C2PA", "C2PA trust list"),
    words("Lista de autoridades de carimbo do tempo da C2PA", "C2PA timestamp authority trust list"),
];
const UNCHECKED: Words = words(
    "Quando a lista foi compilada, nem tudo pôde ser conferido:",
    "When the list was compiled, not all could be checked:",
);
const DATE: Words = words("Data da lista", "Date of the list");
const CERTIFICATES: Words = words("Certificados", "Certificates");
const OWN_LIST: Words = words("dada por quem verificou", "given by the verifier");
const ROOTS: Words = words("Certificado raiz", "Root certificate");
const SERVES: Words = words("Para", "For");
const FINGERPRINT: Words = words("SHA-256 do certificado", "SHA-256 of the certificate");

/// The commands for checking again. They do not contain the name of the file, which could be crafted to do harm in a
/// shell.
pub(super) fn section(report: &Report, is_beside: bool) -> Markup {
    let seal_timestamp = report.seal.as_ref().and_then(|seal| seal.timestamp.as_ref());
    let claim_timestamp = report.claim.as_ref().and_then(|claim| claim.timestamp.as_ref());
    let at = report.seal.as_ref().and_then(trusted_epoch).map(|at| format!(" -attime {at}")).unwrap_or_default();
    let environment = report.environment.map(required).unwrap_or_default();
    let [of_verify, of_c2patool] = match is_beside {
        true => [" --manifest foto.c2pa", " --external-manifest foto.c2pa"],
        false => [""; 2],
    };
    let content = html! {
        p { (WHY) }
        (command(TAKE_APART, &format!(
            "verify foto.jpg{of_verify}{environment} --trust-seal selo.pem --trust-claim c2pa.pem \
             --trust-timestamps carimbos.pem --extract partes"
        )))
        (command(SEAL, &format!(
            "openssl cms -verify -cades -binary -inform DER -in partes/signature.p7s -content partes/frame.jpg \
             -CAfile selo.pem -purpose any{at} -out /dev/null"
        )))
        (token(SEAL_TIMESTAMP, "signature.tst", seal_timestamp))
        (command(CLAIM, &format!("c2patool foto.jpg{of_c2patool} trust --trust_anchors c2pa.pem")))
        (token(CLAIM_TIMESTAMP, "claim.tst", claim_timestamp))
    };
    html! { @if report.seal.is_some() { (folded(TITLE, content)) } }
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

/// The options with which `verify` accepts a proof of the given environment.
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

/// The seal's trusted time in seconds of the Unix epoch. Without it OpenSSL validates as of now.
fn trusted_epoch(seal: &SealReport) -> Option<i64> {
    let timestamp = seal.timestamp.as_ref().filter(|timestamp| timestamp.holds)?;
    OffsetDateTime::parse(&timestamp.time, &Rfc3339).ok().map(OffsetDateTime::unix_timestamp)
}

/// The program that made the report, the time, and the trust lists.
pub(super) fn made(page: &Page<'_>, made_at: &str) -> Markup {
    let report = &page.verdict.report;
    let content = html! {
        dl {
            (photo::file(page))
            (fact(PROGRAM, concat!("Lacre verify ", env!("CARGO_PKG_VERSION"))))
            (fact(MADE_AT, moment(made_at)))
            (fact(JUDGED_AT, moment(&report.judged_at)))
            @if let Some(end) = &report.holds_until {
                (fact(HOLDS_UNTIL, moment(&end.time)))
                (fact(FIRST_TO_END, visible(&end.certificate)))
            }
        }
        @if !report.trust.is_empty() { (lists(report)) (roots(report)) }
    };
    folded(MADE, content)
}

fn lists(report: &Report) -> Markup {
    html! {
        table.lists {
            thead { tr { @for name in [LISTS, SERVES, DATE, CERTIFICATES] { th scope="col" { (name) } } } }
            tbody {
                @for Trusted { roles, list } in &report.trust {
                    tr {
                        th scope="row" {
                            @match title(list) { Some(title) => (title), None => (visible(&list.title)) }
                            @if let Some(unchecked) = &list.unchecked {
                                p.note { (UNCHECKED) " " span lang="en" { (visible(unchecked)) } }
                            }
                        }
                        td { @for role in roles { p { (part(role.name())) } } }
                        td { @match &list.date { Some(date) => (visible(date)), None => (OWN_LIST) } }
                        td { (list.certificates.len()) }
                    }
                }
            }
        }
    }
}

/// The translated title of a published list; `None` for the verifier's own list, which has the name of its file.
fn title(list: &TrustList) -> Option<Words> {
    list.date.as_ref()?;
    TITLES.into_iter().find(|title| title.in_language(Language::English) == list.title)
}

/// The roots to which the proof's chains lead, and all roots of the verifier's own lists.
fn roots(report: &Report) -> Markup {
    let timestamps = [
        report.seal.as_ref().and_then(|seal| seal.timestamp.as_ref()),
        report.claim.as_ref().and_then(|claim| claim.timestamp.as_ref()),
        report.transparency_log.as_ref().and_then(|log| log.timestamp.as_ref()),
    ];
    let of_timestamps = timestamps.into_iter().flatten().filter_map(|timestamp| timestamp.root.as_ref());
    let of_seal = report.seal.iter().filter_map(|seal| seal.root.as_ref());
    let of_claim = report.claim.iter().filter_map(|claim| claim.root.as_ref());
    let used: Vec<&String> = of_timestamps.chain(of_seal).chain(of_claim).collect();
    let mut shown = BTreeMap::new();
    for list in report.trust.iter().map(|trusted| &trusted.list) {
        for der in &list.certificates {
            let name = Certificate::from_der(der).map(|certificate| certificate.tbs_certificate.subject.to_string());
            let name = name.unwrap_or_default();
            if list.date.is_none() || used.contains(&&name) {
                shown.insert(Sha256Digest::of(der).hex(), name);
            }
        }
    }
    html! {
        @if !shown.is_empty() {
            table.roots {
                thead { tr { @for name in [ROOTS, FINGERPRINT] { th scope="col" { (name) } } } }
                tbody {
                    @for (fingerprint, name) in shown {
                        tr { th scope="row" { (visible(&name)) } td { code { (fingerprint) } } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::title;
    use crate::trust::TrustStore;

    #[test]
    fn built_in_lists_have_translated_titles() {
        let store = TrustStore::built_in().unwrap();
        for (_, list) in store.lists() {
            assert!(title(list).is_some(), "{}", list.title);
        }
    }
}
