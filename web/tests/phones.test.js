// Eight phones by what their browsers report and do: the lens that takes the photo, the controls, a denied
// permission, and a phone call.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { faults } from "./harness/axe.js";
import { startBrowser } from "./harness/browser.js";
import { ANDROID, withCameras } from "./harness/cameras.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

/** @typedef {import("./harness/cameras.js").MockCamera} MockCamera */

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/**
 * @typedef {object} PhoneRow
 * @property {string} name
 * @property {string} [agent] a row of the table of user agents; Chrome on Android by default
 * @property {MockCamera[]} cameras one of them preferred by the browser
 * @property {string[]} opens what is asked for, one after the other: the browser's choice by `facingMode`, or a lens;
 *   the last one takes the photo
 * @property {string} again what is asked for after a call
 * @property {("torch" | "zoom" | "lens")[]} offers
 */

/** The same cameras with another one preferred by the browser. @param {string} deviceId @param {MockCamera[]} [cameras] */
function preferring(deviceId, cameras = ANDROID) {
  return cameras.map((camera) => ({ ...camera, preferred: camera.deviceId === deviceId }));
}

/** A rear camera on Android. @param {number} number @param {string[]} focusMode @param {object} [capabilities] */
function rear(number, focusMode, capabilities) {
  return /** @type {MockCamera} */ (
    { deviceId: `rear ${number}`, label: `camera2 ${number}, facing back`, facing: "environment", capabilities: { focusMode, ...capabilities } });
}

/** A rear camera of an iPhone, as Safari names it. @param {string} name @param {object} [capabilities] */
function back(name, capabilities) {
  return /** @type {MockCamera} */ ({ deviceId: name, label: `Back ${name} Camera`, facing: "environment", capabilities });
}

const IPHONE = { torch: true, zoom: { min: 0.5, max: 10 } };
const FRONT = /** @type {MockCamera} */ ({ deviceId: "front", label: "camera2 1, facing front", facing: "user" });

/** @type {PhoneRow[]} */
const PHONES = [
  {
    name: "Android opens the main lens",
    cameras: ANDROID,
    opens: ["environment"], again: "main", offers: ["torch", "zoom", "lens"],
  },
  {
    name: "Android opens the wide lens",
    cameras: preferring("wide"),
    opens: ["environment", "main"], again: "main", offers: ["torch", "zoom", "lens"],
  },
  {
    // The lens `rear 1` is infrared, so it is not tried.
    name: "Android opens a lens without autofocus",
    cameras: preferring("rear 0", [
      rear(3, ["continuous"], { torch: [false, true] }), { ...rear(1, ["continuous"]), label: "camera2 1, facing back, infrared" },
      rear(0, ["manual"]), FRONT,
    ]),
    opens: ["environment", "rear 3"], again: "rear 3", offers: ["torch", "lens"],
  },
  {
    name: "Android has no lens with autofocus",
    cameras: preferring("rear 0", [rear(3, ["manual"]), rear(0, ["manual"]), rear(1, ["manual"]), rear(2, ["manual"])]),
    opens: ["environment", "rear 1", "rear 2", "rear 0"], again: "rear 0", offers: ["lens"],
  },
  {
    name: "Android has one fixed-focus lens",
    cameras: preferring("rear 0", [FRONT, rear(0, ["fixed"], { torch: [false], zoom: { min: 1, max: 1 } })]),
    opens: ["environment"], again: "rear 0", offers: [],
  },
  {
    // The triple camera uses all lenses.
    name: "an iPhone has a triple camera",
    agent: "Safari on iPhone",
    cameras: preferring("Triple", [back("Ultra Wide", IPHONE), back("Wide", IPHONE), back("Triple", IPHONE)])
      .map((camera) => ({ ...camera, settings: { zoom: 1 } })),
    opens: ["environment"], again: "environment", offers: ["torch", "zoom", "lens"],
  },
  {
    name: "an iPhone has one lens",
    agent: "Safari on iPhone",
    cameras: preferring("Wide", [back("Wide", { torch: true })]),
    opens: ["environment"], again: "environment", offers: ["torch"],
  },
  {
    name: "an iPhone reports no capabilities",
    agent: "Safari on iPhone",
    cameras: preferring("Wide", [back("Wide")]),
    opens: ["environment"], again: "environment", offers: [],
  },
];

for (const { name, agent, cameras, opens, again, offers } of PHONES) {
  describe(name, () => {
    /** @param {import("node:test").TestContext} t */
    async function openable(t) {
      const { phone } = await scene(t, browser, { service, ...(agent ? { agent } : {}), before: withCameras(cameras) });
      const token = await service.createSession();
      const asked = () => phone.page.evaluate(() => window.mocks.asked);
      const open = async () => {
        await phone.openCamera({ token });
        await phone.event("opened");
      };
      const sends = async () => {
        await phone.capture();
        await phone.event("uploaded");
        assert.deepEqual(await phone.complaints(), []);
      };
      return { phone, token, asked, open, sends };
    }

    test("opens a lens and offers controls", async (t) => {
      const { phone, asked, open, sends } = await openable(t);
      await open();
      assert.deepEqual(await asked(), opens);
      const live = await phone.page.evaluate(() => window.mocks.tracks.filter(({ readyState }) => readyState === "live").length);
      assert.equal(live, 1);
      for (const control of /** @type {const} */ (["torch", "zoom", "lens"])) {
        assert.equal(await phone.part(control).isVisible(), offers.includes(control), control);
      }
      assert.deepEqual(await faults(phone.page), []);
      await sends();
    });

    test("opens after a refused permission", async (t) => {
      const { phone, token, asked, open, sends } = await openable(t);
      await phone.page.evaluate(() => window.mocks.failures.push("NotAllowedError"));
      await phone.openCamera({ token });
      assert.deepEqual((await phone.error()).details, { name: "NotAllowedError" });
      const advice = agent === "Safari on iPhone" ? PORTUGUESE.noCameraInSafari : PORTUGUESE.noCamera;
      assert.equal(await phone.part("detail").innerText(), advice);
      await phone.tap("dismiss");
      await open();
      assert.deepEqual(await asked(), ["environment", ...opens]);
      await sends();
    });

    // A phone call mutes the track, and the same lens is opened again once the track has been muted for a second.
    test("reopens the lens after a call", async (t) => {
      const { phone, asked, open, sends } = await openable(t);
      await open();
      await phone.page.clock.install();
      await phone.page.evaluate(mute, true);
      await phone.page.clock.runFor(900);
      await phone.page.evaluate(mute, false);
      await phone.page.clock.runFor(900);
      assert.deepEqual(await asked(), opens);
      await phone.page.evaluate(mute, true);
      await phone.page.clock.runFor(1100);
      await phone.page.waitForFunction((times) => window.mocks.asked.length === times, opens.length + 1);
      assert.deepEqual(await asked(), [...opens, again]);
      await phone.part("message").getByText(PORTUGUESE.live, { exact: true }).waitFor();
      await sends();
      assert.deepEqual((await phone.events()).filter(({ type }) => type === "error"), []);
    });
  });
}

/** Runs in the page: mutes and unmutes the track, as a phone call does. @param {boolean} muted */
function mute(muted) {
  const track = /** @type {MediaStreamTrack} */ (window.mocks.tracks.at(-1));
  Object.defineProperty(track, "muted", { value: muted, configurable: true });
  track.dispatchEvent(new Event(muted ? "mute" : "unmute"));
}
