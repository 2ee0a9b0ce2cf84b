//! Examples of requests and responses of the admin API, as values of the types.

use serde_json::{Value, json};
use time::macros::datetime;

use super::examples::LICENSE_KEY;
use crate::{
    CustodyState, Environment, Framing, GpsMode, IntegrityEnforcement, NamedTerms, RecaptureGate, RecaptureRisk,
    StoreAssetPolicy,
    admin::{
        AlertKind, AlertPage, AlertView, ApiKeyPage, ApiKeyRequest, ApiKeyView, AskedForView, AttemptPage,
        AttemptState, AttemptView, AuditOutcome, AuditPage, AuditView, CapturePage, CaptureView, CapturesView,
        CertificateEnd, Client, ClientId, ClientPage, ClientStatus, CopyMatch, CopyMatches, Count, DeliveryResult,
        Fault, FaultBody, GpsResult, HostedLicenseView, HostedLicenses, KeyStatus, KitPage, KitRequest, KitVersionView,
        KitView, LicenseId, LicensePage, LicenseRequest, LicenseStatus, LicenseView, LicenseWithUsage, ListedLicense,
        NOTHING_CHANGED, NewApiKey, NewClient, NewLicense, NewWebhookSecret, Operation, Overview, ProbedSigners,
        RevocationRequest, RotationRequest, SenderRequest, SenderView, Signer, SignerCheck, SignerPart, UNREADABLE,
        Usage, UsageByMonth, Via, WebhookSecretId, WebhookSecretRequest, WebhookSecretState, WebhookSecretView,
        WebhookSecrets,
    },
    kit::{Kit, KitStep, OutlinePath, Subject, Torch, Translations},
    limits,
    sender::Sender,
    terms::Moment,
};

pub(super) const REQUEST: &str = "0b6e9c2e-1111-4222-8333-444455556666";
const CLIENT: u128 = 0x019a9e3c_5c1a_7d20_9b1f_6a2f0c7d4e10;
const LICENSE: u128 = 0x019a9e3c_8f42_7aa1_8c3e_1d5b7f9a2c64;
const SECRET: u128 = 0x019a9e3d_02b7_7c55_a1d0_93e4b6c8f172;
const MESSAGE: &str = "msg_019a9e4070007d3c8f1e2b5a6c9d0e4f";
const OPERATOR: &str = "arn:aws:sts::111122223333:assumed-role/operator/ana";
const NAME: &str = "Seguradora Exemplo";
const NOW: &str = "2026-11-20T12:00:00Z";
const ISSUED: &str = "2026-11-02T09:30:00Z";
const MONTH: &str = "2026-11";
const DIGESTS: [&str; 5] = [
    "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13",
    "a4e624d686e03ed2767c0abd85c14426b0b1157d2ce81d27bb4fe4f6f01d688a",
    "a140c0c1eda2def2b830363ba362aa4d7d255c262960544821f556e16661b6ff",
];

fn client_id() -> ClientId {
    ClientId::from_u128(CLIENT)
}

fn license_id() -> LicenseId {
    LicenseId::from_u128(LICENSE)
}

pub(super) fn fault(fault: Fault) -> Value {
    let error = match fault {
        Fault::Invalid => "a name has 1 to 100 characters and no line breaks".to_owned(),
        Fault::NotFound => format!("client {} does not exist", client_id()),
        Fault::Conflict => format!("client {} is suspended; resume it first", client_id()),
        Fault::Stale => "the license has revision 4, not 3: another operator changed it; read it again".to_owned(),
        Fault::Unreadable => UNREADABLE.to_owned(),
        Fault::Unavailable => NOTHING_CHANGED.to_owned(),
    };
    json!(FaultBody { error })
}

pub(super) fn overview() -> Value {
    let captures =
        [(Environment::Production, 1204, 20_118), (Environment::Staging, 3, 41), (Environment::Sandbox, 12, 97)];
    let certificate = CertificateEnd {
        environment: Environment::Production,
        signer: Signer::Seal,
        subject: Some("CN=Seguradora Exemplo,O=ICP-Brasil,C=BR".to_owned()),
        not_after: Some("2027-03-14T18:00:00Z".into()),
        days_left: 114,
    };
    json!(Overview {
        at: NOW.into(),
        captures: captures.map(|(environment, today, month)| CapturesView { environment, today, month }).into(),
        open_alerts: Count { count: 2, more: false },
        failing_webhooks: Count { count: 0, more: false },
        certificates: vec![certificate],
    })
}

pub(super) fn new_client() -> Value {
    json!(NewClient { name: NAME.to_owned() })
}

fn a_client() -> Client {
    Client { id: client_id(), name: NAME.to_owned(), status: ClientStatus::Active }
}

pub(super) fn client() -> Value {
    json!(a_client())
}

pub(super) fn clients() -> Value {
    json!(ClientPage { clients: vec![a_client()], next: None })
}

pub(super) fn api_key_request() -> Value {
    json!(ApiKeyRequest { environment: Environment::Sandbox, name: "backend".to_owned() })
}

fn an_api_key(status: KeyStatus) -> ApiKeyView {
    ApiKeyView {
        id: "4c1f0a9b7d3e5f62".into(),
        name: "backend".to_owned(),
        client_id: client_id(),
        environment: Environment::Sandbox,
        status,
        client_status: ClientStatus::Active,
        issued_at: ISSUED.into(),
        key_prefix: "svc_api_".to_owned(),
        key_suffix: Some("n2Fs".into()),
    }
}

pub(super) fn new_api_key() -> Value {
    json!(NewApiKey {
        api_key: "svc_api_8cVqjZkXW7mZb1w7eF3Rk9pTtYhNn2Fs".to_owned(),
        view: an_api_key(KeyStatus::Active)
    })
}

pub(super) fn api_key() -> Value {
    json!(an_api_key(KeyStatus::Revoked))
}

pub(super) fn api_keys() -> Value {
    json!(ApiKeyPage { api_keys: vec![an_api_key(KeyStatus::Active)], next: None })
}

/// The terms of an example sandbox license.
fn named_terms() -> NamedTerms {
    NamedTerms {
        expires_at: Some(Moment(datetime!(2027-11-20 00:00 UTC))),
        authorized_origins: Some(vec!["https://app.example.com".to_owned()]),
        ..NamedTerms::default()
    }
}

pub(super) fn license_request() -> Value {
    json!(LicenseRequest { environment: Environment::Sandbox, terms: named_terms() })
}

pub(super) fn terms() -> Value {
    let terms: NamedTerms =
        NamedTerms { gps_mode: Some(GpsMode::Require), gps_max_accuracy_m: Some(50.0), ..NamedTerms::default() };
    json!(terms)
}

fn a_license() -> LicenseView {
    // The example names every term that has no default.
    #[allow(clippy::expect_used)]
    let terms = named_terms().complete(Some(Environment::Sandbox)).expect("no term is missing");
    LicenseView {
        id: license_id(),
        client_id: client_id(),
        environment: Environment::Sandbox,
        status: LicenseStatus::Active,
        terms,
        integrity_enforcement: IntegrityEnforcement::Ignore,
        issued_at: ISSUED.into(),
        key_id: "b7d93c0e51f2a846".into(),
        key_prefix: "svc_sand_".to_owned(),
        key_suffix: Some("2sUu".into()),
        revision: 1,
    }
}

fn a_month() -> Usage {
    Usage { month: MONTH.into(), captures_used: 12 }
}

fn with_usage() -> LicenseWithUsage {
    LicenseWithUsage { view: a_license(), refusal: None, usage: a_month() }
}

pub(super) fn license() -> Value {
    json!(a_license())
}

pub(super) fn license_with_usage() -> Value {
    json!(with_usage())
}

pub(super) fn licenses() -> Value {
    let listed = ListedLicense { license: with_usage(), client_name: Some(NAME.to_owned()) };
    json!(LicensePage { licenses: vec![listed], next: None })
}

pub(super) fn new_license() -> Value {
    json!(NewLicense { license_key: LICENSE_KEY.to_owned(), view: a_license() })
}

pub(super) fn usage() -> Value {
    json!(UsageByMonth { usage: vec![Usage { month: "2026-10".into(), captures_used: 7 }, a_month()] })
}

fn a_hosted_license() -> HostedLicenseView {
    HostedLicenseView { client_id: client_id(), environment: Environment::Sandbox, license_id: license_id() }
}

pub(super) fn hosted_license() -> Value {
    json!(a_hosted_license())
}

pub(super) fn hosted_licenses() -> Value {
    json!(HostedLicenses { hosted_licenses: vec![a_hosted_license()] })
}

fn a_kit() -> Kit {
    let step = KitStep {
        id: "chassi".into(),
        title: Translations {
            portuguese: "Número do chassi".into(),
            english: Some("Chassis number".into()),
            spanish: None,
        },
        instruction: portuguese("Fotografe de perto a gravação do número do chassi."),
        tip: Some(portuguese("Se estiver escuro, ligue a lanterna do celular.")),
        framing: Framing::Landscape,
        subject: Subject::Text,
        optional: false,
        sharpness_floor: None,
        min_short_side: None,
        torch: Torch::Suggest,
        display_expected: false,
        outline: vec![OutlinePath { d: "M100 310H900V440H100Z".into() }],
    };
    Kit { name: "auto-previa".into(), steps: vec![step] }
}

fn portuguese<T>(text: &str) -> Translations<T>
where
    T: for<'a> From<&'a str>,
{
    Translations { portuguese: text.into(), english: None, spanish: None }
}

fn a_listed_kit(retired: bool) -> KitView {
    KitView {
        client_id: client_id(),
        environment: Environment::Sandbox,
        name: "auto-previa".into(),
        current_version: 3,
        retired,
    }
}

pub(super) fn kit_request() -> Value {
    json!(KitRequest { environment: Environment::Sandbox, kit: a_kit() })
}

pub(super) fn kits() -> Value {
    json!(KitPage { kits: vec![a_listed_kit(false)], next: None })
}

pub(super) fn kit() -> Value {
    json!(KitVersionView {
        view: a_listed_kit(false),
        version: 3,
        sha256: DIGESTS[1].into(),
        put_at: ISSUED.into(),
        kit: a_kit(),
    })
}

pub(super) fn retired_kit() -> Value {
    json!(a_listed_kit(true))
}

fn a_sender() -> Sender {
    Sender {
        name: NAME.into(),
        logo: None,
        purpose: portuguese("Vistoria prévia do veículo, para contratar o seguro."),
        duration: portuguese("As fotos são guardadas por cinco anos após o fim do contrato."),
        controller: "Seguradora Exemplo S.A., CNPJ 00.000.000/0001-91".into(),
        contact: "privacidade@seguradora.example".into(),
        sharing: portuguese("Com a resseguradora, para calcular o risco."),
        responsibilities: portuguese(
            "A seguradora decide sobre o uso das fotos; a operadora as guarda por conta dela.",
        ),
        condition: Some(portuguese("Sem as fotos, a vistoria é presencial: peça-a pelo contato acima.")),
        notice_url: Some("https://seguradora.example/privacidade".into()),
    }
}

pub(super) fn sender_request() -> Value {
    json!(SenderRequest { environment: Environment::Sandbox, sender: a_sender() })
}

pub(super) fn sender() -> Value {
    json!(SenderView {
        client_id: client_id(),
        environment: Environment::Sandbox,
        sha256: DIGESTS[2].into(),
        set_at: ISSUED.into(),
        sender: a_sender(),
    })
}

pub(super) fn secret_request() -> Value {
    json!(WebhookSecretRequest { environment: Environment::Sandbox })
}

pub(super) fn rotation() -> Value {
    json!(RotationRequest { environment: Environment::Sandbox, overlap_hours: Some(48) })
}

pub(super) fn revocation() -> Value {
    json!(RevocationRequest { last: true })
}

fn a_secret(state: WebhookSecretState, ends_at: Option<&str>) -> WebhookSecretView {
    WebhookSecretView {
        id: WebhookSecretId::from_u128(SECRET),
        client_id: client_id(),
        environment: Environment::Sandbox,
        state,
        issued_at: ISSUED.into(),
        ends_at: ends_at.map(Into::into),
    }
}

pub(super) fn new_secret() -> Value {
    json!(NewWebhookSecret {
        webhook_secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=".to_owned(),
        view: a_secret(WebhookSecretState::Live, None),
    })
}

pub(super) fn secret() -> Value {
    json!(a_secret(WebhookSecretState::Ended, Some(NOW)))
}

pub(super) fn secrets() -> Value {
    json!(WebhookSecrets { webhook_secrets: vec![a_secret(WebhookSecretState::Live, None)] })
}

fn a_failure() -> AttemptView {
    AttemptView {
        message_id: MESSAGE.into(),
        attempt: 1,
        client_id: client_id(),
        environment: Environment::Sandbox,
        receiver: "https://hooks.example.com".to_owned(),
        state: AttemptState::Failed,
        result: Some(DeliveryResult::Rejected),
        status: Some(500),
        duration_ms: Some(182),
        detail: "Internal Server Error".to_owned(),
        requested_at: "2026-11-20T11:00:44Z".into(),
        claimed_at: Some("2026-11-20T11:00:45Z".into()),
        expires_at: "2026-11-27T11:00:44Z".into(),
    }
}

pub(super) fn attempts() -> Value {
    json!(AttemptPage { webhooks: vec![a_failure()], next: None })
}

pub(super) fn attempt() -> Value {
    json!(AttemptView {
        attempt: 2,
        state: AttemptState::Pending,
        result: None,
        status: None,
        duration_ms: None,
        detail: String::new(),
        requested_at: NOW.into(),
        claimed_at: None,
        ..a_failure()
    })
}

fn an_alert() -> AlertView {
    AlertView {
        alert: AlertKind::Volume70,
        license_id: license_id(),
        client_id: client_id(),
        environment: Environment::Production,
        month: MONTH.into(),
        raised_at: "2026-11-19T17:12:03Z".into(),
        captures_used: Some(7000),
        volume_limit: Some(10_000),
        published_at: Some("2026-11-19T17:12:05Z".into()),
        acknowledged_at: None,
        acknowledged_by: None,
    }
}

pub(super) fn alert() -> Value {
    json!(AlertView { acknowledged_at: Some(NOW.into()), acknowledged_by: Some(OPERATOR.to_owned()), ..an_alert() })
}

pub(super) fn alerts() -> Value {
    json!(AlertPage { alerts: vec![an_alert()], next: None })
}

fn a_capture() -> CaptureView {
    let [capture_id, frame_hash, manifest_sha256, jpeg_sha256, log_entry] = DIGESTS;
    CaptureView {
        capture_id: capture_id.into(),
        state: CustodyState::Held,
        environment: Environment::Sandbox,
        client_id: client_id(),
        license_id: license_id(),
        month: MONTH.into(),
        photo_order: 1,
        asked_for: Some(AskedForView {
            kit: "auto-previa".into(),
            version: 3,
            sha256: DIGESTS[0].into(),
            step: "chassi".into(),
        }),
        origin: "https://app.example.com".to_owned(),
        frame_hash: frame_hash.into(),
        frame_bytes: 812_403,
        gps_mode: GpsMode::Observe,
        gps_result: GpsResult::Observed,
        ingested_at: "2026-11-20T12:00:44Z".into(),
        recapture_gate: RecaptureGate::Block,
        recapture_risk: RecaptureRisk::None,
        recapture_scores: [("evidence".to_owned(), -1.25)].into(),
        recapture_threshold: Some(limits::RECAPTURE_THRESHOLD),
        signer_version: 3,
        signature_policy: "2.16.76.1.7.1.1.2.4".to_owned(),
        service_version: env!("CARGO_PKG_VERSION").to_owned(),
        icp_brasil: true,
        manifest_sha256: manifest_sha256.into(),
        jpeg_sha256: jpeg_sha256.into(),
        store_asset_policy: StoreAssetPolicy::Never,
        log_entry: Some(log_entry.into()),
        acts: Vec::new(),
    }
}

pub(super) fn capture() -> Value {
    json!(a_capture())
}

pub(super) fn captures() -> Value {
    json!(CapturePage { captures: vec![a_capture()], next: None })
}

pub(super) fn copy_matches() -> Value {
    let found = CopyMatch { similarity_score: 97, capture: a_capture() };
    json!(CopyMatches { matches: vec![found], truncated: false })
}

fn an_entry() -> AuditView {
    AuditView {
        id: REQUEST.into(),
        at: NOW.into(),
        operation: Operation::SuspendClient,
        outcome: AuditOutcome::Done,
        principal: OPERATOR.to_owned(),
        via: Via::Api,
        source: "203.0.113.7".to_owned(),
        client_id: Some(client_id()),
        subject: None,
        detail: None,
    }
}

pub(super) fn entry() -> Value {
    json!(an_entry())
}

pub(super) fn audit() -> Value {
    json!(AuditPage { audit: vec![an_entry()], next: None })
}

pub(super) fn probed() -> Value {
    let parts = [SignerPart::Profile, SignerPart::Dates, SignerPart::Seal, SignerPart::Claim];
    json!(ProbedSigners {
        environment: Environment::Production,
        version: 4,
        draft_revision: Some(2),
        works: true,
        checks: parts.map(|check| SignerCheck { check, fault: None }).into(),
    })
}
