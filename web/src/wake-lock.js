// Keeps the screen on. Browsers take the lock back when the page is hidden, so it is asked for again when it shows.

export class WakeLock {
  /** @type {WakeLockSentinel | undefined} */
  #sentinel;
  #wanted = false;

  /** Asks for the lock. A browser that refuses (saving power) lets the screen go dark, nothing more. */
  async take() {
    this.#wanted = true;
    const sentinel = await navigator.wakeLock?.request("screen").catch(() => undefined);
    if (this.#wanted) this.#sentinel = sentinel;
    else await sentinel?.release();
  }

  /** Gives it back. */
  release() {
    this.#wanted = false;
    this.#sentinel?.release();
    this.#sentinel = undefined;
  }
}
