// Which rear camera. Android lists each lens of a phone as a camera of its own, and `facingMode` may open any of them: a wide
// one that distorts, or one that does not focus. iOS opens one camera that changes its lens by itself, so nothing is chosen there.

/**
 * Chrome on Android labels its cameras so in every language, with the system's number: the main one has the lowest. Labels of
 * other browsers are translated, and nothing is concluded from them.
 */
const ANDROID = /^camera2? (\d+), facing/;

/** What the standard of image capture adds to a track, as far as it is used here; TypeScript does not know it. */
/** @typedef {MediaTrackCapabilities & { torch?: boolean | boolean[], zoom?: { min: number, max: number }, focusMode?: string[] }} Abilities */
/** @typedef {MediaTrackSettings & { zoom?: number, focusMode?: string }} Settings */

/**
 * The rear cameras by what they say of themselves, on Android the main one first, without infrared ones. Empty where the browser
 * does not tell: before the camera was allowed, and in Safari before 17.
 * @returns {Promise<MediaDeviceInfo[]>}
 */
export async function rearCameras() {
  const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  return devices
    .filter((device) => device.kind === "videoinput" && facesRear(device) && !/infrared/i.test(device.label))
    .sort((one, other) => numberOf(one) - numberOf(other));
}

/** Whether a track is of a camera of Android, whose lens is chosen here. @param {MediaStreamTrack} track */
export function isOneOfMany({ label }) {
  return ANDROID.test(label);
}

/** Whether a lens focuses by itself, or does not say that it does not. @param {MediaStreamTrack} track */
export function focuses(track) {
  return abilitiesOf(track).focusMode?.includes("continuous") ?? true;
}

/** What a lens can do. @param {MediaStreamTrack} track @returns {Abilities} */
export function abilitiesOf(track) {
  return track.getCapabilities?.() ?? {};
}

/** @param {MediaDeviceInfo} device */
function facesRear(device) {
  const { facingMode = [] } = /** @type {Partial<InputDeviceInfo>} */ (device).getCapabilities?.() ?? {};
  return facingMode.includes("environment");
}

/** @param {MediaDeviceInfo} device */
function numberOf({ label }) {
  return Number(ANDROID.exec(label)?.[1] ?? 0);
}
