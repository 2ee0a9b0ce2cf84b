// Framing: the preview shows the photo's crop (4:3, 3:4 or square), and the photo is the center of the camera's
// picture.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { LANDSCAPE, PORTRAIT } from "./harness/phone.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });

/**
 * Framing, orientation of the phone, and the photo's size for a 1920x1080 camera under a license for 2560x1440.
 * @type {[string, "upright" | "sideways", [number, number]][]}
 */
const FRAMINGS = [
  ["landscape", "upright", [1440, 1080]], ["portrait", "upright", [810, 1080]], ["portrait", "sideways", [810, 1080]],
  ["square", "upright", [1080, 1080]], ["other", "upright", [1920, 1080]],
];

for (const [framing, held, [width, height]] of FRAMINGS) {
  test(`the preview matches the photo: ${framing}, held ${held}, ${width}:${height}`, async (t) => {
    const viewport = { upright: PORTRAIT, sideways: LANDSCAPE }[held];
    const { service, phone } = await scene(t, browser, { viewport, attributes: { framing } });
    await phone.openCamera({ token: await service.createSession() });
    const box = await phone.part("video").boundingBox();
    assert.ok(box);
    await phone.screenshot(`framing-${framing}-${held}`);
    // Without framing, the video element fills the stage and the picture is fitted into it.
    if (framing !== "other") assert.ok(Math.abs(box.width / box.height - width / height) < 0.01, JSON.stringify(box));
    const [right, bottom] = [box.x + box.width, box.y + box.height];
    assert.ok(box.x >= 0 && box.y >= 0 && right <= viewport.width + 1 && bottom <= viewport.height + 1);
    await phone.tap("shutter");
    const taken = await phone.event("captured");
    assert.deepEqual([taken.width, taken.height], [width, height]);
  });
}

test("signs a framed photo unchanged", async (t) => {
  const { service, phone } = await scene(t, browser, { attributes: { framing: "square" } });
  await phone.openCamera({ token: await service.createSession() });
  await phone.capture();
  await phone.event("closed");
  const photo = await phone.page.evaluate(async () => {
    const { signedPhoto } = window.camera;
    if (!signedPhoto) throw new Error("no photo");
    const { width, height } = await createImageBitmap(signedPhoto);
    const reader = new FileReader();
    await new Promise((resolve) => { reader.onload = resolve; reader.readAsDataURL(signedPhoto); });
    return { size: [width, height], base64: String(reader.result).split(",")[1] ?? "" };
  });
  assert.deepEqual(photo.size, [1080, 1080]);
  assert.equal((await service.verify(Buffer.from(photo.base64, "base64"))).valid, true);
});

/** A 1200x400 video with a red, a green and a blue third; a corner changes with each frame. */
const THIRDS = `
  import * as svc from "/src/primitives.js";
  window.svc = svc;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1200, 400];
  const context = canvas.getContext("2d");
  let frame = 0;
  setInterval(() => {
    ["#f00", "#0f0", "#00f"].forEach((color, third) => {
      context.fillStyle = color;
      context.fillRect(third * 400, 0, 400, 400);
    });
    context.fillStyle = "rgb(" + (frame++ % 256) + " 0 0)";
    context.fillRect(0, 0, 40, 40);
  }, 30);
  const video = document.createElement("video");
  Object.assign(video, { muted: true, playsInline: true, srcObject: canvas.captureStream() });
  document.body.append(video);
  await video.play();
  window.ready = true;
`;

test("crops the photo from the middle", async (t) => {
  const { phone } = await scene(t, browser, { scripts: { "/thirds.js": THIRDS } });
  await phone.page.waitForFunction(() => window.ready);
  /** @param {object} options of captureFrames */
  const taken = (options) => phone.page.evaluate(async (options) => {
    const video = /** @type {HTMLVideoElement} */ (document.querySelector("video"));
    const { image, width, height } = await window.svc.captureFrames(video, options);
    const picture = await createImageBitmap(image);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    context?.drawImage(picture, 0, 0);
    const color = (/** @type {number} */ x) => {
      const [red = 0, green = 0, blue = 0] = context?.getImageData(x, height >> 1, 1, 1).data ?? [];
      return ["red", "green", "blue"][[red, green, blue].indexOf(Math.max(red, green, blue))];
    };
    return { size: [width, height], colors: [color(8), color(width >> 1), color(width - 8)] };
  }, options);
  const green = ["green", "green", "green"];
  assert.deepEqual(await taken({ framing: "square" }), { size: [400, 400], colors: green });
  assert.deepEqual(await taken({ framing: "portrait" }), { size: [300, 400], colors: green });
  assert.deepEqual(await taken({ framing: "landscape" }), { size: [533, 400], colors: ["red", "green", "blue"] });
  assert.deepEqual(await taken({}), { size: [1200, 400], colors: ["red", "green", "blue"] });
});

test("the resolution limits the longer side", async (t) => {
  const { phone } = await scene(t, browser, { scripts: { "/thirds.js": THIRDS } });
  await phone.page.waitForFunction(() => window.ready);
  const size = await phone.page.evaluate(async () => {
    const { captureFrames } = window.svc;
    const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 1920, height: 1080 } });
    const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, srcObject: stream });
    document.body.append(video);
    await video.play();
    const { width, height } = await captureFrames(video, { resolution: "SD", framing: "landscape" });
    return [width, height];
  });
  assert.deepEqual(size, [1280, 960]);
});
