// The position by the Geolocation API, as the browser reports it.

/** @typedef {{ gps_lat: number, gps_lon: number, gps_accuracy: number }} Position degrees (WGS84), metres */

/** "No position". */
const NOWHERE = Object.freeze({ gps_lat: 0, gps_lon: 0, gps_accuracy: 9999 });
/** The first position is waited for so long once it is needed, in milliseconds. */
const TIMEOUT = 10_000;

/** Whether the browser is going to ask the person for the position, or does not say. */
export async function asksForPosition() {
  try {
    return (await navigator.permissions.query({ name: "geolocation" })).state === "prompt";
  } catch {
    // Safari before 16 knows no permissions.
    return true;
  }
}

/** Follows the position from its construction until `stop`. */
export class PositionWatch {
  /** @type {Position | undefined} */
  #latest;
  /** @type {number | undefined} */
  #id;
  /** Whether there is a position, once there is one or it was refused. @type {Promise<boolean>} */
  known;

  constructor() {
    this.known = new Promise((resolve) => {
      /** @param {GeolocationPosition} position */
      const follow = ({ coords }) => {
        this.#latest = { gps_lat: coords.latitude, gps_lon: coords.longitude, gps_accuracy: coords.accuracy };
        resolve(true);
      };
      /** Other failures pass: satellites come into view. @param {GeolocationPositionError} error */
      const failed = (error) => {
        if (error.code === error.PERMISSION_DENIED) resolve(false);
      };
      this.#id = navigator.geolocation?.watchPosition(follow, failed, { enableHighAccuracy: true });
      if (this.#id === undefined) resolve(false);
    });
  }

  /** The position now; undefined without one. */
  get latest() {
    return this.#latest;
  }

  /**
   * The first position, or 0, 0, 9999 once it was refused or took too long.
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
