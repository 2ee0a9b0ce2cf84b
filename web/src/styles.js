// The look: dark, the whole screen, controls below the picture or, where the screen is wide, beside it.

/** A page's Content-Security-Policy may need its hash: see `applyStyles`. */
export const CSS = `
:host { display: contents; }
dialog {
  --accent: var(--svc-camera-accent, #ffd54a);
  --background: var(--svc-camera-background, #0b0d10);
  --color: var(--svc-camera-color, #fff);
  box-sizing: border-box;
  width: 100vw; max-width: none; height: 100vh; height: 100dvh; max-height: none;
  margin: 0; border: 0;
  padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
  background: var(--background); color: var(--color); color-scheme: dark;
  font: 1rem/1.4 var(--svc-camera-font, system-ui, sans-serif);
  overflow: hidden;
}
dialog[open] { display: grid; grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr); }
dialog::backdrop { background: var(--background); }
header { display: flex; align-items: center; gap: 1rem; min-height: 3.5rem; padding: .25rem .5rem .25rem 1rem; }
.label { flex: 1; margin: .25rem 0; font-weight: 600; overflow-wrap: anywhere; }
.stage { position: relative; display: grid; min-height: 0; background: #000; }
video, img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
[data-framing="landscape"] { --ratio: 4 / 3; }
[data-framing="portrait"] { --ratio: 3 / 4; }
[data-framing="square"] { --ratio: 1; }
:is([data-framing="landscape"], [data-framing="portrait"], [data-framing="square"]) video {
  width: auto; height: auto; max-width: 100%; max-height: 100%; margin: auto;
  aspect-ratio: var(--ratio); object-fit: cover; outline: 2px dashed var(--accent); outline-offset: -2px;
}
.panel { place-self: center; z-index: 1; max-width: 26rem; padding: 1.5rem; text-align: center; }
.panel h2 { margin: 0 0 .5rem; font-size: 1.25rem; }
.panel p { margin: 0; overflow-wrap: anywhere; }
footer {
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: .75rem;
  min-height: 9rem; padding: .75rem 1rem; box-sizing: border-box;
}
.message { margin: 0; text-align: center; }
.actions { display: flex; flex-wrap: wrap; justify-content: center; gap: .75rem; }
button {
  min-height: 3rem; padding: .5rem 1.25rem; border: 2px solid currentColor; border-radius: 1.5rem;
  background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; touch-action: manipulation;
}
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
[aria-disabled="true"] { opacity: .5; cursor: default; }
.primary { border-color: var(--accent); background: var(--accent); color: #14161a; }
.shutter { width: 4.5rem; height: 4.5rem; padding: 0; border: 0; border-radius: 50%; background: var(--color); box-shadow: 0 0 0 4px var(--background), 0 0 0 7px var(--color); }
.shutter:active { background: var(--accent); }
.close { width: 3rem; padding: 0; border-color: transparent; font-size: 1.5rem; line-height: 1; }
progress { width: min(20rem, 80%); height: .5rem; accent-color: var(--accent); }
[hidden] { display: none !important; }
@media (orientation: landscape) and (max-height: 36rem) {
  dialog[open] { grid-template: auto minmax(0, 1fr) / minmax(0, 1fr) 15rem; }
  header { grid-area: 1 / 2; }
  .stage { grid-area: 1 / 1 / 3 / 2; }
  footer { grid-area: 2 / 2; }
}
@media (prefers-reduced-motion: no-preference) { .shutter { transition: background .15s; } }
`;

/** @type {CSSStyleSheet | undefined} */
let shared;

/**
 * Gives a shadow root its styles. A constructed sheet needs no exception in the page's Content-Security-Policy; Safari
 * before 16.4 has none, and gets an element: the policy needs 'unsafe-inline' or the hash of its text.
 * @param {ShadowRoot} root
 */
export function applyStyles(root) {
  if ("adoptedStyleSheets" in root) {
    if (!shared) {
      shared = new CSSStyleSheet();
      shared.replaceSync(CSS);
    }
    root.adoptedStyleSheets = [shared];
  } else if (!(/** @type {ShadowRoot} */ (root).querySelector("style"))) {
    const style = document.createElement("style");
    style.textContent = CSS;
    /** @type {ShadowRoot} */ (root).append(style);
  }
}
