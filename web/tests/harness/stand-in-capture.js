// A stand-in for the hosted address of the service, for states that the service reaches slowly or that an operator makes: the
// end of the 30 minutes, a sender, a note. It serves the built page, and keeps one session in memory.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

import { ROOT } from "./places.js";

/** @typedef {import("./service.js").Scope} Scope */
/** @typedef {import("../../hosted/service.js").Schemas} Schemas */

const ASSETS = join(ROOT, "functions/capture-page/assets");
/** @type {Record<string, string>} */
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };
const MINUTE = 60_000;

/** A token and an id that no receipt may have. */
export const TOKEN = "0f8b7c5e-3f0a-4a55-9a55-1de5c2b6a001";
export const PHOTO_ID = "7a1f24d0-57aa-4f0c-8f6e-00000000000";

/**
 * @typedef {object} Session
 * @property {{ step: any, note?: string, state?: "pending" | "captured" | "skipped" }[]} steps
 * @property {object | undefined} [sender]
 * @property {string} [kit]
 * @property {number} [minutes] until the session expires
 * @property {boolean} [bringsNext] whether an ingest brings the next photo along
 */

export class StandInCapture {
  /** Requests by method and path, without preflights. @type {string[]} */
  requests = [];
  /** The labels of the ingests. @type {(string | undefined)[]} */
  labels = [];
  /** Answers the next ingest instead of the session. @type {{ status: number, body: object } | undefined} */
  refusal;
  /** @type {Required<Pick<Session, "steps" | "bringsNext">> & Session} */
  session;
  #frames = new Map();
  #nonces = 0;
  /** @type {number} */
  #expires;
  /** @type {string} */
  origin = "";

  /** @param {Session} session */
  constructor(session) {
    this.session = { bringsNext: true, ...session };
    for (const place of this.session.steps) place.state ??= "pending";
    this.#expires = Date.now() + (session.minutes ?? 30) * MINUTE;
  }

  /** @param {Scope} scope @param {Session} session */
  static async start(scope, session) {
    const stand = new StandInCapture(session);
    const server = createServer((request, response) => void stand.#answer(request, response));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    scope.after(() => {
      server.closeAllConnections();
      server.close();
    });
    stand.origin = `http://localhost:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
    return stand;
  }

  /** As a `LocalService` for `openLink`. @param {string} name */
  get(name) {
    if (name !== "CAPTURE_URL") throw new Error(name);
    return this.origin;
  }

  /** Ends the session now. */
  expire() {
    this.#expires = Date.now();
  }

  /** Marks the pending photo as sent by another device. */
  capture() {
    const place = this.session.steps.find(({ state }) => state === "pending");
    if (place) place.state = "captured";
  }

  /** The loads that were made. */
  get loads() {
    return this.requests.filter((request) => request.startsWith("GET /web/sessions/"));
  }

  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  async #answer(request, response) {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.origin);
    // A page that reloads aborts its requests.
    const chunks = await request.toArray().catch(() => undefined);
    if (!chunks) return;
    const body = Buffer.concat(chunks);
    if (pathname === "/" || pathname.startsWith("/assets/")) return this.#serve(pathname, response);
    this.requests.push(`${request.method} ${pathname}${searchParams.size ? `?${searchParams}` : ""}`);
    const [status, json] = this.#api(pathname, searchParams, body);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  }

  /** @param {string} pathname @param {import("node:http").ServerResponse} response */
  async #serve(pathname, response) {
    const name = pathname === "/" ? "index.html" : pathname.slice("/assets/".length);
    const file = await readFile(join(ASSETS, name)).catch(() => undefined);
    response.writeHead(file ? 200 : 404, {
      "content-type": TYPES[extname(name)] ?? "",
      "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' blob: data:; media-src 'self' blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    }).end(file);
  }

  /** @param {string} path @param {URLSearchParams} query @param {Buffer} body @returns {[number, object]} */
  #api(path, query, body) {
    const { steps, sender, kit, bringsNext } = this.session;
    const asked = steps.filter(({ state }) => state !== "skipped");
    const captured = steps.filter(({ state }) => state === "captured").length;
    const order = steps.findIndex(({ state }) => state === "pending") + 1;
    const isOver = Date.now() >= this.#expires;
    const status = !order ? "captured" : isOver ? "expired" : captured ? "partial" : "pending";
    const counts = { total_photos: asked.length, captured_count: captured };
    const expires_at = new Date(this.#expires).toISOString();
    if (path.startsWith("/web/session-status/")) {
      const introduction = { ...(sender ? { sender } : {}), titles: asked.map(({ step }) => step.title) };
      return [200, {
        status, ...counts, expires_at, ...(kit ? { kit } : {}), ...(query.get("introduction") ? { introduction } : {}),
      }];
    }
    if (path.startsWith("/web/session-results/")) {
      const photos = steps.flatMap(({ step, state }, index) => state === "captured" ? [{
        order: index + 1, label: step.title["pt-BR"], status: "captured", session_id: `${PHOTO_ID}${index + 1}`,
        frame_hash_hex: this.#frames.get(index + 1) ?? "0".repeat(64), captured_at_ms: Date.now(),
      }] : []);
      return [200, { reference_id: "sinistro-42", status, ...counts, photos }];
    }
    if (isOver || !order) return [410, { error: "Sessão expirada ou já utilizada" }];
    if (path === "/validate") return [200, { valid: true, capture_resolution: "HD", expires_at: "2099-01-01T00:00:00Z" }];
    if (path.startsWith("/web/sessions/")) {
      return [200, {
        token: TOKEN, status, expires_at, ...counts, ...this.#next(), upload_method: "PUT",
        upload_headers: { "content-type": "image/jpeg" }, max_asset_bytes: 4 << 20, capture_resolution: "HD",
        position_required: false, profile: "demo", framing: steps[order - 1]?.step.framing,
        steps: steps.map(({ step, state, note }) => ({ step, state, ...(note ? { note } : {}) })),
        redirect_uri: "http://localhost:3999/done",
      }];
    }
    if (path === "/upload") {
      this.#frames.set(order, createHash("sha256").update(body).digest("hex"));
      return [200, {}];
    }
    const sent = JSON.parse(String(body));
    const place = steps[order - 1];
    if (!place || sent.photo_order !== order) return [400, { error: "photo_order", block_reason: "web_photo_order_mismatch" }];
    if (sent.nonce !== this.#nonce()) return [403, { error: "Sessão de captura inválida", block_reason: "web_nonce_replay" }];
    if (path === "/web/skip") {
      if (!place.step.optional) return [409, { error: "Esta foto é obrigatória.", block_reason: "web_photo_required" }];
      place.state = "skipped";
      return [200, this.#next()];
    }
    if (this.refusal) {
      const { status, body } = this.refusal;
      this.refusal = undefined;
      return [status, body];
    }
    place.state = "captured";
    this.labels.push(sent.label);
    const complete = steps.every(({ state }) => state !== "pending");
    return [200, {
      session_id: `${PHOTO_ID}${order}`, photo_order: order, authenticated_jpeg_url: null, complete,
      ...(complete || !bringsNext ? {} : { next: this.#next() }), manifest_base64: body.toString("base64").slice(0, 4),
    }];
  }

  #nonce() {
    return `nonce-${this.#nonces}`;
  }

  #next() {
    this.#nonces += 1;
    const { steps } = this.session;
    return {
      photo_order: steps.findIndex(({ state }) => state === "pending") + 1,
      total_photos: steps.filter(({ state }) => state !== "skipped").length,
      captured_count: steps.filter(({ state }) => state === "captured").length,
      nonce: this.#nonce(), upload_url: `${this.origin}/upload`, upload_expires_at: new Date(Date.now() + 5 * MINUTE).toISOString(),
      image_key: "key", server_time_ms: Date.now(),
    };
  }
}
