//! The sentences about a proof, each with the checks that it depends on. If one of these fails, the sentence is
//! omitted, or replaced by one that is true in any case.
//!
//! All sentences that state a fact are here. Labels, and sentences about what is missing, are where they are shown.

use super::{Words, words};
use crate::report::Report;

/// A sentence about a proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sentence {
    words: Words,
    basis: Basis,
    /// A sentence that is true in any case.
    otherwise: Option<Words>,
}

/// The checks that a sentence depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Basis {
    /// All checks: a single failed one means that nothing is proved.
    All,
    /// The checks with the given names.
    Checks(&'static [&'static str]),
}

impl Sentence {
    const fn of_all(words: Words) -> Self {
        Self { words, basis: Basis::All, otherwise: None }
    }

    const fn of(checks: &'static [&'static str], words: Words) -> Self {
        Self { words, basis: Basis::Checks(checks), otherwise: None }
    }

    const fn or(self, otherwise: Words) -> Self {
        Self { otherwise: Some(otherwise), ..self }
    }

    /// Whether all checks that the sentence depends on succeeded.
    pub(crate) fn is_carried(&self, report: &Report) -> bool {
        match self.basis {
            Basis::All => report.valid,
            Basis::Checks(names) => names.iter().all(|name| report.carries(name)),
        }
    }

    /// The sentence, or the one that is true in any case.
    pub(crate) fn on(&self, report: &Report) -> Option<Words> {
        if self.is_carried(report) { Some(self.words) } else { self.otherwise }
    }
}

pub(crate) const SEALED_BY: Sentence = Sentence::of_all(words("Selada por", "Sealed by"))
    .or(words("O arquivo diz que foi selada por (não provado)", "The file names as the sealer (not proven)"));
pub(crate) const ALL_HOLD: Sentence = Sentence::of_all(words(
    "Todas as verificações conferem: a foto é, byte por byte, a que foi assinada.",
    "Every check holds: the photo is, byte for byte, the one that was signed.",
));
pub(crate) const FOR_TESTS: Sentence = Sentence::of_all(words(
    "Ambiente de testes: esta foto nada prova perante terceiros. As chaves que a assinaram servem apenas a testes.",
    "A test environment: this photo proves nothing towards third parties. The keys that signed it are for tests only.",
))
.or(words("O arquivo diz que é de um ambiente de testes.", "The file says that it is of a test environment."));
pub(crate) const NOT_ICP_BRASIL: Sentence = Sentence::of_all(words(
    "O próprio serviço declara que a assinatura do selo não é de um certificado da ICP-Brasil.",
    "The service itself states that the seal is not signed with a certificate of ICP-Brasil.",
))
.or(words(
    "O arquivo diz que a assinatura do selo não é de um certificado da ICP-Brasil.",
    "The file says that the seal is not signed with a certificate of ICP-Brasil.",
));
pub(crate) const ENVIRONMENT: Sentence = Sentence::of_all(words("Ambiente", "Environment"))
    .or(words("Ambiente, segundo o arquivo", "Environment, says the file"));
pub(crate) const OWN_ROOTS: Sentence = Sentence::of_all(words(
    "Confiou-se em certificados raiz que quem verificou deu, além das listas publicadas ou no lugar delas: quem tem as chaves deles pode \
     fazer uma prova que aqui vale.",
    "Root certificates that the verifier gave were trusted, beside or instead of the published lists: whoever holds their keys can make \
     a proof that is valid here.",
));

pub(crate) const PICTURE: Sentence = Sentence::of_all(words(
    "A foto tal como o serviço a recebeu e assinou.",
    "The photo as the service received and signed it.",
))
.or(words(
    "A imagem contida no arquivo. Ela não foi autenticada.",
    "The picture in the file. It is not authenticated.",
));
pub(crate) const FRAME_HASH: Sentence =
    Sentence::of_all(words("SHA-256 da foto como foi recebida", "SHA-256 of the photo as received"))
        .or(words("SHA-256 da imagem contida no arquivo", "SHA-256 of the picture in the file"));

pub(crate) const SEAL: Sentence = Sentence::of(
    &["seal signature", "seal certificate", "hashes agree"],
    words("Selo: assinatura CAdES da empresa sobre a foto", "Seal: the company's CAdES signature over the photo"),
)
.or(words("Selo: a assinatura CAdES no arquivo", "Seal: the CAdES signature in the file"));
pub(crate) const CLAIM: Sentence = Sentence::of(
    &["claim", "claim certificate", "statements", "hard binding", "hashes agree"],
    words("Assinatura C2PA do serviço sobre toda a prova", "The service's C2PA signature over the whole proof"),
)
.or(words("A assinatura C2PA no arquivo", "The C2PA signature in the file"));

/// States what existed at the time of the seal's timestamp.
pub(crate) const SEAL_EXISTED: Sentence = Sentence::of(
    &["seal timestamp", "seal signature", "hashes agree"],
    words("A foto e a assinatura do selo", "The photo and the seal's signature"),
)
.or(words(
    "Só o valor da assinatura do selo, não esta imagem",
    "Only the value of the seal's signature, not this picture",
));
/// States what existed at the time of the claim's timestamp.
pub(crate) const CLAIM_EXISTED: Sentence = Sentence::of(
    &["claim timestamp", "claim", "statements", "hard binding", "hashes agree"],
    words("A assinatura C2PA, e com ela toda a prova", "The C2PA signature, and with it the whole proof"),
)
.or(words(
    "Só o valor da assinatura C2PA, não tudo o que este arquivo traz",
    "Only the value of the C2PA signature, not all that this file carries",
));
/// States what existed at the time of the timestamp over the log's checkpoint.
pub(crate) const LOG_EXISTED: Sentence = Sentence::of(
    &["log timestamp", "transparency log", "claim", "statements", "hard binding", "hashes agree"],
    words(
        "A captura no registro público, e com ela toda a prova",
        "The capture in the public log, and with it the whole proof",
    ),
)
.or(words(
    "Só o manifesto deste arquivo, em um estado do registro",
    "Only this file's manifest, in a state of the log",
));
pub(crate) const IN_LOG: Sentence = Sentence::of(
    &["transparency log", "claim", "statements", "hard binding", "hashes agree"],
    words("A captura está no registro público", "The capture is in the public log"),
)
.or(words(
    "O manifesto deste arquivo está em um estado do registro assinado pela chave dada",
    "This file's manifest is in a state of the log that the given key signed",
));

pub(crate) const TAKEN: Sentence =
    Sentence::of_all(words("Foto tirada, segundo o navegador", "Photo taken, says the browser"))
        .or(words("Foto tirada, segundo o arquivo", "Photo taken, says the file"));
pub(crate) const RECEIVED: Sentence =
    Sentence::of_all(words("Foto recebida, segundo o serviço", "Photo received, says the service"))
        .or(words("Foto recebida, segundo o arquivo", "Photo received, says the file"));
pub(crate) const SIGNED: Sentence =
    Sentence::of_all(words("Selo assinado, segundo quem o assinou", "Seal signed, says its signer"))
        .or(words("Selo assinado, segundo o arquivo", "Seal signed, says the file"));
pub(crate) const PLACE: Sentence = Sentence::of_all(words("Lugar, segundo o navegador", "Place, says the browser"))
    .or(words("Lugar, segundo o arquivo", "Place, says the file"));

pub(crate) const FACTS: Sentence =
    Sentence::of_all(words("O que a prova diz da captura", "What the proof says about the capture"))
        .or(words("O que o arquivo diz de uma captura", "What the file says about a capture"));
pub(crate) const OF_SERVICE: Sentence =
    Sentence::of_all(words("O serviço declara e responde", "The service states and vouches for"))
        .or(words("Em nome do serviço (não provado)", "In the service's name (not proven)"));
pub(crate) const OF_BROWSER: Sentence = Sentence::of_all(words("O navegador alega", "The browser claims"))
    .or(words("Em nome do navegador (não provado)", "In the browser's name (not proven)"));

pub(crate) const SAME_BYTES: Sentence = Sentence::of_all(words(
    "Esta é, byte por byte, a foto que o serviço recebeu. Qualquer alteração posterior nela, ou no que se declara dela, teria sido descoberta. \
     Só o carimbo do tempo da assinatura C2PA, a resposta OCSP sobre o seu certificado e o espaço reservado a eles não são abrangidos por \
     nenhuma assinatura: podem ser retirados, ou trocados por outros que confiram, mas não forjados.",
    "This is, byte for byte, the photo that the service received. Any later change to it, or to what is stated of it, would have been found. \
     Only the timestamp of the C2PA signature, the OCSP response about its certificate and the room for them are covered by no signature: \
     they can be removed, or replaced by others that hold, but not forged.",
));
pub(crate) const SIGNER: Sentence = Sentence::of_all(words(
    "O titular do certificado do selo a assinou, na medida em que se confia nas autoridades que emitiram os certificados e na guarda das chaves.",
    "The holder of the seal's certificate signed it, as far as the authorities that issued the certificates are trusted, and the keys were kept.",
));
/// Used if there is a trusted time.
pub(crate) const EXISTED: Sentence = Sentence::of_all(words(
    "Ela já existia no tempo confiável indicado, pela palavra da autoridade de carimbo do tempo.",
    "It existed at the trusted time given, by the word of the timestamp authority.",
));
pub(crate) const STATED: Sentence = Sentence::of_all(words(
    "O serviço declarou tê-la recebido naquele momento e naquela captura, e ter feito as verificações indicadas. É a sua palavra: a \
     declaração deste arquivo não pode mais ser mudada, mas outro arquivo com outra declaração pode ser feito.",
    "The service stated that it received it at that time for that capture, and made the checks given. It is its word: this file's statement \
     cannot be changed any more, but another file with another statement can be made.",
));
pub(crate) const STAPLED: Sentence = Sentence::of(
    &["claim staple", "claim", "claim certificate"],
    words(
        "Não revogado, segundo a resposta OCSP no arquivo, em",
        "Not revoked, by the OCSP response in the file, as of",
    ),
)
.or(words(
    "O arquivo traz uma resposta OCSP, que não conta, de",
    "The file has an OCSP response, which does not count, of",
));
