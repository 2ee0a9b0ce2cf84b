// The position, as the browser's Geolocation API reports it.

/** @typedef {{ gps_lat: number, gps_lon: number, gps_accuracy: number }} Position degrees (WGS84), metres */

/** The API's value for "no position". */
const NOWHERE = Object.freeze({ gps_lat: 0, gps_lon: 0, gps_accuracy: 9999 });
/** Timeout for the first position once it is needed, in milliseconds. */
const TIMEOUT = 10_000;

/** Whether the browser will prompt for the position permission; `true` if it cannot be determined. */
export async function asksForPosition() {
  try {
    return (await navigator.permissions.query({ name: "geolocation" })).state === "prompt";
  } catch {
    // Safari before 16 has no Permissions API.
    return true;
  }
}

/** Follows the position from construction until `stop`. */
export class PositionWatch {
  /** @type {Position | undefined} */
  #latest;
  /** @type {number | undefined} */
  #id;
  /**
   * Resolves to true when the first position is known, or to false when the permission is denied.
   * @type {Promise<boolean>}
   */
  known;

  constructor() {
    this.known = new Promise((resolve) => {
      /** @param {GeolocationPosition} position */
      const follow = ({ coords }) => {
        this.#latest = { gps_lat: coords.latitude, gps_lon: coords.longitude, gps_accuracy: coords.accuracy };
        resolve(true);
      };
      /** Only a denied permission is final; other failures may pass. @param {GeolocationPositionError} error */
      const failed = (error) => {
        if (error.code === error.PERMISSION_DENIED) resolve(false);
      };
      this.#id = navigator.geolocation?.watchPosition(follow, failed, { enableHighAccuracy: true });
      if (this.#id === undefined) resolve(false);
    });
  }

  /** The latest position; `undefined` if there is none yet. */
  get latest() {
    return this.#latest;
  }

  /**
   * Waits for the first position. Returns 0, 0, 9999 if the permission is denied or the timeout expires.
   * @returns {Promise<Position>}
   */
  async first() {
    await Promise.race([this.known, new Promise((resolve) => setTimeout(resolve, TIMEOUT))]);
    return this.#latest ?? NOWHERE;
  }

  stop() {
    if (this.#id !== undefined) navigator.geolocation.clearWatch(this.#id);
  }
}
