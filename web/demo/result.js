// Shows the result of a photo: the verdict, each check, the manifest's statements, and the raw response.

import { element } from "../shared/elements.js";

/** @typedef {import("./backend.js").Outcome} Outcome */
/** @typedef {import("./backend.js").Report} Report */
/** @typedef {[name: string, value: string | undefined, exact?: boolean]} Fact */

/** Descriptions of the checks of `verify`. @type {Record<string, string>} */
const CHECKS = {
  "form": "O arquivo tem a forma certa, sem nada a mais",
  "claim": "A assinatura C2PA confere",
  "statements": "As declarações são as de uma foto tirada",
  "hard binding": "O manifesto cobre todos os bytes da imagem",
  "hashes agree": "Os três resumos da imagem são iguais",
  "times agree": "Os tempos declarados são os mesmos",
  "claim timestamp": "O carimbo do tempo da assinatura C2PA confere",
  "claim certificate": "O certificado C2PA é de confiança",
  "claim staple": "A autoridade respondeu que o certificado C2PA não estava revogado",
  "seal signature": "A assinatura CAdES (ICP-Brasil) confere",
  "seal policy": "A política de assinatura é conhecida",
  "sealed environment": "O selo foi feito no ambiente que a prova declara",
  "sealed statements": "O selo abrange as declarações sobre a foto",
  "sealed claim certificate": "O selo foi feito para quem assina a declaração C2PA",
  "seal timestamp": "O carimbo do tempo do selo confere",
  "seal certificate": "O certificado do selo é de confiança",
  "seal holder": "O selo é da empresa de desenvolvimento desta máquina",
};

/** @type {Record<string, string>} */
const POSITIONS = {
  NOT_CHECKED: "não conferida",
  NOT_OBTAINED: "não obtida",
  OBSERVED: "informada, sem exigência da licença",
  ACCEPTED: "aceita",
};

const NOT_KEPT = "O serviço não guardou a foto (política NEVER): a cópia desta página é a única. Baixe-a antes de sair.";

/** @type {Record<string, string>} */
const RECAPTURE = { NONE: "nenhum sinal", UNKNOWN: "não avaliado", HIGH: "alto" };

/**
 * Builds the parts of the result's card.
 * @param {Outcome} outcome
 * @param {string} photoUrl object URL of the photo
 * @param {string | undefined} verifyUrl address of the verification page
 * @returns {Node[]}
 */
export function describe({ results, report }, photoUrl, verifyUrl) {
  const photo = results.photos[0];
  if (photo?.status !== "captured" || !report) {
    return [verdict("", "?", "A foto ainda não foi tirada"), bare({ results, report })];
  }
  const kept = photo.authenticated_jpeg_url !== null;
  const manifest = element("a", { class: "button", href: photo.manifest_url }, "Baixar o manifesto");
  const download = element("a", { class: "button", href: photoUrl, download: "foto-autenticada.jpg" }, "Baixar a foto");
  return [
    conclusion(report),
    element("p", {}, sealer(report)),
    environment(report),
    ...(kept ? [] : [notice(NOT_KEPT)]),
    element("img", { class: "photo", src: photoUrl, alt: photo.label ? `A foto: ${photo.label}` : "A foto" }),
    element("div", { class: "actions" }, download, manifest),
    ...(verifyUrl ? [verifyYourself(verifyUrl)] : []),
    heading("Conferência"),
    element("ul", { class: "checks" }, ...report.checks.map(check)),
    heading("O que a foto diz"),
    facts(ofReport(report)),
    bare({ results, report }),
  ];
}

/** @param {string} verifyUrl */
function verifyYourself(verifyUrl) {
  const link = element("a", { href: verifyUrl, target: "_blank", rel: "noopener noreferrer" }, "página de verificação");
  return element("p", {}, "Baixe a foto e confira-a você mesmo na ", link, ", que funciona sem rede.");
}

/** @param {Report} report */
function conclusion({ outcome }) {
  if (outcome === "accepted") return verdict("good", "✓", "Foto válida: a prova confere");
  if (outcome === "other_environment") return verdict("bad", "✗", "Foto válida, mas de outro ambiente que não o exigido");
  if (outcome === "newer_version") return verdict("bad", "✗", "O arquivo diz ser de uma versão mais nova que a que o verificador conhece");
  if (outcome === "no_proof") return verdict("bad", "✗", "Este arquivo não traz uma prova");
  return verdict("bad", "✗", "Foto não válida: a prova não confere");
}

/** @param {Report} report */
function sealer({ valid, seal }) {
  if (!seal) return "O arquivo não diz quem o selou.";
  return valid ? `Selada por ${seal.holder.name}.` : `O arquivo diz que foi selada por ${seal.holder.name}: não está provado.`;
}

/**
 * @param {string} kind
 * @param {string} sign
 * @param {string} text
 */
function verdict(kind, sign, text) {
  const mark = element("span", { class: `mark ${kind}`, "aria-hidden": "true" }, sign);
  return element("div", { class: "verdict" }, mark, element("h2", { id: "result-title" }, text));
}

/** @param {Report} report */
function environment({ environment }) {
  if (environment === "PRODUCTION") return element("p", {}, "Ambiente PRODUCTION.");
  return notice(`Ambiente ${environment ?? "desconhecido"}: mostra como o serviço funciona e não prova nada a terceiros.`);
}

/** @param {string} text */
function notice(text) {
  return element("p", { class: "notice" }, text);
}

/** @param {string} text */
function heading(text) {
  return element("h3", {}, text);
}

/** @param {Report["checks"][number]} check */
function check({ name, holds, fault }) {
  const text = element("span", {}, CHECKS[name] ?? name);
  if (fault) text.append(element("span", { class: "fault" }, fault));
  return element("li", { class: holds ? "" : "failed" }, element("span", { class: "outcome" }, holds ? "OK" : "Falha"), text);
}

/** @param {Fact[]} listed facts without a value are left out */
function facts(listed) {
  const rows = listed.flatMap(([name, value, exact]) => {
    if (value === undefined) return [];
    return [element("div", {}, element("dt", {}, name), element("dd", { class: exact ? "exact" : "" }, value))];
  });
  return element("dl", { class: "facts" }, ...rows);
}

/**
 * @param {Report} report
 * @returns {Fact[]}
 */
function ofReport({ capture, browser, seal, claim, frame_hash, times, holds_until }) {
  return [
    ["Legenda", browser ? browser.photo_label ?? "sem legenda" : undefined],
    ["Recebida em", capture ? moment(capture.ingested_at) : undefined],
    ["Existia em", times?.claim_trusted ? `${moment(times.claim_trusted)} (carimbo do tempo)` : undefined],
    ["A prova vale até", holds_until ? moment(holds_until.time) : undefined],
    ["Tirada em", browser ? `${moment(browser.captured_at_ms)} (relógio do aparelho)` : undefined],
    ["Posição", browser ? position(browser) : undefined],
    ["Direção", browser ? direction(browser.heading) : undefined],
    ["Conferência da posição", capture ? POSITIONS[capture.gps_result] ?? capture.gps_result : undefined],
    ["Risco de foto de tela", capture ? RECAPTURE[capture.recapture_risk] ?? capture.recapture_risk : undefined],
    ["Selo ICP-Brasil", capture ? (capture.icp_brasil ? "sim" : "não, certificado de desenvolvimento") : undefined],
    ["Navegador", browser?.user_agent, true],
    ["Captura", capture?.capture_id, true],
    ["Nível de garantia", capture?.assurance_level, true],
    ["Assinatura do selo", seal ? [seal.signer, seal.policy_name ?? seal.policy, seal.signing_time].join("\n") : undefined, true],
    ["Assinatura C2PA", claim?.signer, true],
    ["SHA-256 da imagem", frame_hash ?? undefined, true],
    ["SHA-256 dos quadros extras", browser?.extra_frame_hashes.join("\n"), true],
  ];
}

/** @param {string | number} time RFC 3339, or milliseconds since the Unix epoch */
function moment(time) {
  return new Date(time).toLocaleString("pt-BR", { dateStyle: "long", timeStyle: "medium" });
}

/** @param {{ gps_lat: number, gps_lon: number, gps_accuracy: number }} at degrees and metres; 0, 0, 9999 means no position */
function position({ gps_lat, gps_lon, gps_accuracy }) {
  if (gps_lat === 0 && gps_lon === 0 && gps_accuracy === 9999) return "não informada";
  const degrees = (/** @type {number} */ value) => value.toLocaleString("pt-BR", { maximumFractionDigits: 6 });
  return `${degrees(gps_lat)}°, ${degrees(gps_lon)}° (precisão de ${Math.round(gps_accuracy)} m)`;
}

/** @param {number | undefined} heading in degrees from north */
function direction(heading) {
  return heading === undefined ? "não informada" : `${Math.round(heading)}° a partir do norte`;
}

/** @param {Outcome} outcome */
function bare(outcome) {
  const json = element("pre", { tabindex: "0" }, JSON.stringify(outcome, null, 2));
  return element("details", {}, element("summary", {}, "Resposta completa (JSON)"), json);
}
