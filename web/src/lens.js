// Selects the rear camera. Android lists each lens of a phone as a camera of its own, and `facingMode` may open any
// of them, such as a wide lens that distorts or one without autofocus. iOS opens one camera that switches lenses by
// itself, so nothing is selected there.

/**
 * Label of a camera in Chrome on Android. It is the same in every language and contains the system's camera number,
 * of which the main camera has the lowest. Other browsers translate labels, so nothing is derived from them.
 */
const ANDROID = /^camera2? (\d+), facing/;

/** Constraints of the Image Capture standard that are used here and that TypeScript does not know. */
/** @typedef {MediaTrackCapabilities & { torch?: boolean | boolean[], zoom?: { min: number, max: number }, focusMode?: string[] }} Abilities */
/** @typedef {MediaTrackSettings & { zoom?: number, focusMode?: string }} Settings */

/**
 * Lists the rear cameras by their reported facing, on Android the main camera first and without infrared cameras.
 * The list is empty if the browser does not report the facing: before the camera permission, and in Safari before 17.
 * @returns {Promise<MediaDeviceInfo[]>}
 */
export async function rearCameras() {
  const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  return devices
    .filter((device) => device.kind === "videoinput" && facesRear(device) && !/infrared/i.test(device.label))
    .sort((one, other) => numberOf(one) - numberOf(other));
}

/** Whether the track is of an Android camera, whose lens is selected here. @param {MediaStreamTrack} track */
export function isOneOfMany({ label }) {
  return ANDROID.test(label);
}

/** Whether a lens has autofocus, or does not report its focus modes. @param {MediaStreamTrack} track */
export function focuses(track) {
  return abilitiesOf(track).focusMode?.includes("continuous") ?? true;
}

/** Capabilities of a track's lens. @param {MediaStreamTrack} track @returns {Abilities} */
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
