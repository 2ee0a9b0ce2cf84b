// The compass: the direction of the rear camera, in degrees clockwise from north.

/** Additions of iOS to the standard. */
/** @typedef {DeviceOrientationEvent & { webkitCompassHeading?: number }} OrientationEvent */
/** @typedef {{ requestPermission?: () => Promise<string> }} AsksPermission */

const RADIANS = Math.PI / 180;

/**
 * Requests permission for the compass, if the browser requires it.
 * @returns {Promise<boolean>} whether the permission was granted or denied; if false (iOS, the first time), call again
 *   from within a tap
 */
export async function askForCompass() {
  try {
    if (typeof DeviceOrientationEvent === "undefined") return true;
    await (/** @type {AsksPermission} */ (DeviceOrientationEvent).requestPermission?.());
    return true;
  } catch {
    return false;
  }
}

/** Follows the compass from construction until `stop`. */
export class HeadingWatch {
  /** @type {number | undefined} */
  #latest;
  /** @param {Event} event */
  #follow = (event) => {
    const heading = headingOf(/** @type {OrientationEvent} */ (event));
    if (heading !== undefined) this.#latest = heading;
  };

  constructor() {
    addEventListener("deviceorientationabsolute", this.#follow);
    addEventListener("deviceorientation", this.#follow);
  }

  /** The current heading, 0 to 360, rounded to a tenth; `undefined` if unknown. */
  get latest() {
    return this.#latest;
  }

  stop() {
    removeEventListener("deviceorientationabsolute", this.#follow);
    removeEventListener("deviceorientation", this.#follow);
  }
}

/**
 * @param {OrientationEvent} event
 * @returns {number | undefined}
 */
function headingOf({ webkitCompassHeading, absolute, alpha, beta, gamma }) {
  if (typeof webkitCompassHeading === "number" && webkitCompassHeading >= 0) {
    // iOS reports the direction of the upright phone's top; the screen may be rotated relative to it.
    return degrees(webkitCompassHeading + (screen.orientation?.angle ?? window.orientation ?? 0));
  }
  if (!absolute || alpha === null || beta === null || gamma === null) return undefined;
  // The vector out of the back of the screen, projected onto the ground: the rotation Z(alpha) X(beta) Y(gamma)
  // applied to (0, 0, -1).
  const [a, b, g] = [alpha * RADIANS, beta * RADIANS, gamma * RADIANS];
  const east = -Math.cos(a) * Math.sin(g) - Math.sin(a) * Math.sin(b) * Math.cos(g);
  const north = -Math.sin(a) * Math.sin(g) + Math.cos(a) * Math.sin(b) * Math.cos(g);
  return degrees(Math.atan2(east, north) / RADIANS);
}

/** @param {number} angle */
function degrees(angle) {
  return Math.round((((angle % 360) + 360) % 360) * 10) / 10 % 360;
}
