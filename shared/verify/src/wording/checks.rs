//! The requirement of each check, in words that need no technical knowledge.

use super::{Words, words};
use crate::report::Report;

/// The sentences, by the names of the checks.
const MUST_HOLD: &[(&str, Words)] = &[
    (
        "form",
        words(
            "O arquivo é uma foto na forma exata em que o serviço a escreve, sem um byte a mais.",
            "The file is a photo in the exact form in which the service writes it, without a byte more.",
        ),
    ),
    (
        "claim",
        words(
            "A declaração C2PA enumera cada parte da prova, e a sua assinatura é da chave do seu certificado.",
            "The C2PA claim lists every part of the proof, and its signature was made with its certificate's key.",
        ),
    ),
    (
        "statements",
        words(
            "As declarações são as de uma foto capturada, e nada mais foi feito com ela.",
            "The statements are those of a photo that was taken, and nothing else was done to it.",
        ),
    ),
    (
        "hard binding",
        words(
            "O que foi assinado abrange o arquivo inteiro, exceto a própria prova.",
            "What was signed covers the whole file, except for the proof itself.",
        ),
    ),
    (
        "hashes agree",
        words(
            "A foto é a mesma que foi assinada: seu SHA-256 é igual nos três lugares em que está guardado.",
            "The photo is the one that was signed: its SHA-256 is the same in the three places that keep it.",
        ),
    ),
    (
        "claim timestamp",
        words(
            "O carimbo do tempo da assinatura C2PA é dela e vem de uma autoridade em que se confia.",
            "The timestamp of the C2PA signature belongs to it and comes from a trusted authority.",
        ),
    ),
    (
        "claim certificate",
        words(
            "O certificado da assinatura C2PA leva a uma raiz em que se confia e valia no momento julgado.",
            "The certificate of the C2PA signature leads to a trusted root and was valid at the moment judged.",
        ),
    ),
    (
        "claim staple",
        words(
            "A resposta OCSP que o arquivo traz diz que o certificado da assinatura C2PA não estava revogado, é da autoridade que o emitiu e \
             valia quando a assinatura foi feita.",
            "The OCSP response in the file says that the certificate of the C2PA signature was not revoked, comes from the authority that \
             issued it, and was current when the signature was made.",
        ),
    ),
    (
        "seal signature",
        words(
            "A assinatura do selo (CAdES) é da chave do seu certificado.",
            "The seal's signature (CAdES) was made with its certificate's key.",
        ),
    ),
    (
        "seal policy",
        words(
            "A política da assinatura do selo é uma das publicadas pela ICP-Brasil, por seu identificador, seu hash e seu endereço, e há \
             carimbo do tempo exatamente onde ela o exige.",
            "The policy of the seal's signature is one that ICP-Brasil published, by its identifier, hash and address, and there is a \
             timestamp exactly where it demands one.",
        ),
    ),
    (
        "sealed environment",
        words(
            "O selo foi feito no ambiente que a prova declara.",
            "The seal was made in the environment that the proof states.",
        ),
    ),
    (
        "sealed statements",
        words(
            "O selo abrange o que a prova declara sobre a foto: não foi feito para outras declarações.",
            "The seal covers what the proof states of the photo: it was not made for other statements.",
        ),
    ),
    (
        "sealed claim certificate",
        words(
            "O selo foi feito para quem assina a declaração C2PA deste arquivo.",
            "The seal was made for the signer of the C2PA claim of this file.",
        ),
    ),
    (
        "seal timestamp",
        words(
            "O carimbo do tempo da assinatura do selo é dela e vem de uma autoridade em que se confia.",
            "The timestamp of the seal's signature belongs to it and comes from a trusted authority.",
        ),
    ),
    (
        "seal certificate",
        words(
            "O certificado do selo leva a uma raiz em que se confia e valia no momento julgado.",
            "The certificate of the seal leads to a trusted root and was valid at the moment judged.",
        ),
    ),
    (
        "claim revocation",
        words(
            "Nenhuma lista e nenhuma resposta, dada ou no próprio arquivo, diz que um certificado da assinatura C2PA estava revogado no \
             momento em que ela é julgada.",
            "No CRL or OCSP response, given or in the file itself, shows that a certificate of the C2PA signature was revoked at the moment \
             judged.",
        ),
    ),
    (
        "claim timestamp revocation",
        words(
            "Nenhuma revogação tira a confiança no carimbo do tempo da assinatura C2PA, segundo as listas e respostas dadas.",
            "No given CRL or OCSP response shows a revocation that ends the trust in the timestamp of the C2PA signature.",
        ),
    ),
    (
        "seal revocation",
        words(
            "Nenhuma lista e nenhuma resposta dada diz que um certificado do selo estava revogado no momento em que ele é julgado.",
            "No given CRL or OCSP response shows that a certificate of the seal was revoked at the moment judged.",
        ),
    ),
    (
        "seal timestamp revocation",
        words(
            "Nenhuma revogação tira a confiança no carimbo do tempo do selo, segundo as listas e respostas dadas.",
            "No given CRL or OCSP response shows a revocation that ends the trust in the timestamp of the seal.",
        ),
    ),
    (
        "times agree",
        words(
            "Os horários conferem entre si: os do serviço, do selo, do navegador e dos carimbos do tempo diferem em poucos minutos, e os \
             certificados valiam então.",
            "The times agree: those of the service, the seal, the browser and the timestamps differ by a few minutes, and the certificates \
             were valid then.",
        ),
    ),
    (
        "seal holder",
        words(
            "O certificado do selo é da empresa exigida por quem verificou.",
            "The seal certificate belongs to the company that the verifier required.",
        ),
    ),
    (
        "claim subject",
        words(
            "O certificado da assinatura C2PA é do titular exigido por quem verificou.",
            "The certificate of the C2PA signature belongs to the subject that the verifier required.",
        ),
    ),
    (
        "kit",
        words(
            "O kit dado por quem verificou é o que a prova declara, pelo nome e pelo SHA-256, e tem a etapa que ela declara.",
            "The kit that the verifier gave is the one that the proof states, by name and SHA-256, and has the step that it states.",
        ),
    ),
    (
        "transparency log",
        words(
            "O manifesto deste arquivo está em um estado do registro público que a chave dada assinou, segundo a prova dada junto com a foto.",
            "This file's manifest is in a state of the public log that the given key signed, by the proof that was given with the photo.",
        ),
    ),
    (
        "log witnesses",
        words(
            "As testemunhas exigidas assinaram também o estado do registro público que a prova traz.",
            "The required witnesses cosigned the state of the public log that the proof carries.",
        ),
    ),
    (
        "log timestamp",
        words(
            "O carimbo do tempo que a prova do registro público traz é do estado desse registro e vem de uma autoridade em que se confia.",
            "The timestamp that the proof of the public log carries is of that log's state and comes from a trusted authority.",
        ),
    ),
    (
        "log timestamp revocation",
        words(
            "Nenhuma revogação tira a confiança no carimbo do tempo do registro público, segundo as listas e respostas dadas.",
            "No given CRL or OCSP response shows a revocation that ends the trust in the timestamp of the public log.",
        ),
    ),
    (
        "renewals",
        words(
            "Cada renovação do carimbo do tempo do registro público abrange o carimbo anterior, e foi feita enquanto os certificados dele valiam.",
            "Each renewal of the public log's timestamp covers the timestamp before it, and was made while that one's certificates were valid.",
        ),
    ),
    (
        "renewals revocation",
        words(
            "Nenhuma revogação tira a confiança nas renovações do carimbo do tempo do registro público, segundo as listas e respostas dadas.",
            "No given CRL or OCSP response shows a revocation that ends the trust in the renewals of the public log's timestamp.",
        ),
    ),
    (
        "evidence bundles",
        words(
            "Cada pacote de evidências dado é de um destes carimbos do tempo, e é o que a renovação seguinte abrange.",
            "Each evidence bundle that was given belongs to one of these timestamps, and is the one that the next renewal covers.",
        ),
    ),
];

/// The checks that count only if other checks succeeded too, because they examine data which those authenticate.
const ONLY_WITH: &[(&str, &[&str])] = &[
    ("statements", &["claim"]),
    ("hard binding", &["claim"]),
    ("hashes agree", &["claim", "seal signature"]),
    ("claim staple", &["claim", "claim certificate"]),
    ("seal policy", &["seal signature"]),
    ("sealed environment", &["seal signature"]),
    ("sealed statements", &["seal signature"]),
    ("sealed claim certificate", &["seal signature"]),
    ("times agree", &["claim", "seal signature"]),
    ("seal holder", &["seal signature", "seal certificate"]),
    ("claim subject", &["claim", "claim certificate"]),
    ("kit", &["claim", "seal signature", "sealed statements"]),
];

/// Whether a successful check is meaningful: the data that it examines is authentic, and no failed revocation check
/// removes the trust in it.
pub(crate) fn counts(name: &str, report: &Report) -> bool {
    let basis = ONLY_WITH.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, basis)| basis);
    report.carries(name) && basis.iter().all(|name| report.carries(name))
}

/// The sentence of a check, or its name if it has none.
pub(crate) fn must_hold(name: &'static str) -> Words {
    MUST_HOLD.iter().find(|(known, _)| *known == name).map_or(words(name, ""), |(_, sentence)| *sentence)
}
