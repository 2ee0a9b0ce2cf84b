// Restores the focus after the focused element was redrawn.

/**
 * Focuses the element with a key, or else the heading.
 * @param {string | null | undefined} key
 * @param {HTMLElement | null} heading
 */
export function focusKey(key, heading) {
  const same = key ? document.querySelector(`[data-key="${CSS.escape(key)}"]`) : undefined;
  (same instanceof HTMLElement ? same : heading)?.focus();
}
