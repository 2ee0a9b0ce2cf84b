// The position by the Geolocation API, as the browser reports it.

/** @typedef {{ gps_lat: number, gps_lon: number, gps_accuracy: number }} Position degrees (WGS84), metres */

/** What stands for "no position". */
const NOWHERE = Object.freeze({ gps_lat: 0, gps_lon: 0, gps_accuracy: 9999 });
/** A first position that takes longer, in milliseconds, is not waited for. */
const TIMEOUT = 10_000;

/** Follows the position from its construction until `stop`. */
export class PositionWatch {
  /** @type {Position | undefined} */
  #latest;
  /** @type {number | undefined} */
  #id;
  /** @type {Promise<void>} */
  #answered;

  constructor() {
    this.#answered = new Promise((resolve) => {
      const timer = setTimeout(resolve, TIMEOUT);
      const answered = () => {
        clearTimeout(timer);
        resolve();
      };
      /** @param {GeolocationPosition} position */
      const follow = ({ coords }) => {
        this.#latest = { gps_lat: coords.latitude, gps_lon: coords.longitude, gps_accuracy: coords.accuracy };
        answered();
      };
      this.#id = navigator.geolocation?.watchPosition(follow, answered, { enableHighAccuracy: true, timeout: TIMEOUT });
      if (this.#id === undefined) answered();
    });
  }

  /** The position now; undefined while there is none. */
  get latest() {
    return this.#latest;
  }

  /**
   * The first position, or 0, 0, 9999 once it was refused or took too long.
   * @returns {Promise<Position>}
   */
  async first() {
    await this.#answered;
    return this.#latest ?? NOWHERE;
  }

  stop() {
    if (this.#id !== undefined) navigator.geolocation.clearWatch(this.#id);
  }
}
