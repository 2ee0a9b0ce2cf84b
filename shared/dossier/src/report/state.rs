//! The states of a photo in words: what each means, what remains, and what to do next.

use lacre_api::{CustodyState, dossier::PhotoState};

use lacre_page_text::{Words, words};

/// The state in short.
pub(super) fn name(state: PhotoState) -> Words {
    match state {
        PhotoState::Included => words("no dossiê", "in the dossier"),
        PhotoState::NotRetained => words("não guardada pelo serviço", "not stored by the service"),
        PhotoState::Withheld => words("bloqueada", "withheld"),
        PhotoState::Erased => words("apagada", "erased"),
    }
}

/// What the state means.
pub(super) fn meaning(state: PhotoState) -> Words {
    match state {
        PhotoState::Included => words(
            "A foto está neste dossiê, e a sua prova está dentro do próprio arquivo.",
            "The photo is in this dossier, and its proof is inside the file itself.",
        ),
        PhotoState::NotRetained => words(
            "O serviço não guarda as fotos desta licença: só quem recebeu a foto na hora da captura a tem. O manifesto \
             dela, que é a prova, está neste dossiê.",
            "The service does not store the photos of this license: only who received the photo at its capture has it. \
             Its manifest, which is the proof, is in this dossier.",
        ),
        PhotoState::Withheld => words(
            "Um operador do serviço bloqueou a foto, ou a conta do cliente está suspensa. Nem a foto nem o manifesto \
             estão neste dossiê. Um bloqueio pode ser desfeito. Aqui restam o registro e os códigos SHA-256 abaixo.",
            "An operator of the service withholds the photo, or the client's account is suspended. Neither the photo \
             nor its manifest is in this dossier. Withholding can be undone. What remains here is the record with the \
             SHA-256 values below.",
        ),
        PhotoState::Erased => words(
            "A foto, o manifesto e os dados pessoais foram apagados para sempre. Restam o registro e os códigos \
             SHA-256 abaixo: por eles ainda se reconhece uma cópia idêntica do arquivo.",
            "The photo, its manifest and the personal data were erased for good. What remains is the record with the \
             SHA-256 values below: they still identify an exact copy of the file.",
        ),
    }
}

/// What the reader can do next.
pub(super) fn next(state: PhotoState) -> Words {
    match state {
        PhotoState::Included => words(
            "Abra o arquivo da foto para vê-la no tamanho original.",
            "Open the file of the photo to see it in its original size.",
        ),
        PhotoState::NotRetained => words(
            "Peça a foto ao cliente que a recebeu, e compare o SHA-256 do arquivo com o SHA-256 da foto assinada.",
            "Ask the client that received the photo for it, and compare the SHA-256 of the file with that of the \
             signed photo.",
        ),
        PhotoState::Withheld => words(
            "Pergunte o motivo ao operador do serviço, citando o identificador da captura. Se ele liberar a foto, peça \
             um novo dossiê.",
            "Ask the operator of the service for the reason, and name the id of the capture. If the photo is released, \
             ask for a new dossier.",
        ),
        PhotoState::Erased => words(
            "Pergunte ao cliente que pediu a foto se ele a guardou. Se guardou, compare o SHA-256 do arquivo com o \
             SHA-256 da foto assinada.",
            "Ask the client that asked for the photo whether it kept the file. If so, compare the SHA-256 of the file \
             with that of the signed photo.",
        ),
    }
}

/// What an operator did.
pub(super) fn act(state: CustodyState) -> Words {
    match state {
        CustodyState::Held => words("Liberada por um operador", "Released by an operator"),
        CustodyState::Withheld => words("Bloqueada por um operador", "Withheld by an operator"),
        CustodyState::Erased => words("Apagada por um operador", "Erased by an operator"),
    }
}
