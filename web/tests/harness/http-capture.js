// The requests of a page without a browser, for using up sessions.

import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { userAgent } from "./phone.js";
import { ROOT } from "./places.js";

/** @typedef {import("./service.js").LocalService} LocalService */

/**
 * Loads a session as a page does.
 * @param {LocalService} service
 * @param {string} token
 * @param {Record<string, string>} [headers] replace a phone's headers
 */
export function loadByHttp(service, token, headers = phoneHeaders("http://localhost")) {
  return fetch(`${service.get("BASE_URL")}/web/sessions/${token}`, { headers });
}

/**
 * Captures a session's photo.
 * @param {LocalService} service
 * @param {string} token
 */
export async function captureByHttp(service, token) {
  const frame = await newFrame();
  const session = await (await loadByHttp(service, token)).json();
  const { upload_url, upload_method, upload_headers, nonce, photo_order, image_key } = session;
  await fetch(upload_url, { method: upload_method, headers: upload_headers, body: frame });
  const response = await fetch(`${service.get("BASE_URL")}/web/ingest`, {
    method: "POST",
    headers: { ...phoneHeaders("http://localhost"), "content-type": "application/json" },
    body: JSON.stringify({
      token, nonce, photo_order, image_key,
      frame_hash: createHash("sha256").update(frame).digest("hex"),
      extra_frame_hashes: [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")],
      gps_lat: 0, gps_lon: 0, gps_accuracy: 9999,
      captured_at_ms: Date.now(),
    }),
  });
  if (response.status !== 200) throw new Error(`ingest: ${response.status} ${await response.text()}`);
}

/** @param {string} origin */
function phoneHeaders(origin) {
  return { origin, "user-agent": userAgent("Chrome on an Android phone") };
}

/** The sample frame with a random comment, so that it is not a duplicate. */
async function newFrame() {
  const sample = await readFile(join(ROOT, "events/frame.jpg"));
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x12]), randomBytes(16)]);
  return Buffer.concat([sample.subarray(0, 2), comment, sample.subarray(2)]);
}
