// The values of the API in words, by the kind of value. Their order is the order of choices.

/** @typedef {import("./texts.js").Words} Words */

/** @param {string} pt @param {string} [en] */
const words = (pt, en = pt) => ({ pt, en });

export const VALUES = Object.freeze({
  environment: {
    PRODUCTION: words("Produção", "Production"),
    STAGING: words("Homologação", "Staging"),
    SANDBOX: words("Testes", "Sandbox"),
  },
  client: {
    active: words("Ativo", "Active"),
    suspended: words("Suspenso", "Suspended"),
  },
  state: {
    active: words("Ativa", "Active"),
    revoked: words("Revogada", "Revoked"),
    pending: words("Pendente", "Pending"),
    in_progress: words("Em andamento", "In progress"),
    delivered: words("Entregue", "Delivered"),
    failed: words("Falhou", "Failed"),
    unknown: words("Desconhecido", "Unknown"),
    held: words("Guardada", "Held"),
    withheld: words("Retida", "Withheld"),
    erased: words("Apagada", "Erased"),
    done: words("Feito", "Done"),
    refused: words("Recusado", "Refused"),
    ok: words("Em ordem", "In order"),
    warning: words("Atenção", "Warning"),
    broken: words("Falha", "Broken"),
  },
  result: {
    delivered: words("entregue", "delivered"),
    rejected: words("recusado pelo destinatário", "rejected by the receiver"),
    timed_out: words("sem resposta a tempo", "no response in time"),
    unreachable: words("inacessível", "unreachable"),
    forbidden: words("endereço proibido", "forbidden address"),
    unsigned: words("sem segredo para assinar", "no secret to sign with"),
    superseded: words("substituído por um reenvio", "replaced by a redelivery"),
  },
  storage: {
    ALWAYS: words("Sempre", "Always"),
    NEVER: words("Nunca", "Never"),
    PER_SESSION: words("Por sessão", "Per session"),
  },
  gps: {
    OFF: words("Desligada", "Off"),
    OBSERVE: words("Observada", "Observed"),
    REQUIRE: words("Exigida", "Required"),
  },
  position: {
    NOT_CHECKED: words("Não conferida", "Not checked"),
    NOT_OBTAINED: words("Não obtida", "Not obtained"),
    OBSERVED: words("Informada", "Observed"),
    ACCEPTED: words("Aceita", "Accepted"),
  },
  gate: {
    BLOCK: words("Recusar", "Refuse"),
    RECORD: words("Registrar", "Record"),
    OFF: words("Não analisar", "Do not analyse"),
  },
  risk: {
    NONE: words("Nenhum sinal", "No sign"),
    UNKNOWN: words("Não avaliado", "Not assessed"),
    HIGH: words("Alto", "High"),
  },
  resolution: {
    SD: words("SD"),
    HD: words("HD"),
    FHD: words("Full HD"),
    MAX: words("Máxima", "Maximum"),
  },
  integrity: {
    BLOCK: words("Bloqueia", "Blocks"),
    WARN: words("Avisa", "Warns"),
    IGNORE: words("Ignora", "Ignores"),
  },
  signer: {
    seal: words("Selo", "Seal"),
    claim: words("Assinatura C2PA", "C2PA signature"),
    timestamps: words("Carimbo do tempo", "Timestamps"),
  },
  alert: {
    VOLUME_70: words("70 % do volume", "70 % of the volume"),
    VOLUME_90: words("90 % do volume", "90 % of the volume"),
    VOLUME_100: words("Volume esgotado", "Volume used up"),
    REVOKED: words("Licença revogada", "License revoked"),
  },
  via: {
    api: words("API de administração", "Admin API"),
    command_line: words("Linha de comando", "Command line"),
  },
  operation: {
    "client.create": words("Cliente criado", "Create client"),
    "client.suspend": words("Cliente suspenso", "Suspend client"),
    "client.resume": words("Cliente reativado", "Resume client"),
    "api_key.issue": words("Chave de API emitida", "Issue API key"),
    "api_key.revoke": words("Chave de API revogada", "Revoke API key"),
    "license.issue": words("Licença emitida", "Issue license"),
    "license.configure": words("Licença configurada", "Configure license"),
    "license.rotate": words("Chave da licença trocada", "Rotate license key"),
    "license.revoke": words("Licença revogada", "Revoke license"),
    "license.host": words("Licença do fluxo hospedado", "Host license"),
    "license.recount": words("Volume recontado", "Recount license"),
    "webhook_secret.issue": words("Segredo de webhook emitido", "Issue webhook secret"),
    "webhook_secret.rotate": words("Segredo de webhook trocado", "Rotate webhook secret"),
    "webhook_secret.revoke": words("Segredo de webhook revogado", "Revoke webhook secret"),
    "webhook.redeliver": words("Webhook reenviado", "Redeliver webhook"),
    "alert.acknowledge": words("Alerta reconhecido", "Acknowledge alert"),
    "evidence.withhold": words("Evidência retida", "Withhold evidence"),
    "evidence.release": words("Evidência liberada", "Release evidence"),
    "evidence.erase": words("Evidência apagada", "Erase evidence"),
    "evidence.restore": words("Evidência restaurada", "Restore evidence"),
    "evidence.reconcile": words("Evidência reconciliada", "Reconcile evidence"),
    "signer.import_a1": words("Certificado do selo importado", "Import seal certificate"),
    "signer.install_claim_certificate": words("Certificado C2PA instalado", "Install claim certificate"),
    "signer.timestamps": words("Carimbo do tempo configurado", "Configure timestamps"),
  },
});
