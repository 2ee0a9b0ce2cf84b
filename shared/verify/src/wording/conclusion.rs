//! The conclusion in words, with its reasons. The word comes first, since anyone can write names into a file; then the
//! holder of the seal's certificate, since anyone with an ICP-Brasil certificate can seal a photo.

use lacre_domain::Environment;

use super::{Language, Words, checks::must_hold, sentences, shown, words};
use crate::{
    kind::FileKind,
    report::{Outcome, Report, SealReport},
};

const VALID: Words = words("Prova válida", "Valid");
const VALID_FOR_TESTS: Words =
    words("Válida, mas feita em ambiente de testes", "Valid, but made in a test environment");
const NOT_PINNED: Words = words("Válida, titular não exigido", "Valid, signer not pinned");
const OTHER_ENVIRONMENT: Words =
    words("Válida, mas de outro ambiente que não o exigido", "Valid, but of another environment than the required one");
const NOT_VALID: Words = words("Prova não válida", "Not valid");
const NO_MANIFEST: Words = words("Foto sem prova", "Photo without a proof");
const OTHER_MANIFEST: Words = words(
    "Sem prova da Lacre, mas com credenciais C2PA de outra origem",
    "No proof of Lacre, but C2PA credentials of another origin",
);
const NEWER: Words = words("O arquivo diz ser de uma versão mais nova", "The file says that it is of a newer version");
const NOT_A_PHOTO: Words = words("Não é uma foto da Lacre", "Not a photo of Lacre");

const ANYONE_MAY_SEAL: Words = words(
    "Ninguém exigiu um CNPJ, e qualquer titular de um certificado sob as raízes em que se confia pode selar uma foto. Compare o titular \
     com a empresa que deveria tê-la selado, ou exija o seu CNPJ.",
    "No CNPJ was required, and any holder of a certificate under the trusted roots can seal a photo. Compare the holder with the company \
     that should have sealed it, or require its CNPJ.",
);
const SHOULD_HOLD: Words = words(
    "Para valer, o seguinte deveria conferir, e não confere:",
    "To be valid, the following should hold, and does not:",
);
const EXPIRED: Words = words(
    "Um certificado expirou antes do momento julgado, e nenhum carimbo do tempo confiável mostra que a assinatura é anterior. \
     Isso não quer dizer que a foto foi alterada: quer dizer que não se pode mais saber quando foi assinada.",
    "A certificate expired before the moment judged, and no trusted timestamp proves an earlier signature. \
     This does not mean that the photo was changed: it means that the time of the signature can no longer be proven.",
);
const UNREADABLE_LOG_PROOF: Words = words(
    "O arquivo dado como prova do registro público não é uma prova de um registro público, e não foi usado: a conclusão é a da foto. Ele pode \
     ter sido danificado no caminho: peça-o de novo a quem o enviou.",
    "The file that was given as a proof of the public log is not a proof of a public log, and was not used: the conclusion is that of the \
     photo. It may have been damaged on its way: request it again from its sender.",
);
const STRIPPED: Words = words(
    "Esta foto não traz uma prova. Ela pode nunca ter tido uma, ou tê-la perdido: aplicativos de mensagens e editores de imagem costumam retirá-la. \
     Peça o arquivo original.",
    "This photo carries no proof. It may never have had one, or may have lost it: messengers and image editors often remove it. \
     Request the original file.",
);
const USE_A_C2PA_TOOL: Words = words(
    "O arquivo traz um manifesto C2PA sem as declarações da Lacre: é de outra origem, ou está incompleto. Ele não foi verificado aqui; um \
     verificador C2PA de uso geral pode verificá-lo.",
    "The file carries a C2PA manifest without Lacre's statements: it is of another origin, or incomplete. It was not checked here; a \
     general C2PA verifier can check it.",
);
const UPDATE: Words = words(
    "O arquivo diz ter sido feito por uma versão mais nova da Lacre, que este verificador não conhece. Nada nele foi verificado, e qualquer \
     um pode escrever um número de versão. Atualize o verificador antes de confiar nele.",
    "The file says that it was made by a newer version of Lacre, which this verifier does not know. Nothing in it was checked, and anyone \
     can write a version number. Update the verifier before you trust it.",
);
const ONLY_JPEG: Words = words(
    "A Lacre entrega fotos em JPEG, e este arquivo não é um JPEG.",
    "Lacre delivers photos as JPEG, and this file is not a JPEG.",
);

/// A reason for the conclusion.
#[derive(Clone, Copy)]
pub(crate) struct Reason {
    pub(crate) words: Words,
    /// Whether every reader must see it.
    pub(crate) is_warning: bool,
}

/// The appearance of a conclusion: `holds`, `doubtful` or `fails`.
pub(crate) fn class(report: &Report) -> &'static str {
    match report.outcome {
        Outcome::Accepted if is_production(report) && !trusts_own_roots(report) => "holds",
        Outcome::Refused => "fails",
        _ => "doubtful",
    }
}

/// The conclusion in a few words.
pub(crate) fn word(report: &Report) -> Words {
    match (report.outcome, report.file) {
        (Outcome::Accepted, _) if is_production(report) => VALID,
        (Outcome::Accepted, _) => VALID_FOR_TESTS,
        (Outcome::NotPinned, _) => NOT_PINNED,
        (Outcome::OtherEnvironment, _) => OTHER_ENVIRONMENT,
        (Outcome::NewerVersion, _) => NEWER,
        (Outcome::NoProof, FileKind::Photo) => NO_MANIFEST,
        (Outcome::NoProof, FileKind::OtherManifest) => OTHER_MANIFEST,
        (Outcome::NoProof, _) => NOT_A_PHOTO,
        (Outcome::Refused, _) => NOT_VALID,
    }
}

/// The name and CNPJ of the seal's holder, from the certificate.
pub(crate) fn holder(seal: &SealReport) -> String {
    let name = &seal.holder.name;
    seal.holder.cnpj_punctuated().map_or_else(|| name.clone(), |cnpj| format!("{name} (CNPJ {cnpj})"))
}

/// The reasons for the conclusion, in order. [`failed`] continues the reason that announces failed checks.
pub(crate) fn reasons(report: &Report) -> Vec<Reason> {
    let reason = match (report.outcome, report.file) {
        (Outcome::Refused, _) => Some(SHOULD_HOLD),
        (Outcome::NewerVersion, _) => Some(UPDATE),
        (Outcome::NoProof, FileKind::Photo) => Some(STRIPPED),
        (Outcome::NoProof, FileKind::OtherManifest) => Some(USE_A_C2PA_TOOL),
        (Outcome::NoProof, _) => Some(ONLY_JPEG),
        _ => sentences::ALL_HOLD.on(report),
    };
    let is_for_tests = report.environment.is_some() && !is_production(report);
    let is_other_seal = report.capture.as_ref().is_some_and(|capture| !capture.icp_brasil);
    let warnings = [
        (report.outcome == Outcome::NotPinned).then_some(ANYONE_MAY_SEAL),
        report.has_only_expired().then_some(EXPIRED),
        report.unreadable_log_proof.then_some(UNREADABLE_LOG_PROOF),
        sentences::OWN_ROOTS.on(report).filter(|_| trusts_own_roots(report)),
        sentences::FOR_TESTS.on(report).filter(|_| is_for_tests),
        sentences::NOT_ICP_BRASIL.on(report).filter(|_| is_other_seal),
    ];
    let warnings = warnings.into_iter().flatten().map(|words| Reason { words, is_warning: true });
    reason.map(|words| Reason { words, is_warning: false }).into_iter().chain(warnings).collect()
}

/// The sentences of the failed checks.
pub(crate) fn failed(report: &Report) -> impl Iterator<Item = Words> {
    let is_judged = report.outcome == Outcome::Refused;
    report.checks.iter().filter(move |check| is_judged && !check.holds).map(|check| must_hold(check.name))
}

impl Report {
    /// The conclusion in one line, with the holder of the seal's certificate.
    #[must_use]
    pub fn conclusion(&self, language: Language) -> String {
        let word = word(self).in_language(language);
        let sealed_by = self.seal.as_ref().zip(sentences::SEALED_BY.on(self));
        let sealed_by = sealed_by.map(|(seal, is)| format!("{}: {}", is.in_language(language), shown(&holder(seal))));
        sealed_by.map_or_else(|| word.to_owned(), |sealed_by| format!("{word}. {sealed_by}"))
    }
}

/// Whether roots were trusted that belong to no published list.
fn trusts_own_roots(report: &Report) -> bool {
    report.trust.iter().any(|trusted| trusted.list.date.is_none())
}

fn is_production(report: &Report) -> bool {
    report.environment == Some(Environment::Production)
}
