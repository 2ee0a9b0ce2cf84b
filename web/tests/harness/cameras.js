// Mock cameras of a phone, each of which is an animated canvas with a label and capabilities.

/**
 * @typedef {object} MockCamera
 * @property {string} deviceId
 * @property {string} label
 * @property {"environment" | "user"} facing
 * @property {boolean} [preferred] whether the browser opens it for `facingMode`
 * @property {object} [capabilities] in addition to `facingMode`
 * @property {object} [settings] in addition to `deviceId`
 * @property {[number, number]} [size] of its picture; 640x480 by default
 */

/** The cameras of a phone as Chrome on Android lists them; the browser opens the main lens. @type {MockCamera[]} */
export const ANDROID = [
  { deviceId: "front", label: "camera2 1, facing front", facing: "user" },
  { deviceId: "wide", label: "camera2 2, facing back", facing: "environment", capabilities: { focusMode: ["manual"] } },
  {
    deviceId: "main", label: "camera2 0, facing back", facing: "environment", preferred: true,
    capabilities: { focusMode: ["manual", "continuous"], torch: true, zoom: { min: 1, max: 8 } },
    settings: { zoom: 1, focusMode: "manual" },
  },
];

/**
 * A script for the page that replaces the browser's cameras, to run before the page's own scripts.
 * @param {MockCamera[]} cameras
 */
export function withCameras(cameras) {
  return `(${install})(${JSON.stringify(cameras)})`;
}

/** @param {MockCamera[]} cameras */
function install(cameras) {
  const mocks = { asked: [], applied: [], failures: [], frozen: false, dark: false, blurred: false, tracks: [] };
  window.mocks = /** @type {typeof window.mocks} */ (mocks);
  const { mediaDevices } = navigator;
  const capabilitiesOf = (/** @type {MockCamera} */ { facing, deviceId }) => ({ deviceId, facingMode: [facing] });
  mediaDevices.enumerateDevices = async () => cameras.map((camera) => /** @type {any} */ (
    { kind: "videoinput", ...camera, getCapabilities: () => capabilitiesOf(camera) }));
  mediaDevices.getUserMedia = async (constraints) => {
    const video = /** @type {any} */ (constraints?.video);
    const exact = video.deviceId?.exact;
    window.mocks.asked.push(exact ?? video.facingMode.ideal);
    const failure = window.mocks.failures.shift();
    if (failure) throw new DOMException("", failure);
    // A phone can open only one camera at a time.
    if (window.mocks.tracks.some(({ readyState }) => readyState === "live")) throw new DOMException("", "NotReadableError");
    const camera = cameras.find((camera) => (exact ? camera.deviceId === exact : camera.preferred));
    if (!camera) throw new DOMException("", "OverconstrainedError");
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = camera.size ?? [640, 480];
    const context = canvas.getContext("2d");
    const draw = () => {
      if (window.mocks.frozen || !context) return;
      const random = (/** @type {number} */ most) => Math.floor(Math.random() * most);
      const paint = () => {
        const [red, green, blue] = [0, 0, 0].map(() => random(window.mocks.dark ? 64 : 256));
        context.fillStyle = `rgb(${red} ${green} ${blue})`;
      };
      // The pattern has no period, because the service might take it for a screen's.
      paint();
      context.fillRect(0, 0, canvas.width, canvas.height);
      for (let rectangle = 0; rectangle < 150; rectangle += 1) {
        paint();
        context.fillRect(random(canvas.width) - 40, random(canvas.height) - 40, 20 + random(80), 20 + random(80));
      }
      if (!window.mocks.blurred) return;
      context.filter = "blur(8px)";
      context.drawImage(canvas, 0, 0);
      context.filter = "none";
    };
    draw();
    const timer = setInterval(draw, 40);
    const stream = canvas.captureStream();
    const [track] = stream.getVideoTracks();
    if (!track) throw new Error("a canvas has a track");
    const stop = track.stop.bind(track);
    const own = { width: canvas.width, height: canvas.height, deviceId: camera.deviceId, ...camera.settings };
    Object.defineProperty(track, "label", { value: camera.label });
    Object.assign(track, {
      stop: () => { clearInterval(timer); stop(); },
      getSettings: () => own,
      getCapabilities: () => ({ ...capabilitiesOf(camera), ...camera.capabilities }),
      applyConstraints: async (/** @type {any} */ { advanced: [wanted] }) => {
        window.mocks.applied.push(wanted);
        Object.assign(own, wanted);
      },
    });
    window.mocks.tracks.push(track);
    return stream;
  };
}
