//! The refusals and the contract's own tables of errors say the same. The rows are the contract's, in its order and words;
//! `docs/api.md` is this project's reading of it, and has a test of its own.

use std::collections::BTreeSet;

use domain::{Refusal, Route};

/// The text of a row of the contract.
#[derive(Clone, Copy, Debug)]
enum Text {
    /// The whole text. `<service_name>` is the operator's name.
    Is(&'static str),
    /// The start: the contract elides the rest.
    Begins(&'static str),
    /// The end.
    Ends(&'static str),
    /// The text around a figure.
    Around(&'static str, &'static str),
    /// Nothing.
    Open,
}

use Text::{Around, Begins, Ends, Is, Open};

/// A row of the contract: status, causes as `block_reason` (`""` where it has none), text.
type Row = (u16, &'static [&'static str], Text);

const SESSION: Text = Is("Sessão inválida — recrie a sessão.");
const ORIGIN: Text =
    Is("Origem não autorizada para esta licença — fale com a <service_name> para habilitar este domínio.");
const ACCESS: Text = Is("Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.");
const MOMENT: Text = Is("Serviço temporariamente indisponível, tente novamente");
const NONCE: Text = Ends("recarregue a sessão");

/// `POST /web/sessions`. Of the prefix the contract says that it is the service's own.
const CREATE_SESSION: &[Row] = &[
    (400, &["web_create_payload_invalid", "web_license_key_malformed", "web_reference_id_invalid"], Open),
    (401, &[""], Is("API key inválida ou ausente")),
    (401, &[""], Is("API key inválida ou revogada")),
    (401, &[""], Is("API key inválida — apenas svc_api_* aceito")),
    (403, &[""], Is("License inválida para esta API key")),
    (403, &["web_license_environment_mismatch"], Is("License e API key pertencem a ambientes diferentes")),
    (429, &[""], Begins("Limite de criação de sessões atingido")),
    (500, &[""], Is("Erro na validação de API Key")),
    (500, &[""], Is("Erro na validação da license")),
    (503, &["web_upstream_unavailable"], MOMENT),
];

/// `GET /web/sessions/:token`.
const LOAD_SESSION: &[Row] = &[
    (403, &["web_session_corrupt"], SESSION),
    (403, &["web_origin_not_allowed", "web_origin_allowlist_empty"], ORIGIN),
    (403, &["web_license_missing"], SESSION),
    (403, &["web_license_invalid"], Is("License inválida — verifique a licença.")),
    (403, &[""], ACCESS),
    (404, &[""], Is("Sessão não encontrada")),
    (410, &[""], Is("Sessão expirada ou já utilizada")),
    (429, &[""], Is("Limite de tentativas atingido para esta sessão")),
    (503, &["web_upstream_unavailable", "web_presign_unavailable"], MOMENT),
];

/// `GET /web/session-results/:token`.
const SESSION_RESULTS: &[Row] = &[(403, &["web_session_corrupt"], SESSION), (404, &[""], Is("Sessão não encontrada"))];

/// `POST /web/ingest`.
const INGEST: &[Row] = &[
    (400, &[""], Open),
    (400, &["web_liveness_static"], Open),
    (400, &["web_liveness_insufficient"], Open),
    (400, &["web_liveness_malformed"], Open),
    (400, &["web_liveness_too_many"], Open),
    (400, &["web_label_invalid"], Open),
    (400, &[""], Is("Localização inválida.")),
    (400, &[""], Is("Imagem ausente ou inválida")),
    (400, &["web_photo_order_mismatch"], Is("photo_order não corresponde à foto pendente desta sessão.")),
    (403, &[""], Open),
    (403, &["web_origin_not_allowed", "web_origin_allowlist_empty"], ORIGIN),
    (403, &["web_origin_session_mismatch"], Is("Sessão carregada de outra origem — recarregue a sessão.")),
    (403, &[""], Ends("verifique data e hora")),
    (403, &["web_nonce_missing", "web_nonce_malformed", "web_nonce_replay"], NONCE),
    (403, &["web_session_corrupt"], SESSION),
    (403, &[""], ACCESS),
    (404, &[""], Is("Sessão não encontrada")),
    (404, &[""], Is("Imagem não encontrada — refaça o upload")),
    (409, &[""], Is("Sessão já utilizada")),
    (409, &["web_duplicate"], Is("Esta captura não pôde ser processada.")),
    (410, &[""], Is("Sessão expirada")),
    (413, &["web_asset_too_large"], Around("Imagem acima do tamanho máximo aceito (", " bytes).")),
    (422, &[""], Is("Imagem rejeitada — possível recaptura")),
    (422, &[""], Is("Não foi possível validar a localização da captura.")),
    (502, &["web_signer_unavailable", "web_signer_rejected", "web_signer_response_invalid"], Open),
    (
        502,
        &[
            "web_prova_store_unavailable",
            "web_ingest_presign_failed",
            "web_ingest_presign_config_failed",
            "web_hash_store_unavailable",
        ],
        Open,
    ),
    (502, &["web_raw_read_failed"], Open),
    (502, &["web_signed_payload_too_large"], Open),
    (502, &["web_ledger_client_id_unauthoritative"], Open),
    (502, &["web_ledger_write_failed"], Open),
    (502, &["web_response_serialization_failed"], Open),
    (503, &["web_nonce_store_unavailable"], Open),
    (503, &["web_raw_store_unavailable"], Open),
];

const TABLES: [(Route, &[Row]); 4] = [
    (Route::CreateSession, CREATE_SESSION),
    (Route::LoadSession, LOAD_SESSION),
    (Route::SessionResults, SESSION_RESULTS),
    (Route::Ingest, INGEST),
];

/// What the service says on these routes where the contract has no row: of the two `GET /web/image` and `/validate` it
/// shows no errors at all.
const BESIDE: &[(Route, u16, &str)] = &[
    // The table of session load has the row, and a session can lose its license after its load.
    (Route::Ingest, 403, "web_license_missing"),
    // The contract has this reason for a transient failure, on the two routes before.
    (Route::SessionResults, 503, "web_upstream_unavailable"),
];

impl Text {
    fn admits(self, text: &str) -> bool {
        match self {
            Is(whole) => text == whole.replace("<service_name>", "Lacre"),
            Begins(start) => text.starts_with(start),
            Ends(end) => text.ends_with(end),
            Around(start, end) => text
                .strip_prefix(start)
                .and_then(|rest| rest.strip_suffix(end))
                .is_some_and(|figure| !figure.is_empty() && figure.bytes().all(|byte| byte.is_ascii_digit())),
            Open => !text.is_empty(),
        }
    }
}

fn of_route(route: Route) -> impl Iterator<Item = &'static Refusal> {
    Refusal::ALL.iter().filter(move |refusal| refusal.routes().contains(&route))
}

/// Whether a refusal is what a row says, for one of its causes.
fn is_row(refusal: Refusal, status: u16, reason: &str, text: Text) -> bool {
    refusal.status() == status
        && refusal.block_reason().unwrap_or_default() == reason
        && text.admits(&refusal.text("Lacre"))
}

#[test]
fn each_row_of_the_contract_is_said() {
    for (route, rows) in TABLES {
        for (status, reasons, text) in rows {
            for reason in *reasons {
                let said = of_route(route).any(|refusal| is_row(*refusal, *status, reason, *text));
                assert!(said, "{}: nothing says {status} {reason:?} {text:?}", route.name());
            }
        }
    }
}

#[test]
fn what_is_said_is_a_row_of_the_contract() {
    let mut beside = BTreeSet::new();
    for (route, rows) in TABLES {
        for refusal in of_route(route) {
            let is =
                |(status, reasons, text): &Row| reasons.iter().any(|cause| is_row(*refusal, *status, cause, *text));
            let reason = refusal.block_reason().unwrap_or_default();
            if !rows.iter().any(is) {
                beside.insert((route, refusal.status(), reason));
            }
        }
    }
    assert_eq!(beside, BESIDE.iter().copied().collect());
}

/// A row that leaves its text open admits any without a reason: two such refusals must not stand for one row.
#[test]
fn each_refusal_without_a_reason_has_a_row_of_its_own() {
    for (route, rows) in TABLES {
        let count = |status: u16| rows.iter().filter(|row| row.0 == status && row.1 == [""]).count();
        for (status, ..) in rows.iter().filter(|row| row.1 == [""]) {
            let said = of_route(route).filter(|one| one.status() == *status && one.block_reason().is_none()).count();
            assert_eq!(said, count(*status), "{} {status}", route.name());
        }
    }
}
