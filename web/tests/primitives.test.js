// A page with its own camera, built from the primitives, under the page's Content-Security-Policy.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, describe, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });

/** A page with a video that shows the camera, and the primitives as `window.svc`. */
const OWN_CAMERA = `
  import * as svc from "/src/primitives.js";
  window.svc = svc;
  const video = document.createElement("video");
  Object.assign(video, { muted: true, playsInline: true });
  document.body.append(video);
  video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { width: 1920, height: 1080 } });
  await video.play();
  window.ready = true;
`;

/** @param {import("node:test").TestContext} t */
async function ownCamera(t) {
  return scene(t, browser, { scripts: { "/own-camera.js": OWN_CAMERA } });
}

/**
 * Captures frames; returns the result with the JPEG in base64.
 * @param {import("./harness/phone.js").Phone} phone
 * @param {object} [options] of captureFrames
 */
function capture(phone, options) {
  return phone.page.evaluate(async (options) => {
    const video = /** @type {HTMLVideoElement} */ (document.querySelector("video"));
    const { image, ...known } = await window.svc.captureFrames(video, options);
    const bytes = new Uint8Array(await image.arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return { ...known, type: image.type, base64: btoa(text), bytes: bytes.length, now: Date.now() };
  }, options);
}

describe("captureFrames", () => {
  test("takes a JPEG and four hashes", async (t) => {
    const { phone } = await ownCamera(t);
    const frames = await capture(phone);
    assert.equal(frames.type, "image/jpeg");
    assert.deepEqual([frames.width, frames.height], [1920, 1080]);
    assert.equal(frames.frame_hash, createHash("sha256").update(frames.base64, "base64").digest("hex"));
    assert.equal(new Set([frames.frame_hash, ...frames.extra_frame_hashes]).size, 4);
    for (const hash of frames.extra_frame_hashes) assert.match(hash, /^[0-9a-f]{64}$/);
    assert.ok(frames.captured_at_ms <= frames.now);
  });

  test("scales down but never up", async (t) => {
    const { phone } = await ownCamera(t);
    const [small, large] = [await capture(phone, { resolution: "SD" }), await capture(phone, { resolution: "MAX" })];
    assert.deepEqual([small.width, small.height], [1280, 720]);
    assert.deepEqual([large.width, large.height], [1920, 1080]);
  });

  test("lowers quality only for large images", async (t) => {
    const { phone } = await ownCamera(t);
    const whole = await capture(phone);
    const untouched = await capture(phone, { maxBytes: whole.bytes * 2 });
    const lowered = await capture(phone, { maxBytes: whole.bytes * 0.7 });
    assert.ok(lowered.bytes <= whole.bytes * 0.7);
    // At the same quality, the clip's frames have similar sizes.
    assert.ok(untouched.bytes > whole.bytes * 0.8);
    assert.deepEqual([lowered.width, lowered.height], [1920, 1080]);
  });

  test("prefers fewer pixels to coarse quality", async (t) => {
    const { phone } = await ownCamera(t);
    const whole = await capture(phone);
    const maxBytes = Math.round(whole.bytes / 20);
    const small = await capture(phone, { maxBytes });
    assert.ok(small.bytes <= maxBytes);
    assert.ok(small.width < 1920 && Math.abs(small.width / small.height - 16 / 9) < 0.02, `${small.width} x ${small.height}`);
    // The first quantization table: at quality 0.7 its largest step is 73, at 0.3 it would be 202.
    const bytes = Buffer.from(small.base64, "base64");
    const table = bytes.indexOf(Buffer.from([0xff, 0xdb]));
    assert.ok(Math.max(...bytes.subarray(table + 5, table + 69)) < 100);
  });

  test("takes the requested number of frames", async (t) => {
    const { phone } = await ownCamera(t);
    const { extra_frame_hashes } = await capture(phone, { extraFrames: 8 });
    assert.equal(new Set(extra_frame_hashes).size, 8);
  });

  test("a frozen picture yields equal frames", async (t) => {
    const { phone } = await ownCamera(t);
    await phone.page.evaluate(() => document.querySelector("video")?.pause());
    const { extra_frame_hashes } = await capture(phone);
    assert.equal(extra_frame_hashes.length, 3);
    assert.equal(new Set(extra_frame_hashes).size, 1);
  });

  // A busy browser may report new frames but paint nothing, and the photo would be black.
  test("redraws until the browser has painted", async (t) => {
    const { phone } = await ownCamera(t);
    const brightness = await phone.page.evaluate(async () => {
      const draw = CanvasRenderingContext2D.prototype.drawImage;
      let left = 3;
      CanvasRenderingContext2D.prototype.drawImage = function (/** @type {any[]} */ ...given) {
        if (given[0] instanceof HTMLVideoElement && left-- > 0) return;
        Reflect.apply(draw, this, given);
      };
      const video = /** @type {HTMLVideoElement} */ (document.querySelector("video"));
      const { image } = await window.svc.captureFrames(video);
      const canvas = new OffscreenCanvas(1, 1);
      const context = canvas.getContext("2d");
      context?.drawImage(await createImageBitmap(image), 0, 0, 1, 1);
      return Math.max(...(context?.getImageData(0, 0, 1, 1).data.slice(0, 3) ?? []));
    });
    assert.ok(brightness > 20, `${brightness}`);
  });

  test("fails with 3001 if nothing paints", async (t) => {
    const { phone } = await ownCamera(t);
    const error = await phone.page.evaluate(() => {
      CanvasRenderingContext2D.prototype.drawImage = () => {};
      const video = /** @type {HTMLVideoElement} */ (document.querySelector("video"));
      return window.svc.captureFrames(video).then(() => null, (error) => error.toJSON());
    });
    assert.equal(error.code, 3001);
  });

  test("fails with 3001 without a picture", async (t) => {
    const { phone } = await ownCamera(t);
    const error = await phone.page.evaluate(() =>
      window.svc.captureFrames(document.createElement("video")).then(() => null, (error) => error.toJSON()));
    assert.deepEqual([error.name, error.code], ["StreamError", 3001]);
  });
});

test("hashBuffer computes SHA-256", async (t) => {
  const { phone } = await ownCamera(t);
  const hashes = await phone.page.evaluate(async () => {
    const bytes = new TextEncoder().encode("-abc-");
    const { hashBuffer } = window.svc;
    return [await hashBuffer(bytes.slice(1, 4).buffer), await hashBuffer(bytes.subarray(1, 4))];
  });
  const expected = createHash("sha256").update("abc").digest("hex");
  assert.deepEqual(hashes, [expected, expected]);
});

test("a capture needs no custom element", async (t) => {
  const { service, phone } = await ownCamera(t);
  const token = await service.createSession();
  const [baseUrl, licenseUrl, licenseKey] = ["BASE_URL", "LICENSE_URL", "LICENSE_KEY"].map((name) => service.get(name));
  const receipt = await phone.page.evaluate(async ({ baseUrl = "", licenseUrl = "", licenseKey = "", token }) => {
    const { captureFrames, loadSession, postIngest, uploadImage, validateLicense } = window.svc;
    const video = /** @type {HTMLVideoElement} */ (document.querySelector("video"));
    await validateLicense({ licenseUrl, licenseKey });
    const { nonce, photo_order, image_key, ...session } = await loadSession(baseUrl, token);
    const { image, frame_hash, extra_frame_hashes, captured_at_ms } =
      await captureFrames(video, { resolution: session.capture_resolution, maxBytes: session.max_asset_bytes });
    await uploadImage({ nonce, photo_order, image_key, ...session }, image);
    const [track] = /** @type {MediaStream} */ (video.srcObject).getVideoTracks();
    return postIngest(baseUrl, {
      token, nonce, photo_order, image_key, frame_hash, extra_frame_hashes, captured_at_ms,
      gps_lat: 0, gps_lon: 0, gps_accuracy: 9999,
      media_stream_settings: track?.getSettings() ?? {},
    });
  }, { baseUrl, licenseUrl, licenseKey, token });
  assert.equal(receipt.complete, true);
  const report = await service.verify(Buffer.from(receipt.signed_image_base64, "base64"));
  assert.equal(report.valid, true);
  assert.equal(await phone.page.evaluate(() => customElements.get("svc-camera")), undefined);
});
