// Keeps the screen on. Browsers release the wake lock when the page is hidden, so it is requested again when the
// page is visible.

export class WakeLock {
  /** @type {WakeLockSentinel | undefined} */
  #sentinel;
  #wanted = false;

  /**
   * Requests the wake lock. If the browser refuses it (to save power), the screen may go dark; nothing else
   * happens.
   */
  async take() {
    this.#wanted = true;
    const sentinel = await navigator.wakeLock?.request("screen").catch(() => undefined);
    if (this.#wanted) this.#sentinel = sentinel;
    else await sentinel?.release();
  }

  /** Releases the wake lock. */
  release() {
    this.#wanted = false;
    this.#sentinel?.release();
    this.#sentinel = undefined;
  }
}
